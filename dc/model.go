package dc

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Model collects the parts of a problem. The zero Model is empty and ready for
// use; it is not safe for concurrent use.
type Model struct {
	p     Problem
	space *space
	names map[string]bool
	costs []cost
	errs  []error
}

// NewModel returns an empty model.
func NewModel() *Model { return &Model{} }

// Variable is a named array of variables.
type Variable struct {
	Name  string
	Shape []int
	// Origin is the index of the first entry in each dimension, for printing;
	// nil: 1 everywhere.
	Origin []int
	Offset int // of the first entry in x
	// Symmetric: a square matrix of which x holds the upper triangle, column by
	// column; so do Lo, Hi and Start.
	Symmetric    bool
	semidefinite bool
	// Param: it has the value Lo = Hi, which Problem.With changes.
	Param bool
	// Lo and Hi are bounds, entry by entry; nil or infinite: none.
	Lo, Hi []float64
	Start  Start
}

// Semidefinite reports whether it was declared so, by PSD.
func (v *Variable) Semidefinite() bool { return v.semidefinite }

// Len is how many entries of x the variable has.
func (v *Variable) Len() int {
	if v.Symmetric {
		return triangle(v.Shape[0])
	}
	return size(v.Shape)
}

// Values are the entries at x in row-major order. Of a variable that is not
// symmetric they are a part of x.
func (v *Variable) Values(x []float64) []float64 {
	x = x[v.Offset : v.Offset+v.Len()]
	if !v.Symmetric {
		return x
	}
	n := v.Shape[0]
	out := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			out = append(out, x[place(i, j)])
		}
	}
	return out
}

// VarOption is an attribute of a variable.
type VarOption func(*Variable) error

