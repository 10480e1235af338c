package cone

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
)

// sample is a cone with a way to make points inside it and its dual.
type sample struct {
	name   string
	c      Cone
	n      int // rows
	primal func(rng *rand.Rand) []float64
	dual   func(rng *rand.Rand) []float64
}

func samples() []sample {
	var out []sample
	for _, n := range []int{1, 2, 3, 7, 40} {
		inside := func(rng *rand.Rand) []float64 {
			v := normal(rng, n)
			v[0] = num.Norm2(v[1:]) + math.Exp(3*rng.NormFloat64())
			return v
		}
		out = append(out, sample{fmt.Sprintf("second-order %d", n), NewSecondOrder(n), n, inside, inside})
	}
	for _, n := range []int{1, 2, 3, 6, 11} {
		inside := func(rng *rand.Rand) []float64 { return definite(rng, n) }
		rows := n * (n + 1) / 2
		out = append(out, sample{fmt.Sprintf("semidefinite %d", n), NewSemidefinite(n), rows, inside, inside})
	}
	exp := Exponential()
	out = append(out, sample{"exponential", &exp, 3, func(rng *rand.Rand) []float64 {
		s1, r := rng.ExpFloat64(), rng.NormFloat64()
		return []float64{s1 * r, s1, s1*math.Exp(r) + rng.ExpFloat64()}
	}, func(rng *rand.Rand) []float64 {
		u, r := -rng.ExpFloat64(), rng.NormFloat64()
		return []float64{u, u * r, -u*math.Exp(r-1) + rng.ExpFloat64()}
	}})
	for _, α := range []float64{0.03, 0.3, 0.5, 0.9} {
		pow := Power(α)
		out = append(out, sample{fmt.Sprintf("power %g", α), &pow, 3, func(rng *rand.Rand) []float64 {
			a, b := rng.ExpFloat64(), rng.ExpFloat64()
			return []float64{a, b, math.Pow(a, α) * math.Pow(b, 1-α) * (2*rng.Float64() - 1)}
		}, func(rng *rand.Rand) []float64 {
			a, b := rng.ExpFloat64(), rng.ExpFloat64()
			return []float64{α * a, (1 - α) * b, math.Pow(a, α) * math.Pow(b, 1-α) * (2*rng.Float64() - 1)}
		}})
	}
	return out
}

func normal(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// definite is the triangle of a positive definite matrix.
func definite(rng *rand.Rand, n int) []float64 {
	b := normal(rng, n*n)
	var v []float64
	for j := range n {
		for i := range j + 1 {
			e := num.Dot(b[i*n:][:n], b[j*n:])
			if i == j {
				e += 0.01
			} else {
				e *= math.Sqrt2
			}
			v = append(v, e)
		}
	}
	return v
}

func each(t *testing.T, trials int, f func(t *testing.T, s sample, rng *rand.Rand)) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(s.n)))
			for range trials {
				f(t, s, rng)
			}
		})
	}
}

// scaled gives the cone a random pair.
func (s sample) scaled(t *testing.T, rng *rand.Rand) (p, z []float64) {
	t.Helper()
	p, z = s.primal(rng), s.dual(rng)
	if !s.c.Scale(p, z) {
		t.Fatalf("no scaling at %v, %v", p, z)
	}
	return p, z
}

func close(a, b []float64, tol float64) bool {
	size := 0.0
	for i := range a {
		size = max(size, math.Abs(a[i]), math.Abs(b[i]))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol*size) {
			return false
		}
	}
	return true
}

// H is symmetric, positive definite, maps z to s, and Block and Mul agree.
func TestScaling(t *testing.T) {
	each(t, 50, func(t *testing.T, s sample, rng *rand.Rand) {
		p, z := s.scaled(t, rng)
		n := s.n
		hz := make([]float64, n)
		s.c.Mul(hz, z)
		if !close(hz, p, 1e-8) {
			t.Fatalf("Hz = %v, s = %v", hz, p)
		}
		x, y := normal(rng, n), make([]float64, n)
		s.c.Mul(y, x)
		if !(num.Dot(x, y) > 0) {
			t.Fatalf("xᵀHx = %g", num.Dot(x, y))
		}
		u, hu := normal(rng, n), make([]float64, n)
		s.c.Mul(hu, u)
		if a, b := num.Dot(u, y), num.Dot(x, hu); math.Abs(a-b) > 1e-9*(num.Norm2(u)*num.Norm2(y)+num.Norm2(x)*num.Norm2(hu)) {
			t.Fatalf("uᵀHx = %g, xᵀHu = %g", a, b)
		}
		sym, ok := s.c.(Symmetric)
		if !ok {
			return
		}
		h := make([]float64, n*(n+1)/2)
		sym.Block(h)
		full := make([]float64, n)
		for j, at := 0, 0; j < n; j++ {
			for i := range j + 1 {
				full[i] += h[at] * x[j]
				if i < j {
					full[j] += h[at] * x[i]
				}
				at++
			}
		}
		if !close(full, y, 1e-9) {
			t.Fatalf("Block gives %v, Mul %v", full, y)
		}
	})
}

