package stats

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// SignedRank is the outcome of Wilcoxon's signed-rank test of pairs (x, y).
//
// F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bull. 1
// (1945) 80-83.
type SignedRank struct {
	N           int     // pairs that differ; the others are left out
	Plus, Minus float64 // sums of the ranks of the pairs with x > y and x < y
	// Probabilities, if x - y is symmetric about 0, of a Plus at most and at
	// least as large, and of either end.
	Less, Greater, TwoSided float64
	Exact                   bool // else by the normal distribution
}

// exactPairs is the largest number of pairs for which the distribution is
// computed exactly.
const exactPairs = 50

// Wilcoxon tests whether x tends to be less or greater than y. Equal differences
// share the mean of their ranks, and the exact distribution is that given these
// ranks. Without a pair that differs nothing is known: all probabilities are 1.
func Wilcoxon(x, y []float64) (SignedRank, error) {
	if len(x) != len(y) {
		return SignedRank{}, errors.New("stats: the samples of a signed-rank test have different lengths")
	}
	var d []float64
	for k := range x {
		diff := x[k] - y[k]
		switch {
		case math.IsNaN(diff) || math.IsInf(diff, 0):
			return SignedRank{}, errors.New("stats: a difference in a signed-rank test is no finite number")
		case diff != 0:
			d = append(d, diff)
		}
	}
	t := SignedRank{N: len(d), Less: 1, Greater: 1, TwoSided: 1, Exact: len(d) <= exactPairs}
	if len(d) == 0 {
		return t, nil
	}
	ranks, ties := doubleRanks(d)
	plus, all := 0, 0
	for k, r := range ranks {
		all += r
		if d[k] > 0 {
			plus += r
		}
	}
	t.Plus, t.Minus = float64(plus)/2, float64(all-plus)/2
	if t.Exact {
		t.Less, t.Greater = exactTails(ranks, plus, all)
	} else {
		n := float64(len(d))
		mean, variance := n*(n+1)/4, n*(n+1)*(2*n+1)/24-ties/48
		z := (t.Plus - mean) / math.Sqrt(variance)
		t.Less, t.Greater = math.Erfc(-z/math.Sqrt2)/2, math.Erfc(z/math.Sqrt2)/2
	}
	t.TwoSided = min(1, 2*min(t.Less, t.Greater))
	return t, nil
}

// doubleRanks are twice the ranks of |d|, which are whole numbers also where
// ranks are shared, and the sum of t³ − t over the groups of t equal ones.
func doubleRanks(d []float64) (ranks []int, ties float64) {
	order := make([]int, len(d))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(d[a]), math.Abs(d[b])) })
	size := func(k int) float64 { return math.Abs(d[order[k]]) }
	ranks = make([]int, len(d))
	for from := 0; from < len(d); {
		to := from + 1
		for to < len(d) && size(to) == size(from) {
			to++
		}
		for k := from; k < to; k++ {
			ranks[order[k]] = from + 1 + to // twice the mean of from+1, ..., to
		}
		t := float64(to - from)
		ties += t*t*t - t
		from = to
	}
	return ranks, ties
}

// exactTails are the probabilities that a sum of the ranks, each taken with
// probability 1/2, is at most and at least plus. all is their sum.
func exactTails(ranks []int, plus, all int) (less, greater float64) {
	p := make([]float64, all+1) // of each sum
	p[0] = 1
	top := 0
	for _, r := range ranks {
		top += r
		for s := top; s >= 0; s-- {
			with := 0.0
			if s >= r {
				with = p[s-r]
			}
			p[s] = (p[s] + with) / 2
		}
	}
	for s, v := range p {
		if s <= plus {
			less += v
		}
		if s >= plus {
			greater += v
		}
	}
	return min(less, 1), min(greater, 1)
}
