package ensemble

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// recipe lists the ingredients of a stack.
type recipe struct {
	partitions int
	sizes      [][2]int
	plan       gridPlan
	trees      bool // with boosted trees
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
		return recipe{partitions: 2, sizes: gridSizes, plan: plan, rounds: 10, trees: true, boosted: true}
	}
}

// CheapPenalties are the penalties of the members of Cheap.
func CheapPenalties() (all []refit.Penalty) {
	plan := recipeOf(Cheap).plan
	for _, λ := range plan.ridges {
		all = append(all, refit.Penalty{Linear: plan.linear, Pieces: λ})
	}
	return all
}

// fitStack trains candidates of many kinds and computes their weights from
// cross-validated predictions. When the context ends, the stack consists of the
// candidates that were complete. On wide tables it is the ridge regression on all
// features unless the stack is significantly better: weights of many candidates from few rows
// follow their luck.
func fitStack(ctx context.Context, s *sample, set Settings) (Result, error) {
	rec := recipeOf(set.Recipe)
	b, views, lines, res, enough, err := begin(ctx, s, rec.partitions, set)
	if err != nil || enough {
		return res, err
	}
	rec.plan.linear = b.shared
	// Sums are of chosen features, where some are chosen.
	grid := rec
	grid.boosted = false
	kinds := slices.Repeat([]recipe{grid}, len(views))
	kinds[len(views)-1] = rec
	total := 0
	for k, v := range views {
		total += kinds[k].units(b, v)
	}
	b.tell = set.counter(total)
	var families []family
	for k, v := range views {
		var f family
		f, err = b.family(ctx, kinds[k], v)
		families = append(families, f)
		if err != nil {
			break
		}
	}
	var oof [][]float64
	for _, l := range lines {
		oof = append(oof, l.oof)
	}
	for _, f := range families {
		oof = append(oof, f.oof()...)
	}
	res.Iterations = b.iterations()
	unseen := b.crossWeighted(oof)
	errs := squaredErrors(s.d, unseen, Unclipped())
	if wide(s.d) && !s.significantly(errs, squaredErrors(s.d, lines[0].oof, Unclipped())) {
		return res, err // the ridge regression of begin
	}
	res.Chains = combine(lines, families, stackWeights(oof, b.d, rec.rounds, b.rng(stageStack, 0)))
	res.Unseen, res.HeldOut = unseen, s.heldOut(errs)
	return res, err
}

// units is the number of units of work for the columns of v.
func (r recipe) units(b *bagging, v *view) int {
	units := 0
	if sizes := affordable(r.sizes, v.widest(b.d.N), 0); len(sizes) > 0 {
		units = 1 + len(sizes) // with the transform
	}
	more := 0
	if r.trees {
		for _, plan := range b.treePlans(r.boosted) {
			more += min(plan.chains, b.folds)
		}
	}
	if r.boosted {
		units++
		switch {
		case b.d.M > rampRows:
		case v == nil:
			more += rampDraws
		default:
			more += len(b.bags)
		}
	}
	return units*len(b.bags) + more
}

// family is the candidates of one view.
type family struct {
	grid   []*candidate
	trees  []*treeSums
	boosts *boosted
	sums   *drawn
}

func (b *bagging) family(ctx context.Context, rec recipe, v *view) (f family, err error) {
	rec.plan.stage = stageGrid + v.stage()
	if sizes := affordable(rec.sizes, v.widest(b.d.N), 0); len(sizes) > 0 {
		var T [][]float64
		if T, err = b.gradientTransform(ctx, v); err == nil {
			f.grid, err = b.grid(ctx, sizes, rec.plan, v, T)
		}
	}
	if err == nil && rec.trees {
		f.trees, err = b.allTrees(ctx, v, rec.boosted)
	}
	if err == nil && rec.boosted {
		if f.boosts, err = b.boost(ctx, v); err == nil {
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
	for _, t := range f.trees {
		oof = append(oof, t.oof...)
	}
	if f.boosts != nil {
		oof = append(oof, f.boosts.oof[:]...)
	}
	if f.sums != nil {
		oof = append(oof, f.sums.oof)
	}
	return oof
}

// combine puts the candidates of weight > 0 together: the linear models, the kinds
// of the grids, the stops of the trees and of the boosted sums, the sums of ramps.
func combine(lines []linear, families []family, w []float64) []Chain {
	var all []Chain
	for k, l := range lines {
		if w[k] > 0 {
			l.chain.Stops[0].Weight = w[k]
			all = append(all, l.chain)
		}
	}
	w = w[len(lines):]
	for _, f := range families {
		for c, g := range f.grid {
			for _, pieces := range g.members {
				if w[c] > 0 {
					all = append(all, alone(pieces, g.r1, w[c]/float64(len(g.members))))
				}
			}
		}
		w = w[len(f.grid):]
		for _, t := range f.trees {
			all = append(all, t.chainsOf(w)...)
			w = w[len(t.oof):]
		}
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
			c.Parts = append(c.Parts, Part{Pieces: p.pieces, R1: boostPieces, Features: p.features})
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
