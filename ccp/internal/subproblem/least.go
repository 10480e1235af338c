package subproblem

import (
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// choices are all dc.Least of the objective. Which of their items count changes from iteration to
// iteration, and with it values of q and P; P has the places of all.
type choices struct {
	all []least
	p   []float64 // the values of P with those of the items that were chosen; nil: there are none
}

type least struct {
	form convex.Least
	convex.Choices
	vars []int // of all items
}

// add adds zeros at the places in p of all items of l, functions of the first cols columns.
func (c *choices) add(l convex.Least, p *sparse.Triplets, cols int) {
	known := map[[2]int]int32{} // the same products stand in many items
	out := least{form: l, Choices: l.Choices(func(i, j int) int32 {
		at, ok := known[[2]int{i, j}]
		if !ok {
			at = int32(p.Add(i, j, 0))
			known[[2]int{i, j}] = at
		}
		return at
	})}
	in := make([]bool, cols)
	out.Variables(func(j int) {
		if !in[j] {
			in[j], out.vars = true, append(out.vars, j)
		}
	})
	c.all = append(c.all, out)
}

// locate follows the places of P, of so many entries, to others.
func (c *choices) locate(places []int, entries int) {
	if len(c.all) == 0 {
		return
	}
	c.p = make([]float64, entries)
	for k := range c.all {
		c.all[k].Move(places)
	}
}

// take lets those items count that are least at x: it adds their part to q and, where
// they are others than before, makes the values p of base anew.
func (c *choices) take(x, q, p, base []float64) (switched bool) {
	for k := range c.all {
		l := &c.all[k]
		switched = l.Choose(x) || switched
		l.AddLinear(q, l.form.Weight)
	}
	if !switched {
		return false
	}
	copy(c.p, base)
	for k := range c.all {
		c.all[k].AddSquares(c.p, c.all[k].form.Weight)
	}
	copy(p, c.p)
	return true
}
