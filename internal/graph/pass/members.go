package pass

// Members are functions of a graph with which constraints are stated that differ in numbers alone.
type Members interface {
	// Count is how many constraints there are.
	Count() int
	// SameIndex reports whether number k has the numbers in brackets of number k − 1.
	SameIndex(k int) bool
	// Values writes E of all at x to dst.
	Values(dst, x []float64)
	// Tangent has the tangents, where each is l − h with an affine l and a convex h that is finite
	// everywhere and no affine piece is a tangent; ok is false elsewhere.
	Tangent() (t *Tangent, ok bool)
	// Broken calls each with the numbers of the constraints that x breaks, ascending, and E there.
	Broken(x []float64, each func(k int, v float64))
	// Near lists about that many constraints that the least changes at x may break. As long as no
	// variable differs by more than reach, all others hold, and so do their tangents; number k does
	// as long as none of its own variables differs by more than reaches[k].
	Near(x []float64, most int) (list []int32, reach float64, reaches []float64, ok bool)
	// Beyond lists, ascending, the constraints of which a variable has moved by more than their
	// reach.
	Beyond(reaches, moved []float64) []int32
	// Part has the constraints of the list alone, as another object.
	Part(list []int32) Members
	// Slope is a Lipschitz constant of number k in the largest change of a variable, +Inf where
	// there is none; Blur bounds the rounding errors of its values at x then.
	Slope(k int) float64
	Blur(x []float64) float64
}
