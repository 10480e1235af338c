package derivatives

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// The weight of the norm of a support vector machine with the ramp loss, which outliers cannot pull
// far, by the gradient of the logistic loss on other data.
func Example_rampSVM() {
	const n, train, check = 4, 40, 200
	rng := rand.New(rand.NewPCG(3, 1))
	draw := func(k int, flipped float64) (rows, labels []float64) {
		for range k {
			row, sum := make([]float64, n), 0.0
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			sum = row[0] + 0.5*row[1] + 0.7*rng.NormFloat64()
			label := math.Copysign(1, sum)
			if rng.Float64() < flipped {
				label, row[0] = -label, 4*row[0]
			}
			rows, labels = append(rows, row...), append(labels, label)
		}
		return rows, labels
	}
	rows, labels := draw(train, 0.15)
	m := dc.NewModel()
	w, b, size := m.Var("w", []int{n}), m.Var("b", nil), m.Var("size", nil)
	λ := m.Param("lambda", nil, 1)
	margins := func(rows, labels []float64) dc.Expr {
		return dc.MatMul(dc.Const([]int{len(labels), n}, rows), w).Add(b).ScaleEach(labels)
	}
	wrong := margins(rows, labels).Neg() // the ramp is the least of 1 and the hinge loss
	m.Minimize(dc.Sum(dc.Pos(wrong.Shift(1)).Sub(dc.Pos(wrong))))
	m.SubjectTo(dc.LE(dc.Sum(dc.SumSquares(w), dc.Square(b)), size))
	m.AddCost(λ, size)
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := ccp.NewSession(context.Background(), p, ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	ctx := context.Background()
	others, truth := draw(check, 0)
	unseen := margins(others, truth)
	first, last, used, logλ := 0.0, 0.0, 0.0, math.Log(20)
	for step := range 12 {
		if err := s.Set("lambda", math.Exp(logλ)); err != nil {
			fmt.Println(err)
			return
		}
		res, err := s.Solve(ctx, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		loss, g := 0.0, make([]float64, len(res.X)) // w, then b
		for i, margin := range unseen.Values(res.X) {
			loss += math.Log1p(math.Exp(-margin)) / check
			slope := -truth[i] / (1 + math.Exp(margin)) / check
			for j, v := range others[n*i : n*i+n] {
				g[j] += slope * v
			}
			g[n] += slope
		}
		if last, used = loss, math.Exp(logλ); step == 0 {
			first = loss
		}
		d, err := s.Differentiate(ctx, res)
		if err != nil {
			fmt.Println(err)
			return
		}
		grad, err := d.Adjoint(ctx, g)
		if err != nil {
			fmt.Println(err)
			return
		}
		logλ -= 30 * grad["lambda"][0] * math.Exp(logλ)
	}
	fmt.Printf("validation loss %.3f with lambda 20, %.3f with lambda %.1f\n", first, last, used)
	// Output:
	// validation loss 0.530 with lambda 20, 0.402 with lambda 1.0
}
