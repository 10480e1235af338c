//go:build !race

package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

// TestExampleAtom follows docs/design-atom.md: its file and test make a function of the language,
// the protocol, the global search, Python, the documentation and the editors.
func TestExampleAtom(t *testing.T) {
	t.Parallel()
	overlay := overlaid(t, "docs/design-atom.md")
	const tests = "^Test(Gauss|Exact|Ranges|Reduce.*|ConeOfRow|Rows|Operations|Curves|AtomComments|DescribedAtoms)$"
	tested(t, overlay, tests, "./internal/graph/atom", "./internal/wire/decode", "./ccp/global/internal/factorable")
	regenerated(t, overlay, tests)

	dir := t.TempDir()
	program := filepath.Join(dir, "dcopt")
	inOverlay(t, overlay, "build", "-o", program, "./cmd/dcopt")
	run := func(code int, want string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(out), want) {
			t.Errorf("dcopt %s: code %d, %v\n%s", strings.Join(args, " "), got, err, out)
		}
		return out
	}
	file := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	solution := func(args ...string) (out struct {
		Objective float64
		Proved    bool
		Variables struct{ X float64 }
	}) {
		text := run(0, `"status":"converged"`, append([]string{"solve", "--json"}, args...)...)
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		if u := out.Variables.X - 0.5; math.Abs(-u*math.Exp(-u*u/2)-0.1) > 1e-4 {
			t.Errorf("the slope at %g is not 0", out.Variables.X)
		}
		file("r.json", text)
		return out
	}
	file("a.dc", []byte("var x in [-1, 3] start 2\nmaximize gauss(x - 0.5) - x/10\n"))
	run(0, "maximise gauss(x - 0.5) - x/10", "check", "a.dc")
	run(0, "gauss(x - 0.5) - x/10", "fmt", "a.dc")
	file("b.dc", run(0, "gauss(x - 0.5)", "expand", "a.dc"))
	solution("b.dc")
	if !solution("a.dc", "--global", "--proof", "proof.gz").Proved {
		t.Error("the maximum is not proved")
	}
	zip, err := os.ReadFile(filepath.Join(dir, "proof.gz"))
	if err != nil {
		t.Fatal(err)
	}
	proof, err := gzip.NewReader(bytes.NewReader(zip))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(proof); err != nil || !strings.Contains(string(text), `"n":"gauss"`) {
		t.Errorf("the proof does not name the function: %v\n%s", err, text)
	}
	const incomplete = 4
	run(incomplete, "the function gauss is not known to verify\nincomplete\n",
		"verify", "a.dc", "r.json", "--proof", "proof.gz")

	file("c.dc", []byte("var x[2] start 5\nminimize hypotenuse(x - [1, 2]) + 0.3*x[1]\n"))
	var least struct{ Objective float64 }
	text := run(0, `"status":"converged"`, "solve", "--json", "c.dc")
	if want := 0.3 + math.Sqrt(1-0.09); json.Unmarshal(text, &least) != nil || math.Abs(least.Objective-want) > 1e-6 {
		t.Errorf("the least value is %g, want %g", least.Objective, want)
	}
	file("d.dc", run(0, "hypotenuse(", "expand", "c.dc"))
	run(0, "convex", "check", "d.dc")
	file("e.dc", []byte("var x[2] in [-3, 3] start 2\nmaximize hypotenuse(x - [1, 2]) - sumsq(x)\n"))
	run(0, `"proved":true`, "solve", "--json", "--global", "e.dc")

	t.Run("Python", func(t *testing.T) {
		python := need.Program(t, need.Python)
		need.That(t, exec.Command(python, "-c", "import cvxpy").Run() == nil, need.Python, "import cvxpy")
		source, err := filepath.Abs(filepath.Join(root, "python", "src"))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", `import cvxpy as cp, dcopt
x = cp.Variable(name="x", bounds=[-1, 3])
p = cp.Problem(cp.Maximize(dcopt.apply("gauss", x - 0.5)))
p.solve(method="dcopt")
assert abs(p.value - 1) < 1e-6 and abs(x.value - 0.5) < 1e-3, (p.value, x.value)
`)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+source, "DCOPT_PROGRAM="+program)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// regenerated runs tests of packages with documentation, then the tests that write it on a copy,
// and looks for the function in it.
func regenerated(t *testing.T, overlay, tests string) {
	top := t.TempDir()
	for _, dir := range []string{"dc", "docs", "tools/editors"} {
		if err := os.CopyFS(filepath.Join(top, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	for _, pkg := range []string{"dc", "dc/lang"} {
		binary := filepath.Join(top, filepath.Base(pkg)+".test")
		inOverlay(t, overlay, "test", "-c", "-vet=off", "-o", binary, "./"+pkg)
		cmd := exec.Command(binary, "-test.v", "-test.run="+tests)
		cmd.Dir = filepath.Join(root, filepath.FromSlash(pkg))
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%s: %v\n%s", pkg, err, out)
		}
		cmd = exec.Command(binary, "-test.run=^Test(AtomsPage|LanguageDoc|GoNames|EditorLists)$", "-update")
		cmd.Dir = filepath.Join(top, filepath.FromSlash(pkg))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", pkg, err, out)
		}
	}
	for _, c := range [][2]string{
		{"docs/atoms.md", "\n## gauss\n"},
		{"docs/language.md", "| `gauss(x)` | exp(-x^2/2) | DC |"},
		{"docs/language.md", "| `hypotenuse(x)` | sqrt(1 + sumsq(x)) | convex |"},
		{"docs/go.md", "| `gauss` | `Apply` |"},
		{"docs/go.md", "| `hypotenuse` | `Apply` |"},
		{"tools/editors/vscode/syntaxes/dc.tmLanguage.json", "|gauss|"},
		{"tools/editors/vscode/syntaxes/dc.tmLanguage.json", "|hypotenuse|"},
	} {
		name, want := c[0], c[1]
		text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q: %v", name, want, err)
		}
	}
}
