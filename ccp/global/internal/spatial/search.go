package spatial

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// Search is a branch and bound. Its answer is the same for any number of processors.
type Search struct {
	P        *flat.Problem
	Backend  qpbackend.Backend
	GapTol   float64
	MaxNodes int
	// Run pauses from so much work on, and goes on where it is called again; 0: no limit
	MostWork float64
	// Upper is the least cost of a feasible point so far, +Inf if there is none.
	Upper float64
	// Try is given points that may be feasible, and whether to descend from them; it
	// returns the least cost so far. Calls follow each other.
	Try func(ctx context.Context, x []float64, descend bool) float64
	// Tell is told of the progress: of the first bound, of those of the root, and after each batch of nodes; nil: nobody is.
	Tell func(lower float64, nodes, open int) error
	// Keep: the tree is kept for a proof.
	Keep bool

	Tree  *Tree // of a search with Keep
	Nodes int   // solved
	work  atomic.Int64
	Open  int // left open at the end
	// Lower is the bound: no feasible point has a cost below it. +Inf: none is feasible.
	Lower float64

	triples []triple
	block   []int // variables whose products may be a semidefinite matrix
	matrix  bool  // it pays
	branch  []int // columns that may be split
	curves  int   // functions between lines
	root    []flat.Interval
	open    Queue[node]
	lost    float64 // the least bound of the nodes that were pruned
	first   float64 // the bound by intervals alone
}

// Tree is a node of the tree as it was searched.
type Tree struct {
	Col         int // that is split, at At
	At          float64
	Left, Right *Tree
	// Dual shows the bound of a leaf; nil: by intervals nothing is left in it, or it was
	// left open, at Bound.
	Dual  *flat.Dual
	Up    int // Dual is that of the node so many levels above
	Bound float64
	Empty bool
}

// node is a part of the root's box: the intervals of the columns that may be split.
type node struct {
	box      []flat.Interval
	bound    float64
	depth    int
	tree     *Tree
	order    int  // by which equal bounds are taken
	narrowed int  // how often it was solved anew
	vain     bool // probing
	cuts     []triangle
}

// batch is how many nodes are solved at a time, whatever the number of processors.
// Source: any number does; more would leave the order of best bounds.
const batch = 8

// Unbounded lists the variables that have no bounds in the root's box.
func (s *Search) Unbounded() []int {
	var out []int
	for j, b := range s.root[:s.P.N] {
		if !b.Finite() {
			out = append(out, j)
		}
	}
	return out
}

// Root are the intervals of the columns, after Prepare.
func (s *Search) Root() []flat.Interval { return s.root }

// Prepare bounds the root's box, and the cost over it, by intervals. It reports false where nothing is feasible.
func (s *Search) Prepare() bool {
	s.triples, s.block = triplesOf(s.P), blockOf(s.P)
	s.root = slices.Clone(s.P.Box)
	s.lost = math.Inf(1)
	args := make([]bool, s.P.Columns())
	for j := range s.P.N {
		args[j] = true
	}
	for k := range s.P.Terms {
		t := &s.P.Terms[k]
		if t.OfOne() && t.Cones == nil && !t.Kink() {
			s.curves++
		}
		if t.Op != flat.Affine {
			args[t.A] = true
			args[max(t.B, t.A)] = args[max(t.B, t.A)] || t.Op == flat.Product
			if t.Op == flat.Product {
				args[t.B] = true
			}
		}
	}
	for j, a := range args {
		if a {
			s.branch = append(s.branch, j)
		}
	}
	if !s.P.Tighten(s.root, s.Upper, RootRounds) {
		s.Lower = s.Upper
		if s.Keep {
			s.Tree = &Tree{Empty: true}
		}
		return false
	}
	d := s.P.ByIntervals()
	nd := node{box: s.pack(s.root), bound: s.P.Bound(d, s.root, make([]flat.Interval, s.P.Columns()))}
	if s.Keep {
		s.Tree = &Tree{Dual: d, Bound: nd.bound}
		nd.tree = s.Tree
	}
	heap.Push(&s.open, nd)
	s.conclude()
	s.first = s.Lower
	return true
}

