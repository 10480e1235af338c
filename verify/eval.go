package verify

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/reader"
)

// Problem is a problem as its file states it.
type Problem struct {
	Maximize  bool
	objective *expr
	rows      []row
	free      []row // that hold everywhere; a result may have multipliers of them
	vars      []variable
	n         int
	lo, hi    []float64
	usual     []float64 // a point with variables of the sizes of their starts and bounds
	lets      map[string]value
	tol       float64 // of feasible points, relative to the units of rows
	room      int     // for ends of intervals of a proof
	twice     bool    // matrices of complex numbers are real ones of twice the order
}

// variable is a declared array of variables.
type variable struct {
	name  string
	shape []int
	start float64 // the largest size of its starts, 0 without any
	axes  []axis
	at    []int // the number of the variable of each entry, −1: it is none
	// Of a part of a complex variable its name and which part.
	of        string
	imaginary bool
}

// row is lo ≤ e ≤ hi, or says that a matrix is positive semidefinite.
type row struct {
	name   string
	e      *expr
	lo, hi float64
	// from is the place of the multiplier in a result.
	from place
}

// place is a scalar part of a constraint: the family's name, the number of the member, the
// entry of arrays and the relation of a chain. turned: e is the right side alone.
type place struct {
	family               string
	member, entry, chain int
	turned               bool
	imaginary            bool // the part of an equation of complex numbers
}

// scope has the values of names.
type scope struct {
	ctx   context.Context
	p     *Problem
	data  *reader.Data
	set   map[string]string
	names map[string]value
	work  int
	// quotients are powers −1 that quotients have brought.
	quotients []*expr
	// unnamed counts the constraints without a name; labels are the names of the others, 1 for
	// those that are declared, 2 for those that are read.
	unnamed int
	labels  map[string]int
}

// mostWork bounds the steps of the evaluator, those for nodes and for entries that are kept.
// Source: limits of time, a minute or so, and of memory: an entry takes 100 bytes.
const mostWork, unitsNode, unitsEntry = 200_000_000, 8, 32

// options say how a problem is solved, and nothing of the problem.
var options = []string{"tau", "mu", "tau_max", "max_iter", "tol", "restarts", "seed", "backend", "time_limit"}

// Read evaluates the statements of a source. data reads its files; set has other values of
// params, as --set gives them, and of options, of which only feas_tol matters.
func Read(ctx context.Context, src string, data *reader.Data, set map[string]string) (p *Problem, err error) {
	list, err := reader.Parse(src)
	if err != nil {
		return nil, err
	}
	defer catch(&err)
	p = &Problem{objective: number(0), lets: map[string]value{}, tol: feasTol, room: mostNumbers}
	s := &scope{ctx: ctx, p: p, data: data, set: set, names: map[string]value{"inf": numeric(math.Inf(1)), "pi": numeric(math.Pi)}, labels: map[string]int{}}
	for _, st := range list {
		if st.Verb == reader.Constraint {
			s.labels[st.Name] = 1
		}
	}
	for _, st := range list {
		s.statement(st)
	}
	s.signs()
	p.usual = p.usualPoint()
	for name, text := range set {
		switch param := func(st *reader.Statement) bool { return st.Verb == reader.Param && st.Name == name }; {
		case slices.ContainsFunc(list, param):
		case name == "feas_tol":
			s.statement(&reader.Statement{Verb: reader.Option, Name: name, Value: parsed(name, text)})
		case !slices.Contains(options, name):
			return nil, fmt.Errorf("set %s=%s: the file has no param %s", name, text, name)
		}
	}
	return p, nil
}

func (s *scope) hold(entries int) { s.spend(unitsEntry * max(0, entries)) }

func (s *scope) spend(n int) {
	if s.work += n; s.work > mostWork {
		fail("the problem is too large to be verified")
	}
	if s.work%1024 < n && s.ctx.Err() != nil {
		panic(fault{s.ctx.Err()})
	}
}

