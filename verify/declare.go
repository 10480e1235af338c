package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

func (s *scope) param(st *syntax.Statement) {
	var v value
	text, ok := s.set[st.Name]
	switch {
	case ok && reader.ReaderOf(text) != "":
		v = s.file(reader.ReaderOf(text), text, "")
	case ok:
		v = s.eval(parsed(st.Name, text))
	case st.Value == nil:
		safe.Fail("the param %s has no value", st.Name)
	case st.Binders != nil:
		s.names[st.Name] = s.family(st)
		return
	default:
		v = s.eval(st.Value)
	}
	if st.Dims != nil {
		shape, axes := s.dims(st.Dims, v.shape)
		if size(shape) != len(v.e) {
			if len(v.e) != 1 {
				safe.Fail("%s has %d entries, not %v", st.Name, len(v.e), shape)
			}
			s.hold(size(shape))
			v.e = slices.Repeat(v.e, size(shape))
		}
		v = value{shape: shape, axes: axes, e: v.e}
	}
	s.names[st.Name] = v
}

// parsed is an expression that --set gives.
func parsed(name, text string) *syntax.Node {
	_, n, wrong := syntax.ParseExpr(text)
	if len(wrong) > 0 {
		safe.Fail("set %s=%s: %s", name, text, wrong[0].Message)
	}
	return n
}

// dims are declared dimensions; a colon is that of a value.
func (s *scope) dims(list []*syntax.Node, value []int) (shape []int, axes []axis) {
	for k, d := range list {
		a := axis{origin: 1}
		if d.Op == syntax.OpAll && k < len(value) {
			shape, axes = append(shape, value[k]), append(axes, a)
			continue
		}
		v := s.eval(d)
		switch {
		case v.isSet:
			a = axisOf(v.set)
			shape = append(shape, len(v.set))
		default:
			shape = append(shape, v.whole("a dimension"))
		}
		axes = append(axes, a)
	}
	return shape, axes
}

// variable declares variables with bounds. Complex ones have their real parts first, and then the
// imaginary ones.
func (s *scope) variable(st *syntax.Statement) {
	shape, axes := s.dims(st.Dims, nil)
	n := size(shape)
	s.hold(n)
	has := map[string]bool{}
	for _, a := range st.Attrs {
		has[a.Name] = true
	}
	hermitian, psd := has["hermitian"], has["psd"]
	complex := hermitian || has["complex"]
	square := len(shape) == 2 && shape[0] == shape[1]
	if hermitian && !square {
		safe.Fail("%s is hermitian and not a square matrix", st.Name)
	}
	v := variable{name: st.Name, shape: shape, axes: axes, at: slices.Repeat([]int{-1}, n)}
	es := make([]*expr, n)
	// declare calls f for the place of each variable and the one that mirrors it: those of a
	// symmetric matrix are in the upper triangle, column by column, with so many entries of the
	// diagonal in each.
	declare := func(symmetric bool, diagonal int, f func(e *expr, k, mirror int)) {
		if !symmetric {
			for k := range n {
				f(s.fresh(), k, k)
			}
			return
		}
		for j := range shape[0] {
			for i := range j + diagonal {
				f(s.fresh(), i*shape[0]+j, j*shape[0]+i)
			}
		}
	}
	declare(hermitian || !complex && square && (psd || has["symmetric"]), 1, func(e *expr, k, mirror int) {
		v.at[k], v.at[mirror] = e.k, e.k
		es[k], es[mirror] = e, e
	})
	out := value{shape: shape, axes: axes, e: es}
	if complex {
		w := v
		v.name, v.of, w.name, w.of, w.imaginary = "re("+st.Name+")", st.Name, "im("+st.Name+")", st.Name, true
		w.at = slices.Repeat([]int{-1}, n)
		declare(hermitian, 0, func(e *expr, k, mirror int) {
			w.at[k] = e.k
			number := complexOf(es[k], e)
			es[mirror] = conj(number)
			es[k] = number
		})
		s.p.vars = append(s.p.vars, v, w)
	} else {
		s.bounds(st, &v)
		s.p.vars = append(s.p.vars, v)
	}
	switch {
	case psd && complex:
		s.p.twice = true
		s.semidefinite(st.Name, 2*shape[0], realMatrix(out).e)
	case psd:
		s.semidefinite(st.Name, shape[0], es)
	}
	s.names[st.Name] = out
}

// bounds are those of a declaration, and the size of its start.
func (s *scope) bounds(st *syntax.Statement, v *variable) {
	bound := func(n *syntax.Node, of func(v float64) safe.Span) {
		b := s.eval(n)
		x := b.data("a bound of " + st.Name)
		if len(x) != 1 && len(x) != len(v.at) {
			safe.Fail("the bounds of %s have %d entries, not %d", st.Name, len(x), len(v.at))
		}
		for k, j := range v.at {
			s.p.box[j] = s.p.box[j].Meet(of(x[min(k, len(x)-1)]))
		}
	}
	above := func(v float64) safe.Span { return safe.Span{Lo: v, Hi: math.Inf(1)} }
	below := func(v float64) safe.Span { return safe.Span{Lo: math.Inf(-1), Hi: v} }
	for _, a := range st.Attrs {
		switch a.Name {
		case ">=":
			bound(a.Args[0], above)
		case "<=":
			bound(a.Args[0], below)
		case "in":
			bound(a.Args[0], above)
			bound(a.Args[1], below)
		case "start":
			v.start = s.startSize(a.Args[0])
		}
	}
}

