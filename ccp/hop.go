package ccp

import (
	"math"
	"math/rand/v2"
	"strings"
)

// Where the procedure has converged and nothing finds a better point nearby, hop
// takes the tangents elsewhere and lets the point descend again, from the best
// one so far each time: monotonic basin hopping of Leary 2000, an iterated local
// search as Lourenço, Martin and Stützle 2003 have it. Grosso, Jamali, Locatelli
// and Schoen 2010 pack circles so.
type hops struct {
	on        bool
	count     int
	x         []float64 // the point to hop from
	duals     [][]float64
	objective float64 // there, minimised
	τ         float64 // and the τ that led there
	message   string
	vain      int // r.vain and r.work when the hop began
	work      int
	open      int  // infeasible iterations of the hop
	back      bool // it has led back to where it began
	same      int  // hops in a row that have
	kind      int
	reach     float64
	spots     []int // entries that an h depends on, free to move
	rng       *rand.Rand
}

// The kinds of hops. One that has led to a better point is repeated, else the
// next one follows.
const (
	hopBeside = iota // all entries move, by a share of the size of their variable
	hopRedraw        // some, at least one, are drawn anew, as in a variation
	hopSwap          // two parts of a variable change places, as two circles of a packing
	numHops
)

const (
	nearest  = 0.03 // share of the size of the variables by which entries move
	further  = 3    // each time, until the farthest; then it begins anew
	farthest = 0.3

	hopOpen = 3    // infeasible iterations of a hop that are not given up
	hopBack = 1e-3 // distance, relative to the size of the variables, at which a hop has come back
	hopSame = 3    // hops in a row that come back: there is but one point around
	hopSlow = 2    // decreases such as the last that are not enough to catch up
)

// What escapes and hops may cost, in iterations of the backend, so that a run
// does not depend on the machine: a share of those that have led to the point or,
// if it is more, what takes a few milliseconds.
const (
	vainShare = 0.35
	vainFloor = 20_000 // iterations times entries of the convex problem
	vainLeast = 2      // convex problems that must be affordable
)

// affords reports whether there is work left for escapes and hops.
func (r *run) affords() bool {
	size := float64(r.sub.QP.A.NNZ() + r.sub.QP.P.NNZ())
	return float64(r.vain)+vainLeast*r.usual() < max(vainShare*float64(r.work-r.vain), vainFloor/max(size, 1))
}

// usual is what a convex problem has cost so far, on average.
func (r *run) usual() float64 { return float64(r.work) / float64(max(r.k, 1)) }

// hop begins the next hop from a point at which the procedure has converged, and
// reports whether there is one. After the last one the run is as it was at the
// best of these points.
func (r *run) hop() bool {
	h := &r.hops
	switch {
	case h.on:
		if r.res.Status == Unbounded || r.res.Status == Cancelled || !r.land() {
			return false
		}
	case r.res.Status != Converged || r.set.Hops == 0 || r.sub.Convex():
		return false
	default:
		h.rng = rand.New(rand.NewPCG(r.set.Seed, 0x686f+uint64(r.res.Start))) // arbitrary and fixed, and another one for each start
		h.spots, h.reach = r.curved(), nearest
		r.rest()
	}
	if h.count >= r.set.Hops || h.same >= hopSame || r.k >= r.set.MaxIter || !r.affords() {
		r.stop(Converged, h.message)
		return false
	}
	h.back, h.on, h.open, h.vain, h.work = false, true, 0, r.vain, r.work
	h.count++
	r.τ, r.res.Status = h.τ, Unknown
	r.esc.on, r.esc.tries, r.esc.tried = false, 0, r.esc.tried[:0]
	r.boost.λ, r.inertia.count = 0, 0
	r.idle, r.flat, r.noisy, r.strict = 0, 0, 0, false
	r.again, r.rescued = attempts, mostRescued // what goes wrong ends the hop
	r.prev = Iteration{Objective: math.NaN()}
	r.perturb()
	return true
}

// rest takes note of a point at which the procedure has converged.
func (r *run) rest() {
	h := &r.hops
	h.x = append(h.x[:0], r.res.X...)
	h.objective, h.τ, h.message = r.minimised(r.res.Objective), r.τ, r.res.Message
	if len(r.sub.Res.Y) == len(r.sub.Rows) {
		h.duals = r.sub.Duals()
	}
}

