package spatial

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/dense"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/qpbackend"
)

// mostBlock bounds the variables of a semidefinite cone. Source: a limit of time, a tenth of a
// second for each node.
const mostBlock = 25

// blockOf lists variables all of whose squares and products are terms, at least two and half of the
// variables that have any; nil for none.
func blockOf(p *factorable.Problem) []int {
	var block []int
	paired := map[int]bool{}
	for k := range p.Terms {
		if t := &p.Terms[k]; t.Op == factorable.Square || t.Op == factorable.Product {
			paired[t.Args()[0]], paired[t.Args()[1]] = true, true
		}
	}
	for j := 0; j < p.N && len(block) < mostBlock; j++ {
		_, all := p.Pair(j, j)
		for _, i := range block {
			_, ok := p.Pair(i, j)
			all = all && ok
		}
		if all {
			block = append(block, j)
		}
	}
	if len(block) < max(2, len(paired)/2) {
		return nil
	}
	return block
}

// inUnits are the mid and the radius of a unit of a variable, (x − mid)/radius, and whether its
// interval has a width.
func (r *relaxation) inUnits(j int) (mid, radius float64, ok bool) {
	b := r.box[j]
	return factorable.Middle(b), interval.Width(b) / 2, b.IsFinite() && broad(b)
}

// matrix states that the products of a block's variables u, in units, are a matrix of which uuᵀ can
// be taken: that (1, uᵀ; u, U) is positive semidefinite (Shor 1987, Quadratic optimization
// problems).
func (r *relaxation) matrix() {
	var of []int
	for _, j := range r.block {
		if _, _, ok := r.inUnits(j); ok {
			of = append(of, j)
		}
	}
	if r.block = of; len(of) < 2 {
		r.block = nil
		return
	}
	r.matrixRow = r.b.Rows.Count()
	entries := []convex.Linear{{Const: 1}}
	for k, j := range of {
		mj, rj, _ := r.inUnits(j)
		entries = append(entries, factorable.ColumnOf(j).AddScaled(-1, convex.Linear{Const: mj}).Scale(math.Sqrt2/rj))
		for n, i := range of[:k+1] {
			mi, ri, _ := r.inUnits(i)
			col, _ := r.p.Pair(i, j)
			l := factorable.ColumnOf(col).AddScaled(-mi, factorable.ColumnOf(j))
			l = l.AddScaled(-mj, factorable.ColumnOf(i)).AddScaled(1, convex.Linear{Const: mi * mj})
			weight := math.Sqrt2
			if n == k {
				weight = 1
			}
			entries = append(entries, l.Scale(weight/(ri*rj)))
		}
	}
	r.b.Cone(convex.Cone{Kind: convex.SemidefiniteCone, Rows: entries})
}

// squares are the affine functions of the block's variables whose squares add up to the multiplier
// of the matrix.
func (r *relaxation) squares(res *qpbackend.Result) []convex.Linear {
	n := len(r.block) + 1
	var eig dense.EigenSym
	if !eig.Factorize(implied.Matrix(res.Y[r.matrixRow:][:n*(n+1)/2], -1), true) {
		return nil
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	var out []convex.Linear
	for k, v := range eig.Values(nil) {
		if !(v > 0) {
			continue
		}
		w := math.Sqrt(v)
		l := convex.Linear{Const: w * vectors.At(0, k)}
		for i, j := range r.block {
			mid, radius, _ := r.inUnits(j)
			c := w * vectors.At(i+1, k) / radius
			l.Const -= c * mid
			l.Idx, l.Val = append(l.Idx, j), append(l.Val, c)
		}
		out = append(out, l)
	}
	return out
}
