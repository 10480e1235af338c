package dc

import (
	"github.com/dcopt/dcopt/internal/convex"
	"gonum.org/v1/gonum/mat"
)

// qrWork bounds the work of qrReduced: rows times columns squared.
// Source: a limit of time: some tenths of a second.
const qrWork = 2e8

// qrReduced returns entries with the same Euclidean norm everywhere, fewer or
// with fewer coefficients if that can be: R from the QR factorisation of the
// coefficients and constants, where they are dense enough to gain by it.
func qrReduced(a convex.Array) convex.Array {
	m, cols := a.Len(), a.Support()
	n := len(cols)
	if m < 2 || 3*n*(n+1) > 4*len(a.Idx) || float64(m)*float64(n)*float64(n) > qrWork {
		return a
	}
	place := make(map[int]int, n)
	for k, j := range cols {
		place[j] = k
	}
	full := mat.NewDense(max(m, n+1), n+1, nil)
	for i := range m {
		l := a.Linear(i)
		for k, j := range l.Idx {
			full.Set(i, place[j], l.Val[k])
		}
		full.Set(i, n, l.Const)
	}
	var qr mat.QR
	var r mat.Dense
	qr.Factorize(full)
	qr.RTo(&r)
	rows := make([]convex.Linear, 0, n+1)
	for i := range n + 1 {
		l := convex.Linear{Const: r.At(i, n)}
		for k := i; k < n; k++ {
			if v := r.At(i, k); v != 0 {
				l.Idx, l.Val = append(l.Idx, cols[k]), append(l.Val, v)
			}
		}
		if !l.IsZero() {
			rows = append(rows, l)
		}
	}
	return convex.Entries(rows...)
}
