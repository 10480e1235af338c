package verify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/input"
)

// header is the first line of a proof file.
type header struct {
	Format    string
	Version   int
	Maximize  bool
	Upper     float64
	Bound     float64
	Variables []struct {
		Name string
		Len  int
	}
	Box   [][2]*float64
	Terms []struct {
		list
		O, A, B int
		P       float64
		N       string // the name of the function, in place of its number O
	}
	Rows []struct {
		list
		Lo, Hi *float64
		T      *[2]int // the row and the variable whose product it is
	}
}

// list is numbers by their places, or an affine function of columns.
type list struct {
	I []int
	V []float64
	C float64
}

// line is a node of the tree, or the last line.
type line struct {
	S      *int
	At     float64
	E      bool
	C      float64
	B      int // the multipliers are for the box so many levels above
	Y, H   *list
	Z, X   *list
	F, G   *list // slopes of minorants, by the first and by the second column
	W      map[int][]float64
	T      [][11]float64 // kind, columns, multiplier, and the intervals of the columns
	Q      []list        // affine functions of variables whose squares are taken away
	SHA256 string
}

// Proved is the outcome of a proof.
type Proved struct {
	// Lower is the bound that the proof shows: no feasible point has a smaller objective,
	// or a larger one of a maximised problem. ±Inf: no point is feasible.
	Lower float64
	// Claimed is the bound that the file states.
	Claimed float64
	Leaves  int
	// unit of the objective, at most 1, by the largest weight that a leaf gives it.
	unit float64
}

// errDamaged says that a file is no whole proof.
var errDamaged = errors.New("the proof file is damaged")

// mostLeaves bounds the leaves of a tree, and the nodes that wait. Source: a limit of time.
const mostLeaves = 20_000_000

// mostNumbers bounds the ends of intervals of nodes under way. Source: a limit of memory, 0.5 GB.
const mostNumbers = 1 << 25

// Proof replays a proof: it returns the bound that follows from the tree, or an error if
// the file is damaged or speaks of another problem. That the bound is as good as the claim
// is for the caller to compare.
func (p *Problem) Proof(ctx context.Context, r io.Reader) (out Proved, err error) {
	text, err := input.New(r)
	if err != nil {
		return out, err
	}
	lines := &digest{text: text, sum: sha256.New()}
	defer func() {
		if err = cmp.Or(caught(recover()), err); err == errDamaged {
			err = fmt.Errorf("%w at line %d", err, text.Lines())
		}
	}()
	h := header{Upper: math.Inf(1), Bound: math.Inf(1)}
	lines.next(&h)
	check(h.Format == "dcopt proof")
	// 3 has no weights but 0 and 1, 4 no functions beyond products, 5 no names of functions
	if h.Version < 3 || h.Version > 6 {
		return out, fmt.Errorf("the proof file has version %d, this program reads versions 3 to 6", h.Version)
	}
	if h.Maximize != p.Maximize {
		return out, errors.New("the proof is of another problem: one minimises, the other maximises")
	}
	f, err := flatten(p, p.bounds())
	if err != nil {
		return out, err
	}
	cols := p.columns(&h)
	if h.Box != nil {
		if f, err = f.within(p, &h, cols); err != nil {
			return out, err
		}
	}
	m := f.translate(&h, cols)
	out.Claimed = h.Bound
	out.Lower = m.replay(ctx, lines, h.Upper, p.room, &out)
	if p.Maximize {
		out.Lower, out.Claimed = -out.Lower, -out.Claimed
	}
	return out, nil
}

// digest reads lines and adds up their checksum.
type digest struct {
	text *input.Reader
	sum  hash.Hash
}

// next reads a line of JSON, with its end.
func (d *digest) next(v any) {
	text, err := d.text.Line()
	switch {
	case err != nil && err != io.EOF:
		panic(fault{err})
	case input.Lists(text) != nil:
		fail("line %d: %w", d.text.Lines(), input.Lists(text))
	}
	check(bytes.HasSuffix(text, []byte("\n")) && json.Unmarshal(text, v) == nil)
	if l, ok := v.(*line); !ok || l.SHA256 == "" {
		d.sum.Write(text)
	}
}

// end: the last line has the checksum of all before, and nothing follows.
func (d *digest) end() {
	want := hex.EncodeToString(d.sum.Sum(nil))
	var l line
	d.next(&l)
	check(strings.EqualFold(l.SHA256, want))
	_, err := d.text.Line()
	check(err == io.EOF)
}

// translation is a proof's numbers of columns and rows in those of the problem.
type translation struct {
	*flat
	cols  []int         // −1: none
	also  map[int][]int // columns that equal one of cols but for rounding errors
	twins map[int]bool  // columns of which there are several such
	swap  []int         // products whose columns are in the other order here
	n     int           // variables of the proof
	rows  []rowPlace

	products int // entries of rows that are products
}

