package lder

import "errors"

// Natural is the model in the data's own units: what Model is of standardised
// features, it is of raw ones. One affine function added to all pieces of both
// maxima changes nothing; here the first piece of the second maximum is 0. Gaps
// and Clip are not part of it. An Ensemble has none.
func (r *Regressor) Natural() (*Model, error) {
	switch {
	case !r.fitted():
		return nil, errNotFitted
	case r.Model == nil:
		return nil, errors.New("lder: an ensemble has no coefficients of its own")
	}
	return natural(r.Model, r.Scaler.Mean, r.Scaler.Scale), nil
}

// natural is m, less the first piece of its second maximum, for features
// (x − mean) / scale.
func natural(m *Model, mean, scale []float64) *Model {
	r1, r2, n := m.Dims()
	out := NewModel(r1, r2, n)
	zero, zeroB := append([]float64(nil), m.M[0]...), m.B[0]
	turn := func(w [][]float64, a []float64, to [][]float64, toA []float64) {
		for k, row := range w {
			toA[k] = a[k] - zeroB
			for j, v := range row {
				to[k][j] = (v - zero[j]) / scale[j]
				toA[k] -= to[k][j] * mean[j]
			}
		}
	}
	turn(m.W, m.A, out.W, out.A)
	turn(m.M, m.B, out.M, out.B)
	return out
}

// Shares are, for the pieces of the two maxima of the Model, the shares of the
// rows of x where they are largest.
func (r *Regressor) Shares(x [][]float64) (w, m []float64, err error) {
	switch {
	case !r.fitted():
		return nil, nil, errNotFitted
	case r.Model == nil:
		return nil, nil, errors.New("lder: an ensemble has no pieces of its own")
	}
	r1, r2, _ := r.Model.Dims()
	w, m = make([]float64, r1), make([]float64, r2)
	z := make([]float64, len(r.Features))
	for i, row := range x {
		if err := r.checkRow(i, row); err != nil {
			return nil, nil, err
		}
		copy(z, row)
		r.Imputer.Apply(z)
		r.Scaler.Apply(z)
		u, v := r.Model.Active(z)
		w[u] += 1 / float64(len(x))
		m[v] += 1 / float64(len(x))
	}
	return w, m, nil
}
