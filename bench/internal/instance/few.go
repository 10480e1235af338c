package instance

import (
	"math"
	"math/rand"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// few are 60 programs of which few variables have squares in the objective, and many rows
// bind these to the others.
func few(all *programs, rng *rand.Rand) {
	for _, n := range []int{300, 2000, 6000, 20000} {
		for _, groups := range []int{2, 3, 4} {
			all.add(factors(rng, n, groups, false), "factors-%d-%d-amounts", n, groups)
			all.add(factors(rng, n, groups, true), "factors-%d-%d-values", n, groups)
		}
	}
	for _, jobs := range []int{50, 200, 800} {
		for _, spread := range []float64{0.5, 1, 2, 3} {
			all.add(loads(rng, jobs, spread), "loads-%d-%g", jobs, spread)
		}
	}
	for _, k := range []int{6, 15, 40} {
		for _, unit := range []float64{1, 100, 1e4} {
			all.add(totals(rng, k, unit, false), "totals-%d-%g", k, unit)
		}
		all.add(totals(rng, k, 1, true), "totals-%d-limits", k)
	}
	for _, n := range []int{5, 20, 60} {
		for spread := range 4 {
			all.add(extremes(rng, n, spread), "extremes-%d-%d", n, spread)
		}
	}
}

// factors finds the factors x, at least .1, by which n items grow, between a lower bound s
// and an upper bound t on all of them, which alone have squares: it minimises
// 10s² − 20s + t² − 2t over s ≤ x ≤ t (BOYD2 is of this kind). The total amount of a group
// of items grows by a given factor; amounts are of three decades. A group has two thirds of
// the items at random; or, with values, fewer that inGroup lists, and a second given factor for
// their total value.
func factors(rng *rand.Rand, n, groups int, values bool) *qpbackend.Problem {
	b := classes.New(0)
	for range n {
		variable(b, 0, 0.1, inf)
	}
	least, most := variable(b, -20, 0.1, inf), variable(b, -2, 0.1, inf)
	b.P.Add(least, least, 20)
	b.P.Add(most, most, 2)
	for i := range n {
		row := b.Row(0, inf)
		b.A.Add(row, i, 1)
		b.A.Add(row, least, -1)
		row = b.Row(0, inf)
		b.A.Add(row, i, -1)
		b.A.Add(row, most, 1)
	}
	for g := range groups {
		growth := 1.04 + 0.06*rng.Float64()
		growthOfValue := growth - 0.08*rng.Float64()
		total := b.Row(0, 0)
		totalValue := 0
		if values {
			totalValue = b.Row(0, 0)
		}
		for i := range n {
			if values && !inGroup(i, g, groups) || !values && rng.Intn(3) == 0 {
				continue
			}
			amount := math.Round(decades(rng, 0.5, 3.7))
			price := math.Round(5000 * (float64(g) + 1 + rng.Float64()))
			b.A.Add(total, i, amount)
			b.L[total] += amount * growth
			if values {
				b.A.Add(totalValue, i, amount*price)
				b.L[totalValue] += amount * price * growthOfValue
			}
		}
		b.U[total] = b.L[total]
		if values {
			b.U[totalValue] = b.L[totalValue]
		}
	}
	return b.Problem()
}

// inGroup reports whether item i is in group g: every 3·groups-th item is, and of four
// groups also every seventh, so that they overlap.
func inGroup(i, g, groups int) bool {
	return i%(3*groups) == g || groups == 4 && i%7 == g
}

// loads spreads jobs over six to 15 periods. A job has a size of 1 to 10^spread and a span
// of periods, with a limit and a cost in each. The loads of the periods have squares, the
// parts of the jobs none.
func loads(rng *rand.Rand, jobs int, spread float64) *qpbackend.Problem {
	b := classes.New(0)
	periods := 6 + rng.Intn(10)
	for t := range periods {
		variable(b, 0, 0, inf)
		b.P.Add(t, t, decades(rng, -2, 2))
	}
	for t := range periods {
		b.A.Add(b.Row(0, 0), t, -1)
	}
	for range jobs {
		job := b.Row(0, 0)
		size := decades(rng, 0, spread)
		from, to := rng.Intn(periods), rng.Intn(periods)
		if from > to {
			from, to = to, from
		}
		for t := from; t <= to; t++ {
			part := variable(b, rng.Float64()*decades(rng, -1, 2), 0, size/2+size*rng.Float64())
			b.A.Add(job, part, 1)
			b.A.Add(t, part, 1)
		}
		b.L[job], b.U[job] = size*0.4, size*0.4
	}
	return b.Problem()
}

// totals finds k² amounts with costs: k sums of k of them are given, .2 to 1.2 units, or
// have such lower limits, and k weighted totals should be one unit. The deviations of the
// totals have squares.
func totals(rng *rand.Rand, k int, unit float64, limits bool) *qpbackend.Problem {
	b := classes.New(0)
	for i := range k {
		variable(b, 0, -inf, inf)
		b.P.Add(i, i, decades(rng, -3, 1))
		b.A.Add(b.Row(unit, unit), i, 1)
	}
	for range k {
		sum := b.Row(0, 0)
		for i := range k {
			amount := variable(b, float64(rng.Intn(10)), 0, inf)
			b.A.Add(sum, amount, 1)
			b.A.Add(i, amount, decades(rng, -1, 1))
		}
		side := unit * (0.2 + rng.Float64())
		b.L[sum], b.U[sum] = side, side
		if limits {
			b.U[sum] = inf
		}
	}
	return b.Problem()
}

// extremes has n variables between −10 and 10 and two more, each above 30n affine functions
// of a quarter of these, the second one with the slopes of the first negated; slopes are of
// spread decades. The two have the only costs and squares.
func extremes(rng *rand.Rand, n, spread int) *qpbackend.Problem {
	b := classes.New(0)
	for range n {
		variable(b, 0, -10, 10)
	}
	first, second := variable(b, -1, -inf, inf), variable(b, 1, -inf, inf)
	b.P.Add(first, first, decades(rng, -2, 2))
	b.P.Add(second, second, decades(rng, -2, 2))
	for range 30 * n {
		row, opposite := b.Row(rng.NormFloat64(), inf), b.Row(rng.NormFloat64(), inf)
		b.A.Add(row, first, 1)
		b.A.Add(opposite, second, 1)
		for i := range n {
			if rng.Intn(4) == 0 {
				v := rng.NormFloat64() * decades(rng, 0, float64(spread))
				b.A.Add(row, i, v)
				b.A.Add(opposite, i, -v)
			}
		}
	}
	return b.Problem()
}
