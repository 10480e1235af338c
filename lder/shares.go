package lder

// Shares returns, for each piece of the two maxima of the Model, the share of the
// training rows where it is the largest: nil for an Ensemble, and for a regressor
// that was read from a file.
func (r *Regressor) Shares() (w, m []float64) { return r.active[0], r.active[1] }

// SetShares sets the shares that Shares returns, for trainings outside of this package.
func (r *Regressor) SetShares(w, m []float64) { r.active = [2][]float64{w, m} }

// tally evaluates a model and sums, for each piece, the share of the rows where it is
// the largest.
type tally struct {
	m      *Model
	one    float64 // the share of one row
	shares [2][]float64
}

// newTally makes a tally for data of the given number of rows.
func newTally(m *Model, rows int) *tally {
	r1, r2, _ := m.Dims()
	return &tally{m: m, one: 1 / float64(rows), shares: [2][]float64{make([]float64, r1), make([]float64, r2)}}
}

// predict is Model.Predict.
func (t *tally) predict(x []float64) float64 {
	i, u := largest(t.m.W, t.m.A, x)
	j, v := largest(t.m.M, t.m.B, x)
	t.shares[0][i] += t.one
	t.shares[1][j] += t.one
	return u - v
}
