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

// columnMoments are the moments of columns over a block of rows.
type columnMoments struct{ n, sum, mean, m2, lo, hi []float64 }

func newColumnMoments(columns int) *columnMoments {
	list := func() []float64 { return make([]float64, columns) }
	return &columnMoments{list(), list(), list(), list(), list(), list()}
}

// take sets c to the moments of the rows of a fold, which are ld apart, where numbers are not
// missing: in two passes.
func (c *columnMoments) take(rows []float64, ld int, folds []int32, fold int32) {
	clear(c.n)
	clear(c.sum)
	clear(c.m2)
	for j := range c.n {
		c.lo[j], c.hi[j] = math.Inf(1), math.Inf(-1)
	}
	for i, f := range folds {
		if f != fold {
			continue
		}
		row := rows[i*ld:][:len(c.n)]
		n, sum, lo, hi := c.n[:len(row)], c.sum[:len(row)], c.lo[:len(row)], c.hi[:len(row)]
		for j, v := range row {
			if v != v {
				continue
			}
			n[j]++
			sum[j] += v
			if v < lo[j] {
				lo[j] = v
			}
			if v > hi[j] {
				hi[j] = v
			}
		}
	}
	for j, n := range c.n {
		c.mean[j] = c.sum[j] / n
	}
	for i, f := range folds {
		if f != fold {
			continue
		}
		row := rows[i*ld:][:len(c.n)]
		mean, m2 := c.mean[:len(row)], c.m2[:len(row)]
		for j, v := range row {
			if d := v - mean[j]; d == d {
				m2[j] += d * d
			}
		}
	}
}

// of gives the moments of a column.
func (c *columnMoments) of(j int) moments {
	return moments{c.n[j], c.mean[j], c.m2[j], c.lo[j], c.hi[j]}
}

// merge adds the moments of other numbers: Chan, Golub and LeVeque 1983, (1.5).
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

// sample keeps the rows whose keys, mixed numbers of the rows, are smallest: which ones follows
// from the numbers of the rows alone. They stay in the order in which they come.
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

// least is the n-th of the keys in order: the keys of one bucket are sorted.
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
