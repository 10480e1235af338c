package baseline

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// ELMSettings are the settings of an extreme learning machine with a hybrid hidden
// layer.
type ELMSettings struct {
	Linear        int // neurons 1/(1 + exp(−⟨w, x⟩ − b)), >= 0
	Morphological int // neurons: the larger half max(x + w), the others min(x + w), >= 0
	Seed          uint64
}

// DefaultELM has the numbers of neurons of the l-DER paper.
func DefaultELM() ELMSettings { return ELMSettings{Linear: 132, Morphological: 141} }

// ELM is a trained one.
type ELM struct {
	set     ELMSettings
	weights [][]float64 // a row for each neuron: w and, for a linear one, b
	out     []float64
}

// singularTol is the share of the largest singular value below which one counts
// as 0.
const singularTol = 1e-15

// FitELM draws the weights of the neurons from the standard normal distribution
// and takes the least of the output weights with the least sum of squared errors.
//
// P. Sussner, I. Campiotti, Extreme learning machine for a new hybrid
// morphological/linear perceptron, Neural Networks 123 (2020) 288-298.
func FitELM(x [][]float64, y []float64, set ELMSettings) (*ELM, error) {
	if err := CheckSamples(x, y); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(set.Seed, 0x656c6d))
	e := &ELM{set: set}
	for k := range set.Linear + set.Morphological {
		w := make([]float64, len(x[0]), len(x[0])+1)
		if k < set.Linear {
			w = append(w, 0)
		}
		for j := range w {
			w[j] = rng.NormFloat64()
		}
		e.weights = append(e.weights, w)
	}
	hidden := mat.NewDense(len(x), len(e.weights), nil)
	for i, row := range x {
		e.hidden(hidden.RawRowView(i), row)
	}
	var svd mat.SVD
	if !svd.Factorize(hidden, mat.SVDThin) {
		return nil, errors.New("baseline: no singular values of the hidden layer")
	}
	rank := 0
	σ := svd.Values(nil)
	for _, s := range σ {
		if s > singularTol*float64(max(len(x), len(e.weights)))*σ[0] {
			rank++
		}
	}
	var out mat.VecDense
	if rank == 0 {
		out = *mat.NewVecDense(len(e.weights), nil)
	} else {
		svd.SolveVecTo(&out, mat.NewVecDense(len(y), y), rank)
	}
	e.out = out.RawVector().Data
	return e, nil
}

// hidden puts the outputs of the neurons into dst.
func (e *ELM) hidden(dst, x []float64) {
	for k, w := range e.weights {
		switch {
		case k < e.set.Linear:
			v := w[len(x)]
			for j, x := range x {
				v += w[j] * x
			}
			dst[k] = 1 / (1 + math.Exp(-v))
		case k < e.set.Linear+(e.set.Morphological+1)/2:
			dst[k] = math.Inf(-1)
			for j, x := range x {
				dst[k] = max(dst[k], x+w[j])
			}
		default:
			dst[k] = math.Inf(1)
			for j, x := range x {
				dst[k] = min(dst[k], x+w[j])
			}
		}
	}
}

// Predict returns the model at x.
func (e *ELM) Predict(x []float64) float64 {
	h := make([]float64, len(e.weights))
	e.hidden(h, x)
	f := 0.0
	for k, v := range h {
		f += e.out[k] * v
	}
	return f
}
