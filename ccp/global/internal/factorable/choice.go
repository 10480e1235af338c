package factorable

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

// Pick is a leaf, an item of several, or one of two by the sign of a column.
type Pick struct {
	Item        int
	By          int   // the column: where it is not negative it is Left
	Down        bool  // where it is not positive, instead
	Left, Right *Pick // nil: a leaf
}

// Open lists the items that it may be on a box, and finds a column that excludes some of them; −1:
// one is left.
func (k *Pick) Open(box []Interval) (items []int, by int) {
	switch a := box[max(k.By, 0)]; {
	case k.Left == nil:
		return []int{k.Item}, -1
	case a.Lo >= 0 && !k.Down || a.Hi <= 0 && k.Down:
		return k.Left.Open(box)
	case a.Hi <= 0 || a.Lo >= 0:
		return k.Right.Open(box)
	}
	items, _ = k.Left.Open(box)
	more, _ := k.Right.Open(box)
	return append(items, more...), k.By
}

// Choice is a part of the cost that is the least of convex functions.
type Choice struct {
	Cost    convex.Linear
	Items   []Item
	Pick    *Pick
	Support []int // the variables of the items
}

// Item is Lin + Σ|Sizes| + Σ Squares², of variables.
type Item struct {
	Lin            convex.Linear
	Sizes, Squares []convex.Linear
}

// Value is that at a point.
func (it *Item) Value(x []float64) float64 {
	v := it.Lin.Value(x)
	for _, l := range it.Sizes {
		v += math.Abs(l.Value(x))
	}
	for _, l := range it.Squares {
		v += l.Value(x) * l.Value(x)
	}
	return v
}

// choices finds the parts of the cost that are the least of convex functions.
func (p *Problem) choices() {
	kinks := map[string][]kink{} // with a positive weight, by slope
	for k, j := range p.Cost.Idx {
		if at, ok := p.kink(j, p.Cost.Val[k]); ok && at.weight > 0 {
			kinks[at.slope] = append(kinks[at.slope], at)
		}
	}
	for k, j := range p.Cost.Idx {
		w := p.Cost.Val[k]
		at, ok := p.kink(j, w)
		if more := kinks[at.slope]; ok && w < 0 && len(more) > 0 {
			p.ramp(more[0], at)
			kinks[at.slope] = more[1:]
		} else if t := p.term(j); w < 0 && t != nil && t.Under != nil && t.Under.Pick != nil {
			items := make([]convex.Linear, len(t.Under.Args))
			for i, a := range t.Under.Args {
				items[i] = ColumnOf(a).Scale(w)
			}
			p.choice(ColumnOf(j).Scale(w), items, t.Under.Pick)
		}
	}
}

// kink is a part of the cost, rest + weight·|u|, and text that it has in common with those of the
// same |weight| and a u that differs by a constant.
type kink struct {
	cost, rest, u convex.Linear
	by            int // the column u
	weight        float64
	slope         string
}

// kink reads w times a column.
func (p *Problem) kink(j int, w float64) (k kink, ok bool) {
	k.cost, k.rest = ColumnOf(j).Scale(w), p.affine(j).Scale(w)
	all := k.rest
	for i, c := range all.Idx {
		if t := p.term(c); t != nil && t.Op == Abs {
			ok = k.weight == 0
			k.by, k.weight = t.A, all.Val[i]
			k.rest = k.rest.AddScaled(-k.weight, ColumnOf(c))
		}
	}
	if ok {
		k.u = p.affine(k.by)
		k.slope = fmt.Sprint(math.Abs(k.weight), k.u.Idx, k.u.Val)
	}
	return k, ok
}

// ramp is the choice w·|u| − w·|u − c|, the least of w·(|u| + u − c) and w·c for c > 0, and of
// w·(|u| − u + c) and −w·c for c < 0: without bounds of the variables neither size has one, and the
// difference has.
func (p *Problem) ramp(plus, minus kink) {
	w, c := plus.weight, plus.u.Const-minus.u.Const
	σ := math.Copysign(1, c)
	most := plus.rest.AddScaled(1, minus.rest)
	most.Const += w * math.Abs(c)
	rises := sum(-w*math.Abs(c), []convex.Linear{plus.cost, minus.rest, plus.u}, []float64{1, 1, w * σ})
	pick := &Pick{By: minus.by, Down: σ < 0, Left: &Pick{Item: 1}, Right: &Pick{}}
	p.choice(plus.cost.AddScaled(1, minus.cost), []convex.Linear{rises, most}, pick)
}

// term is the term of a column, nil for a variable.
func (p *Problem) term(j int) *Term {
	if j < p.N {
		return nil
	}
	return &p.Terms[j-p.N]
}

// affine is a column as an affine function of columns.
func (p *Problem) affine(j int) convex.Linear {
	if t := p.term(j); t != nil && t.Op == Affine {
		return t.Lin
	}
	return ColumnOf(j)
}

// choice adds a choice if its items are convex.
func (p *Problem) choice(cost convex.Linear, items []convex.Linear, pick *Pick) {
	c := Choice{Cost: cost, Items: make([]Item, len(items)), Pick: pick}
	for k, l := range items {
		it := &c.Items[k]
		if !p.convex(l, 1, it) {
			return
		}
		for _, l := range slices.Concat([]convex.Linear{it.Lin}, it.Sizes, it.Squares) {
			c.Support = append(c.Support, l.Idx...)
		}
	}
	slices.Sort(c.Support)
	c.Support = slices.Compact(c.Support)
	p.Choices = append(p.Choices, c)
}

// convex adds a weighted function to an item, and reports whether it is one.
func (p *Problem) convex(l convex.Linear, w float64, to *Item) bool {
	to.Lin.Const += w * l.Const
	for k, j := range l.Idx {
		t, w := p.term(j), w*l.Val[k]
		switch {
		case t == nil:
			to.Lin = to.Lin.AddScaled(w, ColumnOf(j))
		case t.Op == Affine:
			if !p.convex(t.Lin, w, to) {
				return false
			}
		case w > 0 && t.Op == Abs || w > 0 && t.Op == Square:
			arg, ok := p.Plain(t.A)
			if !ok {
				return false
			}
			if t.Op == Abs {
				to.Sizes = append(to.Sizes, arg.Scale(w))
			} else {
				to.Squares = append(to.Squares, arg.Scale(math.Sqrt(w)))
			}
		default:
			return false
		}
	}
	return true
}

// Plain is a column as an affine function of variables, where it is one.
func (p *Problem) Plain(j int) (convex.Linear, bool) {
	var it Item
	ok := p.convex(ColumnOf(j), 1, &it)
	return it.Lin, ok && len(it.Sizes)+len(it.Squares) == 0
}

// norms finds the sizes that are at most a maximum, as both u and −u are among its arguments.
func (p *Problem) norms() {
	both := map[string][2]*Underestimator{}
	key := func(l convex.Linear, w float64) string { return fmt.Sprint(l.Scale(w).Idx, l.Scale(w).Val, l.Const*w) }
	for k := range p.Terms {
		if u := p.Terms[k].Under; u.Largest() {
			u.Sizes = nil
			for _, a := range u.Args {
				for i, w := range [2]float64{1, -1} {
					name := key(p.affine(a), w)
					of := both[name]
					of[i] = u
					both[name] = of
				}
			}
		}
	}
	for k := range p.Terms {
		if t := &p.Terms[k]; t.Op == Abs {
			if of := both[key(p.affine(t.A), 1)]; of[0] != nil && of[0] == of[1] {
				of[0].Sizes = append(of[0].Sizes, p.N+k)
			}
		}
	}
}
