package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// SVRSettings are the settings of support vector regression with the kernel
// exp(−γ |x − x'|²).
type SVRSettings struct {
	C       float64 // weight of the loss, > 0
	Epsilon float64 // deviations up to ε cost nothing, ≥ 0
	// Gamma is γ > 0; 0 stands for 1 over the number of features times the
	// variance of all entries of x, or 1 where that is 0.
	Gamma float64
}

// DefaultSVR has the defaults of scikit-learn.
func DefaultSVR() SVRSettings { return SVRSettings{C: 1, Epsilon: 0.1} }

// SVR is a trained one: f(x) = Σ βᵢ k(xᵢ, x) + b.
type SVR struct {
	Points    [][]float64 // the xᵢ with βᵢ ≠ 0
	Beta      []float64
	Intercept float64
	Gamma     float64
}

// supportTol is the share of C below which a β counts as 0, the error of a 0 by the
// interior point method.
const supportTol = 1e-7

// FitSVR solves the dual
//
//	minimise ½ β'Kβ − y'β + ε Σ|βᵢ|  over  Σ βᵢ = 0, −C ≤ βᵢ ≤ C
//
// as a quadratic program. The intercept is the multiplier of Σ βᵢ = 0.
//
// A. J. Smola, B. Schölkopf, A tutorial on support vector regression, Statistics
// and Computing 14 (2004) 199-222.
func FitSVR(ctx context.Context, x [][]float64, y []float64, set SVRSettings) (*SVR, error) {
	if err := CheckSamples(x, y); err != nil {
		return nil, err
	}
	if set.Gamma == 0 {
		set.Gamma = scaleGamma(x)
	}
	b := ipm.Backend{}
	solver, err := b.New(context.Background(), svrDual(x, y, set), b.DefaultSettings())
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	defer solver.Close()
	var res qpbackend.Result
	if err := solver.Solve(ctx, &res); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved {
		return nil, fmt.Errorf("baseline: the dual of the SVR ended as %v; %s", res.Status, res.Message)
	}
	model := &SVR{Gamma: set.Gamma, Intercept: res.Y[0]}
	for i := range x {
		if v := res.X[i]; math.Abs(v) > supportTol*set.C {
			model.Points, model.Beta = append(model.Points, x[i]), append(model.Beta, v)
		}
	}
	return model, nil
}

// Predict returns f(x).
func (m *SVR) Predict(x []float64) float64 {
	f := m.Intercept
	for i, p := range m.Points {
		f += m.Beta[i] * kernel(m.Gamma, p, x)
	}
	return f
}

// svrDual has the variables β and t ≥ |β|; its first row is Σ β = 0.
func svrDual(x [][]float64, y []float64, set SVRSettings) *qpbackend.Problem {
	m, inf := len(x), math.Inf(1)
	b := classes.New(2 * m)
	sum := b.Row(0, 0)
	for i := range x {
		b.Q[i], b.Q[m+i] = -y[i], set.Epsilon
		for j := range i + 1 {
			b.P.Add(j, i, kernel(set.Gamma, x[j], x[i]))
		}
		b.A.Add(sum, i, 1)
		b.Bound(i, -set.C, set.C)
		above, below := b.Row(0, inf), b.Row(0, inf)
		b.A.Add(above, m+i, 1)
		b.A.Add(above, i, -1)
		b.A.Add(below, m+i, 1)
		b.A.Add(below, i, 1)
	}
	return b.Problem()
}

func kernel(gamma float64, a, b []float64) float64 {
	d := 0.0
	for j, v := range a {
		d += (v - b[j]) * (v - b[j])
	}
	return math.Exp(-gamma * d)
}

// scaleGamma is 1 over the number of features times the variance of all entries.
func scaleGamma(x [][]float64) float64 {
	sum, count := 0.0, 0.0
	for _, row := range x {
		for _, v := range row {
			sum += v
			count++
		}
	}
	mean, variance := sum/count, 0.0
	for _, row := range x {
		for _, v := range row {
			variance += (v - mean) * (v - mean) / count
		}
	}
	if !(variance > 0) {
		return 1
	}
	return 1 / (float64(len(x[0])) * variance)
}

// CheckSamples refuses samples that no model can be trained on.
func CheckSamples(x [][]float64, y []float64) error {
	if len(x) == 0 || len(x) != len(y) {
		return fmt.Errorf("baseline: %d samples with %d targets", len(x), len(y))
	}
	for i, row := range x {
		if len(row) == 0 || len(row) != len(x[0]) {
			return fmt.Errorf("baseline: sample %d has %d features, the first has %d", i, len(row), len(x[0]))
		}
		for _, v := range append([]float64{y[i]}, row...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return errors.New("baseline: a sample is not finite; impute missing values first")
			}
		}
	}
	return nil
}
