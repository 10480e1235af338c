//go:build !lean

package dc

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// LoopOp is a function of affine functions, the rows.
type LoopOp uint8

// The functions.
const (
	LoopPos   LoopOp = iota // max(row, 0), of one row
	LoopAbs                 // |row|, of one row
	LoopMax                 // the largest row
	LoopMin                 // the least row
	LoopLeast               // the least of sums of squares, each of some rows
	LoopGap                 // |d + r|, where d is the largest of some rows less the largest of others, or the other way, and r the last row
)

// Loop adds up terms that differ in numbers alone, which makes no object of each: the sum is
// as if they had been added one by one. The zero value is a sum of nothing.
type Loop struct {
	Count  int     // of terms that are to come, for the size of arrays; 0: it is not known
	Model  *Model  // whose variables the rows of AddRows have
	series *series // nil: there is no term yet
	shapes []loopShape
	ranges []Interval
}

// loopShape are terms of one function with as many coefficients in each row.
type loopShape struct {
	op     LoopOp
	counts []int // of the coefficients, by row
	ends   []int
	sign   float64 // of the rows in the series
	weight float64 // of the function in the series
	places []int   // of the rows in the series
	order  []int   // of the rows of the series, the row; -1: it is a number
	to     *series
}

// series is a sum of functions that are the same atoms of affine functions with other numbers, with weights above 0, before
// the problem makes a family of it. A list of one number in program holds for all.
type series struct {
	program
	text  string
	w     []float64
	sign  float64    // of the terms
	known rowTable   // members by the hash of their rows
	least *leastForm // not nil: each is a maximum, of which the negative has a majorant
	gap   bool       // each is |e|, of which e is no affine function
	once  sync.Once  // of f
	f     Convex
}

// leastForm is how members are read that are the least of sums of squares.
type leastForm struct {
	program
	text   string
	places []int // of the rows, in those of the series
}

// bentSeries is a series of functions that are not convex, leastSeries the majorant of the negatives of those that are maxima, and aboveSeries that of
// absolute values.
type (
	bentSeries  struct{ *series }
	leastSeries struct{ *series }
	aboveSeries struct{ *series }
)

// Add adds w times op of the rows. For LoopLeast, rows up to ends[k] are squared in sum k, and for LoopGap the first ones, up to ends[0], and those up to
// ends[1] have a largest one each, in the order in which the maxima stand in the term; for others ends is nil. The rows are read only during
// the call. It asks for the term without w where there was no such term before. ok is false where the terms are no sum of this
// type: others have to be added one by one.
func (l *Loop) Add(op LoopOp, w float64, rows []Linear, ends []int, term func() Expr) (ok bool) {
	if w == 0 || !finite(w) || !l.keepsForm(op, rows, ends) {
		return false
	}
	s := l.shapeFor(op, rows, ends, term)
	if s == nil {
		return false
	}
	if n := len(s.to.w); n == manyMembers && l.Count > n {
		s.to.grow(l.Count - n)
	}
	return s.add(w, rows)
}

// shapeFor is the shape of a term, maybe a new one; nil where it is none of the sum.
func (l *Loop) shapeFor(op LoopOp, rows []Linear, ends []int, term func() Expr) *loopShape {
	if s := l.shapeOf(op, rows, ends); s != nil {
		return s
	}
	s := newLoopShape(op, rows, ends, term())
	switch {
	case s == nil:
		return nil
	case l.series == nil:
		l.series = s.to
	case l.series.text != s.to.text:
		return nil // the columns of the convex problem are in the order of the terms
	}
	s.to = l.series
	l.shapes = append(l.shapes, *s)
	return s
}

// anyDominated reports whether undominated leaves out one of these ranges.
func anyDominated(over []Interval) bool {
	top := highestLow(over)
	return slices.ContainsFunc(over, func(i Interval) bool { return below(i, top) })
}

