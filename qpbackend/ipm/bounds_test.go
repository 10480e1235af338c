package ipm_test

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestHugeBounds: a finite bound that is none in all but name, as users write
// it, must not govern the scaling, the first point or the duality measure.
func TestHugeBounds(t *testing.T) {
	for _, huge := range []float64{1e6, 1e9, 1e12, 1e15} {
		for name, row := range map[string][]float64{"on a variable": nil, "on a row of one entry": {1, 0}, "on a row": {1, 1}} {
			var a, h sparse.Triplets
			h.Add(0, 0, 2)
			h.Add(1, 1, 2)
			p := &qpbackend.Problem{Q: []float64{1, 0}, Lo: []float64{-1, -1}, Hi: []float64{huge, huge}}
			if row != nil {
				p.Lo[0], p.Hi[0], p.L, p.U = math.Inf(-1), math.Inf(1), []float64{-1}, []float64{huge}
				a.Add(0, 0, row[0])
				a.Add(0, 1, row[1])
			}
			p.A, _ = a.CSC(len(p.L), 2)
			p.P, _ = h.CSC(2, 2)
			b := ipm.Backend{}
			s, err := b.New(context.Background(), p, b.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			var res qpbackend.Result
			if err := s.Solve(context.Background(), &res); err != nil {
				t.Fatal(err)
			}
			if res.Status != qpbackend.Solved || math.Abs(res.Objective+0.25) > 1e-7 {
				t.Errorf("%g %s: %v with objective %g, want −0.25", huge, name, res.Status, res.Objective)
			}
			s.Close()
		}
	}
}
