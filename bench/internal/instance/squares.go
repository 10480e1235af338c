package instance

import (
	"math"
	"math/rand"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// squares are 86 programs whose variables all have squares in the objective.
func squares(all *programs, rng *rand.Rand) {
	for _, n := range []int{150, 600, 3000} {
		for order := 1; order <= 4; order++ {
			for _, shape := range []string{"exp", "sine", "jump"} {
				all.add(curve(rng, n, order, shape), "curve-%d-%d-%s", n, order, shape)
			}
		}
	}
	for _, n := range []int{60, 300, 1200} {
		for _, m := range []int{0, n / 4, n / 2, 3 * n / 4} {
			all.add(box(rng, n, m), "box-%d-%d", n, m)
		}
	}
	for _, n := range []int{40, 90, 200} {
		all.add(simplex(rng, n, n/4, 0), "simplex-%d-%d", n, n/4)
		all.add(simplex(rng, n, n+10, 0.1), "simplex-%d-%d", n, n+10)
		all.add(machine(rng, n, n/4), "machine-%d-%d", n, n/4)
		all.add(machine(rng, n, n+10), "machine-%d-%d", n, n+10)
	}
	for _, n := range []int{8, 20} {
		for _, kind := range []string{"powers", "sines", "near", "far"} {
			all.add(manyRows(rng, n, kind), "many-%d-%s", n, kind)
		}
	}
	for _, horizon := range []int{10, 30, 80} {
		for _, bound := range []float64{0.3, 1, 10} {
			all.add(chain(rng, horizon, bound), "chain-%d-%g", horizon, bound)
		}
	}
	for _, side := range []int{10, 25, 50} {
		all.add(monotone(rng, side), "grid-%d-monotone", side)
		all.add(doubly(rng, side), "grid-%d-doubly", side)
	}
	for k := range 8 {
		all.add(units(rng, k%4, k%3, k >= 4), "units-%d", k)
	}
}

// differences are the 1 + order coefficients of the difference of that order of
// successive values.
func differences(order int) []float64 {
	c := []float64{1}
	for range order {
		next := make([]float64, len(c)+1)
		for i, v := range c {
			next[i] -= v
			next[i+1] += v
		}
		c = next
	}
	return c
}

// curve is the nearest one to n noisy values whose n − order differences of that order
// (1: monotone, 2: convex) are nonnegative, or, of a sine, bounded on both sides. The
// values come from exp, a sine, or a root with a jump.
func curve(rng *rand.Rand, n, order int, shape string) *qpbackend.Problem {
	noise := oneOf(rng, 0.01, 0.1, 0.5)
	b := classes.New(0)
	b.Vars(n, 1, 0)
	difference := differences(order)
	for i := range n - order {
		row := b.Row(0, inf)
		for k, v := range difference {
			b.A.Add(row, i+k, v)
		}
	}
	scale := 6 * rng.Float64() // angle of the sine, height of the jump
	for j := range b.Q {
		u := float64(j) / float64(n)
		value := 0.0
		switch shape {
		case "exp":
			value = math.Exp(u)
		case "sine":
			value = math.Sin(scale * u)
		case "jump":
			value = math.Sqrt(u)
			if u > 0.5 {
				value += scale
			}
		}
		b.Q[j] = -(value + noise*rng.NormFloat64())
	}
	if shape == "sine" {
		most := math.Pow(float64(n), -float64(order)) * decades(rng, 0, 2)
		for i := range b.L {
			b.L[i], b.U[i] = -most, most
		}
	}
	return b.Problem()
}

// box has n variables between .1 and 3, 10 or 50, an objective of n weighted squares of
// sums of three variables, and m rows of three entries through a point of the box: n/2
// rows are lower limits, other numbers of rows equations. Costs are zero or normal.
func box(rng *rand.Rand, n, m int) *qpbackend.Problem {
	b := classes.New(n)
	for j := range n {
		variables := []int{j, rng.Intn(n), rng.Intn(n)}
		square(b, float64(j%7+1)/4, variables, []float64{1, rng.NormFloat64(), rng.NormFloat64()})
	}
	x := make([]float64, n)
	for j := range x {
		x[j] = 0.5 + 4*rng.Float64()
	}
	for range m {
		row := b.Row(0, inf)
		for range 3 {
			b.A.Add(row, rng.Intn(n), float64(rng.Intn(5)-2))
		}
	}
	most := oneOf(rng, 3, 10, 50)
	for j := range n {
		b.Bound(j, 0.1, most)
		x[j] = min(x[j], most)
	}
	if rng.Intn(2) == 0 {
		for j := range b.Q {
			b.Q[j] = 3 * rng.NormFloat64()
		}
	}
	p := b.Problem()
	p.A.AddMulVec(p.L, 1, x)
	if m != n/2 {
		copy(p.U, p.L)
	}
	return p
}

// square adds weight·(cᵀx)² to xᵀPx; variables of c may be the same.
func square(b *classes.Builder, weight float64, variables []int, c []float64) {
	for k, i := range variables {
		for l, j := range variables {
			switch {
			case i < j || k == l:
				b.P.Add(i, j, weight*c[k]*c[l])
			case i == j && k < l:
				b.P.Add(i, j, 2*weight*c[k]*c[l])
			}
		}
	}
}

// kernel fills P with the kernel of n normal points in a space of the given dimension, whose
// products have labels as factors, and returns n labels of 1 and −1. P is dense, and has
// full rank only by 1e-3 on its diagonal where the dimension is less than n.
func kernel(rng *rand.Rand, b *classes.Builder, n, dimension int, labelled bool) []float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, dimension)
		for k := range points[i] {
			points[i][k] = rng.NormFloat64() / math.Sqrt(float64(dimension))
		}
	}
	labels := make([]float64, n)
	for i := range labels {
		labels[i] = float64(2*rng.Intn(2) - 1)
	}
	for j := range n {
		for i := range j + 1 {
			sum := 0.0
			for k, v := range points[i] {
				sum += v * points[j][k]
			}
			if labelled {
				sum *= labels[i] * labels[j]
			}
			if i == j {
				sum += 1e-3
			}
			b.P.Add(i, j, sum)
		}
	}
	return labels
}

