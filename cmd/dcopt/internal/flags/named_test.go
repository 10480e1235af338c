package flags

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestDefaults: help names the defaults that say something.
func TestDefaults(t *testing.T) {
	list := Named([]cli.Flag{&cli.IntFlag{Name: "a", Usage: "u"}, &cli.BoolFlag{Name: "b", Usage: "u"}, &cli.IntFlag{Name: "c", Usage: "u", Value: 10}})
	for k, want := range []string{"\tu", "\tu", "\tu (default: 10)"} {
		if got := list[k].String(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q at its end", got, want)
		}
	}
}
