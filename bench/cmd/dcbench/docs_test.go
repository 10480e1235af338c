package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

var update = flag.Bool("update", false, "rewrite the flags in docs/lab/bench.md")

// TestDocs keeps the tables of flags in docs/lab/bench.md as the program has them.
func TestDocs(t *testing.T) {
	const path = "../../../docs/lab/bench.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	for _, cmd := range newApp(nil, nil, nil).Commands {
		if cmd.Hidden {
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
			dashes := "--"
			if len(n) == 1 {
				dashes = "-"
			}
			names = append(names, "`"+dashes+n+"`")
		}
		usage := d.GetUsage()
		if def := strings.Trim(d.GetDefaultText(), `"`); d.TakesValue() && def != "" {
			usage += " (default " + def + ")"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), usage)
	}
	return b.String()
}
