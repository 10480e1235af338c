package verify

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// translation is a proof's numbers of columns and rows in those of the problem.
type translation struct {
	*flat
	cols []int // −1: none
	swap []int // products whose columns are in the other order here
	n    int   // variables of the proof
	rows []rowPlace

	products int // entries of rows that are products
}

// rowPlace says where the sides of a row of a proof are, by their signs.
type rowPlace [2]slot

// signs are those of the upper and of the lower side of a row.
var signs = [2]float64{1, -1}

// slot is a row and the factor of its multiplier; a factor of 0: nowhere.
type slot struct {
	row    int
	factor float64
}

// columns are the variables that a proof speaks of.
func (p *Problem) columns(h *header) (cols []int) {
	const another = "the proof is of another problem: "
	at := map[string]variable{}
	for _, v := range p.vars {
		at[v.name] = v
	}
	for _, v := range h.Variables {
		own, ok := at[v.Name]
		if !ok {
			safe.Fail(another+"it has %q, or has it twice", v.Name)
		}
		delete(at, v.Name)
		list := slices.Compact(slices.Sorted(slices.Values(own.at)))
		if len(list) > 0 && list[0] < 0 {
			list = list[1:]
		}
		if len(list) != v.Len {
			safe.Fail(another+"%q has %d entries, not %d", v.Name, len(list), v.Len)
		}
		cols = append(cols, list...)
	}
	if len(cols) != p.n {
		safe.Fail(another+"it has %d variables, not %d", len(cols), p.n)
	}
	return cols
}

// within states the problem anew within the bounds of a proof, which show the signs of functions
// and the sizes of rounding errors as its writer saw them. Where they do not follow for points of a
// cost of at most Upper, narrower ones that do stand in for them.
func (f *flat) within(p *Problem, h *header, cols []int) (*flat, error) {
	check(len(h.Box) == len(cols))
	for range statements {
		own := slices.Clone(f.box)
		if !f.narrow(own, h.Upper, firstRounds, progress) {
			return f, nil
		}
		box, all := own[:p.n:p.n], true
		for k, j := range cols {
			b := ends(h.Box[k][0], h.Box[k][1])
			if b.Lo <= own[j].Lo && b.Hi >= own[j].Hi {
				box[j] = b.Meet(p.box[j])
			} else {
				all = false
			}
		}
		next, err := flatten(p, box)
		if err != nil || all {
			return next, err
		}
		f = next
	}
	return f, nil
}

// statements bounds how often a problem is stated anew, each time within narrower bounds. Source: a
// limit of time.
const statements = 4

// translate finds the columns and rows that a proof speaks of. Functions of all numbers
// that the problem does not have are added as columns: a definition by others excludes
// nothing. Multipliers of unknown rows are left out.
func (f *flat) translate(h *header, cols []int) *translation {
	t := &translation{flat: f, n: len(cols), cols: cols}
	for k := range h.Terms {
		e := &h.Terms[k]
		known := len(t.cols)
		if e.N != "" {
			if e.O = safe.CurveOf(e.N); e.O < 0 {
				safe.Raise(&UnknownError{e.N})
			}
		}
		check(e.O >= 0 && (e.O <= int(safe.Product) || e.N != "") && min(e.A, e.B) >= 0 && max(e.A, e.B) < known)
		own := t.define(safe.Kind(e.O), e.P, &e.list, e.A, e.B)
		if e.O == int(safe.Product) && own >= 0 && t.cols[e.A] > t.cols[e.B] {
			t.swap = append(t.swap, own-t.flat.n)
		}
		t.cols = append(t.cols, own)
	}
	places := map[string]slot{} // of the sides of rows, by their keys
	for i := range f.rows {
		f.place(i, places)
	}
	for i := range h.Rows {
		r := &h.Rows[i]
		var at rowPlace
		if r.T != nil {
			check(min(r.T[0], r.T[1]) >= 0 && r.T[0] < i && r.T[1] < len(cols))
			t.multiply(t.rows[r.T[0]][0], cols[r.T[1]], places)
		}
		l, ok := t.form(&r.list)
		for k, sign := range signs {
			key, scale := f.sideKey(l, ends(r.Lo, r.Hi), sign)
			if s, found := places[key]; ok && found && scale != 0 {
				at[k] = slot{s.row, math.Abs(scale) / s.factor}
			}
		}
		t.rows = append(t.rows, at)
	}
	return t
}

// multiply adds the product of an equation and a variable as a row.
func (t *translation) multiply(equation slot, j int, places map[string]slot) {
	f := t.flat
	if equation.factor == 0 || f.rows[equation.row].sides != safe.Just(f.rows[equation.row].sides.Hi) {
		return
	}
	r := &f.rows[equation.row]
	t.products += len(r.lin.idx)
	check(t.products <= mostNumbers/32)
	ls, ws := []form{only(j)}, []safe.Span{r.lin.constant().Less(safe.Just(r.sides.Hi))}
	for k, c := range r.lin.idx {
		ls, ws = append(ls, f.pair(c, j)), append(ws, r.lin.val[k])
	}
	f.rows = append(f.rows, flatRow{f.add(ls, ws), safe.Span{}})
	f.place(len(f.rows)-1, places)
}

// form is an affine function of a proof's columns.
func (t *translation) form(of *list) (l form, ok bool) {
	ls, ws := []form{{c: of.C}}, []safe.Span{safe.Just(1)}
	for k, j := range of.I {
		if k >= len(of.V) || j < 0 || j >= len(t.cols) || t.cols[j] < 0 {
			return l, false
		}
		ls, ws = append(ls, only(t.cols[j])), append(ws, safe.Just(of.V[k]))
	}
	return t.add(ls, ws), true
}

