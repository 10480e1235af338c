package expr

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/graph/atom"
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
	r := dense.Triangular(full)
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

// DefiniteTol is how far, relative to the largest, an eigenvalue may be on the
// wrong side of zero and still count as zero.
// Source: derived: eigenvalues of symmetric matrices are computed to a small multiple
// of the order times the unit roundoff, times the largest.
const DefiniteTol = 1e-12

// Squares of both signs may together be convex or concave although their split
// does not show it: x² − 2xy + y², written with products, has the split
// (x² + ½(x − y)² + y²) − ½(x + y)². mergeSquares finds such groups.

// MostSquared bounds the variables of a group.
// Source: a limit of time: 9·48³ = 1e6 operations for the eigenvalues of a group.
const MostSquared = 48

// mergeSquares replaces each group of squares of both signs, tied by common
// variables, that is semidefinite as a whole: the terms of the group get weight
// zero, and the terms returned, and the affine function, are to be added.
func mergeSquares(all []Term) ([]Term, convex.Linear) {
	signs := [2]bool{}
	for _, t := range all {
		if RowAt(t.F, atom.SumSquares) != nil && t.W != 0 {
			signs[0], signs[1] = signs[0] || t.W > 0, signs[1] || t.W < 0
		}
	}
	if !signs[0] || !signs[1] {
		return nil, convex.Linear{}
	}
	var added []Term
	var rest convex.Linear
	for _, group := range tiedSquares(all) {
		q := newQuadraticForm(all, group)
		if q == nil {
			continue
		}
		if t, lin, ok := q.definite(); ok {
			for _, k := range group {
				all[k].W = 0
			}
			if t.W != 0 {
				added = append(added, t)
			}
			rest = rest.AddScaled(1, lin)
		}
	}
	return added, rest
}

// tiedSquares are the squares among the terms, in groups without a variable in
// common.
func tiedSquares(all []Term) [][]int {
	parent := make([]int, len(all))
	var find func(k int) int
	find = func(k int) int {
		if parent[k] != k {
			parent[k] = find(parent[k])
		}
		return parent[k]
	}
	owner := map[int]int{} // of a variable: a term that has it
	for k, t := range all {
		parent[k] = k
		if RowAt(t.F, atom.SumSquares) == nil || t.W == 0 {
			continue
		}
		for _, j := range t.F.Support() {
			if o, seen := owner[j]; seen {
				parent[find(k)] = find(o)
			} else {
				owner[j] = k
			}
		}
	}
	place := map[int]int{}
	var groups [][]int
	for k, t := range all {
		if RowAt(t.F, atom.SumSquares) == nil || t.W == 0 {
			continue
		}
		root := find(k)
		g, seen := place[root]
		if !seen {
			g = len(groups)
			place[root] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], k)
	}
	return groups
}

// quadraticForm is xᵀQx + lᵀx + c in the variables vars.
type quadraticForm struct {
	vars  []int
	q     *mat.SymDense
	l     []float64
	c     float64
	sizes []float64 // of the variables: the diagonal of the sum of all squares, whatever their sign
	of    *convex.Space
}

// newQuadraticForm adds up the squares of a group; nil where all have one sign,
// or the variables are too many.
func newQuadraticForm(all []Term, group []int) *quadraticForm {
	var supports [][]int
	up, down := false, false
	for _, k := range group {
		supports = append(supports, all[k].F.Support())
		up, down = up || all[k].W > 0, down || all[k].W < 0
	}
	if !up || !down {
		return nil
	}
	vars := convex.Union(supports...)
	if len(vars) > MostSquared {
		return nil
	}
	f := &quadraticForm{vars: vars, q: mat.NewSymDense(len(vars), nil), l: make([]float64, len(vars)),
		sizes: make([]float64, len(vars))}
	for _, k := range group {
		a, w := RowAt(all[k].F, atom.SumSquares), all[k].W
		for i := range a.C {
			f.addSquare(w, a.Linear(i))
		}
	}
	return f
}

