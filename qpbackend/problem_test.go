package qpbackend_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

func TestValidateNamesTheFault(t *testing.T) {
	nan := math.NaN()
	cone := func(c ...qpbackend.Cone) func(p *qpbackend.Problem) {
		return func(p *qpbackend.Problem) { p.Cones, p.L = c, []float64{0, 0, 0} }
	}
	for _, c := range []struct {
		spoil func(p *qpbackend.Problem)
		want  string
	}{
		{func(p *qpbackend.Problem) { p.P.Val[0] = nan }, "P: sparse: entry (0, 0) is NaN"},
		{func(p *qpbackend.Problem) { p.P = sparse.Identity(3) }, "P is 3 × 3, q has length 2"},
		{func(p *qpbackend.Problem) { p.P = matrix([]float64{1, 1}, []float64{1, 1}) }, "below the diagonal"},
		{func(p *qpbackend.Problem) { p.A = nil }, "3 rows but no matrix A"},
		{func(p *qpbackend.Problem) { p.A.Val[1] = inf }, "A: sparse: entry (1, 0) is +Inf"},
		{func(p *qpbackend.Problem) { p.A.RowIdx[0] = 9 }, "row index 9"},
		{func(p *qpbackend.Problem) { p.A = sparse.Identity(2) }, "A is 2 × 2, want 3 × 2"},
		{func(p *qpbackend.Problem) { p.Q[1] = nan }, "q[1] is NaN"},
		{func(p *qpbackend.Problem) { p.Q[0] = -inf }, "q[0] is -Inf"},
		{func(p *qpbackend.Problem) { p.R = nan }, "r is NaN"},
		{func(p *qpbackend.Problem) { p.U = p.U[:2] }, "l has length 3, u 2"},
		{func(p *qpbackend.Problem) { p.L[1] = nan }, "row 1 has bounds NaN"},
		{func(p *qpbackend.Problem) { p.U[2] = nan }, "row 2 has bounds"},
		{func(p *qpbackend.Problem) { p.L[0] = 4 }, "row 0 has bounds 4 and 3"},
		{func(p *qpbackend.Problem) { p.L[1] = 1e20 }, "row 1 has bounds 1e+20 and +Inf, which no point meets"},
		{func(p *qpbackend.Problem) { p.U[0] = -inf }, "row 0 has bounds -Inf and -Inf"},
		{cone(qpbackend.Cone{Kind: 77, Len: 1}), "cone 0: unknown kind ConeKind(77)"},
		{cone(qpbackend.Cone{Start: -1, Len: 1}), "cone 0 covers rows -1 to 0"},
		{cone(qpbackend.Cone{Len: 0}), "cone 0 covers rows 0 to 0"},
		{cone(qpbackend.Cone{Len: 2}, qpbackend.Cone{Start: 1, Len: 1}), "cone 1 covers rows 1 to 2"},
		{cone(qpbackend.Cone{Start: 2, Len: 2}), "within 3 rows"},
		{cone(qpbackend.Cone{Kind: qpbackend.Exponential, Len: 2}), "the exponential cone has 3 rows, not 2"},
		{cone(qpbackend.Cone{Kind: qpbackend.Power, Len: 3, Alpha: nan}), "α = NaN"},
		{cone(qpbackend.Cone{Kind: qpbackend.Semidefinite, Len: 2}), "2 rows are no triangle"},
		{func(p *qpbackend.Problem) {
			p.Cones = []qpbackend.Cone{{Start: 1, Len: 2}}
			p.L[2] = -1e20
		}, "l[2] = -1e+20 on a row of a cone"},
	} {
		p := corner()
		c.spoil(p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	good := []func(p *qpbackend.Problem){
		func(p *qpbackend.Problem) {},
		func(p *qpbackend.Problem) { p.P = nil },
		func(p *qpbackend.Problem) { p.A, p.L, p.U = nil, nil, nil },
		cone(qpbackend.Cone{Kind: qpbackend.Semidefinite, Len: 3}),
		cone(qpbackend.Cone{Kind: qpbackend.Power, Len: 3, Alpha: 0.3}),
		func(p *qpbackend.Problem) { // U is not looked at on the rows of a cone
			p.Cones, p.L, p.U = []qpbackend.Cone{{Start: 1, Len: 2}}, []float64{-inf, 1, 1}, []float64{3, nan, 0}
		},
	}
	for k, f := range good {
		p := corner()
		f(p)
		if err := p.Validate(); err != nil {
			t.Errorf("good problem %d: %v", k, err)
		}
	}
}

func TestApply(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		u    qpbackend.Update
		want string // "" for none
	}{
		{qpbackend.Update{}, ""},
		{qpbackend.Update{Q: []float64{1, 2}}, ""},
		{qpbackend.Update{L: []float64{-9, -9, -9}, U: []float64{-8, -8, -8}}, ""},
		{qpbackend.Update{P: []float64{1, 0, 1}, A: []float64{1, 2, 3, 4, 5, 6}}, ""},
		{qpbackend.Update{Q: []float64{1}}, "update of q has length 1, want 2"},
		{qpbackend.Update{L: []float64{}}, "update of l has length 0, want 3"},
		{qpbackend.Update{U: []float64{1, 2, 3, 4}}, "update of u has length 4, want 3"},
		{qpbackend.Update{P: []float64{1}}, "update of P has length 1, want 3"},
		{qpbackend.Update{A: []float64{1}}, "update of A has length 1, want 6"},
		{qpbackend.Update{Q: []float64{nan, 0}}, "update of q[0] is NaN"},
		{qpbackend.Update{Q: []float64{1, 1}, P: []float64{1, inf, 1}}, "update of P[1] is +Inf"},
		{qpbackend.Update{Q: []float64{1, 1}, A: []float64{1, 2, 3, 4, 5, nan}}, "update of A[5] is NaN"},
		{qpbackend.Update{Q: []float64{1, 1}, L: []float64{9, 0, 0}}, "row 0 has bounds 9 and 3"},
		{qpbackend.Update{A: []float64{1, 2, 3, 4, 5, 6}, U: []float64{3, -2, 3}}, "row 1 has bounds -1 and -2"},
		{qpbackend.Update{Q: []float64{1, 1}, L: []float64{nan, 0, 0}}, "row 0 has bounds NaN"},
	} {
		p := corner()
		before := p.Clone()
		err := p.Apply(c.u)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if !reflect.DeepEqual(p, before) {
				t.Errorf("%q: the problem has changed", c.want)
			}
			continue
		}
		if err != nil {
			t.Error(err)
		}
		for _, f := range []struct {
			name             string
			got, sent, stood []float64
		}{
			{"q", p.Q, c.u.Q, before.Q}, {"l", p.L, c.u.L, before.L}, {"u", p.U, c.u.U, before.U},
			{"P", p.P.Val, c.u.P, before.P.Val}, {"A", p.A.Val, c.u.A, before.A.Val},
		} {
			want := f.sent
			if want == nil {
				want = f.stood
			}
			if !slices.Equal(f.got, want) {
				t.Errorf("%s is %v, want %v", f.name, f.got, want)
			}
		}
	}
	// Without matrices, an empty update of them is right and another is not.
	p := &qpbackend.Problem{Q: []float64{1}}
	if err := p.Apply(qpbackend.Update{P: []float64{}, A: []float64{}}); err != nil {
		t.Error(err)
	}
	if err := p.Apply(qpbackend.Update{P: []float64{1}}); err == nil {
		t.Error("a value for a P without entries is accepted")
	}
}

