package refit

import (
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
)

// TestGroupPenaltyAsProgram: examples/sparse_lder.dc states the same objective; package
// ccp and the fast path come to solutions of the same quality that use the same features,
// and neither improves on the other's.
func TestGroupPenaltyAsProgram(t *testing.T) {
	ctx := context.Background()
	const path = "../../../examples/sparse_lder.dc"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := lang.Parse(path, src)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(ctx, file, lang.Options{Dir: "../../../examples"})
	if err != nil {
		t.Fatal(err)
	}
	x, y := numbersOf(t, "bends_X.csv"), numbersOf(t, "bends_y.csv")
	d := &Data{M: len(y), N: 7}
	for i := range y {
		d.X = append(append(d.X, x[i]...), 1)
		d.Y = append(d.Y, y[i][0])
	}
	// The variables are w by rows, a, v and b; the pieces (w, a), 0 and (v, b).
	pieces := func(v []float64) []float64 {
		zero := make([]float64, 7)
		var all []float64
		all = append(append(all, v[:6]...), v[12])
		all = append(append(all, v[6:12]...), v[13])
		all = append(all, zero...)
		return append(all, v[14:21]...)
	}
	variables := func(p []float64) []float64 {
		var v []float64
		v = append(append(v, p[:6]...), p[7:13]...)
		v = append(v, p[6], p[13])
		return append(v, p[21:28]...)
	}
	opt := Options{R1: 2, R2: 2, Penalty: Penalty{Group: .1}, MaxIter: 200, Tol: 1e-9}
	var best Fitter
	for seed := range uint64(10) {
		var f Fitter
		start := opt
		start.Penalty.Group = 0
		if err := f.Cold(ctx, d, start, rand.New(rand.NewPCG(seed, 1))); err != nil {
			t.Fatal(err)
		}
		if err := f.Again(ctx, opt); err != nil {
			t.Fatal(err)
		}
		if best.Pieces == nil || f.Objective < best.Objective {
			best = f
		}
	}
	fast := prog.Problem.Value(variables(best.Pieces))
	if math.Abs(fast-best.Objective) > 1e-6 { // the floor of the ridge weights is 1e-8
		t.Fatalf("objective %g, that of the program is %g", best.Objective, fast)
	}
	set := ccp.DefaultSettings()
	res, err := ccp.Multistart(ctx, prog.Problem, 3, set)
	if err != nil || res.Status != ccp.Converged {
		t.Fatalf("%v, %v", res.Status, err)
	}
	if math.Abs(res.Objective-fast) > .02*fast {
		t.Errorf("the program comes to %.6g, the fast path to %.6g", res.Objective, fast)
	}
	uses := func(v []float64, j int) bool { return math.Hypot(math.Hypot(v[j], v[6+j]), v[14+j]) > 1e-4 }
	for j := range 6 {
		if slow, quick := uses(res.X, j), uses(variables(best.Pieces), j); slow != (j < 2) || quick != (j < 2) {
			t.Errorf("feature %d: used by the program %v, by the fast path %v", j, slow, quick)
		}
	}
	again, err := ccp.Solve(ctx, prog.Problem, variables(best.Pieces), set)
	if err != nil || again.Objective < .98*fast {
		t.Errorf("from the fast path's point the program comes to %g, %v", again.Objective, err)
	}
	var f Fitter
	if err := f.Warm(ctx, d, opt, pieces(res.X)); err != nil || f.Objective < .98*res.Objective {
		t.Errorf("from the program's point the fast path comes to %g, %v", f.Objective, err)
	}
}

// numbersOf reads a data file of the examples.
func numbersOf(t *testing.T, name string) [][]float64 {
	t.Helper()
	f, err := os.Open("../../../examples/data/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	for _, row := range rows {
		var line []float64
		for _, cell := range row {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			line = append(line, v)
		}
		all = append(all, line)
	}
	return all
}
