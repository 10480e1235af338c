package judge

import (
	"hash/fnv"
	"math/rand/v2"
)

// A Series is a family of generated problems. Share is how many of a hundred
// problems of the mixture are of it; 0: it is only run by name.
type Series struct {
	Name  string
	Share int
	draw  func(s *source) *Problem
}

// AllSeries lists the families.
func AllSeries() []Series {
	return []Series{
		{"boxes", 13, (*source).boxes},
		{"mixed", 10, (*source).mixed},
		{"decades", 10, (*source).decades},
		{"linear", 18, (*source).linear},
		{"quadratic", 8, (*source).quadratic},
		{"outliers", 10, (*source).outliers},
		{"equations", 6, (*source).equations},
		{"nested", 5, (*source).nested},
		{"matrices", 3, (*source).matrices},
		{"defined", 3, (*source).defined},
		{"convex", 6, (*source).convex},
		{"infeasible", 4, (*source).infeasible},
		{"unbounded", 4, (*source).unbounded},
		{"box60", 0, func(s *source) *Problem { return s.boxOf(60) }},
		{"box2000", 0, func(s *source) *Problem { return s.boxOf(2000) }},
	}
}

// boxOf draws a DC problem in a box of one size, of one to three variables.
func (s *source) boxOf(half float64) *Problem {
	s.choices = 15
	s.box(1+s.IntN(3), half)
	p := s.dcProblem()
	p.Start = nil
	return p
}

// Draw makes problem number seed of a series: the same on every machine.
func (r Series) Draw(a *Arith, seed uint64) *Problem {
	p := r.draw(r.source(a, seed))
	p.Family, p.Seed = r.Name, seed
	return p
}

func (r Series) source(a *Arith, seed uint64) *source {
	h := fnv.New64a()
	h.Write([]byte(r.Name))
	return &source{Rand: rand.New(rand.NewPCG(seed, h.Sum64())), a: a.Arith, far: 12, choices: 6}
}

// Mixture makes problem number seed of the mixture of all series by their
// shares.
func Mixture(a *Arith, seed uint64) *Problem {
	k := int(seed * 37 % 100) // 37 has no factor with 100: each hundred in turn has all shares
	for _, r := range AllSeries() {
		if k -= r.Share; k < 0 {
			return r.Draw(a, seed)
		}
	}
	return AllSeries()[0].Draw(a, seed) // the shares add up to 100: not reached
}
