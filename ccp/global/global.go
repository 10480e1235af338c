package global

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/ccp/global/internal/spatial"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// Result is a ccp.Result with a proof: no feasible point is better than
// Bound.
type Result struct {
	*ccp.Result
	// Bound is a lower bound of the objective (an upper bound of a maximised
	// one), ∓Inf if none was found.
	Bound float64
	// Gap is |Objective − Bound| / max(u, |Objective|) with u = dc.Problem.ObjectiveUnit, which is 1 unless all terms of the
	// objective are small; +Inf if there is no bound or no feasible point. Proved: it is at most Settings.Global.GapTol, or the
	// problem is proved infeasible.
	Gap    float64
	Proved bool
	// Nodes is the number of nodes solved. They count as Iterations as well.
	Nodes int
	// Safe: Bound holds against rounding errors too, as it comes from multipliers by
	// interval arithmetic. Otherwise it is the value of a solver to its tolerance.
	Safe bool
	// NoBound says why there is no bound, or no better one, as words that follow "no bound, as".
	NoBound string
	// Proof is the tree of a safe bound, for Solve with Settings.Global.Proof; nil: none.
	Proof *Proof
}

// unsupportedError refuses a problem that cannot be searched; its text is Result.NoBound.
type unsupportedError struct{ why string }

func (e *unsupportedError) Error() string { return e.why }

// unproved makes a result without a bound of one of ccp.
func unproved(p *dc.Problem, res *ccp.Result) *Result {
	if res == nil {
		return nil
	}
	out := &Result{Result: res, Bound: math.Inf(-1), Gap: math.Inf(1)}
	if p.Maximize {
		out.Bound = math.Inf(1)
	}
	return out
}

// panicked makes an error of a panic. It is for deferred calls.
func panicked(err *error) {
	if v := recover(); v != nil {
		*err = &ccp.PanicError{Where: "a function that global.Solve called", Value: v, Stack: debug.Stack()}
	}
}

// searcher is a search under way.
type searcher struct {
	p       *dc.Problem
	exact   *dc.Problem // p with splits that are no majorants, and the objective in units
	unit    float64     // of the objective, a power of 2: bounds and upper are multiples of it
	set     ccp.Settings
	choices *choices // nil: the search is over the pieces of the maxima in h
	sub     *subproblem.Problem
	terms   []*maximum
	parts   []part // of each cut, and last of the objective
	res     *Result
	upper   float64 // the best objective, minimised, in units
	lost    float64 // the least bound of what was pruned within the tolerance
	open    spatial.Queue[node]
	x       []float64
	grad    []float64
	solved  int // nodes
	aside   int // other convex problems: ranges and the hull
	begun   bool
	// constant of the estimate of the objective's h in the node loaded last
	constant float64
	flat     *flat.Problem // of a search over intervals, else nil
}

// maximum is one maximum of affine functions, shared by all that contain it.
type maximum struct {
	pieces  []dc.Linear
	regions []region
	lo, hi  []float64 // range of each piece less the first, infinite if unknown
	chord   dc.Linear // at least the maximum, where that is bounded
}

// newMaximum has the first piece 0.
func newMaximum(pieces []dc.Linear) *maximum {
	t := &maximum{pieces: pieces, lo: make([]float64, len(pieces)), hi: make([]float64, len(pieces))}
	for k := 1; k < len(pieces); k++ {
		t.lo[k], t.hi[k] = math.Inf(-1), math.Inf(1)
	}
	return t
}

// region is the row pieces[j] − pieces[i].
type region struct{ i, j, row int }

// part is the h of a cut or of the objective: lin + Σ weight·maximum.
type part struct {
	lin    dc.Linear
	weight []float64
	term   []int
}

// The largest problem that is tried. Beyond, a proof is out of reach anyway, and
// a user should know at once.
// Source: limits of time.
const (
	mostMaxima  = 400
	mostRegions = 20_000
)

// newGlobal is a search over minima or maxima with the objective in units of a power of 2.
func newGlobal(p *dc.Problem, set ccp.Settings, unit float64) (*searcher, error) {
	exact := *p.Exact()
	exact.Objective = exact.Objective.Scale(1 / unit)
	g := &searcher{p: p, exact: &exact, unit: unit, choices: newChoices(&exact), set: set, lost: math.Inf(1), x: make([]float64, p.NumVars())}
	if g.choices != nil {
		if n := len(g.choices.list); n > mostMaxima {
			return nil, &unsupportedError{fmt.Sprintf("the problem is too large for a search: %d minima, at most %d are tried", n, mostMaxima)}
		}
		return g, nil
	}
	if err := g.collect(); err != nil {
		return nil, err
	}
	regions := 0
	for _, t := range g.terms {
		regions += len(t.pieces) * (len(t.pieces) - 1) / 2
	}
	if len(g.terms) > mostMaxima || regions > mostRegions {
		return nil, &unsupportedError{fmt.Sprintf("the problem is too large for a search: %d maxima with %d pairs of pieces, at most %d and %d are tried", len(g.terms), regions, mostMaxima, mostRegions)}
	}
	g.grad = make([]float64, p.NumVars())
	return g, nil
}

