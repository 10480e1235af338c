package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

const outsideProgram = `package main

import (
	"context"
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/lder"
)

func main() {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-2), dc.AtMost(3))
	m.Minimize(dc.Abs(x).Sub(dc.Square(x.Shift(-1))))
	p, err := m.Problem(context.Background())
	if err != nil {
		panic(err)
	}
	res, err := ccp.Solve(context.Background(), p, []float64{0}, ccp.DefaultSettings())
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v %.3f %v\n", res.Status, res.X[0], lder.DefaultSettings().Method)
}
`

// A program of another module builds without C and is not made to carry what
// only the command or the benchmarks need.
func TestProgramOutsideTheModule(t *testing.T) {
	goTool := need.Program(t, need.Go)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"main.go": outsideProgram,
		"go.sum":  string(sums),
		"go.mod": "module example.org/outside\n\ngo 1.25\n\nrequire github.com/dcopt/dcopt v0.0.0\n\n" +
			"replace github.com/dcopt/dcopt => " + root + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	command(goTool, "build", "-o", "outside", ".")
	if got, want := command(filepath.Join(dir, "outside")), "converged -2.000 auto\n"; got != want {
		t.Errorf("the program prints %q, want %q", got, want)
	}
	deps := strings.Fields(command(goTool, "list", "-deps", "."))
	if len(deps) < 20 {
		t.Fatalf("go list -deps knows only %d packages", len(deps))
	}
	for _, pkg := range deps {
		first, _, _ := strings.Cut(pkg, "/")
		standard := !strings.Contains(first, ".")
		if !standard && !strings.HasPrefix(pkg, "gonum.org/v1/gonum/") &&
			!strings.HasPrefix(pkg, "github.com/dcopt/dcopt/") && pkg != "example.org/outside" {
			t.Errorf("the program depends on %s", pkg)
		}
		for _, no := range []string{"urfave", "dcopt/bench", "dcopt/cmd", "third_party", "runtime/cgo"} {
			if strings.Contains(pkg, no) {
				t.Errorf("the program depends on %s", pkg)
			}
		}
	}
}
