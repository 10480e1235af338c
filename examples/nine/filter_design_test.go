package nine_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// A low-pass filter: gain near one up to frequency pass, little beyond stop.
func Example_filterDesign() {
	const grid, n, pass, stop = 60, 8, 20, 30
	m := dc.NewModel()
	h := m.Var("h", []int{n}, dc.StartNormal(0, 1))
	ripple := m.Var("ripple", nil)
	m.Minimize(ripple)
	for l := range grid {
		re, im := make([]float64, n), make([]float64, n)
		for k := range n {
			im[k], re[k] = math.Sincos(math.Pi * float64(l*k) / (grid - 1))
		}
		gain := dc.Norm2(dc.Stack(h.Dot(re), h.Dot(im)))
		if l < pass {
			m.SubjectTo(dc.GE(gain, dc.Num(0.9)).Named("pass", l))
		}
		if l < stop {
			m.SubjectTo(dc.LE(gain, dc.Num(1.1)).Named("peak", l))
		} else {
			m.SubjectTo(dc.LE(gain, ripple).Named("stop", l))
		}
	}
	p, err := m.Problem()
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 5, ccp.DefaultSettings())
	fmt.Println(res.Status, err, ripple.Value(res.X)[0] < 0.12)
	// Output:
	// converged <nil> true
}
