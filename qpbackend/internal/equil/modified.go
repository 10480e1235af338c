package equil

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Modified finds D, E and C together, each pass equilibrating the rows and
// columns of the KKT matrix and then normalising the objective (Stellato et al.
// 2020, Algorithm 2); B stays one. It takes the upper triangle p of P, the
// transpose at of A and q, and leaves them scaled. Norms below smallest count as
// one and those above largest as largest, a pass at a time. It does not
// allocate.
func (s *Scaling) Modified(p, at *sparse.CSC, q []float64, passes int) {
	s.reset()
	s.B, s.C = 1, 1
	for range passes {
		s.norms(p, at)
		for j, v := range s.d {
			s.d[j] = 1 / math.Sqrt(limited(v))
			s.D[j] *= s.d[j]
		}
		for i, v := range s.e {
			s.e[i] = 1 / math.Sqrt(limited(v))
			s.E[i] *= s.e[i]
		}
		scaleA(at, s.d, s.e)
		top, mean := s.objective(p, q, s.d)
		c := 1 / limited(max(mean, limited(top)))
		num.Scale(p.Val, c)
		num.Scale(q, c)
		s.C *= c
	}
}

// limited is the norm that a pass of Modified reckons with.
func limited(norm float64) float64 {
	if !(norm >= smallest) {
		return 1
	}
	return min(norm, largest)
}
