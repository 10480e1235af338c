package ensemble

import (
	"context"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// groupStrengths are the strengths of the group penalty on the slopes of each feature that are
// compared, in the order of the path. The gradient of the mean squared error by the slopes of
// a feature is at most 2 for standardised data.
var groupStrengths = [...]float64{.01, .02, .04, .08, .16, .32}

// groupIters bounds the iterations for a strength.
// Source: a limit of time.
const groupIters = 12

// sparse continues the members of a candidate with the group penalty: one candidate for
// each strength, with fewer features as it grows.
func (b *bagging) sparse(ctx context.Context, c *candidate) ([]*candidate, error) {
	d := b.d
	all := make([]*candidate, len(groupStrengths))
	for s, λ := range groupStrengths {
		all[s] = &candidate{r1: c.r1, r2: c.r2, ridge: c.ridge, group: λ, view: c.view, members: c.members,
			oof: make([]float64, d.M), errs: make([]float64, d.M)}
	}
	partial := make([][]float64, len(all)*len(b.bags))
	err := b.each(len(b.bags), func(w *worker, k int) error {
		columns := c.view.of(k)
		d.Gather(&w.data, b.bags[k].train, columns)
		opt := b.groupOptions(c)
		if err := w.fitter.Warm(ctx, &w.data, opt, gathered(c.members[k], columns, d.N)); err != nil {
			return err
		}
		for s := range all {
			if err := w.path(ctx, opt, s, s+1); err != nil {
				return err
			}
			pieces := scatter(w.fitter.Pieces, columns, d.N)
			for _, i := range b.bags[k].hold {
				partial[s*len(b.bags)+k] = append(partial[s*len(b.bags)+k],
					b.clip.Clip(refit.Eval(pieces, c.r1, d.Row(i))))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for s, g := range all {
		b.gather(g, partial[s*len(b.bags):(s+1)*len(b.bags)])
	}
	return all, nil
}

// groupOptions are the options of the path for a candidate, before its first strength.
func (b *bagging) groupOptions(c *candidate) refit.Options {
	return refit.Options{R1: c.r1, R2: c.r2, Penalty: refit.Penalty{Linear: b.shared, Pieces: c.ridge}, Hinge: b.hinge,
		MaxIter: groupIters, Tol: 1e-4}
}

// path continues the current fit with the strengths lo to hi−1.
func (w *worker) path(ctx context.Context, opt refit.Options, lo, hi int) error {
	for _, λ := range groupStrengths[lo:hi] {
		opt.Penalty.Group = λ
		if err := w.fitter.Again(ctx, opt); err != nil {
			return err
		}
		w.iters += w.fitter.Iterations
	}
	return nil
}
