package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRounding: sums and products rounded down are the largest numbers that are not above the exact
// ones, products below ExactProduct at most one number less.
func TestRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	numbers := []float64{0, 1, -1, 0.1, math.MaxFloat64, -math.MaxFloat64, 0x1p-1074, -0x1p-1074, ExactProduct}
	for range 120 {
		numbers = append(numbers, math.Ldexp(rng.NormFloat64(), rng.IntN(120)-60), math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000))
	}
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(v) }
	for _, a := range numbers {
		for _, b := range numbers {
			sum, product := new(big.Float).SetPrec(5000).Add(exact(a), exact(b)), new(big.Float).SetPrec(5000).Mul(exact(a), exact(b))
			for _, c := range []struct {
				name  string
				v     float64
				want  *big.Float
				loose bool
			}{
				{"AddDown", AddDown(a, b), sum, false},
				{"MulDown", MulDown(a, b), product, math.Abs(a*b) < ExactProduct},
				{"AddUp", -AddUp(-a, -b), sum, false},
				{"MulUp", -MulUp(-a, b), product, math.Abs(a*b) < ExactProduct},
			} {
				below := math.IsInf(c.v, -1) || exact(c.v).Cmp(c.want) <= 0
				next := Up(c.v)
				if c.loose {
					next = Up(next)
				}
				if !below || !math.IsInf(next, 1) && exact(next).Cmp(c.want) <= 0 {
					t.Fatalf("%s of %g and %g is %g", c.name, a, b, c.v)
				}
			}
		}
	}
	inf := math.Inf(1)
	if v := AddDown(inf, -inf); v != -inf {
		t.Errorf("∞ − ∞ is %g from below", v)
	}
	if AddDown(inf, 1) != inf || MulDown(0, inf) != 0 || MulDown(2, inf) != inf || MulUp(inf, -1) != -inf {
		t.Error("sums and products of infinite numbers")
	}
}
