package scaling

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Solver is a backend's solver of a scaled copy of a problem. It is in the units of the stated
// problem, but for the residuals of a Result, which are those of the copy.
type Solver struct {
	reduce.Solver
	*units
}

// units is the reduction to the copy: x = origin + col·x', rows times row, objective times obj.
type units struct {
	p        *qpbackend.Problem // as stated, with the values of the last solve
	copy     *qpbackend.Problem
	col, row []float64
	obj      float64
	origin   []float64 // nil: 0
	free     []bool    // columns whose cost is no part of the objective
	group    []int     // of each row the first row of its cone, or the row itself
	separate []bool    // of each row: it is one of a cone whose rows have units of their own
	boosts   []lorentzBoost
	stretch  []expAutomorphism
	top      []float64       // by group: the largest coefficient times its column's unit
	fresh    bool            // the copy has units and origin as they are now
	last     implied.Bounder // with the last solution of the copy
	scratch  []float64
}

// New makes a solver of p, whose columns have the given units, powers of 1024, after the other
// reductions. The cost of the columns penalised does not count for the size of the objective. The
// values of A are shared with p: whoever changes them calls Update with them before the next Solve.
func New(
	ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings,
	columns []float64, penalised []int, others ...reduce.Reduction,
) (*Solver, error) {
	n, m := p.Dims()
	s := &units{
		col: slices.Clone(columns), row: slices.Repeat([]float64{1}, m), obj: 1, free: make([]bool, n),
		separate: make([]bool, m), group: groups(p), boosts: boosts(p), stretch: stretches(p),
		top: make([]float64, m), scratch: make([]float64, 2*n+m),
	}
	for _, t := range s.stretch {
		for i := range 3 {
			s.separate[t.row+i] = true
		}
	}
	for _, j := range penalised {
		s.free[j] = true
	}
	chain := reduce.Backend{Reduction: s, Backend: reduce.Chain(b, others...), Shares: true}
	solver, err := chain.New(ctx, p, set)
	if err != nil {
		return nil, s.refused(err, p.Q, p.P.Val, p.A.Val)
	}
	return &Solver{Solver: solver.(reduce.Solver), units: s}, nil
}

// New is the reduction of p.
func (s *units) New(context.Context, *qpbackend.Problem, qpbackend.Settings) (reduce.Reduced, error) {
	return s, nil
}

// ErrOverflow is the error for a problem that cannot be stated in numbers of float64.
var ErrOverflow = errors.New("ccp: numbers of the convex problem overflow in its units")

// refused is the error of a chain, or ErrOverflow if the values given to it, or the copy, are not
// finite.
func (s *units) refused(err error, given ...[]float64) error {
	if err == nil {
		return nil
	}
	if s.copy != nil {
		given = append(given, s.copy.Q, s.copy.P.Val, s.copy.A.Val)
	}
	if slices.ContainsFunc(given, func(list []float64) bool { return num.FirstNotFinite(list) >= 0 }) {
		return ErrOverflow
	}
	return err
}

// Resize gives the columns other units.
func (s *units) Resize(columns []float64) {
	if !slices.Equal(s.col, columns) {
		copy(s.col, columns)
		s.fresh = false
	}
}

// Shift states the copy in the distance from x from now on; nil: from 0.
func (s *units) Shift(x []float64) {
	if x == nil && s.origin == nil {
		return
	}
	if x != nil {
		x = append([]float64(nil), x...)
	}
	s.origin, s.fresh = x, false
}

// rescale chooses the units of the objective and the rows for the values as they
// are; one that is still near its size stays, unless first.
func (s *units) rescale(first, rows bool) {
	if size := s.slope(); size > 0 && (first || !Fits(size*s.obj, 1)) {
		if obj := 1 / Unit(size); obj != s.obj {
			s.obj, s.fresh = obj, false
		}
	}
	if !rows {
		return
	}
	for k := range s.boosts {
		if s.boosts[k].choose(s.p, s.col) {
			s.fresh = false
		}
	}
	constants(s.top, s.group, s.p)
	a := s.p.A
	for j := range a.Cols {
		c := s.col[j]
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			if v := math.Abs(a.Val[k]) * c; v > s.top[s.group[a.RowIdx[k]]] {
				s.top[s.group[a.RowIdx[k]]] = v
			}
		}
	}
	for k := range s.boosts {
		if b := &s.boosts[k]; b.s != 1 {
			s.top[b.row] = b.top(s.p, s.col)
		}
	}
	for k := range s.stretch {
		if s.stretch[k].choose(s.row, s.top, first) {
			s.fresh = false
		}
	}
	for i, g := range s.group {
		size := s.top[g]
		if i != g {
			s.row[i] = s.row[g]
		} else if size > 0 && !s.separate[i] && (first || !Fits(size*s.row[i], 1)) {
			if row := 1 / Unit(size); row != s.row[i] {
				s.row[i], s.fresh = row, false
			}
		}
	}
}

