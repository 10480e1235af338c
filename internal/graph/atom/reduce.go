package atom

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

// Reduce is a function f of several numbers u₁ … uₙ with parameters p, which most rows have no use
// for: a row of the table. Its functions work on columns, u[k][i] being uₖ of member i; they use
// as many members as the first column of their arguments, dst or adj, has.
type Reduce struct {
	Name          string // in problem files, messages and the protocol
	Means         string // its name in words, or its formula, of an array x; left out of rows that are not Plain
	HasParameters bool   // problem files have p: the threshold, the order, the count or the weights
	// Curvature is 1 if f is convex on its domain, −1 if it is concave, 0 if it is neither.
	Curvature int
	// Smooth says that f has a gradient wherever it has subgradients, norms at 0 aside.
	Smooth bool
	// Entries say more of u₁, u₂ and so on; the last one counts for all that follow.
	Entries []Entry
	Places  Places
	Single  Single

	// Value writes f of all members. Outside of its domain a convex function is +Inf, a concave
	// one −Inf.
	Value func(dst []float64, u [][]float64, p []float64)
	// Slope adds adj times a subgradient to the columns of to; v has the values. At a kink the
	// choice is the first of equal entries, and 0 of an absolute value.
	Slope func(to [][]float64, adj []float64, u [][]float64, v, p []float64)
	// Second adds adj times the product of the Hessian and d, a column for each number, to the
	// columns of to; NaN where f has none, as a norm at 0. nil: f has kinks.
	Second func(to [][]float64, adj []float64, u, d [][]float64, v, p []float64)
	// Error writes bounds of the distances of v, the values, from the exact ones of numbers that
	// are not farther than e from u: running error analysis, Higham 2002, section 3.3. room is for
	// its use.
	Error func(dst, room []float64, u, e [][]float64, v, p []float64)
	// Over encloses the values on a box.
	Over func(u []Interval, p []float64) Interval

	// Simpler reports whether f is a simpler function on the box, as a maximum is where an entry
	// is below another one; decisions within rounding errors are right either way. nil: nowhere.
	Simpler func(u []Interval) bool
	// Reach writes how much f, which is affine between kinks, changes at most where the entries
	// change by no more than r; +Inf where it may have a kink there. nil: f is curved.
	Reach func(dst []float64, u, r [][]float64, v []float64)
	// Change bounds the change of f by the changes of the entries, s; nil: nothing bounds it.
	Change func(s []float64, p []float64) float64
	// Slopes bounds all entries of all subgradients, n of them, by −a and b; nil: nothing does.
	Slopes func(n int, p []float64) (a, b float64)
	// Products says that f is a sum of products of powers; nil: it is none.
	Products func(n int) [][]Factor
	// Extremes is k of a function that is the sum of the k largest numbers, or of the k least if it
	// is concave; nil: it is none.
	Extremes func(p []float64) int
	// Factored states f by functions of one number and products, which have bounds on boxes; nil:
	// it is known by Extremes, or has none.
	Factored func(c Factors, u []Lin, p []float64) Lin
	// Mean says that ∇f·∇fᵀ and the Hessian of f are at most the identity, as for a mean.
	Mean bool

	// Cone is the cone that says f(u) ≤ t, of a concave function −f(u) ≤ t; nil: there is none.
	Cone func(t Lin, u []Lin, p []float64) convex.Cone
	// Bound adds rows and cones to c and returns a bound, at least f(u), or −f(u), wherever these
	// hold, and equal to it in the best case; nil: a column above it by Cone.
	Bound func(c convex.Canon, u []Lin, p []float64) convex.Form
	// Root is the function of which f is the square; nil: there is none.
	Root *Reduce
	// Rotates says that f(Qu) = f(u) for all orthogonal matrices Q.
	Rotates bool
	// Alone says that families have no such functions: f is one of a matrix, or has poles.
	Alone bool
	Poles bool // there are numbers with an infinite value inside the domain
}

// Entry says how f depends on one of its numbers.
type Entry struct {
	Monotone    Monotone
	Nonnegative bool // the domain has no other ones
}

