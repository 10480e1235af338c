package implied

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// unit is the unit roundoff of float64. A coefficient and a constant count as rounded
// so many times when the problem was stated, as in package dc.
const (
	// Source: IEEE 754.
	unit = 0x1p-53
	// Source: derived: read, multiplied and added once each.
	dataErrors = 3
)

// Tighten tightens bounds of the columns of p by the bounds that rows and cones imply, in so many
// sweeps: every point of p within the bounds given is within those returned, rounding
// errors and those of the data counted. Where bounds exclude each other it returns
// false, and p has no point within them.
func Tighten(p *qpbackend.Problem, lo, hi []float64, sweeps int) bool {
	t := tightening{p: p, lo: lo, hi: hi}
	t.prepare()
	return t.run(sweeps)
}

// Reach tightens bounds of the columns of one problem, whose rows stay as they are, for the sizes
// of columns.
type Reach struct{ t tightening }

// NewReach is the Reach of the problem p.
func NewReach(p *qpbackend.Problem) *Reach {
	n, _ := p.Dims()
	t := tightening{p: p, lo: make([]float64, n), hi: make([]float64, n), zero: make([]bool, n)}
	t.prepare()
	return &Reach{t}
}

// Tighten tightens lo and hi as the function of this name does. A column that only rounding errors
// of a row tell from 0, as x in x == y and y == 0, keeps its bounds: in units of such an error the
// accuracy of a backend says nothing of the other rows, nor of their multipliers.
func (r *Reach) Tighten(lo, hi []float64, sweeps int) bool {
	t := &r.t
	copy(t.lo, lo)
	copy(t.hi, hi)
	clear(t.zero)
	ok := t.run(sweeps)
	for j, zero := range t.zero {
		if !zero {
			lo[j], hi[j] = t.lo[j], t.hi[j]
		}
	}
	return ok
}

// each calls f with the entries of a.
func each(a *sparse.CSC, f func(i, j int, v float64)) {
	for j := range a.Cols {
		for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
			f(a.RowIdx[k], j, a.Val[k])
		}
	}
}

// prepare makes the lists of rows.
func (t *tightening) prepare() {
	t.rows, _ = t.p.A.Transpose()
	conic := InCones(t.p)
	for i, l := range t.p.L {
		if !conic[i] && (l > math.Inf(-1) || t.p.U[i] < math.Inf(1)) {
			t.bounded = append(t.bounded, i)
		}
	}
}

func (t *tightening) run(sweeps int) bool {
	p := t.p
	t.empty = false
	for range sweeps {
		t.changed = false
		for _, i := range t.bounded {
			col, val := t.of(i)
			t.row(col, val, p.L[i], p.U[i])
		}
		for _, c := range p.Cones {
			t.cone(c)
		}
		if t.empty || !t.changed {
			break
		}
	}
	return !t.empty
}

// tightening is the state of Tighten.
type tightening struct {
	p              *qpbackend.Problem
	rows           *sparse.CSC // of A, as columns
	bounded        []int       // rows with a bound and in no cone
	lo, hi         []float64
	changed, empty bool
	uv             [2][]float64 // coefficients
	col            []int
	zero           []bool // columns that are 0 but for rounding errors; nil: nobody asks
}

// of has the columns of row i, and its coefficients.
func (t *tightening) of(i int) (col []int, val []float64) {
	from, to := t.rows.ColPtr[i], t.rows.ColPtr[i+1]
	return t.rows.RowIdx[from:to], t.rows.Val[from:to]
}

// InCones marks the rows of cones.
func InCones(p *qpbackend.Problem) []bool {
	in := make([]bool, len(p.L))
	for _, c := range p.Cones {
		for i := range c.Len {
			in[c.Start+i] = true
		}
	}
	return in
}

// interval holds the values of an expression.
type interval struct{ lo, hi float64 }

// least is the least absolute value.
func (i interval) least() float64 { return max(0, i.lo, -i.hi) }

// wider is the interval with so many relative roundings of its ends.
func wider(lo, hi, roundings float64) interval {
	return interval{lo - roundings*unit*math.Abs(lo), hi + roundings*unit*math.Abs(hi)}
}

// activity is the range of a row without its bounds, where only finite ends add up; the number of
// the others; a bound of the errors; and the largest range of a term. Where several ends on either
// side are infinite, the range says nothing of any column, and the rest of the row is not looked
// at.
func (t *tightening) activity(col []int, val []float64) (lo, hi float64, noLo, noHi int, err, width float64) {
	size := 0.0
	for k, j := range col {
		a, b := val[k]*t.lo[j], val[k]*t.hi[j]
		if val[k] < 0 {
			a, b = b, a
		}
		switch {
		case val[k] == 0:
			continue
		case math.IsInf(a, -1):
			noLo++
		default:
			lo += a
			size += math.Abs(a)
		}
		if math.IsInf(b, 1) {
			noHi++
		} else {
			hi += b
			size += math.Abs(b)
		}
		width = max(width, b-a)
		if noLo > 1 && noHi > 1 {
			break
		}
	}
	return lo, hi, noLo, noHi, float64(len(col)+dataErrors+1) * unit * size, width
}

