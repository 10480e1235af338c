package qpbackend

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Infinity is the magnitude from which a bound counts as absent.
// Source: the convention of SIF and of OSQP, OSQP_INFTY.
const Infinity = 1e20

// ConeKind names a family of cones.
type ConeKind uint8

// The cones. In each, s stands for the cone's rows of Ax − l.
const (
	SecondOrder ConeKind = iota // s₀ ≥ ‖(s₁, …)‖₂
	Exponential                 // s₂ ≥ s₁·exp(s₀/s₁), s₁ > 0, and its closure
	Power                       // s₀^α·s₁^(1−α) ≥ |s₂|, s₀, s₁ ≥ 0
	// the scaled upper triangle, column by column, of a positive semidefinite matrix; off-diagonal
	// entries times √2
	Semidefinite
	numConeKind
)

var coneText = [numConeKind]string{"second-order", "exponential", "power", "semidefinite"}

// String is the cone's name in words, such as "second-order".
func (k ConeKind) String() string { return enum.String(k, "ConeKind", coneText[:]) }

// ParseConeKind is the inverse of String.
func ParseConeKind(name string) (ConeKind, error) {
	return enum.Parse[ConeKind](name, "qpbackend: no cone", coneText[:])
}

// Cone states Ax − l ∈ K for the rows Start ≤ i < Start+Len. On these rows U is
// not looked at.
type Cone struct {
	Kind       ConeKind
	Start, Len int
	Alpha      float64 // α of the power cone, 0 < α < 1
}

// Problem is a convex quadratic program, with cones. After New has seen it, it
// changes only through Solver.Update.
type Problem struct {
	P *sparse.CSC // n × n, upper triangle of a positive semidefinite matrix; nil: zero
	Q []float64   // length n
	R float64     // constant of the objective
	// Lo and Hi are the bounds of the variables: length n, beyond ±Infinity for
	// no bound; nil: no variable has one.
	Lo, Hi []float64
	A      *sparse.CSC // m × n; nil: no rows
	L, U   []float64   // sides of the rows: length m, beyond ±Infinity for none
	// Cones, by ascending Start and disjoint. L must be finite on their rows.
	Cones []Cone
}

// Dims returns n, the number of variables, and m, the number of rows.
func (p *Problem) Dims() (n, m int) { return len(p.Q), len(p.L) }

// Bounds are the bounds of variable j, 0 ≤ j < n: −Inf and +Inf where there is none, as where
// |bound| ≥ Infinity.
func (p *Problem) Bounds(j int) (lo, hi float64) { return lower(p.Lo, j), upper(p.Hi, j) }

// lower is entry i of v, or −Inf where that is none.
func lower(v []float64, i int) float64 {
	if v == nil || !(v[i] > -Infinity) {
		return math.Inf(-1)
	}
	return v[i]
}

// upper is entry i of v, or +Inf where that is none.
func upper(v []float64, i int) float64 {
	if v == nil || !(v[i] < Infinity) {
		return math.Inf(1)
	}
	return v[i]
}

// Sides are the sides of row i, 0 ≤ i < m: −Inf and +Inf where there is none, as where
// |side| ≥ Infinity.
func (p *Problem) Sides(i int) (l, u float64) { return lower(p.L, i), upper(p.U, i) }

