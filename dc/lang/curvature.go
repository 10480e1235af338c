package lang

import (
	"github.com/dcopt/dcopt/dc"
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
	numCurvature
)

var curvatureText = [numCurvature]string{"constant", "affine", "convex", "concave", "DC"}

// String is the curvature in words.
func (c Curvature) String() string { return enum.String(c, "Curvature", curvatureText[:]) }

// ParseCurvature is the inverse of String.
func ParseCurvature(name string) (Curvature, error) {
	return enum.Parse[Curvature](name, "lang: no curvature", curvatureText[:])
}

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

func (v *value) curvature() Curvature {
	switch v.sort {
	case affine:
		if v.nnz() == 0 {
			return Constant
		}
		return Affine
	case general:
		c := Constant
		for k := range v.exprs {
			c = c.join(curvatureOf(v.exprs[k]))
		}
		return c
	}
	return Constant
}

// curvatureNote is the curvature and sign of a part, for the notes of a message.
func (v *value) curvatureNote() string {
	switch c := v.curvature(); c {
	case DC:
		return "neither convex nor concave"
	case Convex:
		for k := range v.exprs {
			if v.exprs[k].Range().Lo < 0 {
				return "convex"
			}
		}
		return "convex, ≥ 0"
	default:
		return c.String()
	}
}

func (v *value) curvatureWord() string {
	if c := v.curvature(); c != DC {
		return c.String()
	}
	return "neither convex nor concave"
}