// Rounds of tightening, of the root and of nodes.
// Source: any numbers do.
const (
	RootRounds = 50
	nodeRounds = 5
)

// Run searches until the gap is closed, nothing is left, the nodes are spent or ctx ends.
// An error is the backend's refusal, or that of Tell.
func (s *Search) Run(ctx context.Context) error {
	orders := 1
	defer s.conclude()
	if err := s.tell(s.lower(), len(s.open)); err != nil {
		return err
	}
	for len(s.open) > 0 && s.Nodes < s.MaxNodes && ctx.Err() == nil && !(s.MostWork > 0 && s.Work() >= s.MostWork) &&
		!s.stuck() {
		var now []node
		for len(s.open) > 0 && len(now) < min(batch, 1+s.Nodes, s.MaxNodes-s.Nodes) {
			nd := heap.Pop(&s.open).(node)
			if s.prunes(nd.bound) {
				s.prune(&nd)
				continue
			}
			now = append(now, nd)
		}
		for i, v := range s.visitAll(ctx, now) {
			nd := &now[i]
			if v.err != nil {
				if v.dual != nil && v.bound > nd.bound { // the bound from before the interruption
					if nd.bound = v.bound; nd.tree != nil {
						nd.tree.Dual, nd.tree.Up, nd.tree.Bound = v.dual, 0, v.bound
					}
				}
				heap.Push(&s.open, *nd)
				if ctx.Err() != nil {
					continue
				}
				return v.err
			}
			s.Nodes++
			s.lost = min(s.lost, v.lost)
			if nd.tree != nil && (v.bound >= nd.bound || v.empty) {
				nd.tree.Dual, nd.tree.Up, nd.tree.Bound, nd.tree.Empty = v.dual, 0, v.bound, v.empty
			}
			nd.bound = max(nd.bound, v.bound)
			if v.x != nil {
				s.Upper = s.Try(ctx, v.x, s.Nodes&(s.Nodes-1) == 0 || s.Nodes%64 == 0)
			}
			switch {
			case v.empty || s.prunes(nd.bound):
				if !v.empty {
					s.prune(nd)
				}
				continue
			case v.col < 0:
				s.lost = min(s.lost, nd.bound)
				continue
			}
			s.split(nd, &v, &orders)
		}
		if err := s.tell(s.lower(), len(s.open)); err != nil {
			return err
		}
	}
	return nil
}

// stuck reports whether variables without bounds have kept the bound where intervals alone have it,
// and will not improve on it.
func (s *Search) stuck() bool {
	// Source: the problems of MINLPLib whose variables have no bounds get a better one within 20
	// nodes, or none in 10,000.
	const boundless = 200
	return s.Nodes >= boundless && len(s.Unbounded()) > 0 && s.lower() <= s.first
}

// tell reports the progress.
func (s *Search) tell(lower float64, open int) error {
	if s.Tell == nil {
		return nil
	}
	return s.Tell(lower, s.Nodes, open)
}

// tellRoot reports a bound of the root while that is solved.
func (s *Search) tellRoot(nd *node, v *visit) error {
	if nd.depth > 0 || !(v.bound > nd.bound) {
		return nil
	}
	return s.tell(min(v.bound, s.Upper), 1)
}

func (s *Search) lower() float64 {
	lower := min(s.lost, s.Upper)
	for i := range s.open {
		lower = min(lower, s.open[i].bound)
	}
	return lower
}

func (s *Search) conclude() {
	s.Lower, s.Open = s.lower(), len(s.open)
}

// prunes reports whether nothing better than the tolerance can be below a bound.
func (s *Search) prunes(bound float64) bool {
	return !math.IsInf(s.Upper, 1) && bound >= s.Upper-s.GapTol*max(1, math.Abs(s.Upper))
}

func (s *Search) prune(nd *node) { s.lost = min(s.lost, nd.bound) }

