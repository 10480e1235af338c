//go:build !race

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
)

// TestRescaled: an objective, constraints or variables times a number between 1e-9 and 1e9 leave
// the minimum where it is. Constraints times 1e9 are left out: their tolerance stays that of units
// of 1, 1e-15 of their terms.
func TestRescaled(t *testing.T) {
	files := []string{
		"testdata/equations/blend.dc", "testdata/equations/chain.dc", "testdata/equations/eigen.dc", "testdata/equations/graphform.dc",
		"testdata/equations/haverly1.dc", "testdata/equations/hs71.dc", "testdata/equations/hs77.dc", "testdata/equations/hs78.dc",
		"testdata/equations/lognorm.dc", "testdata/equations/opf3.dc", "testdata/equations/opf5.dc", "testdata/equations/price.dc",
		"testdata/equations/rosenbrock_eq.dc", "testdata/equations/trajectory.dc",
		"../../examples/l1_l2.dc", "../../examples/sparse_lder.dc", "../../examples/control.dc", "../../examples/low_rank.dc",
	}
	scales := [2][]float64{{1e-9, 7e3}, {1e-4, 1e9}} // in turn
	for i, file := range files {
		p := compileFile(t, file, nil)
		same := rescaled(t, p, 1, 1, 1)
		x0 := same.Start(0)
		plain, err := ccp.Solve(context.Background(), same, x0, ccp.DefaultSettings())
		if err != nil || plain.Status != ccp.Converged {
			t.Fatalf("%s: error %v, %v", file, err, plain.Status)
		}
		for _, s := range scales[i%2] {
			for which, u := range map[string][3]float64{"objective": {s, 1, 1}, "constraints": {1, s, 1}, "variables": {1, 1, s}} {
				if which == "constraints" && s > 1e6 {
					continue
				}
				z := slices.Clone(x0)
				for j := range z {
					z[j] *= u[2]
				}
				got, err := ccp.Solve(context.Background(), rescaled(t, p, u[0], u[1], u[2]), z, ccp.DefaultSettings())
				if err != nil || got.Status != ccp.Converged || !(math.Abs(got.Objective/u[0]-plain.Objective) <= 2e-5*math.Abs(plain.Objective)) {
					t.Errorf("%s, %s times %g: error %v, %v with %.9g, want %.9g; %s", file, which, s, err, got.Status, got.Objective/u[0], plain.Objective, got.Message)
				}
			}
		}
	}
}

// rescaled states p in other units: the objective times f, constraints times c, and z = v·x
// in the place of the variables x. It takes neither cones nor symmetric matrices.
func rescaled(t *testing.T, p *dc.Problem, f, c, v float64) *dc.Problem {
	t.Helper()
	m := dc.NewModel()
	var columns []dc.Expr
	for _, w := range p.Program().Vars {
		if w.Symmetric || w.Param {
			t.Fatalf("%s is a matrix or a parameter", w.Name)
		}
		lo, hi := make([]float64, w.Len()), make([]float64, w.Len())
		for k := range lo {
			lo[k], hi[k] = w.Bounds(k)
			lo[k], hi[k] = v*lo[k], v*hi[k]
		}
		options := []dc.VarOption{dc.AtLeast(lo...), dc.AtMost(hi...)}
		switch s := w.Start; s.Kind {
		case program.StartValues:
			values := slices.Clone(s.Values)
			for k := range values {
				values[k] *= v
			}
			options = append(options, dc.StartAt(values...))
		case program.StartNormally:
			options = append(options, dc.StartNormal(v*s.A, v*s.B))
		case program.StartUniformly:
			options = append(options, dc.StartUniform(v*s.A, v*s.B))
		}
		columns = append(columns, m.Var(w.Name, w.Shape, options...).Reshape(w.Len()).Scale(1/v))
	}
	all := dc.Stack(columns...)
	linear := func(l convex.Linear) dc.Expr {
		a := all.Select([]int{len(l.Idx)}, l.Idx).Dot(l.Val)
		return a.Add(dc.Num(l.Const))
	}
	var again func(e expr.Scalar) dc.Expr
	again = func(e expr.Scalar) dc.Expr {
		lin, terms := e.Written()
		parts := []dc.Expr{linear(lin)}
		for _, u := range terms {
			var args []dc.Expr
			for _, a := range u.Node.Args() {
				es := make([]dc.Expr, a.Len())
				for i := range es {
					es[i] = again(a.Scalar(i))
				}
				args = append(args, dc.Stack(es...).Reshape(a.Shape...))
			}
			parts = append(parts, dc.Apply(u.Node.Op(), u.Node.Data(), args...).Scale(u.Weight))
		}
		return dc.Sum(parts...)
	}
	if p.Program().Maximize {
		m.Maximize(again(p.Program().Objective).Scale(-f))
	} else {
		m.Minimize(again(p.Program().Objective).Scale(f))
	}
	n := 0
	for r, equation := range p.Program().Written() {
		n++
		if _, cone := r.Cone(); cone {
			t.Fatalf("%s is on a cone", r.Name())
		}
		if !r.DC {
			for k := range r.Lo {
				e := linear(r.A.Linear(k)).Scale(c)
				m.SubjectTo(dc.Between(dc.Num(c*r.Lo[k]), e, dc.Num(c*r.Hi[k])).Named(fmt.Sprint(r.Name(), n), k))
			}
			continue
		}
		if equation {
			m.SubjectTo(dc.EQ(again(r.Function()).Scale(c), dc.Num(0)).Named(r.Name()))
		} else {
			m.SubjectTo(dc.LE(again(r.Function()).Scale(c), dc.Num(0)).Named(r.Name()))
		}
	}
	q, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return q
}
