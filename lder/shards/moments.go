package shards

import (
	"math"
	"math/bits"
	"slices"
)

// moments are count, mean and sum of squared deviations of numbers.
type moments struct {
	n, mean, m2 float64
	lo, hi      float64
}

// momentsOfRows are those of values of the rows of a fold, every step-th number, where they are not missing: in
// two passes.
func momentsOfRows(values []float64, step int, folds []int32, fold int32) (m moments) {
	sum := 0.0
	m.lo, m.hi = math.Inf(1), math.Inf(-1)
	for i, at := 0, 0; i < len(folds); i, at = i+1, at+step {
		if v := values[at]; v == v && folds[i] == fold {
			m.n++
			sum += v
			if v < m.lo {
				m.lo = v
			}
			if v > m.hi {
				m.hi = v
			}
		}
	}
	m.mean = sum / m.n
	for i, at := 0, 0; i < len(folds); i, at = i+1, at+step {
		if v := values[at]; v == v && folds[i] == fold {
			m.m2 += (v - m.mean) * (v - m.mean)
		}
	}
	return m
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
	const ε = 0x1p-52 // Source: IEEE 754.
	s := math.Sqrt(m.m2 / m.n)
	if !(s >= 1e-12) || s <= m.n*ε*math.Abs(m.mean) {
		return 1
	}
	return s
}

// sample keeps the rows whose keys, mixed numbers of the rows, are smallest: which ones follows from the
// numbers of the rows alone. They stay in the order in which they come.
type sample struct {
	most   int
	rows   []sampled
	values []float64 // of each row the features, then the target
	cut    uint64    // no row above it is kept
	whole  bool      // no row up to the first cut was dropped
}

type sampled struct {
	key        uint64 // no two rows have the same
	part, line int
}

func newSample(most int, cut uint64) *sample { return &sample{most: most, cut: cut, whole: true} }

// mixed is the key of a row.
func mixed(part, line int) uint64 { return mix(uint64(part)<<40 + uint64(line)) }

// splitMix is the step of SplitMix64.
// Source: Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators.
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
	s.rows = append(s.rows, sampled{key, part, line})
	s.values = append(append(s.values, x...), y)
	if len(s.rows) >= 2*s.most {
		s.trim()
	}
}

// least is the n-th of the keys in order: those of one bucket are sorted.
func (s *sample) least(n int) uint64 {
	const size = 12 // Source: derived: a bucket of 2^17 keys, which are spread evenly, has 32.
	shift := max(0, 64-size-bits.LeadingZeros64(s.cut))
	var counts [1 << size]int
	for _, r := range s.rows {
		counts[r.key>>shift]++
	}
	bucket := uint64(0)
	for ; n > counts[bucket]; bucket++ {
		n -= counts[bucket]
	}
	keys := make([]uint64, 0, counts[bucket])
	for _, r := range s.rows {
		if r.key>>shift == bucket {
			keys = append(keys, r.key)
		}
	}
	slices.Sort(keys)
	return keys[n-1]
}

func (s *sample) trim() {
	if len(s.rows) <= s.most {
		return
	}
	s.cut, s.whole = s.least(s.most), false
	width, n := len(s.values)/len(s.rows), 0
	for i, r := range s.rows {
		if r.key <= s.cut {
			s.rows[n] = r
			copy(s.values[n*width:(n+1)*width], s.values[i*width:])
			n++
		}
	}
	s.rows, s.values = s.rows[:n], s.values[:n*width]
}
