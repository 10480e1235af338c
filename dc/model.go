package dc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/interval"
)

// ComplexVar adds complex variables of the given shape, none for a scalar: two real
// variables, named re(name) and im(name). Attributes that are drawn, StartNormal and
// StartUniform, hold for both parts; StartAt sets the real part and leaves 0 for the
// imaginary one, StartAtComplex sets both. Complex numbers have no order: AtLeast,
// AtMost, Symmetric and PSD are errors of Problem.
func (m *Model) ComplexVar(name string, shape []int, opts ...VarOption) Complex {
	return m.complexVar(name, shape, false, opts)
}

// HermitianVar adds a Hermitian matrix of order n: its real part is symmetric and its
// imaginary part skew, of which x has the upper triangles. With PSD it is positive
// semidefinite, by a constraint named psd(name) on the matrix [Re −Im; Im Re] of order
// 2n. The other attributes are as in ComplexVar.
func (m *Model) HermitianVar(name string, n int, opts ...VarOption) Complex {
	return m.complexVar(name, []int{n, n}, true, opts)
}

func (m *Model) complexVar(name string, shape []int, hermitian bool, opts []VarOption) Complex {
	if m = m.orNone(); m.names[name] {
		m.fail(fmt.Errorf("dc: variable %s is declared twice", name))
	}
	var parts [2]*Variable
	var made [2]Expr
	for k, part := range []string{RealPart(name), ImagPart(name)} {
		v := &Variable{Name: part, Shape: append([]int(nil), shape...), Complex: name, Imag: k == 1}
		check := func(v *Variable) error {
			switch {
			case v.Lo != nil || v.Hi != nil:
				return errors.New("complex numbers have no order, so no bounds; bound the parts or the modulus by " +
					"constraints")
			case !hermitian && (v.Symmetric || v.semidefinite):
				return errors.New("a complex matrix is declared Hermitian by HermitianVar")
			}
			v.Symmetric, v.Skew = hermitian && !v.Imag, hermitian && v.Imag
			if v.Imag && v.Start.Kind == StartValues && v.Start.modulus == 0 {
				v.Start.Values = make([]float64, convex.Size(v.Shape))
			}
			return nil
		}
		parts[k], made[k] = v, m.declare(v, append(opts[:len(opts):len(opts)], check))
	}
	if m.names != nil { // a variable was added
		m.names[name] = true
	}
	z := Complex{made[0], made[1]}
	if parts[0].semidefinite && convex.Size(shape) > 0 && z.Err() == nil {
		c := z.Semidefinite().Named("psd(" + name + ")")
		c.implied = true
		m.SubjectTo(c)
	}
	return z
}

// Model collects the parts of a problem. The zero Model is empty and ready for
// use; it is not safe for concurrent use. A nil *Model forgets all that it is told,
// and its Problem is an error.
type Model struct {
	p     Problem // without constraints
	cs    collection
	space *convex.Space
	known map[string][]interval.Interval // bounds of the entries of variables from rows to come, see Again
	names map[string]bool
	costs []cost
	errs  []error
}

// NewModel returns an empty model.
func NewModel() *Model { return &Model{} }

var errNoModel = errors.New("dc: the model is nil; NewModel returns an empty one")

// orNone is m, or where that is nil a model that is refused.
func (m *Model) orNone() *Model {
	if m == nil {
		return &Model{errs: []error{errNoModel}}
	}
	return m
}

// Var adds variables of the given shape, none for a scalar, and returns them
// as an affine map.
func (m *Model) Var(name string, shape []int, opts ...VarOption) Expr {
	return m.orNone().declare(&Variable{Name: name, Shape: append([]int(nil), shape...)}, opts)
}

// declare adds v with these attributes.
func (m *Model) declare(v *Variable, opts []VarOption) Expr {
	name, shape := v.Name, v.Shape
	v.Offset = m.p.n
	room := mostEntries
	for _, d := range shape {
		if d < 0 || d > room {
			m.fail(fmt.Errorf("dc: variable %s has shape %v", name, shape))
			return failed("variable %s has shape %v", name, shape)
		}
		room /= max(d, 1)
	}
	if m.names[name] {
		m.fail(fmt.Errorf("dc: variable %s is declared twice", name))
	}
	if m.names == nil {
		m.names = map[string]bool{}
	}
	m.names[name] = true
	for _, o := range opts {
		if o == nil {
			m.fail(fmt.Errorf("dc: variable %s: an option is nil", name))
			continue
		}
		if err := o(v); err != nil {
			m.fail(fmt.Errorf("dc: variable %s: %w", name, err))
		}
	}
	if err := v.fold(); err != nil {
		m.fail(fmt.Errorf("dc: variable %s: %w", name, err))
		return failed("variable %s: %w", name, err)
	}
	m.p.Vars = append(m.p.Vars, v)
	if m.space == nil {
		m.space = &convex.Space{}
	}
	v.enter(m.space, v.Size(), m.known[name])
	m.p.n += v.Len()
	n := convex.Size(v.Shape)
	if v.Skew {
		return affineExpr(v.skew(m.space))
	}
	out := convex.Array{Shape: v.Shape, Ptr: make([]int, n+1), Idx: make([]int, n), Val: make([]float64, n),
		C: make([]float64, n), Of: m.space}
	for k := range n {
		out.Ptr[k+1], out.Idx[k], out.Val[k] = k+1, v.Offset+v.column(k), 1
	}
	a := affineExpr(out)
	if v.semidefinite && n > 0 && v.Complex == "" {
		c := Semidefinite(a).Named("psd(" + name + ")")
		c.implied = true
		m.SubjectTo(c)
	}
	return a
}

