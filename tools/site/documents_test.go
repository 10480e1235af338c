//go:build !race

package site

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docPage is a document with a folder of its own, in which its commands run.
type docPage struct {
	name   string
	dir    string
	blocks []block
}

// languages are those that blocks may be in, with the check of each; nil: nothing holds it here.
// "text" is what is neither run nor read by a program: output, formulas, commands of hours or of
// other programs; "diff" is applied by the tests of the worked examples.
var languages = map[string]func(t *testing.T, d *docPage, k int){
	"text": nil, "diff": nil, "sh": runScript, "console": runConsole, "dc": solveBlock, "go": runGo, "python": findPython, "json": readJSON,
}

// TestDocuments holds each document: its links lead somewhere, every block of code says in which
// language it is, and passes the check of that language. Blocks with a title write the file of that
// name first.
func TestDocuments(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, name := range documents(t) {
		text := read(t, name)
		for _, link := range broken(t, name, text) {
			t.Errorf("%s: link %s leads nowhere", name, link)
		}
		list, wrong := blocks(name, text)
		for _, w := range wrong {
			t.Error(w)
		}
		for _, b := range list {
			count[b.language]++
		}
		if slices.Contains(selfContained, name) && len(list) == 0 {
			t.Errorf("%s has no commands", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &docPage{name, t.TempDir(), list}
			if !slices.Contains(selfContained, name) {
				fill(t, d.dir)
			}
			for k, b := range list {
				if b.title != "" && !strings.Contains(b.title, "/") {
					if err := os.WriteFile(filepath.Join(d.dir, b.title), []byte(b.code), 0o666); err != nil {
						t.Fatal(err)
					}
				} else if check := languages[b.language]; check != nil && b.title == "" {
					check(t, d, k)
				}
			}
		})
	}
	if count["sh"]+count["console"] < 50 || count["go"] < 5 || count["dc"] < 40 || count["python"] < 3 {
		t.Errorf("blocks by language: %v", count)
	}
}

// TestDocumentsFire: the checks find faults.
func TestDocumentsFire(t *testing.T) {
	const links = "# A `b`, c\n[x](#a-b-c) [y](cli.md#files) [z](../README.md)\n```\n[n](none)\n```\n[a](none.md) [b](cli.md#none) [c](#none) [d](http://x.y)"
	if got := broken(t, "docs/x.md", links); !slices.Equal(got, []string{"none.md", "cli.md#none", "#none", "http://x.y"}) {
		t.Errorf("found broken: %q", got)
	}
	if _, wrong := blocks("x", "a\n\n    b\n\n```\nc\n```\n```sh\nd\n```\n```go\n"); len(wrong) != 3 {
		t.Errorf("found wrong: %q", wrong)
	}
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"a …\n...\nz\n", "a b\nc\nd\nz\n", true}, {"x 1.5\n", "x 1.50001\n", true},
		{"x = 1.5 2\n", "x = 1.6 3\n", true}, {"time 1 s\n", "time 2 s\n", true}, {"time 1 s\n", "time 2 s, backend ipm\n", false}, {"...\nb\n", "a\nb\n", true}, {"a\n...\n", "a\n", true},
		{"answer  optimal, proved with 3 nodes\n", "answer  optimal, proved\n", true},
		{"", "", true}, {"...\n", "a\n", true}, {"", "a\n", false}, {"a\n", "b\n", false}, {"a\n", "a\nb\n", false},
		{"x 1.5\n", "x 1.6\n", false}, {"x = 1.5 2\n", "x = 1.6\n", false}, {"x = 1 2\n", "x = 1 3\n", false}, {"x = 1\n", "y = 1\n", false}, {"a\n...\nz\n", "a\ny\n", false},
		{"a\nb\n", "a\n", false}, {"answer  optimal, proved\n", "answer  local minimum\n", false},
	} {
		if printed(c.want, c.got) != c.same {
			t.Errorf("%q is taken for %q: %v", c.got, c.want, !c.same)
		}
	}
}

// findPython: python/tests runs every block of Python, by the names of documents.
func findPython(t *testing.T, d *docPage, k int) {
	if !strings.Contains(read(t, "python/tests/test_readme.py"), filepath.Base(d.name)) {
		t.Errorf("%v: python/tests/test_readme.py does not run the blocks of this document", d.blocks[k])
	}
}

func readJSON(t *testing.T, d *docPage, k int) {
	if !json.Valid([]byte(d.blocks[k].code)) {
		t.Errorf("%v: this is no JSON", d.blocks[k])
	}
}

