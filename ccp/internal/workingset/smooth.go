//go:build !lean

package workingset

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
)

// smoothing minimises a problem of terms with each term smoothed: in place of the maximum of its pieces v it is u·log Σ exp(v/u). The
// temperature u is a distance, the same for all terms, times the norm of the term's gradient. Damped Newton steps in the columns that are no
// terms follow the least point while the temperature falls. At a step each term costs its values, and a product of two gradients
// for each pair of pieces within some temperatures: far less than an iteration of the interior point method.
//
// Y. Nesterov, Smooth minimization of non-smooth functions, Math. Program. 103 (2005) 127-152; K. Madsen, H. B. Nielsen, A finite
// smoothing algorithm for linear l1 estimation, SIAM J. Optim. 3 (1993) 223-235; D. P. Bertsekas, Projected Newton methods for
// optimization problems with simple constraints, SIAM J. Control Optim. 20 (1982) 221-246.
type smoothing struct {
	*solver
	cols  []int32   // those that are no terms
	place []int32   // by column: its place in cols, −1 for none
	norms []float64 // by term: the largest norm of a piece's gradient
	temp  float64   // the distance
	g, d  []float64 // by place: gradient and step
	hessian
	ad     []float64 // by row: A times the step
	y      []float64 // by row: how the smoothed terms change with its sum
	full   []float64 // by column
	pieces []piece   // of one term
	excess float64   // of the smoothed terms over the terms
	close  int       // terms with two pieces within wide temperatures
}

// hessian is that of the smoothed problem, a sum over pairs of pieces.
type hessian struct {
	h       []float64 // the lower triangle, by rows
	diff    []float64 // by place: the difference of two gradients, and where it has entries:
	touched []int32
	mark    []int32 // by place: the number of the pair that has touched it last
	pair    int32
}

// piece is an affine function of a term, that of a row or of its bound, with the sign that makes the term the largest.
type piece struct {
	row    int32 // −1 for the bound
	v, w   float64
	change float64 // of v with the sum of the row
}

// Source: limits of speed, of which no answer depends: docs/large.md.
const (
	cooling   = 4    // ratio of a temperature and the next
	wide      = 8    // a piece is near the largest within so many temperatures
	apart     = 1e-3 // product of the weights of two pieces from which the pair is in the Hessian
	promise   = 0.05 // share of the excess by which a step has to promise to lower the objective to be taken
	mostSteps = 6    // at one temperature
	mostCools = 12
	rowsFor   = 10 // rows for each column that is no term: with so many the interior point method takes over
)

// Source: derived: damp is beside the curvature of directions in which the objective is curved and holds the others; sufficient is Armijo's.
const (
	damp       = 1e-6
	sufficient = 1e-4
	leastStep  = 1e-3
)

// smooth moves s.x to a point near the least one, and returns the distance from it within which rows are to join.
func (s *solver) smooth(ctx context.Context) float64 {
	m := newSmoothing(s)
	sums := s.sums()
	m.temp = m.firstTemperature(sums)
	for range mostCools {
		end := stepsOn
		for n := 0; n < mostSteps && end == stepsOn && ctx.Err() == nil; n++ {
			end = m.newton(sums)
			s.iterations++
		}
		if end == stuck { // the point is one of the temperature before
			return cooling * wide * m.temp
		}
		if m.close <= max(s.least, rowsFor*s.common) || ctx.Err() != nil {
			break
		}
		m.temp /= cooling
	}
	return wide * m.temp
}

func newSmoothing(s *solver) *smoothing {
	n, rows := len(s.x), len(s.in)
	m := &smoothing{solver: s, place: filled(n, -1), full: make([]float64, n), ad: make([]float64, rows), y: make([]float64, rows), norms: make([]float64, len(s.terms))}
	for j := range s.x {
		if !s.term[j] {
			m.place[j] = int32(len(m.cols))
			m.cols = append(m.cols, int32(j))
		}
	}
	p := len(m.cols)
	m.g, m.d, m.diff, m.h, m.mark = make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p*p), make([]int32, p)
	for k, j := range s.terms {
		for _, i := range s.rowsOf(j) {
			if a := math.Abs(s.p.A.Val[s.ownAt[i]]); a > 0 {
				m.norms[k] = max(m.norms[k], s.norm(int32(i))/a)
			}
		}
	}
	return m
}

