package lang

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode"
)

// TestRenderPrintable: whatever is in a file, its name or its strings, a terminal
// is not steered.
func TestRenderPrintable(t *testing.T) {
	src := "var x\nminimize x + a\x1b[2J\u202e b\xff + \u0085\n# \x07\nparam s = csv(\"\x1b]0;title\x07\u200b.csv\", \"\xfe\")\n"
	name := "evil\x1b[31m\n.dc"
	f, _ := Parse(name, []byte(src))
	_, err := Compile(context.Background(), f, Options{Set: map[string]string{"q\x1b": "\x9b1"}})
	ds, ok := err.(Diagnostics)
	if !ok || len(ds) < 3 {
		t.Fatalf("%v", err)
	}
	for k := range ds {
		ds[k].Notes = append(ds[k].Notes, Note{ds[k].Place, "note \x1b"}, Note{Text: "\x00"})
		ds[k].Help += "\r"
	}
	var b bytes.Buffer
	if err := ds.Render(&b, func(string) []byte { return []byte(src) }, false); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{b.String(), ds.Error()} {
		for _, r := range text {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%U in %q", r, text)
			}
		}
	}
	for _, want := range []string{`evil\x1b[31m\x0a.dc`, `\x1b]0;title\x07\u200b.csv`, `note \x1b`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

// TestDiagnosticSet: what is wrong with Options.Set is told from what is wrong
// with the file.
func TestDiagnosticSet(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"n", "2", ""}, {"m", "2", "m"}, {"n", "1/0", "n"}, {"n", "foo + bar", "n"}, {"n", "[1", "n"}, {"n", "missing.csv", "n"},
	} {
		f, err := Parse("set.dc", []byte("param n = 1\nvar x[n]\nminimize sum(x)\nsubject to\n  x >= y\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Compile(context.Background(), f, Options{Set: map[string]string{c.name: c.value}})
		ds, ok := err.(Diagnostics)
		if !ok || ds[len(ds)-1].Set != "" || ds[len(ds)-1].Line != 5 {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
			continue
		}
		if got := ds[0].Set; got != c.want || (got != "") != (ds[0].Line == 0) {
			t.Errorf("%s=%s: %v is about the setting %q, want %q", c.name, c.value, ds[0], got, c.want)
		}
	}
}