// Absorb takes of u + Hu the part Hu; for matrices nothing.
func TestAbsorb(t *testing.T) {
	each(t, 50, func(t *testing.T, s sample, rng *rand.Rand) {
		s.scaled(t, rng)
		n := s.n
		u, hu, ds := normal(rng, n), make([]float64, n), make([]float64, n)
		s.c.Mul(hu, u)
		e := make([]float64, n)
		num.Axpy(e, 1, u)
		num.Axpy(e, 1, hu)
		s.c.Absorb(ds, e)
		if _, matrix := s.c.(*Semidefinite); matrix {
			clear(hu)
		}
		if !close(ds, hu, 1e-8) {
			t.Fatalf("absorbs %v of %v + %v", ds, u, hu)
		}
	})
}

// The unit is its own dual and its scaling with itself is the identity or, for
// the cones of three rows, maps it to itself.
func TestUnit(t *testing.T) {
	each(t, 1, func(t *testing.T, s sample, rng *rand.Rand) {
		n := s.n
		e, he := make([]float64, n), make([]float64, n)
		s.c.Unit(e)
		if !s.c.Scale(e, e) {
			t.Fatal("the unit is not inside")
		}
		s.c.Mul(he, e)
		if !close(he, e, 1e-12) {
			t.Errorf("He = %v, e = %v", he, e)
		}
		if v := num.Dot(e, e); math.Abs(v-s.c.Degree()) > 1e-12 {
			t.Errorf("eᵀe = %g, degree %g", v, s.c.Degree())
		}
		rc := make([]float64, n)
		s.c.Correct(rc, make([]float64, n), make([]float64, n), 1)
		if !close(rc, e, 1e-12) {
			t.Errorf("centring at the unit is %v, want %v", rc, e)
		}
	})
}

// Points outside have no scaling.
func TestOutside(t *testing.T) {
	each(t, 20, func(t *testing.T, s sample, rng *rand.Rand) {
		p, z := s.primal(rng), s.dual(rng)
		neg := make([]float64, len(p))
		for _, pair := range [][2][]float64{{p, neg}, {neg, z}, {neg, neg}} {
			for i := range neg {
				neg[i] = -p[i]
			}
			if s.c.Scale(pair[0], pair[1]) {
				t.Fatalf("a scaling at %v", pair)
			}
			p[0] = math.NaN()
			if s.c.Scale(p, z) {
				t.Fatal("a scaling at NaN")
			}
			p = s.primal(rng)
			pair[0] = p
		}
	})
}

// H·dz + ds = rc of the corrector keeps a central pair central to second order:
// along the path s(μ), z(μ) of the pair μ·s, z the correction is what Taylor's
// expansion says. Here: without predictor, it is the barrier's gradient, found
// by differences of Scale-free formulas through the identity zᵀ(centring) = ν·σμ.
func TestCentring(t *testing.T) {
	each(t, 20, func(t *testing.T, s sample, rng *rand.Rand) {
		_, z := s.scaled(t, rng)
		n := s.n
		rc := make([]float64, n)
		s.c.Correct(rc, make([]float64, n), make([]float64, n), 0.7)
		if v, want := num.Dot(rc, z), 0.7*s.c.Degree(); math.Abs(v-want) > 1e-7*want {
			t.Fatalf("zᵀrc = %g, want %g", v, want)
		}
	})
}

// Reach agrees with bisection on Margin.
func TestReach(t *testing.T) {
	each(t, 30, func(t *testing.T, s sample, rng *rand.Rand) {
		c, ok := s.c.(Symmetric)
		if !ok {
			return
		}
		p, z := s.scaled(t, rng)
		ds, dz := normal(rng, s.n), normal(rng, s.n)
		αp, αd := c.Reach(ds, dz)
		for _, v := range []struct {
			v, d []float64
			α    float64
		}{{p, ds, αp}, {z, dz, αd}} {
			at := func(α float64) float64 {
				moved := append([]float64(nil), v.v...)
				num.Axpy(moved, α, v.d)
				return c.Margin(moved)
			}
			if math.IsInf(v.α, 1) {
				far := 1e6
				if _, ok := c.(*Semidefinite); ok {
					far = 1 / farther
				}
				if at(far) < -1e-3 {
					t.Fatalf("no limit, but margin %g at %g", at(far), far)
				}
				continue
			}
			if m := at(v.α * (1 - 1e-6)); !(m > 0) {
				t.Fatalf("margin %g before %g", m, v.α)
			}
			if m := at(v.α * (1 + 1e-6)); !(m < 0) {
				t.Fatalf("margin %g after %g", m, v.α)
			}
		}
	})
}

