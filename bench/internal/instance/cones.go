package instance

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// coneClass is a family of random problems with cones.
type coneClass struct {
	name string
	spec qptest.ConeSpec // but for Want and Rank
}

func coneClasses() []coneClass {
	const soc, exp, pow, psd = qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite
	kinds := func(k ...qpbackend.ConeKind) []qpbackend.ConeKind { return k }
	return []coneClass{
		{"soc-small", qptest.ConeSpec{Kinds: kinds(soc), Cones: 80, Rows: 5, Vars: 120, Intervals: 40, Density: 0.02}},
		{"soc-large", qptest.ConeSpec{Kinds: kinds(soc), Cones: 2, Rows: 500, Vars: 200, Intervals: 20, Density: 0.05}},
		{"exp", qptest.ConeSpec{Kinds: kinds(exp), Cones: 80, Vars: 100, Intervals: 30, Density: 0.03}},
		{"pow", qptest.ConeSpec{Kinds: kinds(pow), Cones: 80, Vars: 100, Intervals: 30, Density: 0.03}},
		{"psd-10", qptest.ConeSpec{Kinds: kinds(psd), Cones: 4, Order: 10, Vars: 50, Intervals: 10, Density: 0.05}},
		{"psd-25", qptest.ConeSpec{Kinds: kinds(psd), Cones: 2, Order: 25, Vars: 60, Intervals: 10, Density: 0.05}},
		{"psd-50", qptest.ConeSpec{Kinds: kinds(psd), Cones: 1, Order: 50, Vars: 60, Intervals: 10, Density: 0.05}},
		{"mixed", qptest.ConeSpec{Kinds: kinds(soc, exp, pow, psd), Cones: 16, Rows: 10, Order: 6, Vars: 60,
			Intervals: 30, Density: 0.05}},
	}
}

// tiny is the class of the suite's random problems: all kinds and mixtures,
// sizes and units, few rows.
const tiny = "tiny"

// ConeClassNames are the names of the classes with cones, separated by commas.
func ConeClassNames() string {
	var names []string
	for _, c := range coneClasses() {
		names = append(names, c.name)
	}
	for _, m := range coneModels() {
		names = append(names, m.name)
	}
	return strings.Join(append(names, tiny), ",")
}

// Cones are the problems of the classes named (or "all", which leaves out tiny),
// with seeds below count. Of five seeds of a random class, the last two are
// infeasible and unbounded; the models all have solutions.
func Cones(names []string, count int) ([]Instance, error) {
	var all []Instance
	for _, name := range names {
		found := false
		for _, c := range coneClasses() {
			if name != c.name && name != "all" {
				continue
			}
			found = true
			for seed := range uint64(count) {
				all = append(all, c.instance(seed))
			}
		}
		for _, m := range coneModels() {
			if name != m.name && name != "all" {
				continue
			}
			found = true
			for seed := range count {
				id := fmt.Sprintf("%s-%03d", m.name, seed)
				all = append(all, single("cones-"+m.name, id, func() *qpbackend.Problem {
					return m.draw(classes.Source(id))
				}))
			}
		}
		if name == tiny {
			found = true
			for seed := range uint64(count) {
				all = append(all, known(tiny, seed, Tiny(seed)))
			}
		}
		if !found {
			return nil, fmt.Errorf("no class %q; there are %s", name, ConeClassNames())
		}
	}
	return all, nil
}

// Tiny is the problem of a seed of the class tiny.
func Tiny(seed uint64) qptest.Case {
	return qptest.RandomConeCase(seed, qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power,
		qpbackend.Semidefinite)
}

func (c coneClass) instance(seed uint64) Instance {
	s := c.spec
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
	in := known(c.name, seed, qptest.Case{Want: s.Want})
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
