package ensemble

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// The stages that use random numbers, each with its own stream.
const (
	stagePartition = iota
	stageTransform
	stageStack
	stageBoost
	_         // keeps the numbers of the stages after it
	stageGrid // and one for each size after it
	// stageRamps is beyond them.
	stageRamps = 1 << 8
	// stageTrees is beyond stageChosen.
	stageTrees  = 1 << 10
	stageAffine = 1 << 11
)

// gridLinear is the weight of the linear part that pieces have in common. On wide
// tables it is the weight of the linear model, up to heaviestLinear.
// Source: docs/lab/lder.md, What was chosen on which data.
const (
	gridLinear     = 1e-3
	heaviestLinear = 10
)

// bagging trains members on all rows except one fold and predicts the rows of that
// fold (cross-fitting): Breiman 1996, Bagging predictors, with folds of random
// partitions instead of bootstrap samples.
type bagging struct {
	d       *refit.Data
	clip    Range
	hinge   bool
	shared  float64 // weight of the linear part that the pieces of a member have in common
	seed    uint64
	bags    []bag
	folds   int       // of a partition; the first of the bags hold the folds of the first partition
	seen    []float64 // in how many bags each row is held out
	workers int
	state   []worker // one per worker
	tell    func()   // after each unit of work
}

// bag is the rows of a member.
type bag struct{ train, hold []int }

// worker holds the memory of one goroutine.
type worker struct {
	fitter refit.Fitter
	other  refit.Fitter // for a choice between starts
	data   refit.Data   // the rows of a bag
	part   refit.Data   // some of their columns
	iters  int
}

// bagFolds is the number of folds of a partition.
// Source: Breiman 1996: ten folds.
const bagFolds = 10

// newBagging draws partitions into folds; each fold makes a bag.
func newBagging(s *sample, partitions int, seed uint64, workers int) *bagging {
	d := s.d
	b := &bagging{d: d, clip: s.clip, hinge: s.hinge, shared: gridLinear, seed: seed, workers: max(1, workers),
		seen: make([]float64, d.M), tell: func() {}}
	b.state = make([]worker, b.workers)
	rng := b.rng(0, 0)
	folds := min(bagFolds, d.M)
	b.folds = folds
	for range partitions {
		order := rng.Perm(d.M)
		fold := make([]int, d.M)
		for k, i := range order {
			fold[i] = k % folds
		}
		for f := range folds {
			var g bag
			for i, k := range fold {
				if k == f {
					g.hold = append(g.hold, i)
					b.seen[i]++
				} else {
					g.train = append(g.train, i)
				}
			}
			b.bags = append(b.bags, g)
		}
	}
	return b
}

// rng returns the generator for a stage and a bag, so that random numbers do not
// depend on the order in which bags are done.
func (b *bagging) rng(stage, bag int) *rand.Rand {
	return rand.New(rand.NewPCG(b.seed, uint64(stage)<<32|uint64(bag)))
}

// each runs work for 0..n-1 on the workers. The first error by number is
// returned.
func (b *bagging) each(n int, work func(w *worker, k int) error) error {
	return parallel(b.workers, n, func(g, k int) error { return work(&b.state[g], k) })
}

