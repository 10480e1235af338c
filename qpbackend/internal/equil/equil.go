package equil

import (
	"math"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Bounds of the factors. A wider range would trade the conditioning of the KKT
// matrix for the meaning of residuals in the scaled problem.
// Source: Stellato and others 2020, MIN_SCALING and MAX_SCALING of OSQP; how much
// depends on them: docs/lab/bench.md, Constants of ipm.
const (
	smallest = 1e-4
	largest  = 1e4

	smallestSize = 1e-6
	largestSize  = 1e6
)

// Scaling relates a problem to its scaled copy:
//
//	x = B·D·x̂,  y = E·ŷ/C,  P̂ = C·B·D·P·D,  q̂ = C·D·q,  Â = E·A·D,
//
// so that bounds of rows are to be multiplied by E/B and bounds of variables by
// 1/(B·D).
type Scaling struct {
	D []float64 // length n, one per variable
	E []float64 // length m, one per row
	B float64   // typical size of the bounds
	C float64   // of the objective
	// Groups are rows that get one factor by Ruiz, as the rows of a cone must.
	Groups []Group
	d      []float64 // factors of one pass
	e      []float64
}

// Group is a range of rows.
type Group struct{ Start, Len int }

// New returns the scaling that changes nothing, for n variables and m rows. Its methods work in
// room, which others may use between their calls, of length n + m at least; nil: it makes its own.
func New(n, m int, room []float64) *Scaling {
	if room == nil {
		room = make([]float64, n+m)
	}
	s := &Scaling{D: make([]float64, n), E: make([]float64, m), d: room[:n], e: room[n : n+m], B: 1, C: 1}
	s.reset()
	return s
}

func (s *Scaling) reset() {
	for j := range s.D {
		s.D[j] = 1
	}
	for i := range s.E {
		s.E[i] = 1
	}
}

// Ruiz finds D and E for the upper triangle p of P (n × n) and the transpose at
// of A (n × m, a column for each row of A): after the given number of passes, or
// fewer where the factors of one come near enough to one, the largest entry of
// each row and column of their KKT matrix is near one. Empty rows and columns
// keep factor one. It does not allocate.
func (s *Scaling) Ruiz(p, at *sparse.CSC, passes int) {
	s.reset()
	wide := cpu.Wide()
	for range passes {
		s.scaledNorms(p, at)
		s.level()
		change := balance(s.E, s.e, balance(s.D, s.d, 0, wide), wide)
		if change <= lastChange {
			break
		}
	}
}

// level gives the rows of a group the largest of their norms.
func (s *Scaling) level() {
	for _, g := range s.Groups {
		top := 0.0
		for _, v := range s.e[g.Start:][:g.Len] {
			top = max(top, v)
		}
		for i := range g.Len {
			s.e[g.Start+i] = top
		}
	}
}

// lastChange is how far from one factors may be in the last pass of Ruiz. The next
// would change them by about half as much.
// Source: derived: Ruiz's iteration halves the distance from one with each pass, so
// the next pass would change factors by 5 %.
const lastChange = 1e-1

// Size sets B to the typical size of the bounds, given in the units of D and E.
// A row counts with the smaller of its sides, infinite and zero ones aside: a
// huge side beside a small one is none in all but name. Typical is the square
// of the mean square root, which a few huge bounds do not govern.
func (s *Scaling) Size(lo, up []float64) {
	sum, count := 0.0, 0
	for i := range lo {
		size := math.Inf(1)
		for _, b := range [2]float64{math.Abs(lo[i]), math.Abs(up[i])} {
			if b != 0 {
				size = min(size, b)
			}
		}
		if !math.IsInf(size, 1) {
			sum += math.Sqrt(size)
			count++
		}
	}
	s.B = 1
	if count > 0 {
		sum /= float64(count)
		s.B = min(max(sum*sum, smallestSize), largestSize)
	}
}

// Rows scales at by D and E.
func (s *Scaling) Rows(at *sparse.CSC) { scaleA(at, s.D, s.E) }

// Apply scales p and q by D and B, and by the C that it chooses to make the
// objective's typical coefficient one.
func (s *Scaling) Apply(p *sparse.CSC, q []float64) {
	s.C = 1
	if top, mean := s.objective(p, q, s.D); max(top, mean) > 0 {
		s.C = 1 / max(top, mean)
	}
	num.Scale(p.Val, s.C)
	num.Scale(q, s.C)
}

// objective scales p and q by d and B. It returns the largest entry of q, and the mean of the
// largest of each column of p.
func (s *Scaling) objective(p *sparse.CSC, q, d []float64) (top, mean float64) {
	scaleP(p, d)
	for j := range q {
		q[j] *= d[j]
		top = max(top, math.Abs(q[j]))
	}
	num.Scale(p.Val, s.B)
	clear(s.d)
	SymNorms(p, s.d)
	for _, v := range s.d {
		mean += v
	}
	return top, mean / float64(max(1, len(s.d)))
}

// scaledNorms is norms for D·P·D and E·A·D.
func (s *Scaling) scaledNorms(p, at *sparse.CSC) {
	scale, norm := s.D, s.d[:len(s.D)]
	clear(norm)
	lo := 0
	for j, hi := range p.ColPtr[1:] {
		for k := lo; k < hi; k++ {
			i := p.RowIdx[k]
			v := math.Abs(p.Val[k]) * scale[i] * scale[j]
			norm[i], norm[j] = max(norm[i], v), max(norm[j], v)
		}
		lo = hi
	}
	lo = 0
	for i, own := range s.E {
		top, hi := 0.0, at.ColPtr[i+1]
		idx := at.RowIdx[lo:hi]
		val := at.Val[lo:][:len(idx)]
		for k, j := range idx {
			v := own * math.Abs(val[k]) * scale[j]
			if v > top {
				top = v
			}
			if v > norm[j] {
				norm[j] = v
			}
		}
		s.e[i] = top
		lo = hi
	}
}

// norms leaves in s.d the largest entry of each column of (P; A) and in s.e
// the largest entry of each row of A.
func (s *Scaling) norms(p, at *sparse.CSC) {
	clear(s.d)
	SymNorms(p, s.d)
	for i := range s.e {
		top := 0.0
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			v, j := math.Abs(at.Val[k]), at.RowIdx[k]
			if v > top {
				top = v
			}
			if v > s.d[j] {
				s.d[j] = v
			}
		}
		s.e[i] = top
	}
}