func TestCloneIsDeep(t *testing.T) {
	p := corner()
	p.Cones = []qpbackend.Cone{{Start: 1, Len: 2}}
	c := p.Clone()
	if !reflect.DeepEqual(p, c) {
		t.Fatal("the clone differs")
	}
	c.P.Val[0], c.A.Val[0], c.Q[0], c.L[0], c.U[0], c.Cones[0].Len = 9, 9, 9, 9, 9, 9
	want := corner()
	want.Cones = []qpbackend.Cone{{Start: 1, Len: 2}}
	if !reflect.DeepEqual(p, want) {
		t.Error("changing the clone changes the problem")
	}
}

func TestObjectiveAgainstDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 50 {
		n := 1 + rng.IntN(6)
		full := make([][]float64, n)
		p := &qpbackend.Problem{R: rng.NormFloat64()}
		x := make([]float64, n)
		for i := range n {
			full[i] = make([]float64, n)
			p.Q = append(p.Q, rng.NormFloat64())
			x[i] = rng.NormFloat64()
		}
		want := p.R
		for i := range n {
			for j := range i + 1 {
				full[i][j] = rng.NormFloat64()
				full[j][i] = full[i][j]
			}
		}
		p.P = upper(full...)
		for i := range n {
			want += p.Q[i] * x[i]
			for j := range n {
				want += x[i] * full[i][j] * x[j] / 2
			}
		}
		if got := p.Objective(x); math.Abs(got-want) > 1e-12 {
			t.Fatalf("objective %g, want %g", got, want)
		}
	}
}