// Validate reports the first thing about p that no backend could accept: a
// shape, a NaN, crossed bounds, cones that overlap. It does not look at the
// definiteness of P.
func (p *Problem) Validate() error {
	n, m := p.Dims()
	if p.P != nil {
		if err := p.P.Validate(); err != nil {
			return fmt.Errorf("qpbackend: P: %w", err)
		}
		if p.P.Rows != n || p.P.Cols != n {
			return fmt.Errorf("qpbackend: P is %d × %d, q has length %d", p.P.Rows, p.P.Cols, n)
		}
		if !p.P.IsUpper() {
			return fmt.Errorf("qpbackend: P has an entry below the diagonal; give the upper triangle alone")
		}
	}
	if p.A == nil && m > 0 {
		return fmt.Errorf("qpbackend: %d rows but no matrix A", m)
	}
	if p.A != nil {
		if err := p.A.Validate(); err != nil {
			return fmt.Errorf("qpbackend: A: %w", err)
		}
		if p.A.Rows != m || p.A.Cols != n {
			return fmt.Errorf("qpbackend: A is %d × %d, want %d × %d by l and q", p.A.Rows, p.A.Cols, m, n)
		}
	}
	if err := finite("q", p.Q); err != nil {
		return err
	}
	if math.IsNaN(p.R) || math.IsInf(p.R, 0) {
		return fmt.Errorf("qpbackend: r is %g", p.R)
	}
	if err := p.validateCones(); err != nil {
		return err
	}
	if err := p.validateBounds(p.Lo, p.Hi); err != nil {
		return err
	}
	return p.validateSides(p.L, p.U)
}

func (p *Problem) validateCones() error {
	_, m := p.Dims()
	end := 0
	for k, c := range p.Cones {
		switch {
		case c.Kind >= numConeKind:
			return fmt.Errorf("qpbackend: cone %d: unknown kind %v", k, c.Kind)
		case c.Start < end || c.Len < 1 || c.Start+c.Len > m:
			return fmt.Errorf("qpbackend: cone %d covers rows %d to %d; want ascending, disjoint ranges within %d rows",
				k, c.Start, c.Start+c.Len, m)
		case (c.Kind == Exponential || c.Kind == Power) && c.Len != 3:
			return fmt.Errorf("qpbackend: cone %d: the %v cone has 3 rows, not %d", k, c.Kind, c.Len)
		case c.Kind == Power && !(c.Alpha > 0 && c.Alpha < 1):
			return fmt.Errorf("qpbackend: cone %d: α = %g, want it between 0 and 1", k, c.Alpha)
		case c.Kind == Semidefinite && packed.Order(c.Len) < 0:
			return fmt.Errorf("qpbackend: cone %d: %d rows are no triangle k(k+1)/2", k, c.Len)
		}
		end = c.Start + c.Len
	}
	return nil
}

// validateBounds checks lo and hi as bounds of the variables.
func (p *Problem) validateBounds(lo, hi []float64) error {
	n, _ := p.Dims()
	if lo != nil && len(lo) != n || hi != nil && len(hi) != n {
		return fmt.Errorf("qpbackend: lo has length %d, hi %d; want %d, one for each variable, or nil", len(lo),
			len(hi), n)
	}
	for j := range n {
		l, h := math.Inf(-1), math.Inf(1)
		if lo != nil {
			l = lo[j]
		}
		if hi != nil {
			h = hi[j]
		}
		if err := interval(l, h); err != nil {
			return fmt.Errorf("qpbackend: variable %d %w", j, err)
		}
	}
	return nil
}

// interval refuses lo and hi that no number lies between.
func interval(lo, hi float64) error {
	if !(lo <= hi) {
		return fmt.Errorf("has bounds %g and %g", lo, hi)
	}
	if lo >= Infinity || hi <= -Infinity {
		return fmt.Errorf("has bounds %g and %g, which no point meets", lo, hi)
	}
	return nil
}

// validateSides checks l and u as sides of the rows.
func (p *Problem) validateSides(l, u []float64) error {
	if len(l) != len(u) {
		return fmt.Errorf("qpbackend: l has length %d, u %d", len(l), len(u))
	}
	next := 0 // the cone that is ahead
	for i := range l {
		for next < len(p.Cones) && i >= p.Cones[next].Start+p.Cones[next].Len {
			next++
		}
		if next < len(p.Cones) && i >= p.Cones[next].Start {
			if !(math.Abs(l[i]) < Infinity) {
				return fmt.Errorf("qpbackend: l[%d] = %g on a row of a cone, want it finite", i, l[i])
			}
			continue
		}
		if err := interval(l[i], u[i]); err != nil {
			return fmt.Errorf("qpbackend: row %d %w", i, err)
		}
	}
	return nil
}