// keepsForm reports whether op of the rows has numbers that are finite, and is not simpler by the bounds of
// the variables, as a maximum is of which one operand is below another.
func (l *Loop) keepsForm(op LoopOp, rows []Linear, ends []int) bool {
	if op == LoopGap {
		return l.keepsGap(rows, ends)
	}
	over := l.ranges[:0]
	for k := range rows {
		if bad(rows[k]) {
			return false
		}
		if op != LoopLeast {
			over = append(over, rows[k].over())
		}
	}
	switch op {
	case LoopAbs:
		return over[0].Lo < 0 && over[0].Hi > 0
	case LoopPos:
		over = append(over, point(0))
	case LoopMin:
		for k := range over {
			over[k] = over[k].Scale(-1)
		}
	case LoopLeast:
		from := 0
		for _, end := range ends {
			i := point(0)
			for k := range rows[from:end] {
				i = i.Add(rows[from+k].over().Square())
			}
			over, from = append(over, point(0).Add(i.Scale(-1))), end
		}
	}
	l.ranges = over
	return len(over) > 1 && !anyDominated(over)
}

// keepsGap is keepsForm of a LoopGap, with an object for it. Maxima that have variables of their own are no multiples of each other.
func (l *Loop) keepsGap(rows []Linear, ends []int) bool {
	e := l.gapOf(rows, ends, 1)
	i, o := e.Range(), l.gapOf(rows, ends, -1).Range()
	return e.err == nil && len(e.terms) == 2 && l.keepsForm(LoopMax, rows[:ends[0]], nil) && l.keepsForm(LoopMax, rows[ends[0]:ends[1]], nil) &&
		max(i.Lo, o.Lo) < 0 && min(i.Hi, o.Hi) > 0
}

// gapOf is the function of a LoopGap whose absolute value it is, with either sign of the difference.
func (l *Loop) gapOf(rows []Linear, ends []int, sign float64) Expr {
	return sumExprs([]Expr{MaxOf(rows[:ends[0]]).Scale(sign), MaxOf(rows[ends[0]:ends[1]]).Scale(-sign), rows[ends[1]].expr()})
}

func (l *Loop) shapeOf(op LoopOp, rows []Linear, ends []int) *loopShape {
	for k := range l.shapes {
		if s := &l.shapes[k]; s.op == op && slices.Equal(s.ends, ends) && slices.EqualFunc(s.counts, rows, func(n int, r Linear) bool { return n == len(r.Idx) }) {
			return s
		}
	}
	return nil
}

// newLoopShape reads a term; nil where it is not as it should be.
func newLoopShape(op LoopOp, rows []Linear, ends []int, e Expr) *loopShape {
	if e.err != nil || !e.lin.isZero() || len(e.terms) != 1 || math.Abs(e.terms[0].w) != 1 {
		return nil
	}
	t := e.terms[0]
	var r memberReader
	if _, bent := t.f.(written); bent != (op >= LoopLeast) || !r.read(t.f) {
		return nil
	}
	s := &loopShape{op: op, ends: slices.Clone(ends), sign: 1, weight: t.w}
	if op == LoopMin {
		s.sign = -1
	}
	inOrder := make([]int, len(rows))
	count := len(rows)
	for k := range rows {
		inOrder[k] = k
		s.counts = append(s.counts, len(rows[k].Idx))
		s.places = append(s.places, k)
	}
	switch op {
	case LoopPos:
		count++ // the 0
	case LoopLeast:
		count = 0
		for k := range rows {
			if k == 0 || slices.Contains(ends, k) {
				count++ // the affine function beside the squares
			}
			s.places[k] = count
			count++
		}
	case LoopGap: // the affine function is first
		for k := range rows {
			s.places[k] = (k + 1) % len(rows)
		}
		if t.w != 1 || !isGap(&r, ends) {
			return nil
		}
	}
	if !hasRows(&r, rows, s.places, count, s.sign) {
		return nil
	}
	s.order = slices.Repeat([]int{-1}, count)
	for k, at := range s.places {
		s.order[at] = k
	}
	s.to = &series{program: newFamily(&r, e.owner()).program, text: string(r.text)}
	for k, v := range r.nums {
		s.to.nums[k] = []float64{v}
	}
	for k, l := range r.rows {
		if s.order[k] >= 0 {
			continue
		}
		if len(l.Idx) > 0 || l.lost != 0 {
			return nil
		}
		s.to.rows[k].c = []float64{l.Const}
	}
	if op != LoopLeast {
		s.to.gap = op == LoopGap
		return s
	}
	w, least := newLeastOf(t.w, t.f)
	if least == nil || w != 1 || !r.read(least) || len(r.nums) > 0 || !hasRows(&r, rows, inOrder, len(rows), 1) {
		return nil
	}
	s.to.least = &leastForm{newFamily(&r, e.owner()).program, string(r.text), s.places}
	return s
}

