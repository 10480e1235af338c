package refit

import "github.com/dcopt/dcopt/internal/num"

// Data holds training rows. Row i is X[i*N : (i+1)*N], its last entry 1.
type Data struct {
	M, N int
	X    []float64
	Y    []float64 // M targets
	// W has M weights ≥ 0 of sum 1; nil: each is 1/M.
	W []float64
}

// Row is row i, with its 1.
func (d *Data) Row(i int) []float64 { return d.X[i*d.N : (i+1)*d.N : (i+1)*d.N] }

// Weight is the weight of row i.
func (d *Data) Weight(i int) float64 {
	if d.W == nil {
		return 1 / float64(d.M)
	}
	return d.W[i]
}

// Mean is the weighted mean of v, which has one entry per row.
func (d *Data) Mean(v []float64) float64 {
	sum := 0.0
	for i, e := range v {
		sum += d.Weight(i) * e
	}
	return sum
}

// Variance is the weighted variance of the targets.
func (d *Data) Variance() float64 {
	mean, sum := d.Mean(d.Y), 0.0
	for i, v := range d.Y {
		sum += d.Weight(i) * (v - mean) * (v - mean)
	}
	return sum
}

// Gather copies rows of d, and of their entries those in columns (nil: all;
// the last must be the 1), into dst, whose memory is reused. Weights are scaled
// to sum 1 again, and left alone where all are 0.
func (d *Data) Gather(dst *Data, rows, columns []int) {
	dst.M, dst.N = len(rows), d.N
	if columns != nil {
		dst.N = len(columns)
	}
	dst.X, dst.Y = dst.X[:0], dst.Y[:0]
	for _, i := range rows {
		row := d.Row(i)
		if columns == nil {
			dst.X = append(dst.X, row...)
		}
		for _, j := range columns {
			dst.X = append(dst.X, row[j])
		}
		dst.Y = append(dst.Y, d.Y[i])
	}
	if d.W == nil {
		dst.W = nil
		return
	}
	dst.W = dst.W[:0]
	sum := 0.0
	for _, i := range rows {
		dst.W = append(dst.W, d.W[i])
		sum += d.W[i]
	}
	if sum > 0 {
		for k := range dst.W {
			dst.W[k] /= sum
		}
	}
}

// largest returns which of the pieces, rows of coefficients one after another,
// is largest at x, the first of equals, and its value.
func largest(pieces, x []float64) (arg int, best float64) {
	n := len(x)
	best = num.Dot(pieces[:n], x)
	for k, at := 1, n; at < len(pieces); k, at = k+1, at+n {
		if v := num.Dot(pieces[at:at+n], x); v > best {
			arg, best = k, v
		}
	}
	return arg, best
}

// Eval is the value at x, which ends in 1, of the function with these pieces,
// r1 of the first maximum before the pieces of the second.
func Eval(pieces []float64, r1 int, x []float64) float64 {
	_, u := largest(pieces[:r1*len(x)], x)
	_, v := largest(pieces[r1*len(x):], x)
	return u - v
}

// EvalArgs is Eval together with the pieces that attain the maxima.
func EvalArgs(pieces []float64, r1 int, x []float64) (i, j int, f float64) {
	i, u := largest(pieces[:r1*len(x)], x)
	j, v := largest(pieces[r1*len(x):], x)
	return i, j, u - v
}

// Rounding bounds the variance of a standardised target that is constant except
// for rounding errors; other targets have variance 1.
// Source: derived: (5e3 unit roundoffs)² of numbers of size one.
const Rounding = 1e-24