// addSquare adds w·r².
func (f *quadraticForm) addSquare(w float64, r convex.Linear) {
	at := make([]int, len(r.Idx))
	for i, j := range r.Idx {
		at[i], _ = slices.BinarySearch(f.vars, j)
	}
	for i, v := range r.Val {
		for k := i; k < len(at); k++ {
			f.q.SetSym(at[i], at[k], f.q.At(at[i], at[k])+w*v*r.Val[k])
		}
		f.l[at[i]] += 2 * w * r.Const * v
		f.sizes[at[i]] += math.Abs(w) * v * v
	}
	f.c += w * r.Const * r.Const
	f.of = f.of.Join(r.Of)
}

// scaled is the form in variables uᵢ = dᵢ·xᵢ in which the sum of all squares, whatever
// their sign, has a diagonal of ones: where rounding begins does not then
// depend on units.
func (f *quadraticForm) scaled() (q *mat.SymDense, l, d []float64, ok bool) {
	n := len(f.vars)
	q, l, d = mat.NewSymDense(n, nil), make([]float64, n), make([]float64, n)
	for i, v := range f.sizes {
		if d[i] = math.Sqrt(v); !(d[i] > 0) || math.IsInf(d[i], 1) {
			return nil, nil, nil, false
		}
	}
	for i := range n {
		l[i] = f.l[i] / d[i]
		for k := i; k < n; k++ {
			q.SetSym(i, k, f.q.At(i, k)/d[i]/d[k])
		}
	}
	return q, l, d, true
}

// definite is the form as one term and an affine rest, if all eigenvalues have
// one sign, up to the rounding of the sum.
func (f *quadraticForm) definite() (Term, convex.Linear, bool) {
	n := len(f.vars)
	q, l, d, ok := f.scaled()
	var eig dense.EigenSym
	if !ok || !eig.Factorize(q, true) {
		return Term{}, convex.Linear{}, false
	}
	λ, tol := eig.Values(nil), DefiniteTol*float64(n)
	sign := 1.0
	switch {
	case λ[0] >= -tol:
	case λ[n-1] <= tol:
		sign = -1
	default:
		return Term{}, convex.Linear{}, false
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	rest := convex.Linear{Idx: f.vars, Val: slices.Clone(l), Const: f.c, Of: f.of}
	var rows []convex.Linear
	for k, λk := range λ {
		if !(sign*λk > tol) {
			continue
		}
		// λ(vᵀu)² and its share of the affine part: (√λ·vᵀu + s)² − s².
		root, along := math.Sqrt(sign*λk), 0.0
		row := make([]float64, n)
		for i := range row {
			row[i] = root * v.At(i, k)
			along += v.At(i, k) * l[i]
		}
		s := sign * along / (2 * root)
		for i := range row {
			rest.Val[i] -= along * v.At(i, k)
		}
		rest.Const -= sign * s * s
		rows = append(rows, tidy(convex.Linear{Idx: f.vars, Val: row, Const: s, Of: f.of},
			DefiniteTol*math.Sqrt(float64(n)),
			d))
	}
	most := 0.0
	for _, v := range l {
		most = max(most, math.Abs(v))
	}
	rest = tidy(rest, DefiniteTol*most, d)
	if len(rows) == 0 {
		return Term{}, rest, true
	}
	return Term{sign, NewVectorAtom(atom.SumSquares, nil, convex.Entries(rows...))}, rest, true
}

// tidy leaves out coefficients of uᵢ = dᵢ·xᵢ that are rounding, and gives the others to
// the xᵢ.
func tidy(l convex.Linear, tol float64, d []float64) convex.Linear {
	out := convex.Linear{Const: l.Const, Of: l.Of}
	for k, v := range l.Val {
		if math.Abs(v) > tol {
			out.Idx, out.Val = append(out.Idx, l.Idx[k]), append(out.Val, v*d[k])
		}
	}
	return out
}
