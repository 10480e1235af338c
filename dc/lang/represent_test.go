package lang

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
	"gonum.org/v1/gonum/mat"
)

// canon is a dc.Canon over plain lists, for functions of variables that are held
// at a point.
type canon struct {
	cols   int
	a      sparse.Triplets
	lo, hi []float64
	cones  []qpbackend.Cone
	forms  map[convex.Representer]convex.Form
	at     []float64
}

func (c *canon) Var() int { c.cols++; return c.cols - 1 }

func (c *canon) Row(l convex.Linear, lo, hi float64) {
	for k, j := range l.Idx {
		c.a.Add(len(c.lo), j, l.Val[k])
	}
	c.lo, c.hi = append(c.lo, lo-l.Const), append(c.hi, hi-l.Const)
}

func (c *canon) Tangent(a convex.Linear, h convex.Func) {
	grad := make([]float64, len(c.at))
	h.AddSubgrad(grad, 1, c.at)
	l := convex.Linear{Const: h.Value(c.at)}
	for j, v := range grad {
		l.Idx, l.Val, l.Const = append(l.Idx, j), append(l.Val, v), l.Const-v*c.at[j]
	}
	c.Row(a.AddScaled(-1, l), math.Inf(-1), 0)
}

func (c *canon) Cone(k convex.Cone) {
	c.cones = append(c.cones, qpbackend.Cone{Kind: qpbackend.ConeKind(k.Kind), Start: len(c.lo), Len: len(k.Rows), Alpha: k.Alpha})
	for _, l := range k.Rows {
		c.Row(l, 0, math.Inf(1))
	}
}

func (c *canon) Form(f convex.Representer) convex.Form {
	if l, ok := f.(convex.Linear); ok {
		return convex.Form{Linear: l}
	}
	form, ok := c.forms[f]
	if !ok {
		form = f.Represent(c)
		all := form.Least
		form.Least = nil
		for _, l := range all {
			chosen := make([]bool, l.Sums*l.Of)
			l.Choose(c.at, chosen)
			for k, ok := range chosen {
				if ok {
					form = form.AddScaled(l.Weight, l.Item(k/l.Of, k%l.Of))
				}
			}
		}
		c.forms[f] = form
	}
	return form
}

// Bound has a cone ‖(t − 1, 2√w·Ra)‖ ≤ t + 1 for what is quadratic, Q = RᵀR.
func (c *canon) Bound(f convex.Representer) convex.Linear {
	form := c.Form(f)
	if len(form.Quad) == 0 {
		return form.Linear
	}
	t, one := convex.Linear{Idx: []int{c.Var()}, Val: []float64{1}}, convex.Linear{Const: 1}
	rows := []convex.Linear{t.AddScaled(1, one), t.AddScaled(-1, one)}
	for _, q := range form.Quad {
		a := q.Arg
		if q.Q != nil {
			var eig mat.EigenSym
			var v mat.Dense
			eig.Factorize(q.Q, true)
			eig.VectorsTo(&v)
			root := eig.Values(nil)
			for k, λ := range root {
				root[k] = math.Sqrt(max(λ, 0))
			}
			v.Mul(&v, mat.NewDiagDense(len(root), root))
			a = a.LeftMul(v.T(), 1, []int{a.Len()})
		}
		for k := range a.Len() {
			rows = append(rows, a.Linear(k).Scale(2*math.Sqrt(q.Weight)))
		}
	}
	c.Cone(convex.Cone{Kind: convex.SecondOrderCone, Rows: rows})
	return form.Linear.AddScaled(1, t)
}

// least is the least value of the representation at a point, with tangents at
// from.
func least(t *testing.T, f convex.Representer, from, at []float64) qpbackend.Result {
	t.Helper()
	c := canon{cols: len(at), forms: map[convex.Representer]convex.Form{}, at: from}
	l := c.Bound(f)
	for j, v := range at {
		c.Row(convex.Linear{Idx: []int{j}, Val: []float64{1}}, v, v)
	}
	p := &qpbackend.Problem{Q: make([]float64, c.cols), R: l.Const, L: c.lo, U: c.hi, Cones: c.cones}
	p.A, _ = c.a.CSC(len(c.lo), c.cols)
	for k, j := range l.Idx {
		p.Q[j] += l.Val[k]
	}
	b := ipm.Backend{}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	return res
}

// majorised is the g of a problem as it is solved.
const majorised = "g with majorants"

// TestTreesAreRepresented: for random expressions the least value of the
// representation of g, and of h, is their value; that of a majorant is its value
// where it touches, and no less elsewhere. DCOPT_TREES is the number of
// expressions.
func TestTreesAreRepresented(t *testing.T) {
	rounds := 2500
	if s := os.Getenv("DCOPT_TREES"); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		rounds /= 20
	}
	lim := eval.Limits{Entries: 1 << 12, Vars: 1 << 11, Work: 1 << 20, Pieces: 1 << 6, Parts: 1 << 6}
	r := randomExpr{rand.New(rand.NewPCG(11, 12))}
	compared, unsolved, touched := 0, 0, 0
	for round := range rounds {
		src := r.scalar(1 + r.IntN(4))
		f, err := Parse("vars.dc", []byte(treeMatrix+"var y, x[3], z[2,3], w[2,2] symmetric\nminimize "+src))
		if err != nil {
			t.Fatal(err)
		}
		p, err := compile(context.Background(), f, Options{}, lim)
		if err != nil || p.Objective.Curvature <= Affine {
			continue
		}
		e, exact := p.Problem.Program().Objective, p.Problem.Exact().Program().Objective
		for _, c := range []convexPart{{"g", exact.G(), nil}, {"h", exact.H(), nil}, {majorised, e.G(), nil}} {
			name, part, at := c.name, c.f, gridPoint(r.Rand)
			if name == majorised && p.Problem == p.Problem.Exact() {
				continue
			}
			if name == "h" && (needBounds.MatchString(src) || !exact.IsDC()) { // it may have values alone
				continue
			}
			c.grad = make([]float64, coordinates)
			want, ok := c.inside(at)
			if !ok || len(part.Support()) == 0 || abs(want) > 1e3 {
				continue
			}
			from := at
			if name == majorised && round%2 == 0 {
				from = gridPoint(r.Rand)
				if _, ok := c.inside(from); !ok {
					continue
				}
			}
			res := least(t, part.(convex.Representer), from, at)
			if res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
				unsolved++
				t.Logf("round %d: %s\n%s at %v: %v %s", round, src, name, at, res.Status, res.Message)
				continue
			}
			compared++
			if name == majorised {
				touched++
			}
			if &from[0] != &at[0] {
				if res.Objective < want-1e-5*(1+abs(want)) {
					t.Errorf("round %d: %s\nthe majorant at %v is %.9g, below the value %.9g at %v", round, src, from, res.Objective, want, at)
				}
				continue
			}
			if !(abs(res.Objective-want) <= 1e-5*(1+abs(want))) {
				t.Errorf("round %d: %s\n%s is %.9g, its representation %.9g at %v", round, src, name, want, res.Objective, at)
			}
		}
	}
	t.Logf("%d parts compared, %d of them majorants, %d not solved", compared, touched, unsolved)
	if compared < rounds/4 || touched < rounds/150 || unsolved > compared/50 {
		t.Errorf("%d parts compared, %d of them majorants, %d not solved", compared, touched, unsolved)
	}
}