// isGap reports whether the term that was read is |r ± (max - max)| with as many rows in the maxima.
func isGap(r *memberReader, ends []int) bool {
	n := len(r.steps)
	if n != ends[1]+4 || r.steps[n-1].op != "abs" || r.steps[n-2].op != opSum || len(r.nums) != 2 || math.Abs(r.nums[0]) != 1 || r.nums[0] != -r.nums[1] {
		return false
	}
	from := 0
	for k, arg := range r.steps[n-2].args {
		m := &r.steps[arg]
		if m.op != "max" || len(m.args) != ends[k]-from {
			return false
		}
		for i, row := range m.args {
			if r.steps[row].op != opRow || r.steps[row].row != from+i+1 {
				return false
			}
		}
		from = ends[k]
	}
	return r.steps[n-2].row == 0
}

// hasRows reports whether the term that was read has count rows, among them those at their places, times sign.
func hasRows(r *memberReader, rows []Linear, places []int, count int, sign float64) bool {
	if len(r.rows) != count {
		return false
	}
	for k := range rows {
		if !r.rows[places[k]].equal(rows[k].Scale(sign)) {
			return false
		}
	}
	return true
}

// add adds w times a term with these rows.
func (s *loopShape) add(w float64, rows []Linear) bool {
	to, n := s.to, len(s.to.w)
	w *= s.weight
	if n == 0 {
		to.sign = math.Copysign(1, w)
	}
	if w *= to.sign; w < 0 {
		return false
	}
	var h hasher
	for k, at := range s.order {
		if at < 0 {
			h.row(Linear{Const: to.rows[k].c[0]}, 1)
		} else {
			h.row(rows[at], s.sign)
		}
	}
	if at, _ := to.known.find(uint64(h)); at >= 0 && s.isMember(at, rows) {
		to.w[at] += w
		return finite(to.w[at])
	}
	to.known.add(uint64(h))
	lost := 0.0
	for k := range rows {
		d := &to.rows[s.places[k]]
		if s.op != LoopLeast {
			lost = 0
		} else if k == 0 || slices.Contains(s.ends, k) { // the squares of one array, which has the largest of its entries
			lost = 0
			for i := k; i < len(rows) && (i == k || !slices.Contains(s.ends, i)); i++ {
				lost = max(lost, rows[i].lost)
			}
		}
		d.lost = max(d.lost, lost, rows[k].lost)
		d.c = appendPacked(d.c, n, s.sign*rows[k].Const)
		for t, j := range rows[k].Idx {
			d.idx[t] = appendPacked(d.idx[t], n, int32(j))
			d.val[t] = appendPacked(d.val[t], n, s.sign*rows[k].Val[t])
		}
	}
	to.w = append(to.w, w)
	return true
}

// row mixes in a row times sign, which is 1 or -1.
func (h *hasher) row(l Linear, sign float64) {
	h.mix(uint64(len(l.Idx)))
	for t, j := range l.Idx {
		h.coefficient(uint64(j), sign*l.Val[t])
	}
	h.float(sign * l.Const)
}

// coefficient mixes in the coefficient of variable j.
func (h *hasher) coefficient(j uint64, v float64) { h.mix(math.Float64bits(v) ^ bits.Reverse64(j)) }

