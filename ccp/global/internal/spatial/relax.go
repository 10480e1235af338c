package spatial

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/qpbackend"
)

// relaxation is the convex problem of a box.
type relaxation struct {
	p      *factorable.Problem
	box    []factorable.Interval
	b      *subproblem.Builder
	rows   []int // of the problem's rows
	affine []int // of each affine term: its row
	// of products: the rows of the planes, two from below, two from above; −1: none
	planes    map[int][4]int
	shares    map[int][]int    // of maxima: the rows of the arguments
	lines     map[int][]line   // of functions of one column
	cuts      []factorable.Cut // triangles
	cutRows   []int            // of the triangles
	block     []int            // variables whose products are a semidefinite matrix, nil: none
	matrixRow int              // its first row
	both      map[int]bool     // products that triangles and the matrix need bounded from both sides
	// is minimised, where it has columns, over the points with a cost of at most cutoff
	toward    convex.Linear
	cutoff    float64
	cutoffRow int    // −1: none
	open      []hull // that are stated
	hulls     bool   // choices are stated by their hulls, which no multiplier shows
	sizes     bool   // sizes are stated to be at most maxima, which no multiplier shows
	phase1    bool   // the sum of the violations of rows, affine terms and bundles is minimised: it is feasible
}

// line is a row that bounds a function from below, sign 1, or from above, and the slope there.
type line struct {
	row         int
	sign, slope float64
}

// state makes the convex problem.
func (r *relaxation) state(ctx context.Context) (qp *qpbackend.Problem, err error) {
	defer subproblem.Unwound(&err)
	p, n := r.p, r.p.Columns()
	b := subproblem.NewBuilder(ctx, n)
	r.b = b
	for j := range n {
		if r.phase1 && j >= p.N && p.Terms[j-p.N].Op != factorable.Affine {
			b.BoundColumn(j, math.Inf(-1), math.Inf(1))
			continue
		}
		// A backend takes larger bounds for none, and a lower one for one that no point meets.
		b.BoundColumn(j, min(r.box[j].Lo, qpbackend.Infinity/2), max(r.box[j].Hi, -qpbackend.Infinity/2))
	}
	costs, lin := make(map[int]float64), convex.Linear{}
	if !r.phase1 {
		lin = convex.Linear{Const: p.Cost.Const}
		for k, j := range p.Cost.Idx {
			if len(r.toward.Idx) == 0 && j >= p.N && p.CostOnly[j] && p.Terms[j-p.N].Op == factorable.Square &&
				r.block == nil {
				costs[j] = p.Cost.Val[k]
				continue
			}
			lin.Idx, lin.Val = append(lin.Idx, j), append(lin.Val, p.Cost.Val[k])
		}
		if len(r.toward.Idx) > 0 {
			if r.cutoffRow = -1; !math.IsInf(r.cutoff, 1) {
				r.cutoffRow = b.AddRow(lin, math.Inf(-1), r.cutoff, -1)
			}
			lin = r.toward
		} else if r.hulls {
			lin = r.choices(lin, costs)
		}
		b.AddLinear(lin)
	}
	r.rows = make([]int, len(p.Rows))
	for i := range p.Rows {
		row := &p.Rows[i]
		l := row.Lin
		if r.phase1 {
			if row.Hi < math.Inf(1) {
				l = l.AddScaled(-1, r.slack())
			}
			if row.Lo > math.Inf(-1) {
				l = l.AddScaled(1, r.slack())
			}
		}
		r.rows[i] = b.AddRow(l, row.Lo, row.Hi, -1)
	}
	r.affine = make([]int, len(p.Terms))
	r.planes, r.shares, r.lines = map[int][4]int{}, map[int][]int{}, map[int][]line{}
	r.both = map[int]bool{}
	for i := range r.cuts {
		for _, j := range r.cuts[i].Terms {
			r.both[j] = true
		}
	}
	for n, j := range r.block {
		for _, i := range r.block[:n+1] {
			col, _ := p.Pair(i, j)
			r.both[col] = true
		}
	}
	used := r.used(lin, costs)
	for k := range p.Terms {
		if r.affine[k] = -1; used == nil || used[p.N+k] {
			r.term(k, costs)
		}
	}
	if r.block != nil {
		r.matrix()
	}
	r.cutRows = r.cutRows[:0]
	for i := range r.cuts {
		r.triangle(&r.cuts[i])
	}
	return b.Problem(), nil
}

