package export_test

import (
	"context"
	"fmt"
	"go/format"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/export"
)

// trained are a clipped model, one that is not, and a stack with boosting.
func trained(t *testing.T) (map[string]*lder.Regressor, [][]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(10, 1))
	var x [][]float64
	var y []float64
	for range 60 {
		row := []float64{1e4 + 10*rng.NormFloat64(), rng.NormFloat64(), 1e-3 * rng.Float64(), rng.NormFloat64()}
		x = append(x, row)
		y = append(y, 50+math.Abs(row[0]-1e4)-3*max(row[1], row[3])+.3*rng.NormFloat64())
	}
	x[5][1] = math.NaN()
	rs := map[string]*lder.Regressor{}
	for _, m := range []lder.Method{lder.Refit, lder.CCP, lder.Ensemble} {
		r := lder.NewRegressor(lder.MethodSettings(m))
		r.Features, r.Target = []string{"a", "b */ c\n\"", "ü_%", "d"}, "y\\z"
		if err := r.Fit(context.Background(), x, y); err != nil {
			t.Fatal(err)
		}
		rs[m.String()] = r
	}
	// Some rows far outside, where clipping matters, and gaps.
	probe := append(x[:20:20], []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()},
		[]float64{1.1e4, -50, .1, 3}, []float64{9e3, 50, math.NaN(), 80})
	return rs, probe
}