// split opens the two halves of a node.
func (s *Search) split(nd *node, v *visit, orders *int) {
	at, _ := slices.BinarySearch(s.branch, v.col)
	var trees [2]*Tree
	if nd.tree != nil {
		trees = [2]*Tree{{}, {}}
		t := nd.tree
		t.Col, t.At, t.Left, t.Right = v.col, v.at, trees[0], trees[1]
		for _, c := range trees { // the parent's bound holds until they are solved
			c.Dual, c.Up, c.Bound = t.Dual, t.Up+1, nd.bound
		}
		t.Dual = nil
	}
	for half := range 2 {
		child := node{box: slices.Clone(v.box), bound: nd.bound, depth: nd.depth + 1, tree: trees[half],
			order: *orders, cuts: v.cuts, vain: nd.vain}
		*orders++
		if half == 0 {
			child.box[at].Hi = v.at
		} else {
			child.box[at].Lo = v.at
		}
		heap.Push(&s.open, child)
	}
}

// pack and unpack keep the columns that may be split.
func (s *Search) pack(box []flat.Interval) []flat.Interval {
	out := make([]flat.Interval, len(s.branch))
	for i, j := range s.branch {
		out[i] = box[j]
	}
	return out
}

func (s *Search) unpack(packed []flat.Interval) []flat.Interval {
	box := slices.Clone(s.root)
	for i, j := range s.branch {
		box[j] = packed[i]
	}
	return box
}

// visit is the outcome of a node.
type visit struct {
	box   []flat.Interval // tightened, packed
	bound float64
	dual  *flat.Dual
	x     []float64
	col   int // to split, −1: none
	at    float64
	empty bool
	cuts  []triangle // that hold with equality
	lost  float64    // the least bound of the parts that were cut off
	err   error
}

// visitAll solves nodes side by side.
func (s *Search) visitAll(ctx context.Context, now []node) []visit {
	out := make([]visit, len(now))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	panics := make([]any, len(now))
	for i := range now {
		slots <- struct{}{}
		group.Go(func() {
			defer func() {
				panics[i] = recover()
				<-slots
			}()
			out[i] = s.visit(ctx, &now[i])
		})
	}
	group.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v) // of a user's backend: here the caller can recover
		}
	}
	return out
}

// visit bounds a node and chooses how to split it.
func (s *Search) visit(ctx context.Context, nd *node) (v visit) {
	box := s.unpack(nd.box)
	s.Spend(overhead + float64(tightening*nodeRounds*s.P.Columns()+curving*s.curves))
	if !s.P.Tighten(box, s.Upper, nodeRounds) {
		return visit{empty: true, bound: math.Inf(1), lost: math.Inf(1)}
	}
	v = visit{box: s.pack(box), bound: math.Inf(-1), col: -1, lost: math.Inf(1)}
	r := &relaxation{p: s.P, box: box}
	if s.matrix {
		r.block = s.block
	}
	triangles := s.wideOnly(nd.cuts, box)
	r.cuts = s.cuts(triangles)
	res, err := s.solve(ctx, r)
	if err != nil {
		return visit{err: err}
	}
	if r.block != nil && res.Status != qpbackend.Solved && res.Status != qpbackend.PrimalInfeasible {
		r = &relaxation{p: s.P, box: box, cuts: r.cuts}
		if res, err = s.solve(ctx, r); err != nil {
			return visit{err: err}
		}
	}
	if res.Status == qpbackend.PrimalInfeasible {
		r = &relaxation{p: s.P, box: box, phase1: true}
		if res, err = s.solve(ctx, r); err != nil {
			return visit{err: err}
		}
	}
	work := make([]flat.Interval, s.P.Columns())
	solved := (res.Status == qpbackend.Solved || res.Status == qpbackend.AlmostSolved || res.Status == qpbackend.IterationLimit) && len(res.X) >= s.P.Columns() && !slices.ContainsFunc(res.X, math.IsNaN)
	if !solved {
		if more, err := s.probe(ctx, nd, &v, box); err != nil || more {
			return s.again(ctx, nd, v, err)
		}
		v.col, v.at = s.widest(box, nil)
		return v
	}
	v.dual = r.dual(res)
	if v.bound = s.P.Bound(v.dual, box, work); math.IsInf(v.bound, -1) {
		sure(v.dual)
		v.bound = s.P.Bound(v.dual, box, work)
	}
	x := v.dual.Points
	if r.phase1 {
		if v.bound > 0 {
			v.empty, v.bound = true, math.Inf(1)
			return v
		}
		v.bound, v.dual = math.Inf(-1), nil
		v.col, v.at = s.choose(box, x, work)
		return v
	}
	v.x = slices.Clone(x[:s.P.N])
	if v.err = s.tellRoot(nd, &v); v.err == nil {
		v.err = s.tighter(ctx, nd, &v, r, triangles, work)
	}
	if v.err == nil && nd.depth == 0 && s.block != nil && !s.prunes(v.bound) {
		v.err = s.tryMatrix(ctx, &v, r, work)
	}
	if v.err != nil { // the bound so far holds
		return v
	}
	if !s.prunes(v.bound) {
		much := s.cutOff(nd, &v, box)
		more, err := s.probe(ctx, nd, &v, box)
		if err != nil || (much || more) && nd.narrowed < mostNarrowed {
			return s.again(ctx, nd, v, err)
		}
	}
	x = v.dual.Points
	v.col, v.at = s.choose(box, x, work)
	return v
}

