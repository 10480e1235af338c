package lder

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// ridge is a linear model ⟨w, x⟩ + a of standardised data.
type ridge struct {
	coef []float64 // w, then a
	loo  []float64 // the prediction of each row by the fit without it
	mse  float64   // weighted mean of the squared errors of loo, not clipped
}

// ridgeWeights are the multiples of the number of rows that are tried.
const ridgeWeights = 19 // 1e-8, …, 1e1, two a decade

// fitRidge chooses the weight of the penalty, of those numbered lo to hi, by
// least leave-one-out error. The constant term is not penalised. Golub, Heath
// and Wahba 1979 for the formula of the errors.
func fitRidge(d *refit.Data, lo, hi int) *ridge {
	n := d.N - 1
	mean := make([]float64, d.N) // of x, then of y
	for i := range d.M {
		w := weightOf(d, i)
		for j, v := range d.Row(i)[:n] {
			mean[j] += w * v
		}
		mean[n] += w * d.Y[i]
	}
	gram := mat.NewSymDense(n, nil)
	rhs, x := mat.NewVecDense(n, nil), make([]float64, n)
	for i := range d.M {
		w := weightOf(d, i)
		for j, v := range d.Row(i)[:n] {
			x[j] = v - mean[j]
		}
		gram.SymRankOne(gram, w, mat.NewVecDense(n, x))
		for j, v := range x {
			rhs.SetVec(j, rhs.AtVec(j)+w*v*(d.Y[i]-mean[n]))
		}
	}
	var eig mat.EigenSym
	var u mat.Dense
	λ := make([]float64, n)
	if eig.Factorize(gram, true) {
		eig.Values(λ)
		eig.VectorsTo(&u)
	} else { // did not converge: the mean alone
		u.CloneFrom(mat.NewDense(n, n, nil))
	}
	var proj mat.VecDense
	proj.MulVec(u.T(), rhs)
	α, mse := leaveOneOut(d, mean, &u, λ, &proj, lo, hi)

	r := &ridge{coef: make([]float64, d.N), loo: make([]float64, d.M), mse: mse}
	for k := range λ {
		c := proj.AtVec(k) / (max(λ[k], 0) + α)
		for j := range n {
			r.coef[j] += c * u.At(j, k)
		}
	}
	r.coef[n] = mean[n]
	for j := range n {
		r.coef[n] -= r.coef[j] * mean[j]
	}
	z := make([]float64, n)
	for i := range d.M {
		rotate(z, d.Row(i), mean, &u)
		h := 1.0
		for k, v := range z {
			h += v * v / (max(λ[k], 0) + α)
		}
		p := r.coef[n]
		for j, v := range d.Row(i)[:n] {
			p += r.coef[j] * v
		}
		r.loo[i] = d.Y[i] - (d.Y[i]-p)/max(1-h*weightOf(d, i), 1e-3)
	}
	return r
}

// leaveOneOut returns the best weight of those numbered lo to hi and its error.
func leaveOneOut(d *refit.Data, mean []float64, u *mat.Dense, λ []float64, proj *mat.VecDense, lo, hi int) (α, mse float64) {
	n := d.N - 1
	var errs [ridgeWeights]float64
	z := make([]float64, n)
	for i := range d.M {
		rotate(z, d.Row(i), mean, u)
		w := weightOf(d, i)
		for t := lo; t <= hi; t++ {
			α := ridgeWeight(t)
			p, h := 0.0, 1.0
			for k, v := range z {
				s := v / (max(λ[k], 0) + α)
				p += s * proj.AtVec(k)
				h += s * v
			}
			e := (d.Y[i] - mean[n] - p) / max(1-h*w, 1e-3)
			errs[t] += w * e * e
		}
	}
	best := lo
	for t := lo; t <= hi; t++ {
		if errs[t] < errs[best] {
			best = t
		}
	}
	return ridgeWeight(best), errs[best]
}

func ridgeWeight(t int) float64 { return math.Pow(10, -8+float64(t)/2) }

// rotate writes Uᵀ(x − mean).
func rotate(z, x, mean []float64, u *mat.Dense) {
	clear(z)
	for j := range z {
		c := x[j] - mean[j]
		for k, v := range u.RawRowView(j) {
			z[k] += c * v
		}
	}
}

func weightOf(d *refit.Data, i int) float64 {
	if d.W == nil {
		return 1 / float64(d.M)
	}
	return d.W[i]
}

// pieces is the ridge as an l-DER with one piece in each maximum.
func (r *ridge) pieces() []float64 {
	return append(append([]float64(nil), r.coef...), make([]float64, len(r.coef))...)
}
