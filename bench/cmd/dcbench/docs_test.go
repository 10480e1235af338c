package main

import (
	"flag"
	"testing"

	"github.com/dcopt/dcopt/internal/page"
)

var update = flag.Bool("update", false, "rewrite the flags in docs/lab/bench.md")

// TestDocs keeps the tables of flags in docs/lab/bench.md as the program has them.
func TestDocs(t *testing.T) {
	blocks := map[string]string{}
	for _, cmd := range newApp(nil, nil, nil).Commands {
		if !cmd.Hidden {
			blocks["flags of "+cmd.Name] = page.Flags(cmd.Flags)
		}
	}
	page.Blocks(t, *update, "../../../docs/lab/bench.md", blocks)
}
