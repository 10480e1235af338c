package ensemble

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// ridge is a linear model ⟨w, x⟩ + a of standardised data.
type ridge struct {
	coef []float64 // w, then a
	loo  []float64 // the prediction of each row by the fit without it, at the same penalty
	// free is Σ (1 − h_i), the degrees of freedom of the residuals, with the
	// leverages h_i.
	free float64
	// weight is α, the mean over the folds of a mean of fits.
	weight float64
}

// ridgeWeight is 10^(t/2 − 8), a penalty relative to the weighted mean of the
// squared errors.
func ridgeWeight(t int) float64 { return math.Pow(10, -8+float64(t)/2) }

// linearWeights are the penalties of the linear model, heaviest first: infinite,
// which leaves the mean, then 10 to 1e-8.
func linearWeights() []float64 { return append([]float64{math.Inf(1)}, ridgeRange(0, 18)...) }

// ridgeRange lists ridgeWeight(hi) to ridgeWeight(lo).
func ridgeRange(lo, hi int) []float64 {
	var all []float64
	for t := hi; t >= lo; t-- {
		all = append(all, ridgeWeight(t))
	}
	return all
}

// fitRidge minimises Σ w_i (y_i − ⟨w, x_i⟩ − a)² + α‖w‖² with α from weights,
// heaviest first. It takes the α of largest restricted likelihood, in which the
// slopes are normal with variance σ²/α and a is free: Patterson and Thompson 1971.
// An α whose leave-one-out errors cannot be computed for rounding gives way to
// the next heavier one.
func fitRidge(d *refit.Data, weights []float64) *ridge {
	s := spectrumOf(d)
	for t := s.likeliest(weights); ; t-- {
		r := &ridge{weight: weights[t], coef: s.coefficients(weights[t]), loo: make([]float64, d.M)}
		if s.leaveOneOut(r, weights[t]) || t == 0 {
			return r
		}
	}
}

// likeliestRidge is fitRidge without leave-one-out errors.
func likeliestRidge(d *refit.Data, weights []float64) *ridge {
	s := spectrumOf(d)
	α := weights[s.likeliest(weights)]
	return &ridge{weight: α, coef: s.coefficients(α)}
}

// predict is the value at a row that ends in 1.
func (r *ridge) predict(row []float64) float64 {
	p := 0.0
	for j, v := range r.coef {
		p += v * row[j]
	}
	return p
}

// wide reports whether there are at most two rows per coefficient. Then the variance
// of a least squares prediction, n/(m−n−1) times the variance of the noise for normal
// features, exceeds the noise, and fits come near to interpolation.
func wide(d *refit.Data) bool { return d.M <= 2*d.N }

