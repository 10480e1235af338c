package graph

import "slices"

// At is the number of member i in a column.
func At[T any](column []T, i int) T {
	if len(column) == 1 {
		return column[0]
	}
	return column[i]
}

// Append appends the number of one more member to a column of n members, which has one number as
// long as all are that.
func Append[T comparable](column []T, n int, v T) []T {
	switch {
	case n == 0:
		return append(column[:0], v)
	case len(column) == n && n > 1:
		return append(column, v)
	case column[0] == v:
		return column
	}
	out := make([]T, n, 2*n+2)
	for k := range out {
		out[k] = column[0]
	}
	return append(out, v)
}

// Pack is a column with one number where all are that.
func Pack[T comparable](column []T) []T {
	for _, v := range column {
		if v != column[0] {
			return column
		}
	}
	return slices.Clone(column[:1])
}

// Map is f of the numbers of two columns, of which the longer one has n.
func Map(a, b []float64, f func(x, y float64) float64) []float64 {
	out := make([]float64, max(len(a), len(b)))
	for i := range out {
		out[i] = f(At(a, i), At(b, i))
	}
	return out
}

// Scale is a column times the numbers of another one.
func Scale(w, column []float64) []float64 {
	switch {
	case len(w) == 1 && w[0] == 1:
		return column
	case len(column) == 1 && column[0] == 1:
		return w
	}
	out := make([]float64, max(len(w), len(column)))
	if len(w) == 1 {
		for i, v := range column {
			out[i] = w[0] * v
		}
		return out
	}
	for i, v := range w {
		out[i] = v * At(column, i)
	}
	return out
}

// equalColumns reports whether two columns have the same numbers.
func equalColumns[T comparable](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}