// mostEntries is how many entries a variable may have at most.
// Source: families of functions number the entries of x by int32.
const mostEntries = math.MaxInt32

// Tie says that the variables t start at the values of e, of as many entries, for which earlier
// entries of t may be asked. Nothing else follows: that t is e is a constraint of its own.
func (m *Model) Tie(t, e Expr) {
	if t.Err() != nil || e.Err() != nil || t.Len() != e.Len() {
		m.fail(fmt.Errorf("dc: starts of shapes %v tied to %v", t.arr.Shape, e.arr.Shape))
		return
	}
	for k := range t.Len() {
		if l := t.Linear(k); len(l.Idx) == 1 {
			m.p.ties = append(m.p.ties, tie{l.Idx[0], e.Entry(k).one()})
		}
	}
}

// Own returns l, whose variables are given by their numbers, as a function of
// this model's variables. The known bounds of the variables hold for it then. A number that
// is none of a variable so far is an error of Problem where l is used.
func (m *Model) Own(l convex.Linear) convex.Linear {
	m = m.orNone()
	if l.Of != nil && l.Of.Wrong != nil {
		return l
	}
	if n := len(l.Idx); n > 0 && (l.Idx[0] < 0 || l.Idx[n-1] >= m.p.n) {
		return convex.Linear{Of: &convex.Space{Wrong: fmt.Errorf("dc: a function of variables number %d to %d of %d",
			l.Idx[0],
			l.Idx[n-1], m.p.n)}}
	}
	l.Of = m.space
	return l
}

// Again returns an empty model in which the same variables, expressions and constraints
// are to be stated once more. It knows from the start the bounds that
// affine constraints of one variable give it, so that all expressions are made with them,
// whatever the order of statements: the square of x² + y is refused before y ≥ 0 is stated as
// a constraint of m, and accepted by the other model. ok is false where no
// expression was made before a constraint narrowed the bounds of its variables: another
// model would be no other. Problem refuses a model that lacks constraints that it was
// told of.
func (m *Model) Again() (again *Model, ok bool) {
	if m = m.orNone(); m.space == nil || !m.space.Overtaken {
		return nil, false
	}
	known := make(map[string][]interval.Interval, len(m.p.Vars))
	for _, v := range m.p.Vars {
		known[v.Name] = slices.Clone(m.space.Within[v.Offset : v.Offset+v.Len()])
	}
	return &Model{known: known}, true
}

func (m *Model) fail(err error) { m.errs = append(m.errs, err) }

// Minimize sets the objective, a number to be minimised; the last call of Minimize or
// Maximize counts. An array of another shape is an error of Problem.
func (m *Model) Minimize(e Expr) { m.orNone().optimise(e, false) }

// Maximize is Minimize of the negative; results report the objective as given.
func (m *Model) Maximize(e Expr) { m.orNone().optimise(e.Neg(), true) }

func (m *Model) optimise(e Expr, maximize bool) { m.p.Objective, m.p.Maximize = e, maximize }

// SubjectTo adds constraints, in this order. Mistakes in them are errors of Problem. An
// affine constraint of one variable is a bound of it, see Problem.Box: functions that are
// made after it have splits, and are accepted, as if the variable had been made with that
// bound. See Again for functions made before. The result has the multipliers at a solution.
func (m *Model) SubjectTo(cs ...Constraint) Statement {
	if m == nil {
		return Statement{}
	}
	s := Statement{cs: &m.cs, from: len(m.cs.list)}
	for k := range cs {
		m.add(&cs[k])
	}
	s.to = len(m.cs.list)
	return s
}

