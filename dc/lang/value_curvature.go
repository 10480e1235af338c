package lang

import (
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/enum"
)

// curvature is the curvature that the split of a function proves.
type curvature uint8

// The curvatures, in the order of package lang.
const (
	curveConstant curvature = iota
	curveAffine
	curveConvex
	curveConcave
	curveDC
	numCurvature
)

// curvatures are their names.
var curvatures = [numCurvature]string{"constant", "affine", "convex", "concave", "DC"}

func (c curvature) String() string { return enum.String(c, "Curvature", curvatures[:]) }

// join is the curvature of an array with entries of either kind.
func (c curvature) join(d curvature) curvature {
	switch {
	case c == d || d < curveConvex && c > d:
		return c
	case c < curveConvex && d > c:
		return d
	}
	return curveDC
}

func curvatureOf(e dc.Expr) curvature {
	switch {
	case e.IsConst():
		return curveConstant
	case e.IsAffine():
		return curveAffine
	case e.IsConvex():
		return curveConvex
	case e.IsConcave():
		return curveConcave
	}
	return curveDC
}

func (v *value) curvature() curvature {
	switch v.sort {
	case affine:
		if v.nnz() == 0 {
			return curveConstant
		}
		return curveAffine
	case general:
		c := curveConstant
		for k := range v.exprs {
			c = c.join(curvatureOf(v.exprs[k]))
		}
		return c
	}
	return curveConstant
}

// curvatureNote is the curvature and sign of a part, for the notes of a message.
func (v *value) curvatureNote() string {
	switch c := v.curvature(); c {
	case curveDC:
		return "neither convex nor concave"
	case curveConvex:
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
	if c := v.curvature(); c != curveDC {
		return c.String()
	}
	return "neither convex nor concave"
}

// curvature is the curvature of both parts together.
func (p *pair) curvature() curvature {
	im := p.imag()
	return p.re.curvature().join(im.curvature())
}
