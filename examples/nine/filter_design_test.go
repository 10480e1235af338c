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
	var re, im []float64
	for k := range grid * n {
		sin, cos := math.Sincos(math.Pi * float64(k/n*(k%n)) / (grid - 1))
		re, im = append(re, cos), append(im, sin)
	}
	parts := dc.MatMul(dc.Const([]int{2 * grid, n}, append(re, im...)), h).Reshape(2, grid)
	gain := dc.Norm2(parts.Along(0))
	m.SubjectTo(
		dc.GE(gain.Slice(0, pass), 0.9).Named("pass"),
		dc.LE(gain.Slice(0, stop), 1.1).Named("peak"),
		dc.LE(gain.Slice(stop, grid), ripple).Named("stop"),
	)
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Multistart(context.Background(), p, 5, ccp.DefaultSettings())
	fmt.Println(res.Status, err, ripple.Value(res.X) < 0.12)
	// Output:
	// converged <nil> true
}
