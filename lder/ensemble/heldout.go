package ensemble

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// fewestRows is the number of rows below which the error on new rows counts as
// unknown: of fewer than 20, the relative standard error √(2/m) of a mean of
// squared normal errors is above .3.
const fewestRows = 20

// heldOut is the weighted mean of errs, squared errors of predictions of rows
// that had no part in the fits nor in the choice between them; -1 where it tells
// nothing: with fewer than fewestRows rows, or where it is below the error of
// the mean, but not by a one-sided t test of the paired differences at 5%.
func (s *sample) heldOut(errs []float64) float64 {
	m, mean, error, gain, squares := 0.0, s.d.Mean(s.d.Y), 0.0, 0.0, 0.0
	differences := make([]float64, len(errs))
	for i, e := range errs {
		w := s.d.Weight(i)
		if !(w > 0 && w < 1) {
			continue
		}
		alone := (s.d.Y[i] - mean) / (1 - w) // error of the mean of the other rows
		differences[i] = alone*alone - e
		error += w * e
		gain += w * differences[i]
		m++
	}
	if m < fewestRows {
		return -1
	}
	for i, v := range differences {
		w := s.d.Weight(i)
		squares += w * w * (v - gain) * (v - gain)
	}
	deviation := math.Sqrt(squares * m / (m - 1)) // of gain
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: m - 1}.Quantile(.95)
	if error < s.d.Variance() && gain < t*deviation {
		return -1
	}
	return error
}

// squaredErrors are those of predictions p, clipped.
func squaredErrors(d *refit.Data, p []float64, clip Range) []float64 {
	errs := make([]float64, d.M)
	for i, v := range p {
		e := d.Y[i] - clip.Clip(v)
		errs[i] = e * e
	}
	return errs
}

// outside returns, for each row, its error by the candidate that is best on the
// rows outside its fold of the first partition: errs holds a slice a candidate.
// It estimates the error of the best candidate without the luck of the choice.
func (b *bagging) outside(errs [][]float64) []float64 {
	out := make([]float64, b.d.M)
	total, part := make([]float64, len(errs)), make([]float64, len(errs))
	for c, e := range errs {
		for i, v := range e {
			total[c] += b.d.Weight(i) * v
		}
	}
	for _, g := range b.bags[:b.folds] {
		clear(part)
		best := 0
		for c, e := range errs {
			for _, i := range g.hold {
				part[c] += b.d.Weight(i) * e[i]
			}
			if total[c]-part[c] < total[best]-part[best] {
				best = c
			}
		}
		for _, i := range g.hold {
			out[i] = errs[best][i]
		}
	}
	return out
}