// rowPlace says where the sides of a row of a proof are.
type rowPlace struct{ hi, lo slot }

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
			fail(another+"it has %q, or has it twice", v.Name)
		}
		delete(at, v.Name)
		list := slices.Compact(slices.Sorted(slices.Values(own.at)))
		if len(list) > 0 && list[0] < 0 {
			list = list[1:]
		}
		if len(list) != v.Len {
			fail(another+"%q has %d entries, not %d", v.Name, len(list), v.Len)
		}
		cols = append(cols, list...)
	}
	if len(cols) != p.n {
		fail(another+"it has %d variables, not %d", len(cols), p.n)
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
			b := whole()
			if l := h.Box[k][0]; l != nil {
				b.lo = *l
			}
			if u := h.Box[k][1]; u != nil {
				b.hi = *u
			}
			if b.lo <= own[j].lo && b.hi >= own[j].hi {
				box[j] = span{max(b.lo, p.lo[j]), min(b.hi, p.hi[j])}
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

// statements bounds how often a problem is stated anew, each time within narrower bounds. Source: a limit of time.
const statements = 4

// translate finds the columns and rows that a proof speaks of. Functions of all numbers
// that the problem does not have are added as columns: a definition by others excludes
// nothing. Multipliers of unknown rows are left out.
func (f *flat) translate(h *header, cols []int) *translation {
	t := &translation{flat: f, also: map[int][]int{}, twins: map[int]bool{}, n: len(cols), cols: cols}
	for k := range h.Terms {
		e := &h.Terms[k]
		known := len(t.cols)
		if e.N != "" {
			if e.O = curveOf(e.N); e.O < 0 {
				panic(fault{&UnknownError{e.N}})
			}
		}
		check(e.O >= 0 && e.O < len(curves) && min(e.A, e.B) >= 0 && max(e.A, e.B) < known)
		own := t.define(kind(e.O), e.P, &e.list, e.A, e.B)
		if len(own) == 0 {
			own = []int{-1}
		}
		if e.O == int(isProduct) && own[0] >= 0 && t.cols[e.A] > t.cols[e.B] {
			t.swap = append(t.swap, own[0]-t.flat.n)
		}
		t.also[len(t.cols)] = own[1:]
		t.cols = append(t.cols, own[0])
		for _, j := range own {
			t.twins[j] = len(own) > 1
		}
	}
	places := f.sides()
	for i := range h.Rows {
		r := &h.Rows[i]
		var at rowPlace
		if r.T != nil {
			check(min(r.T[0], r.T[1]) >= 0 && r.T[0] < i && r.T[1] < len(cols))
			t.multiply(t.rows[r.T[0]].hi, cols[r.T[1]], places)
		}
		for _, others := range []bool{true, false} {
			l, ok := t.form(&r.list, others)
			if !ok || len(l.idx) == 0 {
				continue
			}
			if r.Hi != nil && at.hi.factor == 0 {
				at.hi = find(places, l, *r.Hi)
			}
			if r.Lo != nil && at.lo.factor == 0 {
				at.lo = find(places, f.scale(l, just(-1)), -*r.Lo)
			}
		}
		t.rows = append(t.rows, at)
	}
	return t
}

// multiply adds the product of an equation and a variable as a row.
func (t *translation) multiply(equation slot, j int, places map[string]slot) {
	f := t.flat
	if equation.factor == 0 || f.rows[equation.row].lo != f.rows[equation.row].hi {
		return
	}
	r := &f.rows[equation.row]
	t.products += len(r.lin.idx)
	check(t.products <= mostNumbers/32)
	ls, ws := []form{only(j)}, []span{r.lin.constant().less(just(r.hi))}
	for k, c := range r.lin.idx {
		ls, ws = append(ls, f.pair(c, j)), append(ws, r.lin.val[k])
	}
	f.rows = append(f.rows, flatRow{f.add(ls, ws), 0, 0})
	f.place(len(f.rows)-1, places)
}

// form is an affine function of a proof's columns; others takes the last of those that equal them but for
// rounding errors.
func (t *translation) form(of *list, others bool) (l form, ok bool) {
	ls, ws := []form{{c: of.C}}, []span{just(1)}
	for k, j := range of.I {
		if k >= len(of.V) || j < 0 || j >= len(t.cols) || t.cols[j] < 0 {
			return l, false
		}
		own := t.cols[j]
		if also := t.also[j]; others && len(also) > 0 {
			own = also[len(also)-1]
		}
		ls, ws = append(ls, only(own)), append(ws, just(of.V[k]))
	}
	return t.add(ls, ws), true
}

// define is the columns of a function, none where it has none.
func (t *translation) define(k kind, p float64, of *list, a, b int) []int {
	if k == isAffine {
		l, ok := t.form(of, false)
		if !ok {
			return nil
		}
		own := t.alike((&column{kind: k, lin: l}).key())
		if other, _ := t.form(of, true); len(own) == 0 {
			own = t.alike((&column{kind: k, lin: other}).key())
		}
		if len(own) > 0 {
			return own
		}
		j, _ := t.column(l)
		return []int{j}
	}
	if t.cols[a] < 0 || k == isProduct && t.cols[b] < 0 {
		return nil
	}
	col := column{kind: k, p: p}
	row := &curves[k]
	if !row.param {
		col.p = 0
	}
	var own []int
	for _, col.a = range append(t.also[a], t.cols[a]) {
		if k != isProduct {
			own = t.alike(col.key(), own...)
			continue
		}
		first := col.a
		for _, second := range append(t.also[b], t.cols[b]) {
			col.a, col.b = min(first, second), max(first, second)
			own = t.alike(col.key(), own...)
		}
	}
	// A function with a domain must be the problem's own: it excludes points.
	if len(own) > 0 || col.domain() != whole() || row.one != nil || row.param && !(p > row.least) {
		return own
	}
	return []int{t.put(col)}
}

// alike adds the columns of a key to a list.
func (t *translation) alike(key string, list ...int) []int {
	for _, j := range t.known[key] {
		if !slices.Contains(list, j) {
			list = append(list, j)
		}
	}
	return list
}

// sideKey tells l ≤ b from others, whatever its multiple. scale is the largest coefficient.
func sideKey(l form, b float64) (key string, scale float64) {
	scale = l.size()
	return l.text(b-l.c, scale), scale
}

// sides are those of all rows, with their scales for factors; those of lower sides are negative.
func (f *flat) sides() map[string]slot {
	out := map[string]slot{}
	for i := range f.rows {
		f.place(i, out)
	}
	return out
}

// place adds the sides of a row to a list.
func (f *flat) place(i int, to map[string]slot) {
	r := &f.rows[i]
	if len(r.lin.idx) > 0 && !math.IsInf(r.hi, 1) {
		key, scale := sideKey(r.lin, r.hi)
		to[key] = slot{i, scale}
	}
	if len(r.lin.idx) > 0 && !math.IsInf(r.lo, -1) {
		key, scale := sideKey(f.scale(r.lin, just(-1)), -r.lo)
		to[key] = slot{i, -scale}
	}
}

// find is the row of a side and the factor of its multiplier.
func find(places map[string]slot, l form, b float64) slot {
	key, scale := sideKey(l, b)
	s, ok := places[key]
	if !ok {
		return slot{}
	}
	return slot{s.row, scale / s.factor}
}

// apart encloses the difference of two columns that are affine, all numbers for others.
func (t *translation) apart(j, k int, box []span) span {
	if min(j, k) < t.flat.n || t.flat.cols[j-t.flat.n].kind != isAffine || t.flat.cols[k-t.flat.n].kind != isAffine {
		return whole()
	}
	d := t.weighted([]form{t.flat.cols[j-t.flat.n].lin, t.flat.cols[k-t.flat.n].lin}, 1, -1)
	return d.over(box)
}

// check is a fault if the file is damaged.
func check(whole bool) {
	if !whole {
		panic(fault{errDamaged})
	}
}

// each calls f for the numbers of a list of places below n.
func (l *list) each(n int, f func(k int, v float64)) {
	if l == nil {
		return
	}
	check(len(l.I) == len(l.V))
	for i, k := range l.I {
		check(k >= 0 && k < n)
		f(k, l.V[i])
	}
}

// leaf is a line in the problem's numbers.
func (t *translation) leaf(l *line) *leaf {
	check(l.C >= 0)
	of := func() []float64 { return make([]float64, len(t.flat.cols)) }
	out := &leaf{
		cost: l.C, rows: make([]float64, len(t.flat.rows)), points: make([]float64, t.columns()), shares: map[int][]float64{},
		hints: of(), first: of(), second: of(), sides: of(), twins: t.twins,
	}
	l.Y.each(len(t.rows), func(k int, y float64) {
		switch r := &t.rows[k]; {
		case len(out.rows) == 0:
		case y > 0:
			out.rows[r.hi.row] += y * r.hi.factor
		default:
			out.rows[r.lo.row] += -y * r.lo.factor
		}
	})
	places := func(k int) []int { return append(t.also[k], t.cols[k]) }
	// Several of the file's columns may be one of the problem: their multipliers add up.
	for _, pair := range []struct {
		from *list
		to   []float64
	}{{l.H, out.hints}, {l.Z, out.sides}, {l.F, out.first}, {l.G, out.second}} {
		pair.from.each(len(t.cols)-t.n, func(k int, v float64) {
			for _, j := range places(t.n + k) {
				if j >= t.flat.n {
					pair.to[j-t.flat.n] += v
				}
			}
		})
	}
	for _, k := range t.swap {
		out.first[k], out.second[k] = out.second[k], out.first[k]
	}
	l.X.each(len(t.cols), func(k int, v float64) {
		for _, j := range places(k) {
			if j >= 0 {
				out.points[j] = v
			}
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
			x.cols[i], x.over[i] = t.cols[k], span{c[5+2*i], c[6+2*i]}
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
	col := column{kind: isProduct, a: min(i, j), b: max(i, j)}
	if i == j {
		col = column{kind: isSquare, a: i}
	}
	return append(t.alike(col.key()), -1)[0]
}

// How far boxes are narrowed: the root's, those of other nodes, and those of leaves that show less than the file
// claims, as narrowing may converge slowly. Source: the rounds of the search, and half as many again;
// for the last far more, to the rounding errors of the breadth.
const (
	firstRounds, laterRounds, progress = 75, 8, 1e-6
	lastRounds, lastProgress           = 300, 1e-11
)

// shows is the bound that a leaf shows over a box, +Inf where it has no point.
func (t *translation) shows(lf *leaf, empty bool, box []span) float64 {
	b := math.Inf(-1)
	if !empty {
		b = t.bound(lf, box)
	}
	switch f, _ := math.Frexp(lf.cost); {
	case lf.cost == 0 && b > 0:
		return math.Inf(1)
	case lf.cost == 0:
		return math.Inf(-1)
	case f == 0.5 && math.Abs(b) > lf.cost*0x1p-1000: // exact, or too large
		return min(b/lf.cost, math.MaxFloat64)
	}
	return just(b).over(just(lf.cost)).lo
}

// region is a node of the tree: its box, nil where nothing is left in it.
type region struct {
	box   []span
	above *region
	depth int
}

func (r *region) below() *region { return &region{slices.Clone(r.box), r, r.depth + 1} }

// replay goes through the tree, with room for so many ends of intervals, and returns the least
// bound of its leaves, at most cutoff.
func (t *translation) replay(ctx context.Context, lines *digest, cutoff float64, room int, out *Proved) float64 {
	lower := cutoff
	out.unit = 1
	root := &region{box: append([]span(nil), t.box...)}
	if !t.narrow(root.box, cutoff, firstRounds, progress) {
		root.box = nil
	}
	for stack := []*region{root}; len(stack) > 0; {
		if err := ctx.Err(); err != nil {
			panic(fault{err})
		}
		now := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if now.box != nil && !t.narrow(now.box, cutoff, laterRounds, progress) {
			now.box = nil
		}
		var l line
		lines.next(&l)
		if check(l.SHA256 == ""); l.S != nil {
			k := *l.S
			check(k >= 0 && k < len(t.cols) && len(stack) <= mostLeaves)
			j := t.cols[k]
			if j < 0 {
				fail("the proof splits a function that the problem does not have")
			}
			left, right := now, now // of nothing
			if now.box != nil {
				if now.depth*(len(now.box)+4) > room/2 {
					fail("line %d: the tree has more than %d levels", lines.text.Lines(), now.depth)
				}
				left, right = now.below(), now.below()
				left.box[j].hi, right.box[j].lo = min(left.box[j].hi, l.At), max(right.box[j].lo, l.At)
				for _, o := range t.also[k] {
					d := t.apart(o, j, now.box)
					left.box[o].hi, right.box[o].lo = min(left.box[o].hi, above(l.At, d.hi)), max(right.box[o].lo, below(l.At, d.lo))
				}
			}
			stack = append(stack, right, left)
			continue
		}
		out.Leaves++
		if check(out.Leaves <= mostLeaves && l.B >= 0); now.box == nil {
			continue
		}
		for ; l.B > 0 && now.above != nil; l.B-- {
			now = now.above
		}
		lf := t.leaf(&l)
		if lf.cost > 0 {
			out.unit = min(out.unit, 1/lf.cost)
		}
		b := t.shows(lf, l.E, now.box)
		if b < out.Claimed {
			if box := slices.Clone(now.box); t.narrow(box, cutoff, lastRounds, lastProgress) {
				b = max(b, t.shows(lf, l.E, box))
			} else {
				b = math.Inf(1)
			}
		}
		lower = min(lower, b)
	}
	lines.end()
	return lower
}
