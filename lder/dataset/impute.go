package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/enum"
)

// Strategy is a way to fill missing values.
type Strategy uint8

// The strategies.
const (
	Mean         Strategy = iota // the mean of the column's values
	Median                       // their median, the mean of the middle two
	MostFrequent                 // the value that occurs most often, the least of equals
	Constant                     // a given value
	numStrategy
)

var strategyText = [numStrategy]string{"mean", "median", "most_frequent", "constant"}

// String is the name of the strategy in model files, such as "mean".
func (s Strategy) String() string { return enum.String(s, "Strategy", strategyText[:]) }

// ParseStrategy is the inverse of String.
func ParseStrategy(name string) (Strategy, error) {
	return enum.Parse[Strategy](name, "dataset: no imputation strategy", strategyText[:])
}

// SimpleImputer replaces each missing value by one value of its column.
type SimpleImputer struct {
	Strategy Strategy
	// Fill has one finite value a column.
	Fill []float64
}

// FitImputer learns the fill values from the rows of x, all of one length, NaN
// for missing values. A column without any value is filled with 0; so is, by
// Constant, every column.
func FitImputer(x [][]float64, s Strategy) (*SimpleImputer, error) { return FitImputerValue(x, s, 0) }

// FitImputerValue is FitImputer with the value of the strategy Constant; the
// others do not look at it.
func FitImputerValue(x [][]float64, s Strategy, value float64) (*SimpleImputer, error) {
	if s >= numStrategy {
		return nil, fmt.Errorf("dataset: unknown imputation %v", s)
	}
	n, err := width(x)
	if err != nil {
		return nil, err
	}
	im := &SimpleImputer{Strategy: s, Fill: make([]float64, n)}
	if s == Constant {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("dataset: missing values cannot be filled with %g", value)
		}
		for j := range im.Fill {
			im.Fill[j] = value
		}
		return im, nil
	}
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

// fill is the strategy's value for a column with these values, at least one,
// which it may sort.
func (s Strategy) fill(values []float64) float64 {
	switch s {
	case Median:
		slices.Sort(values)
		k := len(values)
		return values[(k-1)/2]/2 + values[k/2]/2
	case MostFrequent:
		return mode(values)
	}
	mean, _ := MeanStd(values)
	return mean
}

// mode is the most frequent of the values, which it sorts; the least of equals.
func mode(values []float64) float64 {
	slices.Sort(values)
	best, most := values[0], 0
	for i := 0; i < len(values); {
		k := i
		for k < len(values) && values[k] == values[i] {
			k++
		}
		if k-i > most {
			best, most = values[i], k-i
		}
		i = k
	}
	return best
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
