package qps_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/qpbackend/qps"
)

// TestReadersAgree: all readers of files take the same texts for numbers, with the same values.
// Those that want finite numbers refuse the others.
func TestReadersAgree(t *testing.T) {
	dir := t.TempDir()
	value := func(src string, set map[string]string) (float64, bool) {
		f, err := lang.Parse("a.dc", []byte(src))
		if err != nil {
			return 0, false
		}
		p, err := lang.Compile(context.Background(), f, lang.Options{Dir: dir, Set: set})
		if err != nil {
			return 0, false
		}
		v, _ := p.Problem.Evaluate([]float64{0})
		return v, true
	}
	readers := []struct {
		name   string
		finite bool
		read   func(s string) (float64, bool)
	}{
		{"csv()", true, func(s string) (float64, bool) {
			if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte(s+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			return value("param a = csv(\"a.csv\")\nvar x\nminimize x + a\n", nil)
		}},
		{"--set", true, func(s string) (float64, bool) {
			return value("param a = 1\nvar x\nminimize x + a\n", map[string]string{"a": s})
		}},
		{"a .dc file", true, func(s string) (float64, bool) { return value("var x\nminimize x + "+s+"\n", nil) }},
		{"dataset", true, func(s string) (float64, bool) {
			d, err := dataset.Read(strings.NewReader("a,b\n1,1\n"+s+",2\n"), "a.csv", dataset.Options{})
			if err != nil {
				return 0, false
			}
			v, err := d.Numbers("a")
			if err != nil || len(v) != 2 || math.IsNaN(v[1]) { // a missing value
				return 0, false
			}
			return v[1], true
		}},
		{"QPS", true, func(s string) (float64, bool) {
			f, err := qps.Read(strings.NewReader("NAME a\nROWS\n N c\n G r\nCOLUMNS\n x c "+s+" r 1\nRHS\n b r 1\nENDATA\n"), qps.Options{})
			if err != nil {
				return 0, false
			}
			return f.Problem.Q[0], true
		}},
		{"the protocol", false, func(s string) (float64, bool) {
			var v wire.Number
			err := json.Unmarshal([]byte(`"`+s+`"`), &v)
			return float64(v), err == nil
		}},
	}
	for _, s := range []string{"16", "-0.5", "1e5", "1E+05", "1e-3", "0.1", "0x1p4", "1_000", "1e", "1.2.3", "inf", "-inf", "nan", "1e999"} {
		want, ok := table.Float(s)
		for _, r := range readers {
			got, read := r.read(s)
			if wanted := ok && (!r.finite || want-want == 0); read != wanted || read && got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s: %q is %g, %v, want %g, %v", r.name, s, got, read, want, wanted)
			}
		}
	}
}
