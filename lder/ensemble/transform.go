package ensemble

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// gradientTransform stretches the directions in which the first fits vary: with the mean M of g gᵀ
// over the rows, g the gradient of a member at the row, it is the root of the eigenvalue scaling of
// M (the outer product of gradients: Samarov 1993; Trivedi, Wang, Kpotufe and Shakhnarovich 2014).
// It returns one symmetric matrix per bag, nil for the identity. It depends on the training rows of
// the bag only.
func (b *bagging) gradientTransform(ctx context.Context, view *view) ([][]float64, error) {
	const r1, r2 = 3, 2 // Source: of singleSizes one that costs little
	T := make([][]float64, len(b.bags))
	err := b.each(len(b.bags), func(w *worker, k int) error {
		b.d.Gather(&w.data, b.bags[k].train, view.of(k))
		n := w.data.N - 1
		opt := refit.Options{R1: r1, R2: r2, Penalty: refit.Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: 12, Tol: 1e-3}
		if err := w.fitter.Cold(ctx, &w.data, opt, b.rng(stageTransform+view.stage(), k)); err != nil {
			return err
		}
		w.iters += w.fitter.Iterations
		var share [r1 * r2]float64
		all := scatter(w.fitter.Pieces, view.of(k), b.d.N)
		for i := range b.d.M {
			p, q, _ := refit.EvalArgs(all, r1, b.d.Row(i))
			share[p*r2+q] += b.d.Weight(i)
		}
		m := mat.NewSymDense(n, nil)
		g := mat.NewVecDense(n, nil)
		for c, weight := range share {
			p, q := w.fitter.Pieces[c/r2*w.data.N:], w.fitter.Pieces[(r1+c%r2)*w.data.N:]
			for j := range n {
				g.SetVec(j, p[j]-q[j])
			}
			m.SymRankOne(m, weight, g)
		}
		T[k] = rootTransform(m)
		b.tell()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return T, nil
}

// floorScale is added to the relative scales, whose mean is 1, so that no direction
// is lost. Part of the recipe of the stacks: docs/lab/lder.md, What was chosen on which
// data.
// Source: chosen on 46 data sets, see above.
const floorScale = .05

func rootTransform(m *mat.SymDense) []float64 {
	n := m.SymmetricDim()
	mean := mat.Trace(m) / float64(n)
	if !(mean >= 1e-12) || math.IsInf(mean, 1) {
		return nil
	}
	m.ScaleSym(1/mean, m)
	var eig mat.EigenSym
	if !eig.Factorize(m, true) {
		return nil
	}
	var u mat.Dense
	e := eig.Values(nil)
	eig.VectorsTo(&u)
	for k, v := range e {
		e[k] = math.Sqrt(max(v, 0))
	}
	normalise := func() {
		sum := 0.0
		for _, v := range e {
			sum += v / float64(n)
		}
		for k := range e {
			e[k] /= sum
		}
	}
	normalise()
	for k := range e {
		e[k] += floorScale
	}
	normalise()
	t := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k, v := range e {
				t[i*n+j] += u.At(i, k) * math.Sqrt(v) * u.At(j, k)
			}
		}
	}
	return t
}

// transform replaces the features x of all rows by xᵀT; nil: they stay.
func transform(d *refit.Data, T []float64) {
	if T == nil {
		return
	}
	n := d.N - 1
	z := make([]float64, n)
	for i := range d.M {
		x := d.Row(i)[:n]
		clear(z)
		for j, v := range x {
			for k, t := range T[j*n : (j+1)*n] {
				z[k] += v * t
			}
		}
		copy(x, z)
	}
}

// untransformed copies pieces, for features without T.
func untransformed(pieces []float64, n int, T []float64) []float64 {
	out := append([]float64(nil), pieces...)
	if T == nil {
		return out
	}
	d := n - 1
	for at := 0; at < len(out); at += n {
		w := pieces[at : at+d]
		for j := range d {
			s := 0.0
			for k, t := range T[j*d : (j+1)*d] {
				s += t * w[k]
			}
			out[at+j] = s
		}
	}
	return out
}
