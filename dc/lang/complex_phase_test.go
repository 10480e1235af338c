//go:build !race

package lang

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// phaseRetrieval is DCCP's example in complex numbers, from its start; E/ is the folder of its
// data.
const phaseRetrieval = `param A = csv("E/Ar.csv") + csv("E/Ai.csv")*1i, y = csv("E/y.csv"), start0 = csv("E/xinit.csv"), true0 = csv("E/x0.csv")
param t = true0[1,:] + true0[2,:]*1i
var x[cols(A)] complex start start0[1,:] + start0[2,:]*1i
let found = x
find
subject to
  mag[k in 1..rows(A)]: abs(conj(A[k,:])*x) == y[k]
`

// TestPhaseRetrievalInComplexNumbers: DCCP's example, stated in complex numbers in one family,
// gives its signal to 1e-8, up to a phase; the nine examples have it in real numbers.
func TestPhaseRetrievalInComplexNumbers(t *testing.T) {
	dir := sharedData(t) + "phase_retrieval/"
	for _, file := range []string{"Ar.csv", "Ai.csv", "y.csv", "xinit.csv", "x0.csv"} {
		shared.Path(t, "data", "dccp", "phase_retrieval", file)
	}
	p, r := solveText(t, strings.ReplaceAll(phaseRetrieval, "E/", dir))
	if r.Violation > 1e-8 {
		t.Errorf("violation %g", r.Violation)
	}
	truth := &p.Params[len(p.Params)-1]
	re, im, tr, ti := p.Lets[0].Values(r.X), p.Lets[0].Imag(r.X), truth.Values(nil), truth.Imag(nil)
	inner, size, off := 0i, 0.0, 0.0
	for k := range re {
		inner += complex(re[k], -im[k]) * complex(tr[k], ti[k])
	}
	inner /= complex(cmplx.Abs(inner), 0)
	for k := range re {
		d, want := complex(re[k], im[k])*inner-complex(tr[k], ti[k]), complex(tr[k], ti[k])
		off, size = off+real(d*cmplx.Conj(d)), size+real(want*cmplx.Conj(want))
	}
	if !(math.Sqrt(off/size) <= 1e-8) {
		t.Errorf("relative error %g of %s", math.Sqrt(off/size), truth.Name)
	}
}