// isMember reports whether a member has these rows.
func (s *loopShape) isMember(at int, rows []Linear) bool {
	for k := range rows {
		if !s.to.rows[s.places[k]].linear(at, nil).equal(rows[k].Scale(s.sign)) {
			return false
		}
	}
	return true
}

// appendPacked appends a number to a list of n, which has one number as long as all are that.
func appendPacked[T comparable](list []T, n int, v T) []T {
	switch {
	case n == 0 || len(list) == n && n > 1:
		return append(list, v)
	case list[0] == v:
		return list
	}
	return append(unpacked(list, n, n+1), v)
}

// grow makes room for so many more members, in lists that are not one number for all.
func (s *series) grow(more int) {
	s.w = slices.Grow(s.w, more)
	for k := range s.rows {
		d := &s.rows[k]
		d.c = grown(d.c, more)
		for t := range d.idx {
			d.idx[t], d.val[t] = grown(d.idx[t], more), grown(d.val[t], more)
		}
	}
}

func grown[T any](list []T, more int) []T {
	if len(list) == 1 {
		return list
	}
	return slices.Grow(list, more)
}

// Sum is the sum of all terms. ok is false where there are too few to be kept as arrays.
func (l *Loop) Sum() (e Expr, ok bool) {
	s := l.series
	switch {
	case s == nil:
		return Expr{}, true
	case len(s.w) < fewestMembers:
		return Expr{}, false
	case s.least != nil || s.gap:
		return Expr{terms: []term{{s.sign, &bentSeries{s}}}, lazy: &lazySplit{}, composite: true, of: s.of}, true
	}
	return Expr{terms: []term{{s.sign, s}}, of: s.of}, true
}

// seriesIn is the series of a function, and how its members are read; nil: it is no series.
func seriesIn(f Convex) (s *series, p *program, text string) {
	switch f := f.(type) {
	case *series:
		return f, &f.program, f.text
	case *bentSeries:
		return f.series, &f.program, f.text
	case *aboveSeries:
		return f.series, &f.program, f.text
	case *leastSeries:
		p := f.least.program
		p.rows = slices.Clone(p.rows)
		for k, at := range f.least.places {
			p.rows[k] = f.rows[at]
		}
		return f.series, &p, f.least.text
	}
	return nil, nil, ""
}

func (s *series) scaled(w float64, t term) term {
	w *= t.w
	sign := math.Copysign(1, w)
	if w == sign {
		return term{w, t.f}
	}
	out := &series{program: s.program, text: s.text, sign: sign, known: s.known, least: s.least, gap: s.gap, w: make([]float64, len(s.w))}
	for k, v := range s.w {
		out.w[k] = math.Abs(w) * v
	}
	switch t.f.(type) {
	case *bentSeries:
		return term{sign, &bentSeries{out}}
	case *leastSeries:
		return term{sign, &leastSeries{out}}
	case *aboveSeries:
		return term{sign, &aboveSeries{out}}
	}
	return term{sign, out}
}

func (s *series) oneByOne(t term) Expr {
	f := family{program: s.program, w: s.w}
	parts := f.members()
	for k := range parts {
		parts[k] = parts[k].Scale(t.w)
	}
	return sumExprs(parts)
}

// withoutRepeats: the weights of equal functions add up.
func (*series) withoutRepeats(es []Expr) []Expr {
	var r memberReader
	known, repeated := map[string][]*rowTable{}, false
	for k := range es {
		for _, t := range es[k].terms {
			s, _, text := seriesIn(t.f)
			if s == nil {
				continue
			}
			for _, other := range known[text] {
				repeated = repeated || slices.ContainsFunc(s.known.hashes, other.has)
			}
			known[text] = append(known[text], &s.known)
		}
	}
	for k := 0; k < len(es) && !repeated; k++ {
		for _, t := range es[k].terms {
			if s, _, _ := seriesIn(t.f); s != nil || !r.read(t.f) {
				continue
			}
			repeated = repeated || slices.ContainsFunc(known[string(r.text)], r.among)
		}
	}
	if !repeated {
		return es
	}
	out := make([]Expr, len(es))
	for k := range es {
		out[k] = es[k].unlooped(func(term) bool { return true })
	}
	return out
}

