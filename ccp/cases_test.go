package ccp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
)

// cases are problem files that were once answered wrongly; what is right is
// derived beside each.
var cases = map[string]struct {
	objective float64 // NaN: any
	within    float64 // of it, relative
	status    ccp.Status
}{
	"answers/cap2":  {30, 1e-6, ccp.Converged}, // x1 <= 10 and 3*x1 + 2*x2 with x1 + x2 <= 10
	"answers/cap":   {101, 1e-6, ccp.Converged},
	"answers/cap3":  {100, 1e-6, ccp.Converged},
	"answers/cap4":  {30, 1e-6, ccp.Converged},
	"answers/mix2":  {math.NaN(), 0, ccp.Converged}, // without a violation
	"answers/f1":    {-1e30, 1e-6, ccp.Converged},
	"answers/f2":    {-1e22, 1e-6, ccp.Converged},
	"answers/f8":    {math.Exp(700), 1e-6, ccp.Converged},
	"answers/f10":   {1, 1e-6, ccp.Converged},
	"answers/e10":   {-1e101, 1e-6, ccp.Converged},
	"answers/g4e":   {40, 1e-6, ccp.Converged}, // exp(40) >= exp(0) + 3
	"answers/g2":    {math.NaN(), 0, ccp.Unknown},
	"answers/g4d":   {math.NaN(), 0, ccp.Unknown},
	"answers/e7":    {math.NaN(), 0, ccp.Unknown},
	"answers/f11":   {math.NaN(), 0, ccp.Unknown},
	"answers/flow":  {math.NaN(), 0, ccp.Unknown},
	"answers/area":  {math.NaN(), 0, ccp.Unknown},
	"answers/co":    {math.NaN(), 0, ccp.Unknown},
	"models/snl_sq": {.001366, 0.01, ccp.Converged},

	"answers/bad_viol_1272":           {math.NaN(), 0, ccp.Unknown},
	"answers/bad_viol_2101":           {math.NaN(), 0, ccp.Unknown},
	"refused/log_unbounded_converged": {math.Inf(-1), 0, ccp.Unbounded},
}

// TestCases: the answers, and for all files that a converged point is feasible by
// the problem's own measure, a feasible one says so, and a problem in a box is
// never called unbounded.
func TestCases(t *testing.T) {
	root := os.Getenv("DCOPT_SHARED")
	if root == "" {
		root = "../../shared"
	}
	dir := filepath.Join(root, "data", "cases")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("SKIPPED: no cases: %v; set DCOPT_SHARED", err)
	}
	for name, want := range cases {
		path := filepath.Join(dir, name+".dc")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		file, err := lang.Parse(path, text)
		if err != nil {
			t.Error(err)
			continue
		}
		prog, err := lang.Compile(file, lang.Options{Dir: filepath.Dir(path)})
		if err != nil {
			t.Error(err)
			continue
		}
		set := ccp.DefaultSettings()
		if prog.Options.FeasTol != nil {
			set.FeasTol = *prog.Options.FeasTol
		}
		res, err := ccp.Solve(context.Background(), prog.Problem, nil, set)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		honest(t, name, prog.Problem, res, set.FeasTol)
		if want.status != ccp.Unknown && res.Status != want.status {
			t.Errorf("%s: %v, want %v: %s", name, res.Status, want.status, res.Message)
		}
		if o := want.objective; !math.IsNaN(o) && res.Objective != o && !(math.Abs(res.Objective-o) <= want.within*math.Abs(o)) {
			t.Errorf("%s: objective %g, want %g", name, res.Objective, o)
		}
	}
}

// honest checks what a result says of itself.
func honest(t *testing.T, name string, p *dc.Problem, res *ccp.Result, tol float64) {
	t.Helper()
	boxed := true
	for _, v := range p.Vars {
		for k := range v.Len() {
			lo, hi := v.Bounds(k)
			boxed = boxed && !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
		}
	}
	switch {
	case res.Feasible != p.Feasible(res.X, tol):
		t.Errorf("%s: feasible: %v, but by the problem %v", name, res.Feasible, !res.Feasible)
	case res.Status == ccp.Converged && !res.Feasible:
		t.Errorf("%s: converged at a point that is not feasible, violation %g", name, res.Violation)
	case res.Status == ccp.Unbounded && boxed:
		t.Errorf("%s: unbounded although all variables are bounded", name)
	}
}

// TestHugeBounds: linear programs with one bound that is many decades larger than
// the others have the optimum of those without it.
func TestHugeBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n, m := 2+rng.IntN(4), 2+rng.IntN(4)
		a, c, b := draw(rng, m*n, 0.1, 2), draw(rng, n, 0.5, 3), draw(rng, m, 5, 50)
		state := func(huge float64) *dc.Problem {
			model := dc.NewModel()
			x := model.Var("x", []int{n}, dc.AtLeast(0), dc.AtMost(1000))
			var rows []dc.Affine
			for i := range m {
				rows = append(rows, x.Dot(a[i*n:(i+1)*n]))
			}
			bounds := append([]float64(nil), b...)
			if huge > 0 { // one more row, and one that holds nothing back
				rows = append(rows, x.Dot(c))
				bounds = append(bounds, huge)
			}
			model.Maximize(x.Dot(c))
			model.SubjectTo(dc.LE(dc.Stack(rows...), dc.Vec(bounds)).Named("cap"))
			return build(t, model)
		}
		want := solve(t, state(0), nil, nil)
		p := state(math.Pow(10, 5+10*rng.Float64()))
		got := solve(t, p, nil, nil)
		honest(t, "huge", p, got, 1e-6)
		if got.Status != ccp.Converged || math.Abs(got.Objective-want.Objective) > 1e-6*math.Abs(want.Objective) {
			t.Errorf("%v with %g, violation %g; want %g", got.Status, got.Objective, got.Violation, want.Objective)
		}
		if many, err := ccp.Multistart(context.Background(), p, 4, ccp.DefaultSettings()); err != nil || math.Abs(many.Objective-want.Objective) > 1e-6*math.Abs(want.Objective) {
			t.Errorf("from four starts: error %v, %g, want %g", err, many.Objective, want.Objective)
		}
	}
}

func draw(rng *rand.Rand, n int, lo, hi float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*rng.Float64()
	}
	return v
}
