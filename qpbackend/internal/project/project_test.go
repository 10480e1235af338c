package project

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/internal/num"
)

// cone is a family as the tests see it: membership and boundary by formulas of
// their own.
type cone struct {
	name     string
	n        int
	project  func(dst, v []float64)
	in       func(v []float64) bool // in the interior or on the boundary, without allowance
	inPolar  func(v []float64) bool
	interior []float64 // a point of the interior of norm about 1
	polar    []float64 // and of the interior of the polar
	// boundary draws p on the boundary and d in the polar, orthogonal to p.
	boundary func(rng *rand.Rand) (p, d []float64)
}

func cones() []cone {
	all := []cone{expCone()}
	for _, n := range []int{1, 2, 3, 7} {
		all = append(all, socCone(n))
	}
	for _, α := range []float64{0.5, 0.3, 0.9, 0.01, 0.999} {
		all = append(all, powCone(α))
	}
	for _, k := range []int{1, 2, 3, 6} {
		all = append(all, psdCone(k))
	}
	return all
}

func decade(rng *rand.Rand, d float64) float64 { return math.Pow(10, d*(2*rng.Float64()-1)) }

func unit(n, i int, x float64) []float64 {
	v := make([]float64, n)
	v[i] = x
	return v
}

func socCone(n int) cone {
	in := func(v []float64) bool {
		sq := 0.0
		for _, e := range v[1:] {
			sq = math.Hypot(sq, e)
		}
		return sq <= v[0]
	}
	return cone{
		name: fmt.Sprintf("second-order %d", n), n: n, project: SecondOrder, in: in,
		inPolar:  func(v []float64) bool { return in(negated(v)) },
		interior: unit(n, 0, 1), polar: unit(n, 0, -1),
		boundary: func(rng *rand.Rand) (p, d []float64) {
			p, d = make([]float64, n), make([]float64, n)
			if n == 1 {
				if rng.IntN(2) == 0 {
					return unit(1, 0, rng.Float64()), d
				}
				return p, unit(1, 0, -rng.Float64())
			}
			r := 0.0
			for i := 1; i < n; i++ {
				p[i] = rng.NormFloat64() * decade(rng, 4)
				r = math.Hypot(r, p[i])
			}
			a, b := decade(rng, 4)/r, decade(rng, 4)/r
			for i := 1; i < n; i++ {
				p[i], d[i] = a*p[i], b*p[i]
			}
			p[0], d[0] = a*r, -b*r
			return p, d
		},
	}
}

func expCone() cone {
	return cone{
		name: "exponential", n: 3, project: Exponential,
		in: func(v []float64) bool {
			return v[1] > 0 && v[2] >= v[1]*math.Exp(v[0]/v[1]) || v[1] == 0 && v[0] <= 0 && v[2] >= 0
		},
		inPolar: func(v []float64) bool {
			return v[0] > 0 && -v[2] >= v[0]*math.Exp(v[1]/v[0]-1) || v[0] == 0 && v[1] <= 0 && v[2] <= 0
		},
		interior: []float64{-1, 1, 1}, polar: []float64{1, 0, -1},
		boundary: func(rng *rand.Rand) (p, d []float64) {
			ρ := 12 * rng.NormFloat64()
			a, b := decade(rng, 5)/max(1, math.Exp(ρ)), decade(rng, 5)/max(1, math.Exp(-ρ))
			return []float64{a * ρ, a, a * math.Exp(ρ)}, []float64{b, b * (1 - ρ), -b * math.Exp(-ρ)}
		},
	}
}

func powCone(α float64) cone {
	β := 1 - α
	return cone{
		name: fmt.Sprintf("power %g", α), n: 3, project: func(dst, v []float64) { Power(dst, v, α) },
		in: func(v []float64) bool {
			return v[0] >= 0 && v[1] >= 0 && math.Pow(v[0], α)*math.Pow(v[1], β) >= math.Abs(v[2])
		},
		inPolar: func(v []float64) bool {
			return v[0] <= 0 && v[1] <= 0 && math.Pow(-v[0]/α, α)*math.Pow(-v[1]/β, β) >= math.Abs(v[2])
		},
		interior: []float64{1, 1, 0}, polar: []float64{-1, -1, 0},
		boundary: func(rng *rand.Rand) (p, d []float64) {
			x, y := decade(rng, 4), decade(rng, 4)
			z := math.Pow(x, α) * math.Pow(y, β)
			b := decade(rng, 4) / max(α*z/x, β*z/y, 1)
			sign := float64(2*rng.IntN(2) - 1)
			return []float64{x, y, sign * z}, []float64{-b * α * z / x, -b * β * z / y, sign * b}
		},
	}
}

