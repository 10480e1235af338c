package lder

import "errors"

// Unstandardised returns the model with coefficients for features in the data's
// own units; Model has them for standardised features. Adding one affine function
// to all pieces of both maxima changes nothing: here the first piece of the second
// maximum is 0. Gaps and Clip are not part of it. An error for an Ensemble, which
// has no coefficients of its own, and before Fit.
func (r *Regressor) Unstandardised() (*Model, error) {
	switch {
	case !r.fitted():
		return nil, errNotFitted
	case r.Model == nil:
		return nil, errors.New("lder: an ensemble has no coefficients of its own")
	}
	return unstandardised(r.Model, r.Scaler.Mean, r.Scaler.Scale), nil
}

// unstandardised is m, less the first piece of its second maximum, as a function
// of x where m is one of (x − mean) / scale.
func unstandardised(m *Model, mean, scale []float64) *Model {
	r1, r2, n := m.Dims()
	out := NewModel(r1, r2, n)
	zero, zeroB := append([]float64(nil), m.M[0]...), m.B[0]
	convert := func(w [][]float64, a []float64, to [][]float64, toA []float64) {
		for k, row := range w {
			toA[k] = a[k] - zeroB
			for j, v := range row {
				to[k][j] = (v - zero[j]) / scale[j]
				toA[k] -= to[k][j] * mean[j]
			}
		}
	}
	convert(m.W, m.A, out.W, out.A)
	convert(m.M, m.B, out.M, out.B)
	return out
}
