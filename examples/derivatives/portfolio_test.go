package derivatives

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Inverse optimisation: an investor's portfolios, the best for returns that are not known and are
// shifted by known amounts from day to day, tell the returns, up to a constant, by the gradient of
// how badly guessed ones explain the portfolios.
func Example_portfolio() {
	const n, days = 5, 8
	rng := rand.New(rand.NewPCG(4, 2))
	risk := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			risk.SetSym(i, j, 0.1*rng.Float64())
		}
		risk.SetSym(i, i, 1+rng.Float64())
	}
	m := dc.NewModel()
	x := m.Var("x", []int{n})
	loss := m.Param("loss", []int{n}, 0) // minus the returns
	m.Minimize(dc.Quad(context.Background(), x, risk))
	m.AddCost(loss, x)
	m.SubjectTo(dc.EQ(x.Sum(), 1), dc.GE(x, 0))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	truth, shifts, seen := []float64{0.9, 0.2, 0.5, 0.7, 0.4}, make([][]float64, days), make([][]float64, days)
	for k := range shifts {
		for range n {
			shifts[k] = append(shifts[k], 0.5*rng.NormFloat64())
		}
	}
	// each solves for all days with the given returns.
	each := func(returns []float64, f func(k int, s *ccp.Session, res *ccp.Result) error) error {
		var values []map[string][]float64
		for k := range days {
			l := make([]float64, n)
			for j := range l {
				l[j] = -returns[j] - shifts[k][j]
			}
			values = append(values, map[string][]float64{"loss": l})
		}
		return ccp.Batch(context.Background(), p, ccp.DefaultSettings(), values, f)
	}
	if err := each(truth, func(k int, _ *ccp.Session, res *ccp.Result) error {
		seen[k] = x.Values(res.X)
		return nil
	}); err != nil {
		fmt.Println(err)
		return
	}
	guess := make([]float64, n)
	for step := range 81 {
		miss, gradients := make([]float64, days), make([][]float64, days)
		if err := each(guess, func(k int, s *ccp.Session, res *ccp.Result) error {
			d, err := s.Differentiate(context.Background(), res)
			if err != nil {
				return err
			}
			g := make([]float64, len(res.X))
			for j, v := range x.Values(d.Point()) {
				g[j] = v - seen[k][j] // x comes first among the variables
				miss[k] += g[j] * g[j] / 2
			}
			grad, err := d.Adjoint(context.Background(), g)
			gradients[k] = grad["loss"]
			return err
		}); err != nil {
			fmt.Println(err)
			return
		}
		total := 0.0
		for k := range days {
			total += miss[k]
			for j, g := range gradients[k] {
				guess[j] += 0.5 * g // the returns are minus the losses
			}
		}
		if step%80 == 0 {
			fmt.Printf("step %d: the portfolios differ by %.4f\n", step, total)
		}
	}
	fmt.Print("returns above those of the first asset:")
	for j := 1; j < n; j++ {
		fmt.Printf(" %.2f (true %.2f)", guess[j]-guess[0], truth[j]-truth[0])
	}
	fmt.Println()
	// Output:
	// step 0: the portfolios differ by 0.0978
	// step 80: the portfolios differ by 0.0000
	// returns above those of the first asset: -0.70 (true -0.70) -0.40 (true -0.40) -0.20 (true -0.20) -0.50 (true -0.50)
}
