package dc

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/program"
	"gonum.org/v1/gonum/mat"
)

// VarOption is an attribute of a variable.
type VarOption func(*program.Variable) error

// Symmetric makes a square matrix symmetric: x has its upper triangle alone.
// Bounds of mirrored entries both hold; starts must agree.
func Symmetric() VarOption {
	return func(v *program.Variable) error { v.Symmetric = true; return nil }
}

// PSD makes a square matrix symmetric and positive semidefinite, by a
// constraint named psd(name).
func PSD() VarOption {
	return func(v *program.Variable) error { v.Symmetric, v.Semidefinite = true, true; return nil }
}

// AtLeast and AtMost bound every entry: one number for all entries, or one per entry.
func AtLeast(lo ...float64) VarOption {
	return func(v *program.Variable) (err error) { v.Lo, err = broadcast(v, "lower bound", lo); return }
}

// AtMost is the upper bound: one number for all entries or one per entry, as for AtLeast.
// +Inf is no bound.
func AtMost(hi ...float64) VarOption {
	return func(v *program.Variable) (err error) { v.Hi, err = broadcast(v, "upper bound", hi); return }
}

// CountFrom sets the first index of each dimension, for names and printing; methods of
// Affine count from 0 all the same. One number per dimension, or Model.Problem has an error.
func CountFrom(origin ...int) VarOption {
	return func(v *program.Variable) error {
		if len(origin) != len(v.Shape) {
			return fmt.Errorf("%d first indices for shape %v", len(origin), v.Shape)
		}
		v.Origin = append([]int(nil), origin...)
		return nil
	}
}

// StartAt, StartNormal and StartUniform say where a variable starts; see Start.
func StartAt(values ...float64) VarOption {
	return func(v *program.Variable) (err error) {
		v.Start.Kind = program.StartValues
		v.Start.Values, err = broadcast(v, "start", values)
		if err != nil {
			return err
		}
		for k, x := range v.Start.Values {
			if math.IsInf(x, 0) {
				return fmt.Errorf("start value %d is %g", k, x)
			}
		}
		return nil
	}
}

// StartAtMatrix is StartAt for the entries of a matrix of the variable's shape.
func StartAtMatrix(start mat.Matrix) VarOption { return StartAt(Mat(start).arr.C...) }

// StartNormal draws each entry from the normal distribution with that mean and standard
// deviation, sd ≥ 0; both must be finite, or Model.Problem has an error.
func StartNormal(mean, sd float64) VarOption {
	return func(v *program.Variable) error {
		if !(sd >= 0) || math.IsInf(sd, 1) || math.IsNaN(mean) || math.IsInf(mean, 0) {
			return fmt.Errorf("start normal(%g, %g), want finite numbers and a deviation ≥ 0", mean, sd)
		}
		v.Start = program.Start{Kind: program.StartNormally, A: mean, B: sd}
		return nil
	}
}

// StartUniform draws each entry from the uniform distribution on [lo, hi], of finite ends
// in this order, or Model.Problem has an error.
func StartUniform(lo, hi float64) VarOption {
	return func(v *program.Variable) error {
		if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			return fmt.Errorf("start uniform(%g, %g), want finite numbers in order", lo, hi)
		}
		v.Start = program.Start{Kind: program.StartUniformly, A: lo, B: hi}
		return nil
	}
}

// broadcast copies one number to all entries, or checks their count.
func broadcast(v *program.Variable, what string, x []float64) ([]float64, error) {
	n := convex.Size(v.Shape)
	if len(x) != 1 && len(x) != n {
		return nil, fmt.Errorf("%s has %d numbers, want 1 or %d", what, len(x), n)
	}
	out := make([]float64, n)
	for k := range out {
		if len(x) == 1 {
			out[k] = x[0]
		} else {
			out[k] = x[k]
		}
		if math.IsNaN(out[k]) && what != "start" {
			return nil, fmt.Errorf("%s is NaN at entry %d", what, k)
		}
	}
	return out, nil
}

// StartAtComplex is StartAt for a complex variable: one number for all entries or one for
// each, in row-major order. The numbers of a Hermitian matrix must be Hermitian.
func StartAtComplex(values ...complex128) VarOption {
	return func(v *program.Variable) error {
		part := make([]float64, len(values))
		for k, z := range values {
			if part[k] = real(z); v.Imag {
				part[k] = imag(z)
			}
			if v.Complex == "" && imag(z) != 0 {
				return fmt.Errorf("start value %d is %g, and the variable is real", k, z)
			}
		}
		err := StartAt(part...)(v)
		for _, z := range values {
			v.Start.Modulus = max(v.Start.Modulus, cmplx.Abs(z))
		}
		return err
	}
}
