package cone

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
)

func (s sample) asym() *Asymmetric {
	c, _ := s.c.(*Asymmetric)
	return c
}

// value is f*(z).
func (c *Asymmetric) value(z [3]float64) float64 {
	var t tangent
	c.at(&z, &t)
	w := [3]float64{1, 0, 1}
	if c.α > 0 {
		w = [3]float64{1 - c.α, c.α, 0}
	}
	f := -math.Log(t.ψ)
	for i, e := range z {
		if w[i] > 0 {
			f -= w[i] * math.Log(math.Abs(e))
		}
	}
	return f
}

// derivatives are gradient and Hessian of f* at z.
func (c *Asymmetric) derivatives(z [3]float64) (g [3]float64, h [3][3]float64) {
	var t tangent
	c.z = z
	c.at(&c.z, &t)
	c.ψ = t.ψ
	c.h = c.expand(&t)
	for j := range h {
		var e [3]float64
		e[j] = 1
		c.Mul(h[j][:], e[:])
	}
	c.down(g[:], c.g[0], c.g[1], c.g[2])
	return g, h
}

// Gradient, Hessian and third derivative agree with central differences.
func TestDerivatives(t *testing.T) {
	each(t, 30, func(t *testing.T, s sample, rng *rand.Rand) {
		c := s.asym()
		if c == nil {
			return
		}
		z := [3]float64(s.dual(rng))
		var d tangent
		if !c.at(&z, &d) {
			t.Fatalf("%v is not inside", z)
		}
		g, h := c.derivatives(z)
		p, q := [3]float64(normal(rng, 3)), [3]float64(normal(rng, 3))
		var third [3]float64
		q1 := c.to(&q)
		c.thirdDerivative(&third, &p, q1[0], q1[1], q1[2])
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
		if !c.shadow(&shadow, &sv) {
			t.Fatalf("%v is not inside", p)
		}
		other := &Asymmetric{barrier: c.barrier}
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
		var d tangent
		lo, hi := 0.0, 1.0 // towards the boundary along −e
		e := make([]float64, 3)
		c.Unit(e)
		inside := func(α float64) bool {
			v := [3]float64{z[0] - α*e[0], z[1] - α*e[1], z[2] - α*e[2]}
			return c.at(&v, &d)
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
		g, _ := (&Asymmetric{barrier: c.barrier}).derivatives([3]float64(z))
		p := make([]float64, 3)
		for i := range p {
			p[i] = -1e-7 * g[i] * (1 + 1e-13*rng.NormFloat64())
		}
		if !s.c.Scale(p, z) {
			t.Fatalf("no scaling at %v, %v", p, z)
		}
		hz := make([]float64, 3)
		s.c.Mul(hz, z)
		off := c.up(&[3]float64{hz[0] - p[0], hz[1] - p[1], hz[2] - p[2]})
		var x [3]float64
		var ok bool
		if x[0], x[1], x[2], ok = c.curved.solve(off[0], off[1], off[2]); !ok {
			t.Fatal("the Hessian is not positive definite")
		}
		if rel := math.Sqrt(num.Dot(off[:], x[:])) / 1e-7; !(rel < 1e-3) {
			t.Fatalf("Hz is off by %g of the barrier's norm at z = %v", rel, z)
		}
	})
}

// The equation holds to some unit roundoffs of its solution, for any size of r.
func TestExcess(t *testing.T) {
	for e := -12.0; e <= 6; e += 1.0 / 128 {
		r := math.Pow(10, e)
		x := excess(r)
		if off := math.Abs(r-x-math.Log1p(x)) * (1 + x) / (2 + x); !(off <= 4*0x1p-52*x) {
			t.Fatalf("t + log(1 + t) = %g at t = %g: t is off by %g", r, x, off)
		}
	}
}

// Reach is as near to the longest step as it says, and not above it.
func TestAsymmetricReach(t *testing.T) {
	each(t, 200, func(t *testing.T, s sample, rng *rand.Rand) {
		c := s.asym()
		if c == nil {
			return
		}
		p, z := s.primal(rng), s.dual(rng)
		ds, dz := normal(rng, 3), normal(rng, 3)
		size := math.Exp(3 * rng.NormFloat64())
		for i := range ds {
			ds[i] *= size
			dz[i] *= size
		}
		inside := func(α float64) bool {
			var sv, zv [3]float64
			for i := range sv {
				sv[i], zv[i] = p[i]+α*ds[i], z[i]+α*dz[i]
			}
			var at tangent
			return c.inside(&sv) && c.at(&zv, &at)
		}
		α := c.Reach(p, z, ds, dz, 1)
		if !inside(α * (1 - 1e-12)) {
			t.Fatalf("outside at %g", α)
		}
		if α < 1 && inside(min(1, α*(1+1.2*stepAccuracy))) {
			t.Fatalf("%g is not the longest step", α)
		}
	})
}
