package scaled

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Solver is a backend's solver of a scaled copy of a problem. Its Update,
// WarmStart and Solve are in the units of the stated problem, but for the
// residuals of a Result, which are those of the copy.
type Solver struct {
	p     *qpbackend.Problem // as stated, with the values of the last Update
	copy  *qpbackend.Problem // x = origin + col·x', rows times row, objective times obj; p itself where all units are 1
	inner qpbackend.Solver

	col, row []float64
	obj      float64
	origin   []float64 // nil: 0
	free     []bool    // columns whose cost is no part of the objective
	group    []int     // of each row the first row of its cone, or the row itself
	separate []bool    // of each row: it is one of a cone whose rows have units of their own
	boosts   []boost
	stretch  []stretch
	top      []float64 // by group: the largest coefficient times its column's unit
	fresh    bool      // the copy has units and origin as they are now
	x, y     []float64 // the last solution of the copy
	took     int       // iterations of the last Solve
	scratch  []float64
}

// New makes a solver of p, whose columns have the given units, powers of 1024. The
// cost of the columns penalised does not count for the size of the objective. The values of A
// are shared with p: whoever changes them calls Update with them before the next Solve.
func New(ctx context.Context, b qpbackend.Backend, p *qpbackend.Problem, set qpbackend.Settings, units []float64, penalised []int) (*Solver, error) {
	n, m := p.Dims()
	s := &Solver{
		p: p.CloneValues(), col: make([]float64, n), row: ones(m), obj: 1,
		free: make([]bool, n), separate: make([]bool, m), group: groups(p), boosts: boosts(p), stretch: stretches(p), top: make([]float64, m), scratch: make([]float64, 2*n+m),
	}
	if p.A != nil {
		s.p.A.Val = p.A.Val // of many samples they are as large as the data
	}
	for _, t := range s.stretch {
		for i := range 3 {
			s.separate[t.row+i] = true
		}
	}
	for _, j := range penalised {
		s.free[j] = true
	}
	s.copy = s.p
	copy(s.col, units)
	s.rescale(true, true)
	if err := s.fill(qpbackend.Update{}); err != nil {
		return nil, err
	}
	var err error
	s.inner, err = b.New(ctx, s.copy, set)
	s.fresh = true
	return s, s.refused(err)
}

// ErrOverflow is the error for a problem that cannot be stated in numbers of float64.
var ErrOverflow = errors.New("ccp: numbers of the convex problem overflow in its units")

// refused is the error of the inner backend, or ErrOverflow if it was given numbers that are not
// finite.
func (s *Solver) refused(err error) error {
	for _, list := range [...][]float64{s.copy.Q, values(s.copy.P), values(s.copy.A)} {
		if err != nil && slices.ContainsFunc(list, func(v float64) bool { return v-v != 0 }) {
			return ErrOverflow
		}
	}
	return err
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// Resize gives the columns other units.
func (s *Solver) Resize(units []float64) {
	if !slices.Equal(s.col, units) {
		copy(s.col, units)
		s.fresh = false
	}
}

// Centre states the copy in the distance from x from now on; nil: from 0.
func (s *Solver) Centre(x []float64) {
	if x == nil && s.origin == nil {
		return
	}
	if x != nil {
		x = append([]float64(nil), x...)
	}
	s.origin, s.fresh = x, false
}

func each(a *sparse.CSC, f func(i, j int, v float64)) {
	for j := range a.Cols {
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			f(a.RowIdx[k], j, a.Val[k])
		}
	}
}

