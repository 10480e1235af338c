//go:build !race

package ccp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// pooling is problem 1 of Haverly 1978, whose greatest profit is 400: flows are in units of
// flow, the quality of the pool in units of quality, the profit and the rows are multiplied
// by profit and row.
func pooling(flow, quality, profit, row float64) (*dc.Problem, error) {
	m := dc.NewModel()
	v := func(name string, least, most, unit float64) dc.Expr {
		return m.Var(name, nil, dc.AtLeast(least/unit), dc.AtMost(most/unit)).Scale(unit)
	}
	a, b := v("A", 0, 300, flow), v("B", 0, 300, flow)
	cx, cy := v("CX", 0, 100, flow), v("CY", 0, 200, flow)
	px, py := v("PX", 0, 100, flow), v("PY", 0, 200, flow)
	p := v("p", 1, 3, quality)
	m.Maximize(px.Add(cx).Scale(9).Add(py.Add(cy).Scale(15)).Sub(a.Scale(6)).Sub(b.Scale(16)).Sub(cx.Add(cy).Scale(10)).Scale(profit))
	state := func(c func(l, r dc.Expr) dc.Constraint, l, r dc.Expr) {
		m.SubjectTo(c(l.Scale(row), r.Scale(row)))
	}
	e := func(a dc.Expr) dc.Expr { return a }
	state(dc.EQ, e(a.Add(b)), e(px.Add(py)))
	state(dc.EQ, e(a.Scale(3).Add(b)), dc.Mul(p, px.Add(py)))
	state(dc.LE, e(px.Add(cx)), e(dc.Num(100)))
	state(dc.LE, e(py.Add(cy)), e(dc.Num(200)))
	state(dc.LE, dc.Mul(p, px).Add(cx.Scale(2)), e(px.Add(cx).Scale(2.5)))
	state(dc.LE, dc.Mul(p, py).Add(cy.Scale(2)), e(py.Add(cy).Scale(1.5)))
	return m.Problem(context.Background())
}

// TestPoolingUnits: products of flows and qualities lead to one optimum in all units.
func TestPoolingUnits(t *testing.T) {
	units := [][4]float64{{1, 1, 1, 1}, {1e3, 1e-3, 1e-3, 1e3}, {1e-3, 1e3, 1e3, 1e-3}}
	for k := range 4 {
		for _, u := range []float64{1e-6, 1e6} {
			one := [4]float64{1, 1, 1, 1}
			one[k] = u
			units = append(units, one)
		}
	}
	for _, u := range units {
		t.Run(fmt.Sprint(u), func(t *testing.T) {
			p, err := pooling(u[0], u[1], u[2], u[3])
			if err != nil {
				t.Fatal(err)
			}
			res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
			if err != nil || res.Status != ccp.Converged || math.Abs(res.Objective/u[2]-400) > 1e-3 {
				t.Errorf("%v, profit %g, want 400, %v", res.Status, res.Objective/u[2], err)
			}
		})
	}
}
