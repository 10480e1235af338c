package scaling

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// lorentzBoost is a hyperbolic rotation of the first two rows of a second-order cone. In
// u = (r₀ + r₁)/2 and v = (r₀ − r₁)/2 the cone is 4uv ≥ ‖w‖², and u/s and sv may
// take the place of u and v: an automorphism of the cone (Faraut and Korányi
// 1994). Epigraphs of squares and quotients are stated as ‖(u − v, w)‖ ≤ u + v
// with v a constant or a variable of another size than u: in r₀ and r₁ the smaller
// of them is lost to rounding. With u and v of one size nothing is.
type lorentzBoost struct {
	row    int      // r₀; r₁ follows
	w      int      // rows that follow those
	cols   []int    // the columns of both rows
	at     [][2]int // where their coefficients stand
	s      float64
	chosen bool
}

// boosts are those of the cones whose first two rows have the same columns.
func boosts(p *qpbackend.Problem) []lorentzBoost {
	first := map[int]int{} // row r₀ to its place in out
	var out []lorentzBoost
	for _, c := range p.Cones {
		if c.Kind == qpbackend.SecondOrder && c.Len >= 3 {
			first[c.Start] = len(out)
			out = append(out, lorentzBoost{row: c.Start, w: c.Len - 2, s: 1})
		}
	}
	if len(out) == 0 {
		return nil
	}
	odd := make([]bool, len(out)) // one row has a column alone
	for j := range p.A.Cols {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			i := p.A.RowIdx[k]
			if b, ok := first[i-1]; ok { // r₁ without r₀
				odd[b] = odd[b] || k == p.A.ColPtr[j] || p.A.RowIdx[k-1] != i-1
			}
			b, ok := first[i]
			if !ok {
				continue
			}
			if k+1 == p.A.ColPtr[j+1] || p.A.RowIdx[k+1] != i+1 {
				odd[b] = true
				continue
			}
			out[b].cols, out[b].at = append(out[b].cols, j), append(out[b].at, [2]int{k, k + 1})
		}
	}
	n := 0
	for k := range out {
		if !odd[k] && len(out[k].cols) > 0 {
			out[n] = out[k]
			n++
		}
	}
	return out[:n]
}

// sizes are the largest terms of u and of v, with the columns' units; 0 for a
// column stands for one that is not known, and leaves out the cones that it is in.
func (b *lorentzBoost) sizes(p *qpbackend.Problem, col []float64) (u, v float64) {
	c0, c1 := -p.L[b.row], -p.L[b.row+1]
	u, v = math.Abs(c0+c1)/2, math.Abs(c0-c1)/2
	for k, j := range b.cols {
		a0, a1 := p.A.Val[b.at[k][0]], p.A.Val[b.at[k][1]]
		u, v = max(u, math.Abs(a0+a1)/2*col[j]), max(v, math.Abs(a0-a1)/2*col[j])
	}
	return u, v
}

// choose sets s for the units of the columns, and reports whether it has changed.
func (b *lorentzBoost) choose(p *qpbackend.Problem, col []float64) bool {
	s := 1.0
	if u, v := b.sizes(p, col); u > 0 && v > 0 {
		s = math.Exp2(math.Round(math.Log2(u/v) / 2))
	}
	if b.chosen && s >= b.s/unevenness && s <= unevenness*b.s || math.IsNaN(s) || math.IsInf(s, 0) || s == 0 {
		return false
	}
	changed := s != b.s
	b.s, b.chosen = s, true
	return changed
}

// unevenness is how far s may be from its best: u/s and sv are then 2²⁰ apart, and
// ten digits are left of the smaller one. Sizes that change on the way to a
// solution and back do not change the copy.
// Source: docs/lab/ccp.md, Constants.
const unevenness = 0x1p10

// top is the largest term of the cone's rows as they are rotated.
func (b *lorentzBoost) top(p *qpbackend.Problem, col []float64) float64 {
	u, v := b.sizes(p, col)
	return max(u/b.s, v*b.s)
}

// turn is the rotation of a pair of numbers of the rows, and its inverse with 1/s.
func turn(s, r0, r1 float64) (float64, float64) {
	u, v := (r0+r1)/2/s, (r0-r1)/2*s
	return u + v, u - v
}

// turnMatrix rotates the rows of a.
func (b *lorentzBoost) turnMatrix(a *sparse.CSC) {
	for _, at := range b.at {
		a.Val[at[0]], a.Val[at[1]] = turn(b.s, a.Val[at[0]], a.Val[at[1]])
	}
}

// turnRows rotates two entries of a vector over rows.
func (b *lorentzBoost) turnRows(v []float64) {
	v[b.row], v[b.row+1] = turn(b.s, v[b.row], v[b.row+1])
}

// backRows undoes turnRows.
func (b *lorentzBoost) backRows(v []float64) {
	v[b.row], v[b.row+1] = turn(1/b.s, v[b.row], v[b.row+1])
}