func (s *scope) statement(st *reader.Statement) {
	switch st.Verb {
	case reader.Param:
		s.param(st)
	case reader.Set:
		v := s.asSet(s.eval(st.Value), st.Name)
		s.names[st.Name] = v
	case reader.Var:
		s.variable(st)
	case reader.Let:
		if st.Binders != nil {
			s.names[st.Name] = s.family(st)
		} else {
			s.names[st.Name] = s.eval(st.Value)
		}
		s.p.lets[st.Name] = s.names[st.Name]
	case reader.Option:
		if st.Name == "feas_tol" {
			v := s.eval(st.Value)
			s.p.tol = v.real("feas_tol")
		}
	case reader.Minimize, reader.Maximize:
		v := s.eval(st.Value)
		if len(v.e) != 1 {
			fail("the objective has %d entries", len(v.e))
		}
		s.p.objective, s.p.Maximize = re(v.e[0]), st.Verb == reader.Maximize
	case reader.Constraint:
		from := place{family: s.familyName(st.Name)}
		if st.Binders == nil {
			s.constraint(st, st.Name, from)
			return
		}
		s.over(st.Binders, st.Cond, func(at []member) {
			var parts []string
			for _, m := range at {
				for _, x := range m {
					parts = append(parts, fmt.Sprint(x))
				}
			}
			s.constraint(st, st.Name+"["+strings.Join(parts, ",")+"]", from)
			from.member++
		})
	}
}

func (s *scope) param(st *reader.Statement) {
	var v value
	text, ok := s.set[st.Name]
	switch {
	case ok && reader.ReaderOf(text) != "":
		v = s.file(reader.ReaderOf(text), text, "")
	case ok:
		v = s.eval(parsed(st.Name, text))
	case st.Value == nil:
		fail("the param %s has no value", st.Name)
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
				fail("%s has %d entries, not %v", st.Name, len(v.e), shape)
			}
			s.hold(size(shape))
			v.e = slices.Repeat(v.e, size(shape))
		}
		v = value{shape: shape, axes: axes, e: v.e}
	}
	s.names[st.Name] = v
}

// parsed is an expression that --set gives.
func parsed(name, text string) *reader.Node {
	n, err := reader.ParseExpr(text)
	if err != nil {
		fail("set %s=%s: %v", name, text, err)
	}
	return n
}

