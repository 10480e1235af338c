package atom

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// Max is the largest number.
var Max = rowOf(Reduce{
	Name: "max", Single: Itself, Curvature: 1, Entries: entries(Rising, false), Extremes: oneOf,
	Value: func(dst []float64, u [][]float64, _ []float64) {
		copy(dst, u[0])
		for _, u := range u[1:] {
			for i, v := range u[:len(dst)] {
				dst[i] = max(dst[i], v) // NaN where one is
			}
		}
	},
	Slope: toExtreme,
	Error: errorOfExtreme(func(a, b float64) float64 { return max(a, b) }),
	Over: func(u []Interval, _ []float64) Interval {
		out := interval.New(math.Inf(-1), math.Inf(-1))
		for _, i := range u {
			out = out.Max(i)
		}
		return out
	},
	Simpler: func(u []Interval) bool { return dominated(u, func(i Interval) Interval { return i }) },
	Reach:   reachExtreme,
	Change:  func(s []float64, _ []float64) float64 { return slices.Max(s) },
	Slopes:  ofMean,
	Bound: func(c convex.Canon, u []Lin, _ []float64) convex.Form {
		t := convex.Column(c)
		for _, l := range u {
			c.Row(l.AddScaled(-1, t), math.Inf(-1), 0)
		}
		return convex.Form{Linear: t}
	},
})

// How many numbers a function adds.
func oneOf([]float64) int    { return 1 }
func someOf(p []float64) int { return int(p[0]) }

// ofMean bounds the slopes of a mean.
func ofMean(int, []float64) (a, b float64) { return 0, 1 }

// Min is the least number.
var Min = rowOf(Reduce{
	Name: "min", Single: Itself, Curvature: -1, Entries: entries(Rising, false), Extremes: oneOf,
	Value: func(dst []float64, u [][]float64, _ []float64) {
		copy(dst, u[0])
		for _, u := range u[1:] {
			for i, v := range u[:len(dst)] {
				dst[i] = min(dst[i], v)
			}
		}
	},
	Slope: toExtreme,
	Error: errorOfExtreme(func(a, b float64) float64 { return min(a, b) }),
	Over: func(u []Interval, _ []float64) Interval {
		out := interval.New(math.Inf(-1), math.Inf(-1))
		for _, i := range u {
			out = out.Max(i.Neg())
		}
		return out.Neg()
	},
	Simpler: func(u []Interval) bool { return dominated(u, Interval.Neg) },
	Reach:   reachExtreme,
	Change:  func(s []float64, _ []float64) float64 { return slices.Max(s) },
})

// errorOfExtreme bounds the error of an extreme, which of is for two numbers: the exact value lies
// between the extreme of the lower ends and the extreme of the upper ends.
func errorOfExtreme(of func(a, b float64) float64) func(hi, room []float64, u, e [][]float64, v, p []float64) {
	return func(hi, room []float64, u, e [][]float64, v, _ []float64) {
		lo := room[:len(hi)]
		for k, u := range u {
			e := e[k]
			for i := range hi {
				d := spread(u[i], e[i])
				if k == 0 {
					lo[i], hi[i] = u[i]-d, u[i]+d
				}
				lo[i], hi[i] = of(lo[i], u[i]-d), of(hi[i], u[i]+d)
			}
		}
		between(hi, lo, v)
	}
}

// between makes the upper ends hi of v the distances from the farther end.
func between(hi, lo, v []float64) {
	for i, v := range v[:len(hi)] {
		hi[i] = max(hi[i]-v, v-lo[i])
	}
}

// toExtreme adds each adjoint to the adjoint of the first entry that has the value in v.
func toExtreme(to [][]float64, adj []float64, u [][]float64, v, _ []float64) {
	if len(u) == 2 {
		// A number that selects has no branch to be guessed: which one of a hinge it is, is random.
		to, first := [2][]float64{to[0], to[1]}, u[0]
		for i, g := range adj {
			k := 1
			if first[i] == v[i] || first[i] != first[i] {
				k = 0
			}
			to[k][i] += g
		}
		return
	}
	for i, g := range adj {
		if g == 0 {
			continue
		}
		for k := range u {
			if t := u[k][i]; t == v[i] || t != t {
				to[k][i] += g
				break
			}
		}
	}
}

// reachExtreme is the reach of the entry that is attained, where no other one can be.
func reachExtreme(dst []float64, u, r [][]float64, v []float64) {
	for i := range dst {
		top := 0
		for k := range u {
			if u[k][i] == v[i] {
				top = k
				break
			}
		}
		dst[i] = r[top][i]
		for k := range u {
			if gap := math.Abs(v[i] - u[k][i]); k != top && !(gap > r[top][i]+r[k][i]) {
				dst[i] = math.Inf(1)
			}
		}
	}
}

// apart is the relative distance of two ranges above which their rounding errors do not matter.
// Source: above the errors of sums of 1e6 terms.
const apart = 1e-9

