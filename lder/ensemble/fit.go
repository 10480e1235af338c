package ensemble

import (
	"context"
	"math"
	"sync"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Recipe names the model that Fit trains.
type Recipe uint8

// The recipes.
const (
	// Single is one model: the size and penalty whose members do best on rows that
	// they have not seen, or the linear model; the best of these members, continued on all rows.
	Single Recipe = iota
	// Cheap is a stack of ten members at each of three penalties.
	Cheap
	// Bagged is a stack of twenty members at each of twelve sizes and penalties.
	Bagged
	// Boosted is Bagged with boosted sums of small models and with sums of ramps.
	Boosted
)

// Problem is the training data.
type Problem struct {
	// Data has standardised features, and a target of standard deviation 1 about.
	Data *refit.Data
	// Clip bounds the predictions.
	Clip Range
	// Hinge says that the target is -1 or 1 and that errors beyond it are none.
	Hinge bool
}

// Settings of a fit.
type Settings struct {
	Recipe  Recipe
	Seed    uint64
	Workers int // goroutines; the result does not depend on it
	// MaxFeatures bounds the features of a model; 0: no bound. Each member of a stack
	// has features of its own.
	MaxFeatures int
	// FormulaSize bounds the terms of the formula of Single: slopes and constants that
	// are not 0; 0: no bound.
	FormulaSize int
	// Progress receives the number of units of work done, one call at a time; nil for
	// none.
	Progress func(done, total int)
}

// Result is a trained model: chains whose weights sum to 1; for Single one chain of
// one part and weight 1.
type Result struct {
	Chains []Chain
	Clip   Range // of the partial sums
	// HeldOut is the cross-validated mean squared error, -1 where the error on new
	// rows is unknown (see the function HeldOut): each row is predicted by members
	// not trained on it, and the kind of model or the weights come from the rows of
	// the other folds.
	HeldOut float64
	// Unseen are the cross-validated predictions.
	Unseen     []float64
	StartMSE   float64 // of the mean
	Iterations int     // least squares problems solved
}

// Chain is a sequence of l-DERs whose clipped partial sums are used.
type Chain struct {
	Parts []Part
	Stops []Stop // by ascending After
}

// Part is an l-DER of some of the features, or a sum of l-DERs that is a tree.
type Part struct {

	// Pieces are the R1 pieces of the first maximum, then the R2 pieces of the second, each
	// with a slope for each feature and a constant.
	Pieces   []float64
	R1       int
	Features []int // their numbers; nil: all
	Tree     *Tree // in the place of Pieces
}

// Stop is a term: Weight times the clipped sum of the first After parts.
type Stop struct {
	After  int
	Weight float64
}

// Range is an interval that predictions are clipped to.
type Range struct{ Lo, Hi float64 }

// Unclipped is the range that clips nothing.
func Unclipped() Range { return Range{math.Inf(-1), math.Inf(1)} }

// Clip is v, or the end of the range that it lies beyond.
func (r Range) Clip(v float64) float64 { return min(max(v, r.Lo), r.Hi) }

// Rounding bounds the variance of a standardised target that is constant except
// for rounding errors.
const Rounding = refit.Rounding

// Fit trains. When the context ends it returns the error of the context and the
// model from the candidates that were complete, without chains if there is none.
func Fit(ctx context.Context, p Problem, set Settings) (Result, error) {
	s := &sample{d: p.Data, clip: p.Clip, hinge: p.Hinge}
	if set.Recipe == Single {
		return fitSingle(ctx, s, set)
	}
	return fitStack(ctx, s, set)
}

// sample is a Problem.
type sample struct {
	d     *refit.Data
	clip  Range
	hinge bool
}

// counter tells Progress how much is done.
func (s Settings) counter(total int) func() {
	if s.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		s.Progress(done, total)
	}
}

// alone is a chain of one l-DER.
func alone(pieces []float64, r1 int, weight float64) Chain {
	return Chain{Parts: []Part{{Pieces: pieces, R1: r1}}, Stops: []Stop{{1, weight}}}
}