// inUnit is the search with the objective in another unit, before it begins.
func (g *searcher) inUnit(unit float64) (*searcher, error) {
	if unit == g.unit {
		return g, nil
	}
	if g.flat == nil {
		return newGlobal(g.p, g.set, unit)
	}
	return &searcher{p: g.p, unit: unit, set: g.set, lost: g.lost, x: g.x, flat: g.flat.InUnit(unit)}, nil
}

// collect finds the maxima of all h, each once.
func (g *searcher) collect() error {
	known := map[string]int{}
	add := func(h dc.Convex, name string) error {
		q, ok := g.partOf(h, known)
		if !ok {
			return &unsupportedError{fmt.Sprintf("the part of %s that is linearised is no sum of maxima of at most 64 affine functions each", name)}
		}
		g.parts = append(g.parts, q)
		return nil
	}
	for i := range g.exact.Constraints {
		if c := &g.exact.Constraints[i]; !c.Convex() {
			if err := add(c.E().H(), "constraint "+c.Name()); err != nil {
				return err
			}
		}
	}
	return add(g.exact.Objective.H(), "the objective")
}

// sumOfMaxima is implemented by functions that are an affine function plus a
// weighted sum of maxima of few affine functions, where Maxima says ok.
type sumOfMaxima interface {
	Maxima(each func(weight float64, pieces []dc.Linear)) (lin dc.Linear, ok bool)
}

// partOf is h as such a sum.
func (g *searcher) partOf(h dc.Convex, known map[string]int) (q part, ok bool) {
	if l, ok := h.(dc.Linear); ok {
		return part{lin: l}, true
	}
	m, ok := h.(sumOfMaxima)
	if !ok {
		return part{}, false
	}
	lin, ok := m.Maxima(func(w float64, pieces []dc.Linear) { q.add(g, known, w, pieces) })
	q.lin = q.lin.AddScaled(1, lin)
	return q, ok
}

// add puts w·max into q in normal form: of two pieces (d)₊ with the leading
// coefficient of d equal to 1, so that |d|, (d)₊ and (−d)₊ are one maximum.
func (q *part) add(g *searcher, known map[string]int, w float64, all []dc.Linear) {
	first := all[0]
	q.lin = q.lin.AddScaled(w, first)
	pieces := []dc.Linear{{}}
	for _, l := range all[1:] {
		pieces = append(pieces, l.AddScaled(-1, first))
	}
	if len(pieces) == 1 {
		return
	}
	if len(pieces) == 2 {
		d := pieces[1]
		if d.IsConst() {
			q.lin.Const += w * max(d.Const, 0)
			return
		}
		lead := d.Val[0]
		if lead < 0 { // (d)₊ = d + (−d)₊
			q.lin = q.lin.AddScaled(w, d)
		}
		w *= math.Abs(lead)
		pieces[1] = d.Scale(1 / lead)
	}
	key := fmt.Sprint(pieces)
	k, ok := known[key]
	if !ok {
		k = len(g.terms)
		known[key] = k
		g.terms = append(g.terms, newMaximum(pieces))
	}
	for i, t := range q.term {
		if t == k {
			q.weight[i] += w
			return
		}
	}
	q.term, q.weight = append(q.term, k), append(q.weight, w)
}

// addRegions adds a row for each pair of pieces; its bounds say which region a
// node lies in.
func (g *searcher) addRegions(b *subproblem.Builder) {
	for _, t := range g.terms {
		for j := range t.pieces {
			for i := range j {
				d := t.pieces[j].AddScaled(-1, t.pieces[i])
				t.regions = append(t.regions, region{i, j, b.AddRow(d, math.Inf(-1), math.Inf(1), -1)})
			}
		}
	}
}

// node is a choice of pieces, −1 for none, and a bound of what it contains.
type node struct {
	piece []int8
	bound float64
	depth int
}