// ridge fits the columns of view of d, whose rows are also the rows of b.d, and returns for
// each row the prediction by a fit without its target. The uncertainty of the mean
// leave-one-out error is as large as for r.free independent errors, so leave-one-out is used
// where r.free is at least half the number of rows. Otherwise, on wide tables, and of
// chosen columns, each fold of the first partition is predicted by a fit to the rows
// outside it; of all columns the result is then the mean of these fits.
func (b *bagging) ridge(ctx context.Context, d *refit.Data, weights []float64,
	v *view) (r *ridge, unseen []float64, err error) {
	if v == nil && !wide(b.d) || d.M < 2 {
		if r = fitRidge(d, weights); 2*r.free >= float64(d.M) || d.M < 2 {
			return r, r.loo, nil
		}
	}
	folds := make([]*ridge, b.folds)
	err = parallel(b.workers, b.folds, func(_, k int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var part refit.Data
		d.Gather(&part, b.bags[k].train, v.of(k))
		folds[k] = fitRidge(&part, weights)
		folds[k].coef = scatter(folds[k].coef, v.of(k), d.N)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	mean := &ridge{coef: make([]float64, d.N), loo: make([]float64, d.M)}
	for k, fold := range folds {
		mean.weight += fold.weight / float64(b.folds)
		floats.AddScaled(mean.coef, 1/float64(b.folds), fold.coef)
		for _, i := range b.bags[k].hold {
			mean.loo[i] = fold.predict(d.Row(i))
		}
	}
	if v != nil {
		r = fitRidge(v.gather(d), weights)
		mean.weight, mean.coef = r.weight, scatter(r.coef, v.whole, d.N)
	}
	return mean, mean.loo, nil
}

// spectrum holds data in the principal directions of its rows. Let A have the
// rows √w_i (x_i − x̄), b the entries √w_i (y_i − ȳ), with weighted means. A has the
// singular values √λ_k with left vectors q_k and right vectors u_k.
type spectrum struct {
	d    *refit.Data
	mean []float64 // x̄, then ȳ
	λ    []float64
	c    []float64  // q_kᵀb
	rest float64    // ‖b‖² − ‖c‖²
	free float64    // the number of rows of weight > 0, less 1
	u    *mat.Dense // n×n; nil of wide data
	q    *mat.Dense // m×(m−1), the complement of √w; nil of tall data
}

func spectrumOf(d *refit.Data) spectrum {
	if d.M <= d.N {
		return wideSpectrum(d)
	}
	return tallSpectrum(d)
}

// newSpectrum has the means of d.
func newSpectrum(d *refit.Data) spectrum {
	s := spectrum{d: d, mean: make([]float64, d.N), free: -1}
	n := d.N - 1
	for i := range d.M {
		w := d.Weight(i)
		for j, v := range d.Row(i)[:n] {
			s.mean[j] += w * v
		}
		s.mean[n] += w * d.Y[i]
		if w > 0 {
			s.free++
		}
	}
	return s
}

// gramRows is the number of rows whose Gram matrix is computed at once.
// Source: a limit of memory.
const gramRows = 256

// tallSpectrum reads the rows twice and keeps n² numbers.
func tallSpectrum(d *refit.Data) spectrum {
	s := newSpectrum(d)
	n := d.N - 1
	gram, part := mat.NewSymDense(n, nil), &mat.SymDense{}
	rhs, x := mat.NewVecDense(n, nil), mat.NewDense(n, gramRows, nil)
	for lo := 0; lo < d.M; lo += gramRows {
		x.Zero()
		for i := lo; i < min(lo+gramRows, d.M); i++ {
			w, e := d.Weight(i), d.Y[i]-s.mean[n]
			s.rest += w * e * e
			root := math.Sqrt(w)
			for j, v := range d.Row(i)[:n] {
				v -= s.mean[j]
				x.Set(j, i-lo, root*v)
				rhs.SetVec(j, rhs.AtVec(j)+w*v*e)
			}
		}
		part.SymOuterK(1, x)
		gram.AddSym(gram, part)
	}
	s.λ, s.c, s.u = make([]float64, n), make([]float64, n), mat.NewDense(n, n, nil)
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) { // did not converge: the mean alone
		return s
	}
	eig.Values(s.λ)
	eig.VectorsTo(s.u)
	var proj mat.VecDense
	proj.MulVec(s.u.T(), rhs)
	least := roundingOf(n) * mat.Trace(gram)
	for k, λ := range s.λ {
		if !(λ > least) {
			s.λ[k] = 0
			continue
		}
		s.c[k] = proj.AtVec(k) / math.Sqrt(λ)
		s.rest -= s.c[k] * s.c[k]
	}
	s.rest = max(s.rest, 0)
	return s
}

// wideSpectrum keeps the m×m matrix AAᵀ. Its null vector √w, to which b is
// orthogonal, is moved beyond the other eigenvalues and left out.
func wideSpectrum(d *refit.Data) spectrum {
	s := newSpectrum(d)
	m, n := d.M, d.N-1
	if m < 2 {
		return s
	}
	a, b, root := mat.NewDense(m, n, nil), mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)
	for i := range m {
		w := math.Sqrt(d.Weight(i))
		row := a.RawRowView(i)
		for j, v := range d.Row(i)[:n] {
			row[j] = w * (v - s.mean[j])
		}
		b.SetVec(i, w*(d.Y[i]-s.mean[n]))
		root.SetVec(i, w)
	}
	var gram mat.SymDense
	gram.SymOuterK(1, a)
	trace := mat.Trace(&gram)
	gram.SymRankOne(&gram, 2*trace+1, root)
	var eig mat.EigenSym
	var q mat.Dense
	s.λ, s.c = make([]float64, m-1), make([]float64, m-1)
	if !eig.Factorize(&gram, true) {
		s.q = mat.NewDense(m, m-1, nil)
		s.rest = mat.Dot(b, b)
		return s
	}
	copy(s.λ, eig.Values(nil))
	eig.VectorsTo(&q)
	s.q = q.Slice(0, m, 0, m-1).(*mat.Dense)
	mat.NewVecDense(m-1, s.c).MulVec(s.q.T(), b)
	for k, λ := range s.λ {
		if !(λ > roundingOf(m)*trace) {
			s.λ[k] = 0
		}
	}
	return s
}

