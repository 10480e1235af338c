package export_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/export"
)

// hostile are names that end strings, comments and lines in some language.
var hostile = []string{
	`a""";import os;os.system("echo INJECTED");"""`, `"""`, `"`, `'''`, `'`, `\`, `\\`, `\"`, `a\`, `\N{DIGIT ONE}`, `\x`, `\u{41} \`, `\u0022\u0022\u0022`,
	"a\nimport os\n#", "a\r\nb", "a\rb", "\f\v\b\a", "a\u2028b\u2029c\u0085d", "a\x00b", "\ufeff", "\u202e\u2066x\u2069", "\xff\xfe\x80", "\xed\xa0\x80",
	`x */ int evil; /*`, `*/`, `/*`, `*`, `/`, `*??/`, `??/`, `//`, `-->`, `<!--`, `]]>`, `#`, `#include "/etc/passwd"`, `#define predict`,
	"*\n/", "*\\\n/", "%s%d%n%v%!", "%%", "{", "}", "{U+0022}", "{0xFF}", "${x}", "$(id)", "`id`", "q\"\"\"\nimport os",
	"def", "return", "func", "int", "max", "predict", "x", "_FILL", "NaN", "e5", "1e5", "-1", "", " ", "  lead", "trail  ", "\t",
	"a_b", "50% & #1", "y $^_", "~^_#&%$", "ü_%", "数 量", "é́", "coding: utf-7", "-*- coding: latin-1 -*-", "go:build ignore", "+build ignore", "line x.go:1",
	`\end{align*}\input{/etc/passwd}`, `}\write18{id}{`, "^^5cinput", strings.Repeat("long ", 4000), strings.Repeat(`"""`, 999),
}

// named is a model whose names are given; the numbers are the same whatever
// they are.
func named(target string, features []string) *lder.Regressor {
	n := len(features)
	r := lder.NewRegressor(lder.DefaultSettings())
	r.Target, r.Features = target, features
	ones, zeros := make([]float64, n), make([]float64, n)
	for j := range ones {
		ones[j] = 1
	}
	r.Imputer, r.Scaler = &dataset.SimpleImputer{Fill: zeros}, &dataset.StandardScaler{Mean: zeros, Scale: ones}
	r.Model = &lder.Model{W: [][]float64{ones, zeros}, A: []float64{0, 1}, M: [][]float64{zeros, ones}, B: []float64{0, -3}}
	r.Clip = lder.Range{Lo: -5, Hi: 1e6}
	return r
}

// sample has names from the list, and random ones made of their pieces.
func sample(rng *rand.Rand) *lder.Regressor {
	name := func() string {
		if rng.IntN(3) == 0 {
			return hostile[rng.IntN(len(hostile))]
		}
		var b strings.Builder
		for range rng.IntN(6) {
			h := hostile[rng.IntN(len(hostile)-2)] // not the long ones
			from := rng.IntN(len(h) + 1)
			b.WriteString(h[from : from+rng.IntN(len(h)-from+1)])
			if rng.IntN(4) == 0 {
				b.WriteRune(rune(rng.IntN(0x3000)))
			}
		}
		return b.String()
	}
	features := make([]string, 3)
	for j := range features {
		features[j] = name()
	}
	return named(name(), features)
}

// harmless is what a sample must be but for comments.
func harmless() *lder.Regressor { return named("y", []string{"a", "b", "c"}) }

// models are all of the list as target and feature, then random ones.
func models() []*lder.Regressor {
	var out []*lder.Regressor
	for _, h := range hostile {
		out = append(out, named(h, []string{h, "b", h}))
	}
	rng := rand.New(rand.NewPCG(21, 9))
	for range 300 {
		out = append(out, sample(rng))
	}
	return out
}

func goCode(t *testing.T, src string) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "model.go", src, 0) // without comments
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, src)
	}
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileGo: in Go, names are in comments and nowhere else.
func TestHostileGo(t *testing.T) {
	want := goCode(t, exported(t, harmless(), export.Go))
	for _, r := range models() {
		if got := goCode(t, exported(t, r, export.Go)); got != want {
			t.Fatalf("names %q change the program to\n%s", r.Features, got)
		}
	}
}

// pythonCheck reads programs from a file, separated by a line that no name can
// hold, and compares their syntax trees without the description; then it runs
// them all, where nothing but the functions may happen.
const pythonCheck = `
import ast, sys
programs = open("programs.py", encoding="utf-8", newline="").read().split("\n%%%%\n")
def tree(text):
    t = ast.parse(text)
    f = t.body[-1]
    assert isinstance(f, ast.FunctionDef) and isinstance(f.body[0].value, ast.Constant), ast.dump(t)
    f.body[0].value.value = ""
    return ast.dump(t)
want = tree(programs[0])
for k, text in enumerate(programs):
    if tree(text) != want:
        sys.exit("program %d differs: %r" % (k, text))
    names = {}
    exec(compile(text, "model.py", "exec"), names)
    if names["predict"]([1.0, 2.0, 3.0]) != 3.0:
        sys.exit("program %d is wrong: %r" % (k, names["predict"]([1.0, 2.0, 3.0])))
print(len(programs))
`

// TestHostilePython runs the programs: importing one does nothing but define it.
func TestHostilePython(t *testing.T) {
	py := need.Program(t, need.Python)
	list := append([]*lder.Regressor{harmless()}, models()...)
	runPython(t, py, list)
}

