package instance

import (
	"math"
	"math/rand"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// linear are 68 programs, most of them linear or with squares of few variables.
func linear(all *programs, rng *rand.Rand) {
	for _, suppliers := range []int{8, 20, 40} {
		for _, unit := range []float64{1, 100, 3000} {
			all.add(transport(rng, suppliers, unit), "transport-%d-%g", suppliers, unit)
		}
	}
	for _, periods := range []int{6, 20, 60} {
		for spread := range 4 {
			all.add(production(rng, periods, spread), "periods-%d-%d", periods, spread)
		}
	}
	for _, nodes := range []int{10, 25, 50} {
		for _, goods := range []int{2, 4} {
			all.add(flows(rng, nodes, goods), "flows-%d-%d", nodes, goods)
		}
	}
	for _, n := range []int{40, 150, 600} {
		for kind := range 4 {
			all.add(blend(rng, n, kind), "blend-%d-%d", n, kind)
		}
	}
	for _, samples := range []int{40, 150, 600} {
		for _, loss := range []string{"largest", "absolute", "hinge", "quantile"} {
			all.add(fit(rng, samples, loss), "fit-%d-%s", samples, loss)
		}
	}
	for _, n := range []int{5, 20, 60} {
		for _, squares := range []string{"none", "variables", "terms"} {
			all.add(maxima(rng, n, squares), "maxima-%d-%s", n, squares)
		}
	}
	for _, n := range []int{100, 500, 2000} {
		for _, power := range []int{0, -4, -6} {
			all.add(bent(rng, n, math.Pow10(power)), "bent-%d-1e%d", n, power)
		}
	}
}

// transport sends goods from suppliers to three more customers at least cost; demands are
// the sums of random shipments of no, one or two units, supplies one unit more. A quarter
// of the ways take at most three units, one in 40 also has a square, and half of the
// demands may be exceeded.
func transport(rng *rand.Rand, suppliers int, unit float64) *qpbackend.Problem {
	b := classes.New(0)
	supply, demand := make([]float64, suppliers), make([]float64, suppliers+3)
	for i := range supply {
		for j := range demand {
			most := inf
			if rng.Intn(4) == 0 {
				most = unit * 3
			}
			way := variable(b, float64(1+rng.Intn(30)), 0, most)
			shipment := unit * float64(rng.Intn(3))
			supply[i] += shipment
			demand[j] += shipment
			if rng.Intn(40) == 0 {
				b.P.Add(way, way, decades(rng, -2, 1))
			}
		}
	}
	for i, s := range supply {
		row := b.Row(-inf, s+unit)
		for j := range demand {
			b.A.Add(row, i*len(demand)+j, 1)
		}
	}
	for j, d := range demand {
		row := b.Row(d, oneOf(rng, d, inf))
		for i := range supply {
			b.A.Add(row, i*len(demand)+j, 1)
		}
	}
	return b.Problem()
}

// production plans three to seven goods over the periods: made regularly, or overtime to
// a limit, at two capacities; stored, of which .98 lasts to the next period; and missing,
// at a price. Some goods take a fifth of their amount of the good before. Units of goods
// are of 1 + spread decades. A sixth of the regular amounts have squares.
func production(rng *rand.Rand, periods, spread int) *qpbackend.Problem {
	b := classes.New(0)
	unit := make([]float64, 3+rng.Intn(5))
	for g := range unit {
		unit[g] = decades(rng, -1, float64(spread))
	}
	store := make([]int, len(unit)) // of the period before
	for t := range periods {
		first, second := b.Row(-inf, 100), b.Row(-inf, 80+40*rng.Float64())
		before := 0 // regular amount of the good before
		for g, u := range unit {
			regular := variable(b, decades(rng, -1, 1)*float64(1+spread), 0, inf)
			over := variable(b, decades(rng, 0, 2), 0, u*4)
			stored := variable(b, decades(rng, -2, 0), 0, oneOf(rng, inf, 20*u))
			missing := variable(b, decades(rng, 1, 3), 0, inf)
			b.A.Add(first, regular, decades(rng, -1, 0.5)/u)
			b.A.Add(second, regular, decades(rng, -1, 0.5)/u)
			b.A.Add(second, over, decades(rng, -1, 0)/u)
			demand := u * float64(rng.Intn(12))
			balance := b.Row(demand, demand)
			b.A.Add(balance, regular, 1)
			b.A.Add(balance, over, 1)
			b.A.Add(balance, stored, -1)
			b.A.Add(balance, missing, 1)
			if t > 0 {
				b.A.Add(balance, store[g], 0.98)
			}
			if g > 0 && rng.Intn(2) == 0 {
				b.A.Add(balance, before, -0.2)
			}
			store[g], before = stored, regular
			if rng.Intn(6) == 0 {
				b.P.Add(regular, regular, decades(rng, -3, 1))
			}
		}
	}
	return b.Problem()
}

// flows sends several goods, each from one node to another, along a ring in both
// directions and up to two more arcs from each node; more than the joint capacity of an
// arc has a price. A tenth of the flows have squares.
func flows(rng *rand.Rand, nodes, goods int) *qpbackend.Problem {
	b := classes.New(0)
	var arcs [][2]int
	for i := range nodes {
		next := (i + 1) % nodes
		arcs = append(arcs, [2]int{i, next}, [2]int{next, i})
		for range 2 {
			if j := rng.Intn(nodes); j != i {
				arcs = append(arcs, [2]int{i, j})
			}
		}
	}
	for range goods { // row k·nodes + i balances good k in node i
		from, to, amount := rng.Intn(nodes), rng.Intn(nodes), decades(rng, 0, 2)
		if from == to {
			to = (to + 1) % nodes
		}
		for i := range nodes {
			leaves := 0.0
			switch i {
			case from:
				leaves = amount
			case to:
				leaves = -amount
			}
			b.Row(leaves, leaves)
		}
	}
	for _, arc := range arcs {
		capacity := b.Row(-inf, decades(rng, 1.3, 2.5))
		for k := range goods {
			flow := variable(b, decades(rng, 0, 1.5), 0, inf)
			b.A.Add(k*nodes+arc[0], flow, 1)
			b.A.Add(k*nodes+arc[1], flow, -1)
			b.A.Add(capacity, flow, 1)
			if rng.Intn(10) == 0 {
				b.P.Add(flow, flow, decades(rng, -3, 0))
			}
		}
		b.A.Add(capacity, variable(b, decades(rng, 1.5, 3), 0, inf), -1)
	}
	return b.Problem()
}

// blend is a mixture of n ingredients with n/3 requirements, rows of four to seven entries
// in a unit of their own of four decades, around a point of which half of the amounts are
// zero. Requirements are in turn an equation, two lower limits and a range; kind, 0 to 3,
// says with which they begin. From kind 2 on a third of the entries are negative. An eighth
// of the amounts have squares, none of kind 3.
func blend(rng *rand.Rand, n, kind int) *qpbackend.Problem {
	b := classes.New(0)
	amount := make([]float64, n)
	for j := range amount {
		most := inf
		if rng.Intn(5) == 0 {
			most = decades(rng, 0, 3)
		}
		variable(b, decades(rng, -1, 2), 0, most)
		amount[j] = min(most, decades(rng, -1, 1.5)) * float64(rng.Intn(2))
		if rng.Intn(8) == 0 && kind != 3 {
			b.P.Add(j, j, decades(rng, -3, 0))
		}
	}
	for i := range n / 3 {
		row := b.Row(0, 0)
		unit, sum := decades(rng, -2, 2), 0.0
		for range 4 + rng.Intn(4) {
			j := rng.Intn(n)
			v := unit * decades(rng, -1, 1)
			if kind >= 2 && rng.Intn(3) == 0 {
				v = -v
			}
			b.A.Add(row, j, v)
			sum += v * amount[j]
		}
		b.L[row], b.U[row] = requirement(sum, (i+kind)%4)
	}
	return b.Problem()
}

// requirement are the sides around a value: 0 an equation, 1 and 2 a lower limit a tenth
// below it, 3 a range.
func requirement(value float64, kind int) (l, u float64) {
	size := math.Abs(value)
	switch kind {
	case 0:
		return value, value
	case 3:
		return value - size*0.5, value + size + 1
	}
	return value - 0.1*size, inf
}

// fit finds weights w of four to nine normal features x for samples y = Σ x + noise, in a
// unit of three decades. The loss is the largest deviation of ⟨w, x⟩ from y; the sum of all
// deviations (absolute); the same with deviations of samples below the fit counted a fifth
// (quantile); or the hinge loss of a separation of the signs of y, with ½‖w‖².
func fit(rng *rand.Rand, samples int, loss string) *qpbackend.Problem {
	b := classes.New(0)
	x := make([]float64, 4+rng.Intn(6)) // features of a sample; weights come first
	for k := range x {
		variable(b, 0, -inf, inf)
		if loss == "hinge" {
			b.P.Add(k, k, 1)
		}
	}
	unit := decades(rng, -1, 2)
	largest := 0
	if loss == "largest" {
		largest = variable(b, 1, 0, inf)
	}
	weighted := func(row int, scale float64) {
		for k, v := range x {
			b.A.Add(row, k, scale*v)
		}
	}
	for range samples {
		y := rng.NormFloat64()
		for k := range x {
			x[k] = rng.NormFloat64()
			y += x[k]
		}
		y *= unit
		switch loss {
		case "largest":
			lower, upper := b.Row(y, inf), b.Row(-inf, y)
			weighted(lower, 1)
			weighted(upper, 1)
			b.A.Add(lower, largest, 1)
			b.A.Add(upper, largest, -1)
		case "hinge":
			row := b.Row(1, inf)
			weighted(row, math.Copysign(1, y))
			b.A.Add(row, variable(b, unit, 0, inf), 1)
		default:
			price := 1.0
			if loss == "quantile" {
				price = 0.2
			}
			row := b.Row(y, y)
			weighted(row, 1)
			b.A.Add(row, variable(b, 1, 0, inf), 1)
			b.A.Add(row, variable(b, price, 0, inf), -1)
		}
	}
	return b.Problem()
}

// maxima is a sum of 3n terms, each the largest of three affine functions of four of the
// n variables between −10 and 10, by their epigraphs, as in the convex problems of a
// convex-concave procedure. There are squares of none, of the variables or of the terms.
func maxima(rng *rand.Rand, n int, squares string) *qpbackend.Problem {
	b := classes.New(0)
	for range n {
		j := variable(b, rng.NormFloat64(), -10, 10)
		if squares == "variables" {
			b.P.Add(j, j, 0.1)
		}
	}
	for range 3 * n {
		term := variable(b, 1, -inf, inf)
		for range 3 {
			row := b.Row(-inf, 5*rng.NormFloat64())
			for range 4 {
				b.A.Add(row, rng.Intn(n), rng.NormFloat64())
			}
			b.A.Add(row, term, -1)
		}
		if squares == "terms" {
			b.P.Add(term, term, 1e-3)
		}
	}
	return b.Problem()
}

// bent is a curve of n points with noisy costs and squares of the given weight. Points
// next to each other differ by at most 1, and the largest second difference, the only
// variable without a square, has a price.
func bent(rng *rand.Rand, n int, weight float64) *qpbackend.Problem {
	b := classes.New(0)
	for j := range n {
		variable(b, -math.Exp(float64(j)/float64(n))-0.2*rng.NormFloat64(), -inf, inf)
		b.P.Add(j, j, weight)
	}
	largest := variable(b, 1, 0, inf)
	for j := 1; j+1 < n; j++ {
		row := b.Row(-inf, 0)
		for k, v := range differences(2) {
			b.A.Add(row, j-1+k, v)
		}
		b.A.Add(row, largest, -1)
	}
	for j := 1; j < n; j++ {
		row := b.Row(-1, 1)
		b.A.Add(row, j, 1)
		b.A.Add(row, j-1, -1)
	}
	return b.Problem()
}
