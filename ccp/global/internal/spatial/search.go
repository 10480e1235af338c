package spatial

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/qpbackend"
)

// Search is a branch and bound. Its answer is the same for any number of processors.
type Search struct {
	P        *factorable.Problem
	Backend  qpbackend.Backend
	GapTol   float64
	MaxNodes int
	Most     Limits
	// Upper is the least cost of a feasible point so far, +Inf if there is none.
	Upper float64
	// Try is given points that may be feasible, and whether to descend from them; it
	// returns the least cost so far. Calls follow each other.
	Try func(ctx context.Context, x []float64, descend bool) float64
	// Tell is told of the progress: of the first bound, of those of the root, and after each batch
	// of nodes; nil: nobody is.
	Tell func(lower float64, nodes, open int) error
	// Least is a bound of the cost that is known, without Keep.
	Least float64
	// Keep: the tree is kept for a proof.
	Keep bool

	Tree    *Tree // of a search with Keep
	Nodes   int   // solved
	Trusted bool  // some bounds are the backend's word, which counts without Keep where multipliers show nothing
	work    atomic.Int64
	Open    int // left open at the end
	// Lower is the bound: no feasible point has a cost below it. +Inf: none is feasible.
	Lower float64

	triples []factorable.Cut // that a triangle may be stated of
	block   []int            // variables whose products may be a semidefinite matrix
	matrix  bool             // it pays
	hulls   bool             // of choices pay
	// trust: the backend's word counts, as multipliers show no hulls, and little where variables
	// have no bounds.
	trust  bool
	sizes  map[int]bool // arguments of absolute values that may be split where they have no bounds
	splits int          // of other columns
	branch []int        // columns that may be split
	curves int          // functions between lines
	root   []factorable.Interval
	open   queue
	lost   float64 // the least bound of the nodes that were pruned
	first  float64 // the bound by intervals alone
}

// Tree is a node of the tree as it was searched.
type Tree struct {
	Col         int // that is split, at At
	At          float64
	Left, Right *Tree
	// Dual shows the bound of a leaf; nil: by intervals nothing is left in it.
	Dual *factorable.Dual
	Up   int // Dual is that of the node so many levels above
}

// node is a part of the root's box: the intervals of the columns that may be split.
type node struct {
	box      []factorable.Interval
	bound    float64
	depth    int
	tree     *Tree
	order    int  // by which equal bounds are taken
	narrowed int  // how often it was solved anew
	vain     bool // probing
	cuts     []factorable.Cut
}

// Limits are of work; 0: there is none.
type Limits struct {
	Run   float64 // Run pauses from so much on, and goes on where it is called again
	Solve float64 // of one convex problem: Run ends before one that takes more, with ErrTooLarge
}

// ErrTooLarge is the error of a convex problem that would take more work than it may.
var ErrTooLarge = errors.New("the problem is too large for a search that takes no longer than the starts")

// batch is how many nodes are solved at a time, whatever the number of processors.
// Source: any number does; more would leave the order of best bounds.
const batch = 8

// Unbounded lists the variables that have no bounds in the root's box.
func (s *Search) Unbounded() []int {
	var out []int
	for j, b := range s.root[:s.P.N] {
		if !b.IsFinite() {
			out = append(out, j)
		}
	}
	return out
}

// Root are the intervals of the columns, after Prepare.
func (s *Search) Root() []factorable.Interval { return s.root }

