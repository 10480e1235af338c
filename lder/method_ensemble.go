package lder

import (
	"context"
	"runtime"

	"github.com/dcopt/dcopt/lder/ensemble"
)

// recipes of the methods that choose, from Auto on.
var recipes = [numMethod - Auto]ensemble.Recipe{ensemble.Single, ensemble.Cheap, ensemble.Bagged, ensemble.Boosted}

// fitChoice trains by package ensemble: a Model for Auto, an Ensemble for others.
func fitChoice(ctx context.Context, s *sample, set Settings) (run, error) {
	res, err := ensemble.Fit(ctx, ensemble.Problem{Data: s.d, Clip: s.clip, Hinge: s.hinge}, ensemble.Settings{
		Recipe: recipes[set.Method-Auto], Seed: set.Seed, Workers: runtime.GOMAXPROCS(0), Progress: set.Progress,
		MaxFeatures: set.MaxFeatures, FormulaSize: set.FormulaSize,
	})
	if len(res.Chains) == 0 {
		return run{}, err
	}
	out := run{
		clip: res.Clip, startMSE: res.StartMSE, oob: res.HeldOut, unseen: res.Unseen,
		status: endStatus(err, true), iterations: res.Iterations,
	}
	e := &Stack{Chains: each(res.Chains, func(c ensemble.Chain) Chain {
		return Chain{Stops: c.Stops, Parts: each(c.Parts, func(p ensemble.Part) Part {
			if p.Tree != nil {
				return Part{Tree: p.Tree}
			}
			n := s.d.N
			if p.Features != nil {
				n = len(p.Features) + 1
			}
			return Part{Model: modelOf(p.Pieces, p.R1, n), Features: p.Features}
		})}
	})}
	if set.Method == Auto {
		out.model = e.Chains[0].Parts[0].Model
	} else {
		out.stack = e
	}
	return out, err
}