func psdCone(k int) cone {
	least := func(v []float64) float64 {
		s := mat.NewSymDense(k, nil)
		at := 0
		for j := range k {
			for i := range j {
				s.SetSym(i, j, v[at]/math.Sqrt2)
				at++
			}
			s.SetSym(j, j, v[at])
			at++
		}
		var e mat.EigenSym
		e.Factorize(s, false)
		return e.Values(nil)[0]
	}
	n := k * (k + 1) / 2
	interior := make([]float64, n)
	for at, j := 0, 0; j < k; j++ {
		at += j
		interior[at] = 1
		at++
	}
	return cone{
		name: fmt.Sprintf("semidefinite %d", k), n: n, project: func(dst, v []float64) { Semidefinite(context.Background(), dst, v) },
		in:       func(v []float64) bool { return least(v) >= 0 },
		inPolar:  func(v []float64) bool { return least(negated(v)) >= 0 },
		interior: interior, polar: negated(interior),
		boundary: func(rng *rand.Rand) (p, d []float64) {
			// An orthonormal basis by Gram and Schmidt, with eigenvalues of
			// either sign.
			q := make([][]float64, k)
			for i := range q {
				q[i] = make([]float64, k)
				for j := range q[i] {
					q[i][j] = rng.NormFloat64()
				}
				for range 2 {
					for _, e := range q[:i] {
						dot := 0.0
						for j := range e {
							dot += e[j] * q[i][j]
						}
						for j := range e {
							q[i][j] -= dot * e[j]
						}
					}
				}
				norm := scaledNorm(q[i], 1)
				for j := range q[i] {
					q[i][j] /= norm
				}
			}
			p, d = make([]float64, n), make([]float64, n)
			split := rng.IntN(k + 1)
			for l, e := range q {
				λ, at := decade(rng, 3), 0
				for j := range k {
					for i := range j + 1 {
						x := λ * e[i] * e[j]
						if i != j {
							x *= math.Sqrt2
						}
						if l < split {
							p[at] += x
						} else {
							d[at] -= x
						}
						at++
					}
				}
			}
			return p, d
		},
	}
}

func negated(v []float64) []float64 {
	w := make([]float64, len(v))
	for i, e := range v {
		w[i] = -e
	}
	return w
}

func plus(a []float64, s float64, b []float64) []float64 {
	w := slices.Clone(a)
	for i, e := range b {
		w[i] += s * e
	}
	return w
}

// draw is any point: entries over many decades, or a boundary point moved.
func (c cone) draw(rng *rand.Rand) []float64 {
	v := make([]float64, c.n)
	width := 8 * rng.Float64()
	for i := range v {
		v[i] = float64(rng.IntN(3)-1) * decade(rng, width)
	}
	switch rng.IntN(4) {
	case 0:
		p, d := c.boundary(rng)
		v = plus(p, float64(rng.IntN(2)), d)
	case 1:
		p, _ := c.boundary(rng)
		for i := range v {
			v[i] = p[i] + 1e-12*rng.NormFloat64()*num.NormInf(p)
		}
	}
	scale := 1.0
	if rng.IntN(3) == 0 {
		scale = decade(rng, 140)
	}
	return plus(make([]float64, c.n), scale, v)
}

const allowed = 4e-15 // relative to the largest entry

// TestProjections: what comes out lies in the cone, the rest in the polar, and
// the two are orthogonal; nothing else is the projection.
func TestProjections(t *testing.T) {
	for _, c := range cones() {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 1))
			var inside, apex int
			for range 4000 {
				v := c.draw(rng)
				size := num.NormInf(v)
				p := slices.Clone(v)
				c.project(p, p)
				rest := plus(v, -1, p)
				// The formulas of the tests are for numbers of ordinary size.
				_, e := math.Frexp(size)
				norm := func(v []float64) []float64 { return plus(make([]float64, c.n), math.Ldexp(1, -e), v) }
				if !c.in(plus(norm(p), allowed*float64(c.n), c.interior)) {
					t.Fatalf("%v: the projection %v is not in the cone", v, p)
				}
				if !c.inPolar(plus(norm(rest), allowed*float64(c.n), c.polar)) {
					t.Fatalf("%v: the projection is %v, the rest %v is not in the polar", v, p, rest)
				}
				dot, np, nr := 0.0, norm(p), norm(rest)
				for i := range np {
					dot += np[i] * nr[i]
				}
				if !(math.Abs(dot) <= allowed*float64(c.n)) {
					t.Fatalf("%v: the projection %v and the rest %v are not orthogonal: %g", v, p, rest, dot)
				}
				again := make([]float64, c.n)
				c.project(again, p)
				if d := num.NormInf(plus(again, -1, p)); !(d <= allowed*size) {
					t.Fatalf("%v: the projection %v is projected to %v, %g away", v, p, again, d)
				}
				if slices.Equal(p, v) {
					inside++
				}
				if num.NormInf(p) == 0 {
					apex++
				}
			}
			if inside < 100 || apex < 100 || c.n > 1 && inside+apex > 3900 {
				t.Errorf("%d points in the cone, %d in the polar, of 4000", inside, apex)
			}
		})
	}
}

