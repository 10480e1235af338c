package search

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/num"
)

// Decisions begins where the items of a sum of least quadratic functions are chosen one
// after the other, the surest first, each by the minimiser and the variances that
// those before it leave: the nearest-plane method for integer least squares (Babai 1986) in
// the order of successive interference cancellation (Wolniansky, Foschini, Golden and
// Valenzuela 1998). The procedure itself changes a choice only where the point moves
// past it, and ends with the choices near its start.
type Decisions struct {
	Around
	Off bool // there are none

	done       bool
	vain, work float64 // the budget when it began
	mean       []float64
	cov        []float64 // row by row
	gain       []float64
}

const (
	// decisionWork bounds the products. Source: about 10 ms, half of what Automatic spends.
	decisionWork = 2e7
	// productsPerEntry is how many products take as long as an entry of the convex problem in an
	// iteration of the backend. Source: 0.05 to 0.1 microseconds, at 1 to 2 per nanosecond.
	productsPerEntry = 100
	// loose is the weight of where the run has ended, which makes up for unknown
	// directions, beside that of all squares that are to be chosen. Source: the root of
	// the accuracy of an inverse in double precision, and well below 1.
	loose = 1e-6
)

// decision is a sum of least items to be decided.
type decision struct {
	choices *activeItems
	sum     int // of these
	items   []convex.Form
	rows    [][]weighted
	done    bool
}

// activeItems are the items of a dc.Least that count at the mean.
type activeItems struct {
	convex.Least
	chosen []bool
}

// weighted is w·a².
type weighted struct {
	w float64
	a convex.Linear
}

// Next is where all items have been chosen.
func (d *Decisions) Next(p *Point) (Move, bool) {
	if d.Off || d.done || d.Sub.Compiled.H0 != nil || len(d.Sub.Compiled.Soft) > 0 {
		return Move{}, false
	}
	d.done = true
	least, sums := d.Sub.Lin.Least(), 0.0
	for _, l := range least {
		sums += float64(l.Sums)
	}
	if sums*sums > decisionWork { // each has a square at least
		return Move{}, false
	}
	all, looks, squares := decisions(least)
	size, n := float64(len(d.Sub.Compiled.QP.Q)+d.Sub.Compiled.Equations()), float64(len(p.Best))
	work := 2*size*size*size + looks*float64(len(all)) + 2*n*n*squares
	if len(all) < 2 || work > decisionWork {
		return Move{}, false
	}
	d.Budget.Extra += int(work / (productsPerEntry * (d.Sub.Entries() + Overhead)))
	var ok bool
	if d.mean, d.cov, ok = d.Sub.Compiled.Gaussian(p.Best, d.weights(all)); !ok {
		return Move{}, false
	}
	d.gain = make([]float64, len(p.Best))
	for range all {
		d.decide(surest(all, d.variance))
	}
	for j, v := range d.mean {
		if d.mean[j] = min(max(v, d.Lo[j]), d.Hi[j]); !num.Finite(v) {
			return Move{}, false
		}
	}
	d.vain, d.work = d.Budget.Vain, d.Budget.Work
	return Move{X: p.Best, Z: d.mean, Tau: p.Tau}, true
}

// Ended settles the cost.
func (d *Decisions) Ended(o Outcome) {
	if !o.Better {
		d.Budget.Vain = d.vain + d.Budget.Work - d.work
	}
}

// decisions has the squares of each item, row by row. looks is the number of products to
// look at all of them, squares that of the squares to be chosen.
func decisions(least []convex.Least) (all []*decision, looks, squares float64) {
	for _, l := range least {
		c := &activeItems{l, make([]bool, l.Sums*l.Of)}
		for sum := range l.Sums {
			d, most := &decision{choices: c, sum: sum}, 0
			for i := range l.Of {
				f := l.Item(sum, i)
				var rows []weighted
				for _, q := range f.Quad {
					for k := range q.Arg.Len() {
						a := q.Arg.Linear(k)
						rows = append(rows, weighted{l.Weight * q.Weight, a})
						looks += float64(len(a.Idx) * len(a.Idx))
					}
				}
				d.items, d.rows = append(d.items, f), append(d.rows, rows)
				most = max(most, len(rows))
			}
			all, squares = append(all, d), squares+float64(most)
		}
	}
	return all, looks, squares
}

// weights are those of the distance from the best point.
func (d *Decisions) weights(all []*decision) []float64 {
	w := make([]float64, len(d.Lo))
	top := 0.0
	for _, c := range all {
		for _, rows := range c.rows {
			for _, s := range rows {
				for e, j := range s.a.Idx {
					w[j] += 2 * s.w * square(s.a.Val[e])
					top = max(top, w[j])
				}
			}
		}
	}
	for j := range w {
		if w[j] = loose * w[j]; w[j] == 0 {
			w[j] = loose * top
		}
		if d.Lo[j] == d.Hi[j] {
			w[j] = top / loose
		}
	}
	return w
}

// surest is the decision whose items have the least variances at the most.
func surest(all []*decision, variance func(weighted) float64) *decision {
	var best *decision
	least := math.Inf(1)
	for _, c := range all {
		if c.done {
			continue
		}
		most := 0.0
		for _, rows := range c.rows {
			v := 0.0
			for _, s := range rows {
				v += s.w * variance(s)
			}
			most = max(most, v)
		}
		if best == nil || most < least {
			best, least = c, most
		}
	}
	return best
}

// variance is the variance of a.
func (d *Decisions) variance(s weighted) float64 {
	n, v := len(d.mean), 0.0
	for e, i := range s.a.Idx {
		for f, j := range s.a.Idx {
			v += s.a.Val[e] * s.a.Val[f] * d.cov[i*n+j]
		}
	}
	return v
}

// decide adds the items that are least at the mean.
func (d *Decisions) decide(c *decision) {
	c.done = true
	c.choices.Choose(d.mean, c.choices.chosen)
	n, of := len(d.mean), c.choices.Of
	for i, ok := range c.choices.chosen[c.sum*of : (c.sum+1)*of] {
		if !ok {
			continue
		}
		for _, s := range c.rows[i] {
			d.add(s)
		}
		lin := c.items[i].Linear
		for e, j := range lin.Idx {
			for k := range n {
				d.mean[k] -= c.choices.Weight * lin.Val[e] * d.cov[k*n+j]
			}
		}
	}
}

// add adds a square: a change of rank one.
func (d *Decisions) add(s weighted) {
	n := len(d.mean)
	clear(d.gain)
	for e, j := range s.a.Idx {
		for k := range n {
			d.gain[k] += s.a.Val[e] * d.cov[k*n+j]
		}
	}
	total := 1 / (2 * s.w)
	for e, j := range s.a.Idx {
		total += s.a.Val[e] * d.gain[j]
	}
	off := s.a.Value(d.mean) / total
	for i, g := range d.gain {
		d.mean[i] -= g * off
		row := d.cov[i*n : (i+1)*n]
		for k, h := range d.gain {
			row[k] -= g * h / total
		}
	}
}
