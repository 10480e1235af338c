package ensemble

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// fewestRows is the number of rows below which the error on new rows counts as
// unknown: of fewer than 20, the relative standard error √(2/m) of a mean of
// squared normal errors is above .3.
// Source: derived, see above.
const fewestRows = 20

// significant is the quantile of Student's t distribution of m − 1 degrees of freedom for
// a one-sided test at 5%; m ≥ 2.
func significant(m float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: m - 1}.Quantile(.95)
}

// difference is the weighted mean of f − e, its standard error, and the number of rows
// with a weight.
func difference(d *refit.Data, e, f []float64) (gain, deviation, m float64) {
	for i := range e {
		w := d.Weight(i)
		gain += w * (f[i] - e[i])
		if w > 0 {
			m++
		}
	}
	for i := range e {
		w, v := d.Weight(i), f[i]-e[i]-gain
		deviation += w * w * v * v
	}
	return gain, math.Sqrt(deviation), m
}

// HeldOut returns the weighted mean of errs, the errors of cross-validated
// predictions of the rows of d. It returns -1, for unknown, with fewer than
// fewestRows rows, and where the mean is below the mean of base, but not significantly
// (one-sided t test of the paired differences, 5%). base holds the errors of the
// best constant prediction from the other rows.
func HeldOut(d *refit.Data, errs, base []float64) float64 {
	gain, deviation, m := difference(d, errs, base)
	if m < fewestRows {
		return -1
	}
	deviation *= math.Sqrt(m / (m - 1))
	if gain > 0 && gain < significant(m)*deviation {
		return -1
	}
	return d.Mean(errs)
}

// heldOut is HeldOut for the squared errors of predictions.
func (s *sample) heldOut(errs []float64) float64 {
	mean, base := s.d.Mean(s.d.Y), make([]float64, s.d.M)
	for i, y := range s.d.Y {
		if w := s.d.Weight(i); w < 1 {
			e := (y - mean) / (1 - w) // of the mean of the other rows
			base[i] = e * e
		}
	}
	return HeldOut(s.d, errs, base)
}

// squaredErrors of predictions p, clipped.
func squaredErrors(d *refit.Data, p []float64, clip Range) []float64 {
	errs := make([]float64, d.M)
	for i, v := range p {
		e := d.Y[i] - clip.Clip(v)
		errs[i] = e * e
	}
	return errs
}

// outside returns, for each row, its error and its prediction by the candidate
// that is best on the rows outside its fold of the first partition: errs and oof
// have one slice per candidate. The errors are free of the optimism of a choice
// by the same rows.
func (b *bagging) outside(errs, oof [][]float64) (e, p []float64) {
	e, p = make([]float64, b.d.M), make([]float64, b.d.M)
	total, part := make([]float64, len(errs)), make([]float64, len(errs))
	for c, v := range errs {
		total[c] = b.d.Mean(v)
	}
	for _, g := range b.bags[:b.folds] {
		clear(part)
		best := 0
		for c, v := range errs {
			for _, i := range g.hold {
				part[c] += b.d.Weight(i) * v[i]
			}
			if total[c]-part[c] < total[best]-part[best] {
				best = c
			}
		}
		for _, i := range g.hold {
			e[i], p[i] = errs[best][i], oof[best][i]
		}
	}
	return e, p
}
