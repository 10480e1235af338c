package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc"
)

// again makes e from what it says of itself.
func again(e dc.Expr) dc.Expr {
	affine, terms := e.Scalar().Written()
	out := []dc.Expr{dc.FromLinear(affine)}
	for _, t := range terms {
		var args []dc.Expr
		for _, a := range dc.Args(&t.Node) {
			if a.Plain() {
				args = append(args, a)
				continue
			}
			es := make([]dc.Expr, a.Len())
			for k := range es {
				es[k] = again(a.Entry(k))
			}
			args = append(args, dc.Stack(es...).Reshape(a.Shape()...))
		}
		out = append(out, dc.Apply(t.Node.Op(), t.Node.Data(), args...).Scale(t.Weight))
	}
	return dc.Sum(out...)
}

// TestWrittenIsApplied: every atom, and its negative, is made again from its node
// and is the same function then.
func TestWrittenIsApplied(t *testing.T) {
	for _, s := range samples {
		_, a := argument(dc.NewModel())
		e := s.make(a)
		for _, e := range []dc.Expr{e, e.Neg(), e.Scale(2.5).Add(a.At(0))} {
			_, terms := e.Scalar().Written()
			for _, u := range terms {
				if s.oracle {
					if u.Node.Op() != "blackbox" || dc.Apply("blackbox", nil, dc.Args(&u.Node)...).Err() == nil {
						t.Errorf("%s: a black box is not seen to be one", s.atom)
					}
				} else if !slices.Contains(dc.Ops(), u.Node.Op()) {
					t.Errorf("%s: nobody knows the op %q", s.atom, u.Node.Op())
				}
			}
			if s.oracle {
				continue
			}
			f := again(e)
			if err := f.Err(); err != nil {
				t.Errorf("%s: %v", s.atom, err)
				continue
			}
			if d := e.Sub(f); !d.IsConst() || d.Value(nil) != 0 {
				t.Errorf("%s: made again, it is another function", s.atom)
			}
			if e.IsConvex() != f.IsConvex() || e.IsConcave() != f.IsConcave() {
				t.Errorf("%s: made again, it has another curvature", s.atom)
			}
		}
	}
}

// TestWrittenCalculus: so are functions of functions, as far as values go; the
// same functions but where an atom is a name for others, as of one entry.
func TestWrittenCalculus(t *testing.T) {
	m := dc.NewModel()
	v := m.Var("v", []int{3})
	w := m.Var("w", []int{2}, dc.AtLeast(1), dc.AtMost(2))
	x, y, z := v.At(0), v.At(1), v.At(2)
	rng := rand.New(rand.NewPCG(1, 2))
	for name, e := range map[string]dc.Expr{
		"product of sums":   dc.Mul(dc.Abs(x).Add(y), dc.Norm1(v).Sub(dc.Abs(z))),
		"square of DC":      dc.Square(dc.Abs(x).Sub(dc.Abs(y))),
		"max of DC":         dc.Max(dc.Abs(x).Sub(dc.Abs(y)), z, dc.Abs(z).Neg().Add(x)),
		"smallest of two":   dc.Sum(dc.Abs(x), dc.Abs(y), dc.Abs(z), dc.SumLargest(dc.Stack([]dc.Expr{dc.Abs(x), dc.Abs(y), dc.Abs(z)}...), 2).Neg()),
		"largest of DC":     dc.SumLargest(dc.Stack([]dc.Expr{dc.Abs(x).Sub(dc.Abs(y)), z, dc.Abs(z)}...), 2),
		"cube":              dc.Power(x, 3),
		"fifth power":       dc.Power(dc.Norm1(v).Add(dc.Num(1)), 5),
		"sixth power":       dc.Power(y, 6),
		"root":              dc.Sqrt(dc.GeoMean(w)),
		"root of DC":        dc.Sqrt(dc.Mul(w.At(0), w.At(1))),
		"log of DC":         dc.Log(dc.Mul(w.At(0), w.At(1)).Add(dc.Num(1))),
		"exp of DC":         dc.Exp(dc.Mul(w.At(0), w.At(1))),
		"norm of norms":     dc.Norm2(dc.Stack([]dc.Expr{dc.Abs(x), dc.Norm1(v)}...)),
		"p-norm of norms":   dc.NormP(dc.Stack([]dc.Expr{dc.Abs(x), dc.Norm1(v)}...), 3),
		"huber of norms":    dc.Huber(dc.Stack([]dc.Expr{dc.Abs(x), dc.Norm1(v)}...), 2),
		"lse of convex":     dc.LogSumExp(dc.Stack([]dc.Expr{dc.Abs(x), y}...)),
		"quotient":          dc.QuadOverLin(dc.Stack([]dc.Expr{dc.Abs(x), dc.Norm1(v)}...), dc.GeoMean(w)),
		"mean of means":     dc.GeoMean(dc.Stack([]dc.Expr{dc.GeoMean(w), w.At(1)}...)),
		"mean of one":       dc.GeoMean(dc.Stack([]dc.Expr{dc.GeoMean(w)}...)),
		"weighted mean":     dc.WeightedGeoMean(dc.Stack([]dc.Expr{dc.GeoMean(w), w.At(1)}...), []float64{1, 2}),
		"largest of norms":  dc.SumLargest(dc.Stack([]dc.Expr{dc.Abs(x), dc.Norm1(v), z}...), 2),
		"log of an inverse": dc.Log(dc.InvPos(w.At(0))),
		"nested":            dc.Abs(dc.Min(dc.Abs(dc.Max(x, y.Neg()).Sub(dc.Num(1))), dc.Pos(z))),
		"twice max":         dc.Max(dc.Max(dc.Abs(x), y), dc.Max(dc.Abs(z), dc.Norm2(v).Scale(2).Sub(dc.Num(3)))),
	} {
		f := again(e)
		if e.Err() != nil || f.Err() != nil {
			t.Errorf("%s: %v, %v", name, e.Err(), f.Err())
			continue
		}
		if e.IsConvex() != f.IsConvex() || e.IsConcave() != f.IsConcave() {
			t.Errorf("%s: made again, it has another curvature", name)
		}
		if d := e.Sub(f); name != "mean of one" && (!d.IsConst() || d.Value(nil) != 0) {
			t.Errorf("%s: made again, it is another function", name)
		}
		p := make([]float64, 5)
		for range 20 {
			for k := range p {
				p[k] = 3 * rng.NormFloat64()
				if k >= 3 {
					p[k] = 1 + rng.Float64()
				}
			}
			if a, b := e.Value(p), f.Value(p); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
				t.Errorf("%s: %g and, made again, %g", name, a, b)
			}
		}
		if err := checkOwner(m, f); err != nil {
			t.Errorf("%s: made again, it is %v", name, err)
		}
	}
}