// over is the range of a row less its constant l.
func (t *tightening) over(col []int, val []float64, l float64) interval {
	lo, hi, noLo, noHi, err, _ := t.activity(col, val)
	err += (dataErrors + 1) * unit * math.Abs(l)
	i := interval{lo - l - err, hi - l + err}
	if noLo > 0 {
		i.lo = math.Inf(-1)
	}
	if noHi > 0 {
		i.hi = math.Inf(1)
	}
	return i
}

// row tightens the columns of l ≤ row ≤ u.
func (t *tightening) row(col []int, val []float64, l, u float64) {
	lo, hi, noLo, noHi, err, width := t.activity(col, val)
	if (noLo > 1 || u == math.Inf(1)) && (noHi > 1 || l == math.Inf(-1)) ||
		noLo+noHi == 0 && width < u-lo-err && width < hi-l-err { // all columns may go all their way
		return
	}
	for k, j := range col {
		v := val[k]
		if v == 0 {
			continue
		}
		a, b := v*t.lo[j], v*t.hi[j]
		if v < 0 {
			a, b = b, a
		}
		// The rest of the others: v·x ≤ u − their least value, v·x ≥ l − their largest.
		most, least, errors := math.Inf(1), math.Inf(-1), 0.0
		if rest, slip, ok := others(lo, a, err, noLo); ok && u < math.Inf(1) {
			slip += (dataErrors + 1) * unit * math.Abs(u)
			most, errors = u-rest+slip, slip
		}
		if rest, slip, ok := others(hi, b, err, noHi); ok && l > math.Inf(-1) {
			slip += (dataErrors + 1) * unit * math.Abs(l)
			least, errors = l-rest-slip, max(errors, slip)
		}
		if t.zero != nil && errors > 0 && max(most, -least) <= 2*errors {
			t.zero[j] = true
		}
		x := wider(least/v, most/v, dataErrors+1)
		if v < 0 {
			x = wider(most/v, least/v, dataErrors+1)
		}
		t.bound(j, x)
	}
}

// others is a sum of finite numbers and so many infinite ones without its term own, with
// a bound of its error; false where it is not finite.
func others(sum, own, err float64, infinite int) (rest, slip float64, ok bool) {
	if math.IsInf(own, 0) {
		return sum, err, infinite == 1
	}
	rest = sum - own
	slip = err + unit*(math.Abs(sum)+math.Abs(own))
	return rest, slip, infinite == 0 && slip < math.Inf(1)
}

// bound intersects the bounds of a column.
func (t *tightening) bound(j int, x interval) {
	if x.lo > t.lo[j] {
		t.changed = t.changed || !(x.lo <= t.lo[j]+math.Abs(t.lo[j])*progress)
		t.lo[j] = x.lo
	}
	if x.hi < t.hi[j] {
		t.changed = t.changed || !(x.hi >= t.hi[j]-math.Abs(t.hi[j])*progress)
		t.hi[j] = x.hi
	}
	t.empty = t.empty || t.lo[j] > t.hi[j]
}

// progress is the relative change of a bound that is worth another sweep.
// Source: docs/lab/ccp.md, Constants.
const progress = 1e-3

// cone tightens the columns of the rows of a cone.
func (t *tightening) cone(c qpbackend.Cone) {
	switch c.Kind {
	case qpbackend.SecondOrder:
		t.secondOrder(c)
	case qpbackend.Exponential:
		t.exponential(c.Start)
	case qpbackend.Power:
		t.power(c.Start, c.Alpha)
	case qpbackend.Semidefinite: // by columns, of each the entries down to the diagonal
		for k, j := 0, 1; k < c.Len; k, j = k+j+1, j+1 {
			t.within(c.Start+k, interval{0, math.Inf(1)})
		}
	}
}

// part is a row of a cone, without its constant.
func (t *tightening) part(i int) interval {
	col, val := t.of(i)
	return t.over(col, val, t.p.L[i])
}

// within tightens row i of a cone to be in s.
func (t *tightening) within(i int, s interval) {
	s = wider(s.lo, s.hi, 8)
	l := t.p.L[i]
	slip := (dataErrors + 1) * unit * math.Abs(l)
	col, val := t.of(i)
	t.row(col, val, s.lo+l-slip, s.hi+l+slip)
}

