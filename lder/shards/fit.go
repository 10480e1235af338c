package shards

import (
	"context"
	"errors"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
)

// Fit trains r, whose settings must have the method refit or cheap and fill gaps by the mean or a
// constant, on the parts, which are read one after the other in this process. r.Target has the name
// of the target; r.Features may have the names of the features. When ctx ends after the start, its
// error is returned together with the best model so far; Settings.Recorder is told of iterations,
// and Settings.Progress of parts read. opt.Parts is taken from p.
func Fit(ctx context.Context, r *lder.Regressor, p Parts, opt Options) (Scores, error) {
	opt.Parts = p.Count()
	f, err := NewReduction(r, opt)
	if err != nil {
		return Scores{}, err
	}
	read := 0
	for round := f.Round(); round != nil; round = f.Round() {
		for k := range opt.Parts {
			err := ctx.Err()
			var a *Answer
			if err == nil {
				a, err = round.Sum(ctx, p, k)
			}
			if err == nil {
				if read++; r.Settings.Progress != nil && round.Step != stepColumns {
					r.Settings.Progress(read, 0)
				}
				err = f.Add(ctx, a)
			}
			if err != nil {
				if ctx.Err() != nil {
					f.Interrupt(err)
				}
				if files, ok := p.(*Files); ok {
					err = Named(err, func(k int) string { return files.Paths[k] })
				}
				return f.scores, err
			}
		}
	}
	return f.scores, f.err
}

// Interrupt makes the model of the iterations so far, if there are any, where err ends the fit: its
// status says a time limit or of a cancelled run.
func (f *Reduction) Interrupt(err error) {
	if f.members == nil || f.members[0].red == nil || f.members[0].first != f.members[0].first {
		return
	}
	status := ccp.Cancelled
	if errors.Is(err, context.DeadlineExceeded) {
		status = ccp.TimeLimit
	}
	for _, m := range f.members {
		if !m.done {
			m.done, m.status = true, status
		}
	}
	f.complete()
}
