//go:build !race

package dc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
)

// manyConstraints are constraints of one shape, in a model that makes one object of them,
// and in one that cannot as their names differ in the number of indices.
func manyConstraints(t *testing.T, make func(row func(n int) Expr) Expr, kind int) (joined, apart *Problem) {
	t.Helper()
	build := func(width func(k int) int) *Problem {
		r := rand.New(rand.NewPCG(uint64(kind), 3))
		m := NewModel()
		x := m.Var("x", []int{7}, AtLeast(-3), AtMost(3))
		m.Minimize(Sum(x))
		for k := range program.FewestMembers + 20 {
			row := randomRows(rand.New(rand.NewPCG(r.Uint64(), 1)), x, kind)
			e := make(row).Sub(make(row).Scale(0.5)).Add(row(1).At(0))
			m.SubjectTo(LE(e, Num(0)).Named("c", []int{k, 1}[:width(k)]...))
		}
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	return build(func(int) int { return 1 }), build(func(k int) int { return 1 + k%2 })
}

// TestMembers: constraints that differ in numbers are one object, and as such have the
// values, gradients, names and violations of constraints one by one.
func TestMembers(t *testing.T) {
	one := 0
	for name, make := range templates {
		for _, kind := range []int{0, 3, 6} {
			p, q := manyConstraints(t, make, kind)
			if p.Program().Constraints[0].Members() == nil {
				continue // of a function that is no member
			}
			one++
			if err := sameConstraints(p, q); err != nil {
				t.Errorf("%s, kind %d: %v", name, kind, err)
			}
		}
	}
	if one < 20 {
		t.Errorf("%d cases were made one object", one)
	}
}

func sameConstraints(p, q *Problem) error {
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 2 {
		x := make([]float64, 7)
		for k := range x {
			x[k] = float64(r.IntN(25)-12) / 4
			if round > 0 {
				x[k] = 6*r.Float64() - 3
			}
		}
		// bounds of rounding errors are of the same order, by other sums
		if a, b := p.Program().Violations(x), q.Program().Violations(x); a.Largest != b.Largest ||
			a.Relative != b.Relative || math.Abs(a.Excess-b.Excess) > 1e-12*b.Excess ||
			a.Where() != strings.Replace(b.Where(), ",1]", "]", 1) {
			return fmt.Errorf("violations %v, then %v", b, a)
		}
		values := make([]float64, len(p.Program().Constraints))
		m := p.Program().Constraints[0].Members()
		m.Values(values, x)
		for k := range p.Program().Constraints {
			c, d := &p.Program().Constraints[k], &q.Program().Constraints[k]
			e, f := c.Function(), d.Function()
			v := f.Value(x)
			if c.Value(x) != v || values[k] != v || e.Value(x) != v {
				return fmt.Errorf("%s at %v: %g, then %g, %g and %g", d.Name(), x, v, c.Value(x), values[k], e.Value(x))
			}
			if c.Name() != fmt.Sprintf("c[%d]", k) || c.Convex() != d.Convex() || !slices.Equal(c.Support(), d.Support()) {
				return fmt.Errorf("%s: convex %v, variables %v, then %v and %v", c.Name(), d.Convex(), d.Support(), c.Convex(), c.Support())
			}
			if err := sameWritten(c.Written(), &f, x); err != nil {
				return fmt.Errorf("%s at %v: %w", c.Name(), x, err)
			}
			if e.Over() != f.Over() {
				return fmt.Errorf("%s: range %v, then %v", c.Name(), f.Over(), e.Over())
			}
		}
		var err error
		tangents(m, x, func(k int, h float64, grad map[int]float64) {
			f := q.Program().Constraints[k].Function().H()
			want := make([]float64, 7)
			f.AddSubgrad(want, 1, x)
			for _, j := range f.Support() {
				if math.Abs(grad[j]-want[j]) > 1e-15*(1+math.Abs(want[j])) || h != f.Value(x) || len(grad) != len(f.Support()) {
					err = fmt.Errorf("c[%d] at %v: h is %g with gradient %v, then %g with %v", k, x, f.Value(x), want, h, grad)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sameWritten compares a member as a function with its expression.
func sameWritten(m program.Written, e *expr.Scalar, x []float64) error {
	g, want := make([]float64, len(x)), make([]float64, len(x))
	m.AddSubgrad(g, 2, x)
	e.AddSubgrad(want, 2, x)
	for j := range g {
		if math.Abs(g[j]-want[j]) > 1e-14*(1+math.Abs(want[j])) {
			return fmt.Errorf("gradient %v, then %v", want, g)
		}
	}
	if m.Value(x) != e.Value(x) || m.Size(x) != e.Size(x) || m.Smooth() != e.Smooth() ||
		!slices.Equal(m.Support(), e.Support()) {
		return fmt.Errorf("value %g, size %g, then %g, %g", e.Value(x), e.Size(x), m.Value(x), m.Size(x))
	}
	if a, b := m.Approx(x).Bound(), e.Approx(x).Bound(); !(a <= 2*b && b <= 2*a) {
		return fmt.Errorf("rounding errors %g, then %g", b, a)
	}
	return nil
}

// tangents calls each with h of each member at x, and its gradient by variable, where there are
// tangents.
func tangents(m *family.Members, x []float64, each func(k int, h float64, grad map[int]float64)) {
	t, ok := m.Tangent()
	if !ok {
		return
	}
	t.At(x, func(b *pass.Tangents) {
		for i, h := range b.H {
			grad := map[int]float64{}
			for c, g := range b.G {
				grad[int(graph.At(t.Of[c], b.Lo+i))] = g[i]
			}
			each(b.Lo+i, h, grad)
		}
	})
}

// TestMembersDefined: a variable that an equation defines leaves the members that have it.
func TestMembersDefined(t *testing.T) {
	m := NewModel()
	x := m.Var("x", []int{3}, AtLeast(-2), AtMost(2))
	s := m.Var("s", nil)
	m.Minimize(Sum(x))
	m.SubjectTo(EQ(s, Log(x.At(0))))
	for k := range program.FewestMembers {
		m.SubjectTo(GE(Norm2(x), s.Scale(float64(k))).Named("c", k))
	}
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for k := range p.Program().Constraints[2:] {
		c := &p.Program().Constraints[2+k]
		if c.Members() != nil || uses(c.Function(), 3) {
			t.Fatal(c.Name(), "still has the variable")
		}
	}
	if v := p.Program().Violations([]float64{-1, 1, 1, 0}); v.Largest == 0 {
		t.Error("log of a negative number breaks nothing")
	}
}

// distances are constraints that points of the plane keep apart, more of them than are watched near
// a point.
func distances(t *testing.T, of func(d Expr) Expr) *Problem {
	t.Helper()
	const points = 2*2*2*family.NearVariables + 10 // there are n(n−1)/2 constraints of 2n variables
	m := NewModel()
	c := m.Var("c", []int{points, 2})
	m.Minimize(SumSquares(c))
	for i := range points {
		for j := range i {
			m.SubjectTo(LE(Num(1+float64(i%3)/8), of(c.Row(i).Sub(c.Row(j)))).Named("apart", i, j))
		}
	}
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if k := p.Program().Constraints[0].Members(); k == nil || k.Plan.N < 2*family.NearVariables*p.NumVars() {
		t.Fatal("the constraints are no family of the size")
	}
	return p
}

// TestBroken: after steps of all lengths the members that are found broken, and their values, are
// those that values of all show.
func TestBroken(t *testing.T) {
	for name, of := range map[string]func(d Expr) Expr{
		"norm2":  func(d Expr) Expr { return Norm2(d) },
		"norm1":  func(d Expr) Expr { return Norm1(d).Scale(2) },
		"square": func(d Expr) Expr { return SumSquares(d) }, // has no Lipschitz constant
	} {
		p := distances(t, of)
		m := p.Program().Constraints[0].Members()
		rng := rand.New(rand.NewPCG(7, 7))
		x, values, some := make([]float64, p.NumVars()), make([]float64, m.Plan.N), 0
		for j := range x {
			x[j] = 12 * rng.NormFloat64()
		}
		for round := range 60 {
			var numbers []int
			m.Broken(x, func(k int, v float64) {
				if numbers = append(numbers, k); v != p.Program().Constraints[k].Value(x) && !math.IsNaN(v) {
					t.Errorf("%s: %s is %g, not %g", name, p.Program().Constraints[k].Name(), v, p.Program().Constraints[k].Value(x))
				}
			})
			m.Values(values, x)
			var want []int
			for k, v := range values {
				if !(v <= 0) {
					want = append(want, k)
				}
			}
			if !slices.Equal(numbers, want) {
				t.Fatalf("%s, round %d: %v are broken, found are %v", name, round, want, numbers)
			}
			some += len(want)
			for j := range x {
				x[j] += math.Pow(10, float64(round%5)-4) * rng.NormFloat64()
			}
			if round == 50 {
				x[3] = math.NaN()
			}
		}
		if known := len(m.Known.Free); some == 0 || (known == 0) != (name == "square") {
			t.Errorf("%s: %d broken, %d points are known", name, some, known)
		}
	}
}

// TestNear: members that are not near hold within the reach, and so do their tangents.
func TestNear(t *testing.T) {
	p := distances(t, func(d Expr) Expr { return Norm2(d) })
	m := p.Program().Constraints[0].Members()
	rng := rand.New(rand.NewPCG(8, 8))
	draw := func(around []float64, size float64) []float64 {
		x := make([]float64, p.NumVars())
		for j := range x {
			x[j] = size * (2*rng.Float64() - 1)
			if around != nil {
				x[j] += around[j]
			}
		}
		return x
	}
	for range 5 {
		x := draw(nil, 30)
		const most = 2000
		list, reach, reaches, ok := m.Near(x, most)
		if !ok || len(list) == 0 || len(list) > most || !slices.IsSorted(list) || !(reach > 0) {
			t.Fatalf("%d members are near, reach %g", len(list), reach)
		}
		z := draw(x, reach/2)
		y := draw(z, reach/2)
		if d := num.DistInf(x, z) + num.DistInf(z, y); d > reach {
			t.Fatalf("%g is beyond the reach %g", d, reach)
		}
		tangents(m, z, func(k int, h float64, grad map[int]float64) {
			if _, in := slices.BinarySearch(list, int32(k)); in {
				return
			}
			v := m.Affine(k).Value(y) - h
			for j, g := range grad {
				v -= g * (y[j] - z[j])
			}
			if e := p.Program().Constraints[k].Value(z); v > 0 || e > 0 {
				t.Errorf("%s is %g, its tangent %g", p.Program().Constraints[k].Name(), e, v)
			}
		})
		moved := make([]float64, len(x)) // some variables by far more than the reach
		for j := range x {
			z[j] = x[j] + reach*math.Pow(10, 2*rng.Float64()-1)*(2*rng.Float64()-1)
			y[j] = z[j] + reach*math.Pow(10, 2*rng.Float64()-1)*(2*rng.Float64()-1)
			moved[j] = math.Abs(z[j]-x[j]) + math.Abs(y[j]-z[j])
		}
		beyond := m.Beyond(reaches, moved)
		if !slices.IsSorted(beyond) || len(beyond) == 0 || len(beyond) == m.Plan.N {
			t.Errorf("%d of %d members may be broken", len(beyond), m.Plan.N)
		}
		tangents(m, z, func(k int, h float64, grad map[int]float64) {
			if _, in := slices.BinarySearch(beyond, int32(k)); in {
				return
			}
			v := m.Affine(k).Value(y) - h
			for j, g := range grad {
				v -= g * (y[j] - z[j])
			}
			if e := p.Program().Constraints[k].Value(z); v > 0 || e > 0 {
				t.Errorf("%s is within reach: %g, its tangent %g", p.Program().Constraints[k].Name(), e, v)
			}
		})
		part := m.Part(list)
		values, all := make([]float64, len(list)), make([]float64, m.Plan.N)
		part.Values(values, y)
		m.Values(all, y)
		for i, k := range list {
			if values[i] != all[k] || !slices.Equal(part.Support(i), m.Support(int(k))) {
				t.Fatalf("member %d of the part is %g, not %g", i, values[i], all[k])
			}
		}
	}
}

// uses reports whether the affine part of the split has a variable.
func uses(e expr.Scalar, j int) bool { return slices.Contains(e.Split().Lin.Idx, j) }
