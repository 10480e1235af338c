package dc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/dense"
)

// Model collects the parts of a problem. The zero Model is empty and ready for
// use; it is not safe for concurrent use. A nil *Model forgets all that it is told,
// and its Problem is an error.
type Model struct {
	p     Problem // without constraints
	cs    collection
	space *space
	known []Interval // bounds of each entry of x from rows to come, see Again
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
		m.space = &space{}
	}
	m.space.add(v, v.Size(), m.known)
	m.p.n += v.Len()
	n := size(v.Shape)
	if v.Skew {
		return v.skew(m.space)
	}
	a := Expr{shape: v.Shape, ptr: make([]int, n+1), idx: make([]int, n), val: make([]float64, n), c: make([]float64, n), of: m.space}
	for k := range n {
		a.ptr[k+1], a.idx[k], a.val[k] = k+1, v.Offset+v.column(k), 1
	}
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

// Own returns l, whose variables are given by their numbers, as a function of
// this model's variables. The known bounds of the variables hold for it then. A number that
// is none of a variable so far is an error of Problem where l is used.
func (m *Model) Own(l Linear) Linear {
	m = m.orNone()
	if l.of != nil && l.of.wrong != nil {
		return l
	}
	if n := len(l.Idx); n > 0 && (l.Idx[0] < 0 || l.Idx[n-1] >= m.p.n) {
		return Linear{of: &space{wrong: fmt.Errorf("dc: a function of variables number %d to %d of %d", l.Idx[0], l.Idx[n-1], m.p.n)}}
	}
	l.of = m.space
	return l
}

