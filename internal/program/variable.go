package program

import (
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/interval"
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
	Skew bool
	// Semidefinite: a symmetric or Hermitian matrix that is declared so.
	Semidefinite bool
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

// column is where the k-th entry stands in the variable's part of x.
func (v *Variable) column(k int) int {
	if v.Symmetric {
		return expr.Place(k/v.Shape[0], k%v.Shape[0])
	}
	return k
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

// entries are the entries of the array.
func (v *Variable) entries(of *convex.Space) convex.Array {
	if v.Skew {
		return v.skew(of)
	}
	n := convex.Size(v.Shape)
	out := convex.Array{Shape: v.Shape, Ptr: make([]int, n+1), Idx: make([]int, n), Val: make([]float64, n),
		C: make([]float64, n), Of: of}
	for k := range n {
		out.Ptr[k+1], out.Idx[k], out.Val[k] = k+1, v.Offset+v.column(k), 1
	}
	return out
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
	most := expr.MirrorTol * v.Start.Modulus
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
	Kind    StartKind
	Values  []float64
	A, B    float64
	Modulus float64 // the largest of Values that were given for both parts of a complex variable
}

// Takes refuses values that a parameter cannot have.
func (v *Variable) Takes(values []float64) error {
	if n := v.Len(); len(values) != 1 && len(values) != n {
		return fmt.Errorf("a parameter has %d numbers, want 1 or %d", len(values), n)
	}
	for k, e := range values {
		if math.IsNaN(e) {
			return fmt.Errorf("a parameter is NaN at entry %d", k)
		} else if math.IsInf(e, 0) {
			return fmt.Errorf("value %d is %g", k, e)
		}
	}
	return nil
}

// Set writes values that the variable takes over those that it is fixed to.
func (v *Variable) Set(values []float64) {
	for k := range v.Lo { // the slice of Hi and Start, too
		v.Lo[k] = values[min(k, len(values)-1)]
	}
}

// Fix lets the variable have but one value.
func (v *Variable) Fix(x []float64) { v.Lo, v.Hi, v.Start = x, x, Start{Kind: StartValues, Values: x} }

// RealPart and ImagPart are the names of the real and the imaginary part of what has a
// name: of a complex variable, and of a family of complex equations.
func RealPart(name string) string { return "re(" + name + ")" }

// ImagPart is the name of the imaginary part, see RealPart.
func ImagPart(name string) string { return "im(" + name + ")" }

// PartOf is the name of which another one names a part, and whether it is the imaginary
// one; ok is false for a name that RealPart or ImagPart did not make.
func PartOf(part string) (name string, imag, ok bool) {
	inner, closed := strings.CutSuffix(part, ")")
	if name, ok = strings.CutPrefix(inner, "re("); ok && closed {
		return name, false, true
	}
	if name, ok = strings.CutPrefix(inner, "im("); ok && closed {
		return name, true, true
	}
	return part, false, false
}
