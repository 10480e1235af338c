package lder

// SetParams lets the tests outside the package fill a model.
func (m *Model) SetParams(α []float64) { m.setParams(α) }

// PredictAll is Predict for every row of x.
func (m *Model) PredictAll(x [][]float64) []float64 {
	p := make([]float64, len(x))
	for i, row := range x {
		p[i] = m.Predict(row)
	}
	return p
}