// land ends a hop, however it ended. It returns false where it has led to a
// better point than one at which the procedure has converged, but not to the end
// of the descent.
func (r *run) land() bool {
	h := &r.hops
	h.on = false
	r.vain = h.vain + r.work - h.work
	switch {
	case !r.ahead():
		h.kind = (h.kind + 1) % numHops
		if h.same++; !h.back {
			h.same = 0
		}
	case r.res.Status != Converged:
		r.stop(Converged, strings.TrimSpace("the point is better than one at which the procedure had converged; a hop from there was not finished; "+r.res.Message))
		return false
	default:
		h.same = 0
		r.rest()
	}
	return true
}

// ahead reports whether a hop has found a better point than it began at.
func (r *run) ahead() bool {
	h := &r.hops
	return r.res.nearly && r.minimised(r.res.Objective) < h.objective-r.set.Tol*r.span
}

// behind reports whether a hop under way has not.
func (r *run) behind() bool { return r.hops.on && !r.ahead() }

// astray reports whether a hop is to be given up: it stays infeasible, falls too
// slowly to get to where it began, or costs more than all hops may.
func (r *run) astray(it Iteration) bool {
	h := &r.hops
	if !r.behind() || r.esc.on {
		return false
	}
	if !r.keeps(it) {
		h.open++
		return h.open > hopOpen
	}
	obj, before := r.minimised(it.Objective), r.minimised(r.prev.Objective)
	h.back = true
	for j, v := range h.x {
		h.back = h.back && math.Abs(it.X[j]-v) <= hopBack*max(r.sub.Units[j], math.Abs(v))
	}
	if h.back = h.back || obj-h.objective <= 10*r.set.Tol*r.span; h.back {
		return true
	}
	return obj-h.objective > hopSlow*math.Abs(before-obj)
}

// perturb puts x and z to where the hop begins.
func (r *run) perturb() {
	h := &r.hops
	copy(r.x, h.x)
	copy(r.z, h.x)
	switch kind := h.kind; {
	case kind == hopSwap && r.swap():
	case kind == hopRedraw && len(h.spots) > 0:
		y, one := around(r.p, h.rng.Uint64()), h.spots[h.rng.IntN(len(h.spots))]
		for _, j := range h.spots {
			if j == one || h.rng.Float64() < redrawn {
				r.put(j, y[j])
			}
		}
	default:
		for _, v := range r.p.Vars {
			s := spread(h.x[v.Offset:][:v.Len()], v.Size())
			for k := range v.Len() {
				j := v.Offset + k
				if r.lo[j] == r.hi[j] {
					continue
				}
				r.put(j, h.x[j]+h.reach*s*h.rng.NormFloat64())
			}
		}
		if h.reach *= further; h.reach > farthest {
			h.reach = nearest
		}
	}
	if !r.sub.Inside(r.z) {
		copy(r.z, h.x)
	}
}

// put moves entry j of z to v, or to the bound that is in the way.
func (r *run) put(j int, v float64) { r.z[j] = min(max(v, r.lo[j]), r.hi[j]) }

// spread is the root mean square, other if that is 0.
func spread(v []float64, other float64) float64 {
	s := 0.0
	for _, e := range v {
		s += e * e
	}
	if s == 0 {
		return other
	}
	return math.Sqrt(s / float64(len(v)))
}

// swap exchanges two parts of a variable, each all entries of one first index. It
// returns false where the variable that it chose has but one.
func (r *run) swap() bool {
	h := &r.hops
	if len(h.spots) == 0 {
		return false
	}
	j := h.spots[h.rng.IntN(len(h.spots))]
	for _, v := range r.p.Vars {
		n := v.Len()
		if j < v.Offset || j >= v.Offset+n {
			continue
		}
		parts := n
		if len(v.Shape) > 1 && !v.Symmetric {
			parts = v.Shape[0]
		}
		if parts < 2 {
			return false
		}
		size := n / parts
		a, b := (j-v.Offset)/size, h.rng.IntN(parts-1)
		if b >= a {
			b++
		}
		for k := range size {
			p, q := v.Offset+a*size+k, v.Offset+b*size+k
			r.put(p, h.x[q])
			r.put(q, h.x[p])
		}
	}
	return true
}

// curved lists the entries that an h depends on and that are free to move.
func (r *run) curved() []int {
	in := make([]bool, len(r.x))
	mark := func(list []int) {
		for _, j := range list {
			in[j] = true
		}
	}
	if r.sub.H0 != nil {
		mark(r.sub.H0.Support())
	}
	for k := range r.sub.Cuts {
		mark(r.sub.Cuts[k].Idx)
	}
	var spots []int
	for j, ok := range in {
		if ok && r.lo[j] < r.hi[j] {
			spots = append(spots, j)
		}
	}
	return spots
}

// number is that of the hop under way, 0 in the descent from the start.
func (h *hops) number() int {
	if h.on {
		return h.count
	}
	return 0
}
