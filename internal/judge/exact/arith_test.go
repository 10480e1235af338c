package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// digits60 are from tables: e, log 2 and the square root of e.
func TestArithDigits(t *testing.T) {
	a := NewArith(Precision)
	e, _ := a.exp(a.Of(1))
	half, _ := a.exp(a.Of(0.5))
	ln2, _ := a.log(a.Of(2))
	for _, c := range []struct {
		name string
		v    *big.Float
		want string
	}{
		{"e", e, "2.71828182845904523536028747135266249775724709369995957496"},
		{"sqrt e", half, "1.64872127070012814684865078781416357165377610071014801157"},
		{"log 2", ln2, "0.69314718055994530941723212145817656807550013436025525412"},
	} {
		if got := c.v.Text('f', 58); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s = %s, want %s", c.name, got, c.want)
		}
	}
}

// TestArithInverse: log undoes exp, over arguments of all sizes, and both agree
// with package math.
func TestArithInverse(t *testing.T) {
	a := NewArith(Precision)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		x := rng.NormFloat64() * math.Pow(10, 4*rng.Float64()-2)
		e, ok := a.exp(a.Of(x))
		if !ok {
			t.Fatalf("exp(%g) has no value", x)
		}
		back, _ := a.log(e)
		d, _ := a.Sub(back, a.Of(x)).Float64()
		if math.Abs(d) > 1e-57*max(1, math.Abs(x)) {
			t.Errorf("log(exp(%g)) is off by %g", x, d)
		}
		if f, _ := e.Float64(); math.Abs(x) < 700 && math.Abs(f-math.Exp(x)) > 1e-15*f {
			t.Errorf("exp(%g) = %g, math has %g", x, f, math.Exp(x))
		}
		soft, _ := a.logistic(a.Of(x))
		if f, _ := soft.Float64(); math.Abs(f-(math.Max(x, 0)+math.Log1p(math.Exp(-math.Abs(x))))) > 1e-15*max(1, f) {
			t.Errorf("logistic(%g) = %g", x, f)
		}
		y := math.Abs(x)
		p, _ := a.pow(a.Of(y), 1.5)
		cube := a.mul(a.Of(y), a.mul(a.Of(y), a.Of(y)))
		d, _ = a.quo(a.Sub(a.mul(p, p), cube), cube).Float64()
		if math.Abs(d) > 1e-57 {
			t.Errorf("(%g^1.5)^2 is off by %g", y, d)
		}
	}
	for _, x := range []float64{0x1p-30, 1e-12, 1e-300} { // log(1 + t) = t - t^2/2 + ...
		e, _ := a.exp(a.Of(math.Log(x)))
		l := a.log1p(e)
		if got, _ := l.Float64(); math.Abs(got-x+x*x/2) > 1e-13*x {
			t.Errorf("log1p(%g) = %g", x, got)
		}
	}
	if _, ok := a.log(a.Of(0)); ok {
		t.Error("log(0) has a value")
	}
	if _, ok := a.pow(a.Of(-1), 0.5); ok {
		t.Error("(-1)^0.5 has a value")
	}
}
