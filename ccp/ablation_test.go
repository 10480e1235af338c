//go:build !race

package ccp_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
)

// worth is a problem that shows what a heuristic does.
type worth struct {
	problem *dc.Problem
	base    func(*ccp.Settings) // beside plainly, without the heuristic
	starts  int
	// wrong says what is, of the results without and with it.
	wrong func(off, on *ccp.Result) bool
}

func sameButFewer(factor float64) func(off, on *ccp.Result) bool {
	return func(off, on *ccp.Result) bool {
		return on.Objective > off.Objective+1e-6 || float64(on.Iterations)*factor > float64(off.Iterations)
	}
}

// worse: what searches find on a packing is a matter of luck; it is measured, and no loss.
func worse(off, on *ccp.Result) bool { return on.Objective > off.Objective+1e-6 }

func worths(t testing.TB) map[string]worth {
	return map[string]worth{
		"LineSearch": {slowDescent(t), nil, 1, sameButFewer(2)},
		"Newton":     {circle(t), func(s *ccp.Settings) { s.Tau0, s.TauRelative, s.Tol, s.MaxIter = 20, false, 1e-7, 2000 }, 1, sameButFewer(2)},
		"Coordinates": {wrongBits(t), func(s *ccp.Settings) { s.Tau0 = 10 }, 1, func(off, on *ccp.Result) bool { // too heavy a price to move
			want := 1e-3 * 2 * (0.49 + 0.64 + 0.81)
			return math.Abs(on.Objective-want) > 1e-7 || off.Objective < want+1e-4
		}},
		"Decisions": {phases(t), nil, 1, func(off, on *ccp.Result) bool { return off.Objective < 1 || on.Objective > 1e-6 }},
		"Descents":  {layers(t), nil, 1, func(off, on *ccp.Result) bool { return off.Objective < 0.05 || on.Objective > off.Objective/2 }},
		"Hops":      {packing(t, radii(9, 2)), nil, 1, worse},
		"Vary":      {packing(t, radii(9, 5)), nil, 16, worse},
	}
}

// phases is a parabola known up to multiples of 2, to be found by its third differences.
func phases(t testing.TB) *dc.Problem {
	const n, most = 12, 12
	m := dc.NewModel()
	x := m.Var("x", []int{n}, dc.StartAt(make([]float64, n)...))
	var cost []dc.Expr
	for i := range n {
		known := math.Mod(0.3*float64(i*i), 2)
		var all []dc.Expr
		for k := -most; k <= most; k++ {
			all = append(all, dc.Square(x.At(i).Sub(dc.Num(known+float64(2*k)))))
		}
		cost = append(cost, dc.Min(all...))
		if i >= 3 {
			cost = append(cost, dc.Square(dc.Sum(x.At(i), x.At(i-1).Scale(-3), x.At(i-2).Scale(3), x.At(i-3).Neg())).Scale(5))
		}
	}
	m.Minimize(dc.Sum(cost...))
	return build(t, m)
}

// layers is the fit of a sum of two kinks less one to the values of such a function, by
// squares, from a start at which all kinks are alike.
func layers(t testing.TB) *dc.Problem {
	m := dc.NewModel()
	a := m.Var("a", []int{3}, dc.StartAt(1, 1, 1))
	b := m.Var("b", []int{3}, dc.StartAt(0, 0, 0))
	var cost []dc.Expr
	for i := -10; i <= 10; i++ {
		u := 0.3 * float64(i)
		y := max(0, 2*u-1) + max(0, -u-1) - max(0, u+0.5)
		kink := func(k int) dc.Expr { return dc.Pos(a.At(k).Scale(u).Add(b.At(k))) }
		cost = append(cost, dc.Square(dc.Sum(kink(0), kink(1), kink(2).Neg(), dc.Num(-y))))
	}
	m.Minimize(dc.Sum(cost...))
	return build(t, m)
}

// counter counts iterations.
type counter struct{ n *int }

