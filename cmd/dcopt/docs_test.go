//go:build !race

package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/page"
)

// TestDocs keeps the tables of flags in docs/cli.md as the program has them;
// -update rewrites what is between the marks.
func TestDocs(t *testing.T) {
	const path = "../../docs/cli.md"
	blocks := map[string]string{}
	for _, cmd := range newApp(session.Start(context.Background(), nil, nil, io.Discard, io.Discard, nil)).Commands {
		page.Names(t, path, page.Text(t, path), "## `dcopt "+cmd.Name)
		if len(cmd.Flags) > 0 {
			// as a build without tags has it
			blocks["flags of "+cmd.Name] = strings.ReplaceAll(page.Flags(cmd.Flags), "admm, osqp", "admm")
		}
	}
	page.Blocks(t, *update, path, blocks)
}
