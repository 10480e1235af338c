package global

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
)

// estimate is an affine function that is at least the maximum in the node; ok is
// false where there is none.
func (t *maximum) estimate(piece int8) (l dc.Linear, ok bool) {
	switch {
	case piece >= 0:
		return t.pieces[piece], true
	case t.bounded():
		return t.chord, true
	}
	return dc.Linear{}, false
}

// load overwrites the values of the convex problem with those of a node.
func (g *searcher) load(nd *node) {
	s := g.sub
	s.Overwrite()
	copy(s.Now.Q, s.QP.Q)
	g.constant = g.gradient(&g.parts[len(g.parts)-1], nd)
	for j, v := range g.grad {
		s.Now.Q[j] -= v
	}
	at := -1 // of the part that the row is a tangent of
	for k := range s.Cuts {
		c := &s.Cuts[k]
		if !c.Same {
			at++
		}
		tangent := g.gradient(&g.parts[at], nd)
		s.Now.U[c.Row] = c.U + tangent
		for i, j := range c.Idx {
			s.Now.A[c.Slot[i]] = s.QP.A.Val[c.Slot[i]] - g.grad[j] // they are apart here
		}
	}
	for k, t := range g.terms {
		for _, r := range t.regions {
			lo, hi := math.Inf(-1), math.Inf(1)
			switch int(nd.piece[k]) {
			case r.i:
				hi = s.QP.U[r.row]
			case r.j:
				lo = s.QP.L[r.row]
			}
			s.Now.L[r.row], s.Now.U[r.row] = lo, hi
		}
	}
}

// gradient leaves the slopes of the part's estimate in g.grad and returns its
// constant, +Inf where one of its maxima has no estimate.
func (g *searcher) gradient(q *part, nd *node) float64 {
	clear(g.grad)
	q.lin.AddSubgrad(g.grad, 1, nil)
	c := q.lin.Const
	for i, k := range q.term {
		l, ok := g.terms[k].estimate(nd.piece[k])
		if !ok {
			return math.Inf(1)
		}
		l.AddSubgrad(g.grad, q.weight[i], nil)
		c += q.weight[i] * l.Const
	}
	return c
}

// worst is the open maximum that the node's point is furthest off at, −1 where
// none matters.
func (g *searcher) worst(nd *node, x []float64) int {
	split, top := -1, 0.0
	look := func(q *part, missing float64) {
		for i, k := range q.term {
			if nd.piece[k] >= 0 {
				continue
			}
			t := g.terms[k]
			v, second := t.two(x)
			off := missing + 1e-3*math.Abs(v-second)
			if l, ok := t.estimate(-1); ok {
				off = q.weight[i] * (l.Value(x) - v)
			}
			if off > top && off > 1e-10 {
				split, top = k, off
			}
		}
	}
	at := 0
	for i := range g.exact.Constraints {
		c := &g.exact.Constraints[i]
		if c.Convex() {
			continue
		}
		if v := c.Value(x[:len(g.x)]); v > 0.1*g.set.FeasTol {
			look(&g.parts[at], v)
		}
		at++
	}
	look(&g.parts[at], 0)
	if split < 0 && !g.p.Feasible(g.x, g.set.FeasTol) {
		return nd.firstOpen()
	}
	return split
}

// two are the largest and the second largest piece at x.
func (t *maximum) two(x []float64) (first, second float64) {
	first, second = math.Inf(-1), math.Inf(-1)
	for _, l := range t.pieces {
		switch v := l.Value(x); {
		case v > first:
			first, second = v, first
		case v > second:
			second = v
		}
	}
	return first, second
}

// ranges bounds the pieces of every maximum less the first over the convex constraints,
// by two linear problems each, and makes the chords. It opens the solver.
func (g *searcher) ranges(ctx context.Context) error {
	s := g.sub
	nd := node{piece: slices.Repeat([]int8{-1}, len(g.terms))}
	s.Now.L, s.Now.A = append([]float64(nil), s.QP.L...), append([]float64(nil), s.QP.A.Val...)
	for _, j := range s.Slacks { // no slack in a bound
		s.QP.Lo[j], s.QP.Hi[j] = 0, 0 // now has the same slices
	}
	for _, t := range g.terms { // the bounds of regions while they hold
		for _, r := range t.regions {
			c := t.pieces[r.j].AddScaled(-1, t.pieces[r.i]).Const
			s.QP.L[r.row], s.QP.U[r.row] = -c, -c
		}
	}
	g.load(&nd)
	b := backendOf(g.set)
	set := b.DefaultSettings()
	if err := s.Open(ctx, b, set); err != nil {
		return err
	}
	hard, err := g.bounding(ctx, b)
	if err != nil || hard == nil {
		return err
	}
	defer hard.Close()
	for _, t := range g.terms {
		for k := 1; k < len(t.pieces) && ctx.Err() == nil; k++ {
			t.lo[k], t.hi[k] = g.least(ctx, hard, t.pieces[k]), -g.least(ctx, hard, t.pieces[k].Scale(-1))
		}
		if t.bounded() {
			t.makeChord()
		}
	}
	return nil
}