// SymNorms raises norm to the largest entry of each row of the symmetric matrix whose upper
// triangle p holds.
func SymNorms(p *sparse.CSC, norm []float64) {
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			v, i := math.Abs(p.Val[k]), p.RowIdx[k]
			if v > norm[i] {
				norm[i] = v
			}
			if v > norm[j] {
				norm[j] = v
			}
		}
	}
}

// balance multiplies the factors by 1/√norm, such that they stay in range, and returns the largest
// change so far. With wide, kernels for wide registers do most of it, and round in the same way.
func balance(factors, norms []float64, change float64, wide bool) float64 {
	norms = norms[:len(factors)]
	for j := 0; j < len(factors); {
		if four := (len(factors) - j) &^ 3; wide && four > 0 {
			done, most := simd.Balance(&factors[j], &norms[j], 2*smallest, largest/2, four)
			j += done
			change = max(change, most)
		}
		for end := min(j+4, len(factors)); j < end; j++ {
			if norm := norms[j]; norm > 0 {
				d := 1 / math.Sqrt(norm)
				// near the ends of the range, or beyond them
				if to := factors[j] * d; !(to > 2*smallest && to < largest/2) {
					d = min(max(d, smallest/factors[j]), largest/factors[j])
				}
				factors[j] *= d
				change = max(change, math.Abs(d-1))
			}
		}
	}
	return change
}

func scaleP(p *sparse.CSC, d []float64) {
	for j := range p.Cols {
		for k := p.ColPtr[j]; k < p.ColPtr[j+1]; k++ {
			p.Val[k] *= d[j] * d[p.RowIdx[k]]
		}
	}
}

func scaleA(at *sparse.CSC, d, e []float64) {
	for i := range at.Cols {
		for k := at.ColPtr[i]; k < at.ColPtr[i+1]; k++ {
			at.Val[k] *= e[i] * d[at.RowIdx[k]]
		}
	}
}