// again solves a node anew that has become narrower, unless there is an error.
func (s *Search) again(ctx context.Context, nd *node, v visit, err error) visit {
	if v.err = err; err != nil {
		return v
	}
	nd.narrowed++
	again := s.visit(ctx, nd)
	if again.lost = min(again.lost, v.lost); again.err == nil && again.x == nil {
		again.x = v.x
	}
	return again
}

// mostNarrowed bounds how often a node is solved anew since parts of it were cut off. Source: any
// number does.
const mostNarrowed = 3

// cutOff cuts parts off a node, at the ends of variables, that its multipliers show to have no
// better point (reduced-cost tightening, Ryoo and Sahinidis 1996). It reports whether the node is
// much narrower for it.
func (s *Search) cutOff(nd *node, v *visit, box []flat.Interval) (much bool) {
	if math.IsInf(s.Upper, 1) || math.IsInf(v.bound, -1) {
		return false
	}
	goal, work := s.Upper-s.GapTol*max(1, math.Abs(s.Upper)), make([]flat.Interval, len(box))
	s.P.Bound(v.dual, box, work)
	slopes := slices.Clone(work[:s.P.N])
	for i, j := range s.branch {
		if j >= s.P.N || !s.wide(j, box[j]) {
			continue
		}
		off, y := box[j], slopes[j].Lo+slopes[j].Width()/2
		// of the roundings of the bound. Source: any small number does
		far := 1.001 * (goal - v.bound) / math.Abs(y)
		if y > 0 {
			off.Lo += far
		} else {
			off.Hi -= far
		}
		if off.Width() >= leastCut*box[j].Width() {
			_, wider := s.beyond(nd, v, box, i, off, v.dual)
			much = much || wider
		}
	}
	return much
}

// Confine bounds variables that intervals leave without a bound on one side: the convex problem
// tells how far they are in sum from the other side at most, and its multipliers show that nothing
// is beyond.
func (s *Search) Confine(ctx context.Context) error {
	var toward dc.Linear
	for _, j := range s.Unbounded() {
		switch a := s.root[j]; {
		case a.Lo > math.Inf(-1):
			toward = toward.AddScaled(-1, flat.ColumnOf(j))
		case a.Hi < math.Inf(1):
			toward = toward.AddScaled(1, flat.ColumnOf(j))
		}
	}
	if len(toward.Idx) == 0 || len(s.open) == 0 {
		return nil
	}
	r := &relaxation{p: s.P, box: slices.Clone(s.root), toward: toward, cutoff: s.Upper}
	res, err := s.solve(ctx, r)
	if err != nil || res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return err
	}
	dual, far := r.dual(res), 0.0
	for k, j := range toward.Idx {
		end := r.box[j].Lo
		if toward.Val[k] > 0 {
			end = r.box[j].Hi
		}
		far += math.Abs(res.X[j] - end)
	}
	far += 0.01 * max(1, far) // Source: any small number does
	nd := heap.Pop(&s.open).(node)
	v := visit{box: s.pack(r.box), lost: math.Inf(1)}
	for k, j := range toward.Idx {
		off := s.root[j]
		if toward.Val[k] < 0 {
			off.Lo += far
		} else {
			off.Hi -= far
		}
		if i, is := slices.BinarySearch(s.branch, j); is {
			s.beyond(&nd, &v, r.box, i, off, dual)
		}
	}
	s.lost = min(s.lost, v.lost)
	if s.P.Tighten(r.box, s.Upper, RootRounds) {
		s.root = r.box
		nd.box = s.pack(s.root)
	}
	heap.Push(&s.open, nd)
	return nil
}