func (c counter) Record(ccp.Iteration) error {
	*c.n++
	return nil
}

// slowDescent is ½Σ qⱼxⱼ² split with g = 50‖x‖², on which the plain procedure is gradient
// descent with a step that is much too short. The h is a black box: as squares, the
// whole would be known as convex.
func slowDescent(t testing.TB) *dc.Problem {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.StartAt(1, 1, 1))
	m.Minimize(dc.SumSquares(x).Scale(50).Sub(dc.BlackBox("squares", weighted{49, 48.75, 48}, x)))
	return build(t, m)
}

// weighted is the sum of wₖuₖ².
type weighted []float64

func (w weighted) Value(u []float64) float64 {
	v := 0.0
	for k, x := range u {
		v += w[k] * x * x
	}
	return v
}

func (w weighted) AddSubgrad(dst []float64, scale float64, u []float64) {
	for k, x := range u {
		dst[k] += 2 * scale * w[k] * x
	}
}

// circle leads from one side of a circle, given as an equation, to the other.
func circle(t testing.TB) *dc.Problem {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.StartAt(0.1, 1))
	m.Minimize(x.At(0).Scale(0.3).Add(x.At(1)))
	m.SubjectTo(dc.EQ(dc.SumSquares(x), dc.Num(1)).Named("circle"))
	return build(t, m)
}

// wrongBits is boolean least squares whose every entry starts wrong.
func wrongBits(t testing.TB) *dc.Problem {
	m := dc.NewModel()
	x := m.Var("x", []int{6}, dc.AtLeast(-1), dc.AtMost(1), dc.StartAt(-1))
	target := []float64{0.3, 0.2, 0.1, 0.3, 0.2, 0.1}
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec(target))).Scale(1e-3))
	for j := range 6 {
		m.SubjectTo(dc.GE(dc.Square(x.At(j)), dc.Num(1)).Named("bit", j+1))
	}
	return build(t, m)
}

// TestHeuristicsAreWorthIt measures each field of the Acceleration and of the Search of
// Settings.Heuristics, without which there is a result too, on a problem that shows what it is for.
// A field without such a problem fails.
func TestHeuristicsAreWorthIt(t *testing.T) {
	all := worths(t)
	for _, group := range []string{"Acceleration", "Search"} {
		of := reflect.TypeFor[heuristic.Switches]()
		fields, ok := of.FieldByName(group)
		if !ok {
			t.Fatalf("there is no Heuristics.%s", group)
		}
		for i := range fields.Type.NumField() {
			name := fields.Type.Field(i).Name
			w, ok := all[name]
			if !ok {
				t.Errorf("Heuristics.%s.%s has no problem in worths", group, name)
				continue
			}
			delete(all, name)
			result := func(on bool) *ccp.Result {
				set := ccp.DefaultSettings()
				value := reflect.ValueOf(set.Heuristics).FieldByName(group).Field(i)
				plainly(&set)
				set.Heuristics.Search.Vary = false
				if w.base != nil {
					w.base(&set)
				}
				if on {
					reflect.ValueOf(&set.Heuristics).Elem().FieldByName(group).Field(i).Set(value)
				}
				total := 0
				set.Recorder = counter{&total}
				res, err := ccp.Multistart(context.Background(), w.problem, w.starts, set)
				if err != nil || on && res.Status != ccp.Converged {
					t.Fatalf("%s: %v, %v", name, res.Status, err)
				}
				res.Iterations = total // of all starts
				return res
			}
			off, on := result(false), result(true)
			t.Logf("%-13s without: %.6g in %d iterations, with: %.6g in %d", name, off.Objective, off.Iterations, on.Objective, on.Iterations)
			if w.wrong(off, on) {
				t.Errorf("%s is not worth it: %g in %d iterations without, %g in %d with", name, off.Objective, off.Iterations, on.Objective, on.Iterations)
			}
		}
	}
	for name := range all {
		t.Errorf("worths has %s, which is no setting", name)
	}
}
