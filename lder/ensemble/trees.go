package ensemble

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Trees: gradient boosting of regression trees, each of a part of the rows (Friedman
// 2001, and 2002, Stochastic gradient boosting), grown leaf by leaf where the squared
// error falls most, on bins of the features. They are for targets with steps and for
// interactions, which few pieces cannot follow.
//
// Between the values lo < hi of neighbouring rows a split is not a step but a ramp, so
// that a leaf is a difference of l-DERs: see Tree.
//
// Source: chosen on other tables, docs/lab/lder.md says what on which; the
// bins and treeFeatures are limits of time and memory.
const (
	treeRate = .05
	// treeRows is the least weight of a leaf, where rows of mean weight have 1, and
	// treeRidge is added to it in the mean of a leaf.
	treeRows, treeRidge = 5, 1
	// treeShare is the share of the rows that a tree is grown on.
	treeShare = .8
	// treeBins bounds the bins of a feature, treeBinRows is the least number of rows of a bin
	// where there are more than fewBins of them.
	treeBins, fewBins, treeBinRows = 256, 64, 16
	// treeGap is the least width of a ramp; features have variance 1.
	treeGap = 1e-6
	// treeFeatures bounds the features of a tree; of more as many are drawn.
	treeFeatures = 256
)

// treePlan is a kind of boosted trees.
type treePlan struct {
	stage  int // of the random numbers
	leaves int
	// stops are the numbers of trees after which the sum is a candidate.
	stops []int
	// chains is the number of sums, at most one for each fold of the first partition; each
	// is trained without its share of these folds and predicts their rows.
	chains int
	// linear says that the sum begins with a ridge regression and that leaves have affine
	// functions of the features on the way to them, as the model trees of Quinlan 1992,
	// Learning with continuous classes.
	linear bool
}

// treePlans are the kinds for m rows: where rows are many, also trees with affine leaves,
// and more leaves. The first is for features of every view, the second for chosen ones.
//
// Source: eight leaves: Hastie, Tibshirani and Friedman 2009, The elements of statistical
// learning, section 10.11 (four to eight); the others: docs/lab/lder.md says what was chosen on
// which data.
func treePlans(m int) []treePlan {
	few, some, all := []int{50, 100, 200}, bagFolds/2, bagFolds
	switch {
	case m < someRows:
		return []treePlan{{stage: stageTrees, leaves: 8, stops: append(few, 400), chains: all}}
	case m < manyRows:
		return []treePlan{
			{stage: stageTrees, leaves: 8, stops: few, chains: some},
			{stage: stageAffine, leaves: 8, stops: few, chains: some, linear: true},
		}
	}
	return []treePlan{
		{stage: stageTrees, leaves: 32, stops: few, chains: some},
		{stage: stageAffine, leaves: 16, stops: append(few, 400), chains: some, linear: true},
	}
}

// From someRows on there are trees with affine leaves, from manyRows on more leaves.
// Source: limits of time: below, more leaves gain less than a hundredth: see docs/lab/lder.md, of
// the choices and their data.
const (
	someRows = 500
	manyRows = 2000
)

// treeSums has the chains of a plan and a candidate for each stop.
type treeSums struct {
	plan   treePlan
	chains []treeChain
	oof    [][]float64
}

// treeChain is a constant or linear part and a sequence of trees.
type treeChain struct {
	first Part
	trees []*Tree
}

// binned are the features that vary, as numbers of bins.
type binned struct {
	m        int
	features []int       // their numbers
	of       []uint8     // of[k·m+i]: the bin of row i
	lo, hi   [][]float64 // the ends of the ramp between a bin and the next
}

// newBinned cuts features into bins with about as many rows each.
func newBinned(ctx context.Context, d *refit.Data) (*binned, error) {
	s := &binned{m: d.M}
	most := max(fewBins, min(treeBins, d.M/treeBinRows))
	order := make([]int, d.M)
	for j := range d.N - 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := func(i int) float64 { return d.X[i*d.N+j] }
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(p, q int) int { return cmp.Compare(at(p), at(q)) })
		gaps := 0
		for k, i := range order[1:] {
			if at(i)-at(order[k]) > treeGap {
				gaps++
			}
		}
		if gaps == 0 {
			continue
		}
		rows := 1
		if gaps >= most {
			rows = (d.M + most - 1) / most
		}
		of := make([]uint8, d.M)
		var lo, hi []float64
		in := 1 // rows in the current bin
		of[order[0]] = 0
		for k, i := range order[1:] {
			p, q := at(order[k]), at(i)
			if in >= rows && q-p > treeGap {
				lo, hi, in = append(lo, p), append(hi, q), 0
			}
			of[i] = uint8(len(lo))
			in++
		}
		s.features = append(s.features, j)
		s.of = append(s.of, of...)
		s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
	}
	return s, nil
}

