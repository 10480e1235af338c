package rule

import (
	"errors"
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// QuotientOf is a/b, see dc.Quotient.
func QuotientOf(a, b expr.Scalar) expr.Scalar {
	if err := errors.Join(a.Err, b.Err); err != nil {
		return expr.Scalar{Err: err}
	}
	i := b.Over()
	e := expr.Failed("the sign of the denominator is not known: by the bounds of the variables it is %g to %g", i.Lo,
		i.Hi)
	switch {
	case i.Lo >= 0:
		e = TimesOf(a, PowerOf(b, -1))
	case i.Hi <= 0:
		e = TimesOf(a, PowerOf(b.Neg(), -1)).Neg()
	}
	if e.Err == nil || b.IsConst() {
		return e
	}
	return expr.Linearised(writtenOf(quotient, a, b), e.Err, a, b)
}

// knownDivisor is how many times its rounding error a divisor is at least, for its quotient to be
// known: else that may be of either sign, and its error is no reason to take a constraint as kept.
// Source: derived: at 4 the error of the quotient is a third of its size.
const knownDivisor = 4

// quotient is a/b for a b of any sign but 0.
var quotient = rowOf(atom.Reduce{
	Name: "quotient", Smooth: true, Poles: true,
	Value: func(dst []float64, u [][]float64, _ []float64) {
		for m := range dst {
			if dst[m] = u[0][m] / u[1][m]; u[1][m] == 0 {
				dst[m] = math.NaN()
			}
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, _ []float64) {
		for m, g := range adj {
			b := u[1][m]
			to[0][m] += g / b
			to[1][m] -= g * u[0][m] / b / b
		}
	},
	// The gradient is (1, −q)/b with q = a/b.
	Second: func(to [][]float64, adj []float64, u, d [][]float64, _, _ []float64) {
		for m, g := range adj {
			b := u[1][m]
			q, db := u[0][m]/b, d[1][m]
			dq := (d[0][m] - q*db) / b
			to[0][m] -= g * db / b / b
			to[1][m] -= g * (dq - q*db/b) / b
		}
	},
	// |a/b − A/B| ≤ (|A − a| + |a/b|·|B − b|)/|B| for the exact A and B.
	Error: func(dst, _ []float64, u, e [][]float64, v, _ []float64) {
		for m := range dst {
			b, d, size := math.Abs(u[1][m]), e[1][m], math.Abs(v[m])
			if dst[m] = math.Inf(1); !(b < knownDivisor*d) {
				dst[m] = (e[0][m]+size*d)/max(b-d, 0) + convex.Roundoff*size + math.SmallestNonzeroFloat64
			}
		}
	},
	Products: func(int) [][]atom.Factor { return [][]atom.Factor{{{Power: 1, Entry: 0}, {Power: -1, Entry: 1}}} },
})

// rowOf is a row that no family has.
func rowOf(f atom.Reduce) *atom.Reduce {
	f.Alone, f.Entries = true, make([]atom.Entry, 1)
	if f.Over == nil {
		f.Over = func([]atom.Interval, []float64) atom.Interval { return interval.Whole }
	}
	return &f
}
