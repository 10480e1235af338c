package dataset

import (
	"fmt"
	"math"
)

// StandardScaler shifts and scales columns to mean 0 and standard deviation 1.
type StandardScaler struct {
	Mean  []float64
	Scale []float64 // standard deviation (divisor m), or 1 where that vanishes
}

// FitScaler learns the columns' means and standard deviations from the rows of
// x, all of one length and without missing values. A column whose deviation is
// below 1e-12, or no more than the rounding errors of its mean, has scale 1.
func FitScaler(x [][]float64) (*StandardScaler, error) {
	n, err := width(x)
	if err != nil {
		return nil, err
	}
	s := &StandardScaler{Mean: make([]float64, n), Scale: make([]float64, n)}
	column := make([]float64, len(x))
	for j := range n {
		for i, row := range x {
			if math.IsNaN(row[j]) {
				return nil, fmt.Errorf("dataset: row %d, column %d is missing; impute before scaling", i, j)
			}
			column[i] = row[j]
		}
		s.Mean[j], s.Scale[j] = MeanStd(column)
		const ε = 0x1p-52 // Source: IEEE 754.
		if s.Scale[j] < 1e-12 || s.Scale[j] <= float64(len(x))*ε*math.Abs(s.Mean[j]) {
			s.Scale[j] = 1
		}
	}
	return s, nil
}

// Apply standardises row in place. len(row) = len(s.Mean).
func (s *StandardScaler) Apply(row []float64) {
	for j, v := range row {
		row[j] = (v - s.Mean[j]) / s.Scale[j]
	}
}

// MeanStd returns mean and standard deviation (divisor len(v)) of finite
// values, at least one. Neither overflows.
func MeanStd(v []float64) (mean, std float64) {
	// A power of two is divided out exactly, so that squares and sums of the
	// largest and smallest numbers stay within range.
	_, e := math.Frexp(maxAbs(v))
	for _, x := range v {
		mean += math.Ldexp(x, -e)
	}
	mean /= float64(len(v))
	sum := 0.0
	for _, x := range v {
		d := math.Ldexp(x, -e) - mean
		sum += d * d
	}
	return math.Ldexp(mean, e), math.Ldexp(math.Sqrt(sum/float64(len(v))), e)
}

func maxAbs(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
