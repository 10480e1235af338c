package page

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Text is the text of a file.
func Text(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// File compares a file with the bytes that it must have, or writes them if update is true.
func File(t testing.TB, update bool, path string, now []byte) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, now, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, now) {
		t.Errorf("%s is not what the code says (%v); the flag -update of this test rewrites it", path, err)
	}
}

// cut is the text before, in and after a block: from <!-- name --> to <!-- end -->.
func cut(t testing.TB, path, text, name string) (head, block, tail string) {
	t.Helper()
	mark, end := "<!-- "+name+" -->\n", "<!-- end -->\n"
	head, rest, ok := strings.Cut(text, mark)
	block, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the block %q", path, name)
	}
	return head + mark, block, end + tail
}

// Block is the text of a block of a page.
func Block(t testing.TB, path, name string) string {
	t.Helper()
	_, block, _ := cut(t, path, Text(t, path), name)
	return block
}

// Blocks compares blocks of a page with the texts that they must have, by their names, or writes
// them if update is true.
func Blocks(t testing.TB, update bool, path string, blocks map[string]string) {
	t.Helper()
	text := Text(t, path)
	for name, now := range blocks {
		head, old, tail := cut(t, path, text, name)
		if old != now && !update {
			t.Errorf("%s: the block %q is\n%swant, by the flag -update of this test,\n%s", path, name, old, now)
		}
		text = head + now + tail
	}
	if update {
		File(t, true, path, []byte(text))
	}
}

// Names asks for words in a text, which is the one of a page.
func Names(t testing.TB, page, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not have %s", page, w)
		}
	}
}

// flag is a flag of a command, as package cli describes it.
type flag interface {
	Names() []string
	GetUsage() string
	GetDefaultText() string
	TakesValue() bool
}

// Flags is the table of the flags of a command of package cli.
func Flags[F any](list []F) string {
	var b strings.Builder
	b.WriteString("| flag | meaning |\n|---|---|\n")
	for _, f := range list {
		var names []string
		d := any(f).(flag)
		for _, n := range d.Names() {
			names = append(names, "`"+"--"[:min(2, len(n))]+n+"`")
		}
		usage := d.GetUsage()
		if def := strings.Trim(d.GetDefaultText(), `"`); d.TakesValue() && def != "" && def != "0" {
			usage += " (default " + def + ")"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), strings.ReplaceAll(usage, "|", "\\|"))
	}
	return b.String()
}
