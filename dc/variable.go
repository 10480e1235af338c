package dc

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/interval"
	"gonum.org/v1/gonum/mat"
)

// Variable is a named array of variables.
type Variable struct {
	Name  string
	Shape []int
	// Origin is the index of the first entry in each dimension, for printing;
	// nil: 1 everywhere.
	Origin []int
	Offset int // of the first entry in x
	// Symmetric: a square matrix of which x holds the upper triangle, column by
	// column; so do Lo, Hi and Start.
	Symmetric bool
	// Skew: a square matrix with X' = −X of which x holds the entries above the diagonal,
	// column by column; so does Start.
	Skew         bool
	semidefinite bool
	// Complex is the name of the complex variable that it is a part of: the real part or,
	// with Imag set, the imaginary one, which follows it in Problem.Vars. Empty: of none.
	Complex string
	Imag    bool
	// Param: it has the value Lo = Hi, which Problem.With changes.
	Param bool
	// Lo and Hi are bounds, entry by entry; nil or infinite: none.
	Lo, Hi []float64
	Start  Start
}

// Semidefinite reports whether it was declared so, by PSD.
func (v *Variable) Semidefinite() bool { return v.semidefinite }

// Len is how many entries of x the variable has: of a symmetric matrix, the entries of the upper
// triangle, of a skew one those above the diagonal.
func (v *Variable) Len() int {
	switch {
	case v.Symmetric:
		return expr.Triangle(v.Shape[0])
	case v.Skew:
		return expr.Triangle(v.Shape[0]) - v.Shape[0]
	}
	return convex.Size(v.Shape)
}

// Values are the entries at x in row-major order. Of a variable that is neither
// symmetric nor skew they are a part of x.
func (v *Variable) Values(x []float64) []float64 {
	x = x[v.Offset : v.Offset+v.Len()]
	switch {
	case v.Skew:
		return v.skewValues(x)
	case !v.Symmetric:
		return x
	}
	n := v.Shape[0]
	out := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			out = append(out, x[expr.Place(i, j)])
		}
	}
	return out
}

// VarOption is an attribute of a variable.
type VarOption func(*Variable) error

// column is where the k-th entry stands in the variable's part of x.
func (v *Variable) column(k int) int {
	if v.Symmetric {
		return expr.Place(k/v.Shape[0], k%v.Shape[0])
	}
	return k
}

// Symmetric makes a square matrix symmetric: x has its upper triangle alone.
// Bounds of mirrored entries both hold; starts must agree.
func Symmetric() VarOption {
	return func(v *Variable) error { v.Symmetric = true; return nil }
}

// PSD makes a square matrix symmetric and positive semidefinite, by a
// constraint named psd(name).
func PSD() VarOption {
	return func(v *Variable) error { v.Symmetric, v.semidefinite = true, true; return nil }
}

// fold brings values given for the full matrix to the triangle.
func (v *Variable) fold() error {
	switch {
	case v.Skew:
		return v.foldSkew()
	case !v.Symmetric:
		return nil
	}
	if len(v.Shape) != 2 || v.Shape[0] != v.Shape[1] {
		v.Symmetric = false
		return fmt.Errorf("shape %v is not symmetric; want a square matrix", v.Shape)
	}
	n := v.Shape[0]
	each := func(full []float64, join func(a, b float64) float64) []float64 {
		if full == nil {
			return nil
		}
		var out []float64
		for j := range n {
			for i := range j + 1 {
				out = append(out, join(full[i*n+j], full[j*n+i]))
			}
		}
		return out
	}
	var err error
	v.Lo, v.Hi = each(v.Lo, math.Max), each(v.Hi, math.Min)
	v.Start.Values = each(v.Start.Values, func(a, b float64) float64 {
		if math.IsNaN(a) {
			return b
		}
		if !(math.Abs(a-b) <= expr.MirrorTol*max(math.Abs(a), math.Abs(b))) && !math.IsNaN(b) && err == nil {
			err = fmt.Errorf("the start is not symmetric: it has %g and %g", a, b)
		}
		return a
	})
	return err
}

// AtLeast and AtMost bound every entry: one number for all entries, or one per entry.
func AtLeast(lo ...float64) VarOption {
	return func(v *Variable) (err error) { v.Lo, err = broadcast(v, "lower bound", lo); return }
}

// AtMost is the upper bound: one number for all entries or one per entry, as for AtLeast.
// +Inf is no bound.
func AtMost(hi ...float64) VarOption {
	return func(v *Variable) (err error) { v.Hi, err = broadcast(v, "upper bound", hi); return }
}

// CountFrom sets the first index of each dimension, for names and printing; methods of
// Affine count from 0 all the same. One number per dimension, or Model.Problem has an error.
func CountFrom(origin ...int) VarOption {
	return func(v *Variable) error {
		if len(origin) != len(v.Shape) {
			return fmt.Errorf("%d first indices for shape %v", len(origin), v.Shape)
		}
		v.Origin = append([]int(nil), origin...)
		return nil
	}
}