// firstTemperature is such that half of the terms within the median distance from a kink are near one, or that of the last step, if less.
func (m *smoothing) firstTemperature(sums []float64) float64 {
	var gaps []float64
	for k, j := range m.terms {
		if m.p.Q[j] == 0 || m.norms[k] == 0 {
			continue
		}
		if _, _, behind := m.piece(j, sums); num.Finite(behind) && behind > 0 {
			gaps = append(gaps, behind/m.norms[k])
		}
	}
	if len(gaps) == 0 {
		return 1
	}
	slices.Sort(gaps)
	t := gaps[len(gaps)/2] / (2 * wide)
	if step := num.Norm2(m.reach); step > 0 {
		t = min(t, step/cooling)
	}
	return t
}

// list sets m.pieces to those of a term with a value that counts, given the sums of the rows and t times m.ad. It returns the
// largest value, and the temperature.
func (m *smoothing) list(k int, sums []float64, t float64) (top, temp float64) {
	j := m.terms[k]
	cost := m.p.Q[j]
	sign := math.Copysign(1, cost)
	m.pieces = m.pieces[:0]
	top, temp = math.Inf(-1), m.temp*m.norms[k]
	if b := m.bound(j, cost); !math.IsInf(b, 0) {
		top = sign * b
		m.pieces = append(m.pieces, piece{row: -1, v: top})
	}
	for _, i := range m.rowsOf(j) {
		v, ok := m.limit(int32(i), sums[i]+t*m.ad[i], cost)
		if v *= sign; !ok || v < top-4*wide*temp { // of which the exponential is nothing
			continue
		}
		top = max(top, v)
		m.pieces = append(m.pieces, piece{row: int32(i), v: v, change: -sign / m.p.A.Val[m.ownAt[i]]})
	}
	return top, temp
}

// weigh sets the weights of the pieces, which sum up to 1, and returns the excess of the smoothed maximum over the maximum.
func (m *smoothing) weigh(top, temp float64) float64 {
	if len(m.pieces) == 1 {
		m.pieces[0].w = 1
		return 0
	}
	sum := 0.0
	for k := range m.pieces {
		p := &m.pieces[k]
		if p.w = 1; p.v != top {
			p.w = math.Exp((p.v - top) / temp)
		}
		sum += p.w
	}
	for k := range m.pieces {
		m.pieces[k].w /= sum
	}
	return temp * math.Log(sum)
}

// value is that of the smoothed terms, given the sums of the rows and t times m.ad.
func (m *smoothing) value(sums []float64, t float64) (total float64) {
	for k, j := range m.terms {
		if cost := math.Abs(m.p.Q[j]); cost > 0 {
			if top, temp := m.list(k, sums, t); len(m.pieces) > 0 {
				total += cost * (top + m.weigh(top, temp))
			}
		}
	}
	return total
}

// expand sets the gradient and the Hessian at m.x, and returns the value of the smoothed terms.
func (m *smoothing) expand(sums []float64) (total float64) {
	clear(m.h)
	clear(m.y)
	m.close, m.excess = 0, 0
	for k, j := range m.terms {
		cost := math.Abs(m.p.Q[j])
		if cost == 0 {
			continue
		}
		top, temp := m.list(k, sums, 0)
		if len(m.pieces) == 0 {
			continue
		}
		excess := m.weigh(top, temp)
		total += cost * (top + excess)
		m.excess += cost * excess
		near := 0
		for n, a := range m.pieces {
			if a.row >= 0 {
				m.y[a.row] = cost * a.w * a.change
			}
			if a.v >= top-wide*temp {
				near++
			}
			for _, b := range m.pieces[:n] {
				if a.w*b.w > apart {
					m.addPair(a, b, cost*a.w*b.w/temp)
				}
			}
		}
		if near > 1 {
			m.close++
		}
	}
	m.addSmooth()
	return total
}

// addSmooth completes the gradient and the Hessian of the terms.
func (m *smoothing) addSmooth() {
	clear(m.full)
	m.p.P.AddSymMulVec(m.full, 1, m.x)
	a, q := m.p.A, m.p.P
	for k, j := range m.cols {
		m.g[k] = m.p.Q[j] + m.full[j]
		for e := a.ColPtr[j]; e < a.ColPtr[j+1]; e++ {
			m.g[k] += a.Val[e] * m.y[a.RowIdx[e]]
		}
		for e := q.ColPtr[j]; e < q.ColPtr[j+1]; e++ {
			*m.entry(m.place[q.RowIdx[e]], int32(k)) += q.Val[e]
		}
	}
}

