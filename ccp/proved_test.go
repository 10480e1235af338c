package ccp

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp/internal/search"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
)

// TestProved: the bound that multipliers give holds for solutions of any accuracy, and
// vanishes with it; a descent that it proves optimal is not searched around.
func TestProved(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for seed := range 20 {
		a, b := mat.NewDense(9, 6, nil), make([]float64, 9)
		for i := range 9 {
			b[i] = rng.NormFloat64()
			for j := range 6 {
				a.Set(i, j, rng.NormFloat64())
			}
		}
		m := dc.NewModel()
		x := m.Var("x", []int{6}, dc.AtLeast(-2), dc.AtMost(2))
		m.Minimize(dc.SumSquares(dc.MatMul(dc.Mat(a), x).Sub(dc.Vec(b))).Add(dc.Norm1(x).Scale(0.5)))
		m.SubjectTo(dc.LE(x.Sum(), dc.Num(0.1)))
		p, err := m.Problem(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		value := func(tol float64) (value, open float64, proved bool) {
			sub, err := subproblem.Compile(context.Background(), p.Program())
			if err != nil {
				t.Fatal(err)
			}
			r := newRun(p.Program(), sub, DefaultSettings())
			r.begin(p.Start(1), 0, origin{}, new(Result))
			defer r.close()
			if _, err := r.prepare(context.Background()); err != nil {
				t.Fatal(err)
			}
			if _, err := r.tighten(context.Background(), tol); err != nil {
				t.Fatal(err)
			}
			if end, err := r.means.local(context.Background(), search.Move{}); err != nil || end.status() != Converged {
				t.Fatal(end, err)
			}
			return p.Value(r.x), r.gap.Open, r.proved()
		}
		exact, _, _ := value(1e-11)
		for _, tol := range []float64{1e-4, 1e-6, 1e-8, 1e-10} {
			v, open, proved := value(tol)
			if v-exact > open+1e-10 {
				t.Errorf("problem %d to %g: the value is %g above the minimum, the bound says %g", seed, tol, v-exact, open)
			}
			if tol <= 1e-8 && !(proved && open <= 1e3*tol) {
				t.Errorf("problem %d to %g: proved %v, %g open", seed, tol, proved, open)
			}
		}
	}
}
