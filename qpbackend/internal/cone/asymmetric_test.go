package cone

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
)

func (s sample) asym() *asymmetric {
	switch c := s.c.(type) {
	case *Exponential:
		return &c.asymmetric
	case *Power:
		return &c.asymmetric
	}
	return nil
}

// value is f*(z).
func (c *asymmetric) value(z [3]float64) float64 {
	var d derivatives
	c.b.at(&z, &d)
	f, w := -math.Log(d.ψ), c.b.weights()
	for i, e := range z {
		if w[i] > 0 {
			f -= w[i] * math.Log(math.Abs(e))
		}
	}
	return f
}

// at gives gradient and Hessian of f* at z.
func (c *asymmetric) derivatives(z [3]float64) (g [3]float64, h [3][3]float64) {
	c.z = z
	c.b.at(&c.z, &c.d)
	c.expand()
	for i := range h {
		h[i] = c.down(c.f[i])
	}
	for j := range h {
		column := c.down([3]float64{h[0][j], h[1][j], h[2][j]})
		for i, v := range column {
			h[i][j] = v
		}
	}
	return c.down(c.g), h
}

// Gradient, Hessian and third derivative agree with central differences.
func TestDerivatives(t *testing.T) {
	each(t, 30, func(t *testing.T, s sample, rng *rand.Rand) {
		c := s.asym()
		if c == nil {
			return
		}
		z := [3]float64(s.dual(rng))
		var d derivatives
		if !c.b.at(&z, &d) {
			t.Fatalf("%v is not inside", z)
		}
		g, h := c.derivatives(z)
		p, q := [3]float64(normal(rng, 3)), [3]float64(normal(rng, 3))
		third := c.thirdDerivative(c.to(p), c.to(q))
		// A step that is small against the distance from the boundary.
		hp := 0.0
		for i := range p {
			hp += p[i] * num.Dot(h[i][:], p[:])
		}
		step := 1e-4 / math.Sqrt(hp)
		move := func(by float64) [3]float64 { return [3]float64{z[0] + by*p[0], z[1] + by*p[1], z[2] + by*p[2]} }
		diff := (c.value(move(step)) - c.value(move(-step))) / (2 * step)
		if want := num.Dot(g[:], p[:]); math.Abs(diff-want) > 1e-5*math.Sqrt(hp) {
			t.Fatalf("z = %v: slope %g, want %g", z, diff, want)
		}
		g1, h1 := c.derivatives(move(step))
		g0, h0 := c.derivatives(move(-step))
		var dg, hpv, dh [3]float64
		for i := range dg {
			dg[i], hpv[i] = (g1[i]-g0[i])/(2*step), num.Dot(h[i][:], p[:])
			dh[i] = (num.Dot(h1[i][:], q[:]) - num.Dot(h0[i][:], q[:])) / (2 * step)
		}
		if !close(dg[:], hpv[:], 1e-5) {
			t.Fatalf("z = %v: Hessian times p %v, by differences %v", z, hpv, dg)
		}
		if !close(dh[:], third[:], 1e-4) {
			t.Fatalf("z = %v: third derivative %v, by differences %v", z, third, dh)
		}
	})
}

// The shadow of s has the gradient −s, near the boundary too; H maps it to the
// shadow of z.
func TestShadow(t *testing.T) {
	each(t, 50, func(t *testing.T, s sample, rng *rand.Rand) {
		c := s.asym()
		if c == nil {
			return
		}
		p, z := s.scaled(t, rng)
		var shadow [3]float64
		sv := [3]float64(p)
		if !c.b.shadow(&shadow, &sv) {
			t.Fatalf("%v is not inside", p)
		}
		other := &asymmetric{b: c.b, degree: c.degree}
		g, _ := other.derivatives(shadow)
		neg := [3]float64{-g[0], -g[1], -g[2]}
		if !close(neg[:], p, 1e-8) {
			t.Fatalf("−∇f* at the shadow is %v, want %v", neg, p)
		}
		g, _ = other.derivatives([3]float64(z))
		got := make([]float64, 3)
		c.Mul(got, shadow[:])
		neg = [3]float64{-g[0], -g[1], -g[2]}
		if !close(got, neg[:], 1e-6) {
			t.Fatalf("H maps the shadow to %v, want %v", got, neg)
		}
	})
}

// Near the boundary and near the central path, where the entries of the Hessian
// are of size 1e16, H still maps z to s and the shadow to the shadow in the norm
// of the barrier.
func TestScalingNearTheBoundary(t *testing.T) {
	each(t, 50, func(t *testing.T, s sample, rng *rand.Rand) {
		c := s.asym()
		if c == nil {
			return
		}
		// s on the ray of μ·(−∇f*(z)), a little off.
		z := s.dual(rng)
		boundary := make([]float64, 3)
		copy(boundary, z)
		var d derivatives
		lo, hi := 0.0, 1.0 // towards the boundary along −e
		e := c.b.unit()
		inside := func(α float64) bool {
			v := [3]float64{z[0] - α*e[0], z[1] - α*e[1], z[2] - α*e[2]}
			return c.b.at(&v, &d)
		}
		for inside(hi) {
			hi *= 2
		}
		for range 60 {
			if mid := (lo + hi) / 2; inside(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		for i := range z {
			z[i] -= lo * (1 - 1e-7) * e[i]
		}
		g, _ := (&asymmetric{b: c.b, degree: c.degree}).derivatives([3]float64(z))
		p := make([]float64, 3)
		for i := range p {
			p[i] = -1e-7 * g[i] * (1 + 1e-13*rng.NormFloat64())
		}
		if !s.c.Scale(p, z) {
			t.Fatalf("no scaling at %v, %v", p, z)
		}
		hz := make([]float64, 3)
		s.c.Mul(hz, z)
		off := c.up([3]float64{hz[0] - p[0], hz[1] - p[1], hz[2] - p[2]})
		factor := newCholesky(&c.f)
		x, ok := factor.solve(off)
		if !ok {
			t.Fatal("the Hessian is not positive definite")
		}
		if rel := math.Sqrt(num.Dot(off[:], x[:])) / 1e-7; !(rel < 1e-3) {
			t.Fatalf("Hz is off by %g of the barrier's norm at z = %v", rel, z)
		}
	})
}
