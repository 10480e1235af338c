package derivatives

import (
	"context"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// The weights of a controller from what it was seen to do: a mass is brought to rest with a bounded
// force, and the weights of position and speed, relative to that of the force, are such that the
// forces are those of a demonstration.
func Example_controller() {
	const steps, dt = 12, 0.3
	m := dc.NewModel()
	at, speed, force := m.Var("at", []int{steps + 1}), m.Var("speed", []int{steps + 1}), m.Var("force", []int{steps})
	far, fast := m.Var("far", nil), m.Var("fast", nil)
	q, r := m.Param("q", nil, 1), m.Param("r", nil, 1)
	begin := m.Param("begin", []int{2}, 1, 0)
	m.Minimize(dc.SumSquares(force))
	m.AddCost(q, far)
	m.AddCost(r, fast)
	m.SubjectTo(dc.LE(dc.SumSquares(at), far), dc.LE(dc.SumSquares(speed), fast), dc.Between(-1, force, 1))
	m.SubjectTo(dc.EQ(at.At(0), begin.At(0)), dc.EQ(speed.At(0), begin.At(1)))
	moved := at.Slice(0, steps).Add(speed.Slice(0, steps).Scale(dt))
	pushed := speed.Slice(0, steps).Add(force.Scale(dt))
	m.SubjectTo(dc.EQ(at.Slice(1, steps+1), moved), dc.EQ(speed.Slice(1, steps+1), pushed))
	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	begins := [][]float64{{1, 0}, {2, -1}, {-1.5, 0.5}}
	each := func(q, r float64, f func(k int, s *ccp.Session, res *ccp.Result) error) error {
		var values []map[string][]float64
		for _, b := range begins {
			values = append(values, map[string][]float64{"q": {q}, "r": {r}, "begin": b})
		}
		return ccp.Batch(ctx, p, ccp.DefaultSettings(), values, f)
	}
	shown := make([][]float64, len(begins))
	if err := each(3, 0.5, func(k int, _ *ccp.Session, res *ccp.Result) error {
		shown[k] = force.Values(res.X)
		return nil
	}); err != nil {
		fmt.Println(err)
		return
	}
	logs, miss := [2]float64{}, 0.0
	for range 12 { // Gauss-Newton steps in the logarithms of the weights
		lost, normal := make([]float64, len(begins)), make([][5]float64, len(begins))
		if err := each(math.Exp(logs[0]), math.Exp(logs[1]), func(k int, s *ccp.Session, res *ccp.Result) error {
			d, err := s.Differentiate(ctx, res)
			if err != nil {
				return err
			}
			var slopes [2][]float64
			for i, name := range [...]string{"q", "r"} {
				dx, err := d.Forward(ctx, map[string][]float64{name: {math.Exp(logs[i])}})
				if err != nil {
					return err
				}
				slopes[i] = force.Values(dx)
			}
			for j, v := range force.Values(d.Point()) {
				e, a, b := v-shown[k][j], slopes[0][j], slopes[1][j]
				lost[k] += e * e
				for i, term := range [5]float64{a * a, a * b, b * b, a * e, b * e} {
					normal[k][i] += term
				}
			}
			return nil
		}); err != nil {
			fmt.Println(err)
			return
		}
		miss = 0
		var sum [5]float64
		for k := range begins {
			miss += lost[k]
			for i, v := range normal[k] {
				sum[i] += v
			}
		}
		det := sum[0]*sum[2] - sum[1]*sum[1]
		logs[0] -= max(-1, min(1, (sum[2]*sum[3]-sum[1]*sum[4])/det))
		logs[1] -= max(-1, min(1, (sum[0]*sum[4]-sum[1]*sum[3])/det))
	}
	fmt.Printf("weights %.2f and %.2f; the forces are those of the demonstration: %v\n", math.Exp(logs[0]), math.Exp(logs[1]), miss < 1e-8)
	// Output:
	// weights 3.00 and 0.50; the forces are those of the demonstration: true
}
