package options_test

import (
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/options"
	"github.com/dcopt/dcopt/internal/setting"
)

// One of the two ends of the penalties alone moves the other, so that settings stay valid.
func TestSettings(t *testing.T) {
	high, low, starts := 1e9, 1e-9, 7
	for _, c := range []struct {
		name      string
		file      setting.Given
		tau, most float64
		relative  bool
		starts    int
	}{
		{"none", setting.Given{}, ccp.DefaultSettings().Tau0, ccp.DefaultSettings().TauMax, true, ccp.Automatic},
		{"first", setting.Given{Tau0: &high}, high, max(high, ccp.DefaultSettings().TauMax), false, ccp.Automatic},
		{"last", setting.Given{TauMax: &low}, low, low, false, ccp.Automatic},
		{"both, in the wrong order", setting.Given{Tau0: &high, TauMax: &low}, high, low, false, ccp.Automatic},
		{"starts", setting.Given{Starts: &starts}, ccp.DefaultSettings().Tau0, ccp.DefaultSettings().TauMax, true, starts},
	} {
		set, n, err := options.Settings(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if set.Tau0 != c.tau || set.TauMax != c.most || set.TauRelative != c.relative || n != c.starts {
			t.Errorf("%s: tau %v to %v, relative %v, %d starts", c.name, set.Tau0, set.TauMax, set.TauRelative, n)
		}
		if wrong := set.Validate() != nil; wrong != (c.tau > c.most) {
			t.Errorf("%s: %v", c.name, set.Validate())
		}
	}
}
