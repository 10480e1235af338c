package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
)

// SumSquares is the sum of squares.
var SumSquares = rowOf(Reduce{
	Name: "sumsq", Curvature: 1, Smooth: true, Entries: entries(Outward, false), Factored: sumBy("square"),
	Value: squares,
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, _ []float64) {
		for k, to := range to {
			u := u[k]
			for i, g := range adj {
				to[i] += 2 * g * u[i]
			}
		}
	},
	Second: func(to [][]float64, adj []float64, _, d [][]float64, _, _ []float64) {
		for k, to := range to {
			for i, g := range adj {
				to[i] += 2 * g * d[k][i]
			}
		}
	},
	Error: func(dst, room []float64, u, e [][]float64, _, _ []float64) {
		sums, added := zeros(dst, room), ofAddition(len(u))
		for k, u := range u {
			e := e[k]
			for i := range dst {
				q, own := square(u[i], e[i])
				sums[i] += q
				dst[i] += own + added*sums[i]
			}
		}
	},
	Over: func(u []Interval, _ []float64) Interval {
		sum := interval.Point(0)
		for _, i := range u {
			sum = sum.Add(i.Square())
		}
		return sum
	},
	Products: func(n int) [][]Factor {
		out := make([][]Factor, n)
		for k := range out {
			out[k] = []Factor{{2, k}}
		}
		return out
	},
	Bound:   func(_ convex.Canon, u []Lin, _ []float64) convex.Form { return squareForm(u...) },
	Cone:    func(t Lin, u []Lin, _ []float64) convex.Cone { return rotated(t, fixed(1), u...) },
	Root:    Norm2,
	Rotates: true,
})

func squares(dst []float64, u [][]float64, _ []float64) {
	if len(dst) == 1 { // of a single function, which may be of many numbers
		sum := 0.0
		for _, u := range u {
			sum += u[0] * u[0]
		}
		dst[0] = sum
		return
	}
	clear(dst)
	for _, u := range u {
		for i, v := range u[:len(dst)] {
			dst[i] += v * v
		}
	}
}

