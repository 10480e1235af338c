package value

import (
	"github.com/dcopt/dcopt/dc"
)

// Curvature is the curvature that the split of a function proves.
type Curvature uint8

// The curvatures, in the order of package lang.
const (
	Constant Curvature = iota
	Affine
	Convex
	Concave
	DC
	numCurvature
)

// Curvatures are their names.
var Curvatures = [numCurvature]string{"constant", "affine", "convex", "concave", "DC"}

// join is the curvature of an array with entries of either kind.
func (c Curvature) join(d Curvature) Curvature {
	switch {
	case c == d || d < Convex && c > d:
		return c
	case c < Convex && d > c:
		return d
	}
	return DC
}

func curvatureOf(e dc.Expr) Curvature {
	switch {
	case e.IsConst():
		return Constant
	case e.IsAffine():
		return Affine
	case e.IsConvex():
		return Convex
	case e.IsConcave():
		return Concave
	}
	return DC
}

func (v *Value) Curvature() Curvature {
	switch v.Sort {
	case AffineFunctions:
		if v.Fn.NNZ() == 0 {
			return Constant
		}
		return Affine
	case Expressions:
		return curvatureOf(*v.Fn)
	}
	return Constant
}

// CurvatureNote is the curvature and sign of a part, for the notes of a message.
func (v *Value) CurvatureNote() string {
	switch c := v.Curvature(); c {
	case DC:
		return "neither convex nor concave"
	case Convex:
		for k := range v.Len() {
			if v.Expr(k).Range().Lo < 0 {
				return "convex"
			}
		}
		return "convex, ≥ 0"
	default:
		return Curvatures[c]
	}
}

func (v *Value) CurvatureWord() string {
	if c := v.Curvature(); c != DC {
		return Curvatures[c]
	}
	return "neither convex nor concave"
}

// Curvature is the curvature of both parts together.
func (p *Pair) Curvature() Curvature {
	im := p.Imag()
	return p.Re.Curvature().join(im.Curvature())
}