// Prepare bounds the root's box, and the cost over it, by intervals. Nothing is open then where
// nothing is feasible.
func (s *Search) Prepare() {
	s.triples, s.block = triplesOf(s.P), blockOf(s.P)
	s.root = slices.Clone(s.P.Box)
	s.lost = math.Inf(1)
	args := make([]bool, s.P.Columns())
	s.sizes = map[int]bool{}
	for j := range s.P.N {
		args[j] = true
	}
	for k := range s.P.Terms {
		t := &s.P.Terms[k]
		if t.Op == factorable.Abs && !s.Keep {
			s.sizes[t.A] = true
		}
		if t.OfOne() && t.Cones == nil && !t.Kink() {
			s.curves++
		}
		for _, j := range t.Args() {
			args[j] = args[j] || t.Op != factorable.Affine
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
			s.Tree = &Tree{}
		}
		return
	}
	s.trust = !s.Keep && (len(s.P.Choices) > 0 || s.free(s.root))
	d := s.P.ByIntervals()
	nd := node{box: s.pack(s.root), bound: s.P.Bound(d, s.root, make([]factorable.Interval, s.P.Columns()))}
	if s.Keep {
		s.Tree = &Tree{Dual: d}
		nd.tree = s.Tree
	} else {
		nd.bound = max(nd.bound, s.Least)
	}
	heap.Push(&s.open, nd)
	s.conclude()
	s.first = s.Lower
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
	for len(s.open) > 0 && s.Nodes < s.MaxNodes && ctx.Err() == nil && !(s.Most.Run > 0 && s.Work() >= s.Most.Run) &&
		!s.stuck() {
		var now []node
		for len(s.open) > 0 && len(now) < min(batch, 1+s.Nodes, s.MaxNodes-s.Nodes) {
			if nd := heap.Pop(&s.open).(node); s.prunes(nd.bound) {
				s.lost = min(s.lost, nd.bound)
			} else {
				now = append(now, nd)
			}
		}
		for i, v := range s.visitAll(ctx, now) {
			nd := &now[i]
			if v.err != nil {
				if v.dual != nil && v.bound > nd.bound { // the bound from before the interruption
					if nd.bound = v.bound; nd.tree != nil {
						nd.tree.Dual, nd.tree.Up = v.dual, 0
					}
				}
				heap.Push(&s.open, *nd)
				if ctx.Err() != nil {
					continue
				}
				return v.err
			}
			s.Nodes++
			s.Trusted = s.Trusted || v.trusted
			s.lost = min(s.lost, v.lost)
			if nd.tree != nil && (v.bound >= nd.bound || v.empty) {
				nd.tree.Dual, nd.tree.Up = v.dual, 0
			}
			nd.bound = max(nd.bound, v.bound)
			if v.x != nil {
				s.Upper = s.Try(ctx, v.x, s.Nodes&(s.Nodes-1) == 0 || s.Nodes%64 == 0)
			}
			switch {
			case v.empty:
			case v.col < 0 || s.prunes(nd.bound):
				s.lost = min(s.lost, nd.bound)
			default:
				s.split(nd, &v, &orders)
			}
		}
		if err := s.tell(s.lower(), len(s.open)); err != nil {
			return err
		}
	}
	return nil
}

// stuck reports whether variables without bounds have kept the bound where intervals alone have it,
// and will not improve on it. Absolute values without bounds are split first, each once.
func (s *Search) stuck() bool {
	// Source: the problems of MINLPLib whose variables have no bounds get a better one within 20
	// nodes, or none in 10,000.
	const boundless = 200
	return s.splits >= boundless && len(s.Unbounded()) > 0 && s.lower() <= s.first
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

// split opens the two halves of a node.
func (s *Search) split(nd *node, v *visit, orders *int) {
	at, _ := slices.BinarySearch(s.branch, v.col)
	if !s.bent(v.col, v.box[at]) {
		s.splits++
	}
	var trees [2]*Tree
	if nd.tree != nil {
		trees = [2]*Tree{{}, {}}
		t := nd.tree
		t.Col, t.At, t.Left, t.Right = v.col, v.at, trees[0], trees[1]
		for _, c := range trees { // the parent's bound holds until they are solved
			c.Dual, c.Up = t.Dual, t.Up+1
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
func (s *Search) pack(box []factorable.Interval) []factorable.Interval {
	out := make([]factorable.Interval, len(s.branch))
	for i, j := range s.branch {
		out[i] = box[j]
	}
	return out
}

func (s *Search) unpack(packed []factorable.Interval) []factorable.Interval {
	box := slices.Clone(s.root)
	for i, j := range s.branch {
		box[j] = packed[i]
	}
	return box
}

// Work is the work of the search so far, in the unit of ccp.Result.Work.
func (s *Search) Work() float64 { return float64(s.work.Load()) }

// Spend adds to Work.
func (s *Search) Spend(work float64) { s.work.Add(int64(work)) }

// queue is a heap.Interface: the node of the least bound is on top; of equals the deepest, then the
// first.
type queue []node

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(nd any)  { *q = append(*q, nd.(node)) }

func (q queue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(b.depth, a.depth), cmp.Compare(a.order, b.order)) < 0
}

// Pop takes the last node away.
func (q *queue) Pop() any {
	a := *q
	last := a[len(a)-1]
	a[len(a)-1] = node{}
	*q = a[:len(a)-1]
	return last
}
