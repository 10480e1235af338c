package convex

// Func is all that CCP needs of an h: a convex function of the model's
// variables, x in the order in which the model made them. Implementations are
// safe for use by several goroutines and do not allocate.
type Func interface {
	// Value is the function at x, +Inf outside its domain.
	Value(x []float64) float64
	// AddSubgrad adds scale times a subgradient at x to dst, of x's length. At
	// a kink the choice is deterministic.
	AddSubgrad(dst []float64, scale float64, x []float64)
	// Support lists, ascending, the variables that the function depends on.
	Support() []int
}

// WithValue is implemented by functions that have their value on the way to a subgradient: it is
// AddSubgrad, and returns Value.
type WithValue interface {
	AddGradient(dst []float64, scale float64, x []float64) float64
}

// IsSmooth reports whether f has a gradient wherever it has subgradients, norms at 0
// aside. Functions with a method Smooth say so; others count as not smooth.
func IsSmooth(f Func) bool {
	if _, ok := f.(Linear); ok {
		return true
	}
	s, ok := f.(interface{ Smooth() bool })
	return ok && s.Smooth()
}

// Compound is implemented by functions of convex functions.
type Compound interface{ Parts() []Func }
