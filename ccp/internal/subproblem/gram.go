package subproblem

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
)

// sizes are how many numbers the products of the coefficients of a have, row by
// row, and how many its rows have, with a column each. Parameters do not count, as a
// backend does not see their columns.
func (b *Builder) sizes(a convex.Array) (direct, viaRows int) {
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
func (b *Builder) loose(w float64, a convex.Array) convex.Array {
	rows := make([]convex.Linear, a.Len())
	idx, val := make([]int, 0, a.NNZ()), make([]float64, 0, a.NNZ())
	b.p.Grow(a.NNZ())
	for k := range rows {
		l, from := a.Linear(k), len(idx)
		for i, j := range l.Idx {
			if !b.isPinned(j) {
				idx, val = append(idx, j), append(val, l.Val[i])
			}
		}
		rows[k] = convex.Linear{Idx: idx[from:len(idx):len(idx)], Val: val[from:len(val):len(val)], Const: l.Const}
		for i, p := range l.Idx {
			if !b.isPinned(p) {
				continue
			}
			v := 2 * w * l.Val[i]
			b.qp.Q[p] += v * l.Const
			for m, j := range l.Idx {
				if !b.isPinned(j) || j <= p { // each pair once
					b.p.Add(min(p, j), max(p, j), v*l.Val[m])
				}
			}
		}
	}
	return convex.Entries(rows...)
}

// addSquares adds sums w·‖a‖² to the objective: straight into P where that makes P no larger than A
// would become by columns r = a, those together that are so few columns that one block of P is
// smaller, as a sum of squares in a loop over the rows of a tall matrix, the others by columns.
func (b *Builder) addSquares(quads []convex.Quadratic) {
	var rest []convex.Quadratic
	viaRows := 0
	for k, q := range quads {
		switch direct, rows := b.sizes(q.Arg); {
		case !b.apart && direct <= rows:
			for k := range q.Arg.Len() {
				b.square(q.Weight, q.Arg.Linear(k))
			}
		case b.apart || !b.gram(quads[k:k+1], rows):
			rest, viaRows = append(rest, q), viaRows+rows
		}
	}
	if len(rest) > 1 && !b.apart && b.gram(rest, viaRows) {
		return
	}
	for _, q := range rest {
		for k := range q.Arg.Len() {
			b.square(q.Weight, b.residual(q.Arg.Linear(k)))
		}
	}
}

// columnsOf lists the columns that occur in the squares but for parameters, in the
// order in which they do, and leaves their places in that list, from 1, in b.place.
func (b *Builder) columnsOf(quads []convex.Quadratic) []int {
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
func (b *Builder) forget(cols []int) {
	for _, j := range cols {
		b.place[j] = 0
	}
}

// gram adds sums of squares with the inner products of the columns summed up
// densely first, unless these are more than most.
func (b *Builder) gram(quads []convex.Quadratic, most int) bool {
	cols := b.columnsOf(quads)
	n := len(cols)
	defer b.forget(cols)
	if n*(n+1)/2 > most {
		return false
	}
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
		b.qp.Q[i] += lin[pi]
		b.work(n - pi)
		for pj := pi; pj < n; pj++ {
			j := cols[pj]
			b.p.Add(min(i, j), max(i, j), g[pi*n+pj])
		}
	}
	return true
}

// addProducts adds the products of the columns in q to g and those with the
// constants to lin. Rows with all columns in order are taken together.
func (b *Builder) addProducts(g, lin []float64, q *convex.Quadratic, cols []int) {
	w, n := q.Weight, len(cols)
	var full []convex.Linear
	for k := range q.Arg.Len() {
		l := q.Arg.Linear(k)
		b.qp.R += w * l.Const * l.Const
		for i, v := range l.Val {
			lin[b.place[l.Idx[i]]-1] += 2 * w * v * l.Const
		}
		if slices.Equal(l.Idx, cols) {
			full = append(full, l)
			continue
		}
		b.work(len(l.Val) * (len(l.Val) + 1) / 2)
		for i, vi := range l.Val {
			pi := b.place[l.Idx[i]] - 1
			for j := i; j < len(l.Val); j++ {
				pj := b.place[l.Idx[j]] - 1
				g[min(pi, pj)*n+max(pi, pj)] += 2 * w * vi * l.Val[j]
			}
		}
	}
	b.addOuter(g, w, full, n)
}

// blockRows is how many rows are multiplied at once. Source: two parts of a product in
// internal/matrix.
const blockRows = 128

// addOuter adds 2w·vvᵀ for the n coefficients v of full rows to the upper triangle of g.
func (b *Builder) addOuter(g []float64, w float64, full []convex.Linear, n int) {
	if len(full) == 0 {
		return
	}
	product, x, y := matrix.NewProduct(), make([]float64, blockRows*n), make([]float64, blockRows*n)
	for rows := range slices.Chunk(full, blockRows) {
		b.work(n * (n + 1) / 2 * len(rows) / 4) // a quarter of the time of products one by one
		clear(y)
		for r, l := range rows {
			copy(x[r*n:][:n], l.Val)
			num.Axpy(y[r*n:][:n], -2*w, l.Val)
		}
		product.Subtract(g, n, x, y, len(rows), n, n, n, n, true)
	}
}
