package problems

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
)

// The cones by formulas that share nothing with qpbackend.Certify: a point is
// within δ of a cone if it lies in it after a move by a few δ along an interior
// direction.

// CheckConewise checks, cone by cone, that s = Ax − l lies in the cone, −y in the
// dual cone, and that they are orthogonal, all to tol relative to their sizes.
func CheckConewise(t TB, p *qpbackend.Problem, x, y []float64, tol float64) {
	t.Helper()
	ax := rowsAt(p, x)
	size := max(1, num.NormInf(ax)) // of all of Ax and l: the reference of Certify
	ySize := max(1, num.NormInf(y))
	for k, c := range p.Cones {
		s, z := make([]float64, c.Len), make([]float64, c.Len)
		dot, terms := 0.0, 1.0
		for i := range s {
			s[i], z[i] = ax[c.Start+i]-p.L[c.Start+i], -y[c.Start+i]
			dot += s[i] * z[i]
			terms += math.Abs(s[i] * z[i])
			size = max(size, math.Abs(p.L[c.Start+i]))
		}
		if !insideBy(c, s, tol*size) {
			t.Errorf("cone %d, %v: s = %v is not in the cone", k, c.Kind, brief(s))
		}
		if !insideDualBy(c, z, tol*ySize) {
			t.Errorf("cone %d, %v: y = %v is not in the polar", k, c.Kind, brief(y[c.Start:c.Start+c.Len]))
		}
		// The gap of the whole is bounded by tol, the gap of a cone by the number that the
		// others may hide.
		if bound := 1e3 * tol * max(terms, size*ySize); !(math.Abs(dot) <= bound) {
			t.Errorf("cone %d, %v: s and y are not orthogonal: %g", k, c.Kind, dot)
		}
	}
}

// CheckDirection checks that the direction x stays in the cones, to tol.
func CheckDirection(t TB, p *qpbackend.Problem, x []float64, tol float64) {
	t.Helper()
	ax := rowsAt(p, x)
	for k, c := range p.Cones {
		if s := ax[c.Start : c.Start+c.Len]; !insideBy(c, s, tol) {
			t.Errorf("cone %d, %v: the direction %v leaves the cone", k, c.Kind, brief(s))
		}
	}
}

// CheckPolar checks that the certificate y lies in the polars, to tol relative
// to its size.
func CheckPolar(t TB, p *qpbackend.Problem, y []float64, tol float64) {
	t.Helper()
	tol *= num.NormInf(y)
	for k, c := range p.Cones {
		z := make([]float64, c.Len)
		for i := range z {
			z[i] = -y[c.Start+i]
		}
		if !insideDualBy(c, z, tol) {
			t.Errorf("cone %d, %v: y = %v of the certificate is not in the polar", k, c.Kind,
				brief(y[c.Start:c.Start+c.Len]))
		}
	}
}

// rowsAt is Ax.
func rowsAt(p *qpbackend.Problem, x []float64) []float64 {
	ax := make([]float64, len(p.L))
	if p.A != nil {
		p.A.AddMulVec(ax, 1, x)
	}
	return ax
}

func brief(v []float64) []float64 { return v[:min(len(v), 6)] }

// insideBy reports whether v, with entries off by at most δ, may lie in the cone.
func insideBy(c qpbackend.Cone, v []float64, δ float64) bool {
	return inside(c, moved(v, interior(c), 5*δ*math.Sqrt(float64(c.Len))))
}

func insideDualBy(c qpbackend.Cone, v []float64, δ float64) bool {
	return insideDual(c, moved(v, dualInterior(c), 5*δ*math.Sqrt(float64(c.Len))))
}

func moved(v, d []float64, by float64) []float64 {
	w := slices.Clone(v)
	num.Axpy(w, by, d)
	return w
}

// interior is a point of the cone a quarter of its size or more away from the
// boundary.
func interior(c qpbackend.Cone) []float64 {
	v := make([]float64, c.Len)
	switch c.Kind {
	case qpbackend.SecondOrder:
		v[0] = 1
	case qpbackend.Exponential:
		v[0], v[1], v[2] = -1, 1, 1
	case qpbackend.Power:
		v[0], v[1] = 1, 1
	case qpbackend.Semidefinite:
		for at, k := 0, 0; at < c.Len; k++ {
			v[at] = 1
			at += k + 2
		}
	}
	return v
}

// dualInterior is such a point of the dual cone.
func dualInterior(c qpbackend.Cone) []float64 {
	if c.Kind == qpbackend.Exponential {
		return []float64{-1, 0, 1}
	}
	return interior(c) // for the power cone too: x/α and y/(1 − α) are above 1
}

// inside reports whether v lies in the cone, by the formula of the cone.
func inside(c qpbackend.Cone, v []float64) bool {
	switch c.Kind {
	case qpbackend.SecondOrder:
		r := 0.0
		for _, e := range v[1:] {
			r = math.Hypot(r, e)
		}
		return v[0] >= r
	case qpbackend.Exponential:
		return v[1] > 0 && v[2] >= v[1]*math.Exp(v[0]/v[1]) || v[1] == 0 && v[0] <= 0 && v[2] >= 0
	case qpbackend.Power:
		return v[0] >= 0 && v[1] >= 0 && math.Pow(v[0], c.Alpha)*math.Pow(v[1], 1-c.Alpha) >= math.Abs(v[2])
	case qpbackend.Semidefinite:
		return semidefinite(v)
	}
	return false
}

// insideDual reports whether v lies in the dual cone.
func insideDual(c qpbackend.Cone, v []float64) bool {
	switch c.Kind {
	case qpbackend.Exponential:
		return v[0] < 0 && math.E*v[2] >= -v[0]*math.Exp(v[1]/v[0]) || v[0] == 0 && v[1] >= 0 && v[2] >= 0
	case qpbackend.Power:
		return inside(c, []float64{v[0] / c.Alpha, v[1] / (1 - c.Alpha), v[2]})
	}
	return inside(c, v) // the others are their own duals
}

// semidefinite is Cholesky's method on a scaled triangle.
func semidefinite(v []float64) bool {
	var l [][]float64
	for at := 0; at < len(v); {
		j := len(l)
		row := make([]float64, j+1)
		for i := range j {
			sum := v[at] / math.Sqrt2
			for k := range i {
				sum -= l[i][k] * row[k]
			}
			if l[i][i] > 0 {
				row[i] = sum / l[i][i]
			} else if sum != 0 {
				return false
			}
			at++
		}
		pivot := v[at]
		for _, e := range row[:j] {
			pivot -= e * e
		}
		if !(pivot >= 0) {
			return false
		}
		row[j] = math.Sqrt(pivot)
		at++
		l = append(l, row)
	}
	return true
}
