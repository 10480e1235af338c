package factorable

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/program"
)

// Term is a column that equals a function of columns before it.
type Term struct {
	Op  Op
	P   float64       // the parameter of functions that have one
	Lin convex.Linear // of Affine
	A   int           // the column of the argument, of Product the first
	B   int           // the second column of Product
	// Cones is the function of one column if it is convex, Sense 1, or minus it if it is concave,
	// Sense −1, where that has cones; nil: others are between lines.
	Cones convex.Representer
	Sense float64
	// Under is a convex function of other columns that equals the term; it bounds the
	// term from below more tightly than the terms that it is made of. nil: none.
	Under *Underestimator
}

// Args are the columns of the arguments of a term that is not affine, one alone twice.
func (t *Term) Args() [2]int { return [2]int{t.A, max(t.A, t.B)} }

// Row is Lo ≤ Lin ≤ Hi over columns.
type Row struct {
	Lin    convex.Linear
	Lo, Hi float64
	Name   string
	// Times is the row and the variable whose product the row is, nil where it is no product.
	Times *[2]int
}

// Problem minimises Cost over the columns: N variables, and the terms. Box bounds all
// columns.
type Problem struct {
	N     int
	Terms []Term
	Cost  convex.Linear // the objective over Unit
	Unit  float64       // a power of 2
	Rows  []Row
	Box   []Interval
	// Below and Above say of each column whether a larger or a smaller value of it can
	// harm: whether it needs to be bounded from below or from above by its function.
	Below, Above []bool
	// CostOnly: the term occurs in the cost alone, with a positive weight.
	CostOnly []bool
	// Choices are parts of the cost, apart from each other, that are more tightly bounded as a
	// whole.
	Choices []Choice
	// Derived: the bounds of the variables are not those of the problem, but follow from them, see
	// Within.
	Derived bool

	pairs map[[2]int]int // the terms that are products and squares of variables, the lower first
}

// Pair is the column that is the product of two variables, or the square of one.
func (p *Problem) Pair(i, j int) (col int, ok bool) {
	col, ok = p.pairs[[2]int{min(i, j), max(i, j)}]
	return col, ok
}

// Columns is the number of columns.
func (p *Problem) Columns() int { return p.N + len(p.Terms) }

// mostTerms bounds the terms of a problem that is tried.
// Source: a limit of size; a node of so many takes some seconds.
const mostTerms = 60_000

// maker makes a Problem.
type maker struct {
	*Problem
	known map[string][]int
	err   error
}

// New states p as a flat problem, with its exact terms as they were written, and the cost in units,
// a power of 2. An error names a function that has no bounds by columns.
func New(p *program.Problem, unit float64) (*Problem, error) {
	box := make([]Interval, p.NumVars())
	for _, v := range p.Vars {
		for k := range v.Len() {
			box[v.Offset+k].Lo, box[v.Offset+k].Hi = v.Bounds(k)
		}
	}
	return within(p, box, unit)
}

// Within states p anew, of which f is the flat problem, within bounds that follow for points of a
// cost of at most cutoff, where some variable has an end for none: signs of functions and rounding
// errors show only in bounds. Otherwise it is f.
func Within(p *program.Problem, f *Problem, cutoff float64, rounds int) (*Problem, error) {
	ends := func(box []Interval) (n int) {
		for _, b := range box[:f.N] {
			for _, end := range [2]float64{b.Lo, -b.Hi} {
				if end > math.Inf(-1) {
					n++
				}
			}
		}
		return n
	}
	if ends(f.Box) == 2*f.N {
		return f, nil
	}
	var last []Interval // where nothing is left in the end, the bounds before that
	for r := 1; r <= rounds; r *= 2 {
		box := slices.Clone(f.Box)
		if !f.Tighten(box, cutoff, r) {
			break
		}
		last = box
	}
	if last == nil || ends(last) == ends(f.Box) {
		return f, nil
	}
	out, err := within(p, last[:f.N:f.N], f.Unit)
	if err == nil {
		out.Derived = true
	}
	return out, err
}

// within states p with bounds of its variables.
func within(p *program.Problem, box []Interval, unit float64) (*Problem, error) {
	m := maker{&Problem{N: p.NumVars(), Box: box, Unit: unit, pairs: map[[2]int]int{}}, map[string][]int{}, nil}
	for _, v := range p.Vars {
		if v.Param {
			return nil, errors.New("parameters have no bounds")
		}
		if v.Semidefinite {
			return nil, fmt.Errorf("%s is positive semidefinite, and no bound uses that", v.Name)
		}
	}
	m.Cost = m.expr(p.Objective).Scale(1 / unit)
	for c, equation := range p.Written() {
		if m.err != nil {
			return nil, m.err
		}
		if _, cone := c.Cone(); cone && c.Order() > 0 {
			return nil, errors.New("constraint " + c.Name() +
				" states a semidefinite matrix, which has no bounds by columns")
		}
		if c.DC {
			lo := math.Inf(-1)
			if equation {
				lo = 0
			}
			m.row(m.expr(c.Function()), lo, 0, c.Name())
			continue
		}
		for k := range c.A.Len() {
			m.row(c.A.Linear(k), c.Lo[k], c.Hi[k], c.Name())
		}
	}
	if len(m.Terms) > mostTerms {
		m.fail("the problem is too large for it: %d terms, at most %d are tried", len(m.Terms), mostTerms)
	}
	if m.err != nil {
		return nil, m.err
	}
	m.timesEquations()
	m.sides()
	m.choices()
	m.norms()
	return m.Problem, nil
}