// rescale chooses the units of the objective and the rows for the values as they
// are; one that is still near its size stays, unless first.
func (s *Solver) rescale(first, rows bool) {
	if size := s.slope(); size > 0 && (first || !Fits(size*s.obj, 1)) {
		if obj := 1 / Unit(size); obj != s.obj {
			s.obj, s.fresh = obj, false
		}
	}
	if !rows || s.p.A == nil {
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
func (s *Solver) slope() float64 {
	size := 0.0
	for j, q := range s.p.Q {
		if !s.free[j] {
			size = max(size, math.Abs(q)*s.col[j])
		}
	}
	if p := s.p.P; p != nil {
		for j, c := range s.col {
			if k := p.ColPtr[j+1] - 1; k >= p.ColPtr[j] && p.RowIdx[k] == j { // of the upper triangle, the last
				size = max(size, math.Abs(p.Val[k])*c*c)
			}
		}
	}
	return min(size, math.MaxFloat64)
}

// Update takes new values, and shares those of A with the caller as New does. Bounds may be of any size.
func (s *Solver) Update(u qpbackend.Update) error {
	if a := s.p.A; a != nil && len(u.A) == len(a.Val) {
		a.Val = u.A
	}
	moved := func(to, from []float64) bool { return from != nil && !slices.Equal(to, from) }
	rows := u.A != nil || !s.fresh || len(s.boosts)+len(s.stretch) > 0 || moved(s.p.L, u.L) || moved(s.p.U, u.U)
	for _, f := range [...]struct{ to, from []float64 }{{s.p.Q, u.Q}, {s.p.Lo, u.Lo}, {s.p.Hi, u.Hi}, {s.p.L, u.L}, {s.p.U, u.U}, {values(s.p.P), u.P}, {values(s.p.A), u.A}} {
		if f.from != nil && len(f.from) != len(f.to) {
			return fmt.Errorf("ccp: an update has length %d, want %d", len(f.from), len(f.to))
		}
		copy(f.to, f.from)
	}
	s.rescale(false, rows)
	if err := s.fill(u); err != nil {
		return err
	}
	return s.refused(s.inner.Update(s.changed(u)))
}

func values(m *sparse.CSC) []float64 {
	if m == nil {
		return nil
	}
	return m.Val
}

// fill brings the copy up to date: the values of u, or all where units or origin have
// changed.
func (s *Solver) fill(u qpbackend.Update) error {
	all := !s.fresh
	if all && s.copy == s.p && !s.plain() {
		s.copy = s.p.CloneValues()
	}
	if s.copy != s.p {
		if s.p.A != nil && (all || u.A != nil) {
			scale(s.copy.A, s.p.A, s.col, s.row, 1)
			for k := range s.boosts {
				s.boosts[k].turnMatrix(s.copy.A)
			}
		}
		if s.p.P != nil && (all || u.P != nil) {
			scale(s.copy.P, s.p.P, s.col, s.col, s.obj)
		}
		s.fillVectors()
	}
	for i, l := range s.copy.L {
		if math.IsNaN(l) || math.IsNaN(s.copy.U[i]) {
			return ErrOverflow
		}
	}
	return nil
}

// plain reports whether the copy is the problem itself.
func (s *Solver) plain() bool {
	for _, list := range [2][]float64{s.col, s.row} {
		for _, u := range list {
			if u != 1 {
				return false
			}
		}
	}
	for k := range s.boosts {
		if s.boosts[k].s != 1 {
			return false
		}
	}
	for k := range s.stretch {
		if s.stretch[k].shear != 0 {
			return false
		}
	}
	return s.obj == 1 && s.origin == nil
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
func (s *Solver) fillVectors() {
	n, m := s.p.Dims()
	shift, at := s.scratch[:n], s.scratch[n:n+m]
	clear(s.scratch[:n+m])
	s.copy.R = s.obj * s.p.R
	if s.origin != nil {
		if s.p.P != nil {
			s.p.P.AddSymMulVec(shift, 1, s.origin)
		}
		if s.p.A != nil {
			each(s.p.A, func(i, j int, v float64) { at[i] += v * s.origin[j] })
		}
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
		l0, l1 := b.turn(s.p.L[i]-at[i], s.p.L[i+1]-at[i+1])
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

// changed is the update of the inner solver.
func (s *Solver) changed(u qpbackend.Update) qpbackend.Update {
	all := !s.fresh
	s.fresh = true
	away := s.origin != nil
	var out qpbackend.Update
	if all || u.Q != nil || away {
		out.Q = s.copy.Q
	}
	if s.p.Lo != nil && (all || u.Lo != nil || u.Hi != nil || away) {
		out.Lo, out.Hi = s.copy.Lo, s.copy.Hi
	}
	if all || u.L != nil || away {
		out.L = s.copy.L
	}
	if all || u.U != nil || away {
		out.U = s.copy.U
	}
	if s.p.P != nil && (all || u.P != nil) {
		out.P = s.copy.P.Val
	}
	if s.p.A != nil && (all || u.A != nil) {
		out.A = s.copy.A.Val
	}
	return out
}

// WarmStart proposes a point in the units of the stated problem. One that overflows in
// those of the copy is none.
func (s *Solver) WarmStart(x, y, z []float64) error {
	n, m := s.p.Dims()
	if z != nil && len(z) == n {
		z = append(s.scratch[n+m:n+m], z...)
		for j := range z {
			z[j] *= s.col[j] * s.obj
		}
	}
	if x != nil && len(x) == n {
		x = append(s.scratch[:0:n], x...)
		for j := range x {
			if s.origin != nil {
				x[j] -= s.origin[j]
			}
			x[j] /= s.col[j]
		}
	}
	if y != nil && len(y) == m {
		y = append(s.scratch[n:n:n+m], y...)
		for i := range y {
			y[i] *= s.obj / s.row[i]
		}
		for k := range s.boosts {
			s.boosts[k].backRows(y)
		}
		for k := range s.stretch {
			s.stretch[k].backRows(y)
		}
	}
	for _, list := range [3][]float64{x, y, z} {
		for _, v := range list {
			if math.IsNaN(v) || math.IsInf(v, 0) { // in other units than it was found in
				return nil
			}
		}
	}
	return s.inner.WarmStart(x, y, z)
}

// Enough lets the next Solve end early, where the inner solver can, with a point whose objective is lower than at a point, of which the
// first entries are given, by at least least, and by nearly as much as that of a solution; +Inf: it may not.
func (s *Solver) Enough(at []float64, least float64) {
	inner, ok := s.inner.(interface {
		Enough(at []float64, least float64)
	})
	if !ok {
		return
	}
	at = append(s.scratch[:0:len(s.col)], at...)
	for j := range at {
		if s.origin != nil {
			at[j] -= s.origin[j]
		}
		at[j] /= s.col[j]
	}
	inner.Enough(at, least*s.obj)
}

// Solve solves the copy.
func (s *Solver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	err := s.inner.Solve(ctx, dst)
	s.took = dst.Iterations
	s.x, s.y = append(s.x[:0], dst.X...), append(s.y[:0], dst.Y...)
	if len(dst.Y) == len(s.row) {
		for k := range s.boosts {
			s.boosts[k].turnRows(dst.Y)
		}
		for k := range s.stretch {
			s.stretch[k].turnRows(dst.Y)
		}
	}
	switch dst.Status {
	case qpbackend.PrimalInfeasible: // scaled to the same support
		for i := range dst.Y {
			dst.Y[i] *= s.row[i]
		}
		for j := range dst.Z {
			dst.Z[j] /= s.col[j]
		}
		return err
	case qpbackend.DualInfeasible: // scaled to the same descent
		for j := range dst.X {
			dst.X[j] *= s.col[j] * s.obj
		}
		return err
	}
	for j := range dst.X {
		dst.X[j] *= s.col[j]
		if s.origin != nil {
			dst.X[j] += s.origin[j]
		}
	}
	for i := range dst.Y {
		dst.Y[i] *= s.row[i] / s.obj
	}
	for j := range dst.Z {
		dst.Z[j] /= s.col[j] * s.obj
	}
	dst.Objective /= s.obj
	return err
}

// Worked is the iterations of the last Solve. Where they were for a part of the problem, each counts as its share.
func (s *Solver) Worked() float64 {
	if w, ok := s.inner.(interface{ Worked() float64 }); ok {
		return w.Worked()
	}
	return float64(s.took)
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

// Close frees the inner solver.
func (s *Solver) Close() error { return s.inner.Close() }