// least is a lower bound of d over the convex constraints, −Inf where none is found.
func (g *searcher) least(ctx context.Context, hard qpbackend.Solver, d dc.Linear) float64 {
	q := make([]float64, len(g.sub.QP.Q))
	d.AddSubgrad(q, 1, nil)
	err := hard.Update(qpbackend.Update{Q: q})
	var res qpbackend.Result
	if err == nil {
		g.aside++
		err = hard.Solve(ctx, &res)
	}
	if err != nil || res.Status != qpbackend.Solved {
		return math.Inf(-1)
	}
	return res.Objective - 1e-6*max(1, math.Abs(res.Objective)) + d.Const
}

// makeChord adds up the upper bounds of (d)₊ for each piece d: over lo ≤ d ≤ hi its chord, or
// d − lo where hi is infinite and lo < 0.
func (t *maximum) makeChord() {
	t.chord = dc.Linear{}
	for k, d := range t.pieces {
		switch lo, hi := t.lo[k], t.hi[k]; {
		case k == 0 || hi <= 0:
		case lo >= 0:
			t.chord = t.chord.AddScaled(1, d)
		default:
			slope := 1.0
			if !math.IsInf(hi, 1) {
				slope = hi / (hi - lo)
			}
			t.chord = t.chord.AddScaled(slope, d)
			t.chord.Const -= slope * lo
		}
	}
}

// bounding is a solver of linear problems over the convex constraints, nil
// where these bound nothing.
func (g *searcher) bounding(ctx context.Context, b qpbackend.Backend) (qpbackend.Solver, error) {
	all := dc.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
	free := !slices.ContainsFunc(boxOf(g.p), func(b dc.Interval) bool { return b != all })
	for i := range g.exact.Constraints {
		free = free && !g.exact.Constraints[i].Convex()
	}
	if free {
		return nil, nil
	}
	lp := *g.sub.QP
	lp.P, lp.Q, lp.R = nil, make([]float64, len(lp.Q)), 0
	lp.L, lp.U = append([]float64(nil), lp.L...), append([]float64(nil), g.sub.Now.U...)
	for _, t := range g.terms {
		for _, r := range t.regions {
			lp.L[r.row], lp.U[r.row] = math.Inf(-1), math.Inf(1)
		}
	}
	return b.New(ctx, &lp, b.DefaultSettings())
}

// decide bounds a node over choices and names the one to branch on, as solve does.
func (g *searcher) decide(ctx context.Context, nd *node) (done bool, split int, err error) {
	var res qpbackend.Result
	qp, open, err := g.choices.relax(ctx, nd.piece)
	if err == nil {
		err = g.solveOnce(ctx, qp, &res)
	}
	return g.branch(ctx, nd, &res, err, 0, func() int { return g.furthest(open, res.X) })
}

// solveOnce solves a problem by a solver of its own.
func (g *searcher) solveOnce(ctx context.Context, qp *qpbackend.Problem, res *qpbackend.Result) error {
	backend := backendOf(g.set)
	solver, err := backend.New(ctx, qp, backend.DefaultSettings())
	if err != nil {
		return err
	}
	defer solver.Close()
	return solver.Solve(ctx, res)
}

// furthest is the choice that is furthest above its bound at x, −1 where none is.
func (g *searcher) furthest(open []relaxed, x []float64) int {
	split, top := -1, 1e-10
	for i := range open {
		r := &open[i]
		c := &g.choices.list[r.choice]
		least := math.Inf(1)
		for k := range c.items {
			least = min(least, c.items[k].value(x))
		}
		off := c.weight * least
		for _, l := range r.shared {
			v := l.Value(x)
			off += v * v
		}
		off -= r.cost.Value(x)
		if c.group >= 0 {
			z := r.weights[0].Value(x)
			off = c.weight * min(z, 1-z) * c.items[0].value(x)
		}
		if off > top {
			split, top = r.choice, off
		}
	}
	return split
}

// Before: the node of the least bound is taken first; of equals the deepest.
func (nd node) Before(o node) bool {
	return nd.bound < o.bound || nd.bound == o.bound && nd.depth > o.depth
}
