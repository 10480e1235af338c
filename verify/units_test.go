package verify_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
)

// capped has a search over the choices of minima, and ramp one over the pieces of maxima.
const (
	capped = `param y = [1.2, -0.7, 3.1, 0.4, 9, -8]
var x[2] in [-10, 10]
minimize sum(i in 1..6) min(square(y[i] - x[1] - x[2]*i), 1)
`
	ramp = `param X = [1, 2; 2, 1; -1, 0.5; -2, -1; 0.3, -2; 1, -1; -3, 2]
param y = [1, 1, -1, -1, -1, 1, -1]
var w[2] in [-5, 5], b in [-5, 5]
minimize 0.05*sumsq(w) + sum(i in 1..7) (pos(1 - y[i]*(X[i,:]*w + b)) - pos(-y[i]*(X[i,:]*w + b)))
`
)

// times is a problem with its objective times a factor.
func times(t *testing.T, src string, factor float64) string {
	t.Helper()
	at := strings.Index(src, "imize ") + len("imize ")
	end := at + strings.Index(src[at:], "\n")
	if at < len("imize ") || end < at {
		t.Fatalf("no objective in %q", src)
	}
	return src[:at] + fmt.Sprintf("%v*(%s)", factor, src[at:end]) + src[end:]
}

// TestUnitsOfTheObjective: an objective times a small factor has the bound times that factor, to
// the same relative gap, and its proof is accepted.
func TestUnitsOfTheObjective(t *testing.T) {
	sources := map[string]string{"hard": hard, "ball": inBall, "capped": capped, "ramp": ramp}
	for seed := range uint64(20) {
		sources[fmt.Sprint("random ", seed)] = drawProblem(seed, false)
	}
	for name, src := range sources {
		for _, proof := range []bool{false, true} {
			var first *global.Result
			for _, factor := range []float64{1, 1e-3, 0x1p-30, 1e-9, 1e-15} {
				text := times(t, src, factor)
				p := compiled(t, text)
				if p == nil {
					break
				}
				set := ccp.DefaultSettings()
				set.Global.MaxNodes = 2000
				set.Global.Proof = proof
				set.Heuristics.Search.Hops = 2
				res, err := global.Solve(context.Background(), p, nil, 1, set)
				if err != nil {
					break // refused, with any factor
				}
				if first == nil {
					if first = res; !res.Proved {
						break
					}
					continue
				}
				size := max(1.0/32, math.Abs(first.Objective))
				if res.Status != first.Status || !res.Proved || first.Feasible && (math.Abs(res.Bound/factor-first.Bound) > 1e-5*size || math.Abs(res.Objective/factor-first.Objective) > 1e-5*size) {
					t.Errorf("%s times %g: %v, objective %.9g, bound %.9g for %v, %.9g, %.9g", name, factor, res.Status, res.Objective/factor, res.Bound/factor, first.Status, first.Objective, first.Bound)
				}
				if res.Proof != nil && !accepted(t, text, res) {
					t.Errorf("%s times %g: the proof is refused", name, factor)
				}
			}
		}
	}
}