// Again returns an empty model in which the same variables, expressions and constraints
// are to be stated once more, in the same order. It knows from the start the bounds that
// affine constraints of one variable give it, so that all expressions are made with them,
// whatever the order of statements: the square of x² + y is refused before y ≥ 0 is stated as
// a constraint of m, and accepted by the other model. ok is false where no
// expression was made before a constraint narrowed the bounds of its variables: another
// model would be no other. Problem refuses a model that lacks constraints that it was
// told of.
func (m *Model) Again() (again *Model, ok bool) {
	if m = m.orNone(); m.space == nil || !m.space.overtaken {
		return nil, false
	}
	return &Model{known: slices.Clone(m.space.within)}, true
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
				m.space.row(half.A.Linear(k), half.Lo[k], half.Hi[k])
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
	if e.columns != nil && e.of.check(m.space) == nil {
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

// Problem checks the model and returns it as a problem that no longer changes.
// All mistakes are reported together (errors.Join).
func (m *Model) Problem() (*Problem, error) { return m.ProblemContext(context.Background()) }

// ProblemContext is Problem. Where ctx ends before, its error comes back within some
// tenths of a second, for millions of constraints, too; work on a single large function
// may go on in the background then, so that the model must not be changed at once.
func (m *Model) ProblemContext(ctx context.Context) (*Problem, error) {
	if m == nil {
		return nil, errNoModel
	}
	look := lookout{ctx: ctx}
	type made struct {
		p   *Problem
		err error
	}
	r, err := dense.Await(ctx, func() made {
		p, err := m.problem(&look)
		return made{p, err}
	})
	if err != nil {
		return nil, err
	}
	return r.p, r.err
}

func (m *Model) problem(look *lookout) (*Problem, error) {
	errs := append([]error(nil), m.errs...)
	p := m.p
	p.setObjective(m.p.Objective.one())
	p.Vars = append([]*Variable(nil), m.p.Vars...)
	p.Constraints = m.cs.constraints()
	for _, v := range p.Vars {
		for k := range v.Len() {
			if v.lo(k) > v.hi(k) || math.IsInf(v.lo(k), 1) || math.IsInf(v.hi(k), -1) {
				errs = append(errs, fmt.Errorf("dc: variable %s has bounds %g and %g at entry %d", v.Name, v.lo(k), v.hi(k), k))
				break
			}
		}
	}
	if m.known != nil && m.space != nil && !slices.Equal(m.space.stated, m.space.within) {
		errs = append(errs, errors.New("dc: the model is told by Again of a constraint that it lacks"))
	}
	if m.space != nil {
		p.within = slices.Clone(m.space.within)
	}
	if len(m.costs) > 0 {
		sign := -1.0 // in h, which is subtracted
		if p.Maximize {
			sign = 1
		}
		p.setObjective(sumExprs([]scalar{*p.objective(), concave(newPriced(m.costs, sign), m.space)}))
	}
	if slices.ContainsFunc(p.Constraints, func(c Constraint) bool { return c.opens }) {
		p.setObjective(p.objective().apart(func(term) bool { return true })) // an equation may define a variable of it
	}
	stated := p
	stated.Constraints = nil // exactly has them
	stated.setObjective(*p.objective())
	touches, err := p.prepare(look, scalar.majoriseObjective, scalar.majorise)
	if err != nil {
		return nil, err
	}
	if err := checkExpr(*p.objective(), m.space); err != nil {
		errs = append(errs, fmt.Errorf("objective: %w", err))
	}
	for k, c := range p.Constraints {
		if err := look.ended(); err != nil {
			return nil, err
		}
		if c.members != nil && c.member > 0 {
			continue // as the first
		}
		err := c.err
		if err == nil && c.DC {
			err = checkExpr(c.function(), m.space)
		}
		if err == nil && c.cone != nil {
			err = c.cone.check(m.space)
		}
		if err == nil && !c.DC {
			err = c.checkAffine(m.space)
		}
		if err != nil {
			name := c.Name()
			if name == "" {
				name = fmt.Sprintf("number %d", k+1)
			}
			errs = append(errs, fmt.Errorf("constraint %s: %w", name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := errors.Join(p.define(look), p.gather(look)); err != nil {
		return nil, err
	}
	p.typical, p.reduced, p.widths = p.typicalPoint(), sync.OnceValue(p.reduce), sync.OnceValue(p.termWidths)
	p.least = p.reach()
	if touches {
		stated.typical = p.typical
		stated.setObjective(stated.objective().folded(p.objective()))
		again := m.cs.constraints()
		p.exact = sync.OnceValue(func() *Problem {
			if q := stated.exactly(again); q != nil {
				return q
			}
			return &p
		})
	}
	return &p, nil
}

// exactly is p, as it was stated, with the constraints that were, ready without majorants; nil if
// functions have no split, as the maximum of functions that are bent.
func (p *Problem) exactly(stated []Constraint) *Problem {
	q := *p
	q.Constraints = stated
	q.setObjective(q.objective().apart(func(term) bool { return true }))
	q.widths = sync.OnceValue(q.termWidths)
	same := func(e scalar) scalar { return e }
	look := lookout{ctx: context.Background()} // which never ends
	q.prepare(&look, same, same)
	for k := range q.Constraints {
		if c := &q.Constraints[k]; c.members == nil && c.e.Unrepresentable() != nil {
			return nil
		}
	}
	if q.Objective.Unrepresentable() != nil {
		return nil
	}
	q.define(&look)
	q.gather(&look)
	return &q
}

// prepare gives all expressions the splits that they are solved with, and reports
// whether majorants are among them.
func (p *Problem) prepare(look *lookout, objective, form func(scalar) scalar) (touches bool, err error) {
	p.setObjective(objective(*p.objective()))
	e := p.objective()
	e.keepSplit()
	e.moveTangents()
	touches = e.err == nil && e.split().touches
	for k := range p.Constraints {
		if err := look.ended(); err != nil {
			return false, err
		}
		c := &p.Constraints[k]
		if c.members == nil && c.e.err == nil {
			if c.e = form(c.e).atMostZero(); c.e.composite { // else it is the terms by their sign
				c.e.keepSplit()
				c.e.moveTangents()
				touches = touches || c.e.split().touches
			}
		}
	}
	return touches, nil
}

func checkExpr(e scalar, of *space) error {
	if e.err != nil {
		return e.err
	}
	if err := e.owner().check(of); err != nil {
		return err
	}
	f := e.Unrepresentable()
	if f == nil {
		f = e.tangentInside()
	}
	switch {
	case f == nil:
	case tangentIn(f):
		return fmt.Errorf("dc: no DC split for %s of a smooth function without one; state the smooth function as a "+
			"variable, as in t == x/y or t == sin(x)", describe(f))
	default:
		return fmt.Errorf("dc: %v has no representation; it may stand only where it is linearised: subtracted in a minimised objective or on the left of ≤", describe(f))
	}
	if s := e.splitNow(); bad(s.lin) {
		return errors.New("dc: a coefficient is not finite")
	}
	return nil
}

func describe(f Convex) string {
	if s, ok := f.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", f)
}

func (c *Constraint) checkAffine(of *space) error {
	if err := errors.Join(c.A.Err(), c.A.of.check(of)); err != nil {
		return err
	}
	if len(c.Lo) != c.A.Len() || len(c.Hi) != c.A.Len() {
		return errors.New("dc: a constraint must be made with LE, GE, EQ or Between")
	}
	for k := range c.Lo {
		if !(c.Lo[k] <= c.Hi[k]) {
			return fmt.Errorf("dc: entry %d has bounds %g and %g", k, c.Lo[k], c.Hi[k])
		}
		if bad(c.A.Linear(k)) {
			return fmt.Errorf("dc: a coefficient of entry %d is not finite", k)
		}
	}
	return nil
}