// fresh is a variable without bounds.
func (s *scope) fresh() *expr {
	s.p.n++
	s.p.box = append(s.p.box, safe.Whole())
	return &expr{op: opVar, k: s.p.n - 1}
}

// semidefinite says that a matrix of n rows is.
func (s *scope) semidefinite(name string, n int, es []*expr) {
	name = "psd(" + name + ")"
	s.row(name, name, scaled(-1, smallest(n, es)), safe.Span{Lo: math.Inf(-1), Hi: 0}, place{family: name})
}

// startSize is the largest size of starting values.
func (s *scope) startSize(n *syntax.Node) float64 {
	if n.Op == syntax.OpCall && (n.Name == "normal" || n.Name == "uniform") && len(n.Args) == 2 {
		a, b := s.eval(n.Args[0]), s.eval(n.Args[1])
		u, v := math.Abs(a.real("a start")), math.Abs(b.real("a start"))
		if n.Name == "normal" {
			return u + v
		}
		return max(u, v)
	}
	size := 0.0
	v := s.plain(n)
	for _, x := range v.data("a start") {
		if a := math.Abs(x); a < math.Inf(1) {
			size = max(size, a)
		}
	}
	return size
}

// smallest is the least eigenvalue of a matrix of n rows.
func smallest(n int, es []*expr) *expr {
	minus := make([]*expr, len(es))
	for k, e := range es {
		minus[k] = scaled(-1, e)
	}
	return scaled(-1, folded(&expr{op: opEigen, num: 1, k: n, args: minus}))
}

// familyName is the name of a constraint in results: c1, c2 and so on for those without one,
// a_2, a_3 for others with the name a.
func (s *scope) familyName(name string) string {
	if name == "" {
		for s.unnamed++; s.labels[fmt.Sprintf("c%d", s.unnamed)] > 0; s.unnamed++ {
		}
		return fmt.Sprintf("c%d", s.unnamed)
	}
	if s.labels[name]++; s.labels[name] == 2 {
		return name
	}
	for k := 2; ; k++ {
		if n := fmt.Sprintf("%s_%d", name, k); s.labels[n] == 0 {
			s.labels[n] = 1
			return n
		}
	}
}

// indexed is a name with numbers in brackets.
func indexed(name string, index []int) string {
	if len(index) == 0 {
		return name
	}
	return name + "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(index), " ", ","), "[]") + "]"
}

// unraveled are the indices, from 1, of entry k of an array.
func unraveled(k int, shape []int) []int {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d], k = k%shape[d]+1, k/shape[d]
	}
	return index
}

// dataTol is the relative error by which rounding may break a constraint on data. Source:
// docs/language.md, Constraints.
const dataTol = 1e-9

// constraint adds rows: entry by entry, l − r against 0, or e against constants.
func (s *scope) constraint(st *syntax.Statement, index []int, from place) {
	vs := make([]value, len(st.Args))
	for k, a := range st.Args {
		vs[k] = s.eval(a)
	}
	for k, rel := range st.Rels {
		a, b := vs[k], vs[k+1]
		sides := map[syntax.Kind]safe.Span{syntax.LE: {Lo: math.Inf(-1), Hi: 0}, syntax.GE: safe.Positive}[rel]
		from := from
		from.chain, from.entry = k, -1
		shape := longest([]value{a, b}).shape
		pair(a, b, func(l, r *expr) *expr {
			s.spend(1)
			from.entry++
			at := from
			whole := indexed(at.family, index)
			name := indexed(at.family, slices.Concat(index, unraveled(at.entry, shape)))
			l, r = real(l), real(r)
			if l.isComplex() || r.isComplex() {
				if rel == syntax.EQ {
					at.imaginary = true
					s.row("im("+name+")", "im("+whole+")", sum2(1, im(l), -1, im(r)), sides, at)
					at.imaginary = false
				}
				s.row(name, whole, sum2(1, re(l), -1, re(r)), sides, at)
				return l
			}
			switch {
			case r.isConst():
				s.row(name, whole, l, sides.Shifted(r.num), at)
			case l.isConst():
				at.turned = true
				s.row(name, whole, r, sides.Minus().Shifted(l.num), at)
			default:
				s.row(name, whole, sumOf([]*expr{l, r}, []float64{1, -1}), sides, at)
			}
			return l
		})
	}
}

// row adds a row. Data that break one by rounding errors alone keep it, as the compiler has it.
func (s *scope) row(name, whole string, e *expr, sides safe.Span, from place) {
	if math.IsNaN(sides.Lo) || math.IsNaN(sides.Hi) || e.isNone() { // data outside a domain
		e, sides = number(0), safe.Span{Lo: 1, Hi: math.Inf(1)} // nothing keeps it
	}
	if v, ok := e.fixed(); ok {
		side := sides.Clip(v.Mid())
		if math.Abs(v.Mid()-side) <= dataTol*max(1, math.Abs(v.Mid()), math.Abs(side)) {
			sides = safe.Whole()
		}
	}
	s.p.rows = append(s.p.rows, row{name: name, whole: whole, e: e, sides: sides, from: from})
}
