package stats

import (
	"math"
	"slices"
)

// ShiftedGeometricMean is exp(mean(log(t + shift))) − shift; NaN of nothing.
func ShiftedGeometricMean(times []float64, shift float64) float64 {
	sum := 0.0
	for _, t := range times {
		sum += math.Log(t + shift)
	}
	return math.Exp(sum/float64(len(times))) - shift
}

// Ratios divides each solver's time by the least one on the same problem. In
// times[s][p], +Inf is a failure; where all fail, all ratios are +Inf. Times
// below floor count as floor.
func Ratios(times [][]float64, floor float64) [][]float64 {
	ratios := make([][]float64, len(times))
	for s := range times {
		ratios[s] = make([]float64, len(times[s]))
	}
	if len(times) == 0 {
		return ratios
	}
	for p := range times[0] {
		best := math.Inf(1)
		for s := range times {
			best = min(best, max(times[s][p], floor))
		}
		for s := range times {
			ratios[s][p] = max(times[s][p], floor) / best
			if math.IsInf(times[s][p], 1) {
				ratios[s][p] = math.Inf(1)
			}
		}
	}
	return ratios
}

// Step is a point of a step function that rises there to Share and stays.
type Step struct{ Ratio, Share float64 }

// Profile is the share of problems whose ratio is at most τ, as a function of τ
// ≥ 1: its steps by ascending ratio, the first at 1.
func Profile(ratios []float64) []Step {
	sorted := slices.Clone(ratios)
	slices.Sort(sorted)
	steps := []Step{{1, 0}}
	for k, r := range sorted {
		if math.IsInf(r, 1) || math.IsNaN(r) {
			continue
		}
		share := float64(k+1) / float64(len(sorted))
		if last := &steps[len(steps)-1]; last.Ratio == r {
			last.Share = share
			continue
		}
		steps = append(steps, Step{r, share})
	}
	return steps
}

// Median of the numbers; NaN of nothing.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	s := slices.Clone(v)
	slices.Sort(s)
	k := len(s) / 2
	if len(s)%2 == 1 {
		return s[k]
	}
	return (s[k-1] + s[k]) / 2
}