// StartAt, StartNormal and StartUniform say where a variable starts; see Start.
func StartAt(values ...float64) VarOption {
	return func(v *Variable) (err error) {
		v.Start.Kind = StartValues
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
	return func(v *Variable) error {
		if !(sd >= 0) || math.IsInf(sd, 1) || math.IsNaN(mean) || math.IsInf(mean, 0) {
			return fmt.Errorf("start normal(%g, %g), want finite numbers and a deviation ≥ 0", mean, sd)
		}
		v.Start = Start{Kind: StartNormally, A: mean, B: sd}
		return nil
	}
}

// StartUniform draws each entry from the uniform distribution on [lo, hi], of finite ends
// in this order, or Model.Problem has an error.
func StartUniform(lo, hi float64) VarOption {
	return func(v *Variable) error {
		if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			return fmt.Errorf("start uniform(%g, %g), want finite numbers in order", lo, hi)
		}
		v.Start = Start{Kind: StartUniformly, A: lo, B: hi}
		return nil
	}
}

// broadcast copies one number to all entries, or checks their count.
func broadcast(v *Variable, what string, x []float64) ([]float64, error) {
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

func (v *Variable) lo(k int) float64 {
	if v.Lo == nil {
		return math.Inf(-1)
	}
	return v.Lo[k]
}

func (v *Variable) hi(k int) float64 {
	if v.Hi == nil {
		return math.Inf(1)
	}
	return v.Hi[k]
}

// Bounds returns the bounds of entry k, 0 ≤ k < Len: −Inf and +Inf where there is none.
func (v *Variable) Bounds(k int) (lo, hi float64) { return v.lo(k), v.hi(k) }

// StartAtComplex is StartAt for a complex variable: one number for all entries or one for
// each, in row-major order. The numbers of a Hermitian matrix must be Hermitian.
func StartAtComplex(values ...complex128) VarOption {
	return func(v *Variable) error {
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
			v.Start.modulus = max(v.Start.modulus, cmplx.Abs(z))
		}
		return err
	}
}

// skew is the matrix of a variable of which x has the entries above the diagonal.
func (v *Variable) skew(of *convex.Space) convex.Array {
	n := v.Shape[0]
	a := convex.Array{Shape: v.Shape, Ptr: make([]int, 1, n*n+1), C: make([]float64, n*n), Of: of}
	for i := range n {
		for j := range n {
			if k, sign := strict(i, j); sign != 0 {
				a.Idx, a.Val = append(a.Idx, v.Offset+k), append(a.Val, sign)
			}
			a.Ptr = append(a.Ptr, len(a.Idx))
		}
	}
	return a
}

// strict is the place of an entry among those above the diagonal, column by column, and
// its sign: 0 on the diagonal, negative below it.
func strict(i, j int) (k int, sign float64) {
	switch {
	case i < j:
		return expr.Triangle(j-1) + i, 1
	case i > j:
		return expr.Triangle(i-1) + j, -1
	}
	return 0, 0
}

// skewValues are all entries of the matrix, of those above the diagonal.
func (v *Variable) skewValues(x []float64) []float64 {
	n := v.Shape[0]
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			if k, sign := strict(i, j); sign != 0 {
				out[i*n+j] = sign * x[k]
			}
		}
	}
	return out
}

// foldSkew brings the start, given for the full matrix, to the entries above the diagonal.
func (v *Variable) foldSkew() error {
	if len(v.Shape) != 2 || v.Shape[0] != v.Shape[1] {
		v.Skew = false
		return fmt.Errorf("shape %v is not Hermitian; want a square matrix", v.Shape)
	}
	full, n := v.Start.Values, v.Shape[0]
	most := expr.MirrorTol * v.Start.modulus
	if full == nil {
		return nil
	}
	v.Start.Values = nil
	for j := range n {
		for i := range j + 1 {
			a, b := full[i*n+j], full[j*n+i]
			if math.Abs(a+b) > most {
				return fmt.Errorf("the start is not Hermitian: its imaginary parts at mirrored places are %g and %g", a,
					b)
			}
			if i < j {
				v.Start.Values = append(v.Start.Values, a)
			}
		}
	}
	return nil
}

// enter adds the entries to a space. known, if it has any, are their bounds from rows to come.
func (v *Variable) enter(s *convex.Space, size float64, known []interval.Interval) {
	for k := range v.Len() {
		lo, hi := v.Bounds(k)
		if v.Param {
			lo, hi = math.Inf(-1), math.Inf(1)
		}
		rows := interval.Whole
		if k < len(known) {
			rows = known[k]
		}
		s.Add(interval.New(lo, hi), v.Param, size, rows)
	}
}

// StartKind is a way to choose a starting value.
type StartKind uint8

// The ways.
const (
	// uniform between finite bounds; a standard normal draw, kept within the bounds, without
	StartUnset     StartKind = iota
	StartValues              // Values; an entry that is NaN counts as unset
	StartNormally            // mean A, deviation B
	StartUniformly           // between A and B
	numStartKind
)

var startText = [numStartKind]string{"unset", "values", "normal", "uniform"}

// String is the kind in words, such as "normal".
func (k StartKind) String() string { return enum.String(k, "StartKind", startText[:]) }

// ParseStartKind is the inverse of String.
func ParseStartKind(name string) (StartKind, error) {
	return enum.Parse[StartKind](name, "dc: no kind of start", startText[:])
}

// Start is where a variable starts.
type Start struct {
	Kind   StartKind
	Values []float64
	A, B   float64

	modulus float64 // the largest of Values that were given for both parts of a complex variable
}
