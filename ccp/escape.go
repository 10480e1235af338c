package ccp

import (
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"math"
	"math/rand/v2"
)

// At a kink of an h, the tangent is one of many, and a point that is stationary
// for the chosen one need not be for the others: it is a weak critical point
// (Joki, Bagirov, Karmitsa, Mäkelä and Taheri 2018). escape tries the tangents at the
// point itself and a hair beside it, in random directions. They lie below h as
// well, so nothing else changes in the procedure.
type escape struct {
	on        bool // the iteration under way is a try
	tries     int
	x         []float64 // the point to escape from
	objective float64   // there, minimised
	tried     []tangents
	rng       *rand.Rand
}

// tangents are the values of a linearisation.
type tangents struct{ q, a []float64 }

const (
	hair     = 1e-6       // how far beside, relative to the largest entry of the variable
	mostKept = 20_000_000 // numbers kept of all tangents tried; no escape from a larger problem
	another  = 1e-3       // change of a slope, relative to the largest, that tells a kink from curvature
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
	if r.keeps(it) && obj < e.objective-r.set.Tol*r.span {
		e.tries, e.tried = 0, e.tried[:0]
		return false
	}
	r.vain += it.Solver
	copy(r.x, e.x)
	copy(r.z, e.x)
	return true
}

// leave looks for tangents that have not been tried at a point where the
// procedure has converged, and puts z where they are those of. It reports
// whether there are any.
func (r *run) leave() bool {
	e := &r.esc
	if r.set.Escapes == 0 || r.behind() || r.sub.Convex() || len(r.sub.Now.A) > mostKept/(r.set.Escapes+1) {
		return false
	}
	if e.rng == nil {
		e.rng = rand.New(rand.NewPCG(r.set.Seed, 0x6573)) // the second word is arbitrary and fixed
	}
	e.x = append(e.x[:0], r.x...)
	e.objective = r.p.Objective.Value(r.x)
	if len(e.tried) == 0 {
		e.note(r.sub) // those that led here
	}
	for ; e.tries < r.set.Escapes && (e.tries == 0 || r.affords()); e.tries++ {
		copy(r.z, r.x)
		if e.tries > 0 {
			for j := range r.z {
				r.z[j] += hair * max(r.sub.Units[j], r.sub.Sizes[j]) * e.rng.NormFloat64()
			}
		}
		if r.sub.Inside(r.z) && r.sub.Linearise(r.z, r.τ) == nil && e.isNew(r.sub) {
			e.note(r.sub)
			e.tries++
			e.on = true
			return true
		}
	}
	copy(r.z, r.x)
	return false
}

func (e *escape) note(s *subproblem.Problem) {
	if len(e.tried) < cap(e.tried) {
		e.tried = e.tried[:len(e.tried)+1]
	} else {
		e.tried = append(e.tried, tangents{})
	}
	t := &e.tried[len(e.tried)-1]
	t.q, t.a = append(t.q[:0], s.Now.Q...), append(t.a[:0], s.Now.A...)
}

func (e *escape) isNew(s *subproblem.Problem) bool {
	for k := range e.tried {
		if !differ(e.tried[k].q, s.Now.Q) && !differ(e.tried[k].a, s.Now.A) {
			return false
		}
	}
	return true
}

func differ(a, b []float64) bool {
	top := subproblem.MaxAbs(a)
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
