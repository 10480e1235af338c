package admm

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// A pivot of the wrong sign or below pivotEps is replaced by pivotDelta.
// Source: pivotEps is a hundred unit roundoffs; pivotDelta is near the square root of
// the unit roundoff, the usual compromise between the growth of the factor and the
// error that refinement removes.
const (
	pivotEps   = 1e-14
	pivotDelta = 1e-7
)

// system is the quasi-definite matrix
//
//	⎡ P + diag(d)   Aᵀ      ⎤
//	⎣ A             diag(d) ⎦
//
// with d positive over the variables and negative over the rows, ordered and
// analysed once, and its factorisation.
type system struct {
	n, m  int
	p, at *sparse.CSC // the caller's: upper triangle of P; columns are rows of A
	val   []float64   // of the upper triangle of the matrix
	fromP []int       // place in val of each entry of p
	fromA []int       // place in val of each column of at, the rest follows
	diag  []int       // place in val of each diagonal entry
	own   []float64   // diagonal of P, as loaded
	sign  []int8
	f     *ldl.Factor
	place []int32 // of each row of the matrix in the order of the pivots
}

func newSystem(ctx context.Context, p, at *sparse.CSC) (*system, error) {
	n, m := p.Cols, at.Cols
	s := &system{
		n: n, m: m, p: p, at: at,
		fromP: make([]int, p.NNZ()), fromA: make([]int, m),
		diag: make([]int, n+m), own: make([]float64, n),
		sign: make([]int8, n+m), place: make([]int32, n+m),
	}
	k := s.pattern()
	s.val = k.Val
	for i := range s.sign {
		s.sign[i] = 1
		if i >= n {
			s.sign[i] = -1
		}
	}
	perm, err := amd.Order(ctx, n+m, k.ColPtr, k.RowIdx)
	if err != nil {
		return nil, err
	}
	if s.f, err = ldl.Analyse(ctx, k, perm); err != nil {
		return nil, err
	}
	_, perm = s.f.Pivots()
	for t, i := range perm {
		s.place[i] = int32(t)
	}
	return s, nil
}

// pattern lays out the upper triangle, the diagonal always stored.
func (s *system) pattern() *sparse.CSC {
	n, m := s.n, s.m
	k := &sparse.CSC{
		Rows: n + m, Cols: n + m, ColPtr: make([]int, n+m+1),
		RowIdx: make([]int, 0, s.p.NNZ()+s.at.NNZ()+n+m),
	}
	for j := range n {
		for e := s.p.ColPtr[j]; e < s.p.ColPtr[j+1]; e++ {
			s.fromP[e] = len(k.RowIdx) // a diagonal entry is the last of its column
			if i := s.p.RowIdx[e]; i != j {
				k.RowIdx = append(k.RowIdx, i)
			}
		}
		s.diag[j] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, j)
		k.ColPtr[j+1] = len(k.RowIdx)
	}
	for i := range m {
		s.fromA[i] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, s.at.RowIdx[s.at.ColPtr[i]:s.at.ColPtr[i+1]]...)
		s.diag[n+i] = len(k.RowIdx)
		k.RowIdx = append(k.RowIdx, n+i)
		k.ColPtr[n+i+1] = len(k.RowIdx)
	}
	k.Val = make([]float64, len(k.RowIdx))
	return k
}

// load takes over the values of P and A. Rows that are off get zeros beside the
// diagonal; nil: none is.
func (s *system) load(off []bool) {
	for j := range s.n {
		s.own[j] = 0
		for e := s.p.ColPtr[j]; e < s.p.ColPtr[j+1]; e++ {
			if s.p.RowIdx[e] == j {
				s.own[j] = s.p.Val[e]
			} else {
				s.val[s.fromP[e]] = s.p.Val[e]
			}
		}
	}
	for i := range s.m {
		row := s.at.Val[s.at.ColPtr[i]:s.at.ColPtr[i+1]]
		to := s.val[s.fromA[i]:][:len(row)]
		if off != nil && off[i] {
			clear(to)
		} else {
			copy(to, row)
		}
	}
}

// factor factors with d as described above. It returns the number of pivots
// that had to be replaced.
func (s *system) factor(ctx context.Context, d []float64) (replaced int, err error) {
	for j, v := range s.own {
		s.val[s.diag[j]] = v + d[j]
	}
	for i := range s.m {
		s.val[s.diag[s.n+i]] = d[s.n+i]
	}
	return s.f.Factorise(ctx, s.val, s.sign, ldl.Regularisation{Eps: pivotEps, Delta: pivotDelta})
}
