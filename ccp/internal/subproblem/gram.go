package subproblem

import (
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
)

// joint marks the squares that would each be stated by columns r = a but whose
// columns, taken together, are so few that one block of P is smaller: a sum of
// squares in a loop over the rows of a tall matrix. It is nil where there are none.
func (b *Builder) joint(quads []dc.Quadratic) []bool {
	if len(quads) < 2 || b.apart {
		return nil
	}
	marks := make([]bool, len(quads))
	var together []dc.Quadratic
	viaRows := 0
	for k := range quads {
		q := quads[k : k+1]
		if q[0].Q != nil {
			continue
		}
		if direct, rows := b.sizes(q[0].Arg); direct > rows {
			n := len(b.columnsOf(q))
			b.forget(q)
			if marks[k] = min(direct, n*(n+1)/2) > rows; marks[k] {
				together, viaRows = append(together, q[0]), viaRows+rows
			}
		}
	}
	if len(together) < 2 {
		return nil
	}
	n := len(b.columnsOf(together))
	b.forget(together)
	if n*(n+1)/2 > viaRows {
		return nil
	}
	return marks
}

// sizes are how many numbers the products of the coefficients of a have, row by
// row, and how many its rows have, with a column each. Parameters do not count, as a
// backend does not see their columns.
func (b *Builder) sizes(a dc.Expr) (direct, viaRows int) {
	viaRows = a.Len()
	for k := range a.Len() {
		n := 0
		for _, j := range a.Linear(k).Idx {
			if !b.isPinned(j) {
				n++
			}
		}
		direct += n * (n + 1) / 2
		viaRows += n
	}
	return direct, viaRows
}

// isPinned reports whether a column is a parameter.
func (b *Builder) isPinned(col int) bool { return col < len(b.pinned) && b.pinned[col] }

// loose is a without parameters. Their part of w·‖a‖² goes into P and q.
func (b *Builder) loose(w float64, a dc.Expr) dc.Expr {
	rows := make([]dc.Linear, a.Len())
	idx, val := make([]int, 0, a.NNZ()), make([]float64, 0, a.NNZ())
	b.p.Grow(a.NNZ())
	for k := range rows {
		l, from := a.Linear(k), len(idx)
		for i, j := range l.Idx {
			if !b.isPinned(j) {
				idx, val = append(idx, j), append(val, l.Val[i])
			}
		}
		rows[k] = dc.Linear{Idx: idx[from:len(idx):len(idx)], Val: val[from:len(val):len(val)], Const: l.Const}
		for i, p := range l.Idx {
			if !b.isPinned(p) {
				continue
			}
			v := 2 * w * l.Val[i]
			if l.Const != 0 {
				b.q = append(b.q, term{p, v * l.Const})
			}
			for m, j := range l.Idx {
				if !b.isPinned(j) || j <= p { // each pair once
					b.p.Add(min(p, j), max(p, j), v*l.Val[m])
				}
			}
		}
	}
	return dc.Entries(rows...)
}

// addSquares adds w·‖a‖² to the objective: straight into P where that makes P
// no larger than A would become, else by columns r = a.
func (b *Builder) addSquares(w float64, a dc.Expr) {
	direct, viaRows := b.sizes(a)
	switch {
	case b.apart:
		b.squareResiduals(w, a)
		return
	case direct <= viaRows:
		for k := range a.Len() {
			b.square(w, a.Linear(k))
		}
		return
	}
	q := []dc.Quadratic{{Weight: w, Arg: a}}
	cols := b.columnsOf(q)
	if n := len(cols); min(direct, n*(n+1)/2) <= viaRows {
		b.gram(q, cols)
		return
	}
	b.forget(q)
	b.squareResiduals(w, a)
}

func (b *Builder) squareResiduals(w float64, a dc.Expr) {
	for k := range a.Len() {
		b.square(w, b.residual(a.Linear(k)))
	}
}

