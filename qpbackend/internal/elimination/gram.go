package elimination

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
)

// Entry is a stored entry of a data matrix: place Row of the upper triangle column by
// column, with entries off the diagonal times √2, and the place of its value in the
// caller's.
type Entry struct{ Row, Place int32 }

// form is a way to the entries of M·Fⱼ·M.
type form uint8

const (
	whole   form = iota // F-1: all of them, by dense products
	halfway             // F-2: those that are asked for, out of M·Fⱼ
	direct              // F-3: those that are asked for, out of M
)

// column is a data matrix.
type column struct {
	member  int     // as the caller numbers them
	place   []int32 // of the values
	row     []int32 // places in the triangle
	a, b    []int32 // a ≤ b
	la, lb  []int32 // the places of a and b in rows
	rows    []int32 // with an entry in either triangle
	f, g    []float64
	entries float64 // of both triangles
	form    form
}

// single is a data matrix with one entry.
type single struct {
	a, b   int32
	member int
	f, g   float64
}

// Gram forms the Schur complement of one cone. It is for one goroutine.
type Gram struct {
	n       int
	columns []column // by falling number of entries
	single  []single // of the last columns, those with one entry and the form direct
	work    float64
	product *matrix.Product
	u, w, t []float64
	exact   float64   // as work, of AddExact
	squares []float64 // the triangles of B·F·Bᵀ of all columns, entry by entry
	sums    []float64
	lanes   []float64 // the triangles of M·F·M of several columns, entry by entry; nil: not of so many
}

// Costs in multiplications of a loop over entries.
// Source: derived: a register of eight numbers and two of them in flight; a place that is
// not the next one in memory costs two. Halved or doubled, one at a time, they change the
// time of no problem of SDPLIB by more than a fifth.
const (
	inProduct = 0.15
	inDot     = 0.5
	inEntry   = 2
	inLanes   = 0.5 // of matrices of which several are summed over at once
	inSingle  = 0.5 // a pair of single entries, all of which are near
)

// New takes a cone of matrices of order n and the entries of the data matrix of each
// member.
func New(n int, members [][]Entry) *Gram {
	g := &Gram{n: n, product: matrix.NewProduct()}
	last := make([]int32, n) // of each row, its place in rows and the column, from 1
	seen := make([]int, n)
	for m, entries := range members {
		c := column{member: m}
		for _, e := range entries {
			i, j := packed.Entry(int(e.Row))
			a, b := int32(i), int32(j)
			for _, r := range [2]int32{a, b} {
				if seen[r] != m+1 {
					seen[r] = m + 1
					c.rows = append(c.rows, r)
				}
			}
			c.place, c.row, c.a, c.b = append(c.place, e.Place), append(c.row, e.Row), append(c.a, a), append(c.b, b)
			c.entries += 2
			if a == b {
				c.entries--
			}
		}
		slices.Sort(c.rows)
		for k, r := range c.rows {
			last[r] = int32(k)
		}
		c.la, c.lb = make([]int32, len(c.a)), make([]int32, len(c.a))
		for k := range c.a {
			c.la[k], c.lb[k] = last[c.a[k]], last[c.b[k]]
		}
		c.f, c.g = make([]float64, len(c.a)), make([]float64, len(c.a))
		g.columns = append(g.columns, c)
	}
	slices.SortStableFunc(g.columns, func(x, y column) int { return len(y.a) - len(x.a) })
	g.choose()
	return g
}

// choose takes the form that costs least for each column.
func (g *Gram) choose() {
	n, rest := float64(g.n), 0.0 // entries of the columns from here on
	for k := len(g.columns) - 1; k >= 0; k-- {
		c := &g.columns[k]
		rest += float64(len(c.a))
		r := float64(len(c.rows))
		half := c.entries * n * inDot
		if r > 0 {
			half = min(half, 2*r*r*n*inProduct)
		}
		each := c.entries
		if len(c.a) == 1 { // all from here on have one
			each = inSingle
		}
		product := half + n*n*(r*inProduct/2+1)
		g.exact += product + n*(n+1)/4*inProduct*float64(len(g.columns))
		costs := [...]float64{
			whole:   product + inLanes*rest,
			halfway: half + 2*n*r + rest*(inDot*r+inEntry),
			direct:  rest * each * inEntry,
		}
		for f, cost := range costs {
			if cost < costs[c.form] {
				c.form = form(f)
			}
		}
		if len(c.a) == 1 && c.form == direct && len(g.single) == len(g.columns)-1-k {
			g.single = append(g.single, single{a: c.a[0], b: c.b[0], member: c.member})
		}
		g.work += costs[c.form]
	}
	slices.Reverse(g.single)
}

// Work is the cost of Add, in multiplications of a loop over entries.
func (g *Gram) Work() float64 { return g.work }

// Load takes over the values.
func (g *Gram) Load(val []float64) {
	for k := range g.columns {
		c := &g.columns[k]
		for e, at := range c.place {
			v := val[at]
			c.f[e], c.g[e] = v, v
			if c.a[e] != c.b[e] {
				c.f[e], c.g[e] = v/math.Sqrt2, v*math.Sqrt2
			}
		}
	}
	for k, c := range g.singles() {
		g.single[k].f, g.single[k].g = c.f[0], c.g[0]
	}
}

