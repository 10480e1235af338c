package instance

import (
	"fmt"
	"math"
	"math/rand"

	"github.com/dcopt/dcopt/bench/internal/choice"
	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// structuredSet is a set of random programs with the structure of applications. All
// problems of a draw come from one generator, one after another, the one of math/rand: the
// sequence of a seed is the same in every version of Go.
type structuredSet struct {
	name string
	seed int64 // added to the seed of the draw
	fill func(all *programs, rng *rand.Rand)
}

func structuredList() choice.List[structuredSet] {
	return choice.List[structuredSet]{Kind: "set",
		All:  []structuredSet{{"squares", 0, squares}, {"linear", 1, linear}, {"few", 2, few}},
		Name: func(s structuredSet) string { return s.name }}
}

// MostDraws bounds the numbers of draws.
// Source: a limit on which no answer depends.
const MostDraws = 1000

// structuredSeed is the seed of a draw. Constants of ipm were chosen on the first
// draw and tested on the second (docs/lab/bench.md).
func structuredSeed(draw int) int64 {
	switch draw {
	case 1:
		return 4711
	case 2:
		return 99
	}
	return 1000 * int64(draw)
}

// StructuredNames are the names of the sets, separated by commas.
func StructuredNames() string { return structuredList().Names() }

// Structured are the problems of the sets named (or "all"), of one draw from 1 to
// MostDraws. A few of the set squares have no feasible point, other ones in each draw.
func Structured(names []string, draw int) ([]Instance, error) {
	if draw < 1 || draw > MostDraws {
		return nil, fmt.Errorf("draw %d: want 1 to %d", draw, MostDraws)
	}
	chosen, err := structuredList().Choose(names)
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, s := range chosen {
		var set programs
		s.fill(&set, rand.New(rand.NewSource(structuredSeed(draw)+s.seed)))
		group := fmt.Sprintf("structured-%s-%d", s.name, draw)
		for _, m := range set {
			all = append(all, single(group, m.name, func() *qpbackend.Problem { return m.problem }))
		}
	}
	return all, nil
}

// programs are the problems of a set by name: family, size and kind.
type programs []struct {
	name    string
	problem *qpbackend.Problem
}

func (all *programs) add(p *qpbackend.Problem, name string, args ...any) {
	*all = append(*all, programs{{fmt.Sprintf(name, args...), p}}...)
}

// variable appends a variable with the given cost and bounds and returns its number.
func variable(b *classes.Builder, cost, lo, hi float64) int {
	j := b.Vars(1, 0, cost)
	b.Bound(j, lo, hi)
	return j
}

// decades is 10^u, u uniform from one power to another.
func decades(rng *rand.Rand, from, to float64) float64 {
	return math.Pow(10, from+(to-from)*rng.Float64())
}

// oneOf is one of the values, each as likely as any other.
func oneOf(rng *rand.Rand, values ...float64) float64 { return values[rng.Intn(len(values))] }