func (m *Model) add(c *Constraint) {
	s := c.alone()
	if s.each != nil {
		m.addEach(&s)
		return
	}
	for half := &s; half != nil; half = half.next {
		for k := range half.Lo {
			if half.A.Err() == nil && k < half.A.Len() {
				m.space.Row(half.A.Linear(k), half.Lo[k], half.Hi[k])
			}
		}
		one := *half
		one.next, one.Family, one.index, one.second = nil, s.Family, s.index, half != &s
		m.cs.add(&one)
	}
}

// addEach adds the constraints of an array of a name.
func (m *Model) addEach(s *Common) {
	e := s.each
	if e.columns != nil && e.of.Check(m.space) == nil {
		width, numbers, fit := 0, make([]int32, 0, e.n), true
		for k := 0; k < e.n && s.Family != ""; k++ {
			index := e.index(s.index, k)
			width = len(index)
			for _, i := range index {
				fit = fit && !isLarge(i)
				numbers = append(numbers, int32(i))
			}
		}
		if fit && m.cs.addMembers(s.Family, width, numbers, e.columns, m.space) {
			return
		}
	}
	for k := range e.n {
		c := e.one(k)
		if s.Family != "" {
			c = c.Named(s.Family, e.index(s.index, k)...)
		}
		m.add(&c)
	}
}

// FamilyOf is the sum of the members of a graph of functions of m's variables, with the weights in
// a column, above 0. ok is false where some have another form by the bounds of the variables, as
// |u| has of a u that is positive. Package lang calls it.
func FamilyOf(m *Model, g *graph.Graph, w []float64) (e Expr, ok bool) {
	f, ok := family.FamilyTerm(g, w, m.orNone().space)
	return number(f), ok
}

// SubjectToFamily adds constraints E ≤ 0 of a name, of which E are the members of a graph that ends
// in a sum with an affine row, with width numbers in brackets each. ok is false where some have
// another form by the bounds of the variables; then nothing is added. Package lang calls it.
func SubjectToFamily(m *Model, family string, width int, index []int32, g *graph.Graph) (ok bool) {
	m = m.orNone()
	return m.cs.addMembers(family, width, index, g, m.space)
}

// Statement has the constraints of one call of Model.SubjectTo.
type Statement struct {
	cs       *collection
	from, to int // places among the constraints
}

// Solution has multipliers by constraint, as ccp.Result has them.
type Solution interface{ Multipliers() [][]float64 }

// Dual are the multipliers of the statement's entries at a solution of the model's problem, in
// row-major order and one constraint after the other: of l ≤ r, which counts as l − r ≤ 0, at least
// 0, of an equation of any sign, of lo ≤ e ≤ hi positive where hi holds and negative where lo does.
// It is nil where the solution has none.
func (s Statement) Dual(r Solution) []float64 {
	y := r.Multipliers()
	if s.cs == nil || s.to > len(y) {
		return nil
	}
	var out []float64
	for k := s.from; k < s.to; k++ {
		c := &s.cs.list[k]
		switch {
		case k+1 < s.to && c.opens: // of e = 0: the multipliers of e ≤ 0 and −e ≤ 0
			out = append(out, y[k][0]-y[k+1][0])
			k++
		case k+1 < s.to && s.cs.list[k+1].second: // of lo ≤ e and e ≤ hi
			for i, v := range y[k+1] {
				out = append(out, v-y[k][i])
			}
			k++
		default:
			out = append(out, y[k]...)
		}
	}
	return out
}

// Param adds a parameter of the given shape with its first values, one for all
// entries or one per entry. Problem.With and ccp.Session give it others.
func (m *Model) Param(name string, shape []int, values ...float64) Param {
	return Param{m.Var(name, shape, func(v *Variable) error {
		v.Param = true
		if err := v.takes(values); err != nil {
			return err
		}
		v.fix(make([]float64, v.Len()))
		v.set(values)
		return nil
	})}
}

// AddCost adds the sum of p[k]·a[k] to the objective; p and a
// have as many entries. For a weight times a convex f, add a variable t with
// f ≤ t and the cost p·t.
func (m *Model) AddCost(p Param, a Expr) {
	m = m.orNone()
	switch {
	case p.Err() != nil:
		m.fail(p.Err())
	case a.Err() != nil:
		m.fail(a.Err())
	case a.bent():
		m.fail(errors.New("dc: costs of functions that are not affine; add a variable t with f <= t and the cost of t"))
	case p.arr.Of.Check(m.space) != nil || a.arr.Of.Check(m.space) != nil:
		m.fail(convex.ErrOtherModel)
	case p.Len() != a.Len():
		m.fail(fmt.Errorf("dc: costs of shape %v for shape %v", p.Expr.arr.Shape, a.arr.Shape))
	default:
		m.costs = append(m.costs, cost{p.arr.Array, a.arr.Array})
	}
}
