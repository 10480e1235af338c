package search

import (
	"math"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/program"
)

// Point is where a local search has converged.
type Point struct {
	X         []float64 // the last iterate
	Best      []float64 // the best point so far
	Tau       float64   // penalty weight
	Objective float64   // at Best, minimised, and the bound of its rounding error added
	Least     float64   // the smallest decrease of the objective that counts
}

// Trial is an iteration of a local search, for those who may end it.
type Trial struct {
	K         int       // number of the iteration since the move, from 1
	X         []float64 // borrowed
	Objective float64   // at X, minimised, and the bound of its rounding error added
	Before    float64   // in the iteration before; +Inf: there is none
	Feasible  bool
	Best      float64 // the least Objective of a point that satisfies the constraints
	Least     float64 // the smallest decrease that counts
}

// Move is where a local search is to go on.
type Move struct {
	X   []float64 // the point
	Z   []float64 // where the search begins anew, as from a start, with the tangents there; nil: it goes on from X
	Tau float64   // with Z
	// Lost is asked after each iteration whether the search is to be given up.
	Lost func(t Trial) bool
	// Slight says of a move by Improving that the decrease is more than the objective's rounding
	// error, and no more than counts.
	Slight bool
	Hop    int // the number of the hop that the move belongs to, 0 for none
}