// columnsOf lists the columns that occur in the squares but for parameters, in the
// order in which they do, and leaves their places in that list, from 1, in b.place.
func (b *Builder) columnsOf(quads []dc.Quadratic) []int {
	b.place = append(b.place, make([]int, b.Cols-len(b.place))...)
	var cols []int
	for i := range quads {
		a := &quads[i].Arg
		for k := range a.Len() {
			for _, j := range a.Linear(k).Idx {
				if b.place[j] == 0 && !b.isPinned(j) {
					cols = append(cols, j)
					b.place[j] = len(cols)
				}
			}
		}
	}
	return cols
}

// forget clears b.place after columnsOf.
func (b *Builder) forget(quads []dc.Quadratic) {
	for i := range quads {
		a := &quads[i].Arg
		for k := range a.Len() {
			for _, j := range a.Linear(k).Idx {
				b.place[j] = 0
			}
		}
	}
}

// gram adds sums of squares with the inner products of the columns summed up
// densely first. It ends the work of columnsOf.
func (b *Builder) gram(quads []dc.Quadratic, cols []int) {
	n := len(cols)
	g := make([]float64, n*n)
	lin := make([]float64, n)
	b.p.Grow(n * (n + 1) / 2)
	for i := range quads {
		q := quads[i]
		if b.pinned != nil {
			q.Arg = b.loose(q.Weight, q.Arg)
		}
		b.addProducts(g, lin, &q, cols)
	}
	for pi, i := range cols {
		b.place[i] = 0
		b.q = append(b.q, term{i, lin[pi]})
		b.work(n - pi)
		for pj := pi; pj < n; pj++ {
			j := cols[pj]
			b.p.Add(min(i, j), max(i, j), g[pi*n+pj])
		}
	}
}

// addProducts adds the products of the columns in q to g and those with the
// constants to lin.
func (b *Builder) addProducts(g, lin []float64, q *dc.Quadratic, cols []int) {
	w, n := q.Weight, len(cols)
	var full []dc.Linear // rows with all columns in order, to be taken together
	for k := range q.Arg.Len() {
		l := q.Arg.Linear(k)
		b.r += w * l.Const * l.Const
		if slices.Equal(l.Idx, cols) {
			for p, v := range l.Val {
				lin[p] += 2 * w * v * l.Const
			}
			if full = append(full, l); len(full) == blockRows {
				b.addOuter(g, w, full)
				full = full[:0]
			}
			continue
		}
		b.work(len(l.Val) * (len(l.Val) + 1) / 2)
		b.addOuter(g, w, full) // the order of the rows is that of the sums
		full = full[:0]
		for i, vi := range l.Val {
			pi := b.place[l.Idx[i]] - 1
			lin[pi] += 2 * w * vi * l.Const
			for j := i; j < len(l.Val); j++ {
				pj := b.place[l.Idx[j]] - 1
				g[min(pi, pj)*n+max(pi, pj)] += 2 * w * vi * l.Val[j]
			}
		}
	}
	b.addOuter(g, w, full)
}

// blockFrom is the number of columns from which addOuter multiplies blocks of up to blockRows rows: copies
// of the rows then cost little next to their products.
// Source: derived: of n columns, a row has 3n moves and n²/2 multiplications, eight of which take as long as a move: from 96 on the moves
// take at most half as long. 128 rows are two parts of a product in internal/matrix.
const (
	blockFrom = 96
	blockRows = 128
)

// addOuter adds 2w·vvᵀ for the coefficients v of full rows, at most blockRows of them, to the upper
// triangle of g.
func (b *Builder) addOuter(g []float64, w float64, rows []dc.Linear) {
	if len(rows) == 0 {
		return
	}
	n := len(rows[0].Val)
	b.work(n * (n + 1) / 2 * len(rows) / 4) // a quarter of the time of products one by one
	if n < blockFrom {
		for _, l := range rows {
			for i, v := range l.Val {
				num.Axpy(g[i*n+i:][:n-i], 2*w*v, l.Val[i:])
			}
		}
		return
	}
	x, y := make([]float64, len(rows)*n), make([]float64, len(rows)*n)
	for r, l := range rows {
		copy(x[r*n:][:n], l.Val)
		num.Axpy(y[r*n:][:n], -2*w, l.Val)
	}
	matrix.NewProduct().Subtract(g, n, x, y, len(rows), n, n, n, n, true)
}