// among are the numbers in s.features of those in columns; nil: all.
func (s *binned) among(columns []int) []int {
	var out []int
	for k, j := range s.features {
		if columns == nil || slices.Contains(columns, j) {
			out = append(out, k)
		}
	}
	return out
}

// allTrees boosts by the plans; sums says that those after the first count.
func (b *bagging) allTrees(ctx context.Context, view *view, sums bool) ([]*treeSums, error) {
	s, err := newBinned(ctx, b.d)
	if err != nil {
		return nil, err
	}
	var all []*treeSums
	for _, plan := range b.treePlans(sums) {
		t, err := b.trees(ctx, view, s, plan)
		if err != nil {
			return all, err
		}
		if t != nil {
			all = append(all, t)
		}
	}
	return all, nil
}

func (b *bagging) treePlans(sums bool) []treePlan {
	plans := treePlans(b.d.M)
	if !sums {
		plans = plans[:1]
	}
	return plans
}

// trees boosts by a plan; nil where no feature varies or the rows are too few for a
// split.
func (b *bagging) trees(ctx context.Context, view *view, s *binned, plan treePlan) (*treeSums, error) {
	if b.d.M < 4*treeRows || len(s.features) == 0 {
		return nil, nil
	}
	n := min(plan.chains, b.folds)
	res := &treeSums{plan: plan, chains: make([]treeChain, n), oof: make([][]float64, len(plan.stops))}
	for stop := range res.oof {
		res.oof[stop] = make([]float64, b.d.M)
	}
	err := b.each(n, func(_ *worker, k int) error {
		held := make([]bool, b.d.M)
		var hold, train []int
		for f := k; f < b.folds; f += n {
			for _, i := range b.bags[f].hold {
				held[i] = true
				hold = append(hold, i)
			}
		}
		for i, h := range held {
			if !h {
				train = append(train, i)
			}
		}
		from := s.among(view.of(k))
		if len(from) == 0 {
			from = s.among(nil)
		}
		g := newGrower(b.d, s, train, plan, b.rng(plan.stage+view.stage(), k))
		var err error
		res.chains[k], err = g.boost(ctx, from, func(stop int, sum []float64) {
			for _, i := range hold {
				res.oof[stop][i] = b.clip.Clip(sum[i])
			}
		})
		b.tell()
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

// grower grows trees on the residuals of the rows of a bag.
type grower struct {
	*binned
	d        *refit.Data
	plan     treePlan
	train    []int
	weight   []float64 // of each row of d, 1 in the mean
	sum      []float64 // of the trees so far, at each row of d
	rng      *rand.Rand
	drawn    []int
	rows     []int32 // drawn for a tree; a leaf has a run of them
	aside    []int32
	columns  []int     // drawn for a tree
	residual []float64 // of the rows of a leaf
	start    []int     // where the sums of each of these columns begin, and where the last end
	leaves   []treeLeaf
	nodes    []treeNode
}

// treeNode is a split of a tree, or a leaf: next is 0. The next nodes are next, for rows in
// bins up to bin, and next+1.
type treeNode struct {
	column int // in binned
	bin    uint8
	parent int
	next   int
	leaf   TreeNode
}

// treeLeaf is a leaf that may be split.
type treeLeaf struct {
	node, lo, hi int // the rows are rows[lo:hi]
	sums         []float64
	total        [2]float64 // Σ w r, Σ w
	gain         float64    // of the best split
	column       int
	bin          uint8
}

func newGrower(d *refit.Data, s *binned, train []int, plan treePlan, rng *rand.Rand) *grower {
	g := &grower{binned: s, d: d, train: train, plan: plan, rng: rng, weight: make([]float64, d.M),
		sum: make([]float64, d.M)}
	for i := range g.weight {
		g.weight[i] = d.Weight(i) * float64(d.M)
	}
	return g
}

// boost returns the chain of the rows in train. at receives the sums at all rows of the
// data, at each stop.
func (g *grower) boost(ctx context.Context, from []int, at func(stop int, sum []float64)) (treeChain, error) {
	c := treeChain{first: g.begin(from)}
	for stop, last := range g.plan.stops {
		for len(c.trees) < last {
			if err := ctx.Err(); err != nil {
				return c, err
			}
			g.grow(from)
			for i := range g.sum {
				g.sum[i] += g.at(i)
			}
			c.trees = append(c.trees, g.tree())
		}
		at(stop, g.sum)
	}
	return c, nil
}

// begin sets the sum to the mean of the training rows, or to their ridge regression, and
// returns it.
func (g *grower) begin(from []int) Part {
	if !g.plan.linear || len(from) > treeFeatures {
		total, weight := 0.0, 0.0
		for _, i := range g.train {
			total += g.weight[i] * g.d.Y[i]
			weight += g.weight[i]
		}
		mean := 0.0
		if weight > 0 {
			mean = total / weight
		}
		for i := range g.sum {
			g.sum[i] = mean
		}
		return Part{Pieces: []float64{0, mean, 0, 0}, R1: 1, Features: []int{g.features[from[0]]}}
	}
	var columns []int
	for _, k := range from {
		columns = append(columns, g.features[k])
	}
	features := slices.Clone(columns)
	columns = append(columns, g.d.N-1)
	var part refit.Data
	g.d.Gather(&part, g.train, columns)
	r := likeliestRidge(&part, linearWeights())
	for i := range g.sum {
		g.sum[i] = 0
		for k, j := range columns {
			g.sum[i] += r.coef[k] * g.d.X[i*g.d.N+j]
		}
	}
	return Part{Pieces: r.pieces(), R1: 1, Features: features}
}

// at is the value of the tree at a row of the data.
func (g *grower) at(i int) float64 {
	n := &g.nodes[0]
	for n.next > 0 {
		next := n.next
		if g.of[n.column*g.m+i] > n.bin {
			next++
		}
		n = &g.nodes[next]
	}
	return n.leaf.leaf(1, g.d.Row(i))
}

// grow makes a tree for the residuals of some of the rows.
func (g *grower) grow(from []int) {
	g.drawn = subset(g.drawn[:0], len(g.train), int(treeShare*float64(len(g.train))+.5), g.rng)
	g.rows = g.rows[:0]
	for _, k := range g.drawn {
		g.rows = append(g.rows, int32(g.train[k]))
	}
	g.columns = append(g.columns[:0], from...)
	if len(from) > treeFeatures {
		g.rng.Shuffle(len(g.columns), func(p, q int) { g.columns[p], g.columns[q] = g.columns[q], g.columns[p] })
		g.columns = g.columns[:treeFeatures]
	}
	g.start = append(g.start[:0], 0)
	for c, column := range g.columns {
		g.start = append(g.start, g.start[c]+2*(len(g.lo[column])+1))
	}
	g.nodes = append(g.nodes[:0], treeNode{})
	g.leaves = g.leaves[:0]
	root := g.leaf(0, 0, len(g.rows))
	g.count(root)
	g.weigh(root)
	for len(g.leaves) < g.plan.leaves {
		best := 0
		for k := range g.leaves {
			if g.leaves[k].gain > g.leaves[best].gain {
				best = k
			}
		}
		if !(g.leaves[best].gain > 0) {
			break
		}
		g.split(best)
	}
	for k := range g.leaves {
		l := &g.leaves[k]
		n := &g.nodes[l.node].leaf
		n.Value = treeRate * l.total[0] / (l.total[1] + treeRidge)
		n.Least, n.Most = min(0, n.Value), max(0, n.Value)
		if g.plan.linear {
			g.affine(l, n)
		}
	}
}

// affine adds slopes for the features on the way to a leaf, by ridge regression on its
// rows, and limits the leaf to its values at these rows and 0.
func (g *grower) affine(l *treeLeaf, n *TreeNode) {
	for at := l.node; at > 0; {
		at = g.nodes[at].parent
		if j := g.features[g.nodes[at].column]; !slices.Contains(n.On, j) {
			n.On = append(n.On, j)
		}
	}
	k := len(n.On)
	if k == 0 || !(l.total[1] > 0) {
		n.On = nil
		return
	}
	slices.Sort(n.On)
	rows := g.rows[l.lo:l.hi]
	mean, x, rhs := make([]float64, k), make([]float64, k), mat.NewVecDense(k, nil)
	gram := mat.NewSymDense(k, nil)
	for _, i := range rows {
		row := g.d.Row(int(i))
		for t, j := range n.On {
			mean[t] += g.weight[i] / l.total[1] * row[j]
		}
	}
	for t := range k {
		gram.SetSym(t, t, treeRidge)
	}
	for _, i := range rows {
		w, row := g.weight[i], g.d.Row(int(i))
		r := w * (g.d.Y[i] - g.sum[i] - l.total[0]/l.total[1])
		for t, j := range n.On {
			x[t] = row[j] - mean[t]
			rhs.SetVec(t, rhs.AtVec(t)+r*x[t])
			for u := range t + 1 {
				gram.SetSym(t, u, gram.At(t, u)+w*x[t]*x[u])
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) || chol.SolveVecTo(rhs, rhs) != nil {
		n.On = nil
		return
	}
	n.Slopes = make([]float64, k)
	for t := range k {
		n.Slopes[t] = treeRate * rhs.AtVec(t)
		n.Value -= n.Slopes[t] * mean[t]
	}
	least, most := 0.0, 0.0
	n.Least, n.Most = math.Inf(-1), math.Inf(1)
	for _, i := range rows {
		v := n.leaf(1, g.d.Row(int(i)))
		least, most = min(least, v), max(most, v)
	}
	n.Least, n.Most = least, most
}

// leaf appends a leaf, whose memory comes from an earlier tree.
func (g *grower) leaf(node, lo, hi int) *treeLeaf {
	if len(g.leaves) < cap(g.leaves) {
		g.leaves = g.leaves[:len(g.leaves)+1]
	} else {
		g.leaves = append(g.leaves, treeLeaf{})
	}
	l := &g.leaves[len(g.leaves)-1]
	l.node, l.lo, l.hi = node, lo, hi
	return l
}

// count sums the residuals and weights of the rows of a leaf by column and bin.
func (g *grower) count(l *treeLeaf) {
	size := g.start[len(g.columns)]
	l.sums = slices.Grow(l.sums[:0], size)[:size]
	clear(l.sums)
	l.total = [2]float64{}
	rows := g.rows[l.lo:l.hi]
	g.residual = slices.Grow(g.residual[:0], len(rows))[:len(rows)]
	residual := g.residual
	for k, i := range rows {
		residual[k] = g.weight[i] * (g.d.Y[i] - g.sum[i])
		l.total[0] += residual[k]
		l.total[1] += g.weight[i]
	}
	for c, column := range g.columns {
		sums, of := l.sums[g.start[c]:g.start[c+1]], g.of[column*g.m:(column+1)*g.m]
		for k, i := range rows {
			at := 2 * int(of[i])
			sums[at] += residual[k]
			sums[at+1] += g.weight[i]
		}
	}
}

// weigh finds the best split of a leaf, the first of equals.
func (g *grower) weigh(l *treeLeaf) {
	l.gain = 0
	value := func(sum, weight float64) float64 { return sum * sum / (weight + treeRidge) }
	whole := value(l.total[0], l.total[1])
	for c, column := range g.columns {
		sums := l.sums[g.start[c]:g.start[c+1]]
		sum, weight := 0.0, 0.0
		for bin := range g.lo[column] {
			sum += sums[2*bin]
			weight += sums[2*bin+1]
			if weight < treeRows {
				continue
			}
			rest := l.total[1] - weight
			if rest < treeRows {
				break
			}
			// Less than the rounding errors of the whole is no gain.
			if gain := value(sum, weight) + value(l.total[0]-sum, rest) - whole; gain > l.gain+
				1e-12*(whole+l.total[1]*Rounding) {
				l.gain, l.column, l.bin = gain, c, uint8(bin)
			}
		}
	}
}

// split divides leaf k: it keeps the rows of the lower bins, and a new leaf has the
// others. The sums of the smaller part are counted, the sums of the other are the rest.
func (g *grower) split(k int) {
	l := g.leaves[k]
	column := g.columns[l.column]
	of := g.of[column*g.m : (column+1)*g.m]
	rows := g.rows[l.lo:l.hi]
	g.aside = g.aside[:0]
	n := 0
	for _, i := range rows {
		if of[i] <= l.bin {
			rows[n] = i
			n++
		} else {
			g.aside = append(g.aside, i)
		}
	}
	copy(rows[n:], g.aside)
	next := len(g.nodes)
	at := &g.nodes[l.node]
	at.column, at.bin, at.next = column, l.bin, next
	g.nodes = append(g.nodes, treeNode{parent: l.node}, treeNode{parent: l.node})
	other := g.leaf(next+1, l.lo+n, l.hi)
	same := &g.leaves[k]
	same.node, same.hi = next, l.lo+n
	small, large := same, other
	if other.hi-other.lo < same.hi-same.lo {
		small, large = other, same
	}
	// The larger part takes over the sums of the whole.
	small.sums, large.sums = other.sums, l.sums
	g.count(small)
	for c, v := range small.sums {
		large.sums[c] -= v
	}
	large.total = [2]float64{l.total[0] - small.total[0], l.total[1] - small.total[1]}
	g.weigh(small)
	g.weigh(large)
}

// tree is a copy, its nodes in the order in which they are reached from the root.
func (g *grower) tree() *Tree {
	t := &Tree{Nodes: make([]TreeNode, 0, len(g.nodes))}
	order := append(make([]int, 0, len(g.nodes)), 0)
	for k := 0; k < len(order); k++ {
		n := &g.nodes[order[k]]
		if n.next == 0 {
			t.Nodes = append(t.Nodes, n.leaf)
			continue
		}
		t.Nodes = append(t.Nodes, TreeNode{
			Feature: g.features[n.column], Lo: g.lo[n.column][n.bin], Hi: g.hi[n.column][n.bin], Next: len(order),
		})
		order = append(order, n.next, n.next+1)
	}
	return t
}

// chainsOf returns the chains up to the last stop with a weight.
func (r *treeSums) chainsOf(w []float64) []Chain {
	var stops []Stop
	for s, last := range r.plan.stops {
		if w[s] > 0 {
			stops = append(stops, Stop{1 + last, w[s] / float64(len(r.chains))})
		}
	}
	if stops == nil {
		return nil
	}
	out := make([]Chain, len(r.chains))
	for k, chain := range r.chains {
		parts := []Part{chain.first}
		for _, t := range chain.trees[:stops[len(stops)-1].After-1] {
			parts = append(parts, Part{Tree: t})
		}
		out[k] = Chain{Parts: parts, Stops: slices.Clone(stops)}
	}
	return out
}