// Huber is the sum of u² where |u| ≤ m, and of 2m|u| − m² elsewhere; m > 0 is the parameter. The
// bound is the least n² + 2m·t over u = n + s, t ≥ |s| (Mangasarian and Musicant 2000).
var Huber = rowOf(Reduce{
	Name: "huber", HasParameters: true, Curvature: 1, Smooth: true, Entries: entries(Outward, false),
	Factored: sumBy("huber"),
	Value: func(dst []float64, u [][]float64, p []float64) {
		clear(dst)
		for _, u := range u {
			for i, v := range u[:len(dst)] {
				dst[i] += huberOf(v, p[0])
			}
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, p []float64) {
		for k, to := range to {
			u := u[k]
			for i, g := range adj {
				to[i] += 2 * g * min(max(u[i], -p[0]), p[0])
			}
		}
	},
	Second: func(to [][]float64, adj []float64, u, d [][]float64, _, p []float64) {
		for k, to := range to {
			for i, g := range adj {
				if math.Abs(u[k][i]) < p[0] {
					to[i] += 2 * g * d[k][i]
				}
			}
		}
	},
	Error: func(dst, room []float64, u, e [][]float64, _, p []float64) {
		sums, added, m := zeros(dst, room), ofAddition(len(u)), p[0]
		for k, u := range u {
			e := e[k]
			for i := range dst {
				q, s := huberOf(u[i], m), spread(u[i], e[i])
				sums[i] += q
				slope := 2 * min(math.Abs(u[i]), m)
				own := max(huberOf(u[i]-s, m)-q, huberOf(u[i]+s, m)-q, slope*e[i]) + 3*rounding(q)
				dst[i] += own + added*sums[i]
			}
		}
	},
	Over: func(u []Interval, p []float64) Interval {
		sum := interval.Point(0)
		of := func(v float64) float64 { return huberOf(v, p[0]) }
		for _, i := range u {
			sum = sum.Add(interval.Image(i.Abs(), of, true, 3).Max(interval.Point(0)))
		}
		return sum
	},
	Change: func(s, p []float64) (sum float64) { // 2m|u| − m² outside of its parabola
		for _, v := range s {
			sum += v
		}
		return 2 * p[0] * sum
	},
	Slopes: func(_ int, p []float64) (a, b float64) { return 2 * p[0], 2 * p[0] },
	Bound: func(c convex.Canon, u []Lin, p []float64) convex.Form {
		near, far := make([]Lin, len(u)), make([]Lin, len(u))
		for k, l := range u {
			near[k], far[k] = convex.Column(c), convex.Column(c)
			s := l.AddScaled(-1, near[k])
			c.Row(s.AddScaled(-1, far[k]), math.Inf(-1), 0)
			c.Row(s.AddScaled(1, far[k]), 0, math.Inf(1))
		}
		out := squareForm(near...)
		out.Linear = convex.SumLinear(far, nil).Scale(2 * p[0])
		return out
	},
})

func huberOf(u, m float64) float64 {
	if a := math.Abs(u); a > m {
		return 2*m*a - m*m
	}
	return u * u
}

// Inner is the inner product of the first and the second half of the numbers.
var Inner = rowOf(Reduce{
	Name: "inner", Smooth: true, Entries: entries(None, false),
	Value: func(dst []float64, u [][]float64, _ []float64) {
		clear(dst)
		half := len(u) / 2
		for k, a := range u[:half] {
			b := u[k+half]
			for i := range dst {
				dst[i] += a[i] * b[i]
			}
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, _ []float64) {
		for k, to := range to {
			o := u[(k+len(u)/2)%len(u)]
			for i, g := range adj {
				to[i] += g * o[i]
			}
		}
	},
	Second: func(to [][]float64, adj []float64, _, d [][]float64, _, _ []float64) {
		for k, to := range to {
			o := d[(k+len(d)/2)%len(d)]
			for i, g := range adj {
				to[i] += g * o[i]
			}
		}
	},
	Error: func(dst, room []float64, u, e [][]float64, _, _ []float64) {
		half := len(u) / 2
		sums, added := zeros(dst, room), ofAddition(half)
		for k, a := range u[:half] {
			b, d, e := u[k+half], e[k], e[k+half]
			for i := range dst {
				q, own := product(a[i], d[i], b[i], e[i])
				sums[i] += q
				dst[i] += own + added*math.Abs(sums[i])
			}
		}
	},
	Over: func(u []Interval, _ []float64) Interval {
		sum, half := interval.Point(0), len(u)/2
		for k, i := range u[:half] {
			sum = sum.Add(i.Mul(u[k+half]))
		}
		return sum
	},
	Factored: func(c Factors, u []Lin, _ []float64) Lin {
		half := len(u) / 2
		products := make([]Lin, half)
		for k, l := range u[:half] {
			products[k] = c.Product(l, u[k+half])
		}
		return c.Total(products...)
	},
	Products: func(n int) [][]Factor {
		out := make([][]Factor, n/2)
		for k := range out {
			out[k] = []Factor{{1, k}, {1, k + n/2}}
		}
		return out
	},
})

// QuadOverLin is the sum of the squares of the others divided by the first number.
var QuadOverLin = rowOf(Reduce{
	Name: "quadoverlin", Curvature: 1, Smooth: true,
	Entries: []Entry{{Falling, true}, {Outward, false}}, Places: FirstBehind,
	Value: func(dst []float64, u [][]float64, p []float64) {
		squares(dst, u[1:], p)
		for i, y := range u[0][:len(dst)] {
			if dst[i] /= y; !(y > 0) {
				dst[i] = math.Inf(1)
			}
		}
	},
	Slope: func(to [][]float64, adj []float64, u [][]float64, _, _ []float64) {
		for i, g := range adj {
			y, sum := max(u[0][i], Steepest), 0.0
			for k, u := range u[1:] {
				sum += u[i] * u[i]
				to[k+1][i] += 2 * g * u[i] / y
			}
			to[0][i] -= g * sum / (y * y)
		}
	},
	// 2/y times dₖ − uₖ·d₀/y, and for y minus the inner product of that with u/y.
	Second: func(to [][]float64, adj []float64, u, d [][]float64, _, _ []float64) {
		for i, g := range adj {
			y := max(u[0][i], Steepest)
			for k := 1; k < len(u); k++ {
				w := 2 * g * (d[k][i] - u[k][i]/y*d[0][i]) / y
				to[k][i] += w
				to[0][i] -= w * u[k][i] / y
			}
		}
	},
	Error: func(dst, _ []float64, u, e [][]float64, _, _ []float64) {
		for i := range dst {
			sum, err := 0.0, 0.0
			for k, u := range u[1:] {
				q, own := square(u[i], e[k+1][i])
				sum += q
				err += own + unit*sum
			}
			y, d := u[0][i], e[0][i]
			v := sum / y
			dst[i] = (err+v*d)/max(y-d, 0) + rounding(v)
		}
	},
	Over: func(u []Interval, p []float64) Interval {
		inverse := Find("power")
		return SumSquares.Over(u[1:], p).Mul(inverse.Value.Over(inverse.In(u[0], -1), -1))
	},
	Products: func(n int) [][]Factor {
		out := make([][]Factor, n-1)
		for k := range out {
			out[k] = []Factor{{2, k + 1}, {-1, 0}}
		}
		return out
	},
	Factored: func(c Factors, u []Lin, _ []float64) Lin {
		return c.Product(c.Column(c.Sum(Find("square"), 0, u[1:]...)),
			c.Column(c.Sum(Find("power"), -1, c.Column(u[0]))))
	},
	Cone: func(t Lin, u []Lin, _ []float64) convex.Cone { return rotated(t, u[0], u[1:]...) },
})
