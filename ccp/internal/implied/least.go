package implied

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
)

// Bounder finds lower bounds of the objective of problems with the cones of one, again and again in
// the same memory.
type Bounder struct {
	X, Y  []float64 // the point and the multipliers
	conic []bool    // rows of cones
	y     []float64 // Y made ones of the dual cones
	cols  [5][]float64
}

// Least is a lower bound of the objective of p over the points that are within reach of x in their
// first columns, and meet rows and bounds. The others, which atoms have added, are bounded by rows
// and cones; on a side where these imply nothing, by as much, or by their reach. It is by weak
// duality with the multipliers y, made ones of the dual cones, and ½x'ᵀPx' ≥ xᵀPx' − ½xᵀPx. The
// error of its sums is subtracted. It is −Inf where y is no number. Where it is at least enough
// without bounds that rows imply, these are not asked for: they take longer than all else.
func (b *Bounder) Least(p *qpbackend.Problem, reach []float64, first int, enough float64) float64 {
	n, m := p.Dims()
	if len(b.conic) != m {
		b.conic = InCones(p)
	}
	x, y := b.X, append(b.y[:0], b.Y...)
	if b.y = y; len(x) != n || len(y) != m || !intoDuals(p, y, b.conic) {
		return math.Inf(-1)
	}
	for k, v := range b.cols {
		b.cols[k] = slices.Grow(v[:0], n)[:n]
		clear(b.cols[k])
	}
	lo, hi, g, size, count := b.cols[0], b.cols[1], b.cols[2], b.cols[3], b.cols[4]
	for j := range n {
		if lo[j], hi[j] = p.Bounds(j); j < first {
			lo[j], hi[j] = max(lo[j], x[j]-reach[j]), min(hi[j], x[j]+reach[j])
		}
	}
	for j, q := range p.Q {
		g[j], size[j] = q, math.Abs(q)
	}
	add := func(j int, v float64) {
		g[j] += v
		size[j] += math.Abs(v)
		count[j]++
	}
	half, err := 0.0, 0.0
	for j := range p.P.Cols {
		for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
			i, v := p.P.RowIdx[k], p.P.Val[k]
			add(i, v*x[j])
			w := v * x[i] * x[j] / 2
			if i != j {
				add(j, v*x[i])
				w *= 2
			}
			half += w
			err += math.Abs(w)
		}
	}
	err *= float64(p.P.NNZ()) * unit
	for j := range p.A.Cols {
		from, to, sum, all := p.A.ColPtr[j], p.A.ColPtr[j+1], g[j], size[j]
		val := p.A.Val[from:to]
		for k, i := range p.A.RowIdx[from:to] {
			v := val[k] * y[i]
			sum += v
			all += math.Abs(v)
		}
		g[j], size[j], count[j] = sum, all, count[j]+float64(to-from)
	}
	most, slip := leaves(p, y, b.conic)
	err += slip
	over := func() float64 { // within lo and hi
		err, least := err, p.R-half-most
		for j := range n {
			e := (count[j] + 2) * unit * size[j]
			v := math.Inf(1)
			for _, w := range [2]float64{g[j] - e, g[j] + e} {
				for _, at := range [2]float64{lo[j], hi[j]} {
					if w != 0 {
						v = min(v, w*at)
					} else {
						v = min(v, 0)
					}
				}
			}
			least += v
			err += 2 * unit * math.Abs(v)
		}
		return least - err - float64(n)*unit*math.Abs(least)
	}
	if first == n {
		if least := over(); least >= enough {
			return least
		}
	}
	if !Tighten(p, lo, hi, Sweeps) {
		return math.Inf(-1) // rounding: x is next to points that meet the rows
	}
	for j := first; j < n; j++ { // an epigraph is bounded on one side
		far := max(reach[j], finite(lo[j]), finite(hi[j]))
		lo[j], hi[j] = max(lo[j], x[j]-far), min(hi[j], x[j]+far)
	}
	return over()
}

// finite is |v|, 0 where v is infinite.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return math.Abs(v)
}
