package instance

import (
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// coneModel is a family of problems with cones that people solve.
type coneModel struct {
	name string
	draw func(rng *rand.Rand) *qpbackend.Problem
}

func coneModels() []coneModel {
	return []coneModel{{"groups", groups}, {"logistic", logistic}, {"maxcut", maxcut}}
}

// density of the samples.
const density = 0.15

// groups is least squares with a penalty on the norms of 40 groups of five
// coefficients: ½‖Ax − b‖² + λ·Σ‖x_g‖, 300 samples, a fifth of the groups at
// work; ½‖r‖² with r = Ax − b.
func groups(rng *rand.Rand) *qpbackend.Problem {
	const samples, count, size = 300, 40, 5
	const n = count * size
	b := classes.New(n + count + samples)
	truth := make([]float64, n)
	for j := range truth {
		if j/size%5 == 0 {
			truth[j] = rng.NormFloat64()
		}
	}
	for i := range samples {
		y := rng.NormFloat64() / 4
		row := b.Row(0, 0)
		for j := range n {
			if rng.Float64() < density {
				v := rng.NormFloat64()
				b.A.Add(row, j, v)
				y += v * truth[j]
			}
		}
		b.A.Add(row, n+count+i, -1)
		b.L[row], b.U[row] = y, y
		b.P.Add(n+count+i, n+count+i, 1)
	}
	for g := range count {
		b.Q[n+g] = 5
		first := b.Row(0, 0)
		b.A.Add(first, n+g, 1)
		for k := range size {
			b.A.Add(b.Row(0, 0), g*size+k, 1)
		}
		b.Cone(qpbackend.SecondOrder, first)
	}
	return b.Problem()
}

// logistic is regression with 20 features on 200 samples and ½‖x‖²: a loss
// log(1 + e^s) ≤ t is e^(s−t) + e^−t ≤ 1, two exponential cones.
func logistic(rng *rand.Rand) *qpbackend.Problem {
	const samples, n = 200, 20
	b := classes.New(n + 3*samples)
	truth := make([]float64, n)
	for j := range truth {
		truth[j] = rng.NormFloat64()
		b.P.Add(j, j, 1)
	}
	a := make([]float64, n)
	for i := range samples {
		t, u, v := n+i, n+samples+i, n+2*samples+i
		s := rng.NormFloat64()
		for j := range a {
			a[j] = rng.NormFloat64()
			s += a[j] * truth[j]
		}
		sign := -1.0 // of s in the loss: against the label
		if s < 0 {
			sign = 1
		}
		b.Q[t] = 1
		sum := b.Row(-inf, 1)
		b.A.Add(sum, u, 1)
		b.A.Add(sum, v, 1)
		for _, w := range []int{u, v} {
			first := b.Row(0, 0)
			b.A.Add(first, t, -1)
			if w == u {
				for j, e := range a {
					b.A.Add(first, j, sign*e)
				}
			}
			b.Row(-1, 0)
			b.A.Add(b.Row(0, 0), w, 1)
			b.Cone(qpbackend.Exponential, first)
		}
	}
	return b.Problem()
}

// maxcut is the relaxation of the largest cut of a graph of 30 nodes: −⟨L, X⟩/4
// over the positive semidefinite X with ones on the diagonal.
func maxcut(rng *rand.Rand) *qpbackend.Problem {
	const k = 30
	b := classes.New(k * (k + 1) / 2)
	at := func(i, j int) int { return j*(j+1)/2 + i }
	for j := range k {
		b.Bound(at(j, j), 1, 1)
		for i := range j {
			if rng.Float64() < 0.3 {
				b.Q[at(i, j)] += math.Sqrt2 / 4
				b.Q[at(i, i)] -= 0.25
				b.Q[at(j, j)] -= 0.25
			}
		}
	}
	first := len(b.L)
	for j := range len(b.Q) {
		b.A.Add(b.Row(0, 0), j, 1)
	}
	b.Cone(qpbackend.Semidefinite, first)
	return b.Problem()
}