// sure leaves multipliers out that are no more than errors of the backend: a multiple of a column
// without bounds would make a bound worthless.
func sure(d *flat.Dual) {
	most := d.Cost
	for _, y := range d.Rows {
		most = max(most, math.Abs(y))
	}
	const error = 1e-7 // Source: ten times the tolerance of package ipm
	if d.Cost < error*most {
		d.Cost = 0
	}
	for _, list := range []*[]float64{&d.Rows, &d.Hints, &d.Sides} {
		*list = slices.Clone(*list)
		for i, y := range *list {
			if math.Abs(y) < error*most {
				(*list)[i] = 0
			}
		}
	}
}

// beyond takes the part off of the column with number i in branch from a node, if multipliers show that
// no point in it is better than the best one. Those of a convex problem that goes toward a column do,
// for the part beyond its solution. It reports whether the node is much narrower for it.
func (s *Search) beyond(nd *node, v *visit, box []flat.Interval, i int, off flat.Interval, d *flat.Dual) (
	done, much bool) {
	j := s.branch[i]
	whole := box[j]
	box[j] = off
	p := *d
	// a bound states cuts and slopes over its box
	p.Points, p.Cuts = slices.Clone(d.Points), slices.Clone(d.Cuts)
	for k := range p.Points {
		p.Points[k] = box[k].Clip(p.Points[k])
	}
	work := make([]flat.Interval, len(box))
	bound := s.P.Bound(&p, box, work)
	if math.IsInf(bound, -1) {
		sure(&p)
		bound = s.P.Bound(&p, box, work)
	}
	box[j] = whole
	switch {
	case p.Cost > 0:
		bound /= p.Cost
	case bound > 0:
		bound = math.Inf(1)
	}
	if !math.IsInf(bound, 1) && !s.prunes(bound) {
		return false, false
	}
	v.lost = min(v.lost, bound)
	return true, s.without(nd, v, box, i, off, &Tree{Dual: &p, Bound: bound})
}

// without takes part off the column with number i in branch from a node. The part is a leaf in the
// tree. It reports whether the node is much narrower for it.
func (s *Search) without(nd *node, v *visit, box []flat.Interval, i int, off flat.Interval, leaf *Tree) (much bool) {
	j := s.branch[i]
	whole := box[j]
	upper := off.Hi == whole.Hi
	if upper {
		box[j].Hi = off.Lo
	} else {
		box[j].Lo = off.Hi
	}
	v.box[i], nd.box[i] = box[j], box[j]
	if t := nd.tree; t != nil {
		nd.tree = &Tree{Dual: t.Dual, Up: t.Up + 1, Bound: t.Bound}
		t.Col, t.Dual, t.Up = j, nil, 0
		if upper {
			t.At, t.Left, t.Right = off.Lo, nd.tree, leaf
		} else {
			t.At, t.Left, t.Right = off.Hi, leaf, nd.tree
		}
	}
	return off.Width() > muchCut*whole.Width()
}