// runScript runs a script; a command that ends at a limit has run.
func runScript(t *testing.T, d *docPage, k int) {
	if out, err := shell(t, d.dir, "dcopt() { command dcopt \"$@\" || [ $? = 3 ]; }\n"+d.blocks[k].code); err != nil {
		t.Errorf("%v: %v\n%s", d.blocks[k], err, out)
	}
}

// runConsole runs the lines that begin with $ and compares what they print with the others; the
// last line of such a part may be "exit CODE".
func runConsole(t *testing.T, d *docPage, k int) {
	for _, part := range strings.Split("\n"+d.blocks[k].code, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		code := 0
		if m := regexp.MustCompile(`(?m)^exit (\d+)\n\z`).FindStringSubmatchIndex(want); m != nil {
			fmt.Sscan(want[m[2]:m[3]], &code)
			want = want[:m[0]]
		}
		out, err := shell(t, d.dir, command)
		exit := 0
		if e, ok := err.(*exec.ExitError); ok {
			exit = e.ExitCode()
		}
		if exit != code || !printed(want, out) {
			t.Errorf("%v: %s ends with %d and prints\n%swant %d and\n%s", d.blocks[k], command, exit, out, code, want)
		}
	}
}

// solveBlock solves a problem that stands in a document.
func solveBlock(t *testing.T, d *docPage, k int) {
	if err := os.WriteFile(filepath.Join(d.dir, "block.dc"), []byte(d.blocks[k].code), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := shell(t, d.dir, "dcopt solve block.dc"); err != nil {
		t.Errorf("%v: %v\n%s", d.blocks[k], err, out)
	}
}

// regressor is the code before the parts of programs about l-DER.
const regressor = "ctx := context.Background()\n" +
	"x, y := make([][]float64, 30), make([]float64, 30)\n" +
	"for k := range y { x[k] = []float64{float64(k)}; y[k] = float64(k%7) }\nrows := x\n"

// opening is the code before a part of a program.
const opening = "package main\nimport (\n\"context\"\n\"fmt\"\n\"github.com/dcopt/dcopt/ccp\"\n\"github.com/dcopt/dcopt/dc\"\n\"github.com/dcopt/dcopt/lder\"\n)\n" +
	"var _ = ccp.Solve\nvar _ = dc.NewModel\nvar _ lder.Method\nfunc main() {\n"

// preambles make programs of the parts of one that a document shows, by document: the
// code before it. What is behind // in the last line is what it prints.
var preambles = map[string]string{
	"docs/lder.md":     regressor,
	"docs/lab/lder.md": regressor,
}

// shown are the lines of the programs that documents show, which their own tests run.
func shown(t *testing.T) (known [][]string) {
	for _, pattern := range []string{"examples/*/*.go", "ccp/example*_test.go", "dc/example*_test.go", "lder/example*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			known = append(known, parts(string(src))[0])
		}
	}
	return known
}

// runGo builds and runs a block that is a program, or a part of one with a preamble, and compares
// what it prints; the lines of others stand in a file of the repository that tests run.
func runGo(t *testing.T, d *docPage, k int) {
	b := d.blocks[k]
	code := b.code
	if pre, ok := preambles[d.name]; ok {
		code = opening + pre + strings.ReplaceAll(b.code, "\n...\n", "\nif err != nil { panic(err) }\n") + "\n_, _ = err, fmt.Sprint\n"
		if strings.Contains(b.code, "\np, err := ") {
			code += "_ = p\n"
		}
		code += "}\n"
	} else if !strings.HasPrefix(code, "package main") {
		known := shown(t)
		for _, part := range parts(code) {
			if !slices.ContainsFunc(known, func(file []string) bool { return contains(file, part) }) {
				t.Errorf("%v: no example has the lines\n%s", b, strings.Join(part, "\n"))
			}
		}
		return
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", file)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", b, err, out)
		return
	}
	want := ""
	if m := regexp.MustCompile(`fmt\.Println\(.*\) // (.*)\n\z`).FindStringSubmatch(b.code); m != nil {
		want = m[1] + "\n"
	} else if k+1 < len(d.blocks) && d.blocks[k+1].language == "text" && d.blocks[k+1].line == b.end+2 {
		want = d.blocks[k+1].code
	}
	if !printed(want, string(out)) {
		t.Errorf("%v prints\n%swant\n%s", b, out, want)
	}
}
