package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// axis is a range with the places of its ticks; of a logarithmic one these are
// exponents of 10.
type axis struct {
	lo, hi float64
	ticks  []float64
	labels []string
}

// niceStep is the least of 1, 2, 5 times a power of 10 that is at least s.
func niceStep(s float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(s)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= s*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// tickText has the digits that tell neighbouring ticks apart.
func tickText(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	if math.Abs(v) >= 1e6 || digits > 3 {
		short := strconv.FormatFloat(v, 'g', max(1, digits+1+int(math.Floor(math.Log10(math.Abs(v))))), 64)
		return strings.NewReplacer("e-0", "e-", "e+0", "e").Replace(short)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// decades is the axis of the logarithms of the values.
func decades(values []float64) axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 1) {
			lo, hi = min(lo, math.Log10(v)), max(hi, math.Log10(v))
		}
	}
	if lo > hi { // nothing was ever violated
		lo, hi = -8, 0
	}
	a := axis{lo: math.Floor(lo), hi: math.Ceil(hi)}
	if a.lo == a.hi {
		a.hi++
	}
	a.lo-- // the place of zeros
	step := math.Ceil((a.hi - a.lo) / 8)
	for e := a.hi; e > a.lo; e -= step {
		a.ticks = append(a.ticks, e)
		a.labels = append(a.labels, fmt.Sprintf("1e%g", e+0))
	}
	a.ticks, a.labels = append(a.ticks, a.lo), append(a.labels, "0")
	return a
}