// dominated reports whether the range of one number is below the range of another one.
func dominated(u []Interval, of func(Interval) Interval) bool {
	top := math.Inf(-1)
	for _, i := range u {
		top = max(top, of(i).Lo)
	}
	return slices.ContainsFunc(u, func(i Interval) bool {
		hi := of(i).Hi
		return hi < top-apart*(math.Abs(hi)+math.Abs(top))
	})
}

// SumLargest is the sum of the k largest numbers; k is the parameter.
var SumLargest = rowOf(Reduce{
	Name: "sumlargest", HasParameters: true, Curvature: 1, Entries: entries(Rising, false), Extremes: someOf,
	Value: func(dst []float64, u [][]float64, p []float64) {
		eachRanked(len(dst), u, func(i int, order []int) {
			dst[i] = sumOf(u, i, order[:int(p[0])])
		})
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, p []float64) {
		eachRanked(len(adj), u, func(i int, order []int) {
			for _, k := range order[:int(p[0])] {
				to[k][i] += adj[i]
			}
		})
	},
	Error: func(dst, _ []float64, u, e [][]float64, v, p []float64) { largestError(dst, u, e, v, int(p[0])) },
	Over: func(u []Interval, p []float64) Interval {
		lo, hi := make([]float64, len(u)), make([]float64, len(u))
		for k, i := range u {
			lo[k], hi[k] = -i.Lo, -i.Hi
		}
		slices.Sort(lo)
		slices.Sort(hi)
		sum := interval.Point(0)
		for k := range int(p[0]) {
			sum = sum.Add(interval.New(-lo[k], -hi[k]))
		}
		return sum
	},
	// k·q + Σ tₖ with tₖ ≥ uₖ − q, tₖ ≥ 0.
	Bound: func(c convex.Canon, u []Lin, p []float64) convex.Form {
		q := convex.Column(c)
		t := make([]Lin, len(u))
		for k, l := range u {
			t[k] = convex.Column(c)
			c.Row(t[k], 0, math.Inf(1))
			c.Row(l.AddScaled(-1, q).AddScaled(-1, t[k]), math.Inf(-1), 0)
		}
		return convex.Form{Linear: convex.SumLinear(append(t, q.Scale(p[0])), nil)}
	},
})

// SumSmallest is the sum of the k smallest numbers, those that SumLargest of all but k leaves.
var SumSmallest = rowOf(Reduce{
	Name: "sumsmallest", HasParameters: true, Curvature: -1, Entries: entries(Rising, false), Extremes: someOf,
	Value: func(dst []float64, u [][]float64, p []float64) {
		eachRanked(len(dst), u, func(i int, order []int) {
			dst[i] = sumOf(u, i, order[len(order)-int(p[0]):])
		})
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, p []float64) {
		eachRanked(len(adj), u, func(i int, order []int) {
			for _, k := range order[len(order)-int(p[0]):] {
				to[k][i] += adj[i]
			}
		})
	},
	Error: func(dst, _ []float64, u, e [][]float64, v, p []float64) { largestError(dst, u, e, v, -int(p[0])) },
	Over: func(u []Interval, p []float64) Interval {
		minus := make([]Interval, len(u))
		for k, i := range u {
			minus[k] = i.Neg()
		}
		return SumLargest.Over(minus, p).Neg()
	},
})

// orders are lists of numbers of entries.
var orders = sync.Pool{New: func() any { return new([]int) }}

// eachRanked calls f with the numbers of each of n members in descending order, equal ones as they
// come.
func eachRanked(n int, u [][]float64, f func(i int, order []int)) {
	room := orders.Get().(*[]int)
	defer orders.Put(room)
	*room = slices.Grow((*room)[:0], len(u))[:len(u)]
	order := *room
	for i := range n {
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int {
			if c := cmp.Compare(u[b][i], u[a][i]); c != 0 {
				return c
			}
			return a - b
		})
		f(i, order)
	}
}

// sumOf adds up some numbers of member i, the smallest first.
func sumOf(u [][]float64, i int, order []int) (sum float64) {
	for n := len(order) - 1; n >= 0; n-- {
		sum += u[order[n]][i]
	}
	return sum
}

// largestError bounds the errors of the sums of the k largest numbers, or of the −k smallest: the
// exact ones are between the sums of the lower and the upper ends.
func largestError(dst []float64, u, e [][]float64, v []float64, k int) {
	ends := make([]float64, len(u))
	for i := range dst {
		size := 0.0
		sum := func(sign float64) float64 {
			for j := range u {
				ends[j] = u[j][i] + sign*spread(u[j][i], e[j][i])
			}
			slices.Sort(ends)
			part := ends[max(len(ends)-max(k, 0), 0):]
			if k < 0 {
				part = ends[:-k]
			}
			s, abs := 0.0, 0.0
			for _, t := range part {
				s += t
				abs += math.Abs(t)
			}
			size = max(size, abs)
			return s
		}
		lo, hi := sum(-1), sum(1)
		dst[i] = max(hi-v[i], v[i]-lo) + 2*math.Abs(float64(k))*unit*size
	}
}
