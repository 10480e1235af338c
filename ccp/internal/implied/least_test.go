package implied_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp/internal/implied"
	"github.com/dcopt/dcopt/ccp/internal/scaling"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestLeastWithin: whatever the multipliers are, no point within reach that meets the rows and
// cones has an objective below the bound; and the bound is near the least value where the
// multipliers are those of a solution.
func TestLeastWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	near, solved := 0, 0
	for k := range 300 {
		x := make([]float64, 4)
		for j := range x {
			x[j] = 4 * rng.NormFloat64()
		}
		p := around(rng, x) // x meets all rows and cones
		for j := range p.Q {
			p.Q[j] = rng.NormFloat64()
		}
		p.P = sparse.Identity(len(p.Q))
		for j := range p.P.Val {
			p.P.Val[j] = float64(k%2*j) / 4
		}
		n, m := p.Dims()
		centre, y, reach := make([]float64, n), make([]float64, m), make([]float64, n)
		for j, v := range x {
			centre[j] = v + rng.NormFloat64()
			reach[j] = math.Abs(v-centre[j]) * (1 + rng.Float64())
		}
		for i := range y {
			y[i] = rng.NormFloat64() * math.Pow(10, 4*rng.Float64()-2)
		}
		value := p.Objective(x)
		b := implied.Bounder{X: centre, Y: y}
		if least := b.Least(p, reach, n, math.Inf(1)); least > value {
			t.Errorf("problem %d: a bound of %.17g where a point has %.17g", k, least, value)
		}
		p.Lo, p.Hi = make([]float64, n), make([]float64, n)
		for j, v := range x {
			p.Lo[j], p.Hi[j] = v-5, v+5
		}
		s, err := scaling.New(context.Background(), ipm.Backend{}, p, ipm.Backend{}.DefaultSettings(), slices.Repeat([]float64{1}, n), nil)
		if err != nil {
			t.Fatal(err)
		}
		var res qpbackend.Result
		if err := s.Solve(context.Background(), &res); err != nil {
			t.Fatal(err)
		}
		for j := range reach {
			reach[j] = 10
		}
		least := s.LeastWithin(reach, n, math.Inf(1))
		if value := p.Objective(x); least > value {
			t.Errorf("problem %d, solved: a bound of %.17g where a point has %.17g", k, least, value)
		}
		if res.Status == qpbackend.Solved {
			if solved++; math.Abs(res.Objective-least) <= 1e-5*max(1, math.Abs(res.Objective)) {
				near++
			}
		}
	}
	t.Logf("near the minimum in %d of %d", near, solved)
	if solved < 50 || near < solved*9/10 {
		t.Errorf("the bound is near the minimum in %d of %d problems", near, solved)
	}
}
