package ensemble

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Trees: gradient boosting of regression trees, each of a part of the rows (Friedman
// 2001, and 2002, Stochastic gradient boosting), grown leaf by leaf where the squared
// error falls most, on bins of the features. They are for targets with steps and for
// interactions, which few pieces cannot follow.
//
// Between the values lo < hi of neighbouring rows a split is not a step but a ramp, so
// that a leaf is an l-DER: with the conditions a_i(x) = (x_j − lo)/(hi − lo) or (hi −
// x_j)/(hi − lo) on the way to a leaf of value v, it is
//
//	v·max(0, min(1, a_1, …, a_c)) = v·(max(0, −a_1, …, −a_c) − max(−1, −a_1, …, −a_c)).
//
// No row of the table lies within a ramp: at the rows it is the tree.
//
// Source: Friedman 2001 and 2002 for the rate of .1 and the share of one half; the
// others are limits of time and memory, none of them compared with another.
const (
	treeRate = .1
	// treeRows is the least weight of a leaf, where rows of mean weight have 1, and
	// treeRidge is added to it in the mean of a leaf.
	treeRows, treeRidge = 5, 1
	// treeShare is the share of the rows that a tree is grown on: one half, Friedman 2002.
	treeShare = .5
	// treeBins is at most 256.
	treeBins = 64
	// treeGap is the least width of a ramp; features have variance 1.
	treeGap = 1e-6
	// treeFeatures bounds the features of a tree; of more as many are drawn.
	// Source: a limit of memory.
	treeFeatures = 256
)

// treeLeaves is the number of leaves of a tree.
// Source: Hastie, Tibshirani and Friedman 2009, The elements of statistical learning,
// section 10.11: four to eight.
const treeLeaves = 8

// treeStops are the numbers of trees after which the sum is a candidate.
var treeStops = [...]int{25, 50, 100}

// treeSums has a chain for each bag of the first partition and a candidate for each
// stop.
type treeSums struct {
	chains []treeChain
	oof    [len(treeStops)][]float64
}

// treeChain is a constant and the leaves of a sequence of trees; ends are the numbers of
// parts at the stops.
type treeChain struct {
	parts []Part
	ends  [len(treeStops)]int
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
		if gaps >= treeBins {
			rows = (d.M + treeBins - 1) / treeBins
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

// trees boosts the bags of the first partition; nil where no feature varies or the rows
// are too few for a split.
func (b *bagging) trees(ctx context.Context, view *view) (*treeSums, error) {
	if b.d.M < 4*treeRows {
		return nil, nil
	}
	s, err := newBinned(ctx, b.d)
	if err != nil || len(s.features) == 0 {
		return nil, err
	}
	res := &treeSums{chains: make([]treeChain, b.folds)}
	for stop := range res.oof {
		res.oof[stop] = make([]float64, b.d.M)
	}
	err = b.each(b.folds, func(_ *worker, k int) error {
		from := s.among(view.of(k))
		if len(from) == 0 {
			from = s.among(nil)
		}
		g := newGrower(b.d, s, b.bags[k].train, b.rng(stageTrees+view.stage(), k))
		var err error
		res.chains[k], err = g.boost(ctx, from, func(stop int, sum []float64) {
			for _, i := range b.bags[k].hold {
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
	d       *refit.Data
	train   []int
	weight  []float64 // of each row of d, 1 in the mean
	sum     []float64 // of the trees so far, at each row of d
	rng     *rand.Rand
	drawn   []int
	rows    []int32 // drawn for a tree; a leaf has a run of them
	aside   []int32
	columns []int // drawn for a tree
	leaves  []treeLeaf
	nodes   []treeNode
}

// treeNode is a split of a tree, or a leaf: less is 0. The next nodes are less, for rows in
// bins up to bin, and less+1.
type treeNode struct {
	column int // in binned
	bin    uint8
	less   int
	value  float64
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

func newGrower(d *refit.Data, s *binned, train []int, rng *rand.Rand) *grower {
	g := &grower{binned: s, d: d, train: train, rng: rng, weight: make([]float64, d.M), sum: make([]float64, d.M)}
	for i := range g.weight {
		g.weight[i] = d.Weight(i) * float64(d.M)
	}
	return g
}

// boost returns the chain of a bag. at receives the sums at all rows of the data, at each
// stop.
func (g *grower) boost(ctx context.Context, from []int, at func(stop int, sum []float64)) (treeChain, error) {
	var c treeChain
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
	c.parts = append(c.parts, Part{Pieces: []float64{0, mean, 0, 0}, R1: 1, Features: []int{g.features[from[0]]}})
	stop := 0
	for round := 1; stop < len(treeStops); round++ {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		g.grow(from)
		c.parts = g.parts(c.parts)
		for i := range g.sum {
			g.sum[i] += g.at(i)
		}
		if round == treeStops[stop] {
			at(stop, g.sum)
			c.ends[stop] = len(c.parts)
			stop++
		}
	}
	return c, nil
}

// at is the value of the tree at a row of the data.
func (g *grower) at(i int) float64 {
	n := &g.nodes[0]
	for n.less > 0 {
		next := n.less
		if g.of[n.column*g.m+i] > n.bin {
			next++
		}
		n = &g.nodes[next]
	}
	return n.value
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
	g.nodes = append(g.nodes[:0], treeNode{})
	g.leaves = g.leaves[:0]
	root := g.leaf(0, 0, len(g.rows))
	g.count(root)
	g.weigh(root)
	for len(g.leaves) < treeLeaves {
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
		g.nodes[l.node].value = treeRate * l.total[0] / (l.total[1] + treeRidge)
	}
}

// leaf appends a leaf, whose memory is that of an earlier tree.
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
	l.sums = slices.Grow(l.sums[:0], 2*treeBins*len(g.columns))[:2*treeBins*len(g.columns)]
	clear(l.sums)
	l.total = [2]float64{}
	rows := g.rows[l.lo:l.hi]
	residual := make([]float64, len(rows))
	for k, i := range rows {
		residual[k] = g.weight[i] * (g.d.Y[i] - g.sum[i])
		l.total[0] += residual[k]
		l.total[1] += g.weight[i]
	}
	for c, column := range g.columns {
		sums, of := l.sums[2*treeBins*c:2*treeBins*(c+1)], g.of[column*g.m:(column+1)*g.m]
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
		sums := l.sums[2*treeBins*c : 2*treeBins*(c+1)]
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
			if gain := value(sum, weight) + value(l.total[0]-sum, rest) - whole; gain > l.gain+1e-12*(whole+l.total[1]*Rounding) {
				l.gain, l.column, l.bin = gain, c, uint8(bin)
			}
		}
	}
}

// split divides leaf k: it keeps the rows of the lower bins, and a new leaf has the
// others. The sums of the smaller part are counted, those of the other are the rest.
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
	less := len(g.nodes)
	g.nodes[l.node] = treeNode{column: column, bin: l.bin, less: less}
	g.nodes = append(g.nodes, treeNode{}, treeNode{})
	other := g.leaf(less+1, l.lo+n, l.hi)
	same := &g.leaves[k]
	same.node, same.hi = less, l.lo+n
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

// parts appends the leaves of the tree as l-DERs.
func (g *grower) parts(to []Part) []Part {
	type bound struct {
		column       int
		above, below int // the bins of the splits; above: −1 and below: none for none
	}
	const none = treeBins // beyond the last bin
	var walk func(node int, box []bound)
	walk = func(node int, box []bound) {
		n := g.nodes[node]
		if n.less > 0 {
			at := slices.IndexFunc(box, func(b bound) bool { return b.column == n.column })
			if at < 0 {
				at = len(box)
				box = append(box, bound{n.column, -1, none})
			}
			lower, upper := slices.Clone(box), slices.Clone(box)
			lower[at].below = int(n.bin)
			upper[at].above = int(n.bin)
			walk(n.less, lower)
			walk(n.less+1, upper)
			return
		}
		if n.value == 0 || len(box) == 0 {
			if n.value != 0 { // a tree without a split
				p := Part{Pieces: []float64{0, n.value, 0, 0}, R1: 1, Features: []int{g.features[0]}}
				to = append(to, p)
			}
			return
		}
		slices.SortFunc(box, func(p, q bound) int { return cmp.Compare(p.column, q.column) })
		part := Part{}
		width := len(box) + 1
		var pieces []float64 // −a_i
		for k, b := range box {
			part.Features = append(part.Features, g.features[b.column])
			if b.above >= 0 {
				lo, hi := g.lo[b.column][b.above], g.hi[b.column][b.above]
				p := make([]float64, width)
				p[k], p[width-1] = -1/(hi-lo), lo/(hi-lo)
				pieces = append(pieces, p...)
			}
			if b.below != none {
				lo, hi := g.lo[b.column][b.below], g.hi[b.column][b.below]
				p := make([]float64, width)
				p[k], p[width-1] = 1/(hi-lo), -hi/(hi-lo)
				pieces = append(pieces, p...)
			}
		}
		zero, one := make([]float64, width), make([]float64, width)
		one[width-1] = -1
		first, second := zero, one
		if n.value < 0 {
			first, second = one, zero
		}
		part.R1 = 1 + len(pieces)/width
		part.Pieces = slices.Concat(first, pieces, second, pieces)
		for k := range part.Pieces {
			part.Pieces[k] *= max(n.value, -n.value)
		}
		to = append(to, part)
	}
	walk(0, nil)
	return to
}

// chainsOf returns one chain for each bag, up to the last stop with a weight.
func (r *treeSums) chainsOf(w []float64) []Chain {
	var out []Chain
	for _, chain := range r.chains {
		var c Chain
		for s, end := range chain.ends {
			if w[s] == 0 {
				continue
			}
			c.Parts = chain.parts[:end]
			weight := w[s] / float64(len(r.chains))
			if n := len(c.Stops); n > 0 && c.Stops[n-1].After == end { // no leaf came
				c.Stops[n-1].Weight += weight
			} else {
				c.Stops = append(c.Stops, Stop{end, weight})
			}
		}
		if c.Stops != nil {
			out = append(out, c)
		}
	}
	return out
}