// simplex has n weights x ≥ 0 of sum 1, as a portfolio: ½xᵀKx less a return of up to
// most per weight.
func simplex(rng *rand.Rand, n, dimension int, most float64) *qpbackend.Problem {
	b := classes.New(n)
	kernel(rng, b, n, dimension, false)
	sum := b.Row(1, 1)
	for j := range n {
		b.A.Add(sum, j, 1)
		b.Bound(j, 0, inf)
		b.Q[j] = -rng.Float64() * most
	}
	return b.Problem()
}

// machine is the dual problem of a support vector machine with n samples: one equation,
// multipliers between 0 and C of .1 to 100.
func machine(rng *rand.Rand, n, dimension int) *qpbackend.Problem {
	b := classes.New(n)
	labels := kernel(rng, b, n, dimension, true)
	most := math.Pow(10, float64(rng.Intn(4)-1))
	sum := b.Row(0, 0)
	for j := range n {
		b.A.Add(sum, j, labels[j])
		b.Bound(j, 0, most)
		b.Q[j] = -1
	}
	return b.Problem()
}

// manyRows has n coefficients and 150 to 949 lower limits: a sum of powers of t above
// tan t, or of sines above exp t − 2, at points t of [0, 1), as in semi-infinite
// programs; or random rows, near the origin or far away.
func manyRows(rng *rand.Rand, n int, kind string) *qpbackend.Problem {
	m := 150 + rng.Intn(800)
	b := classes.New(0)
	for j := range n {
		b.Vars(1, 1/float64(j+1), 0)
	}
	for i := range m {
		row := b.Row(0, inf)
		t := float64(i) / float64(m)
		for j := range n {
			switch kind {
			case "powers":
				b.A.Add(row, j, math.Pow(t, float64(j)))
			case "sines":
				b.A.Add(row, j, math.Sin(float64(j+1)*t))
			default:
				b.A.Add(row, j, rng.NormFloat64())
			}
		}
		switch kind {
		case "powers":
			b.L[row] = math.Tan(t)
		case "sines":
			b.L[row] = math.Exp(t) - 2
		case "near":
			b.L[row] = -1 - rng.Float64()
		case "far":
			b.L[row] = -1000 * rng.Float64()
		}
	}
	for j := range b.Q {
		b.Q[j] = rng.NormFloat64() * 5
	}
	return b.Problem()
}

