package workingset

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// smoothing minimises a problem of terms with each term smoothed: in place of the maximum of its
// pieces v it is u·log Σ exp(v/u). The temperature u is a distance, the same for all terms, times
// the norm of the term's gradient. Damped Newton steps in the columns that are no terms follow the
// least point while the temperature falls. At a step each term near a kink costs its values, and a
// product of two gradients for each pair of pieces within some temperatures: far less than an
// iteration of the interior point method.
//
// Y. Nesterov, Smooth minimization of non-smooth functions, Math. Program. 103 (2005) 127-152; K.
// Madsen, H. B. Nielsen, A finite smoothing algorithm for linear l1 estimation, SIAM J. Optim. 3
// (1993) 223-235; D. P. Bertsekas, Projected Newton methods for optimization problems with simple
// constraints, SIAM J. Control Optim. 20 (1982) 221-246.
type smoothing struct {
	s     *working
	cols  []int32 // those that are no terms
	bent  []int32 // those that have squares or products
	place []int32 // by column: its place in cols, −1 for none
	temp  float64 // the distance
	model
	affine
	full   []float64 // by column
	step   []float64 // by column
	pieces []piece   // of one term
	close  int       // terms with two pieces within wide temperatures
	taken  float64   // the share of the last step
	gauge
}

// model is the quadratic one at the point.
type model struct {
	g, d []float64 // by place: gradient and step
	h    []float64 // the Hessian's lower triangle, by rows
	// by place: the difference of two gradients; then the entries that are not 0, and their places:
	diff    []float64
	touched []int32
}

// gauge is how far the point has come.
type gauge struct {
	excess float64 // of the smoothed terms over the terms
	// of the terms over the means of their pieces by weights: no point has a lower objective by
	// more, but for the gradient
	mixed    float64
	fall     float64 // of the objective, with the terms as they are, from the beginning
	measured bool    // the beginning is the point from which the fall counts
}

// affine has the pieces, those of a term one after the other.
type affine struct {
	first    []int32   // by term: its first piece; the last entry is the end
	bounds   []float64 // by term: the piece of its bound, −Inf for none
	steepest []float64 // by term: the largest norm of a piece's gradient
	prices   []float64 // by term: the size of its cost; 0 where it costs nothing, or nothing stops it
	row      []int32
	change   []float64 // with the sum of the row
	v        []float64 // at the point
	dv       []float64 // along the step
}

// piece is an affine function of a term, that of a row or of its bound, with the sign that makes
// the term the largest.
type piece struct {
	at   int32 // −1 for the bound
	v, w float64
}

// Source: limits of speed, of which no answer depends: docs/lab/large.md.
const (
	cooling   = 4        // ratio of a temperature and the next
	wide      = 8        // a piece is near the largest within so many temperatures
	nothing   = 4 * wide // beyond so many its exponential is nothing
	apart     = 1e-3     // product of the weights of two pieces from which the pair is in the Hessian
	promise   = 0.05     // share of the excess by which a step has to promise to lower the objective to be taken
	mostSteps = 6        // at one temperature
	// share of a Newton step that is taken, below which the first temperature rises: the point is
	// too far for it
	short     = 0.25
	mostHeats = 6
	mostCools = 12
	rowsFor   = 10 // rows for each column that is no term: with so many the interior point method takes over
)

// Source: derived: damp is beside the curvature of directions in which the objective is curved and
// holds the others; sufficient is Armijo's.
const (
	damp       = 1e-6
	sufficient = 1e-4
	leastStep  = 1e-3
)

