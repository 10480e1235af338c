package ensemble

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Boosting: Friedman 2001, Greedy function approximation, with small l-DERs of
// a few features as base learners. The numbers were chosen on 46 data sets:
// docs/lab/lder.md, What was chosen on which data.
// Source: chosen on 46 data sets, see above.
const (
	boostRounds   = 80
	boostTries    = 4
	boostFeatures = 3
	boostPieces   = 3
	boostRate     = .3
)

// boostRows bounds the rows that a round is fitted to; of more as many are drawn:
// Friedman 2002, Stochastic gradient boosting.
// Source: a limit of time: a hundred rows for each of the 20 free coefficients.
const boostRows = 2000

// boostStops are the rounds after which the sum is a candidate.
var boostStops = [...]int{5, 20, 40, 80}

// boosted has one chain per bag and one candidate per stop.
type boosted struct {
	chains [][]boostPart
	oof    [len(boostStops)][]float64
}

// boostPart is an l-DER of some features.
type boostPart struct {
	features []int
	pieces   []float64
}

// boost draws the features of a bag from the features of view.
func (b *bagging) boost(ctx context.Context, view *view) (*boosted, error) {
	res := &boosted{chains: make([][]boostPart, len(b.bags))}
	partial := make([][len(boostStops)][]float64, len(b.bags))
	err := b.each(len(b.bags), func(w *worker, k int) error {
		var err error
		res.chains[k], partial[k], err = b.boostBag(ctx, w, k, view)
		b.tell()
		return err
	})
	if err != nil {
		return nil, err
	}
	for s := range res.oof {
		g := &candidate{oof: make([]float64, b.d.M), errs: make([]float64, b.d.M)}
		p := make([][]float64, len(b.bags))
		for k := range b.bags {
			p[k] = partial[k][s]
		}
		b.gather(g, p)
		res.oof[s] = g.oof
	}
	return res, nil
}

// boostBag returns the chain of bag k and, for each stop, the clipped partial sums
// on its held rows.
func (b *bagging) boostBag(ctx context.Context, w *worker, k int,
	view *view) (chain []boostPart, held [len(boostStops)][]float64, err error) {
	d, train, hold := b.d, b.bags[k].train, b.bags[k].hold
	rng := b.rng(stageBoost+view.stage(), k)
	d.Gather(&w.data, train, nil)
	from := view.of(k)
	if from == nil {
		from = make([]int, d.N)
		for j := range from {
			from[j] = j
		}
	}
	from = from[:len(from)-1]
	n := min(boostFeatures, len(from))
	sum := make([]float64, len(hold))
	x := make([]float64, n+1)
	opt := refit.Options{R1: boostPieces, R2: boostPieces, Penalty: refit.Penalty{Linear: 1e-3, Pieces: 1e-2},
		MaxIter: 6, Tol: 1e-3}
	var some []int
	columns := make([]int, n+1)
	order := make([]int, len(from))
	for round := 1; round <= boostRounds; round++ {
		best := boostPart{}
		least := math.Inf(1)
		if round == 1 || len(train) > boostRows {
			some = subset(some[:0], len(train), boostRows, rng)
		}
		for range boostTries {
			copy(order, from)
			for j := range n { // the first n of a shuffle
				t := j + rng.IntN(len(order)-j)
				order[j], order[t] = order[t], order[j]
			}
			copy(columns, order[:n])
			columns[n] = d.N - 1
			w.data.Gather(&w.part, some, columns)
			if err := w.fitter.Cold(ctx, &w.part, opt, rng); err != nil {
				return nil, held, err
			}
			w.iters += w.fitter.Iterations
			if w.fitter.Objective < least {
				least = w.fitter.Objective
				best.features = append(best.features[:0], columns[:n]...)
				best.pieces = append(best.pieces[:0], w.fitter.Pieces...)
			}
		}
		if math.IsInf(least, 1) { // no fit: leave the sum as it is
			best = boostPart{append([]int(nil), columns[:n]...), make([]float64, 2*boostPieces*(n+1))}
		}
		for j := range best.pieces {
			best.pieces[j] *= boostRate
		}
		for i := range train {
			w.data.Y[i] -= best.at(w.data.Row(i), x)
		}
		for t, i := range hold {
			sum[t] += best.at(d.Row(i), x)
		}
		chain = append(chain, best)
		for s, stop := range boostStops {
			if stop == round {
				for _, v := range sum {
					held[s] = append(held[s], b.clip.Clip(v))
				}
			}
		}
	}
	return chain, held, nil
}

// subset appends k of the numbers 0..n-1, all where there are no more, in their order;
// each such set has the same probability.
func subset(dst []int, n, k int, rng *rand.Rand) []int {
	for i := range n {
		if k >= n-i || rng.IntN(n-i) < k {
			dst = append(dst, i)
			k--
		}
	}
	return dst
}

// at is the value at a row of all features; x is memory for the features of the
// part and a 1.
func (p *boostPart) at(row, x []float64) float64 {
	for k, j := range p.features {
		x[k] = row[j]
	}
	x[len(p.features)] = 1
	return refit.Eval(p.pieces, boostPieces, x)
}