// agree runs a command that prints a number a line and compares them with
// Predict.
func agree(t *testing.T, r *lder.Regressor, x [][]float64, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GO111MODULE=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	lines := strings.Fields(string(out))
	want, err := r.Predict(x)
	if err != nil || len(lines) != len(want) {
		t.Fatalf("%d numbers for %d rows: %v\n%s", len(lines), len(want), err, out)
	}
	for i, s := range lines {
		got, err := strconv.ParseFloat(s, 64)
		if err != nil || math.Abs(got-want[i]) > 1e-12*max(1, math.Abs(want[i])) {
			t.Errorf("row %d: %s, want %g", i, s, want[i])
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func exported(t *testing.T, r *lder.Regressor, f export.Format) string {
	t.Helper()
	b, err := export.Export(r, f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// literal writes the rows as a table, with nan as that language has it.
func literal(x [][]float64, open, close, nan string) string {
	var b strings.Builder
	for _, row := range x {
		b.WriteString(open)
		for _, v := range row {
			if math.IsNaN(v) {
				b.WriteString(nan + ",")
			} else {
				fmt.Fprintf(&b, "%v,", strconv.FormatFloat(v, 'e', -1, 64))
			}
		}
		b.WriteString(close + ",\n")
	}
	return b.String()
}

func TestGo(t *testing.T) {
	goTool := need.Program(t, need.Go)
	rs, x := trained(t)
	for name, r := range rs {
		dir := t.TempDir()
		text := strings.Replace(exported(t, r, export.Go), "package model", "package main", 1)
		if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
			t.Errorf("gofmt makes of the program\n%s\n%v", pretty, err)
		}
		write(t, dir, "model.go", text)
		write(t, dir, "main.go", "package main\nimport (\"fmt\"; \"math\")\nfunc main() {\n\tnan := math.NaN()\n_ = nan\n\tfor _, x := range [][]float64{\n"+
			literal(x, "{", "}", "nan")+"\t} { fmt.Println(Predict(x)) }\n}\n")
		t.Run(name, func(t *testing.T) { agree(t, r, x, dir, goTool, "run", "model.go", "main.go") })
	}
}

func TestPython(t *testing.T) {
	py := need.Program(t, need.Python)
	rs, x := trained(t)
	for name, r := range rs {
		dir := t.TempDir()
		write(t, dir, "model.py", exported(t, r, export.Python))
		write(t, dir, "main.py", "from model import predict\nnan = float('nan')\nfor x in [\n"+literal(x, "(", ")", "nan")+"]:\n    print(repr(predict(x)))\n")
		t.Run(name, func(t *testing.T) { agree(t, r, x, dir, py, "main.py") })
	}
}

func TestC(t *testing.T) {
	cc := need.Program(t, need.Compiler)
	rs, x := trained(t)
	for name, r := range rs {
		dir := t.TempDir()
		main := fmt.Sprintf("%s\n#include <stdio.h>\nint main(void) {\n  double x[][4] = {\n%s};\n  for (int i = 0; i < %d; i++) printf(\"%%.17g\\n\", predict(x[i]));\n  return 0;\n}\n",
			exported(t, r, export.C), literal(x, "{", "}", "NAN"), len(x))
		write(t, dir, "main.c", main)
		cmd := exec.Command(cc, "-std=c99", "-Wall", "-Werror", "-O1", "-ffp-contract=off", "-o", "main", "main.c", "-lm")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Run(name, func(t *testing.T) { agree(t, r, x, dir, filepath.Join(dir, "main")) })
	}
}

// small is a model with round coefficients.
func small() *lder.Regressor {
	r := lder.NewRegressor(lder.MethodSettings(lder.CCP))
	r.Features, r.Target = []string{"area", "year built"}, "price_$"
	r.Imputer = &dataset.SimpleImputer{Fill: []float64{0, 0}}
	r.Scaler = &dataset.StandardScaler{Mean: []float64{10, 0}, Scale: []float64{2, 1}}
	r.Model = lder.NewModel(2, 2, 2)
	r.Model.W[0], r.Model.A[0] = []float64{4, 0}, 3
	r.Model.W[1], r.Model.A[1] = []float64{0, -1e-7}, 2
	r.Model.M[1], r.Model.B = []float64{-1, 0}, []float64{2, 4}
	r.Clip = lder.Range{Lo: -5, Hi: 100}
	return r
}

func TestText(t *testing.T) {
	const want = `"price_$" = max(
        2 area - 19,
        -1e-07 "year built"
    ) - max(
        0,
        -0.5 area + 7
    )
clipped to [-5, 100]
`
	if got := exported(t, small(), export.Text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	linear := small()
	linear.Model.M, linear.Model.B = linear.Model.M[:1], linear.Model.B[:1]
	linear.Clip = lder.Unclipped()
	if got, want := exported(t, linear, export.Text), "\"price_$\" = max(\n        2 area - 19,\n        -1e-07 \"year built\"\n    )\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	linear.Model.W, linear.Model.A = linear.Model.W[:1], linear.Model.A[:1]
	if got, want := exported(t, linear, export.Text), "\"price_$\" = 2 area - 19\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	rs, _ := trained(t)
	if got := exported(t, rs["ensemble"], export.Text); !strings.Contains(got, "no formula to read") {
		t.Errorf("ensemble: %s", got)
	}
}

func TestLaTeX(t *testing.T) {
	const want = `\begin{align*}
\text{price\_\$} ={}& \max\left\{\begin{aligned}
  & 2\,\text{area} - 19 \\
  & - 1 \cdot 10^{-7}\,\text{year built}
\end{aligned}\right\} \\
& - \max\left\{\begin{aligned}
  & 0 \\
  & - 0.5\,\text{area} + 7
\end{aligned}\right\}
\end{align*}
`
	if got := exported(t, small(), export.LaTeX); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	rs, _ := trained(t)
	if _, err := export.Export(rs["ensemble"], export.LaTeX); err == nil || !strings.Contains(err.Error(), "no formula") {
		t.Errorf("ensemble: %v", err)
	}
}

func TestFormats(t *testing.T) {
	for _, f := range []export.Format{export.Text, export.Go, export.Python, export.C, export.LaTeX} {
		if g, err := export.ParseFormat(f.String()); err != nil || g != f {
			t.Errorf("%v, %v", g, err)
		}
	}
	if _, err := export.ParseFormat("java"); err == nil {
		t.Error("java is no format")
	}
	if _, err := export.Export(lder.NewRegressor(lder.DefaultSettings()), export.Go); err == nil || !strings.Contains(err.Error(), "not fitted") {
		t.Errorf("unfitted: %v", err)
	}
}