// TestKnownPairs projects p + d with p on the boundary, d in the polar and
// orthogonal to p, and of any size: it must give p.
func TestKnownPairs(t *testing.T) {
	for _, c := range cones() {
		rng := rand.New(rand.NewPCG(5, 2))
		worst := 0.0
		for k := range 8000 {
			p, d := c.boundary(rng)
			v, got := plus(p, math.Pow(10, -float64(k/4000*(k%17))), d), make([]float64, c.n)
			c.project(got, v)
			if e := num.NormInf(plus(got, -1, p)) / num.NormInf(v); !(e <= worst) {
				worst = e
				if !(e <= 20*allowed) {
					t.Fatalf("%s: p = %v, d = %v: the projection of the sum is %v, %g off", c.name, p, d, got, e)
				}
			}
		}
		t.Logf("%s: at most %.1e off", c.name, worst)
	}
}

// TestGuess: a guess that is good saves evaluations, and a bad one changes nothing.
func TestGuess(t *testing.T) {
	root := func(guess, off float64) (x float64, evaluations int) {
		x = root(func(x float64) float64 { evaluations++; return math.Exp(x) - 3 }, -100, 100, guess, off)
		return x, evaluations
	}
	want := math.Log(3)
	_, without := root(math.NaN(), 0)
	for _, c := range []struct {
		guess, off float64
		most       int
	}{{math.NaN(), 0, without}, {want + 1e-7, 1e-6, without / 2}, {want - 1e-7, 1e-6, without / 2}, {want + 1, 0.1, without + 2}, {want - 1, 0.1, without + 2}, {1e3, 1, without}, {-1e3, 1, without}, {100, 200, without}} {
		if x, n := root(c.guess, c.off); !(math.Abs(x-want) <= 1e-15*want) || n > c.most {
			t.Errorf("guess %g ± %g: root %v after %d evaluations, want %v after %d", c.guess, c.off, x, n, want, c.most)
		}
	}
}

// TestAgainstSearch compares with the nearest of many points of the cone.
func TestAgainstSearch(t *testing.T) {
	for _, c := range cones() {
		rng := rand.New(rand.NewPCG(5, 3))
		for range 60 {
			v, p := make([]float64, c.n), make([]float64, c.n)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			c.project(p, v)
			best := scaledNorm(plus(v, -1, p), 1)
			for k := range 200 {
				w := slices.Clone(p)
				for i := range w {
					w[i] += rng.NormFloat64() * math.Pow(10, -float64(k%8))
				}
				if d := scaledNorm(plus(v, -1, w), 1); c.in(w) && d < best*(1-1e-12)-1e-14 {
					t.Fatalf("%s: %v: %v is %g away, the projection %v %g", c.name, v, w, d, p, best)
				}
			}
		}
	}
}

