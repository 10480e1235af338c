package implied

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
)

// Least is a lower bound of the objective of p over the points that are within reach of x in their
// first columns, and meet rows and bounds. The others, which atoms have added, are bounded by rows
// and cones; on a side where these imply nothing, by as much, or by their reach. It is by weak
// duality with the multipliers y, made ones of the dual cones, and ½x'ᵀPx' ≥ xᵀPx' − ½xᵀPx. The
// error of its sums is subtracted. It is −Inf where y is no number. Where it is at least enough
// without bounds that rows imply, these are not asked for: they take longer than all else.
func Least(p *qpbackend.Problem, x, y, reach []float64, first int, enough float64) float64 {
	n, m := p.Dims()
	y = slices.Clone(y)
	if len(x) != n || len(y) != m || !intoDuals(p, y) {
		return math.Inf(-1)
	}
	lo, hi := make([]float64, n), make([]float64, n)
	for j := range n {
		if lo[j], hi[j] = p.Bounds(j); j < first {
			lo[j], hi[j] = max(lo[j], x[j]-reach[j]), min(hi[j], x[j]+reach[j])
		}
	}
	g, size, count := slices.Clone(p.Q), make([]float64, n), make([]float64, n)
	for j, q := range p.Q {
		size[j] = math.Abs(q)
	}
	add := func(j int, v float64) {
		g[j] += v
		size[j] += math.Abs(v)
		count[j]++
	}
	half, err := 0.0, 0.0
	each(p.P, func(i, j int, v float64) {
		add(i, v*x[j])
		w := v * x[i] * x[j] / 2
		if i != j {
			add(j, v*x[i])
			w *= 2
		}
		half += w
		err += math.Abs(w)
	})
	err *= float64(p.P.NNZ()) * unit
	each(p.A, func(i, j int, v float64) { add(j, v*y[i]) })
	most, slip := leaves(p, y)
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
