package ccp_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

// Six antennas receive a signal from one direction and an interferer from another. The weights have
// modulus 1, which is not convex.
func Example_complexNumbers() {
	const n = 6
	from := func(angle float64) []complex128 {
		out := make([]complex128, n)
		for k := range out {
			s, c := math.Sincos(math.Pi * float64(k) * math.Sin(angle))
			out[k] = complex(c, s)
		}
		return out
	}
	signal, noise := from(0.3), from(-0.2)

	m := dc.NewModel()
	w := m.ComplexVar("w", []int{n}, dc.StartAtComplex(signal...))
	r := mat.NewCDense(n, n, nil) // the power of the interferer and of noise
	for i := range n {
		for j := range n {
			r.Set(i, j, noise[i]*complex(real(noise[j]), -imag(noise[j])))
		}
		r.Set(i, i, r.At(i, i)+0.1)
	}
	m.Minimize(w.Quad(context.Background(), r))
	gain := dc.ComplexMatMul(dc.ComplexConst([]int{n}, signal).Conj(), w)
	m.SubjectTo(dc.GE(gain.Re, 5))
	m.SubjectTo(dc.ComplexEQ("reference", w.At(0), dc.ComplexConst(nil, signal[:1]))...)
	power := dc.Norm2(w.Pairs().Reshape(2, n).Along(0)) // the moduli of all weights
	m.SubjectTo(dc.EQ(power, 1).Named("power"))

	p, err := m.Problem(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ccp.Solve(context.Background(), p, p.Start(1), ccp.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	z := w.Value(res.X)
	fmt.Printf("%v, %.2f, w[1] = %.2f\n", res.Status, res.Objective, z[1])
	// Output: converged, 0.60, w[1] = (0.22+0.98i)
}
