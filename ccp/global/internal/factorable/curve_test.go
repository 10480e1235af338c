package factorable

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

// TestCurves: for all functions of one column and random intervals, bounds of y·f − s·u are below
// it and next to its least value, lines are below it up to the accuracy of samples and touch its
// hull, and preimages keep the arguments of their values and nothing far from them.
func TestCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	params := map[Op][]float64{Even: {6, 3.5}, Huber: {0.3, 2}, PosPower: {1.5, 3}, Power: {-1, -0.5, 0.5, 0.3}}
	for _, row := range atom.Curves() {
		op := opOf(row)
		far, loose, kept := 0, 0, 0
		for range 300 {
			f := Term{Op: op}
			if ps := params[op]; ps != nil {
				f.P = ps[rng.IntN(len(ps))]
			}
			scale := []float64{0.1, 1, 10}[rng.IntN(3)]
			u, v, d := scale*rng.NormFloat64(), scale*rng.NormFloat64(), f.domain()
			a := interval.New(max(min(u, v), d.Lo+1e-3), min(max(u, v), d.Hi-1e-3))
			if empty(a) || !f.image(a).IsFinite() {
				continue
			}
			const n = 2000
			us, vs := make([]float64, n+1), make([]float64, n+1)
			size := 0.0
			for i := range us {
				us[i] = Clip(a, a.Lo+interval.Width(a)*float64(i)/n)
				vs[i] = row.Value.At(us[i], f.P)
				size = max(size, math.Abs(vs[i]))
			}
			least := func(y, s float64) (low float64) {
				low = math.Inf(1)
				for i := range us {
					low = min(low, y*vs[i]-s*us[i])
				}
				return low
			}
			y, near := rng.NormFloat64(), us[rng.IntN(n+1)]
			s := y * f.Slope(near) * []float64{1, rng.Float64()}[rng.IntN(2)]
			got, low, room := f.least(y, s, a, near), least(y, s), math.Abs(y)*size+math.Abs(s)*a.Abs().Hi
			if got > low+1e-14*room {
				t.Fatalf("%s with %g: %g*f - %g*u is at least %g over %v, a value is %g", row.Name, f.P, y, s, got, a, low)
			}
			if got < low-1e-3*room {
				far++
			}
			for _, sign := range [2]float64{1, -1} {
				lines := f.Lines(a, sign)
				if len(lines) == 0 || len(lines) > mostLines {
					t.Fatalf("%s with %g over %v has %d lines", row.Name, f.P, a, len(lines))
				}
				for _, l := range lines {
					h := interval.Width(a) / samples // between which a function may be lower by half of this
					room := f.second(a).Abs().Hi*h*h/4 + 1e-3*math.Abs(l.Slope)*interval.Width(a) + 1e-9*size
					if off := least(sign, l.Slope) - l.Const; math.Abs(off) > room {
						loose++
					}
				}
			}
			// What has values next to one of them is kept, and at an end of the rest no value is
			// far from them.
			w := interval.New(vs[n/3]-1e-3*size, vs[n/3]+1e-3*size)
			b := f.inverse(w, a)
			if empty(b) || us[n/3] < b.Lo || us[n/3] > b.Hi {
				t.Fatalf("%s with %g over %v: %g is not in the preimage %v of %v", row.Name, f.P, a, us[n/3], b, w)
			}
			for _, end := range [2]float64{b.Lo, b.Hi} {
				if v := row.Value.At(end, f.P); v < w.Lo-1e-6*size || v > w.Hi+1e-6*size {
					kept++
				}
			}
		}
		if far > 3 || loose > 10 || kept > 0 {
			t.Errorf("%s: %d bounds are far below, %d lines off, %d ends far from the values",
				row.Name, far, loose, kept)
		}
	}
}