// TestEdges has points by hand: apex, rays, faces, ends of the range of numbers.
func TestEdges(t *testing.T) {
	e := math.E
	big, tiny := 1e300, 1e-300
	exp, pow := expCone(), powCone(0.5)
	soc, psd := socCone(3), psdCone(2)
	for _, c := range []struct {
		cone    cone
		v, want []float64
	}{
		{exp, []float64{0, 0, 0}, []float64{0, 0, 0}},
		{exp, []float64{1, 1, e}, []float64{1, 1, e}},
		{exp, []float64{1, 0, -1 / e}, []float64{0, 0, 0}},
		{exp, []float64{-1, 0, 1}, []float64{-1, 0, 1}},
		{exp, []float64{-1, 0, -1}, []float64{-1, 0, 0}},
		{exp, []float64{-1, -1, -1}, []float64{-1, 0, 0}},
		{exp, []float64{-2, -1, 3}, []float64{-2, 0, 3}},
		{exp, []float64{0, -1, 3}, []float64{0, 0, 3}},
		{exp, []float64{0, -1, -3}, []float64{0, 0, 0}},
		{exp, []float64{0, 1, 1}, []float64{0, 1, 1}},
		{exp, []float64{-1, 1e-4, -1}, []float64{-1, 1e-4, 0}},
		{exp, []float64{-1, tiny, -1}, []float64{-1, tiny, 0}},
		{exp, []float64{1e-4, -1, 1}, []float64{0, 0, 1}},
		{exp, []float64{tiny, -1, 1}, []float64{0, 0, 1}},
		{exp, []float64{tiny, -1, -1}, []float64{0, 0, 0}},
		{exp, []float64{2 * big, 2 * big, 2 * e * big}, []float64{2 * big, 2 * big, 2 * e * big}},
		{exp, []float64{-big, tiny, big}, []float64{-big, tiny, big}},
		{pow, []float64{0, 0, 0}, []float64{0, 0, 0}},
		{pow, []float64{0, 0, 1}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{pow, []float64{0, 0, -1}, []float64{1. / 3, 1. / 3, -1. / 3}},
		{pow, []float64{4, 1, 2}, []float64{4, 1, 2}},
		{pow, []float64{-1, 2, 0}, []float64{0, 2, 0}},
		{pow, []float64{-1, -2, 0}, []float64{0, 0, 0}},
		{pow, []float64{-0.5, -0.5, 1}, []float64{0, 0, 0}},
		{pow, []float64{big, big, big}, []float64{big, big, big}},
		{pow, []float64{-big, tiny, 0}, []float64{0, tiny, 0}},
		{soc, []float64{0, 3, 4}, []float64{2.5, 1.5, 2}},
		{soc, []float64{0, 3e307, 4e307}, []float64{2.5e307, 1.5e307, 2e307}},
		{soc, []float64{1e308, 1e308, 1.7e308}, nil},
		{soc, []float64{0, 3e-310, 4e-310}, []float64{2.5e-310, 1.5e-310, 2e-310}},
		{socCone(1), []float64{-2}, []float64{0}},
		{socCone(1), []float64{2}, []float64{2}},
		{psdCone(1), []float64{-2}, []float64{0}},
		{psdCone(1), []float64{2}, []float64{2}},
		{psd, []float64{0, math.Sqrt2, 0}, []float64{0.5, math.Sqrt2 / 2, 0.5}},
		{psd, []float64{1, math.Sqrt2, 1}, []float64{1, math.Sqrt2, 1}},
		{psd, []float64{0, 0, 0}, []float64{0, 0, 0}},
		{psd, []float64{big, 0, -big}, []float64{big, 0, 0}},
		{psd, []float64{tiny, 0, -tiny}, []float64{tiny, 0, 0}},
	} {
		got := slices.Clone(c.v)
		c.cone.project(got, got)
		if c.want == nil { // finite is enough
			c.want = got
		}
		if d := num.NormInf(plus(got, -1, c.want)); !(d <= 3e-16*num.NormInf(c.v)) {
			t.Errorf("%s: the projection of %v is %v, want %v", c.cone.name, c.v, got, c.want)
		}
	}
}

func TestNotFinite(t *testing.T) {
	for _, c := range cones() {
		for i := range c.n {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				v := plus(make([]float64, c.n), 1, c.interior)
				v[i] = bad
				c.project(v, v)
				for _, e := range v {
					if !math.IsNaN(e) {
						t.Fatalf("%s: with %g at %d the projection is %v", c.name, bad, i, v)
					}
				}
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for _, c := range cones() {
		if c.name[:4] == "semi" && c.n > 1 {
			continue // documented
		}
		rng := rand.New(rand.NewPCG(5, 4))
		p, d := c.boundary(rng)
		v := plus(p, 1, d)
		dst := make([]float64, c.n)
		if a := testing.AllocsPerRun(50, func() { c.project(dst, v) }); a != 0 {
			t.Errorf("%s: %g allocations", c.name, a)
		}
	}
}

func BenchmarkProjections(b *testing.B) {
	for _, c := range append(cones(), psdCone(50)) {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, 5))
			var vs [16][]float64
			for k := range vs {
				p, d := c.boundary(rng)
				vs[k] = plus(p, 1, d)
			}
			dst := make([]float64, c.n)
			for k := range b.N {
				c.project(dst, vs[k%16])
			}
		})
	}
}

// TestEnded: the projection of a large matrix ends with its context, and leaves the point alone.
func TestEnded(t *testing.T) {
	const k = 300
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v, dst := make([]float64, k*(k+1)/2), make([]float64, k*(k+1)/2)
	for i := range v {
		v[i], dst[i] = math.Sin(float64(i)), 7
	}
	if Semidefinite(ctx, dst, v) || dst[0] != 7 {
		t.Error("a projection after the end of the context")
	}
}