// among reports whether the function that was read may be one of those that are known by their rows.
func (r *memberReader) among(known *rowTable) bool {
	var h hasher
	for _, l := range r.rows {
		h.row(l, 1)
	}
	return known.has(uint64(h))
}

func (s *series) withMajorant(t term) (_ term, ok bool) { return t, false }

func (s *bentSeries) withMajorant(t term) (_ term, ok bool) {
	switch {
	case s.gap && t.w > 0:
		return term{t.w, &aboveSeries{s.series}}, true
	case !s.gap && t.w < 0:
		return term{-t.w, &leastSeries{s.series}}, true
	}
	return t, false
}

func (*series) addTo(groups map[string]*family, t term, of *space) *family {
	s, p, text := seriesIn(t.f)
	g := groups[text]
	if g == nil {
		g = &family{program: program{steps: p.steps, rows: make([]rowData, len(p.rows)), nums: make([][]float64, len(p.nums)), of: of}}
		for k := range p.rows {
			g.rows[k].idx, g.rows[k].val = make([][]int32, len(p.rows[k].idx)), make([][]float64, len(p.rows[k].idx))
		}
		groups[text] = g
	}
	n, m := len(g.w), len(s.w)
	again := n == m && g.period == 0 || m == g.period && n > 0
	for k := range p.rows {
		again = again && g.rows[k].sameCoefficients(&p.rows[k])
	}
	if again {
		g.period = m
	} else {
		g.unfolded()
	}
	for k := range p.rows {
		d, from := &g.rows[k], &p.rows[k]
		d.c, d.lost = joined(d.c, n, from.c, m), max(d.lost, from.lost)
		for i := 0; i < len(d.idx) && !again; i++ {
			d.idx[i], d.val[i] = joined(d.idx[i], n, from.idx[i], m), joined(d.val[i], n, from.val[i], m)
		}
	}
	for k := range p.nums {
		g.nums[k] = joined(g.nums[k], n, p.nums[k], m)
	}
	for _, w := range s.w {
		g.w = append(g.w, t.w*w)
	}
	return g
}

// sameCoefficients reports whether two rows have the same lists of coefficients.
func (d *rowData) sameCoefficients(o *rowData) bool {
	for t := range d.idx {
		if !slices.Equal(d.idx[t], o.idx[t]) || !slices.Equal(d.val[t], o.val[t]) {
			return false
		}
	}
	return true
}

// joined are a list of n numbers and one of m, each of which may be one number for all.
func joined[T comparable](a []T, n int, b []T, m int) []T {
	switch {
	case n == 0:
		return slices.Clip(b)
	case len(a) == 1 && len(b) == 1 && a[0] == b[0]:
		return a
	}
	return append(roomFor(unpacked(a, n, n+m), m), unpacked(b, m, m)...)
}

// roomFor is a list with room for so many more, or for as many as there are: lists that grow by less are copied more often.
func roomFor[T any](list []T, more int) []T {
	if cap(list)-len(list) >= more {
		return list
	}
	return slices.Grow(list, max(more, len(list)))
}

// convexFunctions is a family of convex functions that the convex problem has one by one.
type convexFunctions struct{ *family }

// Represent adds the forms of the members, which are made one after the other: no object of them remains.
func (f *convexFunctions) Represent(c Canon) Form {
	out, lins, at := Form{}, make([]Linear, 0, len(f.w)), make([]Expr, len(f.steps))
	pieces := f.pieces()
	for i, w := range f.w {
		form := Form{}
		if pieces != nil {
			form = (&maxOf{pieces: f.readPieces(pieces, i)}).Represent(c)
		} else {
			for k := range f.steps {
				at[k] = f.member(&f.steps[k], i, at)
			}
			form = at[len(at)-1].G().Represent(c)
		}
		lins, form.Linear = append(lins, form.Linear), Linear{}
		out = out.AddScaled(w, form)
	}
	out.Linear = sumLinear(lins, f.w)
	return out
}