// probe cuts off where the convex problem has no point as good as the best one, at the ends of
// columns (optimality-based tightening, Zamora and Grossmann 1999): the least and the largest value
// of a column tell what to cut off, and the multipliers show it. It reports whether the node is much
// narrower for it.
func (s *Search) probe(ctx context.Context, nd *node, v *visit, box []flat.Interval) (much bool, err error) {
	if nd.vain || nd.depth%probeEvery > 0 || nd.narrowed == mostNarrowed || math.IsInf(s.Upper, 1) && nd.depth > 0 {
		return false, nil
	}
	before, tried, paid := s.Work(), 0, 0
	defer func() { nd.vain = 4*paid < tried }()
	for i, j := range s.branch {
		for _, sign := range [2]float64{1, -1} {
			if !s.wide(j, box[j]) || s.Work() > before+probeWork {
				continue
			}
			tried++
			r := &relaxation{p: s.P, box: box, cuts: s.cuts(v.cuts),
				toward: dc.Linear{Idx: []int{j}, Val: []float64{sign}}, cutoff: s.Upper}
			res, err := s.solve(ctx, r)
			if err != nil {
				return much, err
			}
			if res.Status != qpbackend.Solved || len(res.X) < s.P.Columns() {
				continue
			}
			// Source: any small number does
			size := box[j].Width()
			if !box[j].Finite() {
				size = max(1, math.Abs(res.X[j]))
			}
			off, room := box[j], 0.01*size
			if sign > 0 {
				off.Hi = res.X[j] - room
			} else {
				off.Lo = res.X[j] + room
			}
			if !(off.Width() >= leastCut*size) {
				continue
			}
			done, wider := s.beyond(nd, v, box, i, off, r.dual(res))
			if much = much || wider; done {
				paid++
			}
		}
	}
	return much, nil
}

// probeEvery is the distance of the levels that are probed. Source: of 133 small problems of MINLPLib,
// every level, every second and every fourth one prove 99, 100 and 100, in 0.363, 0.351 and 0.360 s each.
const probeEvery = 2

// probeWork bounds the work of one round of probing.
// Source: derived: a tenth of ccp.Second.
const probeWork = 1e7

// wide reports whether the interval of column j may be split. Terms without a bound follow variables.
func (s *Search) wide(j int, a flat.Interval) bool {
	if !a.Finite() {
		return j < s.P.N
	}
	return a.Width() > narrow*max(1, math.Abs(a.Lo), math.Abs(a.Hi))
}

// Parts of an interval: the least that is worth a leaf, and from which on the node is solved anew.
// Source: any numbers do.
const (
	leastCut = 0.05
	muchCut  = 0.2
)

// worthwhile is the part of the gap that the semidefinite matrix must close at the root to be stated at other
// nodes, too. Source: its nodes take some ten times as long.
const worthwhile = 0.1

// tryMatrix states the matrix of a block at the root.
func (s *Search) tryMatrix(ctx context.Context, v *visit, r *relaxation, work []flat.Interval) error {
	q := &relaxation{p: s.P, box: r.box, cuts: s.cuts(v.cuts), block: s.block}
	before := v.bound
	better, err := s.tighten(ctx, v, q, work)
	if better {
		s.matrix = math.IsInf(before, -1) || v.bound-before > worthwhile*(s.Upper-before)
		v.x = slices.Clone(v.dual.Points[:s.P.N])
	}
	return err
}

// tighten takes over the bound of another relaxation of the box, if it is better.
func (s *Search) tighten(ctx context.Context, v *visit, q *relaxation, work []flat.Interval) (better bool, err error) {
	res, err := s.solve(ctx, q)
	if err != nil || res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return false, err
	}
	d, again := q.dual(res), make([]flat.Interval, len(work))
	bound := s.P.Bound(d, q.box, again)
	if better = bound > v.bound; better {
		v.bound, v.dual = bound, d
		copy(work, again)
	}
	return better, nil
}

// Rounds of triangles: of the root, and of other nodes.
// Source: limits of time; the search ends for any numbers.
const (
	rootCuts = 12
	nodeCuts = 1
)

// tighter adds triangles while they pay, and keeps those that hold with equality.
func (s *Search) tighter(ctx context.Context, nd *node, v *visit, r *relaxation, known []triangle, work []flat.Interval) error {
	rounds := nodeCuts
	if nd.depth == 0 {
		rounds = rootCuts
	}
	for len(s.triples) > 0 {
		v.cuts = nil
		for i, t := range known {
			if v.dual.Cuts[i].Mult > 1e-9 {
				v.cuts = append(v.cuts, t)
			}
		}
		if rounds--; rounds < 0 || s.prunes(v.bound) {
			return nil
		}
		more := s.separate(r.box, v.dual.Points, known)
		if len(more) == 0 {
			return nil
		}
		next := append(slices.Clone(v.cuts), more...)
		q, before := &relaxation{p: s.P, box: r.box, cuts: s.cuts(next), block: r.block}, v.bound
		better, err := s.tighten(ctx, v, q, work)
		if err != nil || !better {
			return err
		}
		known = next
		if err := s.tellRoot(nd, v); err != nil {
			return err
		}
		if v.bound-before < 0.01*(s.Upper-v.bound) {
			rounds = 0
		}
	}
	return nil
}

