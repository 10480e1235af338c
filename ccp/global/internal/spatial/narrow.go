package spatial

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/qpbackend"
)

// Confine bounds variables that intervals leave without a bound on one side: the convex problem
// tells how far they are in sum from the other side at most, and its multipliers show that nothing
// is beyond.
func (s *Search) Confine(ctx context.Context) error {
	var toward convex.Linear
	for _, j := range s.Unbounded() {
		switch a := s.root[j]; {
		case a.Lo > math.Inf(-1):
			toward = toward.AddScaled(-1, factorable.ColumnOf(j))
		case a.Hi < math.Inf(1):
			toward = toward.AddScaled(1, factorable.ColumnOf(j))
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

// boundBy is the bound of multipliers, where it is worthless the one without those that sure leaves
// out.
func (s *Search) boundBy(d *factorable.Dual, box, work []factorable.Interval) float64 {
	bound := s.P.Bound(d, box, work)
	if math.IsInf(bound, -1) {
		sure(d)
		bound = s.P.Bound(d, box, work)
	}
	return bound
}

// sure leaves multipliers out that are no more than errors of the backend: a multiple of a column
// without bounds would make a bound worthless.
func sure(d *factorable.Dual) {
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

// cutOff cuts parts off a node, at the ends of variables, that its multipliers show to have no
// better point (reduced-cost tightening, Ryoo and Sahinidis 1996). It reports whether the node is
// much narrower for it.
func (s *Search) cutOff(nd *node, v *visit, box []factorable.Interval) (much bool) {
	if math.IsInf(s.Upper, 1) || math.IsInf(v.bound, -1) {
		return false
	}
	goal, work := s.Upper-s.GapTol*max(1, math.Abs(s.Upper)), make([]factorable.Interval, len(box))
	s.P.Bound(v.dual, box, work)
	for i, j := range s.branch {
		if j >= s.P.N || !s.wide(j, box[j]) {
			continue
		}
		off, y := box[j], factorable.Middle(work[j])
		// of the roundings of the bound. Source: any small number does
		far := 1.001 * (goal - v.bound) / math.Abs(y)
		if y > 0 {
			off.Lo += far
		} else {
			off.Hi -= far
		}
		if interval.Width(off) >= leastCut*interval.Width(box[j]) {
			_, wider := s.beyond(nd, v, box, i, off, v.dual)
			much = much || wider
		}
	}
	return much
}

// beyond takes the part off of the column with number i in branch from a node, if multipliers show
// that no point in it is better than the best one. Those of a convex problem that goes toward a
// column do, for the part beyond its solution. It reports whether the node is much narrower for it.
func (s *Search) beyond(nd *node, v *visit, box []factorable.Interval, i int, off factorable.Interval,
	d *factorable.Dual) (
	done, much bool) {
	j := s.branch[i]
	whole := box[j]
	box[j] = off
	p := *d
	// a bound states cuts and slopes over its box
	p.Points, p.Cuts = slices.Clone(d.Points), slices.Clone(d.Cuts)
	for k := range p.Points {
		p.Points[k] = factorable.Clip(box[k], p.Points[k])
	}
	work := make([]factorable.Interval, len(box))
	bound := s.boundBy(&p, box, work)
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
	upper := off.Hi == whole.Hi
	if upper {
		box[j].Hi = off.Lo
	} else {
		box[j].Lo = off.Hi
	}
	v.box[i], nd.box[i] = box[j], box[j]
	if t := nd.tree; t != nil { // the part is a leaf
		leaf := &Tree{Dual: &p}
		nd.tree = &Tree{Dual: t.Dual, Up: t.Up + 1}
		t.Col, t.Dual, t.Up = j, nil, 0
		if upper {
			t.At, t.Left, t.Right = off.Lo, nd.tree, leaf
		} else {
			t.At, t.Left, t.Right = off.Hi, leaf, nd.tree
		}
	}
	return true, interval.Width(off) > muchCut*interval.Width(whole)
}

// probe cuts off where the convex problem has no point as good as the best one, at the ends of
// columns (optimality-based tightening, Zamora and Grossmann 1999): the least and the largest value
// of a column tell what to cut off, and the multipliers show it. It reports whether the node is
// much narrower for it.
func (s *Search) probe(ctx context.Context, nd *node, v *visit, box []factorable.Interval) (much bool, err error) {
	if s.trust && s.free(box) || nd.vain || nd.depth%probeEvery > 0 || nd.narrowed == mostNarrowed ||
		math.IsInf(s.Upper, 1) && nd.depth > 0 {
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
			r := &relaxation{p: s.P, box: box, cuts: v.cuts,
				toward: convex.Linear{Idx: []int{j}, Val: []float64{sign}}, cutoff: s.Upper}
			res, err := s.solve(ctx, r)
			if err != nil {
				return much, err
			}
			if res.Status != qpbackend.Solved || len(res.X) < s.P.Columns() {
				continue
			}
			// Source: any small number does
			size := interval.Width(box[j])
			if !box[j].IsFinite() {
				size = max(1, math.Abs(res.X[j]))
			}
			off, room := box[j], 0.01*size
			if sign > 0 {
				off.Hi = res.X[j] - room
			} else {
				off.Lo = res.X[j] + room
			}
			if !(interval.Width(off) >= leastCut*size) {
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

// probeEvery is the distance of the levels that are probed. Source: of 133 small problems of
// MINLPLib, every level, every second and every fourth one prove 99, 100 and 100, in 0.363, 0.351
// and 0.360 s each.
const probeEvery = 2

// probeWork bounds the work of one round of probing.
// Source: derived: a tenth of ccp.Second.
const probeWork = 1e7

// Parts of an interval: the least that is worth a leaf, and from which on the node is solved anew.
// Source: any numbers do.
const (
	leastCut = 0.05
	muchCut  = 0.2
)
