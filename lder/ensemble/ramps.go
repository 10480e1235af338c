package ensemble

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Ramps: ridge regression on features that are drawn, not trained (Rahimi and
// Recht 2008, Weighted sums of random kitchen sinks). Each rises linearly from
// −1 to 0 along a direction of one or two features and is constant before and
// after,
//
//	(max(⟨w, x⟩, s) − max(⟨w, x⟩, t)) / (t − s),   s < t:
//
// an l-DER and, unlike the other candidates, bounded. Numbers chosen on 90 tables:
// docs/lab/lder.md, What was chosen on which data. One fit serves both for the predictions of rows
// it has not seen and for the model. The candidate is the mean of several draws. Source: chosen on
// 46 data sets, see above; rampRows is a limit of time.
const (
	rampDraws    = 8
	rampCount    = 100
	rampFeatures = 2
	// rampWidth is the least t − s; ⟨w, x⟩ of one feature has variance 1.
	rampWidth = .05
	// rampRows is the number of rows up to which ramps are used: they take rampCount
	// numbers per row, and the square of rampCount operations.
	rampRows = 20000
	// The penalties, as numbers of ridgeWeight: 1e-5 to 1.
	rampLightest, rampHeaviest = 6, 16
)

// ramp is (max(⟨w, x⟩, s) − max(⟨w, x⟩, t)) / (t − s).
type ramp struct {
	features []int
	w        []float64 // of length 1
	s, t     float64
}

// drawn is the mean of several sums of ramps, one per draw.
type drawn struct {
	sums [][]boostPart
	oof  []float64
}

// ramps draws and fits; nil for data that have too many rows.
func (b *bagging) ramps(ctx context.Context) (*drawn, error) {
	if b.d.M > rampRows {
		return nil, nil
	}
	res := &drawn{oof: make([]float64, b.d.M), sums: make([][]boostPart, rampDraws)}
	var oof [rampDraws][]float64
	err := b.each(rampDraws, func(_ *worker, k int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if res.sums[k], oof[k], err = b.rampDraw(ctx, k); err == nil {
			b.tell()
		}
		return err
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	for _, p := range oof {
		for i, v := range p {
			res.oof[i] += v / rampDraws
		}
	}
	return res, nil
}

// rampDraw returns the sum of ramps of a draw and its predictions of rows that it
// has not seen, clipped.
func (b *bagging) rampDraw(ctx context.Context, draw int) ([]boostPart, []float64, error) {
	all := drawRamps(b.d, nil, b.rng(stageRamps, draw))
	d, scale := valuesOf(all, b.d)
	r, oof, err := b.ridge(ctx, d, ridgeRange(rampLightest, rampHeaviest), nil)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range oof {
		oof[i] = b.clip.Clip(v)
	}
	return summed(all, scale, r), oof, nil
}

// valuesOf are the ramps, times scale, at the rows of d, with the constant last. The
// penalties mean the same for any number of ramps.
func valuesOf(all []ramp, d *refit.Data) (values *refit.Data, scale float64) {
	n := len(all)
	scale = 2 / math.Sqrt(float64(n))
	values = &refit.Data{M: d.M, N: n + 1, X: make([]float64, d.M*(n+1)), Y: d.Y, W: d.W}
	for i := range d.M {
		row := values.Row(i)
		for k := range all {
			row[k] = scale * all[k].at(d.Row(i))
		}
		row[n] = 1
	}
	return values, scale
}

// summed is the linear model of ramps as a sum of l-DERs.
func summed(all []ramp, scale float64, r *ridge) []boostPart {
	n := len(all)
	var sum []boostPart
	for k := range all {
		sum = append(sum, all[k].part(scale*r.coef[k]))
	}
	// The constant term goes to both pieces of the first maximum.
	first := &sum[0]
	size := len(first.features) + 1
	first.pieces[size-1] += r.coef[n]
	first.pieces[2*size-1] += r.coef[n]
	return sum
}

// bagRamps has one draw for each bag, of the features of view.
func (b *bagging) bagRamps(ctx context.Context, view *view) (*drawn, error) {
	if b.d.M > rampRows {
		return nil, nil
	}
	res := &drawn{oof: make([]float64, b.d.M), sums: make([][]boostPart, len(b.bags))}
	partial := make([][]float64, len(b.bags))
	err := b.each(len(b.bags), func(w *worker, k int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.d.Gather(&w.data, b.bags[k].train, nil)
		all := drawRamps(&w.data, view.of(k), b.rng(stageRamps+view.stage(), k))
		values, scale := valuesOf(all, &w.data)
		r := likeliestRidge(values, ridgeRange(rampLightest, rampHeaviest))
		res.sums[k] = summed(all, scale, r)
		x := make([]float64, len(all)+1)
		x[len(all)] = 1
		for _, i := range b.bags[k].hold {
			for t := range all {
				x[t] = scale * all[t].at(b.d.Row(i))
			}
			partial[k] = append(partial[k], b.clip.Clip(r.predict(x)))
		}
		b.tell()
		return nil
	})
	if err != nil {
		return nil, err
	}
	g := &candidate{oof: res.oof, errs: make([]float64, b.d.M)}
	b.gather(g, partial)
	return res, nil
}

// drawRamps takes the values at two rows as the ends.
func drawRamps(d *refit.Data, columns []int, rng *rand.Rand) []ramp {
	all := make([]ramp, rampCount)
	n := d.N - 1
	if columns != nil {
		n = len(columns) - 1
	}
	for k := range all {
		r := &all[k]
		r.features = rng.Perm(n)[:1+rng.IntN(min(rampFeatures, n))]
		if columns != nil {
			for t, j := range r.features {
				r.features[t] = columns[j]
			}
		}
		sum := 0.0
		for range r.features {
			v := rng.NormFloat64()
			r.w = append(r.w, v)
			sum += v * v
		}
		for j := range r.w {
			r.w[j] /= math.Sqrt(sum)
		}
		p, q := r.along(d.Row(rng.IntN(d.M))), r.along(d.Row(rng.IntN(d.M)))
		r.s = min(p, q)
		r.t = max(p, q, r.s+rampWidth)
	}
	return all
}

// along is ⟨w, x⟩ for a row of all features.
func (r *ramp) along(row []float64) float64 {
	u := 0.0
	for k, j := range r.features {
		u += r.w[k] * row[j]
	}
	return u
}

func (r *ramp) at(row []float64) float64 {
	u := r.along(row)
	return (max(u, r.s) - max(u, r.t)) / (r.t - r.s)
}

// part is the ramp times c, with two pieces in each maximum.
func (r *ramp) part(c float64) boostPart {
	c /= r.t - r.s
	s, t := r.s, r.t
	if c < 0 {
		c, s, t = -c, t, s
	}
	var pieces []float64
	for _, end := range []float64{s, t} {
		for _, v := range r.w {
			pieces = append(pieces, c*v)
		}
		pieces = append(pieces, 0)
		pieces = append(pieces, make([]float64, len(r.w))...)
		pieces = append(pieces, c*end)
	}
	return boostPart{r.features, pieces}
}

// chainsOf returns one chain per draw.
func (r *drawn) chainsOf(weight float64) []Chain {
	var out []Chain
	for _, sum := range r.sums {
		c := Chain{Stops: []Stop{{len(sum), weight / float64(len(r.sums))}}}
		for _, p := range sum {
			c.Parts = append(c.Parts, Part{Pieces: p.pieces, R1: 2, Features: p.features})
		}
		out = append(out, c)
	}
	return out
}