// timesEquations adds the products of affine equations of variables and a variable that occurs in
// products with theirs (Sherali and Adams 1990, A hierarchy of relaxations between the continuous
// and convex hull representations for zero-one programming problems), where the new products are no
// more than the old ones.
func (m *maker) timesEquations() {
	pairs := maps.Clone(m.pairs)
	for i, r := range slices.Clone(m.Rows) {
		if r.Lo != r.Hi || len(r.Lin.Idx) < 2 || slices.Max(r.Lin.Idx) >= m.N {
			continue
		}
		old, more := 0, map[[2]int]bool{}
		var by []int
		var lacks [][2]int
		for j := range m.N {
			lacks = lacks[:0]
			for _, k := range r.Lin.Idx {
				pair := [2]int{min(j, k), max(j, k)}
				if _, ok := pairs[pair]; !ok {
					lacks = append(lacks, pair)
				}
			}
			if has := len(r.Lin.Idx) - len(lacks); has > 0 {
				by, old = append(by, j), old+has
				for _, pair := range lacks {
					more[pair] = true
				}
			}
		}
		if len(by) == 0 || len(more) > old {
			continue
		}
		for _, j := range by {
			parts := []convex.Linear{ColumnOf(j).Scale(r.Lin.Const - r.Lo)}
			for k, c := range r.Lin.Idx {
				parts = append(parts, m.times(c, j).Scale(r.Lin.Val[k]))
			}
			m.Rows = append(m.Rows, Row{Lin: sum(0, parts, nil), Name: r.Name, Times: &[2]int{i, j}})
		}
	}
}

// row adds a row. Where it says that a function without a negative value is 0, the row of its
// argument does: no multiplier of a square holds a point at 0.
func (m *maker) row(l convex.Linear, lo, hi float64, name string) {
	if len(l.Idx) == 1 && l.Idx[0] >= m.N && l.Const == 0 && (l.Val[0] > 0 && hi == 0 || l.Val[0] < 0 && lo == 0) {
		if t := m.Terms[l.Idx[0]-m.N]; t.Op == Square || t.Op == Abs || t.Op == Even {
			l, lo, hi = ColumnOf(t.A), 0, 0
		}
	}
	m.Rows = append(m.Rows, Row{Lin: l, Lo: lo, Hi: hi, Name: name})
}

func (m *maker) fail(why string, args ...any) convex.Linear {
	if m.err == nil {
		m.err = fmt.Errorf(why, args...)
	}
	return convex.Linear{}
}

// add returns the column of a term, made when it is first asked for.
func (m *maker) add(t Term) int {
	key := fmt.Sprintf("%d %v %d %d", t.Op, t.P, t.A, t.B)
	if t.Op == Affine {
		key = roughly(t.Lin)
	}
	for _, j := range m.known[key] {
		if t.Op != Affine || same(m.Terms[j-m.N].Lin, t.Lin) {
			return j
		}
	}
	j := m.Columns()
	if t.OfOne() {
		t.cones()
	}
	m.known[key] = append(m.known[key], j)
	m.Terms = append(m.Terms, t)
	if pair := t.Args(); (t.Op == Square || t.Op == Product) && pair[1] < m.N {
		m.pairs[pair] = j
	}
	a := m.value(&t, m.Box)
	if empty(a) {
		a = interval.Whole
	}
	m.Box = append(m.Box, a)
	return j
}

// column is a column that equals an affine function.
func (m *maker) column(l convex.Linear) int {
	if len(l.Idx) == 1 && l.Val[0] == 1 && l.Const == 0 {
		return l.Idx[0]
	}
	return m.add(Term{Op: Affine, Lin: l})
}