// pieces is room for the affine functions that members are the largest of; nil where they are others.
func (f *convexFunctions) pieces() []Linear {
	top := f.top()
	if top.op != "max" || slices.ContainsFunc(top.args, func(arg int) bool { return f.steps[arg].op != opRow }) {
		return nil
	}
	return make([]Linear, len(top.args))
}

// readPieces are the affine functions of member i, until the next call.
func (f *convexFunctions) readPieces(to []Linear, i int) []Linear {
	for k, arg := range f.top().args {
		d := &f.rows[f.steps[arg].row]
		to[k] = d.appendTo(Linear{Idx: to[k].Idx[:0], Val: to[k].Val[:0]}, i, f.of)
	}
	return to
}

func (*series) chooses() bool      { return false }
func (*leastSeries) chooses() bool { return true }

func (s *series) convexFamily(t term, known sharedLists) term {
	f := s.addTo(map[string]*family{}, t, s.of)
	f.finish(known)
	if _, ok := t.f.(*aboveSeries); ok {
		return term{1, &aboveFamily{f}}
	}
	return term{1, &convexFunctions{f}}
}

// function is the series as a family.
func (s *series) function() Convex {
	s.once.Do(func() {
		f := s.addTo(map[string]*family{}, term{1, s}, s.of)
		f.finish(sharedLists{})
		s.f = f
	})
	return s.f
}

// aboveFamily is a family of |e| with e that are no affine functions, as the majorants of its members.
type aboveFamily struct{ *family }

func (f *aboveFamily) isMajorant()    {}
func (f *aboveFamily) node() Node     { return Node{op: "above family", key: f} }
func (f *aboveFamily) String() string { return "sum of abs" }

// Represent adds the forms of the members one after the other, as those of absAbove.
func (f *aboveFamily) Represent(c Canon) Form {
	top := &f.steps[len(f.steps)-2]
	lins := make([]Linear, 0, len(f.w))
	for i := range f.w {
		var above absAbove
		convexPart, concavePart := split{lin: f.rows[top.row].linear(i, f.of)}, split{}
		for k, arg := range top.args {
			rows := make([]Linear, len(f.steps[arg].args))
			for j, row := range f.steps[arg].args {
				rows[j] = f.rows[f.steps[row].row].linear(i, f.of)
			}
			if m := (term{1, newMaxOfAffine(rows)}); f.nums[top.nums[k]][0] > 0 {
				convexPart.g = append(convexPart.g, m)
			} else {
				concavePart.g = append(concavePart.g, m)
			}
		}
		above.g, above.h = []Representer{convexPart.function()}, []Representer{concavePart.function()}
		lins = append(lins, above.column(c))
	}
	return Form{Linear: sumLinear(lins, f.w)}
}

func (s *series) Value(x []float64) float64 { return s.function().Value(x) }
func (s *series) Support() []int            { return s.function().Support() }
func (s *series) String() string            { return "sum of " + s.top().op }
func (s *series) approx(x []float64) approx { return approximate(s.function(), x) }
func (s *series) over() Interval            { return rangeOf(s.function()) }

func (s *series) AddSubgrad(dst []float64, scale float64, x []float64) {
	s.function().AddSubgrad(dst, scale, x)
}

// Represent is the form of the sum of the members.
func (s *series) Represent(c Canon) Form { return c.Form(s.function().(Representer)) }

func (s *bentSeries) split() *split     { return s.oneByOne(term{1, s}).split() }
func (s *bentSeries) lessSquares() bool { return !s.gap }
func (s *bentSeries) isGap() bool       { return s.gap }

func (s *leastSeries) isMajorant() {}
func (s *aboveSeries) isMajorant() {}