// The margin is the largest multiple of the unit that can be taken away.
func TestMargin(t *testing.T) {
	each(t, 30, func(t *testing.T, s sample, rng *rand.Rand) {
		c, ok := s.c.(Symmetric)
		if !ok {
			return
		}
		e, z := make([]float64, s.n), s.dual(rng)
		c.Unit(e)
		v := normal(rng, s.n)
		m := c.Margin(v)
		in, out := append([]float64(nil), v...), append([]float64(nil), v...)
		num.Axpy(in, -m+1e-9, e)
		num.Axpy(out, -m-1e-9, e)
		if !c.Scale(in, z) || c.Scale(out, z) {
			t.Fatalf("margin %g of %v", m, v)
		}
	})
}

// The expansion is the block.
func TestExpansion(t *testing.T) {
	each(t, 20, func(t *testing.T, s sample, rng *rand.Rand) {
		c, ok := s.c.(interface{ Expansion(d, u, v []float64) })
		if !ok {
			return
		}
		s.scaled(t, rng)
		n := s.n
		d, u, v := make([]float64, n), make([]float64, n), make([]float64, n)
		c.Expansion(d, u, v)
		x, want := normal(rng, n), make([]float64, n)
		s.c.Mul(want, x)
		got := make([]float64, n)
		ux, vx := num.Dot(u, x), num.Dot(v, x)
		for i := range got {
			got[i] = d[i]*x[i] + u[i]*ux - v[i]*vx
		}
		if !close(got, want, 1e-9) {
			t.Fatalf("%v, want %v", got, want)
		}
		// d − vvᵀ is positive definite: 1 > vᵀd⁻¹v.
		sum := 0.0
		for i, e := range v {
			sum += e * e / d[i]
		}
		if !(sum < 1) {
			t.Fatalf("vᵀd⁻¹v = %g", sum)
		}
	})
}

// For symmetric cones the corrector is W(λ\(σμe − W⁻ᵀds∘Wdz)): with the step that
// it asks for, dz = 0, the product λ∘(λ + W⁻ᵀ·rc) is σμe less the second-order
// term. Tested through the trace: (s + rc)ᵀz.
func TestSecondOrderTerm(t *testing.T) {
	each(t, 20, func(t *testing.T, s sample, rng *rand.Rand) {
		if _, ok := s.c.(Symmetric); !ok {
			return
		}
		p, z := s.scaled(t, rng)
		n := s.n
		ds, dz := normal(rng, n), normal(rng, n)
		rc := make([]float64, n)
		for i := range rc {
			rc[i] = -p[i]
		}
		s.c.Correct(rc, ds, dz, 0.3)
		want := 0.3*s.c.Degree() - num.Dot(ds, dz)
		got := num.Dot(z, rc) + num.Dot(z, p)
		if math.Abs(got-want) > 1e-8*(math.Abs(want)+math.Abs(num.Dot(z, p))) {
			t.Fatalf("zᵀ(rc + s) = %g, want %g", got, want)
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	each(t, 1, func(t *testing.T, s sample, rng *rand.Rand) {
		p, z := s.scaled(t, rng)
		n := s.n
		ds, dz, rc, h := normal(rng, n), normal(rng, n), make([]float64, n), make([]float64, n*(n+1)/2)
		if k := testing.AllocsPerRun(5, func() {
			s.c.Scale(p, z)
			s.c.Mul(rc, dz)
			s.c.Absorb(ds, rc)
			s.c.Correct(rc, ds, dz, 1)
			switch c := s.c.(type) {
			case Symmetric:
				c.Reach(ds, dz)
				c.Margin(ds)
				c.Block(h)
			case *Asymmetric:
				c.Inside(p, z, 1e-6, 1)
				c.Contains(p)
			}
		}); k != 0 {
			t.Errorf("%g allocations", k)
		}
	})
}

// TestWithin: a large matrix has no scaling once the context has ended, and no margin, and has both
// within another one.
func TestWithin(t *testing.T) {
	c := NewSemidefinite(300)
	e := make([]float64, 300*301/2)
	c.Unit(e)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.Within(ctx)
	if c.Scale(e, e) {
		t.Error("a scaling after the end of the context")
	}
	if m := c.Margin(e); m == m {
		t.Errorf("margin %g after the end of the context", m)
	}
	c.Within(context.Background())
	if m := c.Margin(e); !c.Scale(e, e) || !(math.Abs(m-1) < 1e-12) {
		t.Errorf("margin %g, want 1, and a scaling", m)
	}
}