// wideOnly leaves out triangles of variables that have one value.
func (s *Search) wideOnly(list []triangle, box []flat.Interval) []triangle {
	return slices.DeleteFunc(slices.Clone(list), func(t triangle) bool {
		for _, j := range s.triples[t.triple].cols {
			if !(box[j].Width() > narrow) {
				return true
			}
		}
		return false
	})
}

func (s *Search) cuts(list []triangle) []flat.Cut {
	out := make([]flat.Cut, len(list))
	for i, t := range list {
		out[i] = s.cut(t)
	}
	return out
}

// solve solves the convex problem of a box. A problem that the backend refuses for its numbers
// counts as one that it has failed on.
func (s *Search) solve(ctx context.Context, r *relaxation) (*qpbackend.Result, error) {
	var res qpbackend.Result
	qp, err := r.state(ctx)
	if err == nil {
		err = qpbackend.CheckCones(s.Backend, qp)
	}
	if err != nil {
		return nil, err
	}
	solver, err := s.Backend.New(ctx, qp, s.Backend.DefaultSettings())
	if err == nil {
		defer solver.Close()
		err = solver.Solve(ctx, &res)
		var m subproblem.Meter
		m.Add(&res, float64(len(qp.P.Val)+len(qp.A.Val)))
		s.Spend(m.Work())
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, err
	case err != nil:
		res.Status = qpbackend.NumericalTrouble
	}
	return &res, nil
}

// Work of a node beside its convex problem: overhead, for each column and round of tightening, and
// for each function between lines. Source: profiles of alkyl and of examples/radial_velocity.dc.
const (
	overhead   = 2000
	tightening = 6
	curving    = 1500
)

// Work is that of the search so far, in the unit of ccp.Result.Work.
func (s *Search) Work() float64 { return float64(s.work.Load()) }

// Spend adds to Work.
func (s *Search) Spend(work float64) { s.work.Add(int64(work)) }

// choose finds the column to split: the argument of the functions that the relaxation is
// furthest off at, times their multipliers. Where no multiplier sees an error, as constraints
// that the relaxation meets have none, the errors count by themselves (Belotti, Lee, Liberti,
// Margot and Wächter 2009, Branching and bounds tightening techniques for non-convex MINLP).
func (s *Search) choose(box []flat.Interval, x []float64, y []flat.Interval) (col int, at float64) {
	col, best := s.scored(box, x, func(k int, off float64) float64 {
		j := s.P.N + k
		w := y[j].Lo + (y[j].Hi-y[j].Lo)/2
		if s.P.Terms[k].Under != nil && w > 0 {
			return 0
		}
		return -w * off
	})
	if col < 0 || best < 1e-12 {
		col, best = s.scored(box, x, func(k int, off float64) float64 {
			j := s.P.N + k
			if off > 0 && s.P.Above[j] || off < 0 && s.P.Below[j] && s.P.Terms[k].Under == nil {
				return math.Abs(off)
			}
			return 0
		})
	}
	if col < 0 || best < 1e-12 {
		return s.widest(box, x)
	}
	return col, s.place(col, box, x[col])
}

// scored is the column of the largest sum of the errors of its functions, and that sum.
func (s *Search) scored(box []flat.Interval, x []float64, weigh func(k int, off float64) float64) (col int, best float64) {
	score := make(map[int]float64)
	for k := range s.P.Terms {
		t, j := &s.P.Terms[k], s.P.N+k
		if t.Op == flat.Affine || s.P.CostOnly[j] && t.Op == flat.Square {
			continue
		}
		gap := weigh(k, t.Off(x, x[j]))
		if !(gap > 0) {
			continue
		}
		for _, c := range [2]int{t.A, max(t.A, t.B)} {
			if t.Op != flat.Product && c != t.A {
				continue
			}
			if b := box[c]; s.wide(c, b) {
				share := 1.0
				if b.Finite() { // near an end a split there changes little
					share = 0.1 + min(x[c]-b.Lo, b.Hi-x[c])/b.Width()
				}
				score[c] += gap * share
			}
		}
	}
	col = -1
	for _, c := range s.branch {
		if v := score[c]; v > best {
			col, best = c, v
		}
	}
	return col, best
}