// Var adds variables of the given shape, none for a scalar, and returns them
// as an affine map.
func (m *Model) Var(name string, shape []int, opts ...VarOption) Affine {
	v := &Variable{Name: name, Shape: append([]int(nil), shape...), Offset: m.p.n}
	for _, d := range shape {
		if d < 0 {
			m.fail(fmt.Errorf("dc: variable %s has shape %v", name, shape))
			return failed("variable %s has shape %v", name, shape)
		}
	}
	if m.names[name] {
		m.fail(fmt.Errorf("dc: variable %s is declared twice", name))
	}
	if m.names == nil {
		m.names = map[string]bool{}
	}
	m.names[name] = true
	for _, o := range opts {
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
	m.space.add(v)
	m.p.n += v.Len()
	n := size(v.Shape)
	a := Affine{shape: v.Shape, ptr: make([]int, n+1), idx: make([]int, n), val: make([]float64, n), c: make([]float64, n), of: m.space}
	for k := range n {
		a.ptr[k+1], a.idx[k], a.val[k] = k+1, v.Offset+v.column(k), 1
	}
	if v.semidefinite && n > 0 {
		c := Semidefinite(a).Named("psd(" + name + ")")
		c.implied = true
		m.SubjectTo(c)
	}
	return a
}

// Own returns l, whose variables are given by their numbers, as a function of
// this model's variables. The known bounds of the variables hold for it then.
func (m *Model) Own(l Linear) Linear {
	l.of = m.space
	return l
}

// column is where the k-th entry stands in the variable's part of x.
func (v *Variable) column(k int) int {
	if v.Symmetric {
		return place(k/v.Shape[0], k%v.Shape[0])
	}
	return k
}

// Symmetric makes a square matrix symmetric: x has its upper triangle alone.
// Bounds of mirrored entries both hold; starts must agree.
func Symmetric() VarOption {
	return func(v *Variable) error { v.Symmetric = true; return nil }
}

// PSD makes a square matrix symmetric and positive semidefinite, by a
// constraint named psd(name).
func PSD() VarOption {
	return func(v *Variable) error { v.Symmetric, v.semidefinite = true, true; return nil }
}

// fold brings values given for the full matrix to the triangle.
func (v *Variable) fold() error {
	if !v.Symmetric {
		return nil
	}
	if len(v.Shape) != 2 || v.Shape[0] != v.Shape[1] {
		v.Symmetric = false
		return fmt.Errorf("shape %v is not symmetric; want a square matrix", v.Shape)
	}
	n := v.Shape[0]
	each := func(full []float64, join func(a, b float64) float64) []float64 {
		if full == nil {
			return nil
		}
		var out []float64
		for j := range n {
			for i := range j + 1 {
				out = append(out, join(full[i*n+j], full[j*n+i]))
			}
		}
		return out
	}
	var err error
	v.Lo, v.Hi = each(v.Lo, math.Max), each(v.Hi, math.Min)
	v.Start.Values = each(v.Start.Values, func(a, b float64) float64 {
		if math.IsNaN(a) {
			return b
		}
		if !(math.Abs(a-b) <= mirrorTol*max(math.Abs(a), math.Abs(b))) && !math.IsNaN(b) && err == nil {
			err = fmt.Errorf("the start is not symmetric: it has %g and %g", a, b)
		}
		return a
	})
	return err
}

func (m *Model) fail(err error) { m.errs = append(m.errs, err) }

// AtLeast and AtMost bound every entry: one number for all entries, or one per entry.
func AtLeast(lo ...float64) VarOption {
	return func(v *Variable) (err error) { v.Lo, err = spread(v, "lower bound", lo); return }
}

// AtMost is the upper bound; see AtLeast.
func AtMost(hi ...float64) VarOption {
	return func(v *Variable) (err error) { v.Hi, err = spread(v, "upper bound", hi); return }
}

// CountFrom sets the first index of each dimension, for printing.
func CountFrom(origin ...int) VarOption {
	return func(v *Variable) error {
		if len(origin) != len(v.Shape) {
			return fmt.Errorf("%d first indices for shape %v", len(origin), v.Shape)
		}
		v.Origin = append([]int(nil), origin...)
		return nil
	}
}

// StartAt, StartNormal and StartUniform say where a variable starts; see Start.
func StartAt(values ...float64) VarOption {
	return func(v *Variable) (err error) {
		v.Start.Kind = StartValues
		v.Start.Values, err = spread(v, "start", values)
		if err != nil {
			return err
		}
		for k, x := range v.Start.Values {
			if math.IsInf(x, 0) {
				return fmt.Errorf("start value %d is %g", k, x)
			}
		}
		return nil
	}
}

// StartAtMatrix is StartAt for the entries of a matrix.
func StartAtMatrix(start mat.Matrix) VarOption { return StartAt(Mat(start).c...) }

// StartNormal draws each entry from the normal distribution.
func StartNormal(mean, sd float64) VarOption {
	return func(v *Variable) error {
		if !(sd >= 0) || math.IsInf(sd, 1) || math.IsNaN(mean) || math.IsInf(mean, 0) {
			return fmt.Errorf("start normal(%g, %g), want finite numbers and a deviation ≥ 0", mean, sd)
		}
		v.Start = Start{Kind: StartNormally, A: mean, B: sd}
		return nil
	}
}

// StartUniform draws each entry from the uniform distribution on [lo, hi].
func StartUniform(lo, hi float64) VarOption {
	return func(v *Variable) error {
		if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			return fmt.Errorf("start uniform(%g, %g), want finite numbers in order", lo, hi)
		}
		v.Start = Start{Kind: StartUniformly, A: lo, B: hi}
		return nil
	}
}

// spread copies one number to all entries, or checks their count.
func spread(v *Variable, what string, x []float64) ([]float64, error) {
	n := size(v.Shape)
	if len(x) != 1 && len(x) != n {
		return nil, fmt.Errorf("%s has %d numbers, want 1 or %d", what, len(x), n)
	}
	out := make([]float64, n)
	for k := range out {
		if len(x) == 1 {
			out[k] = x[0]
		} else {
			out[k] = x[k]
		}
		if math.IsNaN(out[k]) && what != "start" {
			return nil, fmt.Errorf("%s is NaN at entry %d", what, k)
		}
	}
	return out, nil
}

// Minimize sets the objective; the last call counts.
func (m *Model) Minimize(o Operand) { m.p.Objective, m.p.Maximize = o.expr(), false }

// Maximize is Minimize of the negative; results report the objective as given.
func (m *Model) Maximize(o Operand) { m.p.Objective, m.p.Maximize = o.expr().Neg(), true }