// define is the column of a function, −1 where it has none.
func (t *translation) define(k safe.Kind, p float64, of *list, a, b int) int {
	if k == safe.Affine {
		l, ok := t.form(of)
		if !ok {
			return -1
		}
		if own := t.alike(&column{of: safe.Function{Kind: k}, lin: l}); own >= 0 {
			return own
		}
		j, _ := t.column(l)
		return j
	}
	col, row := column{of: safe.Function{Kind: k, P: p}, a: t.cols[a]}, &safe.Curves[k]
	if !row.Param {
		col.of.P = 0
	}
	if k == safe.Product {
		col.a, col.b = min(t.cols[a], t.cols[b]), max(t.cols[a], t.cols[b])
	}
	if col.a < 0 {
		return -1
	}
	own := t.alike(&col)
	// A function with a domain must be the problem's own: it excludes points.
	if own >= 0 || col.of.Domain() != safe.Whole() || row.One != nil || row.Param && !(p > row.Least) {
		return own
	}
	return t.put(col)
}

// alike is the first column with the key of another one, −1 where there is none.
func (t *translation) alike(c *column) int { return append(t.known[c.key()], -1)[0] }

// sideKey tells the upper side of a row, or with a sign of −1 its lower one, from others, whatever
// its multiple. scale is the largest coefficient, with the sign; 0: there is no such side.
func (f *flat) sideKey(l form, sides safe.Span, sign float64) (key string, scale float64) {
	b := sides.Hi
	if sign < 0 {
		l, b = f.scale(l, safe.Just(-1)), -sides.Lo
	}
	if len(l.idx) == 0 || math.IsInf(b, 1) {
		return "", 0
	}
	scale = l.size()
	return l.text(b-l.c, scale), sign * scale
}

// place adds the sides of a row to a list.
func (f *flat) place(i int, to map[string]slot) {
	for _, sign := range signs {
		if key, factor := f.sideKey(f.rows[i].lin, f.rows[i].sides, sign); factor != 0 {
			to[key] = slot{i, factor}
		}
	}
}

// leaf is a line in the problem's numbers.
func (t *translation) leaf(l *line) *leaf {
	check(l.C >= 0)
	of := func() []float64 { return make([]float64, len(t.flat.cols)) }
	out := &leaf{
		cost: l.C, rows: make([]float64, len(t.flat.rows)), points: make([]float64, t.columns()),
		shares: map[int][]float64{}, hints: of(), first: of(), second: of(), sides: of(),
	}
	l.Y.each(len(t.rows), func(k int, y float64) {
		at := t.rows[k][0]
		if !(y > 0) {
			at, y = t.rows[k][1], -y
		}
		if len(out.rows) > 0 {
			out.rows[at.row] += y * at.factor
		}
	})
	// Several of the file's columns may be one of the problem: their multipliers add up.
	for _, pair := range []struct {
		from *list
		to   []float64
	}{{l.H, out.hints}, {l.Z, out.sides}, {l.F, out.first}, {l.G, out.second}} {
		pair.from.each(len(t.cols)-t.n, func(k int, v float64) {
			if j := t.cols[t.n+k]; j >= t.flat.n {
				pair.to[j-t.flat.n] += v
			}
		})
	}
	for _, k := range t.swap {
		out.first[k], out.second[k] = out.second[k], out.first[k]
	}
	l.X.each(len(t.cols), func(k int, v float64) {
		if j := t.cols[k]; j >= 0 {
			out.points[j] = v
		}
	})
	for k, w := range l.W {
		if check(k >= 0 && k < len(t.cols)); t.cols[k] >= 0 {
			out.shares[t.cols[k]] = w
		}
	}
	for _, c := range l.T {
		x := cut{kind: int(c[0]), mult: c[4]}
		for i := range 3 {
			k := int(c[1+i])
			check(k >= 0 && k < t.n)
			x.cols[i], x.over[i] = t.cols[k], safe.Span{Lo: c[5+2*i], Hi: c[6+2*i]}
		}
		check(x.kind >= 0 && x.kind <= 3 && x.cols[0] != x.cols[1] && x.cols[0] != x.cols[2] && x.cols[1] != x.cols[2])
		for n, p := range pairs {
			x.terms[n] = t.product(x.cols[p[0]], x.cols[p[1]])
		}
		if slices.Min(x.terms[:]) >= 0 {
			out.cuts = append(out.cuts, x)
		}
	}
	for _, q := range l.Q {
		s := square{c: q.C}
		q.each(t.n, func(k int, v float64) {
			check(!slices.Contains(s.cols, t.cols[k]))
			s.cols, s.val = append(s.cols, t.cols[k]), append(s.val, v)
			for _, j := range s.cols {
				s.terms = append(s.terms, t.product(j, t.cols[k]))
			}
		})
		if !slices.Contains(s.terms, -1) {
			out.squares = append(out.squares, s)
		}
	}
	return out
}

// product is the column of a product of two variables, −1 where the problem has none.
func (t *translation) product(i, j int) int {
	col := column{of: safe.Function{Kind: safe.Product}, a: min(i, j), b: max(i, j)}
	if i == j {
		col = column{of: safe.Function{Kind: safe.Square}, a: i}
	}
	return t.alike(&col)
}
