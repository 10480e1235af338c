package platt

import (
	"math"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Sigmoid turns a decision τ into the probability 1/(1 + exp(−slope·τ − offset)) of
// the target 1. τ is clipped to [−1, 1] before: a function of least squared hinge
// loss says no more beyond.
type Sigmoid struct{ Slope, Offset float64 }

// Margin is τ within [−1, 1].
func Margin(τ float64) float64 { return min(max(τ, -1), 1) }

func (s Sigmoid) At(τ float64) float64 {
	return 1 / (1 + math.Exp(-s.Slope*Margin(τ)-s.Offset))
}

// Fit maximises the likelihood of targets −1 and 1 given decisions of fits
// that have not seen them: Platt 1999, Probabilistic outputs for support vector
// machines, with his targets (N₊+1)/(N₊+2) and 1/(N₋+2), by Newton's method with
// halved steps (Lin, Lin and Weng 2007, A note on Platt's probabilistic outputs). The
// slope is at least 0. d has the weights.
func Fit(τ, y []float64, d *refit.Data) Sigmoid {
	up := 0.0 // N₊, in rows of mean weight
	for i, v := range y {
		if v > 0 {
			up += d.Weight(i) * float64(d.M)
		}
	}
	high, low := (up+1)/(up+2), 1/(float64(d.M)-up+2)
	target := func(i int) float64 {
		if y[i] > 0 {
			return high
		}
		return low
	}
	loss := func(s Sigmoid) float64 {
		sum := 0.0
		for i, v := range τ {
			z := s.Slope*Margin(v) + s.Offset
			// log(1 + exp(z)) − t·z without overflow
			sum += d.Weight(i) * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - target(i)*z)
		}
		return sum
	}
	s := Sigmoid{0, math.Log((up + 1) / (float64(d.M) - up + 1))}
	least := loss(s)
	// Source: Lin, Lin and Weng 2007, A note on Platt's probabilistic outputs, algorithm
	// 1.
	const (
		iterations = 100   // of Lin, Lin and Weng, as the next two
		ridge      = 1e-12 // keeps the Hessian positive definite
		small      = 1e-5  // gradient at the end
	)
	for range iterations {
		g1, g2, h11, h12, h22 := 0.0, 0.0, ridge, 0.0, ridge
		for i, v := range τ {
			p, w, v := s.At(v), d.Weight(i), Margin(v)
			e, c := w*(p-target(i)), w*p*(1-p)
			g1, g2 = g1+e*v, g2+e
			h11, h12, h22 = h11+c*v*v, h12+c*v, h22+c
		}
		if math.Hypot(g1, g2) < small {
			break
		}
		det := h11*h22 - h12*h12
		step := Sigmoid{-(h22*g1 - h12*g2) / det, -(h11*g2 - h12*g1) / det}
		t := 1.0
		for ; t > 1e-10; t /= 2 {
			next := Sigmoid{s.Slope + t*step.Slope, s.Offset + t*step.Offset}
			if v := loss(next); v < least {
				s, least = next, v
				break
			}
		}
		if t <= 1e-10 {
			break
		}
	}
	if s.Slope < 0 { // decisions that say the opposite say nothing
		return Sigmoid{0, math.Log((up + 1) / (float64(d.M) - up + 1))}
	}
	return s
}