func finite(name string, v []float64) error {
	if i := num.FirstNotFinite(v); i >= 0 {
		return fmt.Errorf("qpbackend: %s[%d] is %g", name, i, v[i])
	}
	return nil
}

// Objective is ½ xᵀPx + qᵀx + r at x, of length n.
func (p *Problem) Objective(x []float64) float64 {
	quad, lin := 0.0, 0.0
	if p.P != nil {
		for j := range p.P.Cols {
			for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
				if i := p.P.RowIdx[k]; i == j {
					quad += p.P.Val[k] * x[j] * x[j] / 2
				} else {
					quad += p.P.Val[k] * x[i] * x[j]
				}
			}
		}
	}
	for j, q := range p.Q {
		lin += q * x[j]
	}
	return quad + lin + p.R
}

// Clone returns a deep copy: no slice or matrix is shared.
func (p *Problem) Clone() *Problem { return p.clone((*sparse.CSC).Clone) }

// CloneValues is Clone but for the patterns of P and A, which the copy shares with p.
func (p *Problem) CloneValues() *Problem {
	return p.clone(func(m *sparse.CSC) *sparse.CSC {
		out := *m
		out.Val = append([]float64(nil), m.Val...)
		return &out
	})
}

func (p *Problem) clone(matrix func(*sparse.CSC) *sparse.CSC) *Problem {
	c := *p
	if p.P != nil {
		c.P = matrix(p.P)
	}
	if p.A != nil {
		c.A = matrix(p.A)
	}
	c.Q = append([]float64(nil), p.Q...)
	c.Lo = append([]float64(nil), p.Lo...)
	c.Hi = append([]float64(nil), p.Hi...)
	c.L = append([]float64(nil), p.L...)
	c.U = append([]float64(nil), p.U...)
	c.Cones = append([]Cone(nil), p.Cones...)
	return &c
}

// Update holds new values for a problem whose pattern stays. A nil field leaves
// the old value; P and A are values in the order of the stored entries. Lo and
// Hi may give bounds to variables that had none, and take them away.
type Update struct {
	Q, Lo, Hi, L, U, P, A []float64
}

// Apply writes the new values into p, or returns an error and leaves p as it
// was. Every backend's Update goes through it.
func (p *Problem) Apply(u Update) error {
	n, m := p.Dims()
	for _, f := range [...]struct {
		name   string // of the values; "" where infinite ones are allowed
		letter string
		v      []float64
		n      int
	}{
		{"update of q", "q", u.Q, n}, {"", "lo", u.Lo, n}, {"", "hi", u.Hi, n}, {"", "l", u.L, m}, {"", "u", u.U, m},
		{"update of P", "P", u.P, nnz(p.P)}, {"update of A", "A", u.A, nnz(p.A)},
	} {
		if f.v != nil && len(f.v) != f.n {
			return fmt.Errorf("qpbackend: update of %s has length %d, want %d", f.letter, len(f.v), f.n)
		}
		if f.name == "" {
			continue
		}
		if err := finite(f.name, f.v); err != nil {
			return err
		}
	}
	if err := p.validateSides(either(u.L, p.L), either(u.U, p.U)); err != nil {
		return err
	}
	if err := p.validateBounds(either(u.Lo, p.Lo), either(u.Hi, p.Hi)); err != nil {
		return err
	}
	copy(p.Q, u.Q)
	if u.Lo != nil {
		p.Lo = append(p.Lo[:0], u.Lo...)
	}
	if u.Hi != nil {
		p.Hi = append(p.Hi[:0], u.Hi...)
	}
	copy(p.L, u.L)
	copy(p.U, u.U)
	if u.P != nil && p.P != nil {
		copy(p.P.Val, u.P)
	}
	if u.A != nil && p.A != nil {
		copy(p.A.Val, u.A)
	}
	return nil
}

// either is v, or old where v is nil.
func either(v, old []float64) []float64 {
	if v == nil {
		return old
	}
	return v
}

func nnz(m *sparse.CSC) int {
	if m == nil {
		return 0
	}
	return m.NNZ()
}
