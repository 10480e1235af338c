package baseline

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Ridge is a linear model ⟨w, x⟩ + b.
type Ridge struct {
	Weights   []float64
	Intercept float64
	Penalty   float64 // the weight of |w|² that was chosen
}

// ridgePenalties are the weights tried, in multiples of the number of samples:
// 1e-8, ..., 1e1, two a decade.
const ridgePenalties = 19

// FitRidge minimises |Xw + b − y|² + α|w|², with the α whose predictions of each
// sample by the fit without it are best. b is not penalised.
//
// G. H. Golub, M. Heath, G. Wahba, Generalized cross-validation as a method for
// choosing a good ridge parameter, Technometrics 21 (1979) 215-223, for the
// formula of these predictions.
func FitRidge(x [][]float64, y []float64) (*Ridge, error) {
	if err := CheckSamples(x, y); err != nil {
		return nil, err
	}
	m, n := len(x), len(x[0])
	mean, target := make([]float64, n), 0.0
	for i, row := range x {
		target += y[i] / float64(m)
		for j, v := range row {
			mean[j] += v / float64(m)
		}
	}
	centred, rest := mat.NewDense(m, n, nil), make([]float64, m)
	for i, row := range x {
		rest[i] = y[i] - target
		for j, v := range row {
			centred.Set(i, j, v-mean[j])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return nil, errors.New("baseline: no singular values of the samples")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	σ := svd.Values(nil)
	var along mat.VecDense // of the targets along the singular vectors
	along.MulVec(u.T(), mat.NewVecDense(m, rest))

	best, least := 0.0, math.Inf(1)
	for k := range ridgePenalties {
		α := float64(m) * math.Pow(10, -8+0.5*float64(k))
		if e := leaveOneOut(&u, σ, along.RawVector().Data, rest, α); e < least {
			best, least = α, e
		}
	}
	for k, s := range σ {
		along.SetVec(k, along.AtVec(k)*s/(s*s+best))
	}
	var w mat.VecDense
	w.MulVec(&v, &along)
	r := &Ridge{Weights: w.RawVector().Data, Intercept: target, Penalty: best}
	for j, v := range r.Weights {
		r.Intercept -= v * mean[j]
	}
	return r, nil
}

// leaveOneOut is the sum of the squared errors (yᵢ − ŷᵢ)/(1 − hᵢ), h the
// diagonal of the matrix that takes y to ŷ.
func leaveOneOut(u *mat.Dense, σ, along, rest []float64, α float64) float64 {
	sum := 0.0
	for i, y := range rest {
		fit, h := 0.0, 1/float64(len(rest)) // of the mean
		for k, s := range σ {
			share := s * s / (s*s + α)
			fit += u.At(i, k) * share * along[k]
			h += u.At(i, k) * u.At(i, k) * share
		}
		e := (y - fit) / max(1-h, 1e-10)
		sum += e * e
	}
	return sum
}

// Predict returns the model at x.
func (r *Ridge) Predict(x []float64) float64 {
	f := r.Intercept
	for j, w := range r.Weights {
		f += w * x[j]
	}
	return f
}