// checkOwner refuses a function that does not belong to the model.
func checkOwner(m *dc.Model, e dc.Expr) error {
	m.Maximize(e)
	if _, err := m.Problem(context.Background()); err != nil {
		return err
	}
	other := dc.NewModel()
	other.Var("v", []int{5})
	other.Maximize(e)
	if _, err := other.Problem(context.Background()); err == nil {
		return errNobody
	}
	return nil
}

var errNobody = dc.Apply("nobody's", nil, dc.Num(1)).Err()

// TestApplyRefuses: what cannot be made is refused with the reason.
func TestApplyRefuses(t *testing.T) {
	x := dc.NewModel().Var("x", []int{2})
	one, two := x.At(0), x
	square := dc.Square(x.At(0))
	for _, c := range []struct {
		op   string
		data []float64
		args []dc.Expr
		want string
	}{
		{"", nil, nil, "no atom"}, {"gauss", nil, []dc.Expr{one}, `no atom "gauss"`},
		{"exp", nil, nil, "0 arguments"}, {"exp", nil, []dc.Expr{one, one}, "2 arguments, want 1"},
		{"exp", []float64{1}, []dc.Expr{one}, "1 numbers, want 0"},
		{"max", nil, nil, "want one or more"}, {"power", nil, []dc.Expr{one}, "0 numbers"}, {"power", []float64{math.NaN()}, []dc.Expr{one}, "power NaN"},
		{"pos_power", []float64{0.5}, []dc.Expr{one}, "exponent > 1"}, {"huber", []float64{-1}, []dc.Expr{two}, "threshold"},
		{"sumlargest", []float64{1.5}, []dc.Expr{two}, "count 1.5"}, {"sumlargest", []float64{3}, []dc.Expr{two}, "3 largest of 2"},
		{"sumsmallest", []float64{-1}, []dc.Expr{two}, "3 largest of 2"}, {"sumsmallest", []float64{.5}, []dc.Expr{two}, "count"},
		{"quad", []float64{1}, []dc.Expr{two}, "1 numbers"}, {"quad", []float64{1, 2, 3, 4}, []dc.Expr{two}, "mirror"},
		{"kl", nil, []dc.Expr{one, square}, "affine"}, {"logdet", nil, []dc.Expr{two}, "square matrix"}, {"lambda_sumlargest", []float64{.5}, []dc.Expr{one}, "count"},
		{"quadoverlin", nil, []dc.Expr{one, two}, "last argument"},
		{"wgeomean", []float64{1}, []dc.Expr{two}, "2 entries with 1 weights"},
		{"cost", nil, []dc.Expr{one, one}, "AddCost"}, {"blackbox", nil, []dc.Expr{one}, "no atom"},
	} {
		if err := dc.Apply(c.op, c.data, c.args...).Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.op, c.data, err, c.want)
		}
	}
}
