package shards

import (
	"cmp"
	"math"
	"slices"
)

// moments are count, mean and sum of squared deviations of numbers.
type moments struct {
	n, mean, m2 float64
	lo, hi      float64
}

func (m *moments) add(v float64) {
	if m.n == 0 {
		m.lo, m.hi = v, v
	}
	m.n++
	d := v - m.mean
	m.mean += d / m.n
	m.m2 += d * (v - m.mean)
	m.lo, m.hi = min(m.lo, v), max(m.hi, v)
}

// merge adds those of other numbers: Chan, Golub and LeVeque 1983, (1.5).
func (m *moments) merge(o moments) {
	switch {
	case o.n == 0:
		return
	case m.n == 0:
		*m = o
		return
	}
	n := m.n + o.n
	d := o.mean - m.mean
	m.mean += d * o.n / n
	m.m2 += o.m2 + d*d*m.n*o.n/n
	m.n = n
	m.lo, m.hi = min(m.lo, o.lo), max(m.hi, o.hi)
}

// std is the standard deviation, divisor n, or 1 where that vanishes, as dataset.FitScaler
// has it.
func (m *moments) std() float64 {
	const ε = 0x1p-52
	s := math.Sqrt(m.m2 / m.n)
	if !(s >= 1e-12) || s <= m.n*ε*math.Abs(m.mean) {
		return 1
	}
	return s
}

// sample keeps the rows whose keys, mixed numbers of the rows, are smallest: which ones follows from the
// numbers of the rows alone.
type sample struct {
	most  int
	rows  []sampled
	cut   uint64 // no row above it is kept
	whole bool   // no row up to the first cut was dropped
}

type sampled struct {
	key        uint64
	part, line int
	x          []float64
	y          float64
}

func newSample(most int, cut uint64) *sample { return &sample{most: most, cut: cut, whole: true} }

// mixed is the key of a row.
func mixed(part, line int) uint64 { return mix(uint64(part)<<40 + uint64(line)) }

// splitMix is the step of SplitMix64.
const splitMix = 0x9e3779b97f4a7c15

// mix is the step and the finaliser of Steele, Lea and Flood 2014, SplitMix64.
func mix(z uint64) uint64 {
	z += splitMix
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *sample) add(part, line int, x []float64, y float64) {
	key := mixed(part, line)
	if key > s.cut {
		return
	}
	s.rows = append(s.rows, sampled{key, part, line, slices.Clone(x), y})
	if len(s.rows) >= 2*s.most {
		s.trim()
	}
}

func (s *sample) trim() {
	if len(s.rows) <= s.most {
		return
	}
	slices.SortFunc(s.rows, func(a, b sampled) int {
		return cmp.Or(cmp.Compare(a.key, b.key), a.part-b.part, a.line-b.line)
	})
	clear(s.rows[s.most:])
	s.rows = s.rows[:s.most]
	s.cut = s.rows[s.most-1].key
	s.whole = false
}

// inOrder are the rows kept, in the order of parts and lines.
func (s *sample) inOrder() []sampled {
	s.trim()
	slices.SortFunc(s.rows, func(a, b sampled) int { return cmp.Or(a.part-b.part, a.line-b.line) })
	return s.rows
}