// singles are the columns that single has.
func (g *Gram) singles() []column { return g.columns[len(g.columns)-len(g.single):] }

// Sum is where entries are added: the entry of the members i ≤ j, times Factor, to Val at
// Places[j][i].
type Sum struct {
	Val    []float64
	Places [][]int32
	Factor float64
}

func (s *Sum) add(i, j int, v float64) {
	if i > j {
		i, j = j, i
	}
	s.Val[s.Places[j][i]] += s.Factor * v
}

// Add adds the entries of the Schur complement for the n × n matrix m. When ctx ends, the error is
// ctx.Err().
func (g *Gram) Add(ctx context.Context, m []float64, to Sum) error {
	g.room()
	work := poll.New(ctx)
	g.product.Within(ctx)
	for k, end := 0, len(g.columns)-len(g.single); k < end; {
		c := &g.columns[k]
		if c.form == whole {
			count, err := g.addWhole(&work, k, end, m, to)
			if err != nil {
				return err
			}
			if k += count; g.product.Ends(0) {
				return ctx.Err()
			}
			continue
		}
		if c.form == halfway {
			g.half(c, m)
			g.gather(c, m)
		}
		for l := k; l < len(g.columns); l++ {
			o := &g.columns[l]
			v, spent := 0.0, len(o.a)
			if c.form == halfway {
				r := len(c.rows)
				for e, x := range o.g {
					v += x * num.Dot(g.t[int(o.a[e])*r:][:r], g.u[int(o.b[e])*r:][:r])
				}
				spent *= r
			} else {
				v = g.directly(c, o, m)
				spent *= 2 * len(c.a)
			}
			to.add(c.member, o.member, v)
			if err := work.Err(poll.Scattered * spent); err != nil {
				return err
			}
		}
		if g.product.Ends(0) {
			return ctx.Err()
		}
		k++
	}
	return g.addSingles(&work, m, to)
}

// room makes that for the products.
func (g *Gram) room() {
	if g.u == nil {
		g.u, g.w, g.t = make([]float64, g.n*g.n), make([]float64, g.n*g.n), make([]float64, g.n*g.n)
	}
}

// both sets the upper triangle of u to −mᵀ·F·m, where w is F·m.
func (g *Gram) both(c *column, m []float64) {
	n := g.n
	clear(g.u)
	g.product.Subtract(g.u, n, g.rowsOf(c, m), g.w, len(c.rows), n, n, n, n, true)
}

// addSingles are the pairs of which both have one entry, for one member after the other.
func (g *Gram) addSingles(work *poll.Poll, m []float64, to Sum) error {
	for l, o := range g.single {
		ma, mb := m[int(o.a)*g.n:][:g.n], m[int(o.b)*g.n:][:g.n]
		for k := range g.single[:l+1] {
			c := &g.single[k]
			u := c.f * ma[c.a] * mb[c.b]
			if c.a != c.b {
				u = c.f * (ma[c.a]*mb[c.b] + ma[c.b]*mb[c.a])
			}
			to.add(c.member, o.member, o.g*u)
		}
		if err := work.Err(poll.Scattered * l); err != nil {
			return err
		}
	}
	return nil
}

// half sets w to the rows of F·M that have entries, one after the other.
func (g *Gram) half(c *column, m []float64) {
	n, r := g.n, len(c.rows)
	w := g.w[:r*n]
	if 2*float64(r)*inProduct < c.entries/float64(r)*inDot {
		// The rows of F as a dense r × r matrix, times those rows of M.
		f := g.u[:r*r]
		clear(f)
		for e, v := range c.f {
			f[int(c.la[e])*r+int(c.lb[e])], f[int(c.lb[e])*r+int(c.la[e])] = v, v
		}
		clear(w)
		g.product.Subtract(w, n, f, g.rowsOf(c, m), r, r, n, r, n, false)
		for i, v := range w {
			w[i] = -v
		}
		return
	}
	clear(w)
	for e, v := range c.f {
		a, b := int(c.a[e]), int(c.b[e])
		g.product.Axpy(w[int(c.la[e])*n:][:n], v, m[b*n:])
		if a != b {
			g.product.Axpy(w[int(c.lb[e])*n:][:n], v, m[a*n:])
		}
	}
}

// rowsOf are the rows of m that the column has entries in, one after the other.
func (g *Gram) rowsOf(c *column, m []float64) []float64 {
	n := g.n
	if len(c.rows) == n {
		return m
	}
	for k, r := range c.rows {
		copy(g.t[k*n:][:n], m[int(r)*n:][:n])
	}
	return g.t
}

// directly is one entry of the Schur complement out of m.
func (g *Gram) directly(c, o *column, m []float64) float64 {
	n, sum := g.n, 0.0
	for e, x := range o.g {
		ma, mb := m[int(o.a[e])*n:][:n], m[int(o.b[e])*n:][:n]
		u := 0.0
		for k, f := range c.f {
			a, b := c.a[k], c.b[k]
			if a == b {
				u += f * ma[a] * mb[a]
			} else {
				u += f * (ma[a]*mb[b] + ma[b]*mb[a])
			}
		}
		sum += x * u
	}
	return sum
}