// entry is that of the Hessian at two places.
func (m *smoothing) entry(i, k int32) *float64 {
	return &m.h[int(max(i, k))*len(m.cols)+int(min(i, k))]
}

// addPair adds w times the square of the difference of the gradients of two pieces to the Hessian.
func (m *smoothing) addPair(a, b piece, w float64) {
	m.pair++
	m.touched = m.touched[:0]
	m.addGradient(a, 1)
	m.addGradient(b, -1)
	m.touched = slices.DeleteFunc(m.touched, func(k int32) bool { return m.diff[k] == 0 }) // entries that the pieces of a term share
	for n, i := range m.touched {
		v := w * m.diff[i]
		for _, k := range m.touched[:n+1] {
			*m.entry(i, k) += v * m.diff[k]
		}
	}
}

func (m *smoothing) addGradient(a piece, sign float64) {
	if a.row < 0 {
		return
	}
	for e := m.ptr[a.row]; e < m.ptr[a.row+1]; e++ {
		k, v := m.place[m.col[e]], m.p.A.Val[m.at[e]]
		if k < 0 || v == 0 {
			continue
		}
		if m.mark[k] != m.pair {
			m.mark[k], m.diff[k] = m.pair, 0
			m.touched = append(m.touched, k)
		}
		m.diff[k] += sign * a.change * v
	}
}

// ending is how a step ends.
type ending uint8

const (
	stepsOn ending = iota
	settled        // another one promises nothing that counts
	stuck          // none lowers the objective
)

// newton makes one step from m.x, whose sums are given, and brings both up to date.
func (m *smoothing) newton(sums []float64) ending {
	value := m.expand(sums)
	if !m.direction() {
		return stuck
	}
	slope := num.Dot(m.g, m.d)
	if !(-slope > promise*m.excess) {
		return settled
	}
	linear, curve := m.along(slope)
	for t := 1.0; t >= leastStep; t /= 2 {
		if m.value(sums, t)+t*(linear+t*curve/2) > value+sufficient*t*slope {
			continue
		}
		for k, j := range m.cols {
			m.x[j] += t * m.d[k]
		}
		num.Axpy(sums, t, m.ad)
		if t == 1 && -slope < m.excess { // the next one promises about the square of that
			return settled
		}
		return stepsOn
	}
	return stuck
}

// direction sets m.d to a Newton step in the columns that no bound stops, and reports whether there is one.
func (m *smoothing) direction() bool {
	p := len(m.cols)
	own := math.SmallestNonzeroFloat64
	for k := range p {
		own += damp / float64(p) * m.h[k*p+k]
	}
	for k, j := range m.cols {
		lo, hi := m.p.Bounds(int(j))
		m.h[k*p+k] += own
		m.d[k] = -m.g[k]
		if m.x[j] <= lo && m.g[k] > 0 || m.x[j] >= hi && m.g[k] < 0 {
			for i := range p {
				*m.entry(int32(i), int32(k)) = 0
			}
			m.h[k*p+k], m.d[k] = 1, 0
		}
	}
	if !num.Cholesky(m.h, p) {
		return false
	}
	for k := range p {
		row := m.h[k*p:][:k+1]
		m.d[k] = (m.d[k] - num.Dot(row[:k], m.d[:k])) / row[k]
	}
	for k := p - 1; k >= 0; k-- {
		row := m.h[k*p:][:k+1]
		m.d[k] /= row[k]
		num.Axpy(m.d[:k], -m.d[k], row[:k])
	}
	for k, j := range m.cols {
		lo, hi := m.p.Bounds(int(j))
		m.d[k] = min(max(m.x[j]+m.d[k], lo), hi) - m.x[j]
	}
	return num.FirstNotFinite(m.d) < 0
}

// along sets m.ad to the products of the rows with the step, and returns the slope and the curvature of the objective without the terms
// along it, given the slope with them.
func (m *smoothing) along(slope float64) (linear, curve float64) {
	clear(m.ad)
	step := make([]float64, len(m.full))
	a := m.p.A
	for k, j := range m.cols {
		step[j] = m.d[k]
		for e := a.ColPtr[j]; e < a.ColPtr[j+1]; e++ {
			m.ad[a.RowIdx[e]] += a.Val[e] * m.d[k]
		}
	}
	clear(m.full)
	m.p.P.AddSymMulVec(m.full, 1, step)
	return slope - num.Dot(m.y, m.ad), num.Dot(m.full, step)
}
