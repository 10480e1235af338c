package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// ConeSpec is a family of random problems, with or without cones. The outcome of each is known by
// construction.
type ConeSpec struct {
	// Want is Solved, PrimalInfeasible or DualInfeasible.
	Want qpbackend.Status
	// Kinds are taken in turn by the Cones cones. Without any there have to be Intervals.
	Kinds []qpbackend.ConeKind
	Cones int
	// Rows is the largest number of rows of a second-order cone, Order the
	// largest order of a semidefinite one; each has at least half of it.
	Rows, Order int
	Vars        int // variables
	Intervals   int // rows outside of the cones
	// Rank of P. Below Vars, each variable has two bounds besides.
	Rank int
	// Density is the share of nonzero entries in A and P, beyond one per row.
	Density float64
	// Decades is the range over which the units of cones, rows and variables vary, and
	// the unit of the objective.
	Decades float64
	// Degenerate leaves complementarity to chance: there may be no point
	// strictly inside of all cones, and multipliers may be zero beside zeros.
	Degenerate bool
}

// Case is the problem of a seed. Where it is Solved there are points strictly
// inside of all cones, primal and dual (but for Degenerate), and X and Y are an
// optimal pair that is strictly complementary; the infeasible ones have
// certificates strictly inside of the cones.
func (s ConeSpec) Case(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 40))
	b := s.builder(rng)
	c := Case{Want: s.Want, Name: fmt.Sprintf("%v, %s, %d cones, %d variables, seed %d", s.Want, kindNames(s.Kinds),
		s.Cones, s.Vars, seed)}
	switch s.Want {
	case qpbackend.PrimalInfeasible:
		c.Problem = b.primalInfeasible()
	case qpbackend.DualInfeasible:
		c.Problem, _ = b.dualInfeasible()
	default:
		c.Problem, c.X, c.Y = b.solvable(s.Degenerate)
	}
	if s.Decades > 0 {
		x, y := c.X, c.Y
		if x == nil {
			x, y = make([]float64, b.n), make([]float64, b.m)
		}
		cost := unit(rng, s.Decades)
		rescale(rng, c.Problem, x, y, s.Decades, s.Decades, cost)
	}
	if c.Want == qpbackend.Solved {
		c.Objective = c.Problem.Objective(c.X)
	}
	return c
}

func kindNames(kinds []qpbackend.ConeKind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return strings.Join(names, "+")
}

// RandomCones is a small problem with cones of the kinds given: all kinds
// mixed or one alone, solvable three times in five, at times in awkward units.
func RandomCones(seed uint64, kinds ...qpbackend.ConeKind) Case {
	rng := rand.New(rand.NewPCG(seed, 41))
	s := ConeSpec{
		Want: qpbackend.Solved, Kinds: kinds, Cones: 1 + rng.IntN(6), Rows: 1 + rng.IntN(12), Order: 1 + rng.IntN(6),
		Vars: 2 + rng.IntN(20), Intervals: rng.IntN(12), Density: 0.1 + 0.5*rng.Float64(),
	}
	switch seed % 5 {
	case 0:
		s.Want = qpbackend.PrimalInfeasible
	case 1:
		s.Want = qpbackend.DualInfeasible
	}
	if k := int(seed/5) % (len(kinds) + 2); k < len(kinds) {
		s.Kinds = kinds[k : k+1]
	}
	switch rng.IntN(3) {
	case 0:
		s.Rank = s.Vars
	case 1:
		s.Rank = rng.IntN(s.Vars + 1)
	}
	if rng.IntN(4) == 0 {
		s.Decades = 2
	}
	return s.Case(seed)
}

// coneBuilder is a problem that is being made. Its A has one row a slice.
type coneBuilder struct {
	spec  ConeSpec
	rng   *rand.Rand
	n, m  int
	cones []qpbackend.Cone
	inter []int // the interval rows
	box   int   // the first row of the bounds of variables; m without
	rows  [][]entry
}

type entry struct {
	j int
	v float64
}

// builder lays out the rows: cones and intervals interleaved, then bounds.
func (s ConeSpec) builder(rng *rand.Rand) *coneBuilder {
	b := &coneBuilder{spec: s, rng: rng, n: s.Vars}
	add := func() {
		row := []entry{{rng.IntN(b.n), rng.NormFloat64() + math.Copysign(0.3, rng.NormFloat64())}}
		for j := range b.n {
			if j != row[0].j && rng.Float64() < s.Density {
				row = append(row, entry{j, rng.NormFloat64()})
			}
		}
		b.rows = append(b.rows, row)
	}
	interval := func() {
		b.inter = append(b.inter, len(b.rows))
		add()
	}
	left := s.Intervals
	for k := range s.Cones {
		for ; left > 0 && rng.IntN(s.Cones+1) > 0; left-- {
			interval()
		}
		c := qpbackend.Cone{Kind: s.Kinds[k%len(s.Kinds)], Start: len(b.rows), Len: 3}
		between := func(top int) int { return top - rng.IntN(top/2+1) }
		switch c.Kind {
		case qpbackend.SecondOrder:
			c.Len = between(s.Rows)
		case qpbackend.Semidefinite:
			c.Len = Triangle(between(s.Order))
		case qpbackend.Power:
			c.Alpha = 0.1 + 0.8*rng.Float64()
		}
		b.cones = append(b.cones, c)
		for range c.Len {
			add()
		}
	}
	for ; left > 0; left-- {
		interval()
	}
	b.box = len(b.rows)
	if s.Rank < s.Vars && s.Want != qpbackend.DualInfeasible {
		for j := range b.n {
			b.rows = append(b.rows, []entry{{j, 1}})
		}
	}
	b.m = len(b.rows)
	return b
}

func (b *coneBuilder) times(x []float64) []float64 {
	z := make([]float64, b.m)
	for i, row := range b.rows {
		for _, e := range row {
			z[i] += e.v * x[e.j]
		}
	}
	return z
}

// set makes A[i, j] = v.
func (b *coneBuilder) set(i, j int, v float64) {
	k := slices.IndexFunc(b.rows[i], func(e entry) bool { return e.j == j })
	if k < 0 {
		b.rows[i] = append(b.rows[i], entry{j, v})
		return
	}
	b.rows[i][k].v = v
}

// problem has the rows, all without bounds.
func (b *coneBuilder) problem(p *sparse.CSC) *qpbackend.Problem {
	var t sparse.Triplets
	for i, row := range b.rows {
		for _, e := range row {
			t.Add(i, e.j, e.v)
		}
	}
	a, _ := t.CSC(b.m, b.n)
	return &qpbackend.Problem{P: p, A: a, L: Filled(b.m, -Inf()), U: Filled(b.m, Inf()), Cones: b.cones}
}

func (b *coneBuilder) gaussian(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = b.rng.NormFloat64()
	}
	return v
}

// KindsOf are the kinds of cones in p, each once.
func KindsOf(p *qpbackend.Problem) []qpbackend.ConeKind {
	var kinds []qpbackend.ConeKind
	for _, c := range p.Cones {
		if !slices.Contains(kinds, c.Kind) {
			kinds = append(kinds, c.Kind)
		}
	}
	return kinds
}
