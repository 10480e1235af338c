package verify

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// Problem is a problem as its file states it.
type Problem struct {
	Maximize  bool
	objective *expr
	rows      []row
	vars      []variable
	n         int
	box       []safe.Span // bounds of the variables
	usual     []float64   // a point with variables of the sizes of their starts and bounds
	lets      map[string]value
	tol       float64 // of feasible points, relative to the units of rows
	room      int     // for ends of intervals of a proof
	twice     bool    // matrices of complex numbers are real ones of twice the order
	computed  bool    // data are values of functions, which the compiler rounds as it may
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

// row is lo ≤ e ≤ hi, or says that a matrix is positive semidefinite. Without sides it says
// nothing, and a result may have a multiplier of it.
type row struct {
	name  string // with the indices of the member and of the entry
	whole string // without those of the entry
	e     *expr
	sides safe.Span
	usual float64 // the largest of its terms at the usual point
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

// UnknownError says that a problem has a function that this package lacks. Nothing can be shown of
// its results.
type UnknownError struct{ Function string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the function %s is not known to verify", e.Function)
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
var options = []string{"tau0", "tau", "mu", "tau_max", "max_iter", "tol", "starts", "restarts", "effort", "seed",
	"backend", "time_limit"}

// Read evaluates the statements of a source. data reads its files; set has other values of
// params, as --set gives them, and of options, of which only feas_tol matters.
func Read(ctx context.Context, src string, data *reader.Data, set map[string]string) (p *Problem, err error) {
	tree, wrong := syntax.Parse(src)
	if len(wrong) > 0 {
		line, _, _ := tree.Place(wrong[0].Span)
		return nil, fmt.Errorf("line %d: %s", line, wrong[0].Message)
	}
	defer safe.Catch(&err)
	p = &Problem{objective: number(0), lets: map[string]value{}, tol: feasTol, room: mostNumbers}
	s := &scope{ctx: ctx, p: p, data: data, set: set, labels: map[string]int{}}
	s.names = map[string]value{"inf": numeric(math.Inf(1)), "pi": numeric(math.Pi)}
	for _, st := range tree.Statements {
		if st.Verb == syntax.Constraint {
			s.labels[st.Name] = 1
		}
	}
	for _, st := range tree.Statements {
		s.statement(st)
	}
	s.signs()
	p.usual = p.usualPoint()
	usual := newValues(p.usual, false)
	for i := range p.rows {
		_, p.rows[i].usual = usual.sizes(p.rows[i].e)
	}
	for name, text := range set {
		switch param := func(st *syntax.Statement) bool { return st.Verb == syntax.Param && st.Name == name }; {
		case slices.ContainsFunc(tree.Statements, param):
		case name == "feas_tol":
			s.statement(&syntax.Statement{Verb: syntax.Option, Name: name, Value: parsed(name, text)})
		case !slices.Contains(options, name):
			return nil, fmt.Errorf("set %s=%s: the file has no param %s", name, text, name)
		}
	}
	return p, nil
}

func (s *scope) hold(entries int) { s.spend(unitsEntry * max(0, entries)) }

func (s *scope) spend(n int) {
	if s.work += n; s.work > mostWork {
		safe.Fail("the problem is too large to be verified")
	}
	if s.work%1024 < n && s.ctx.Err() != nil {
		safe.Raise(s.ctx.Err())
	}
}

func (s *scope) statement(st *syntax.Statement) {
	switch st.Verb {
	case syntax.Param:
		s.param(st)
	case syntax.Set:
		v := s.asSet(s.eval(st.Value), st.Name)
		s.names[st.Name] = v
	case syntax.Var:
		s.variable(st)
	case syntax.Let:
		if st.Binders != nil {
			s.names[st.Name] = s.family(st)
		} else {
			s.names[st.Name] = s.eval(st.Value)
		}
		s.p.lets[st.Name] = s.names[st.Name]
	case syntax.Option:
		if st.Name == "feas_tol" {
			v := s.eval(st.Value)
			s.p.tol = v.real("feas_tol")
		}
	case syntax.Minimize, syntax.Maximize:
		v := s.eval(st.Value)
		if len(v.e) != 1 {
			safe.Fail("the objective has %d entries", len(v.e))
		}
		s.p.objective, s.p.Maximize = re(v.e[0]), st.Verb == syntax.Maximize
	case syntax.Constraint:
		from := place{family: s.familyName(st.Name)}
		if st.Binders == nil {
			s.constraint(st, nil, from)
			return
		}
		s.over(st.Binders, st.Cond, func(_ []member, index []int) {
			s.constraint(st, index, from)
			from.member++
		})
	}
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
func (s *scope) family(st *syntax.Statement) value {
	var es []*expr
	var members []member
	s.over(st.Binders, st.Cond, func(at []member, _ []int) {
		v := s.eval(st.Value)
		if len(v.e) != 1 {
			safe.Fail("an entry of a family is an array with %d entries", len(v.e))
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
func (s *scope) product(bs []syntax.Binder) (shape []int, axes []axis, ok bool) {
	defer func() { ok = recover() == nil }()
	for _, b := range bs {
		set := s.asSet(s.eval(b.Set), b.Names[0]).set
		shape, axes = append(shape, len(set)), append(axes, axisOf(set))
	}
	return shape, axes, true
}

// over calls f for each choice of the binders that meets the condition, with its members and their
// numbers: a word has that of the place of its member.
func (s *scope) over(bs []syntax.Binder, cond *syntax.Node, f func(at []member, index []int)) {
	hidden := map[string]value{}
	for _, b := range bs {
		for _, name := range b.Names {
			if v, ok := s.names[name]; ok {
				hidden[name] = v
			}
		}
	}
	at, index := make([]member, len(bs)), []int(nil)
	var level func(k int)
	level = func(k int) {
		if k == len(bs) {
			if cond == nil || s.truth(cond) {
				f(at, index)
			}
			return
		}
		known := len(index)
		for number, m := range s.asSet(s.eval(bs[k].Set), "a set").set {
			s.spend(1)
			index = index[:known]
			for _, x := range m {
				if n, ok := x.(int); ok {
					index = append(index, n)
				} else {
					index = append(index, number+1)
				}
			}
			if len(m) != len(bs[k].Names) {
				if len(bs[k].Names) != 1 {
					safe.Fail("a member with %d parts for %d indices", len(m), len(bs[k].Names))
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
	for _, b := range bs {
		for _, name := range b.Names {
			delete(s.names, name)
		}
	}
	maps.Copy(s.names, hidden)
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
		safe.Fail("%s is no set", name)
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

// truth is a condition on data.
func (s *scope) truth(n *syntax.Node) bool {
	switch n.Op {
	case syntax.OpAnd:
		return !slices.ContainsFunc(n.Args, func(a *syntax.Node) bool { return !s.truth(a) })
	case syntax.OpOr:
		return slices.ContainsFunc(n.Args, s.truth)
	case syntax.OpNot:
		return !s.truth(n.Args[0])
	case syntax.OpIn:
		m := s.asMember(n.Args[0])
		return slices.ContainsFunc(s.asSet(s.eval(n.Args[1]), "a set").set, m.equal)
	case syntax.OpCompare:
		for k, rel := range n.Rels {
			a, b := s.eval(n.Args[k]), s.eval(n.Args[k+1])
			if a.word != nil || b.word != nil {
				same := a.word != nil && b.word != nil && fmt.Sprint(a.word) == fmt.Sprint(b.word)
				if same != (rel == syntax.EQ) {
					return false
				}
				continue
			}
			x, y := a.real("a condition"), b.real("a condition")
			holds := map[syntax.Kind]bool{syntax.Less: x < y, syntax.Greater: x > y, syntax.LE: x <= y,
				syntax.GE: x >= y, syntax.EQ: x == y, syntax.NE: x != y}
			if !holds[rel] {
				return false
			}
		}
		return true
	}
	v := s.eval(n)
	return v.real("a condition") != 0
}

// asMember is a node as an element of a set.
func (s *scope) asMember(n *syntax.Node) member {
	if n.Op == syntax.OpTuple {
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
