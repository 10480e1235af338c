package flags

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestHelp: help names the defaults that say something, in lines that fit a terminal.
func TestHelp(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, c := range []struct {
		flag cli.Flag
		want string
	}{
		{&cli.IntFlag{Name: "aa", Usage: "u"}, "--aa value\tu"},
		{&cli.BoolFlag{Name: "bb", Usage: "u"}, "--bb\tu"},
		{&cli.IntFlag{Name: "cc", Usage: "u", Value: 10}, "--cc value\tu (default: 10)"},
		{&cli.BoolFlag{Name: "ee", Usage: long}, "--ee" + strings.Repeat("\t"+strings.TrimSpace(long[:85])+"\n", 2) + "\t" + strings.TrimSpace(long[:30])},
	} {
		if got := Named([]cli.Flag{c.flag})[0].String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