// of is a function of one column.
func (m *maker) of(op Op, p float64, l convex.Linear) convex.Linear {
	t := Term{Op: op, P: p}
	if !t.row().HasParameter {
		p, t.P = 0, 0
	}
	if t.row().Poles && !t.image(over(l, m.Box)).IsFinite() {
		return m.fail("the argument of %s may be at a pole", t.row().Name)
	}
	if len(l.Idx) == 0 {
		if v := t.at(l.Const); v.IsFinite() {
			return convex.Linear{Const: v.Lo + (v.Hi-v.Lo)/2}
		}
	}
	a := m.reach(l)
	switch {
	case len(l.Idx) == 0:
	case op == Abs && a.Lo >= 0:
		return l
	case op == Abs && (a.Hi <= 0 || l.Val[0] < 0):
		if l = l.Scale(-1); a.Hi <= 0 {
			return l
		}
	case op == PosPower && a.Hi <= 0:
		return convex.Linear{}
	case op == Huber && (a.Lo >= p || a.Hi <= -p): // 2p|t| − p²
		return sum(-p*p, []convex.Linear{l}, []float64{math.Copysign(2*p, a.Lo-p)})
	case op == Huber && a.Abs().Hi <= p:
		op, p = Square, 0
	}
	if op == Square && len(l.Idx) == 1 && l.Const == 0 { // (wx)² = w²·x²
		return ColumnOf(m.add(Term{Op: op, A: l.Idx[0]})).Scale(l.Val[0] * l.Val[0])
	}
	return ColumnOf(m.add(Term{Op: op, P: p, A: m.column(l)}))
}

// expr is an expression over columns.
func (m *maker) expr(e expr.Scalar) convex.Linear {
	lin, terms := e.Written()
	if len(terms) == 0 {
		return lin
	}
	parts, weights := []convex.Linear{lin}, []float64{1}
	for k := range terms {
		if m.err != nil || len(m.Terms) > 2*mostTerms {
			break
		}
		parts, weights = append(parts, m.atom(&terms[k].Node)), append(weights, terms[k].Weight)
	}
	return sum(0, parts, weights)
}

// product is the product of two functions: each linear part apart from the constant.
func (m *maker) product(u, v convex.Linear) convex.Linear {
	switch {
	case len(u.Idx) == 0:
		return v.Scale(u.Const)
	case len(v.Idx) == 0:
		return u.Scale(v.Const)
	case slices.Equal(u.Idx, v.Idx) && u.Const == v.Const && slices.Equal(u.Val, v.Val):
		return m.of(Square, 0, u)
	case slices.Equal(u.Idx, v.Idx) && u.Const == 0 && v.Const == 0 && proportional(u.Val, v.Val) != 0:
		return m.of(Square, 0, u).Scale(proportional(u.Val, v.Val))
	case len(u.Idx)*len(v.Idx) <= 4: // few: (a + b)(c + d) by entries
		parts, weights := []convex.Linear{u, v, {Const: -u.Const * v.Const}}, []float64{v.Const, u.Const, 1}
		for i, a := range u.Idx {
			for k, b := range v.Idx {
				parts, weights = append(parts, m.times(a, b)), append(weights, u.Val[i]*v.Val[k])
			}
		}
		return sum(0, parts, weights)
	}
	return m.times(m.column(u), m.column(v))
}

func (m *maker) times(a, b int) convex.Linear {
	if a == b {
		return m.of(Square, 0, ColumnOf(a))
	}
	return ColumnOf(m.add(Term{Op: Product, A: min(a, b), B: max(a, b)}))
}

// sides finds which columns must be bounded from below and above, from the last to the
// first.
func (p *Problem) sides() {
	n := p.Columns()
	p.Below, p.Above, p.CostOnly = make([]bool, n), make([]bool, n), make([]bool, n)
	uses := make([]int, n)
	mark := func(l convex.Linear, below, above bool) {
		for k, j := range l.Idx {
			uses[j]++
			p.Below[j] = p.Below[j] || l.Val[k] > 0 && below || l.Val[k] < 0 && above
			p.Above[j] = p.Above[j] || l.Val[k] > 0 && above || l.Val[k] < 0 && below
		}
	}
	mark(p.Cost, true, false)
	cost := slices.Clone(p.Below)
	for i := range p.Rows {
		r := &p.Rows[i]
		mark(r.Lin, r.Hi < math.Inf(1), r.Lo > math.Inf(-1))
	}
	for k := len(p.Terms) - 1; k >= 0; k-- {
		t, j := &p.Terms[k], p.N+k
		p.CostOnly[j] = uses[j] == 1 && cost[j]
		b, a := p.Below[j], p.Above[j]
		if t.Under != nil && b {
			rises := t.Under.Of.Entry(0).Monotone == atom.Rising // as in each argument
			for _, i := range t.Under.Args {
				mark(ColumnOf(i), true, !rises)
			}
			b = false
		}
		switch {
		case !b && !a: // the bundle bounds it, or nothing needs it
		case t.Op == Affine:
			mark(t.Lin, b, a)
		case t.Op == Product:
			mark(ColumnOf(t.B), true, true)
			mark(ColumnOf(t.A), true, true)
		default:
			way := t.row().Direction(p.Box[t.A], t.P)
			mark(ColumnOf(t.A), way >= 0 && b || way <= 0 && a, way >= 0 && a || way <= 0 && b)
		}
	}
}
