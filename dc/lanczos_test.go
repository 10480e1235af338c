//go:build !race

package dc

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/expr/rule"
	"gonum.org/v1/gonum/mat"
)

// randomForm has entries of either sign, and shift on the diagonal.
func randomForm(n int, shift float64) *mat.SymDense {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	q := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			q.SetSym(i, j, rng.NormFloat64())
		}
		q.SetSym(i, i, q.At(i, i)+shift)
	}
	return q
}

// TestExtremes: the bounds hold all eigenvalues and are close to them.
func TestExtremes(t *testing.T) {
	identity := mat.NewSymDense(5, nil)
	for i := range 5 {
		identity.SetSym(i, i, 3)
	}
	// The extreme eigenvalues of this one lie in a cluster, of which the outermost is
	// found last.
	cluster := mat.NewSymDense(700, nil)
	for i := range 700 {
		for j := i; j < 700; j++ {
			cluster.SetSym(i, j, 2*math.Sin(float64((i+1)*(j+1)))+2*math.Sin(float64((i+1)*(j+1)+1)))
		}
	}
	for _, q := range []*mat.SymDense{randomForm(1, 0), randomForm(2, 0), randomForm(60, 0), randomForm(200, 40), randomForm(700, 0), identity, cluster} {
		var eig mat.EigenSym
		if !eig.Factorize(q, false) {
			t.Fatal("no eigenvalues")
		}
		λ := eig.Values(nil)
		n := len(λ)
		lo, hi, _ := rule.Extremes(context.Background(), q)
		room := 2*rule.CloseRitz*(λ[n-1]-λ[0]) + 1e-12*math.Abs(λ[n-1])
		if lo > λ[0]+1e-12 || hi < λ[n-1]-1e-12 || lo < λ[0]-room || hi > λ[n-1]+room {
			t.Errorf("order %d: %g and %g for eigenvalues from %g to %g", n, lo, hi, λ[0], λ[n-1])
		}
	}
}

// TestDefiniteQuad: convex, concave and indefinite forms are known as such, and g − h
// is the form, of orders with all eigenvalues and without.
func TestDefiniteQuad(t *testing.T) {
	for _, n := range []int{40, rule.LargeForm + 1} {
		m := NewModel()
		x := m.Var("x", []int{n})
		at := make([]float64, n)
		for k := range at {
			at[k] = math.Sin(float64(k))
		}
		for _, c := range []struct {
			shift           float64 // of the root of the order
			convex, concave bool
		}{{0, false, false}, {0.8, false, false}, {-0.8, false, false}, {3.2, true, false}, {-3.2, false, true}} {
			q := randomForm(n, c.shift*math.Sqrt(float64(n)))
			e := Quad(context.Background(), x, q)
			if e.Err() != nil || e.IsConvex() != c.convex || e.IsConcave() != c.concave {
				t.Errorf("order %d, shift %g: %v, convex %v, concave %v", n, c.shift, e.Err(), e.IsConvex(), e.IsConcave())
				continue
			}
			v := mat.NewVecDense(n, at)
			want := mat.Inner(v, q, v)
			g, h := e.Scalar().G().Value(at), e.Scalar().H().Value(at)
			near := 1e-9 * (math.Abs(g) + math.Abs(h))
			if math.Abs(e.Value(at)-want) > near || math.Abs(g-h-want) > near {
				t.Errorf("order %d, shift %g: %g, split %g − %g, want %g", n, c.shift, e.Value(at), g, h, want)
			}
		}
		bad := randomForm(n, 0)
		bad.SetSym(3, 4, math.NaN())
		if Quad(context.Background(), x, bad).Err() == nil {
			t.Errorf("order %d: a NaN is taken", n)
		}
	}
}
