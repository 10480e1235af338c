package ccp

import (
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"math"
	"math/rand/v2"
	"slices"
)

// A point that is stationary for every tangent can still be a poor one. Where
// values cost little, probe looks along the coordinates, a positive spanning
// set, at points far and near for a lower merit, and the procedure goes on from
// the best it finds: Aragón Artacho, Campoy and Vuong 2020 take such directions
// to leave points that are not d-stationary; steps as long as the variables are
// leave local minima as well.
type probe struct {
	jumps int
	x     []float64
	order []int
	visit float64 // coefficients that a value visits, about
	rng   *rand.Rand
}

const (
	probeWork = 2e5 // coefficients visited in one look along all coordinates by grid
	flipWork  = 4e7 // and in one by reflection
	flipShare = 8   // reflections for each iteration of the backend so far, which costs about 30
	gridHalf  = 16  // points on either side
	refine    = 24  // golden sections
)

// jump looks for a better point than r.x, and puts x and z there. It reports
// whether there is one.
func (r *run) jump() bool {
	b := &r.probe
	if b.jumps >= r.set.Probes || r.behind() || r.sub.Convex() {
		return false
	}
	b.prepare(r)
	φ0, open0 := r.merit(r.x)
	if !subproblem.IsFinite(φ0) {
		return false
	}
	best := φ0
	asked := 10 * r.set.Tol * r.span
	value := func(j int, v float64) float64 {
		old := b.x[j]
		b.x[j] = v
		φ, open := r.merit(b.x)
		b.x[j] = old
		if !(open <= open0+1e-3*r.set.FeasTol) {
			return math.Inf(1)
		}
		return φ
	}
	accept := func(j int, v, φ float64) bool {
		if φ < best-asked {
			best, b.x[j] = φ, v
			return true
		}
		return false
	}
	left := min(flipWork/b.visit, flipShare*float64(r.work))
	for improved := true; improved && left >= float64(len(b.order)); {
		improved = false
		for _, j := range b.order {
			v := r.mirrored(j, b.x[j])
			if v == b.x[j] {
				continue
			}
			left--
			improved = accept(j, v, value(j, v)) || improved
		}
	}
	if (2*gridHalf+refine)*b.visit*float64(len(b.order)) <= probeWork {
		for _, j := range b.order {
			b.along(r, j, value, accept)
		}
	}
	if best == φ0 {
		return false
	}
	b.jumps++
	copy(r.x, b.x)
	copy(r.z, b.x)
	return true
}

// prepare sets x, a random order of the coordinates, and the cost of a value.
func (b *probe) prepare(r *run) {
	b.x = append(b.x[:0], r.x...)
	if b.rng != nil {
		return
	}
	b.rng = rand.New(rand.NewPCG(r.set.Seed, 0x7062)) // the second word is arbitrary and fixed
	b.order = b.rng.Perm(len(r.x))
	alone := r.alone()
	b.order = slices.DeleteFunc(b.order, func(j int) bool { return !alone[j] })
	b.visit = float64(r.sub.QP.A.NNZ() + r.sub.QP.P.NNZ())
}

// alone marks the variables of an h that no affine equation ties to others.
func (r *run) alone() []bool {
	alone := make([]bool, len(r.x))
	mark := func(list []int, as bool) {
		for _, j := range list {
			alone[j] = as
		}
	}
	if r.sub.H0 != nil {
		mark(r.sub.H0.Support(), true)
	}
	for k := range r.sub.Cuts {
		mark(r.sub.Cuts[k].Idx, true)
	}
	for i := range r.p.Constraints {
		c := &r.p.Constraints[i]
		for k := range c.Lo {
			if !c.DC && c.Lo[k] == c.Hi[k] {
				mark(c.A.Entry(k).Idx, false)
			}
		}
	}
	return alone
}

// mirrored is v on the other side of the middle of its bounds, or of 0 where one
// of them is infinite; v itself where that is out of bounds.
func (r *run) mirrored(j int, v float64) float64 {
	m := r.lo[j] + r.hi[j] - v
	if !subproblem.IsFinite(m) {
		m = -v
	}
	if m < r.lo[j] || m > r.hi[j] {
		return v
	}
	return m
}

// along takes the best of the local minima on a grid over coordinate j, each
// refined by golden sections.
func (b *probe) along(r *run, j int, value func(int, float64) float64, accept func(int, float64, float64) bool) {
	x, reach := b.x[j], 4*max(r.sub.Units[j], math.Abs(b.x[j]))
	lo, hi := max(r.lo[j], x-reach), min(r.hi[j], x+reach)
	if !(lo < hi) {
		return
	}
	at := func(k int) float64 { return lo + (hi-lo)*float64(k)/(2*gridHalf) }
	before, here := math.Inf(1), value(j, at(0))
	topV, topφ, topK := 0.0, math.Inf(1), -1
	for k := 0; k <= 2*gridHalf; k++ {
		after := math.Inf(1)
		if k < 2*gridHalf {
			after = value(j, at(k+1))
		}
		inOwn := math.Abs(at(k)-x) <= (hi-lo)/(2*gridHalf)
		if here <= before && here < after && !inOwn && here < topφ {
			topV, topφ, topK = at(k), here, k
		}
		before, here = here, after
	}
	if topK < 0 {
		return
	}
	a, c := at(max(topK-1, 0)), at(min(topK+1, 2*gridHalf))
	const ratio = 0.6180339887498949
	u, v := c-ratio*(c-a), a+ratio*(c-a)
	fu, fv := value(j, u), value(j, v)
	for range refine {
		if fu <= fv {
			c, v, fv = v, u, fu
			u = c - ratio*(c-a)
			fu = value(j, u)
		} else {
			a, u, fu = u, v, fv
			v = a + ratio*(c-a)
			fv = value(j, v)
		}
	}
	if fu < topφ {
		topV, topφ = u, fu
	}
	if fv < topφ {
		topV, topφ = v, fv
	}
	accept(j, topV, topφ)
}
