//go:build !race

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
)

// TestDocs keeps the tables of flags in docs/cli.md as the program has them;
// -update rewrites what is between the marks.
func TestDocs(t *testing.T) {
	const path = "../../docs/cli.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	for _, cmd := range newApp(session.Start(context.Background(), nil, nil, io.Discard, io.Discard, nil)).Commands {
		if !strings.Contains(doc, "## `dcopt "+cmd.Name) {
			t.Errorf("%s has no section for %s", path, cmd.Name)
		}
		if len(cmd.Flags) == 0 {
			continue
		}
		begin, end := "<!-- flags of "+cmd.Name+" -->\n", "<!-- end -->\n"
		head, rest, ok := strings.Cut(doc, begin)
		old, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Errorf("%s has no place for the flags of %s", path, cmd.Name)
			continue
		}
		now := flagTable(cmd)
		if old != now && !*update {
			t.Errorf("%s: the flags of %s are\n%swant\n%s", path, cmd.Name, old, now)
		}
		doc = head + begin + now + end + tail
	}
	if *update {
		if err := os.WriteFile(path, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func flagTable(cmd *cli.Command) string {
	var b strings.Builder
	b.WriteString("| flag | meaning |\n|---|---|\n")
	for _, f := range cmd.Flags {
		d := f.(cli.DocGenerationFlag)
		var names []string
		for _, n := range f.Names() {
			names = append(names, "`"+flags.Dashed(n)+"`")
		}
		usage := strings.Replace(d.GetUsage(), "admm, osqp", "admm", 1) // what a build without tags has
		if d.TakesValue() && d.GetDefaultText() != "" && d.GetDefaultText() != "0" {
			usage += fmt.Sprintf(" (default %s)", strings.Trim(d.GetDefaultText(), `"`))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), strings.ReplaceAll(usage, "|", "\\|"))
	}
	return b.String()
}
