package datafile

import "github.com/dcopt/dcopt/internal/arrays"

// Array is numbers that were read: Sparse where it is not nil.
type Array struct {
	arrays.Dense
	Sparse *arrays.Sparse
}

// Size is how many numbers are stored.
func (a *Array) Size() int {
	if a.Sparse != nil {
		return len(a.Sparse.Idx)
	}
	return len(a.Values)
}

func vector(values []float64) Array {
	return Array{Dense: arrays.Dense{Shape: []int{len(values)}, Values: values}}
}