// slope is the largest coefficient of the objective in the columns' units.
func (s *units) slope() float64 {
	size := 0.0
	for j, q := range s.p.Q {
		if !s.free[j] {
			size = max(size, math.Abs(q)*s.col[j])
		}
	}
	for j, c := range s.col {
		size = max(size, math.Abs(s.p.P.At(j, j))*c*c)
	}
	return min(size, math.MaxFloat64)
}

// Update takes new values, and shares those of A with the caller as New does.
func (s *Solver) Update(u qpbackend.Update) error {
	return s.refused(s.Solver.Update(u), u.Q, u.P, u.A)
}

// Apply chooses units, brings the copy up to date, and states the start and the goal in its units.
func (s *units) Apply(_ context.Context, p *qpbackend.Problem, ask reduce.Ask) (t reduce.Task, err error) {
	u := ask.News
	if s.p = p; ask.First {
		s.copy = p.CloneValues()
	}
	s.rescale(ask.First, ask.First || u.A != nil || u.L != nil || u.U != nil || !s.fresh)
	if t.News, err = s.fill(u); err != nil {
		return t, err
	}
	t.Problem, t.Keep, t.Early = s.copy, true, reduce.Passed
	t.Start, t.Goal = s.start(ask.Start), ask.Goal
	if at := t.Goal.At; at != nil {
		t.Goal = reduce.Goal{At: s.point(slices.Clone(at)), Least: t.Goal.Least * s.obj}
	}
	return t, nil
}

// point states x, or its first entries, in the units of the copy.
func (s *units) point(x []float64) []float64 {
	for j := range x {
		if s.origin != nil {
			x[j] -= s.origin[j]
		}
		x[j] /= s.col[j]
	}
	return x
}

// fill brings the copy up to date, by the values of u, or by all where units or origin have
// changed. It returns the changes of the copy.
func (s *units) fill(u qpbackend.Update) (qpbackend.Update, error) {
	all := !s.fresh
	if all || u.A != nil {
		scale(s.copy.A, s.p.A, s.col, s.row, 1)
		for k := range s.boosts {
			s.boosts[k].turnMatrix(s.copy.A)
		}
	}
	if all || u.P != nil {
		scale(s.copy.P, s.p.P, s.col, s.col, s.obj)
	}
	s.fillVectors()
	for i, l := range s.copy.L {
		if math.IsNaN(l) || math.IsNaN(s.copy.U[i]) {
			return u, ErrOverflow
		}
	}
	s.fresh = true
	news := reduce.All(s.copy)
	given := reduce.Values(&u)
	for k, v := range reduce.Values(&news) {
		if moved := all || s.origin != nil && k < reduce.Vectors; !moved && *given[k] == nil {
			*v = nil
		}
	}
	return news, nil
}

// scale writes w·diag(row)·from·diag(col) to dst, of the same pattern.
func scale(dst, from *sparse.CSC, col, row []float64, w float64) {
	for j := range from.Cols {
		c := col[j] * w
		for k := from.ColPtr[j]; k < from.ColPtr[j+1]; k++ {
			dst.Val[k] = from.Val[k] * c * row[from.RowIdx[k]]
		}
	}
}

// fillVectors writes the linear objective and the bounds.
func (s *units) fillVectors() {
	n, m := s.p.Dims()
	shift, at := s.scratch[:n], s.scratch[n:n+m]
	clear(s.scratch[:n+m])
	s.copy.R = s.obj * s.p.R
	if s.origin != nil {
		s.p.P.AddSymMulVec(shift, 1, s.origin)
		s.p.A.AddMulVec(at, 1, s.origin)
		s.copy.R = s.obj * s.p.Objective(s.origin)
	}
	for j, q := range s.p.Q {
		s.copy.Q[j] = (q + shift[j]) * (s.col[j] * s.obj)
	}
	for i, r := range s.row {
		s.copy.L[i], s.copy.U[i] = within((s.p.L[i]-at[i])*r, (s.p.U[i]-at[i])*r)
	}
	for k := range s.boosts {
		b := &s.boosts[k]
		i := b.row
		l0, l1 := turn(b.s, s.p.L[i]-at[i], s.p.L[i+1]-at[i+1])
		s.copy.L[i], _ = within(l0*s.row[i], math.Inf(1))
		s.copy.L[i+1], _ = within(l1*s.row[i], math.Inf(1))
	}
	for k := range s.stretch {
		if t := &s.stretch[k]; t.shear != 0 { // the second row is a constant
			i := t.row
			l := s.p.L[i] - at[i] + t.shear*s.p.L[i+1]
			s.copy.L[i], _ = within(l*s.row[i], math.Inf(1))
		}
	}
	for j := range s.p.Lo {
		from := 0.0
		if s.origin != nil {
			from = s.origin[j]
		}
		s.copy.Lo[j], s.copy.Hi[j] = within((s.p.Lo[j]-from)/s.col[j], (s.p.Hi[j]-from)/s.col[j])
	}
}