// Places says which arguments the numbers are in problem files.
type Places uint8

// The places.
const (
	Together    Places = iota // one array
	FirstBefore               // the first number, and an array of the others
	FirstBehind               // an array of all but the first number, and that
)

// Single says what the function of one number is.
type Single uint8

// The functions of one number.
const (
	ItsOwn   Single = iota // none of the others
	Itself                 // the number
	Absolute               // its absolute value
)

// Monotone is a direction.
type Monotone uint8

// The directions.
const (
	None    Monotone = iota
	Rising           // f is nondecreasing in the number
	Outward          // f is a function of its absolute value, and nondecreasing in that
	Falling          // f is nonincreasing in the number
)

// Factor is a power of number Entry.
type Factor struct {
	Power float64
	Entry int
}

// reduces is the table.
var reduces = []*Reduce{}

// rowOf adds a row to the table.
func rowOf(f Reduce) *Reduce {
	reduces = append(reduces, &f)
	return &f
}

// Plain reports whether the function is known by its row alone, to the language and the protocol:
// of one array, without parameters.
func (f *Reduce) Plain() bool { return f.Means != "" }

// OfArray reports whether f is convex or concave, of one array and without parameters.
func (f *Reduce) OfArray() bool { return f.Places == Together && !f.HasParameters && f.Curvature != 0 }

// FindReduce returns the row of a name, nil if there is none.
func FindReduce(name string) *Reduce {
	for _, f := range reduces {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// SumOf returns the row of a name, or of the sum of the function of one number with that name; nil
// if there is none.
func SumOf(name string) *Reduce {
	if c := Find(name); c != nil && c.Sum != nil {
		return c.Sum
	}
	return FindReduce(name)
}

// Reduces returns all rows.
func Reduces() []*Reduce { return slices.Clone(reduces) }

// Entry says how f depends on number k, from 0.
func (f *Reduce) Entry(k int) Entry { return f.Entries[min(k, len(f.Entries)-1)] }

// Sign is −1 for a concave function, else 1: the sign that makes it convex if one does.
func (f *Reduce) Sign() float64 {
	if f.Curvature < 0 {
		return -1
	}
	return 1
}

// Restricted reports whether f has no value somewhere.
func (f *Reduce) Restricted() bool {
	return slices.ContainsFunc(f.Entries, func(e Entry) bool { return e.Nonnegative })
}

// entries are the same for all numbers.
func entries(m Monotone, nonnegative bool) []Entry { return []Entry{{m, nonnegative}} }

// unit is the unit roundoff: the relative error of one operation. Source: IEEE 754.
const unit = 0x1p-53

// DomainTol is how far a point may lie outside of a domain and still be evaluated at its boundary;
// the distance counts as a violation all the same. Source: two digits above the tolerance of 1e-6
// to which constraints are kept.
const DomainTol = 1e-4

// Steepest is the argument below which a slope is kept from growing. Source: derived: slopes stay
// below 1e20, which backends take for infinite.
const Steepest = 1e-20

// onDomain moves a number that is negative by no more than DomainTol to 0.
func onDomain(u float64) (v float64, ok bool) { return max(u, 0), u >= -DomainTol }

// spread is the error of a number that is finite. One beyond all numbers is its own end, so that it
// decides no minimum or maximum that another one decides.
func spread(v, e float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return e
}

// rounding bounds the error of a product or a quotient that is w, an underflow counted.
func rounding(w float64) float64 {
	if w == 0 {
		return 0
	}
	return unit*math.Abs(w) + tiny
}

// product is the number u·v, and the error of it for numbers with the errors d and e.
func product(u, d, v, e float64) (w, err float64) {
	w = u * v
	return w, math.Abs(u)*e + math.Abs(v)*d + d*e + rounding(w)
}

// square is the number u², and the error of it.
func square(u, e float64) (w, err float64) {
	w = u * u
	return w, (2*math.Abs(u)+e)*e + rounding(w)
}
