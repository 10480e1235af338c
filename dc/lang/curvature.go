package lang

import (
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/internal/enum"
)

// Curvature is the curvature that the split of a function proves.
type Curvature uint8

// The curvatures.
const (
	Constant Curvature = iota
	Affine
	Convex
	Concave
	DC // a difference of convex functions, neither of which is missing
)

// String is the curvature in words.
func (c Curvature) String() string { return value.Curvature(c).String() }

// ParseCurvature is the inverse of String.
func ParseCurvature(name string) (Curvature, error) {
	return enum.Parse[Curvature](name, "lang: no curvature", value.Names[:])
}
