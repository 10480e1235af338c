package ensemble

import (
	"context"
)

// recipe lists the ingredients of a stack.
type recipe struct {
	partitions int
	sizes      [][2]int
	plan       gridPlan
	boosted    bool // with sums and ramps
	rounds     int  // of the resampled weights
}

func recipeOf(m Recipe) recipe {
	plan := gridPlan{stage: stageGrid, ridges: gridRidges, linear: gridLinear, cold: 20, warm: 8, tol: 1e-4}
	switch m {
	case Cheap:
		plan.ridges, plan.cold, plan.warm = gridRidges[:3], 12, 5
		return recipe{partitions: 1, sizes: [][2]int{{3, 2}}, plan: plan}
	case Bagged:
		return recipe{partitions: 2, sizes: gridSizes, plan: plan, rounds: 10}
	default:
		return recipe{partitions: 2, sizes: gridSizes, plan: plan, rounds: 10, boosted: true}
	}
}

// fitStack trains candidates of many kinds and computes their weights from
// cross-validated predictions. When the context ends, the stack consists of the
// candidates that were complete.
func fitStack(ctx context.Context, s *sample, set Settings) (Result, error) {
	rec := recipeOf(set.Recipe)
	b := newBagging(s, rec.partitions, set.Seed, set.Workers)
	lin, unseen, enough, err := b.linear(ctx, s)
	if err != nil || enough {
		return lin, err
	}
	rec.plan.linear = b.shared
	chosen, err := b.choose(ctx)
	var families []family
	for _, v := range viewsOf(chosen, s.d.N) {
		if err != nil {
			break
		}
		var f family
		f, err = b.family(ctx, rec, v)
		families = append(families, f)
	}
	oof := [][]float64{unseen}
	for _, f := range families {
		oof = append(oof, f.oof()...)
	}
	w := stackWeights(oof, b.d, rec.rounds, b.rng(stageStack, 0))
	res := lin
	res.Chains = combine(lin.Chains[0], families, w)
	res.Unseen, res.Iterations = b.crossWeighted(oof), b.iterations()
	res.HeldOut = s.heldOut(squaredErrors(s.d, res.Unseen, Unclipped()))
	return res, err
}

// viewsOf are the columns to train with: all, and the chosen ones; the chosen ones
// alone where they are few.
func viewsOf(chosen view, n int) []view {
	switch {
	case chosen == nil:
		return []view{nil}
	case chosen.few(n):
		return []view{chosen}
	}
	return []view{nil, chosen}
}

// family is the candidates of one view.
type family struct {
	grid   []*candidate
	boosts *boosted
	sums   *drawn
}

func (b *bagging) family(ctx context.Context, rec recipe, v view) (f family, err error) {
	stage, boost := stageGrid, stageBoost
	if v != nil {
		stage, boost = stageChosen, stageChosenBoost
	}
	rec.plan.stage = stage
	if sizes := affordable(rec.sizes, v.widest(b.d.N)); len(sizes) > 0 {
		var T [][]float64
		if T, err = b.gradientTransform(ctx, v); err == nil {
			f.grid, err = b.grid(ctx, sizes, rec.plan, v, T)
		}
	}
	if err == nil && rec.boosted {
		if f.boosts, err = b.boost(ctx, boost, v); err == nil {
			if v == nil {
				f.sums, err = b.ramps(ctx)
			} else {
				f.sums, err = b.bagRamps(ctx, v)
			}
		}
	}
	return f, err
}

// oof are the predictions of the candidates.
func (f *family) oof() [][]float64 {
	var oof [][]float64
	for _, g := range f.grid {
		oof = append(oof, g.oof)
	}
	if f.boosts != nil {
		oof = append(oof, f.boosts.oof[:]...)
	}
	if f.sums != nil {
		oof = append(oof, f.sums.oof)
	}
	return oof
}

// combine puts the candidates of weight > 0 together: the linear model, the kinds
// of the grids, the stops of the boosted sums, the sums of ramps.
func combine(line Chain, families []family, w []float64) []Chain {
	var all []Chain
	if w[0] > 0 {
		line.Stops[0].Weight = w[0]
		all = append(all, line)
	}
	w = w[1:]
	for _, f := range families {
		for c, g := range f.grid {
			for _, pieces := range g.members {
				if w[c] > 0 {
					all = append(all, alone(pieces, g.r1, w[c]/float64(len(g.members))))
				}
			}
		}
		w = w[len(f.grid):]
		if f.boosts != nil {
			all = append(all, f.boosts.chainsOf(w)...)
			w = w[len(boostStops):]
		}
		if f.sums != nil {
			if w[0] > 0 {
				all = append(all, f.sums.chainsOf(w[0])...)
			}
			w = w[1:]
		}
	}
	return all
}

// chainsOf returns one chain per bag, up to the last stop with a weight.
func (b *boosted) chainsOf(w []float64) []Chain {
	last := 0
	for s, stop := range boostStops {
		if w[s] > 0 {
			last = stop
		}
	}
	if last == 0 {
		return nil
	}
	var out []Chain
	for _, chain := range b.chains {
		var c Chain
		for _, p := range chain[:last] {
			c.Parts = append(c.Parts, Part{p.pieces, boostPieces, p.features})
		}
		for s, stop := range boostStops {
			if w[s] > 0 {
				c.Stops = append(c.Stops, Stop{stop, w[s] / float64(len(b.chains))})
			}
		}
		out = append(out, c)
	}
	return out
}