// within is an interval; a finite end that the units put beyond Infinity still
// bounds.
func within(lo, hi float64) (from, to float64) {
	return min(lo, qpbackend.Infinity/16), max(hi, -qpbackend.Infinity/16)
}

// start states a start in the units of the copy. One that overflows there is none.
func (s *units) start(from reduce.Point) (t reduce.Point) {
	n, m := s.p.Dims()
	if from.X != nil {
		t.X = s.point(append(s.scratch[:0:n], from.X...))
	}
	if from.Y != nil {
		t.Y = append(s.scratch[n:n:n+m], from.Y...)
		for i := range t.Y {
			t.Y[i] *= s.obj / s.row[i]
		}
		for k := range s.boosts {
			s.boosts[k].backRows(t.Y)
		}
		for k := range s.stretch {
			s.stretch[k].backRows(t.Y)
		}
	}
	if from.Z != nil {
		t.Z = append(s.scratch[n+m:n+m], from.Z...)
		for j := range t.Z {
			t.Z[j] *= s.col[j] * s.obj
		}
	}
	for _, list := range [3][]float64{t.X, t.Y, t.Z} {
		if num.FirstNotFinite(list) >= 0 {
			return reduce.Point{}
		}
	}
	return t
}

// Invert states an answer in the units of the problem.
func (s *units) Invert(
	_ context.Context, _ *qpbackend.Problem, from, to *qpbackend.Result,
) (reduce.Verdict, error) {
	s.last.X, s.last.Y = append(s.last.X[:0], from.X...), append(s.last.Y[:0], from.Y...)
	to.X, to.Y, to.Z = append(to.X[:0], from.X...), append(to.Y[:0], from.Y...), append(to.Z[:0], from.Z...)
	if len(to.Y) == len(s.row) {
		for k := range s.boosts {
			s.boosts[k].turnRows(to.Y)
		}
		for k := range s.stretch {
			s.stretch[k].turnRows(to.Y)
		}
	}
	obj := s.obj
	switch to.Status {
	case qpbackend.PrimalInfeasible: // scaled to the same support
		obj = 1
	case qpbackend.DualInfeasible: // scaled to the same descent
		for j := range to.X {
			to.X[j] *= s.col[j] * s.obj
		}
		return reduce.Measured, nil
	default:
		for j := range to.X {
			to.X[j] *= s.col[j]
			if s.origin != nil {
				to.X[j] += s.origin[j]
			}
		}
	}
	for i := range to.Y {
		to.Y[i] *= s.row[i] / obj
	}
	for j := range to.Z {
		to.Z[j] /= s.col[j] * obj
	}
	to.Objective /= obj
	return reduce.Measured, nil
}

// WarmStart proposes a point. One with numbers that are not finite, in other units than it was
// found in, is none.
func (s *Solver) WarmStart(x, y, z []float64) error {
	if num.FirstNotFinite(x) >= 0 || num.FirstNotFinite(y) >= 0 || num.FirstNotFinite(z) >= 0 {
		return nil
	}
	return s.Solver.WarmStart(x, y, z)
}

// Solve solves the problem.
func (s *Solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	return s.refused(s.Solver.Solve(ctx, dst))
}

// LeastWithin is implied.Bounder.Least, without the constant of the objective, around the last
// solution. It is computed in the units of the copy: those of the rows of a cone may be of sizes
// that leave no digits of the multipliers of the other rows.
func (s *units) LeastWithin(reach []float64, first int, enough float64) float64 {
	for j, u := range s.col {
		reach[j] /= u
	}
	return s.last.Least(s.copy, reach, first, (enough+s.p.R)*s.obj)/s.obj - s.p.R
}

// Objective is the unit of the objective: the size to which a backend's tolerance is relative
// to, at least.
// It is 1 where no solver could be made.
func (s *Solver) Objective() float64 {
	if s == nil {
		return 1
	}
	return 1 / s.obj
}