// smooth moves s.x to a point near the least one, and returns the distance from it within which
// rows are to join. Where the point is enough, s.reached is true and the answer is there.
func (s *working) smooth(ctx context.Context) float64 {
	m := newSmoothing(s)
	m.temp = m.firstTemperature()
	heats := mostHeats
	for range mostCools {
		end := stepsOn
		for n := 0; n < mostSteps && end == stepsOn && ctx.Err() == nil; n++ {
			end = m.newton()
			s.spent++
			if heats > 0 && (end == stuck || end == stepsOn && m.taken < short) {
				end, heats, n = stepsOn, heats-1, 0
				m.temp *= cooling
			}
		}
		heats = 0
		if end == ends && m.finish() { // else the next temperature tries again
			return 0
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

func newSmoothing(s *working) *smoothing {
	m := s.smoothed
	if m == nil {
		n, count := len(s.x), len(s.terms)
		m = &smoothing{s: s, place: missing(n), full: make([]float64, n), step: make([]float64, n)}
		for j := range s.x {
			if !s.term[j] {
				m.place[j] = int32(len(m.cols))
				m.cols = append(m.cols, int32(j))
			}
			if s.p.P.ColPtr[j] < s.p.P.ColPtr[j+1] {
				m.bent = append(m.bent, int32(j))
			}
		}
		p := len(m.cols)
		m.g, m.d, m.diff, m.h = make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p*p)
		m.bounds, m.steepest, m.prices = make([]float64, count), make([]float64, count), make([]float64, count)
		m.first = make([]int32, 1, count+1)
		s.smoothed = m
	}
	m.temp, m.taken, m.gauge = math.Inf(1), 0, gauge{}
	m.readPieces()
	endless := func(j int32) bool {
		lo, hi := s.p.Bounds(int(j))
		return math.IsInf(hi-lo, 1)
	}
	from := s.earlyEnd.from
	m.measured = len(from) > 0 && slices.Equal(from, s.x[:len(from)]) && !slices.ContainsFunc(m.cols, endless)
	return m
}

// readPieces lists the pieces of the terms that cost something, with their values at the point.
func (m *smoothing) readPieces() {
	s := m.s
	m.first, m.row, m.change, m.v = m.first[:1], m.row[:0], m.change[:0], m.v[:0]
	for k, j := range s.terms {
		cost := s.p.Q[j]
		sign := math.Copysign(1, cost)
		if m.bounds[k] = sign * s.bound(j, cost); cost == 0 || math.IsInf(m.bounds[k], 0) {
			m.bounds[k] = math.Inf(-1)
		}
		m.prices[k], m.steepest[k] = math.Abs(cost), 0
		for _, i := range s.rowsOf(j) {
			i := int32(i)
			if cost == 0 {
				break
			}
			if v, ok := s.limit(i, s.product(i, s.x), cost); ok {
				a := s.p.A.Val[s.ownAt[i]]
				m.row, m.change, m.v = append(m.row, i), append(m.change, -sign/a), append(m.v, sign*v)
				m.steepest[k] = max(m.steepest[k], s.norms[i]/math.Abs(a))
			}
		}
		if m.first = append(m.first, int32(len(m.row))); m.first[k] == m.first[k+1] && math.IsInf(m.bounds[k], 0) {
			m.prices[k] = 0
		}
	}
	m.dv = make([]float64, len(m.v))
}

// firstTemperature is such that half of the terms within the median distance from a kink are near
// one.
func (m *smoothing) firstTemperature() float64 {
	var gaps []float64
	for k, cost := range m.prices {
		if cost == 0 || m.steepest[k] == 0 {
			continue
		}
		if top, second, _ := m.list(k, 0); num.Finite(top-second) && top > second {
			gaps = append(gaps, (top-second)/m.steepest[k])
		}
	}
	if len(gaps) == 0 {
		return 1
	}
	return num.Smallest(gaps, len(gaps)/2) / (2 * wide)
}

// list sets m.pieces to those of a term with a value that counts, at t times the step. It returns
// the largest value and the second, and the temperature.
func (m *smoothing) list(k int, t float64) (top, second, temp float64) {
	largest, from := int32(-1), m.first[k]
	v := m.v[from:m.first[k+1]]
	dv := m.dv[from:][:len(v)]
	top, second, temp = m.bounds[k], math.Inf(-1), m.temp*m.steepest[k]
	for q, v := range v {
		switch v += t * dv[q]; {
		case v > top:
			top, second, largest = v, top, from+int32(q)
		case v > second:
			second = v
		}
	}
	least := top - nothing*temp
	if m.pieces = m.pieces[:0]; second < least {
		m.pieces = append(m.pieces, piece{at: largest, v: top})
		return top, second, temp
	}
	if bound := m.bounds[k]; bound >= least {
		m.pieces = append(m.pieces, piece{at: -1, v: bound})
	}
	for q, v := range v {
		if v += t * dv[q]; !(v < least) {
			m.pieces = append(m.pieces, piece{at: from + int32(q), v: v})
		}
	}
	return top, second, temp
}

// weigh sets the weights of the pieces, which sum up to 1, and returns the excess of the smoothed
// maximum over the maximum.
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

// value is the value of the terms, smoothed, at t times the step, and its excess over the terms.
func (m *smoothing) value(t float64) (total, excess float64) {
	for k, cost := range m.prices {
		if cost == 0 {
			continue
		}
		top, _, temp := m.list(k, t)
		e := m.weigh(top, temp)
		total += cost * (top + e)
		excess += cost * e
	}
	return total, excess
}

// expand sets the gradient and the Hessian at the point, and returns the value of the terms.
func (m *smoothing) expand() (total float64) {
	clear(m.h)
	m.addSmooth()
	m.close, m.excess, m.mixed = 0, 0, 0
	for k, cost := range m.prices {
		if cost == 0 {
			continue
		}
		top, _, temp := m.list(k, 0)
		excess := m.weigh(top, temp)
		total += cost * (top + excess)
		m.excess += cost * excess
		near := 0
		for n, a := range m.pieces {
			m.addGradient(m.g, a.at, cost*a.w)
			m.mixed += cost * a.w * (top - a.v)
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
	return total
}

// addSmooth sets the gradient to that of the objective without the terms, and adds its Hessian.
func (m *smoothing) addSmooth() {
	m.multiply(m.s.x)
	q := m.s.p.P
	for k, j := range m.cols {
		m.g[k] = m.s.p.Q[j] + m.full[j]
		for e := q.ColPtr[j]; e < q.ColPtr[j+1]; e++ {
			*m.entry(m.place[q.RowIdx[e]], int32(k)) += q.Val[e]
		}
	}
}

// multiply sets m.full to P·x at the columns that are no terms.
func (m *smoothing) multiply(x []float64) {
	for _, j := range m.cols {
		m.full[j] = 0
	}
	q := m.s.p.P
	for _, j := range m.bent {
		sum := 0.0
		for e := q.ColPtr[j]; e < q.ColPtr[j+1]; e++ {
			if i := q.RowIdx[e]; i == int(j) {
				m.full[j] += q.Val[e] * x[j]
			} else {
				m.full[i] += q.Val[e] * x[j]
				sum += q.Val[e] * x[i]
			}
		}
		m.full[j] += sum
	}
}

// entry is that of the Hessian at two places.
func (m *smoothing) entry(i, k int32) *float64 {
	return &m.h[int(max(i, k))*len(m.cols)+int(min(i, k))]
}

// addGradient adds w times the gradient of a piece, if it has one.
func (m *smoothing) addGradient(to []float64, at int32, w float64) {
	if at < 0 || w == 0 {
		return
	}
	w *= m.change[at]
	for _, r := range m.s.line(m.row[at]) {
		value := m.s.of(r)
		num.Axpy(to[m.place[r.column]:][:len(value)], w, value)
	}
}

// addPair adds w times the square of the difference of the gradients of two pieces to the Hessian.
func (m *smoothing) addPair(a, b piece, w float64) {
	m.subtract(a, b)
	p, n := len(m.cols), len(m.touched)
	if n > 0 && m.touched[n-1] == m.touched[0]+int32(n-1) {
		from := int(m.touched[0])
		for k, v := range m.diff[:n] {
			num.Axpy(m.h[(from+k)*p+from:][:k+1], w*v, m.diff)
		}
		return
	}
	for k, i := range m.touched {
		v, row := w*m.diff[k], m.h[int(i)*p:]
		for e, k := range m.touched[:k+1] {
			row[k] += v * m.diff[e]
		}
	}
}

// subtract sets m.diff to the difference of the gradients of two pieces, at the places where it is
// not 0: pieces of a term share entries.
func (m *smoothing) subtract(a, b piece) {
	clear(m.diff)
	m.addGradient(m.diff, a.at, 1)
	m.addGradient(m.diff, b.at, -1)
	m.touched = m.touched[:0]
	for k, v := range m.diff {
		if v != 0 {
			m.diff[len(m.touched)] = v
			m.touched = append(m.touched, int32(k))
		}
	}
}

// stepEnd is how a step ends.
type stepEnd uint8

const (
	stepsOn stepEnd = iota
	settled         // another one promises nothing that counts
	stuck           // none lowers the objective
	ends            // the point is enough
)

// newton makes one step from m.s.x, and brings the pieces up to date.
func (m *smoothing) newton() stepEnd {
	value := m.expand()
	if m.enough() {
		return ends
	}
	near := m.promising()
	if !m.direction() {
		return stuck
	}
	slope := num.Dot(m.g, m.d)
	if !(-slope > promise*m.excess) && !near {
		return settled
	}
	linear, curve := m.along()
	for t := 1.0; t >= leastStep; t /= 2 {
		after, excess := m.value(t)
		rise := after - value + t*(linear+t*curve/2)
		if rise > sufficient*t*slope {
			continue
		}
		m.fall -= rise - (excess - m.excess)
		m.taken = t
		for k, j := range m.cols {
			m.s.x[j] += t * m.d[k]
		}
		num.Axpy(m.v, t, m.dv)
		if t == 1 && -slope < m.excess && !near { // the next one promises about the square of that
			return settled
		}
		return stepsOn
	}
	return stuck
}

// promising reports whether the point is enough but for the gradient.
func (m *smoothing) promising() bool {
	return m.measured && m.fall >= m.s.decrease && m.mixed <= share*m.fall
}

// enough reports whether the point is enough: the means of the pieces by weights are an affine
// function below each term, so the objective is nowhere lower by more than they are, and by the
// largest fall along the gradient between the bounds.
func (m *smoothing) enough() bool {
	if !m.promising() {
		return false
	}
	open := m.mixed
	for k, j := range m.cols {
		lo, hi := m.s.p.Bounds(int(j))
		g := m.g[k]
		open += max(g*(m.s.x[j]-lo), g*(m.s.x[j]-hi))
	}
	return open <= share*m.fall
}

// finish makes the point, with the weights for multipliers, the answer. It returns false where the
// point breaks a row, as one of a term without cost.
func (m *smoothing) finish() bool {
	s := m.s
	clear(s.y)
	clear(s.z)
	for k, j := range m.cols {
		s.z[j] = -m.g[k]
	}
	sums := s.sums()
	for k, j := range s.terms {
		if _, v, _ := s.piece(j, sums); !math.IsInf(v, 0) {
			s.x[j] = v
		}
		cost := s.p.Q[j]
		if cost == 0 {
			continue
		}
		top, _, temp := m.list(k, 0)
		m.weigh(top, temp)
		for _, a := range m.pieces {
			if a.at < 0 {
				s.z[j] = -cost * a.w
			} else {
				i := m.row[a.at]
				s.y[i] = -cost * a.w / s.p.A.Val[s.ownAt[i]]
			}
		}
	}
	for _, j := range s.terms {
		for k := s.p.A.ColPtr[j]; k < s.p.A.ColPtr[j+1]; k++ {
			s.ax[s.p.A.RowIdx[k]] += s.p.A.Val[k] * s.x[j]
		}
	}
	s.res = qpbackend.Result{Status: qpbackend.AlmostSolved, Message: "the decrease of the objective is enough"}
	s.reached = len(s.broken(s.tolerance(), false)) == 0
	return s.reached
}

// direction sets m.d to a Newton step in the columns that no bound stops, and reports whether there
// is one.
func (m *smoothing) direction() bool {
	p := len(m.cols)
	own := math.SmallestNonzeroFloat64
	for k := range p {
		own += damp / float64(p) * m.h[k*p+k]
	}
	for k, j := range m.cols {
		lo, hi := m.s.p.Bounds(int(j))
		m.h[k*p+k] += own
		m.d[k] = -m.g[k]
		if m.s.x[j] <= lo && m.g[k] > 0 || m.s.x[j] >= hi && m.g[k] < 0 {
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
		lo, hi := m.s.p.Bounds(int(j))
		m.d[k] = min(max(m.s.x[j]+m.d[k], lo), hi) - m.s.x[j]
	}
	return num.FirstNotFinite(m.d) < 0
}

// along sets m.dv to the changes of the pieces along the step, and returns the slope and the
// curvature of the rest of the objective.
func (m *smoothing) along() (linear, curve float64) {
	for k, j := range m.cols {
		m.step[j] = m.d[k]
		linear += (m.s.p.Q[j] + m.full[j]) * m.d[k]
	}
	for q, i := range m.row {
		m.dv[q] = m.change[q] * m.s.product(i, m.step)
	}
	m.multiply(m.step)
	return linear, num.Dot(m.full, m.step)
}
