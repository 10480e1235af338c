package implicitdiff

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// times is D·v. Of a long cone outside of K and its polar it is in closed form.
func (p *piece) times(v []float64) []float64 {
	out := slices.Clone(v)
	if p.plane {
		// 1 along e = (1, ū)/√2, 0 along (1, −ū)/√2, d elsewhere.
		across := num.Dot(p.tail, v[1:])
		one, zero := (v[0]+across)/2, (v[0]-across)/2
		out[0] = one
		for i, u := range p.tail {
			out[1+i] = one*u + p.d[1]*(v[1+i]-one*u+zero*u)
		}
		return out
	}
	p.turn(out)
	for i, d := range p.d {
		out[i] *= d
	}
	p.turnBack(out)
	return out
}

// D is the derivative of the projection by central differences, in all regions, and y moves as the
// factor √(1−d)·U says: I − D = U diag(1−d) Uᵀ on the changes that D allows.
func TestDerivativesOfProjections(t *testing.T) {
	ctx := context.Background()
	for _, c := range []qpbackend.Cone{
		{Kind: qpbackend.SecondOrder, Len: 1}, {Kind: qpbackend.SecondOrder, Len: 2}, {Kind: qpbackend.SecondOrder, Len: 5},
		{Kind: qpbackend.Exponential, Len: 3}, {Kind: qpbackend.Power, Len: 3, Alpha: 0.3}, {Kind: qpbackend.Power, Len: 3, Alpha: 0.8},
		{Kind: qpbackend.Semidefinite, Len: 1}, {Kind: qpbackend.Semidefinite, Len: 6}, {Kind: qpbackend.Semidefinite, Len: 10},
	} {
		rng := rand.New(rand.NewPCG(3, uint64(c.Len)))
		p, seen := newPiece(c), map[int]int{}
		for range 400 {
			w, v := make([]float64, c.Len), make([]float64, c.Len)
			for i := range w {
				w[i], v[i] = 2*rng.NormFloat64(), rng.NormFloat64()
			}
			if c.Kind == qpbackend.Exponential && rng.IntN(3) == 0 { // the face
				w[0], w[1] = -math.Abs(w[0]), -math.Abs(w[1])
			}
			s := make([]float64, c.Len)
			if !p.at(ctx, s, w) {
				t.Fatalf("%v: no projection at %v", c, w)
			}
			if p.margin < 1e-2 {
				continue
			}
			rank := 0
			for _, d := range p.d {
				if d == 1 {
					rank++
				}
			}
			seen[rank]++
			want := p.times(v)
			const h = 1e-5
			ahead, behind := slices.Clone(w), slices.Clone(w)
			num.Axpy(ahead, h, v)
			num.Axpy(behind, -h, v)
			up, down := make([]float64, c.Len), make([]float64, c.Len)
			if !p.at(ctx, up, ahead) || !p.at(ctx, down, behind) {
				t.Fatal("no projection")
			}
			for i := range want {
				if diff := (up[i] - down[i]) / (2 * h); !(math.Abs(diff-want[i]) <= 1e-6) {
					t.Fatalf("%v at %v along %v: D gives %v, differences %g at %d; margin %g", c, w, v, want, diff, i, p.margin)
				}
			}
		}
		if len(seen) < 2 {
			t.Errorf("%v: regions %v", c, seen)
		}
	}
}

func TestNotFinite(t *testing.T) {
	p := newPiece(qpbackend.Cone{Kind: qpbackend.SecondOrder, Len: 3})
	if p.at(context.Background(), make([]float64, 3), []float64{1, math.NaN(), 0}) {
		t.Error("a derivative at NaN")
	}
}
