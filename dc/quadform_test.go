package dc

import (
	"math"
	"math/rand/v2"
	"testing"
)

// productOf is Σ qᵢⱼ(xᵢ + sᵢ)(xⱼ + sⱼ), written entry by entry.
func productOf(x Expr, q [][]float64, s []float64) Expr {
	var ops []Expr
	for i := range q {
		for j := range q {
			u, v := x.At(i).Add(Num(s[i])), x.At(j).Add(Num(s[j]))
			ops = append(ops, Mul(u.Scale(q[i][j]), v))
		}
	}
	return Sum(ops...)
}

func TestProductsThatAreConvexTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 200 {
		n := 1 + rng.IntN(6)
		m := NewModel()
		x := m.Var("x", []int{n})
		rank := 1 + rng.IntN(n)
		factor := make([][]float64, rank)
		for k := range factor {
			factor[k] = make([]float64, n)
			for i := range factor[k] {
				factor[k][i] = rng.NormFloat64()
			}
		}
		q, s := make([][]float64, n), make([]float64, n)
		for i := range q {
			q[i], s[i] = make([]float64, n), 3*rng.NormFloat64()
			for j := range q[i] {
				for _, f := range factor {
					q[i][j] += f[i] * f[j]
				}
			}
		}
		direct := func(p []float64) float64 {
			v := 0.0
			for _, f := range factor {
				u := 0.0
				for i := range f {
					u += f[i] * (p[i] + s[i])
				}
				v += u * u
			}
			return v
		}
		sign := float64(1 - 2*(trial%2))
		e := productOf(x, q, s).Scale(sign)
		if e.Err() != nil || sign > 0 && !e.IsConvex() || sign < 0 && !e.IsConcave() {
			t.Fatalf("trial %d, n %d, rank %d: convex %v, concave %v, %v", trial, n, rank, e.IsConvex(), e.IsConcave(), e.Err())
		}
		for range 5 {
			p := make([]float64, n)
			for i := range p {
				p[i] = 10 * rng.NormFloat64()
			}
			want := sign * direct(p)
			if got := e.Value(p); !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
				t.Fatalf("trial %d: %g at %v, want %g", trial, got, p, want)
			}
		}
	}
}

func TestIndefiniteProductsKeepTheirSplit(t *testing.T) {
	m := NewModel()
	x := m.Var("x", []int{2})
	q := [][]float64{{1, -1.5}, {-1.5, 1}}
	e := productOf(x, q, []float64{1, 2})
	if e.IsConvex() || e.IsConcave() {
		t.Errorf("an indefinite form is convex %v, concave %v", e.IsConvex(), e.IsConcave())
	}
	p := []float64{3, -4}
	if got, want := e.Value(p), 16+4-3*4*-2.; math.Abs(got-want) > 1e-12 {
		t.Errorf("value %g, want %g", got, want)
	}
	// By a hair: far outside the rounding, so it has to stay DC.
	if e = productOf(x, [][]float64{{1, 1 + 1e-9}, {1 + 1e-9, 1}}, []float64{0, 0}); e.IsConvex() {
		t.Error("an eigenvalue of -1e-9 counts as none")
	}
}

func TestMultiplesAreSquares(t *testing.T) {
	m := NewModel()
	x := m.Var("x", []int{2})
	u := x.At(0).Add(x.At(1)).Add(Num(1))
	for _, w := range []float64{1, 1.78, -0.3} {
		e := Mul(u.Scale(w), u)
		if w > 0 && !e.IsConvex() || w < 0 && !e.IsConcave() {
			t.Errorf("w = %g: convex %v, concave %v", w, e.IsConvex(), e.IsConcave())
		}
		if got, want := e.Value([]float64{2, 4}), w*49; math.Abs(got-want) > 1e-12 {
			t.Errorf("w = %g: %g, want %g", w, got, want)
		}
	}
	if e := Mul(u.Scale(2).Add(Num(1)), u); !e.IsConvex() {
		t.Error("(2u + 1)·u is not known as convex")
	}
}