// dims are declared dimensions; a colon is that of a value.
func (s *scope) dims(list []*reader.Node, value []int) (shape []int, axes []axis) {
	for k, d := range list {
		a := axis{origin: 1}
		if d.Op == reader.OpAll && k < len(value) {
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

// axisOf is the dimension that runs over a set.
func axisOf(set []member) axis {
	for k, m := range set {
		if n, ok := m[0].(int); len(m) != 1 || !ok || n != set[0][0].(int)+k {
			return axis{members: set}
		}
	}
	if len(set) == 0 {
		return axis{origin: 1}
	}
	return axis{origin: set[0][0].(int)}
}

// family is an array with an entry for each choice of indices.
func (s *scope) family(st *reader.Statement) value {
	var es []*expr
	var members []member
	s.over(st.Binders, st.Cond, func(at []member) {
		v := s.eval(st.Value)
		if len(v.e) != 1 {
			fail("an entry of a family is an array with %d entries", len(v.e))
		}
		es, members = append(es, v.e[0]), append(members, slices.Concat(at...))
	})
	shape, axes, ok := s.product(st.Binders)
	if !ok || st.Cond != nil || len(es) != size(shape) { // over the tuples that are left
		return value{shape: []int{len(es)}, axes: []axis{{members: members}}, e: es}
	}
	return value{shape: shape, axes: axes, e: es}
}

// product is the dimensions of sets that do not depend on each other.
func (s *scope) product(bs []reader.Binder) (shape []int, axes []axis, ok bool) {
	defer func() { ok = recover() == nil }()
	for _, b := range bs {
		set := s.asSet(s.eval(b.Set), b.Names[0]).set
		shape, axes = append(shape, len(set)), append(axes, axisOf(set))
	}
	return shape, axes, true
}

// over calls f for each choice of the binders that meets the condition.
func (s *scope) over(bs []reader.Binder, cond *reader.Node, f func(at []member)) {
	old := map[string]value{}
	var names []string
	for _, b := range bs {
		names = append(names, b.Names...)
	}
	for _, name := range names {
		if v, ok := s.names[name]; ok {
			old[name] = v
		}
	}
	at := make([]member, len(bs))
	var level func(k int)
	level = func(k int) {
		if k == len(bs) {
			if cond == nil || s.truth(cond) {
				f(at)
			}
			return
		}
		for _, m := range s.asSet(s.eval(bs[k].Set), "a set").set {
			s.spend(1)
			if len(m) != len(bs[k].Names) {
				if len(bs[k].Names) != 1 {
					fail("a member with %d parts for %d indices", len(m), len(bs[k].Names))
				}
				s.names[bs[k].Names[0]] = value{word: m}
			} else {
				for i, name := range bs[k].Names {
					s.names[name] = part(m[i])
				}
			}
			at[k] = m
			level(k + 1)
		}
	}
	level(0)
	for _, name := range names {
		delete(s.names, name)
	}
	maps.Copy(s.names, old)
}

func part(x any) value {
	if n, ok := x.(int); ok {
		return numeric(float64(n))
	}
	return value{word: x}
}

// asSet is a value as a set.
func (s *scope) asSet(v value, name string) value {
	if v.isSet {
		return v
	}
	if v.word != nil {
		fail("%s is no set", name)
	}
	out := value{isSet: true}
	switch {
	case len(v.shape) == 0: // n is 1..n
		n := size([]int{max(0, v.whole(name))})
		s.spend(n)
		for k := range n {
			out.set = append(out.set, member{k + 1})
		}
	default:
		all := v.data(name)
		rows, n := v.matrix()
		for i := range rows {
			var m member
			for j := range n {
				m = append(m, int(math.Round(all[i*n+j])))
			}
			out.set = append(out.set, m)
		}
	}
	return out
}

// variable declares variables with bounds. Complex ones have their real parts first, and then the imaginary ones.
func (s *scope) variable(st *reader.Statement) {
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
		fail("%s is hermitian and not a square matrix", st.Name)
	}
	v := variable{name: st.Name, shape: shape, axes: axes, at: slices.Repeat([]int{-1}, n)}
	es := make([]*expr, n)
	// declare calls f for the place of each variable and the one that mirrors it: those of a symmetric matrix
	// are in the upper triangle, column by column, with so many entries of the diagonal in each.
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
func (s *scope) bounds(st *reader.Statement, v *variable) {
	bound := func(n *reader.Node, into []float64, tighter func(a, b float64) float64) {
		b := s.eval(n)
		x := b.data("a bound of " + st.Name)
		if len(x) != 1 && len(x) != len(v.at) {
			fail("the bounds of %s have %d entries, not %d", st.Name, len(x), len(v.at))
		}
		for k, j := range v.at {
			into[j] = tighter(into[j], x[min(k, len(x)-1)])
		}
	}
	for _, a := range st.Attrs {
		switch a.Name {
		case ">=":
			bound(a.Args[0], s.p.lo, math.Max)
		case "<=":
			bound(a.Args[0], s.p.hi, math.Min)
		case "in":
			bound(a.Args[0], s.p.lo, math.Max)
			bound(a.Args[1], s.p.hi, math.Min)
		case "start":
			v.start = s.startSize(a.Args[0])
		}
	}
}

// fresh is a variable without bounds.
func (s *scope) fresh() *expr {
	s.p.n++
	s.p.lo, s.p.hi = append(s.p.lo, math.Inf(-1)), append(s.p.hi, math.Inf(1))
	return &expr{op: opVar, k: s.p.n - 1}
}

// semidefinite says that a matrix of n rows is.
func (s *scope) semidefinite(name string, n int, es []*expr) {
	s.row("psd("+name+")", scaled(-1, smallest(n, es)), math.Inf(-1), 0, place{family: "psd(" + name + ")"})
}

// startSize is the largest size of starting values.
func (s *scope) startSize(n *reader.Node) float64 {
	if n.Op == reader.OpCall && (n.Name == "normal" || n.Name == "uniform") && len(n.Args) == 2 {
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
	return scaled(-1, &expr{op: opEigen, num: 1, k: n, args: minus})
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

// constraint adds rows: entry by entry, l − r against 0, or e against constants.
func (s *scope) constraint(st *reader.Statement, name string, from place) {
	vs := make([]value, len(st.Args))
	for k, a := range st.Args {
		vs[k] = s.eval(a)
	}
	for k, rel := range st.Rels {
		a, b := vs[k], vs[k+1]
		lo, hi := math.Inf(-1), 0.0
		switch rel {
		case reader.GE:
			lo, hi = 0, math.Inf(1)
		case reader.EQ:
			lo = 0
		}
		from := from
		from.chain, from.entry = k, -1
		pair(a, b, func(l, r *expr) *expr {
			s.spend(1)
			from.entry++
			at := from
			l, r = real(l), real(r)
			if l.isComplex() || r.isComplex() {
				if rel == reader.EQ {
					at.imaginary = true
					s.row("im("+name+")", sum2(1, im(l), -1, im(r)), 0, 0, at)
					at.imaginary = false
				}
				s.row(name, sum2(1, re(l), -1, re(r)), lo, hi, at)
				return l
			}
			switch {
			case r.isConst():
				s.row(name, l, shifted(lo, r.num), shifted(hi, r.num), at)
			case l.isConst():
				at.turned = true
				s.row(name, r, -shifted(hi, -l.num), -shifted(lo, -l.num), at)
			default:
				s.row(name, sumOf([]*expr{l, r}, []float64{1, -1}), lo, hi, at)
			}
			return l
		})
	}
}

// shifted is side + c, where no side stays none.
func shifted(side, c float64) float64 {
	if math.IsInf(side, 0) && !math.IsNaN(c) {
		return side
	}
	return side + c
}

func (s *scope) row(name string, e *expr, lo, hi float64, from place) {
	if math.IsNaN(lo) || math.IsNaN(hi) || e.isConst() && math.IsNaN(e.num) { // data outside a domain: nothing keeps it
		e, lo, hi = number(0), 1, math.Inf(1)
	}
	r := row{name, e, lo, hi, from}
	if math.IsInf(lo, -1) && math.IsInf(hi, 1) {
		s.p.free = append(s.p.free, r)
		return
	}
	s.p.rows = append(s.p.rows, r)
}

// truth is a condition on data.
func (s *scope) truth(n *reader.Node) bool {
	switch n.Op {
	case reader.OpAnd:
		return !slices.ContainsFunc(n.Args, func(a *reader.Node) bool { return !s.truth(a) })
	case reader.OpOr:
		return slices.ContainsFunc(n.Args, s.truth)
	case reader.OpNot:
		return !s.truth(n.Args[0])
	case reader.OpIn:
		m := s.asMember(n.Args[0])
		return slices.ContainsFunc(s.asSet(s.eval(n.Args[1]), "a set").set, m.equal)
	case reader.OpCompare:
		for k, rel := range n.Rels {
			a, b := s.eval(n.Args[k]), s.eval(n.Args[k+1])
			if a.word != nil || b.word != nil {
				same := a.word != nil && b.word != nil && fmt.Sprint(a.word) == fmt.Sprint(b.word)
				if same != (rel == reader.EQ) {
					return false
				}
				continue
			}
			x, y := a.real("a condition"), b.real("a condition")
			if !map[reader.Kind]bool{reader.Less: x < y, reader.Greater: x > y, reader.LE: x <= y, reader.GE: x >= y, reader.EQ: x == y, reader.NE: x != y}[rel] {
				return false
			}
		}
		return true
	}
	v := s.eval(n)
	return v.real("a condition") != 0
}

// asMember is a node as an element of a set.
func (s *scope) asMember(n *reader.Node) member {
	if n.Op == reader.OpTuple {
		var m member
		for _, a := range n.Args {
			m = append(m, s.asMember(a)...)
		}
		return m
	}
	v := s.eval(n)
	switch w := v.word.(type) {
	case nil:
		return member{v.whole("a member")}
	case member:
		return w
	default:
		return member{w}
	}
}