// secondOrder: s₀ ≥ ‖(s₁, …)‖, and where the first two rows have the same columns
// 4uv ≥ ‖(s₂, …)‖² for u = (s₀ + s₁)/2, v = (s₀ − s₁)/2.
func (t *tightening) secondOrder(c qpbackend.Cone) {
	inf := math.Inf(1)
	sum, top := 0.0, 0.0
	for i := 2; i < c.Len; i++ {
		least := t.part(c.Start + i).least()
		sum += least * least
	}
	if c.Len > 1 {
		top = t.part(c.Start + 1).least()
	}
	t.within(c.Start, interval{math.Sqrt(sum + top*top), inf})
	most := t.part(c.Start).hi
	for i := 1; i < c.Len; i++ {
		t.within(c.Start+i, interval{-most, most})
	}
	if c.Len < 3 || !t.pair(c.Start) {
		return
	}
	l0, l1 := t.p.L[c.Start], t.p.L[c.Start+1]
	l := [2]float64{(l0 + l1) / 2, (l0 - l1) / 2}
	slip := (dataErrors + 2) * unit * (math.Abs(l0) + math.Abs(l1))
	over := func(k int) interval {
		i := t.over(t.col, t.uv[k], l[k])
		return interval{max(i.lo-slip, 0), max(i.hi+slip, 0)}
	}
	for k := range t.uv {
		least := 0.0
		if other := over(1 - k).hi; sum > 0 && other > 0 {
			least = sum / (4 * other)
		}
		t.row(t.col, t.uv[k], least*(1-16*unit)+l[k]-slip, inf)
	}
	if far := 2 * math.Sqrt(over(0).hi) * math.Sqrt(over(1).hi); far < inf {
		for i := 2; i < c.Len; i++ {
			t.within(c.Start+i, interval{-far, far})
		}
	}
}

// pair sets uv to the coefficients of half the sum and half the difference of two rows
// with the same columns, false where they have others.
func (t *tightening) pair(i int) bool {
	c0, v0 := t.of(i)
	c1, v1 := t.of(i + 1)
	if len(c0) != len(c1) {
		return false
	}
	t.col, t.uv[0], t.uv[1] = c0, t.uv[0][:0], t.uv[1][:0]
	for k, j := range c0 {
		if c1[k] != j {
			return false
		}
		t.uv[0], t.uv[1] = append(t.uv[0], (v0[k]+v1[k])/2), append(t.uv[1], (v0[k]-v1[k])/2)
	}
	return true
}

// exponential: s₂ ≥ s₁·exp(s₀/s₁), s₁ ≥ 0.
func (t *tightening) exponential(i int) {
	inf := math.Inf(1)
	s0, s1 := t.part(i), t.part(i+1)
	s1.lo = max(s1.lo, 0)
	t.within(i+1, interval{0, inf})
	least := 0.0
	if s1.lo > 0 && s0.lo > math.Inf(-1) { // s₁·exp(s₀/s₁) is least in s₁ at s₀
		at := min(max(s0.lo, s1.lo), s1.hi)
		if v := at * math.Exp(s0.lo/at) * (1 - 1e-12); v > 0 && v < inf {
			least = v
		}
	}
	t.within(i+2, interval{least, inf})
	s2 := t.part(i + 2)
	if s2.hi < inf && s1.hi > 0 && s2.hi > 0 { // s₁·log(s₂/s₁) is largest at s₂/e
		at := min(max(s2.hi/math.E, s1.lo), s1.hi)
		most := at * math.Log(s2.hi/at)
		if at > 0 && !math.IsNaN(most) {
			t.within(i, interval{math.Inf(-1), most + 1e-12*(math.Abs(most)+at)})
		}
	}
}

// power: s₀^α·s₁^(1−α) ≥ |s₂|, s₀, s₁ ≥ 0.
func (t *tightening) power(i int, α float64) {
	inf := math.Inf(1)
	t.within(i, interval{0, inf})
	t.within(i+1, interval{0, inf})
	s0, s1 := t.part(i), t.part(i+1)
	least := t.part(i + 2).least()
	bound := func(row int, other, w float64) { // s ≥ (|s₂|/other^(1−w))^(1/w)
		if least > 0 && other > 0 && other < inf {
			if v := math.Pow(least/math.Pow(other, 1-w), 1/w) * (1 - 1e-12/w); v < inf {
				t.within(row, interval{v, inf})
			}
		}
	}
	bound(i, s1.hi, α)
	bound(i+1, s0.hi, 1-α)
	if far := math.Pow(max(s0.hi, 0), α) * math.Pow(max(s1.hi, 0), 1-α) * (1 + 1e-12); far < inf {
		t.within(i+2, interval{-far, far})
	}
}
