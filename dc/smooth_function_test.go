package dc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/interval"
)

// bell is exp(−u²/2) as a function of a user.
func bell(bends func(dc.Interval) dc.Interval) func(dc.Expr) dc.Expr {
	f := func(u float64) float64 { return math.Exp(-u * u / 2) }
	return dc.Smooth("bell", f, func(u float64) float64 { return -u * f(u) },
		func(u float64) float64 { return (u*u - 1) * f(u) }, bends)
}

func bendsOfBell(dc.Interval) dc.Interval { return interval.New(-1, 0.5) }

// TestSmoothFunction: a function of a user has a split, alone and in products, and is maximised.
func TestSmoothFunction(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3}, dc.AtLeast(-1), dc.AtMost(2))
	f := bell(bendsOfBell)
	for name, e := range map[string]dc.Expr{
		"alone": f(x.At(0).Scale(2)), "in a product": dc.Mul(f(x.At(0)), x.At(1)), "of a sine": f(dc.Sin(x.At(0))),
		"of a maximum": f(dc.Max(x.At(0), x.At(1))),
	} {
		if err := e.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, e := range []dc.Expr{e, e.Neg()} {
			if wrong := difference(e, rand.New(rand.NewPCG(48, 5))); wrong != "" {
				t.Errorf("%s: %s", name, wrong)
			}
		}
	}
	_, terms := f(x.At(0)).Scalar().Written()
	if len(terms) != 1 || terms[0].Node.Op() != "blackbox" {
		t.Errorf("it is written as %v", terms)
	}
	m.Maximize(f(x.At(0).Sub(dc.Num(0.7))))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := ccp.Solve(context.Background(), p, p.Start(0), ccp.DefaultSettings())
	if err != nil || res.Status != ccp.Converged || math.Abs(res.X[0]-0.7) > 1e-5 {
		t.Errorf("%v, %v", res, err)
	}
}

// TestSmoothFunctionMistakes: functions that are wrong end with an answer or an error.
func TestSmoothFunctionMistakes(t *testing.T) {
	nan := func(float64) float64 { return math.NaN() }
	zero := func(float64) float64 { return 0 }
	for name, f := range map[string]func(dc.Expr) dc.Expr{
		"too small a range":   bell(func(dc.Interval) dc.Interval { return interval.New(0, 0) }),
		"a range of NaN":      bell(func(dc.Interval) dc.Interval { return interval.New(math.NaN(), 1) }),
		"ends exchanged":      bell(func(dc.Interval) dc.Interval { return interval.New(1, -1) }),
		"an infinite range":   bell(func(dc.Interval) dc.Interval { return interval.Whole }),
		"values that are NaN": dc.Smooth("nan", nan, zero, zero, bendsOfBell),
		"slopes that are NaN": dc.Smooth("nan", zero, nan, nan, bendsOfBell),
		"no function":         dc.Smooth("none", nil, zero, zero, bendsOfBell),
	} {
		m := dc.NewModel()
		x := m.Var("x", nil, dc.AtLeast(-2), dc.AtMost(2), dc.StartAt(1))
		m.Minimize(f(x).Add(dc.Square(f(x).Sub(dc.Num(0.3)))))
		p, err := m.Problem(context.Background())
		refused := name == "a range of NaN" || name == "ends exchanged" || name == "an infinite range" || name == "no function"
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "bound") && name != "no function" {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if res, err := ccp.Solve(context.Background(), p, p.Start(0), ccp.DefaultSettings()); err == nil && res == nil {
			t.Errorf("%s: no answer", name)
		}
	}
}