// chain steers a random linear system of two to five states by one or two inputs to
// the origin: x_{k+1} = F·x_k + G·u_k from a given state, |u| ≤ bound. A step has its
// inputs and then its states as variables; an input costs 1e-4 to 1 times as much as a state.
func chain(rng *rand.Rand, horizon int, bound float64) *qpbackend.Problem {
	states, inputs := 2+rng.Intn(4), 1+rng.Intn(2)
	step := inputs + states
	system := make([][]float64, states) // F and G, by rows
	for i := range system {
		system[i] = make([]float64, step)
		for j := range system[i] {
			system[i][j] = 0.3 * rng.NormFloat64()
		}
		system[i][i] += 0.9
		if i+1 < states {
			system[i][i+1] += 0.2
		}
	}
	first := make([]float64, states)
	for i := range first {
		first[i] = 3 * rng.NormFloat64()
	}
	inputCost := math.Pow(10, float64(rng.Intn(5)-4))
	b := classes.New(0)
	for k := range horizon {
		for range inputs {
			b.Bound(b.Vars(1, inputCost, 0), -bound, bound)
		}
		b.Vars(states, 1, 0)
		for i, row := range system {
			r := b.Row(0, 0)
			b.A.Add(r, k*step+inputs+i, -1)
			for j := range inputs {
				b.A.Add(r, k*step+j, row[states+j])
			}
			for j := range states {
				if k == 0 {
					b.L[r] -= row[j] * first[j]
				} else {
					b.A.Add(r, (k-1)*step+inputs+j, row[j])
				}
			}
			b.U[r] = b.L[r]
		}
	}
	return b.Problem()
}

// identity begins with side² variables, the entries of a square by rows, and ½‖x‖².
func identity(side int) *classes.Builder {
	b := classes.New(0)
	b.Vars(side*side, 1, 0)
	return b
}

// monotone is the nearest function on a square grid of side² noisy values that falls
// along no row and no column (isotonic regression).
func monotone(rng *rand.Rand, side int) *qpbackend.Problem {
	b := identity(side)
	rises := func(from, to int) {
		row := b.Row(0, inf)
		b.A.Add(row, from, -1)
		b.A.Add(row, to, 1)
	}
	for i := range side {
		for j := range side {
			at := i*side + j
			if i+1 < side {
				rises(at, at+side)
			}
			if j+1 < side {
				rises(at, at+1)
			}
		}
	}
	for j := range b.Q {
		b.Q[j] = -float64(j/side+j%side)/float64(side) + 1.5*rng.NormFloat64()
	}
	return b.Problem()
}

// doubly is the nearest doubly stochastic matrix to a normal one of order side: x ≥ 0,
// rows and columns of sum 1.
func doubly(rng *rand.Rand, side int) *qpbackend.Problem {
	b := identity(side)
	for range 2 * side {
		b.Row(1, 1)
	}
	for j := range b.Q {
		b.A.Add(j/side, j, 1)
		b.A.Add(side+j%side, j, 1)
		b.Bound(j, 0, inf)
		b.Q[j] = rng.NormFloat64()
	}
	return b.Problem()
}

// units has 30 to 229 rows of six entries over 50 to 249 variables, each row, and each
// square, in a unit of its own of four decades. A third of the rows have two sides. Sides
// are about 10^far units away from the origin, costs of size 10^dear; lower sides are at
// most zero if below is true.
func units(rng *rand.Rand, far, dear int, below bool) *qpbackend.Problem {
	n := 50 + rng.Intn(200)
	m := 30 + rng.Intn(200)
	b := classes.New(n)
	for range m {
		unit := decades(rng, -2, 2)
		row := b.Row(0, inf)
		for range 6 {
			b.A.Add(row, rng.Intn(n), unit*rng.NormFloat64())
		}
		side := unit * rng.NormFloat64() * math.Pow(10, float64(far))
		b.L[row] = side
		if rng.Intn(3) == 0 {
			b.U[row] = side + unit*10
		}
		if below {
			b.L[row] = -math.Abs(side)
		}
	}
	for j := range n {
		b.P.Add(j, j, decades(rng, -2, 2))
	}
	for j := range b.Q {
		b.Q[j] = rng.NormFloat64() * math.Pow(10, float64(dear))
	}
	return b.Problem()
}
