package dc

import (
	"errors"
	"fmt"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr/family"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/program"
)

// Model collects the parts of a problem. The zero Model is empty and ready for
// use; it is not safe for concurrent use. A nil *Model forgets all that it is told,
// and its Problem is an error.
type Model struct{ m program.Model }

// NewModel returns an empty model.
func NewModel() *Model { return &Model{} }

var errNoModel = errors.New("dc: the model is nil; NewModel returns an empty one")

// orNone is m, or where that is nil a model that is refused.
func (m *Model) orNone() *Model {
	if m == nil {
		m = &Model{}
		m.m.Fail(errNoModel)
	}
	return m
}

// Program is the model as the packages of this module read it.
func (m *Model) Program() *program.Model { return &m.orNone().m }

// Again returns an empty model in which the same variables, expressions and constraints
// are to be stated once more. It knows from the start the bounds that
// affine constraints of one variable give it, so that all expressions are made with them,
// whatever the order of statements: the square of x² + y is refused before y ≥ 0 is stated as
// a constraint of m, and accepted by the other model. ok is false where no
// expression was made before a constraint narrowed the bounds of its variables: another
// model would be no other. Problem refuses a model that lacks constraints that it was
// told of.
func (m *Model) Again() (again *Model, ok bool) {
	inner, ok := m.orNone().m.Again()
	if !ok {
		return nil, false
	}
	return &Model{*inner}, true
}

// Var adds variables of the given shape, none for a scalar, and returns them
// as an affine map.
func (m *Model) Var(name string, shape []int, opts ...VarOption) Expr {
	return m.orNone().declare(&program.Variable{Name: name, Shape: append([]int(nil), shape...)}, opts)
}

// declare adds v with these attributes.
func (m *Model) declare(v *program.Variable, opts []VarOption) Expr {
	attributes := make([]func(*program.Variable) error, len(opts))
	for k, o := range opts {
		attributes[k] = o
	}
	entries, err := m.m.Declare(v, attributes)
	if err != nil {
		return wrong(err)
	}
	a := FromAffine(entries)
	if v.Semidefinite && a.Len() > 0 && v.Complex == "" {
		m.imply(Semidefinite(a).Named("psd(" + v.Name + ")"))
	}
	return a
}

// imply adds a constraint that a declaration states.
func (m *Model) imply(c Constraint) {
	s := c.alone()
	s.Implied = true
	m.SubjectTo(Constraint{&s})
}

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
	m = m.orNone()
	m.m.Reserve(name)
	var parts [2]*program.Variable
	var made [2]Expr
	for k, part := range []string{program.RealPart(name), program.ImagPart(name)} {
		v := &program.Variable{Name: part, Shape: append([]int(nil), shape...), Complex: name, Imag: k == 1}
		check := func(v *program.Variable) error {
			switch {
			case v.Lo != nil || v.Hi != nil:
				return errors.New("complex numbers have no order, so no bounds; bound the parts or the modulus by " +
					"constraints")
			case !hermitian && (v.Symmetric || v.Semidefinite):
				return errors.New("a complex matrix is declared Hermitian by HermitianVar")
			}
			v.Symmetric, v.Skew = hermitian && !v.Imag, hermitian && v.Imag
			if v.Imag && v.Start.Kind == program.StartValues && v.Start.Modulus == 0 {
				v.Start.Values = make([]float64, convex.Size(v.Shape))
			}
			return nil
		}
		parts[k], made[k] = v, m.declare(v, append(opts[:len(opts):len(opts)], check))
	}
	z := Complex{made[0], made[1]}
	if parts[0].Semidefinite && convex.Size(shape) > 0 && z.Err() == nil {
		m.imply(z.Semidefinite().Named("psd(" + name + ")"))
	}
	return z
}

// Minimize sets the objective, a number to be minimised; the last call of Minimize or
// Maximize counts. An array of another shape is an error of Problem.
func (m *Model) Minimize(e Expr) { m.orNone().m.Optimise(e.one(), false) }

// Maximize is Minimize of the negative; results report the objective as given.
func (m *Model) Maximize(e Expr) { m.orNone().m.Optimise(e.Neg().one(), true) }

