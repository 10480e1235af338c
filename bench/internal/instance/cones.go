package instance

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dcopt/dcopt/bench/internal/choice"
	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// coneClass is a family of random problems with cones.
type coneClass struct {
	name string
	draw func(seed uint64) Instance
}

// tiny is the class of the suite's random problems: all kinds and mixtures,
// sizes and units, few rows. It is the last one.
const tiny = "tiny"

func coneList() choice.List[coneClass] {
	const soc, exp, pow, psd = qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite
	kinds := func(k ...qpbackend.ConeKind) []qpbackend.ConeKind { return k }
	type spec = qptest.ConeSpec // without Want and Rank
	random := func(name string, s spec) coneClass {
		return coneClass{name, func(seed uint64) Instance { return specified(name, s, seed) }}
	}
	all := []coneClass{
		random("soc-small", spec{Kinds: kinds(soc), Cones: 80, Rows: 5, Vars: 120, Intervals: 40, Density: 0.02}),
		random("soc-large", spec{Kinds: kinds(soc), Cones: 2, Rows: 500, Vars: 200, Intervals: 20, Density: 0.05}),
		random("exp", spec{Kinds: kinds(exp), Cones: 80, Vars: 100, Intervals: 30, Density: 0.03}),
		random("pow", spec{Kinds: kinds(pow), Cones: 80, Vars: 100, Intervals: 30, Density: 0.03}),
		random("psd-10", spec{Kinds: kinds(psd), Cones: 4, Order: 10, Vars: 50, Intervals: 10, Density: 0.05}),
		random("psd-25", spec{Kinds: kinds(psd), Cones: 2, Order: 25, Vars: 60, Intervals: 10, Density: 0.05}),
		random("psd-50", spec{Kinds: kinds(psd), Cones: 1, Order: 50, Vars: 60, Intervals: 10, Density: 0.05}),
		random("mixed", spec{Kinds: kinds(soc, exp, pow, psd), Cones: 16, Rows: 10, Order: 6, Vars: 60,
			Intervals: 30, Density: 0.05}),
	}
	for _, m := range coneModels() {
		all = append(all, coneClass{m.name, func(seed uint64) Instance {
			id := fmt.Sprintf("%s-%03d", m.name, seed)
			return single("cones-"+m.name, id, func() *qpbackend.Problem { return m.draw(classes.Source(id)) })
		}})
	}
	all = append(all, coneClass{tiny, func(seed uint64) Instance { return known(tiny, seed, Tiny(seed)) }})
	return choice.List[coneClass]{Kind: "class", All: all, Name: func(c coneClass) string { return c.name }}
}

// ConeClassNames are the names of the classes with cones, separated by commas.
func ConeClassNames() string { return coneList().Names() }

// Cones are the problems of the classes named (or "all", which leaves out tiny),
// with seeds below count. Of five seeds of a random class, the last two are
// infeasible and unbounded; the models all have solutions.
func Cones(names []string, count int) ([]Instance, error) {
	chosen, err := coneList().Choose(names)
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, c := range chosen {
		if c.name == tiny && !slices.Contains(names, tiny) {
			continue
		}
		for seed := range uint64(count) {
			all = append(all, c.draw(seed))
		}
	}
	return all, nil
}

// Tiny is the problem of a seed of the class tiny.
func Tiny(seed uint64) qptest.Case {
	return qptest.RandomConeCase(seed, qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power,
		qpbackend.Semidefinite)
}

// specified is a random problem by a seed.
func specified(name string, s qptest.ConeSpec, seed uint64) Instance {
	s.Want = qpbackend.Solved
	switch seed % 5 {
	case 3:
		s.Want = qpbackend.PrimalInfeasible
	case 4:
		s.Want = qpbackend.DualInfeasible
	}
	// A linear objective, a full P or something between.
	switch seed % 3 {
	case 1:
		s.Rank = s.Vars
	case 2:
		s.Rank = rand.New(rand.NewPCG(seed, 2)).IntN(s.Vars)
	}
	in := known(name, seed, qptest.Case{Want: s.Want})
	in.Make = func() ([]*qpbackend.Problem, error) { return []*qpbackend.Problem{s.Case(seed).Problem}, nil }
	return in
}

// known is an instance of which it is known what becomes of it.
func known(class string, seed uint64, c qptest.Case) Instance {
	name := fmt.Sprintf("%s-%03d", class, seed)
	switch c.Want {
	case qpbackend.PrimalInfeasible:
		name += "-infeasible"
	case qpbackend.DualInfeasible:
		name += "-unbounded"
	}
	return Instance{Group: "cones-" + class, Name: name, Want: c.Want, Make: func() ([]*qpbackend.Problem, error) {
		return []*qpbackend.Problem{c.Problem}, nil
	}}
}
