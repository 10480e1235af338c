package dc_test

import (
	"context"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
)

// complexNormal is a matrix of complex numbers, row-major.
func complexNormal(rng *rand.Rand, n int) []complex128 {
	out := make([]complex128, n)
	for k := range out {
		out[k] = complex(rng.NormFloat64(), rng.NormFloat64())
	}
	return out
}

// hermitianOf is a Hermitian matrix of numbers.
func hermitianOf(rng *rand.Rand, n int) []complex128 {
	z := complexNormal(rng, n*n)
	out := make([]complex128, n*n)
	for i := range n {
		for j := range n {
			out[i*n+j] = (z[i*n+j] + cmplx.Conj(z[j*n+i])) / 2
		}
	}
	return out
}

func nearComplex(t *testing.T, what string, got, want []complex128) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d entries, want %d", what, len(got), len(want))
	}
	for k := range got {
		if cmplx.Abs(got[k]-want[k]) > 1e-12*(1+cmplx.Abs(want[k])) {
			t.Errorf("%s: entry %d is %g, want %g", what, k, got[k], want[k])
		}
	}
}

// TestComplexArithmetic: the operations of pairs are those of complex numbers.
func TestComplexArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := dc.NewModel()
	z, w := m.ComplexVar("z", []int{3}), m.ComplexVar("w", []int{2, 3})
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, p.NumVars())
	for k := range x {
		x[k] = rng.NormFloat64()
	}
	zv, wv, a := z.Value(x), w.Value(x), complexNormal(rng, 6)
	c := 0.5 - 2i
	var scaled, product, adjoint []complex128
	for _, v := range zv {
		scaled = append(scaled, c*v+cmplx.Conj(zv[0]))
	}
	for i := range 2 {
		s := 0i
		for j := range 3 {
			s += a[i*3+j] * zv[j]
		}
		product = append(product, s)
	}
	for j := range 3 {
		for i := range 2 {
			adjoint = append(adjoint, cmplx.Conj(wv[i*3+j]))
		}
	}
	nearComplex(t, "c*z + conj(z[0])", z.Scale(c).Add(z.At(0).Conj()).Value(x), scaled)
	nearComplex(t, "A*z", dc.ComplexMatMul(dc.ComplexConst([]int{2, 3}, a), z).Value(x), product)
	nearComplex(t, "W'", w.H().Value(x), adjoint)
	nearComplex(t, "W[1,:] - z", w.Row(1).Sub(z).Value(x), []complex128{wv[3] - zv[0], wv[4] - zv[1], wv[5] - zv[2]})
	norm := 0.0
	for k, v := range zv {
		norm += real(v * cmplx.Conj(v))
		e := z.Abs(k)
		if got := e.Value(x); math.Abs(got-cmplx.Abs(v)) > 1e-12 {
			t.Errorf("|z[%d]| = %g, want %g", k, got, cmplx.Abs(v))
		}
	}
	e := z.SumSquares()
	if got := e.Value(x); math.Abs(got-norm) > 1e-12*norm {
		t.Errorf("sum of squares %g, want %g", got, norm)
	}
	if e := z.Norm2(); math.Abs(e.Value(x)-math.Sqrt(norm)) > 1e-12*norm {
		t.Errorf("norm %g, want %g", e.Value(x), math.Sqrt(norm))
	}
}