func runPython(t *testing.T, py string, list []*lder.Regressor) {
	t.Helper()
	dir := t.TempDir()
	texts := make([]string, len(list))
	for k, r := range list {
		texts[k] = exported(t, r, export.Python)
		if !utf8.ValidString(texts[k]) {
			t.Fatalf("names %q give no UTF-8", r.Features)
		}
	}
	write(t, dir, "programs.py", strings.Join(texts, "\n%%%%\n"))
	write(t, dir, "check.py", pythonCheck)
	cmd := exec.Command(py, "check.py")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(len(list)) {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("importing the models made files: %v", left)
	}
}

// TestHostileC: what the preprocessor leaves of each program is the same.
func TestHostileC(t *testing.T) {
	cc := need.Program(t, need.Compiler)
	dir := t.TempDir()
	var all strings.Builder
	list := append([]*lder.Regressor{harmless()}, models()...)
	for _, r := range list {
		// The headers take longer than all models.
		fmt.Fprintf(&all, "%s\nseparator\n", strings.Replace(exported(t, r, export.C), "#include <math.h>", "", 1))
	}
	write(t, dir, "all.c", all.String())
	cmd := exec.Command(cc, "-std=c99", "-trigraphs", "-E", "-P", "all.c")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	parts := strings.Split(strings.TrimSpace(string(out)), "separator")
	if len(parts) != len(list)+1 {
		t.Fatalf("%d programs became %d", len(list), len(parts)-1)
	}
	for k, p := range parts[:len(list)] {
		if strings.Join(strings.Fields(p), " ") != strings.Join(strings.Fields(parts[0]), " ") {
			t.Fatalf("names %q change the program to %s", list[k].Features, p)
		}
	}
}

// TestHostileFormulas: a formula has the lines and, in LaTeX, the commands and
// braces that it has with harmless names.
func TestHostileFormulas(t *testing.T) {
	commands := []string{`\textbackslash{}`, `\textasciitilde{}`, `\textasciicircum{}`, `\_`, `\%`, `\&`, `\#`, `\$`, `\{`, `\}`}
	for _, r := range models() {
		text := exported(t, r, export.Text)
		if got, want := strings.Count(text, "\n"), strings.Count(exported(t, harmless(), export.Text), "\n"); got != want || strings.ContainsAny(text, "\r\f\v\x00\u2028\u2029\u0085\u202e") {
			t.Errorf("names %q: %d lines, want %d\n%s", r.Features, got, want, text)
		}
		tex := exported(t, r, export.LaTeX)
		for _, name := range append([]string{r.Target}, r.Features...) {
			set := texSet(name)
			rest := set
			for _, c := range commands {
				rest = strings.ReplaceAll(rest, c, "")
			}
			if strings.ContainsAny(rest, "\\{}$&#^_~%\n\r") || strings.Count(tex, `\text{`+set+`}`) == 0 {
				t.Fatalf("name %q is set as %s", name, set)
			}
		}
	}
}

// texSet is what stands for a name in an export.
func texSet(name string) string {
	tex, err := export.Export(named(name, []string{"b"}), export.LaTeX)
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(tex), `\text{`)
	set, _, _ := strings.Cut(rest, "} ={}& ")
	return set
}

// TestNamesStayApart: names that differ differ in the comments, too.
func TestNamesStayApart(t *testing.T) {
	for _, f := range []export.Format{export.Go, export.Python, export.C} {
		seen := map[string]string{}
		for _, h := range hostile {
			text := exported(t, named(h, []string{"b"}), f)
			if other, twice := seen[text]; twice {
				t.Errorf("%v: %q and %q look the same", f, h, other)
			}
			seen[text] = h
		}
	}
}

// FuzzNames runs what Go and, where there is one, Python makes of a name.
func FuzzNames(f *testing.F) {
	for _, h := range hostile[:12] {
		f.Add(h, h)
	}
	py := need.Look(f, need.Python)
	f.Fuzz(func(t *testing.T, target, feature string) {
		r := named(target, []string{feature, "b", feature})
		if goCode(t, exported(t, r, export.Go)) != goCode(t, exported(t, harmless(), export.Go)) {
			t.Errorf("names %q, %q change the program in Go", target, feature)
		}
		if py != "" {
			runPython(t, py, []*lder.Regressor{harmless(), r})
		}
	})
}

// TestOnlyEscapersMakeCode: escape.go is the only file that converts to code, or
// writes to a document otherwise than by add.
func TestOnlyEscapersMakeCode(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	found := 0
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			bad := ""
			switch n := n.(type) {
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "code" {
					if arg, ok := n.Args[0].(*ast.BasicLit); !ok || arg.Kind != token.STRING {
						bad = "a conversion to code"
					}
				}
			case *ast.SelectorExpr:
				if n.Sel.Name == "buf" {
					bad = "the buffer of a document"
				}
			}
			switch {
			case bad != "" && name == "escape.go":
				found++
			case bad != "" && !strings.HasSuffix(name, "_test.go"):
				t.Errorf("%v: %s outside of escape.go", fset.Position(n.Pos()), bad)
			}
			return true
		})
	}
	if found < 5 {
		t.Errorf("only %d conversions found in escape.go; is this test awake?", found)
	}
}
