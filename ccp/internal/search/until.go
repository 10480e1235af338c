package search

import "math"

// Point is where a local search has converged.
type Point struct {
	X         []float64 // the last iterate
	Best      []float64 // the best point so far
	Tau       float64   // penalty weight
	Objective float64   // at Best, minimised
	Least     float64   // the smallest decrease of the objective that counts
}

// Restart says what of a local search's state goes on.
type Restart uint8

// The ways to go on.
const (
	Continue Restart = iota // as if the last iteration had led to the move
	Jump                    // from another point
	Anew                    // as from a start
)

// Trial is an iteration of a local search, for those who may end it.
type Trial struct {
	K         int       // number of the iteration since the move, from 1
	X         []float64 // borrowed
	Objective float64   // at X, minimised
	Before    float64   // in the iteration before; NaN: there is none
	Feasible  bool
	Cost      int     // iterations of the backend
	Best      float64 // the least objective of a point that keeps the constraints
	Least     float64 // the smallest decrease that counts
}

// Move is where a local search is to go on.
type Move struct {
	X, Z    []float64 // the point, and where its tangents are taken
	Restart Restart
	Tau     float64 // with Anew
	// Lost is asked after each iteration whether the search is to be given up.
	Lost func(t Trial) bool
	hop  int
}

// Hop is the number of the hop that the move belongs to, 0 for none.
func (m *Move) Hop() int { return m.hop }

// Outcome is how a local search has ended.
type Outcome struct {
	Converged bool
	Better    bool  // a better point than that of the search's beginning was found
	Over      bool  // nothing may follow: the context ended, or a proof was found
	At        Point // where it converged
}

// Local is a local search from a move.
type Local func(m Move) Outcome

// Kind proposes moves from a point at which the local search has converged.
type Kind interface {
	// Next is the next move from p; ok is false where there is none.
	Next(p *Point) (m Move, ok bool)
	// Ended is told how the local search from the last move has ended.
	Ended(o Outcome)
}

// Until makes moves of the kinds, in their order and again from the first after each,
// until none of them has another one. It returns the outcome of the last search that
// found a better point or ended all, nil if there was none.
func Until(local Local, p *Point, kinds ...Kind) *Outcome {
	var last *Outcome
	for {
		kind, m := next(p, kinds)
		if kind == nil {
			return last
		}
		o := local(m)
		kind.Ended(o)
		if o.Better || o.Over {
			last = &o
		}
		switch {
		case o.Over || o.Better && !o.Converged:
			return last
		case o.Better:
			*p = o.At
		}
	}
}

func next(p *Point, kinds []Kind) (Kind, Move) {
	for _, k := range kinds {
		if m, ok := k.Next(p); ok {
			return k, m
		}
	}
	return nil, Move{}
}

// Budget bounds the cost of searches that find nothing, in iterations of the
// backend, so that a run does not depend on the machine: a share of those that have
// led to the point or, if it is more, the iterations of a few milliseconds.
type Budget struct {
	Work, Vain int     // iterations of the backend so far; of these, by searches in vain
	Solves     int     // convex problems so far
	Size       float64 // entries of the convex problem
}

// Source: chosen on problems of the five families drawn from other seeds than those
// of the benchmark, docs/ccp.md.
const (
	vainShare = 0.35
	vainFloor = 20_000 // iterations times entries of the convex problem
	vainLeast = 2      // convex problems that must be affordable
)

// Affords reports whether there is work left.
func (b *Budget) Affords() bool {
	usual := float64(b.Work) / float64(max(b.Solves, 1))
	return float64(b.Vain)+vainLeast*usual < max(vainShare*float64(b.Work-b.Vain), vainFloor/max(b.Size, 1))
}

// Redrawn is the share of the entries that are drawn anew in a variation of a point.
const Redrawn = 0.15

// lower reports whether a is below b by a decrease that counts.
func lower(a, b, least float64) bool { return !math.IsNaN(a) && a < b-least }