// used are the columns that the cost and the rows need: hulls take the place of others. nil: all.
func (r *relaxation) used(cost convex.Linear, squares map[int]float64) []bool {
	if len(r.open) == 0 {
		return nil
	}
	used := make([]bool, r.b.Cols())
	mark := func(idx ...int) {
		for _, j := range idx {
			used[j] = true
		}
	}
	mark(cost.Idx...)
	for i := range r.p.Rows {
		mark(r.p.Rows[i].Lin.Idx...)
	}
	for k := len(r.p.Terms) - 1; k >= 0; k-- {
		t, j := &r.p.Terms[k], r.p.N+k
		if used[j] = used[j] || squares[j] > 0 || r.both[j]; used[j] {
			mark(t.A, t.B)
			mark(t.Lin.Idx...)
			if t.Under != nil {
				mark(t.Under.Args...)
			}
		}
	}
	return used
}

// triangle states a cut over the box.
func (r *relaxation) triangle(c *factorable.Cut) {
	lin, prod, constant := c.Row(r.box)
	idx, val := make([]int, 0, 6), make([]float64, 0, 6)
	for i := range 3 {
		idx, val = append(idx, c.Cols[i], c.Terms[i]), append(val, lin[i].Lo, prod[i].Lo)
	}
	r.cutRows = append(r.cutRows, r.b.AddRow(convex.NewLinear(idx, val, constant.Lo), math.Inf(-1), 0, -1))
}

// slack is a column that costs.
func (r *relaxation) slack() convex.Linear {
	s := r.b.Var()
	r.b.BoundColumn(s, 0, math.Inf(1))
	l := factorable.ColumnOf(s)
	r.b.AddLinear(l)
	return l
}

// term relates a term's column to its arguments.
func (r *relaxation) term(k int, costs map[int]float64) {
	t, j := &r.p.Terms[k], r.p.N+k
	below, above := r.p.Below[j], r.p.Above[j]
	w := factorable.ColumnOf(j)
	lowest := 0.0
	if t.Under != nil && below {
		r.under(t.Under, j)
		below, lowest = false, math.Inf(-1)
	}
	switch {
	case t.Op == factorable.Affine:
		if above || lowest == 0 {
			l := w.AddScaled(-1, t.Lin)
			if r.phase1 {
				l = l.AddScaled(1, r.slack()).AddScaled(-1, r.slack())
			}
			r.affine[k] = r.b.AddRow(l, lowest, 0, -1)
		}
	case t.Op == factorable.Product:
		r.product(k, below || r.both[j], above || r.both[j])
	default:
		if c, ok := costs[j]; ok {
			square := convex.Quadratic{Weight: c, Arg: convex.Entries(factorable.ColumnOf(t.A))}
			r.b.Minimise(convex.Form{Quad: []convex.Quadratic{square}})
			return
		}
		r.curve(k, t, w, below, above || r.both[j])
	}
}

// curve states a function of one column, by its cones or between lines.
func (r *relaxation) curve(k int, t *factorable.Term, w convex.Linear, below, above bool) {
	a := r.box[t.A]
	straight := t.Bends(a) == 2
	for _, sign := range [2]float64{1, -1} {
		switch {
		case !straight && (sign > 0 && !below || sign < 0 && !above):
		case !straight && t.Cones != nil && t.Sense == sign:
			r.b.Row(r.b.Bound(t.Cones).AddScaled(-sign, w), math.Inf(-1), 0)
		default:
			lo := math.Inf(-1)
			if straight {
				lo = 0
			}
			for _, l := range t.Lines(a, sign) { // sign·w ≥ Slope·u + Const
				row := convex.Linear{Const: l.Const}.AddScaled(l.Slope, factorable.ColumnOf(t.A)).AddScaled(-sign, w)
				r.lines[k] = append(r.lines[k], line{r.b.AddRow(row, lo, 0, -1), sign, sign * l.Slope})
			}
			if straight && len(r.lines[k]) > 0 {
				return
			}
		}
	}
}

