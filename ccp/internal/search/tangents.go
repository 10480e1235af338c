package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
)

// Tangents leaves weak critical points: at a kink of an h the tangent is one of many,
// and a point that is stationary for the chosen one need not be for the others. It
// tries the tangents at the point itself and a hair beside it, in random directions.
// They lie below h as well, so nothing else changes in the procedure.
type Tangents struct {
	Around
	Most int // tries at a point

	left      []float64 // a point with no other tangents to try
	tries     int
	objective float64 // at the point to leave, minimised
	tried     []linearisation
	rng       *rand.Rand
}

// linearisation is the values of one.
type linearisation struct{ q, a, p []float64 }

// Source: ablation table of docs/ccp.md; hair is above the accuracy of a backend and
// below the digits that matter to a user.
const (
	hair     = 1e-6       // how far beside, relative to the largest entry of the variable
	mostKept = 20_000_000 // numbers kept of all tangents tried; no escape from a larger problem
	another  = 1e-3       // change of a slope, relative to the largest, that tells a kink from curvature
)

// Reset forgets the tangents that were tried at another point.
func (t *Tangents) Reset() { t.tries, t.tried = 0, t.tried[:0] }

// Next is the point with tangents that have not been tried, one iteration from which
// has to lead to a better point.
func (t *Tangents) Next(p *Point) (Move, bool) {
	if slices.Equal(t.left, p.X) {
		return Move{}, false
	}
	z, ok := t.Untried(p.X, p.Tau)
	if !ok {
		t.left = append(t.left[:0], p.X...)
		return Move{}, false
	}
	t.objective = t.Sub.DC.Objective.Value(p.X)
	return Move{X: p.X, Z: z, Restart: Continue, Lost: t.lost}, true
}

// Untried is a point at x or a hair beside it whose tangents have not been tried.
func (t *Tangents) Untried(x []float64, τ float64) (z []float64, ok bool) {
	if t.Most == 0 || t.Sub.Convex() || len(t.Sub.Now.A) > mostKept/(t.Most+1) {
		return nil, false
	}
	if t.rng == nil {
		t.rng = rand.New(rand.NewPCG(t.Seed, 0x6573)) // the second word names the stream
	}
	if len(t.tried) == 0 {
		t.note() // those that led here
	}
	z = make([]float64, len(x))
	for ; t.tries < t.Most && (t.tries == 0 || t.Budget.Affords()); t.tries++ {
		copy(z, x)
		if t.tries > 0 {
			for j := range z {
				z[j] += hair * t.Sub.Size(j) * t.rng.NormFloat64()
			}
		}
		if t.Sub.Inside(z) && t.Sub.Linearise(z, τ) == nil && t.isNew() {
			t.note()
			t.tries++
			return z, true
		}
	}
	return nil, false
}

// lost reports whether the try, its first iteration, has led nowhere.
func (t *Tangents) lost(s Trial) bool {
	if s.K > 1 {
		return false
	}
	if s.Feasible && lower(s.Objective, t.objective, s.Least) {
		t.Reset()
		return false
	}
	t.Budget.Vain += s.Cost
	return true
}

// Ended does nothing: lost has done it.
func (t *Tangents) Ended(Outcome) {}

func (t *Tangents) note() {
	if len(t.tried) < cap(t.tried) {
		t.tried = t.tried[:len(t.tried)+1]
	} else {
		t.tried = append(t.tried, linearisation{})
	}
	l := &t.tried[len(t.tried)-1]
	l.q, l.a, l.p = append(l.q[:0], t.Sub.Now.Q...), append(l.a[:0], t.Sub.Now.A...), append(l.p[:0], t.Sub.Now.P...)
}

func (t *Tangents) isNew() bool {
	for k := range t.tried {
		if !differ(t.tried[k].q, t.Sub.Now.Q) && !differ(t.tried[k].a, t.Sub.Now.A) && !differ(t.tried[k].p, t.Sub.Now.P) {
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