// roundingOf is the relative rounding error of the eigenvalues of a matrix of
// order n.
func roundingOf(n int) float64 { return 0x1p-52 * float64(n) }

// likeliest returns which of the weights has the largest restricted likelihood,
// the heaviest of equals:
//
//	−2 log L(α) = free·log Σ_k c_k²/(1 + λ_k/α) + Σ_k log(1 + λ_k/α) + constant.
func (s *spectrum) likeliest(weights []float64) int {
	best, least := 0, math.Inf(1)
	for t, α := range weights {
		sum, logs := s.rest, 0.0
		for k, λ := range s.λ {
			sum += s.c[k] * s.c[k] / (1 + λ/α)
			logs += math.Log1p(λ / α)
		}
		// Errors below the rounding errors of the targets are one exact fit.
		v := s.free*math.Log(sum+0x1p-100) + logs
		if v < least-1e-9*(1+math.Abs(v)) {
			best, least = t, v
		}
	}
	return best
}

// coefficients are the slopes and the constant at α.
func (s *spectrum) coefficients(α float64) []float64 {
	n := s.d.N - 1
	coef := make([]float64, n+1)
	if s.u != nil {
		for k, λ := range s.λ {
			v := s.c[k] * math.Sqrt(λ) / (λ + α)
			for j := range n {
				coef[j] += v * s.u.At(j, k)
			}
		}
	} else {
		for i := range s.d.M {
			v := 0.0
			for k, λ := range s.λ {
				v += s.q.At(i, k) * s.c[k] / (λ + α)
			}
			v *= math.Sqrt(s.d.Weight(i))
			for j, x := range s.d.Row(i)[:n] {
				coef[j] += v * (x - s.mean[j])
			}
		}
	}
	coef[n] = s.mean[n]
	for j := range n {
		coef[n] -= coef[j] * s.mean[j]
	}
	return coef
}

// leaveOneOut fills r.loo with the predictions of the fits without each row:
// y_i − (y_i − p_i)/(1 − h_i) with the leverage h_i of row i (Golub, Heath and Wahba
// 1979). It reports whether all could be computed: 1 − h_i is a difference for
// tall data, lost to rounding where a row is fitted almost exactly. For wide data
// it is a sum of positive terms, which is always accurate.
func (s *spectrum) leaveOneOut(r *ridge, α float64) bool {
	n := s.d.N - 1
	r.free = 0
	if s.free < 1 {
		for i := range r.loo {
			r.loo[i] = s.mean[n]
		}
		return true
	}
	z := make([]float64, n)
	for i := range s.d.M {
		y, w := s.d.Y[i], s.d.Weight(i)
		if s.u == nil && w > 0 {
			residual, left := 0.0, 0.0 // √w_i (y_i − p_i), 1 − h_i
			for k, λ := range s.λ {
				q, f := s.q.At(i, k), 1/(1+λ/α)
				residual += q * f * s.c[k]
				left += q * q * f
			}
			r.loo[i] = y - residual/left/math.Sqrt(w)
			r.free += left
			continue
		}
		h, rounding := w, roundingOf(8)
		if s.u != nil {
			rotate(z, s.d.Row(i), s.mean, s.u)
			for k, v := range z {
				t := w * v * v / (s.λ[k] + α)
				h += t
				rounding += t * roundingOf(n) * float64(n) / (s.λ[k] + α)
			}
		}
		if !(1-h > 100*rounding) {
			return false
		}
		r.loo[i] = y - (y-r.predict(s.d.Row(i)))/(1-h)
		r.free += 1 - h
	}
	return true
}

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

// pieces is the ridge as an l-DER with one piece in each maximum.
func (r *ridge) pieces() []float64 {
	return append(append([]float64(nil), r.coef...), make([]float64, len(r.coef))...)
}