// narrow is the width of an interval that is split no further, relative to its ends.
// Source: a hundred units in the last place of the tolerances that points are kept to.
const narrow = 1e-11

// widest is the widest argument of a function that is not affine.
func (s *Search) widest(box []flat.Interval, x []float64) (col int, at float64) {
	col = -1
	best := 0.0
	for k := range s.P.Terms {
		t := &s.P.Terms[k]
		if t.Op == flat.Affine {
			continue
		}
		for _, c := range [2]int{t.A, max(t.A, t.B)} {
			b := box[c]
			if w := b.Width() / max(1, math.Abs(b.Lo), math.Abs(b.Hi)); (w > best || math.IsNaN(w)) && s.wide(c, b) {
				col, best = c, w
			}
		}
	}
	if col < 0 {
		return -1, 0
	}
	v := 0.0
	if b := box[col]; b.Finite() {
		v = b.Lo + b.Width()/2
	}
	if x != nil {
		v = x[col]
	}
	return col, s.place(col, box, v)
}

// beside is how far from 0 a split is beside it.
// Source: a thousandth of ccp.Settings.FeasTol, so that it moves a bound by less than that does.
const beside = 1e-9

// place is where to split: at a kink inside, or an inflection point well inside, beside the end 0
// of a factor of a product that is 0, as the other factor is 0 beyond; else between the point and
// the middle, away from the ends.
func (s *Search) place(col int, box []flat.Interval, x float64) float64 {
	a, breaks := box[col], []float64(nil)
	for k := range s.P.Terms {
		switch t := &s.P.Terms[k]; {
		case t.OfOne() && t.A == col:
			if breaks = append(breaks, t.Breaks(a)...); t.Kink() && a.Lo < 0 && a.Hi > 0 {
				return 0
			}
		case t.Op == flat.Product && (t.A == col || t.B == col) && a.Lo == 0 && a.Hi > 2*beside &&
			box[s.P.N+k] == (flat.Interval{}):
			return beside
		}
	}
	x = a.Clip(x)
	switch beyond := max(1, math.Abs(x)); {
	case math.IsInf(a.Lo, -1) && math.IsInf(a.Hi, 1):
		return x
	case math.IsInf(a.Hi, 1):
		return x + beyond
	case math.IsInf(a.Lo, -1):
		return x - beyond
	}
	w := a.Width()
	mid := a.Lo + w/2
	at := min(max(0.7*x+0.3*mid, a.Lo+0.1*w), a.Hi-0.1*w)
	inside := slices.DeleteFunc(breaks, func(v float64) bool { return v < a.Lo+0.1*w || v > a.Hi-0.1*w })
	if len(inside) > 0 {
		at = slices.MinFunc(inside, func(u, v float64) int { return cmp.Compare(math.Abs(u-at), math.Abs(v-at)) })
	}
	return at
}

// Before: the node of the least bound is taken first; of equals the deepest, then the first.
func (nd node) Before(o node) bool {
	if nd.bound != o.bound {
		return nd.bound < o.bound
	}
	if nd.depth != o.depth {
		return nd.depth > o.depth
	}
	return nd.order < o.order
}

// Queue is a heap.Interface with the node on top that is before all others.
type Queue[T interface{ Before(o T) bool }] []T

func (q Queue[T]) Len() int           { return len(q) }
func (q Queue[T]) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q Queue[T]) Less(i, j int) bool { return q[i].Before(q[j]) }
func (q *Queue[T]) Push(nd any)       { *q = append(*q, nd.(T)) }

// Pop takes the last node away.
func (q *Queue[T]) Pop() any {
	a, none := *q, *new(T)
	last := a[len(a)-1]
	a[len(a)-1] = none
	*q = a[:len(a)-1]
	return last
}
