package lang

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestLinearFunctions holds conv, kron, vec, dotsort and rel_entr against their
// definitions, written out in the language.
func TestLinearFunctions(t *testing.T) {
	for f, same := range map[string]string{
		"conv(a, x)[k]":            "sum(i in 1..2 if k - i in 0..2) a[i]*x[k-i+1]",
		"conv(x, a)[k]":            "conv(a, x)[k]",
		"conv(x^2 - abs(x), a)[k]": "sum(i in 1..2 if k - i in 0..2) a[i]*(x[k-i+1]^2 - abs(x[k-i+1]))",
		"conv(b, a)[k]*y":          "conv(a, b)[k]*y",
		"kron(M, X)[3,k]":          "M[2,if(k < 3, 1, 2)]*X[1,if(k < 3, k, k - 2)]",
		"kron(X, M)[3,k]":          "X[2,if(k < 3, 1, 2)]*M[1,if(k < 3, k, k - 2)]",
		"kron(M, a)[k,2]*y":        "M[if(k < 3, 1, 2),2]*a[if(k < 3, k, k - 2)]*y",
		"kron(a, [y, y, 1])[k]":    "if(k <= 3, a[1], a[2])*if(k == 1 or k == 2 or k == 4, y, 1)",
		"vec(X)[k]":                "X[if(k < 3, 1, 2),if(k < 3, k, k - 2)]",
		"dotsort(x, b)":            "max(max(x*b, x*[b[1], b[3], b[2]]), max(x*[b[2], b[1], b[3]], x*[b[2], b[3], b[1]]), max(x*[b[3], b[1], b[2]], x*[b[3], b[2], b[1]]))",
		"dotsort(x^2 - x, b)":      "dotsort([x[3]^2 - x[3], x[2]^2 - x[2], x[1]^2 - x[1]], [b[2], b[1], b[3]])",
		"rel_entr(p, q)":           "p*log(1) + kl(p, q) + p - q",
		"rel_entr(3, q)":           "3*log(3) - 3*log(q)",
		"rel_entr(p, 3)":           "-entr(p) - p*log(3)",
	} {
		for k := 1; k <= 4; k++ {
			var p [2]*Program
			for i, e := range []string{f, same} {
				p[i] = mustCompile(t, fmt.Sprintf("param a = [2, -1], b = [1, 0, 3], M = [1 2; 0 -1], k = %d\nvar x[3], y, X[2,2], p >= 0.1, q >= 0.1\nminimize %s + 0*(p + q + y) + 0*sum(x) + 0*sum(X)\n", k, e), Options{})
			}
			rng := rand.New(rand.NewPCG(uint64(k), 1))
			for range 5 {
				x := make([]float64, p[0].Problem.NumVars())
				for j := range x {
					x[j] = 0.1 + math.Abs(rng.NormFloat64())
					if j < 8 && rng.IntN(2) == 0 {
						x[j] = -x[j]
					}
				}
				if u, v := p[0].Problem.Value(x), p[1].Problem.Value(x); !(math.Abs(u-v) <= 1e-12*max(1, math.Abs(u))) {
					t.Errorf("%s = %v, %s = %v", f, u, same, v)
				}
			}
		}
	}
}