// SubjectTo adds constraints.
func (m *Model) SubjectTo(cs ...Constraint) {
	for k := range cs {
		m.add(&cs[k])
	}
}

func (m *Model) add(c *Constraint) {
	for half := c; half != nil; half = half.next {
		for k := range half.Lo {
			if half.A.Err() == nil && k < half.A.Len() {
				m.space.row(half.A.Entry(k), half.Lo[k], half.Hi[k])
			}
		}
		m.p.Constraints = append(m.p.Constraints, *half)
		last := &m.p.Constraints[len(m.p.Constraints)-1]
		last.next, last.Family, last.Index, last.second = nil, c.Family, c.Index, half != c
	}
}

// Problem checks the model and returns it as a problem that no longer changes.
// All mistakes are reported together (errors.Join).
func (m *Model) Problem() (*Problem, error) {
	errs := append([]error(nil), m.errs...)
	p := m.p
	p.Vars = append([]*Variable(nil), m.p.Vars...)
	p.Constraints = append([]Constraint(nil), m.p.Constraints...)
	for _, v := range p.Vars {
		for k := range v.Len() {
			if v.lo(k) > v.hi(k) || math.IsInf(v.lo(k), 1) || math.IsInf(v.hi(k), -1) {
				errs = append(errs, fmt.Errorf("dc: variable %s has bounds %g and %g at entry %d", v.Name, v.lo(k), v.hi(k), k))
				break
			}
		}
	}
	if len(m.costs) > 0 {
		sign := -1.0 // in h, which is subtracted
		if p.Maximize {
			sign = 1
		}
		p.Objective = sumExprs([]Expr{p.Objective, concave(newPriced(m.costs, sign), m.space)})
	}
	exact := p
	exact.Constraints = append([]Constraint(nil), p.Constraints...)
	same := func(e Expr) Expr { return e }
	exact.prepare(same, same)
	touches := p.prepare(Expr.majoriseObjective, Expr.majorise)
	if err := checkExpr(p.Objective, m.space); err != nil {
		errs = append(errs, fmt.Errorf("objective: %w", err))
	}
	for k, c := range p.Constraints {
		err := c.err
		if err == nil && c.DC {
			err = checkExpr(c.E, m.space)
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
	p.define()
	p.gather()
	p.typical = p.typicalPoint()
	if touches {
		exact.define()
		exact.gather()
		exact.typical = p.typical
		p.exact = &exact
	}
	return &p, nil
}

// prepare gives all expressions the splits that they are solved with, and reports
// whether majorants are among them.
func (p *Problem) prepare(objective, form func(Expr) Expr) (touches bool) {
	p.Objective = objective(p.Objective)
	p.Objective.keepSplit()
	touches = p.Objective.err == nil && p.Objective.split().touches
	for k := range p.Constraints {
		c := &p.Constraints[k]
		if c.E.err == nil {
			c.E = form(c.E).atMostZero()
			c.E.keepSplit()
			touches = touches || c.E.split().touches
		}
	}
	return touches
}

func checkExpr(e Expr, of *space) error {
	if e.err != nil {
		return e.err
	}
	if err := e.owner().check(of); err != nil {
		return err
	}
	if f := e.Unrepresentable(); f != nil {
		return fmt.Errorf("dc: %v has no representation; it may stand only where it is linearised: subtracted in a minimised objective or on the left of ≤", describe(f))
	}
	if bad(e.split().lin) {
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
		if bad(c.A.Entry(k)) {
			return fmt.Errorf("dc: a coefficient of entry %d is not finite", k)
		}
	}
	return nil
}

func bad(l Linear) bool {
	s := l.Const - l.Const
	for _, v := range l.Val {
		s += v - v
	}
	return s != 0 // also for NaN
}

func (v *Variable) lo(k int) float64 {
	if v.Lo == nil {
		return math.Inf(-1)
	}
	return v.Lo[k]
}

func (v *Variable) hi(k int) float64 {
	if v.Hi == nil {
		return math.Inf(1)
	}
	return v.Hi[k]
}

// Bounds returns the bounds of entry k, infinite where there is none.
func (v *Variable) Bounds(k int) (lo, hi float64) { return v.lo(k), v.hi(k) }
