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
	rec.sizes = affordable(rec.sizes, s.d.N)
	units := len(rec.sizes)
	if len(rec.sizes) > 0 {
		units++ // the transform
	}
	if rec.boosted {
		units++
	}
	total := units * len(b.bags)
	if rec.boosted && s.d.M <= rampRows {
		total += rampDraws
	}
	b.tell = set.counter(total)

	var grid []*candidate
	var boosts *boosted
	var sums *drawn
	if len(rec.sizes) > 0 {
		var T [][]float64
		if T, err = b.gradientTransform(ctx); err == nil {
			grid, err = b.grid(ctx, rec.sizes, rec.plan, T)
		}
	}
	if err == nil && rec.boosted {
		if boosts, err = b.boost(ctx); err == nil {
			sums, err = b.ramps(ctx)
		}
	}
	oof := [][]float64{unseen}
	for _, g := range grid {
		oof = append(oof, g.oof)
	}
	if boosts != nil {
		oof = append(oof, boosts.oof[:]...)
	}
	if sums != nil {
		oof = append(oof, sums.oof)
	}
	w := stackWeights(oof, b.d, rec.rounds, b.rng(stageStack, 0))
	res := lin
	res.Chains = combine(lin.Chains[0], grid, boosts, sums, w)
	res.Unseen, res.Iterations = b.crossWeighted(oof), b.iterations()
	res.HeldOut = s.heldOut(squaredErrors(s.d, res.Unseen, Unclipped()))
	return res, err
}

// combine puts the candidates of weight > 0 together: the linear model, the kinds
// of the grid, the stops of the boosted sums, the sums of ramps.
func combine(line Chain, grid []*candidate, boosts *boosted, sums *drawn, w []float64) []Chain {
	var all []Chain
	if w[0] > 0 {
		line.Stops[0].Weight = w[0]
		all = append(all, line)
	}
	for c, g := range grid {
		for _, pieces := range g.members {
			if w[1+c] > 0 {
				all = append(all, alone(pieces, g.r1, w[1+c]/float64(len(g.members))))
			}
		}
	}
	if boosts != nil {
		all = append(all, boosts.chainsOf(w[1+len(grid):])...)
	}
	if v := w[len(w)-1]; sums != nil && v > 0 {
		all = append(all, sums.chainsOf(v)...)
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