// product states the planes.
func (r *relaxation) product(k int, below, above bool) {
	t, w := &r.p.Terms[k], factorable.ColumnOf(r.p.N+k)
	u, v := r.box[t.A], r.box[t.B]
	rows := [4]int{-1, -1, -1, -1}
	if u.IsFinite() && v.IsFinite() {
		plane := func(a, b float64) convex.Linear { // w − (b·u + a·v − ab)
			l := w.AddScaled(-b, factorable.ColumnOf(t.A)).AddScaled(-a, factorable.ColumnOf(t.B))
			return l.AddScaled(1, convex.Linear{Const: a * b})
		}
		if below {
			rows[0] = r.b.AddRow(plane(u.Lo, v.Lo), 0, math.Inf(1), -1)
			rows[1] = r.b.AddRow(plane(u.Hi, v.Hi), 0, math.Inf(1), -1)
		}
		if above {
			rows[2] = r.b.AddRow(plane(u.Lo, v.Hi), math.Inf(-1), 0, -1)
			rows[3] = r.b.AddRow(plane(u.Hi, v.Lo), math.Inf(-1), 0, -1)
		}
	}
	r.planes[k] = rows
}

// under states a convex function below a column.
func (r *relaxation) under(u *factorable.Underestimator, j int) {
	top := factorable.ColumnOf(j)
	if r.phase1 {
		top = top.AddScaled(1, r.slack())
	}
	if u.Cones != nil {
		r.b.Row(r.b.Bound(u.Cones).AddScaled(-1, top), math.Inf(-1), 0)
		return
	}
	for _, c := range u.Args {
		r.shares[j] = append(r.shares[j], r.b.AddRow(factorable.ColumnOf(c).AddScaled(-1, top), math.Inf(-1), 0, -1))
	}
	if r.sizes {
		for _, size := range u.Sizes {
			r.b.Row(factorable.ColumnOf(size).AddScaled(-1, top), math.Inf(-1), 0)
		}
	}
}

// dual reads the multipliers and the point of a solution.
func (r *relaxation) dual(res *qpbackend.Result) *factorable.Dual {
	p := r.p
	d := p.NewDual()
	if r.phase1 {
		d.Cost = 0
	}
	y := func(i int) float64 {
		if i < 0 || i >= len(res.Y) || res.Y[i]-res.Y[i] != 0 { // no number
			return 0
		}
		return res.Y[i]
	}
	if len(r.toward.Idx) > 0 {
		d.Cost = max(0, y(r.cutoffRow))
	}
	for i, row := range r.rows {
		d.Rows[i] = y(row)
	}
	for j := range d.Points {
		d.Points[j] = factorable.Clip(r.box[j], res.X[j])
	}
	for k := range p.Terms {
		if j := p.N + k; j < len(res.Z) && (!r.phase1 || p.Terms[k].Op == factorable.Affine) {
			d.Sides[k] = res.Z[j]
		}
		switch t := &p.Terms[k]; t.Op {
		case factorable.Affine:
			d.Hints[k] = -y(r.affine[k])
		case factorable.Product:
			rows, stated := r.planes[k]
			a, b := math.Abs(y(rows[0])), math.Abs(y(rows[1]))
			if e, f := math.Abs(y(rows[2])), math.Abs(y(rows[3])); e+f > a+b {
				a, b = e, f
			}
			d.Hints[k] = 0.5
			if stated && a+b > 0 {
				d.Hints[k] = a / (a + b)
			}
		default:
			if d.Hints[k] = d.Points[t.A]; t.Cones != nil {
				break
			}
			d.Hints[k] = t.Slope(d.Points[t.A])
			slopes, weights := 0.0, 0.0
			for _, l := range r.lines[k] {
				weight := l.sign * math.Abs(y(l.row))
				slopes, weights = slopes+weight*l.slope, weights+weight
			}
			if weights != 0 {
				d.Hints[k] = slopes / weights
			}
		}
	}
	for i, row := range r.cutRows {
		c := r.cuts[i]
		c.Mult = max(0, y(row))
		d.Cuts = append(d.Cuts, c)
	}
	if r.block != nil {
		d.Squares = r.squares(res)
	}
	for j, rows := range r.shares {
		for _, row := range rows {
			d.Shares[j] = append(d.Shares[j], max(0, y(row)))
		}
	}
	return d
}
