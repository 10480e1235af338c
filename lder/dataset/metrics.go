package dataset

import (
	"fmt"
	"math"
	"slices"
)

// MSE is the mean squared difference of y and the predictions, which have one
// length, at least 1; it panics where they have not.
func MSE(y, pred []float64) float64 {
	sameLength(y, pred)
	sum := 0.0
	for i, v := range y {
		sum += (v - pred[i]) * (v - pred[i])
	}
	return sum / float64(len(y))
}

// FVU is the fraction of the variance of y that the predictions leave
// unexplained: Σ(y−p)² / Σ(y−ȳ)². For constant y it is 0 when every prediction
// is exact and else 1. It panics where MSE does.
func FVU(y, pred []float64) float64 {
	sameLength(y, pred)
	if slices.Min(y) == slices.Max(y) {
		if slices.Equal(y, pred) {
			return 0
		}
		return 1
	}
	// A common power of two cancels and keeps the squares in range.
	_, e := math.Frexp(maxAbs(y))
	mean := 0.0
	for _, v := range y {
		mean += math.Ldexp(v, -e)
	}
	mean /= float64(len(y))
	unexplained, total := 0.0, 0.0
	for i, v := range y {
		r, d := math.Ldexp(v, -e)-math.Ldexp(pred[i], -e), math.Ldexp(v, -e)-mean
		unexplained += r * r
		total += d * d
	}
	return unexplained / total
}

// R2 is the coefficient of determination, 1 − FVU.
func R2(y, pred []float64) float64 { return 1 - FVU(y, pred) }

// Accuracy is the share of predictions that equal the truth. It panics where
// MSE does.
func Accuracy[T comparable](truth, pred []T) float64 {
	sameLength(truth, pred)
	hits := 0
	for i, v := range truth {
		if v == pred[i] {
			hits++
		}
	}
	return float64(hits) / float64(len(truth))
}

func sameLength[T any](y, pred []T) {
	if len(y) != len(pred) || len(y) == 0 {
		panic(fmt.Sprintf("dataset: %d values and %d predictions", len(y), len(pred)))
	}
}
