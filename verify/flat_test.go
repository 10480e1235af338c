package verify

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// TestColumnsEnclose: the objective by columns encloses that by 256 bits at random points,
// where coefficients are rounding errors, and it is not wider than they are.
func TestColumnsEnclose(t *testing.T) {
	const zero = "(0.1*x[1] + 0.2*x[1] - 0.3*x[1])" // 0 but for rounding
	rng := rand.New(rand.NewPCG(5, 8))
	for _, src := range []string{
		zero, "abs(" + zero + " + x[2])", "(" + zero + " + 0.7*x[2] + 0.1)*(0.3*x[1] + x[2] + 0.1 + 0.2)",
		"sqrt(0.1*x[1] + 0.2*x[1] - 0.3*x[1] + x[2])", "log(0.1 + 0.2 + 0.7*x[1])", "entr(0.1 + 0.2 + 0.7*x[1] + 0.1*x[2])",
		"norm2([0.1*x[1] + 0.2*x[1] - 0.1, x[2] - 0.7*x[1]])", "lse([0.1*x[1] + 0.2*x[1], 0.7*x[2] + 0.1 + 0.2])",
		"max(0.1*x[1] + 0.2*x[1], 0.3*x[1], 0.7*x[2] - 0.1)", "sumlargest([0.1*x[1], 0.2*x[2] + 0.1, 0.3*x[1] - x[2]], 2)",
		"quadoverlin([0.1*x[1] + 0.2*x[2] + 0.3, x[2]], 0.1*x[1] + 0.2)", "kl(0.1*x[1] + 0.2 + 0.1, 0.7*x[2] + 0.1 + 0.2)",
		"(0.1*x[1] + 0.2*x[1] - 0.1*x[2])^3", "exp(0.1*x[1] + 0.2*x[1])*logistic(0.7*x[2] - 0.1)", "huber(0.1*x[1] + 0.2*x[1] - 0.4*x[2], 0.3)",
		"geomean([0.1*x[1] + 0.2, 0.7*x[2] + 0.1 + 0.2])", "max(0, 0.3*x[1] - 0.1*x[1] - 0.2*x[1])", "xexp(0.1*x[1] + 0.2*x[1] + 0.3)",
		"(0.1*x[1] + 0.2*x[1] + 0.1)^1.5", "(0.1*x[1] + 0.2 + 0.1)^-0.5", "x[1]*log(0.3*x[1]) - x[1]*log(x[2] + 0.1)",
		"(x[1] + 0.1)*(log((0.3*x[1] + 0.03)/(x[2] + 0.1)) - 0.3)", "log(0.7*(x[1] + 0.1)*(x[2] + 0.2))", "log(0.3*x[1]^2 + 0.2*x[1]^2 + 1e-3)",
		"(0.7/(x[1] + 0.1))^0.6", "sqrt(0.3*x[1]*(x[2] + 0.1))", "log(0.1 + x[1]/(x[2] + 0.3) + 0.2/(x[2] + 0.3))", "norminf([0.1*x[1] + 0.2*x[1], 0.3*x[2]])",
	} {
		p, err := Read(context.Background(), "var x[2] in [0, 1]\nminimize "+src+"\n", reader.NewData(nil, "."), nil)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		f, err := flatten(p, p.box)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for range 50 {
			x := []float64{rng.Float64(), rng.Float64()}
			box := append([]safe.Span(nil), f.box...)
			box[0], box[1] = safe.Just(x[0]), safe.Just(x[1])
			if !f.forward(box) {
				t.Fatalf("%s: nothing is left at %v", src, x)
			}
			got := f.cost.over(box)
			lo, hi := newValues(x, false).of(p.objective).Floats()
			if got.Lo > hi || got.Hi < lo || !(got.Hi-got.Lo < 1e-12+1e-6*math.Abs(lo)) {
				t.Errorf("%s at %v: by columns %v, by 256 bits [%.17g, %.17g]", src, x, got, lo, hi)
			}
		}
	}
}