// TestHermitianForms: quadratic forms are those of complex numbers, and the embedding of a
// Hermitian matrix has its eigenvalues.
func TestHermitianForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 4
	m := dc.NewModel()
	z, h := m.ComplexVar("z", []int{n}), m.HermitianVar("H", n, dc.PSD())
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if want := 2*n + n*n; p.NumVars() != want {
		t.Errorf("%d real variables, want %d", p.NumVars(), want)
	}
	x := make([]float64, p.NumVars())
	for k := range x {
		x[k] = rng.NormFloat64()
	}
	q := hermitianOf(rng, n)
	form := 0i
	zv := z.Value(x)
	for i := range n {
		for j := range n {
			form += cmplx.Conj(zv[i]) * q[i*n+j] * zv[j]
		}
	}
	e := z.Quad(context.Background(), mat.NewCDense(n, n, q))
	if got := e.Value(x); math.Abs(got-real(form)) > 1e-11*(1+cmplx.Abs(form)) || math.Abs(imag(form)) > 1e-11 {
		t.Errorf("z'Qz = %g, want %g", got, form)
	}
	hv := h.Value(x)
	for i := range n {
		for j := range n {
			if hv[i*n+j] != cmplx.Conj(hv[j*n+i]) {
				t.Errorf("H[%d,%d] = %g, H[%d,%d] = %g", i, j, hv[i*n+j], j, i, hv[j*n+i])
			}
		}
	}
	if _, _, ok := dc.IsHermitian(h); !ok {
		t.Error("a Hermitian variable is not seen to be one")
	}
	// An eigenvector v of the embedding gives the complex one v1 + i·v2.
	top := h.LambdaMax()
	λ := top.Value(x)
	d := mat.NewSymDense(2*n, h.Embedding().Values(x))
	var eig mat.EigenSym
	if !eig.Factorize(d, true) {
		t.Fatal("no eigenvalues")
	}
	var vec mat.Dense
	eig.VectorsTo(&vec)
	if math.Abs(eig.Values(nil)[2*n-1]-λ) > 1e-12*(1+math.Abs(λ)) {
		t.Errorf("largest eigenvalue %g, want %g", λ, eig.Values(nil)[2*n-1])
	}
	for i := range n {
		s := 0i
		for j := range n {
			s += hv[i*n+j] * complex(vec.At(j, 2*n-1), vec.At(n+j, 2*n-1))
		}
		if want := complex(λ, 0) * complex(vec.At(i, 2*n-1), vec.At(n+i, 2*n-1)); cmplx.Abs(s-want) > 1e-10 {
			t.Errorf("(Hv)[%d] = %g, want %g", i, s, want)
		}
	}
	// tr(YH) = ⟨y, embedding of H⟩.
	y := make([]float64, 4*n*n)
	for i := range 2 * n {
		for j := range i + 1 {
			v := rng.NormFloat64()
			y[i*2*n+j], y[j*2*n+i] = v, v
		}
	}
	inner, embedded := 0i, h.Embedding().Values(x)
	dual := dc.ComplexDual(n, y)
	for i := range n {
		for j := range n {
			inner += dual[i*n+j] * hv[j*n+i]
		}
	}
	want := 0.0
	for k := range y {
		want += y[k] * embedded[k]
	}
	if cmplx.Abs(inner-complex(want, 0)) > 1e-10*(1+math.Abs(want)) {
		t.Errorf("tr(YH) = %g, want %g", inner, want)
	}
}

// TestComplexStarts: starts reach both parts, of a Hermitian matrix once for each pair.
func TestComplexStarts(t *testing.T) {
	m := dc.NewModel()
	z := m.ComplexVar("z", []int{2}, dc.StartAtComplex(1+2i, 3-1i))
	h := m.HermitianVar("H", 2, dc.StartAtComplex(1, 2+1i, 2-1i, 5))
	r := m.ComplexVar("r", nil, dc.StartAt(7))
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	x := p.Start(1)
	nearComplex(t, "z", z.Value(x), []complex128{1 + 2i, 3 - 1i})
	nearComplex(t, "H", h.Value(x), []complex128{1, 2 + 1i, 2 - 1i, 5})
	nearComplex(t, "r", r.Value(x), []complex128{7})
	var names []string
	for _, v := range p.Program().Vars {
		names = append(names, v.Name)
		if base, imag, ok := program.PartOf(v.Name); !ok || base != v.Complex || imag != v.Imag {
			t.Errorf("%s is a part of %s", v.Name, v.Complex)
		}
	}
	if want := []string{"re(z)", "im(z)", "re(H)", "im(H)", "re(r)", "im(r)"}; !slices.Equal(names, want) {
		t.Errorf("variables %v, want %v", names, want)
	}
}

// TestComplexMistakes: what complex numbers do not have is refused by name.
func TestComplexMistakes(t *testing.T) {
	i := complex(0, 1)
	for _, c := range []struct {
		want  string
		state func(m *dc.Model)
	}{
		{"no order", func(m *dc.Model) { m.ComplexVar("z", []int{2}, dc.AtLeast(0)) }},
		{"HermitianVar", func(m *dc.Model) { m.ComplexVar("z", []int{2, 2}, dc.PSD()) }},
		{"not Hermitian", func(m *dc.Model) { m.HermitianVar("H", 2, dc.StartAtComplex(1, i, i, 1)) }},
		{"not conjugate", func(m *dc.Model) { m.SubjectTo(m.ComplexVar("z", []int{2, 2}).Semidefinite()) }},
		{"not conjugate", func(m *dc.Model) {
			m.Minimize(m.ComplexVar("z", []int{2}).Quad(context.Background(), mat.NewCDense(2, 2, []complex128{1, i, i, 1})))
		}},
		{"one of order", func(m *dc.Model) {
			m.Minimize(m.ComplexVar("z", []int{3}).Quad(context.Background(), mat.NewCDense(2, 2, nil)))
		}},
		{"the variable is real", func(m *dc.Model) { m.Var("x", nil, dc.StartAtComplex(i)) }},
		{"twice", func(m *dc.Model) { m.Var("z", nil); m.ComplexVar("z", nil) }},
		{"shape", func(m *dc.Model) {
			m.SubjectTo(dc.ComplexEQ("e", m.ComplexVar("z", []int{3}), dc.ComplexConst([]int{2}, []complex128{1, i}))...)
		}},
	} {
		m := dc.NewModel()
		c.state(m)
		if _, err := m.Problem(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
}