// SubjectTo adds constraints, in this order. Mistakes in them are errors of Problem. An
// affine constraint of one variable is a bound of it, see Problem.Box: functions that are
// made after it have splits, and are accepted, as if the variable had been made with that
// bound. See Again for functions made before. The result has the multipliers at a solution.
func (m *Model) SubjectTo(cs ...Constraint) Statement {
	if m == nil {
		return Statement{}
	}
	s := Statement{m: &m.m, from: m.m.Len()}
	for _, c := range cs {
		m.add(c)
	}
	s.to = m.m.Len()
	return s
}

func (m *Model) add(c Constraint) {
	s := c.alone()
	if s.each == nil {
		m.m.Add(s.family, s.index, s.Common, s.other)
		return
	}
	e := s.each
	if e.columns != nil && e.of.Check(m.m.Space) == nil {
		width, numbers, fit := 0, make([]int32, 0, e.n), true
		for k := 0; k < e.n && s.family != ""; k++ {
			index := e.index(s.index, k)
			width = len(index)
			for _, i := range index {
				fit = fit && !program.IsLarge(i)
				numbers = append(numbers, int32(i))
			}
		}
		if fit && m.m.AddFamily(s.family, width, numbers, e.columns) {
			return
		}
	}
	for k := range e.n {
		c := e.one(k)
		if s.family != "" {
			c = c.Named(s.family, e.index(s.index, k)...)
		}
		m.add(c)
	}
}

// FamilyOf is the sum of the members of a graph of functions of m's variables, with the weights in
// a column, above 0. ok is false where some have another form by the bounds of the variables, as
// |u| has of a u that is positive. Package lang calls it.
func FamilyOf(m *Model, g *graph.Graph, w []float64) (e Expr, ok bool) {
	f, ok := family.FamilyTerm(g, w, m.orNone().m.Space)
	return number(f), ok
}

// Statement has the constraints of one call of Model.SubjectTo.
type Statement struct {
	m        *program.Model
	from, to int // places among the constraints
}

// Solution has multipliers by constraint, as ccp.Result has them.
type Solution interface{ Multipliers() [][]float64 }

// Dual are the multipliers of the statement's entries at a solution of the model's problem, in
// row-major order and one constraint after the other: of l ≤ r, which counts as l − r ≤ 0, at least
// 0, of an equation of any sign, of lo ≤ e ≤ hi positive where hi holds and negative where lo does.
// It is nil where the solution has none.
func (s Statement) Dual(r Solution) []float64 {
	if s.m == nil {
		return nil
	}
	return s.m.Duals(s.from, s.to, r.Multipliers())
}

// Param is an array of numbers that may be changed from one solve to the next: a
// bound, a right-hand side, data of an objective. As an Expr it goes wherever
// a variable goes, as in Norm2(A.Sub(b.Expr)); the point x has entries
// for it, which hold its values.
//
// A parameter times a variable is no affine function; Model.AddCost puts such
// products into the objective.
type Param struct{ Expr }

// Param adds a parameter of the given shape with its first values, one for all
// entries or one per entry. Problem.With and ccp.Session give it others.
func (m *Model) Param(name string, shape []int, values ...float64) Param {
	return Param{m.Var(name, shape, func(v *program.Variable) error {
		v.Param = true
		if err := v.Takes(values); err != nil {
			return err
		}
		v.Fix(make([]float64, v.Len()))
		v.Set(values)
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
		m.m.Fail(p.Err())
	case a.Err() != nil:
		m.m.Fail(a.Err())
	case a.bent():
		m.m.Fail(errors.New("dc: costs of functions that are not affine; add a variable t with f <= t and the " +
			"cost of t"))
	case p.arr.Of.Check(m.m.Space) != nil || a.arr.Of.Check(m.m.Space) != nil:
		m.m.Fail(convex.ErrOtherModel)
	case p.Len() != a.Len():
		m.m.Fail(fmt.Errorf("dc: costs of shape %v for shape %v", p.Expr.arr.Shape, a.arr.Shape))
	default:
		m.m.AddCost(p.arr.Array, a.arr.Array)
	}
}
