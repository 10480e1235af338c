package ccp

import (
	"math"
	"math/rand/v2"
)

// At a kink of an h, the tangent is one of many, and a point that is stationary
// for the chosen one need not be for the others: it is a weak critical point
// (Joki, Bagirov, Karmitsa and Mäkelä 2018). escape tries tangents taken a hair
// beside the point, in random directions. They lie below h as well, so nothing
// else changes in the procedure.
type escape struct {
	on        bool // the iteration under way is a try
	tries     int
	x         []float64 // the point to escape from
	objective float64   // there, minimised
	q, a      []float64 // the linearisation there
	rng       *rand.Rand
}

const (
	hair    = 1e-6 // how far beside, relative to max(1, the largest variable)
	another = 1e-3 // change of a slope, relative to the largest, that tells a kink from curvature
)

// failed reports whether the iteration was a try that led nowhere; then x and z
// are back where they were.
func (r *run) failed(it Iteration) bool {
	e := &r.esc
	if !e.on {
		return false
	}
	e.on = false
	obj := r.minimised(it.Objective)
	if it.Relative <= r.set.FeasTol && obj < e.objective-r.set.Tol*max(1, math.Abs(e.objective)) {
		e.tries = 0
		return false
	}
	copy(r.x, e.x)
	copy(r.z, e.x)
	return true
}

// leave looks for another tangent at a point where the procedure has converged,
// and puts z there. It reports whether there is one to try.
func (r *run) leave() bool {
	e := &r.esc
	if r.set.Escapes == 0 || r.sub.h0 == nil && len(r.sub.cuts) == 0 {
		return false
	}
	if e.rng == nil {
		e.rng = rand.New(rand.NewPCG(r.set.Seed, 0x6573)) // the second word is arbitrary and fixed
	}
	e.x = append(e.x[:0], r.x...)
	e.objective = r.p.Objective.Value(r.x)
	if !r.sub.inside(r.x) || r.sub.linearise(r.x, r.τ) != nil {
		return false
	}
	e.q, e.a = append(e.q[:0], r.sub.now.Q...), append(e.a[:0], r.sub.now.A...)
	length := hair * max(1, maxAbs(r.x))
	for e.tries < r.set.Escapes {
		e.tries++
		for j, v := range r.x {
			r.z[j] = v + length*e.rng.NormFloat64()
		}
		if r.sub.inside(r.z) && r.sub.linearise(r.z, r.τ) == nil &&
			(differ(e.q, r.sub.now.Q) || differ(e.a, r.sub.now.A)) {
			e.on = true
			return true
		}
	}
	copy(r.z, r.x)
	return false
}

func differ(a, b []float64) bool {
	top := maxAbs(a)
	for k := range a {
		if math.Abs(a[k]-b[k]) > another*top {
			return true
		}
	}
	return false
}

// minimised is an objective as reported, with the sign in which it is
// minimised.
func (r *run) minimised(objective float64) float64 {
	if r.p.Maximize {
		return -objective
	}
	return objective
}
