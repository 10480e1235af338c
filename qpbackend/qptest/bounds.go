package qptest

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// badBounds spoil the bounds of a problem with two variables.
var badBounds = []struct {
	name   string
	lo, hi []float64
}{
	{"crossed bounds of a variable", []float64{2, 0}, []float64{1, 1}},
	{"a lower bound of +inf for a variable", []float64{0, math.Inf(1)}, nil},
	{"an upper bound of -inf for a variable", nil, []float64{math.Inf(-1), 0}},
	{"a NaN in the bounds of a variable", []float64{0, math.NaN()}, nil},
	{"too few lower bounds", []float64{0}, nil},
	{"too many upper bounds", nil, []float64{1, 1, 1}},
}

// bounding checks the rules for bounds of variables.
func (s suite) bounding() []Check {
	var out []Check
	for _, bad := range badBounds {
		out = append(out, Check{"refuse/" + bad.name, func(t TB) {
			p := &qpbackend.Problem{P: problems.Diagonal(1, 1), Q: []float64{1, 1}, Lo: bad.lo, Hi: bad.hi}
			s.refuses(t, p, s.settings())
			s.refusesUpdate(t, bad.lo, bad.hi)
		}})
	}
	return append(out, Check{"update/first bounds of a variable", s.firstBounds})
}

// refusesUpdate sends bad bounds as an update, and solves again.
func (s suite) refusesUpdate(t TB, lo, hi []float64) {
	c := problems.Bounded()[0]
	solver := s.make(t, c.Problem, s.settings())
	defer solver.Close()
	if err := solver.Update(qpbackend.Update{Q: problems.Filled(2, 7), Lo: lo, Hi: hi}); err == nil {
		fail(t, "Update accepts it")
	}
	s.optimal(t, c, run(t, solver))
}

// firstBounds gives bounds to a problem without any, and takes them away.
func (s suite) firstBounds(t TB) {
	c := problems.Bounded()[0]
	free := c.Problem.Clone()
	free.Lo, free.Hi = nil, nil
	none := problems.Solved("", free, []float64{3, -1}, nil, true, true)
	bounds := qpbackend.Update{Lo: c.Problem.Lo, Hi: c.Problem.Hi}
	s.walk(t, free, []stage{
		{qpbackend.Update{}, none},
		{bounds, c},
		{qpbackend.Update{Lo: problems.Filled(2, -problems.Inf()), Hi: problems.Filled(2, problems.Inf())}, none},
		{bounds, c},
	})
}