// parallel runs work(goroutine, k) for k = 0..n-1. After an error no further
// work begins; the error of the least k is returned.
func parallel(workers, n int, work func(g, k int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var wait sync.WaitGroup
	for g := range min(workers, n) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for k := int(next.Add(1)) - 1; k < n && !failed.Load(); k = int(next.Add(1)) - 1 {
				if errs[k] = work(g, k); errs[k] != nil {
					failed.Store(true)
				}
			}
		}()
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// candidate is a kind of l-DER, of which the stack has a weight: one member per bag.
type candidate struct {
	r1, r2  int
	ridge   float64
	group   float64     // strength of the group penalty, of Single
	view    *view       // of Single
	members [][]float64 // pieces, in the coordinates of the data; those before a group penalty
	oof     []float64   // for each row, the mean of the members not trained on it
	// errs[i] is the mean squared error, on row i, of single members not trained on
	// it; single is the weighted mean of errs.
	errs   []float64
	single float64
}

// grid trains, for each size and bag, a member from a cold start at the first
// penalty and warm-started ones at the penalties after it. view has the columns of
// each bag; T transforms them; nil: they stay.
func (b *bagging) grid(ctx context.Context, sizes [][2]int, plan gridPlan, view *view,
	T [][]float64) ([]*candidate, error) {
	d := b.d
	if T == nil {
		T = make([][]float64, len(b.bags))
	}
	var all []*candidate
	for s, size := range sizes {
		group := make([]*candidate, len(plan.ridges))
		for k, λ := range plan.ridges {
			group[k] = &candidate{r1: size[0], r2: size[1], ridge: λ, members: make([][]float64, len(b.bags)),
				oof: make([]float64, d.M), errs: make([]float64, d.M)}
		}
		partial := make([][]float64, len(plan.ridges)*len(b.bags)) // predictions of the held rows
		err := b.each(len(b.bags), func(w *worker, k int) error {
			d.Gather(&w.data, b.bags[k].train, view.of(k))
			transform(&w.data, T[k])
			for c, g := range group {
				opt := refit.Options{R1: g.r1, R2: g.r2, Penalty: refit.Penalty{Linear: plan.linear, Pieces: g.ridge},
					Hinge: b.hinge, MaxIter: plan.warm, Tol: plan.tol}
				var err error
				if c == 0 {
					opt.MaxIter = plan.cold
					err = w.coldBest(ctx, opt, plan.tries, b.rng(plan.stage+s, k))
				} else {
					err = w.fitter.Again(ctx, opt)
				}
				if err != nil {
					return err
				}
				w.iters += w.fitter.Iterations
				g.members[k] = scatter(untransformed(w.fitter.Pieces, w.data.N, T[k]), view.of(k), d.N)
				p := make([]float64, 0, len(b.bags[k].hold))
				for _, i := range b.bags[k].hold {
					p = append(p, b.clip.Clip(refit.Eval(g.members[k], g.r1, d.Row(i))))
				}
				partial[c*len(b.bags)+k] = p
			}
			b.tell()
			return nil
		})
		if err != nil {
			return all, err
		}
		for c, g := range group {
			b.gather(g, partial[c*len(b.bags):(c+1)*len(b.bags)])
		}
		all = append(all, group...)
	}
	return all, nil
}

// gridPlan is how a grid is trained.
type gridPlan struct {
	stage      int // of the random numbers
	ridges     []float64
	linear     float64
	cold, warm int // iterations
	tol        float64
	tries      int // cold starts, of which the one with the least objective counts
}

// coldBest fits the bag in w.data from several random starts.
func (w *worker) coldBest(ctx context.Context, opt refit.Options, tries int, rng *rand.Rand) error {
	if err := w.fitter.Cold(ctx, &w.data, opt, rng); err != nil {
		return err
	}
	for range tries - 1 {
		w.iters += w.fitter.Iterations
		if err := w.other.Cold(ctx, &w.data, opt, rng); err != nil {
			return err
		}
		if w.other.Objective < w.fitter.Objective {
			w.fitter, w.other = w.other, w.fitter
		}
	}
	return nil
}

// gather averages the predictions of held rows.
func (b *bagging) gather(g *candidate, partial [][]float64) {
	sum := 0.0
	for k, p := range partial {
		for t, i := range b.bags[k].hold {
			g.oof[i] += p[t] / b.seen[i]
			e := b.d.Y[i] - p[t]
			g.errs[i] += e * e / b.seen[i]
			sum += b.d.Weight(i) * e * e / b.seen[i]
		}
	}
	g.single = sum
}