// Outcome is how a local search has ended.
type Outcome struct {
	Converged bool
	Better    bool  // a better point than at the search's beginning was found
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

// Around is the knowledge of kinds of search about the problem and the run.
type Around struct {
	Sub    *subproblem.Problem
	Budget *Budget
	Seed   uint64
	Start  uint64    // number of the start: each has draws of its own
	Lo, Hi []float64 // bounds of the variables
	Slip   float64   // by how much a convex constraint may be broken, and the sum of the others grow
	Values *Values
	Tol    float64                   // of the objective's terms
	Noise  func(x []float64) float64 // bounds the rounding error of the objective at x
	Size   func(x []float64) float64 // program.Problem.ObjectiveVariation
	// Draw draws a point as a start is drawn; More reports whether iterations are
	// left.
	Draw func(seed uint64) []float64
	More func() bool
}

// Ended does nothing: a better point counts.
func (Around) Ended(Outcome) {}

// broken is the largest violation of a convex constraint at x, relative to the size of its terms.
func (a *Around) broken(x []float64) (slip float64) {
	for _, k := range a.Sub.Compiled.Hard {
		slip = max(slip, a.Sub.Compiled.DC.RelativeViolation(k, x))
	}
	return slip
}

// width is the range of variable j; without bounds its size, where it is v.
func (a *Around) width(j int, v float64) float64 {
	if w := a.Hi[j] - a.Lo[j]; !math.IsInf(w, 1) {
		return w
	}
	return max(a.Sub.Size(j), math.Abs(v))
}

// Kinds are kinds of search in the order in which they are tried, and the looks whether a point is
// at rest.
type Kinds struct {
	Moves     []Kind
	Off       bool // there are no such looks
	Pattern   PatternSearch
	Gradients GradientSampling
}

// Until makes moves of the kinds, in their order and again from the first after each,
// until none of them has another one. It returns the outcome of the last search that
// found a better point or ended all, nil if there was none.
func (ks *Kinds) Until(local Local, p *Point) *Outcome {
	var last *Outcome
	for {
		kind, m := ks.next(p)
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

func (ks *Kinds) next(p *Point) (Kind, Move) {
	for _, k := range ks.Moves {
		if m, ok := k.Next(p); ok {
			return k, m
		}
	}
	return nil, Move{}
}

// Improving is a move to a lower point beside the best one; ok is false where none is known.
func (ks *Kinds) Improving(p *Point) (m Move, ok bool) {
	if ks.Off {
		return m, false
	}
	if m, ok = ks.Pattern.Improving(p); ok {
		return m, ok
	}
	return ks.Gradients.Improving(p)
}

// Stationary reports whether the problem is one of which rest can be told: that the last look at
// the best point was a whole one that found no lower point in any direction.
func (ks *Kinds) Stationary() (can, rest bool) {
	return !ks.Off && ks.Gradients.small(), ks.Gradients.whole
}

// MostLeads bounds the small steps at the end of a run that lead on. Source: of 3,000 generated
// problems (make judge, from number 8,600,000 on) 107 did not converge with 5 and steps without
// curvature, 94 with 30 and curvature.
const MostLeads = 30

// Budget bounds the cost of searches that find nothing, in iterations of the
// backend, so that a run does not depend on the machine: a share of those that have
// led to the point or, if it is more, the iterations of a few milliseconds.
type Budget struct {
	// iterations of the backend so far; of these, or in their place, by searches in vain. Of a part
	// of the problem each is a share
	Work, Vain float64
	First      float64     // iterations of the first convex problem
	Extra      int         // cost of searches without the backend, in its iterations
	Solves     int         // convex problems so far
	Ended      func() bool // reports whether the run has been ended; nil: it never is
	Size       float64     // entries of the convex problem
	// Values are those of the objective so far, subgradients among them, but for searches that
	// count theirs in Extra; Coefficients are about those that each visits.
	Values       int
	Visited      float64          // coefficients that searches by values have visited
	Afforded     int              // of Extra, by Afford
	Meter        subproblem.Meter // of all convex problems
	Coefficients float64
	rows         float64 // the same of the splits of constraints that are stated one by one
}

// NewBudget is that of a run that has spent nothing.
func NewBudget(sub *subproblem.Problem) Budget {
	b := Budget{Size: sub.Entries(), Coefficients: float64(family.Coefficients(sub.Compiled.DC.Objective))}
	cs := sub.Compiled.DC.Constraints
	for k := 0; k < len(cs); k++ {
		if m := cs[k].Members(); m != nil {
			k += m.Count() - 1
		} else if e := cs[k].Function(); len(e.Terms) > 0 {
			b.rows += float64(family.SplitCoefficients(e))
		}
	}
	return b
}

// Source: chosen on problems of the five families drawn from other seeds than those
// of the benchmark, docs/lab/ccp.md.
const (
	vainShare = 0.35
	vainFloor = 20_000 // iterations times entries of the convex problem
	vainLeast = 2      // convex problems that must be affordable
)

// Add adds the iterations of a convex problem, number k from 1.
func (b *Budget) Add(iterations float64, k int) {
	if b.Solves == 0 {
		b.First = iterations
	}
	b.Work += iterations
	b.Solves = k
}

// Spent is the work so far, in iterations of the backend times entries of the convex
// problem, to which the overhead of an iteration is added: some have no entries, only bounds.
func (b *Budget) Spent() float64 { return (b.Work + float64(b.Extra)) * (b.Size + Overhead) }

// Used is the work of the run, in sparse multiplications of a backend: of convex problems, values,
// searches without the backend, and of making the convex problem.
func (b *Budget) Used() float64 {
	visits := b.Visited + float64(b.Values)*(b.Coefficients+b.rows+evaluationOverhead)
	return b.Meter.Work() + visit*visits + entry*float64(b.Extra-b.Afforded)*(b.Size+Overhead) +
		compiling*(b.Coefficients+b.rows+Overhead)
}

// Times in a multiplication of 10 nanoseconds. Source: least squares of the times of one processor
// for 155 examples and small problems of MINLPLib, 0.05 to 2 s each; six in seven take the time of
// their work within a factor of 2, all between a fifth of it and 2.6 times as long:
// docs/lab/ccp.md, "Starts".
const (
	visit     = 0.8
	entry     = 7.5
	compiling = 30
)

// Afford makes the work at least that much, as if it had been spent: searches in its place are paid
// by it.
func (b *Budget) Afford(work float64) {
	if more := work - b.Spent(); more > 0 {
		n := int(more / (b.Size + Overhead))
		b.Extra, b.Afforded = b.Extra+n, b.Afforded+n
	}
}

// Affords reports whether there is work left for convex problems.
func (b *Budget) Affords() bool {
	return b.affords(vainLeast * b.Work / float64(max(b.Solves, 1)))
}

// ended reports whether a search has to stop where it is.
func (b *Budget) ended() bool { return b.Ended != nil && b.Ended() }

// affords reports whether that many iterations of the backend may be spent in vain.
func (b *Budget) affords(more float64) bool {
	return !b.ended() && b.Vain+more < max(vainShare*(b.Work+float64(b.Extra)-b.Vain), vainFloor/max(b.Size, 1))
}

// Overhead is the cost of an iteration of the backend beside its entries, in
// entries. Source: of the reference problems the smallest take about 25 microseconds for
// one, those of thousands of entries 0.05 to 0.1 for each entry.
const Overhead = 300

// evaluation is the cost of a coefficient of a value and a gradient in that of an entry of the
// convex problem in an iteration of the backend. Source: dcbench's fits and support vector machines
// and a network of two layers take 3 to 8 nanoseconds for a coefficient, an iteration 50 to 100 for
// an entry.
const evaluation = 1. / 15

// evaluationOverhead is the cost of a value and a gradient beside their coefficients, in these.
// Source: problems of two variables take 2 microseconds, dcbench's fits 3 to 8 nanoseconds for a
// coefficient.
const evaluationOverhead = 400

// clearly is how many decreases that count make a move by values. Source: ablation table
// of docs/lab/ccp.md.
const clearly = 10

// Redrawn is the share of the entries that are drawn anew in a variation of a point.
// Source: docs/lab/ccp.md, Beyond the loop: other shares are no better or worse beyond chance.
const Redrawn = 0.15

// rms is the root mean square, other if that is 0.
func rms(v []float64, other float64) float64 {
	s := 0.0
	for _, e := range v {
		s += e * e
	}
	if s == 0 {
		return other
	}
	return math.Sqrt(s / float64(len(v)))
}

// sizes are Sizes; of a variable that is 0 the size of its starts or bounds, else its unit.
func (a *Around) sizes(x []float64) []float64 {
	return Sizes(a.Sub.Compiled.DC, x, func(v *program.Variable) float64 {
		if size := v.Size(); size > 0 {
			return size
		}
		return a.Sub.Units.Of[v.Offset]
	})
}

func square(v float64) float64 { return v * v }
