package dataset

import (
	"fmt"
	"math"
)

// Strategy is a way to fill missing values.
type Strategy uint8

// The strategies.
const (
	Mean Strategy = iota // the mean of the column's values
	numStrategy
)

var strategyText = [numStrategy]string{"mean"}

// String is the strategy as model files have it, such as "mean".
func (s Strategy) String() string {
	if s < numStrategy {
		return strategyText[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// ParseStrategy is the inverse of String.
func ParseStrategy(s string) (Strategy, error) {
	for k, name := range strategyText {
		if s == name {
			return Strategy(k), nil
		}
	}
	return 0, fmt.Errorf("dataset: no imputation strategy %q; there is %s", s, list(strategyText[:]))
}

// SimpleImputer replaces each missing value by one value of its column.
type SimpleImputer struct {
	Strategy Strategy
	// Fill has one finite value a column.
	Fill []float64
}

// FitImputer learns the fill values from the rows of x, all of one length, NaN
// for missing values. A column without any value is filled with 0.
func FitImputer(x [][]float64, s Strategy) (*SimpleImputer, error) {
	if s >= numStrategy {
		return nil, fmt.Errorf("dataset: unknown imputation %v", s)
	}
	n, err := width(x)
	if err != nil {
		return nil, err
	}
	im := &SimpleImputer{Strategy: s, Fill: make([]float64, n)}
	values := make([]float64, 0, len(x))
	for j := range n {
		values = values[:0]
		for _, row := range x {
			if !math.IsNaN(row[j]) {
				values = append(values, row[j])
			}
		}
		if len(values) > 0 {
			im.Fill[j] = s.fill(values)
		}
	}
	return im, nil
}

// fill is the strategy's value for a column with these values, at least one.
func (s Strategy) fill(values []float64) float64 {
	mean, _ := MeanStd(values)
	return mean
}

// Apply fills the missing values of row in place. len(row) = len(im.Fill).
func (im *SimpleImputer) Apply(row []float64) {
	for j, v := range row {
		if math.IsNaN(v) {
			row[j] = im.Fill[j]
		}
	}
}

// width is the common length of the rows, at least one; infinite values are
// refused.
func width(x [][]float64) (int, error) {
	if len(x) == 0 {
		return 0, fmt.Errorf("dataset: no rows")
	}
	n := len(x[0])
	for i, row := range x {
		if len(row) != n {
			return 0, fmt.Errorf("dataset: row %d has %d values, row 0 has %d", i, len(row), n)
		}
		for j, v := range row {
			if math.IsInf(v, 0) {
				return 0, fmt.Errorf("dataset: row %d, column %d is %g", i, j, v)
			}
		}
	}
	return n, nil
}
