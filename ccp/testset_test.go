//go:build !race

package ccp_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// joki are the unconstrained problems of Joki, Bagirov, Karmitsa and Mäkelä 2017
// that need no cone, by their numbers, with the start given there and the known
// optimum. On number 2 the procedure stops early; trap is the value there.
func joki() []struct {
	name    string
	x0      []float64
	f       func(x dc.Expr) dc.Expr
	optimum float64
	trap    float64
} {
	type problem = struct {
		name    string
		x0      []float64
		f       func(x dc.Expr) dc.Expr
		optimum float64
		trap    float64
	}
	none := math.Inf(1)
	away := func(x dc.Expr, k int, c float64) dc.Expr { return dc.Abs(x.At(k).Sub(dc.Num(c))) }
	all := []problem{
		{"2", []float64{-1.2, 1}, func(x dc.Expr) dc.Expr {
			step := dc.Abs(x.At(0)).Sub(x.At(1))
			return dc.Sum(away(x, 0, 1), dc.Pos(step).Scale(200), step.Scale(-100))
		}, 0, 1},
		{"3", []float64{1, 3, 3, 1}, func(x dc.Expr) dc.Expr {
			a, b := dc.Abs(x.At(0)).Sub(x.At(1)), dc.Abs(x.At(2)).Sub(x.At(3))
			return dc.Sum(away(x, 0, 1), away(x, 2, 1), dc.Abs(x.At(1).Add(x.At(3)).Sub(dc.Num(2))).Scale(4.95),
				away(x, 1, 1).Scale(10.1), away(x, 3, 1).Scale(10.1), dc.Pos(a).Scale(200), dc.Pos(b).Scale(180),
				dc.Abs(x.At(1).Sub(x.At(3))).Scale(-4.95), b.Scale(-90), a.Scale(-100))
		}, 0, none},
		{"6", []float64{10, 1}, func(x dc.Expr) dc.Expr {
			return dc.Sum(x.At(1), dc.SumSquares(x).Scale(0.1), dc.Pos(x.At(1).Neg()).Scale(10), dc.Norm1(x).Neg())
		}, -2.5, none},
		{"8", []float64{0.5, 0.5, 0.5}, func(x dc.Expr) dc.Expr {
			a, b, c := x.At(0), x.At(1), x.At(2)
			return dc.Sum(dc.Num(9), x.Dot([]float64{-8, -6, -4}), dc.Norm1(x).Scale(2),
				dc.Square(a).Scale(4), dc.Square(b).Scale(2), dc.Square(c).Scale(2),
				dc.Max(dc.Num(0), x.Dot([]float64{1, 1, 2}).Sub(dc.Num(3)), a.Neg(), b.Neg(), c.Neg()).Scale(10),
				dc.Abs(a.Sub(b)).Neg(), dc.Abs(a.Sub(c)).Neg())
		}, 3.5, none},
	}
	for _, n := range []int{2, 10} {
		x4, x10, ones := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			x4[i], x10[i], ones[i] = float64(i+1), 0.1*float64(i+1), 1
			if i >= n/2 {
				x4[i] = -x4[i]
			}
		}
		all = append(all,
			problem{fmt.Sprint("4, n = ", n), x4, func(x dc.Expr) dc.Expr {
				return dc.NormInf(x).Scale(float64(n)).Sub(dc.Norm1(x))
			}, 0, none},
			problem{fmt.Sprint("5, n = ", n), make([]float64, n), func(x dc.Expr) dc.Expr {
				var s []dc.Expr
				for j := 1; j <= 20; j++ {
					w := make([]float64, n)
					for i := range w {
						w[i] = math.Pow(0.05*float64(j), float64(i))
					}
					s = append(s, x.Sub(dc.Num(1/float64(n))).Dot(w))
				}
				return dc.NormInf(dc.Stack(s...)).Scale(20).Sub(dc.Norm1(dc.Stack(s...)))
			}, 0, none},
			problem{fmt.Sprint("10, n = ", n), x10, func(x dc.Expr) dc.Expr {
				return dc.SumSquares(x).Sub(dc.Norm1(x.Slice(1, n).Sub(x.Slice(0, n-1))))
			}, 1.5 - float64(n), none},
			problem{fmt.Sprint("14, n = ", n), ones, func(x dc.Expr) dc.Expr {
				var s []dc.Expr
				for i := 1; i <= n; i++ {
					w := make([]float64, n)
					for j := range w {
						w[j] = 1 / float64(i+j)
					}
					s = append(s, x.Dot(w))
				}
				return dc.NormInf(dc.Stack(s...)).Scale(float64(n)).Sub(dc.Norm1(dc.Stack(s...)))
			}, 0, none})
	}
	x13 := make([]float64, 10)
	for i := range x13 {
		x13[i] = 10
	}
	return append(all, problem{"13", x13, func(x dc.Expr) dc.Expr {
		var pairs [][2]int
		for i := range 9 {
			pairs = append(pairs, [2]int{i, i + 1})
		}
		for i := range 8 {
			pairs = append(pairs, [2]int{i, i + 2})
		}
		pairs = append(pairs, [2]int{0, 8}, [2]int{0, 9}, [2]int{1, 9}, [2]int{0, 4}, [2]int{3, 6})
		var terms []dc.Expr
		for _, p := range pairs {
			a, b := x.At(p[0]), x.At(p[1])
			terms = append(terms, dc.Abs(a.Add(b)), dc.Abs(a).Neg(), dc.Abs(b).Neg())
		}
		terms = append(terms, dc.Pos(x.Sum().Sub(dc.Num(1))).Scale(10))
		for i := range 10 {
			terms = append(terms, dc.Pos(x.At(i).Neg()).Scale(10))
		}
		return dc.Sum(terms...)
	}, 0, none})
}

func TestPublishedProblems(t *testing.T) {
	for _, c := range joki() {
		t.Run(c.name, func(t *testing.T) {
			m := dc.NewModel()
			m.Minimize(c.f(m.Var("x", []int{len(c.x0)})))
			res := solve(t, build(t, m), c.x0, nil)
			atOptimum := math.Abs(res.Objective-c.optimum) <= 1e-5*max(1, math.Abs(c.optimum))
			atTrap := math.Abs(res.Objective-c.trap) <= 1e-5
			if res.Status != ccp.Converged || !atOptimum && !atTrap {
				t.Errorf("%v with %g, the optimum is %g: %s", res.Status, res.Objective, c.optimum, res.Message)
			}
		})
	}
}