// search is the branch and bound. It returns an error only if the backend
// refuses.
func (g *searcher) search(ctx context.Context) error {
	if g.res.Status == ccp.Infeasible || g.res.Status == ccp.Unbounded {
		return nil
	}
	g.upper = math.Inf(1)
	if g.res.Feasible {
		g.upper = g.minimised(g.res.Objective)
	}
	// The expression as it is written may have a bound where its split has none:
	// min(|x|, 1) is at least 0.
	root := node{piece: slices.Repeat([]int8{-1}, g.width()), bound: g.p.Objective.Range().Lo / g.unit}
	heap.Push(&g.open, root)
	g.begun = true
	if g.choices == nil {
		if err := g.ranges(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
	if g.choices == nil && g.firstUnbounded(&root) >= 0 {
		b, err := g.hull(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		g.open[0].bound = max(root.bound, b)
	}
	for len(g.open) > 0 && g.solved < g.set.Global.MaxNodes && ctx.Err() == nil {
		nd := heap.Pop(&g.open).(node)
		if g.prunes(nd.bound) {
			continue
		}
		if err := g.explore(ctx, nd); err != nil {
			return err
		}
	}
	return nil
}

// prunes reports whether nothing better than the tolerance can be below a bound.
func (g *searcher) prunes(bound float64) bool {
	if math.IsInf(g.upper, 1) || bound < g.upper-g.set.Global.GapTol*max(1, math.Abs(g.upper)) {
		return false
	}
	g.lost = min(g.lost, bound)
	return true
}

// explore solves a node and splits it.
func (g *searcher) explore(ctx context.Context, nd node) error {
	split, done, err := -1, false, error(nil)
	if g.choices != nil {
		done, split, err = g.decide(ctx, &nd)
	} else if split = g.firstUnbounded(&nd); split < 0 {
		done, split, err = g.solve(ctx, &nd)
	}
	if err != nil || done {
		return err
	}
	for j := range g.pieces(split) {
		child := node{piece: append([]int8(nil), nd.piece...), bound: nd.bound, depth: nd.depth + 1}
		child.piece[split] = int8(j)
		heap.Push(&g.open, child)
	}
	return nil
}

// width is how many maxima or minima there are, and pieces how many pieces one has.
func (g *searcher) width() int {
	if g.choices != nil {
		return len(g.choices.list)
	}
	return len(g.terms)
}

func (g *searcher) pieces(k int) int {
	if g.choices != nil {
		return len(g.choices.list[k].items)
	}
	return len(g.terms[k].pieces)
}

// firstUnbounded is a maximum in the objective without a bound at the node, −1
// for none.
func (g *searcher) firstUnbounded(nd *node) int {
	for _, k := range g.parts[len(g.parts)-1].term {
		if nd.piece[k] < 0 && !g.terms[k].bounded() {
			return k
		}
	}
	return -1
}

// bounded: each piece less the first has a least value.
func (t *maximum) bounded() bool {
	return !slices.ContainsFunc(t.lo, func(lo float64) bool { return math.IsInf(lo, -1) })
}

// solve bounds a node. done: there is nothing to split; else split is the
// maximum whose estimate is furthest off.
func (g *searcher) solve(ctx context.Context, nd *node) (done bool, split int, err error) {
	g.load(nd)
	err = g.sub.Solve(ctx)
	res := &g.sub.Res
	return g.branch(ctx, nd, res, err, g.constant, func() int { return g.worst(nd, res.X) })
}

// branch takes over the solution of a node's convex problem, whose objective counts less a
// constant, or the error in its place: its bound, its point and, if the node is to be split, where.
func (g *searcher) branch(
	ctx context.Context, nd *node, res *qpbackend.Result, err error, less float64, at func() int,
) (done bool, split int, fatal error) {
	switch {
	case ctx.Err() != nil && err != nil:
		heap.Push(&g.open, *nd) // for the bound
		return true, -1, nil
	case refusal(err):
		return true, -1, fmt.Errorf("ccp: node %d: %w", g.solved, err)
	case err != nil:
		res.Status = qpbackend.NumericalTrouble
	}
	g.solved++
	switch res.Status {
	case qpbackend.PrimalInfeasible:
		return true, -1, nil
	case qpbackend.Solved, qpbackend.AlmostSolved:
		nd.bound = max(nd.bound, res.Objective-less-res.Res.Gap*max(1, math.Abs(res.Objective)))
		g.tryPoint(ctx, res.X)
		if g.prunes(nd.bound) {
			return true, -1, nil
		}
		split = at()
	default: // X is no point
		split = nd.firstOpen()
	}
	if split < 0 { // exact, or beyond the backend
		g.lost = min(g.lost, nd.bound)
	}
	return split < 0, split, nil
}

// firstOpen is the first maximum without a choice, −1 for none.
func (nd *node) firstOpen() int { return slices.Index(nd.piece, -1) }

func backendOf(set ccp.Settings) qpbackend.Backend {
	if set.Backend == nil {
		return ipm.Backend{}
	}
	return set.Backend
}

// refusal reports whether the backend has no problems of the kind; other errors are due to the
// numbers of one problem.
func refusal(err error) bool {
	var cone *qpbackend.UnsupportedConeError
	return errors.As(err, &cone)
}
