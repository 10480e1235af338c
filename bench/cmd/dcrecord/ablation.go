package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/heuristic"
)

// variant is a row of the ablation: one change of the default settings.
type variant struct {
	name   string
	change func(*ccp.Settings)
}

func plain(s *ccp.Settings) {
	s.Heuristics.Acceleration = heuristic.Acceleration{}
	s.Heuristics.Search = heuristic.Search{}
}

// variants are the rows, with the ones of Multistart if there is more than one start. The
// last one is the schedule of DCCP, by which the others are judged.
func variants(starts int) []variant {
	all := []variant{
		{"default", func(*ccp.Settings) {}},
		{"without `LineSearch`", func(s *ccp.Settings) { s.Heuristics.Acceleration.LineSearch = false }},
		{"without `Newton`", func(s *ccp.Settings) { s.Heuristics.Acceleration.Newton = false }},
		{"without `Coordinates`", func(s *ccp.Settings) { s.Heuristics.Search.Coordinates = 0 }},
		{"without `Decisions`", func(s *ccp.Settings) { s.Heuristics.Search.Decisions = false }},
		{"without `Descents`", func(s *ccp.Settings) { s.Heuristics.Search.Descents = 0 }},
		{"without `Hops`", func(s *ccp.Settings) { s.Heuristics.Search.Hops = 0 }},
		{"the plain procedure, without all of them", plain},
		{"without `Proximal`", func(s *ccp.Settings) { s.Heuristics.Proximal = false }},
		{"without `WorkingSet`", func(s *ccp.Settings) { s.Heuristics.WorkingSet = false }},
		{"`Damping` = 0.02", func(s *ccp.Settings) { s.Damping = 0.02 }},
		{"`Damping` = 0.6", func(s *ccp.Settings) { s.Damping = 0.6 }},
		{"`Tau0` = 0.01", func(s *ccp.Settings) { s.Tau0 = 0.01 }},
		{"`Tau0` = 0.003", func(s *ccp.Settings) { s.Tau0 = 0.003 }},
		{"`Tau0` = 0.0003", func(s *ccp.Settings) { s.Tau0 = 0.0003 }},
		{"`Mu` = 2", func(s *ccp.Settings) { s.Mu = 2 }},
		{"`Mu` = 6", func(s *ccp.Settings) { s.Mu = 6 }},
		{"plain, with DCCP's tau of 1 and growth of 1.2", func(s *ccp.Settings) {
			plain(s)
			s.TauRelative, s.Tau0, s.Mu = false, 1, 1.2
		}},
	}
	if starts > 1 {
		return slices.Insert(all, len(all)-1, variant{"without `Vary`", func(s *ccp.Settings) {
			s.Heuristics.Search.Vary = false
		}})
	}
	return all
}

// tie is the relative difference up to which two objectives count as equal.
// Source: above the tolerance of the procedure, 1e-6, below the differences
// between local minima of the families.
const tie = 1e-4

// group sums up the runs of a variant on the files of a folder or on families.
type group struct {
	best, noWorse, infeasible, iterations int
	logs                                  float64 // of objective over best, where feasible
	seconds                               float64 // of processors
}

// table has the results of the variants, by group.
type table struct {
	rows   []variant
	starts int
	limit  time.Duration
	groups []string
	count  map[string]int
	sums   map[string][]group
}

// families is the group of the families among the instances.
const families = "families"

// add runs every variant on a problem.
func (t *table) add(of, path string) error {
	p, set, err := compile(context.Background(), path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	objective, its, seconds := make([]float64, len(t.rows)), make([]int, len(t.rows)), make([]float64, len(t.rows))
	best := math.Inf(1)
	for k, row := range t.rows {
		began := clock.CPU()
		objective[k], its[k] = t.descend(p, set, row.change)
		seconds[k] = clock.CPU() - began
		best = min(best, objective[k])
	}
	if t.count[of]++; t.count[of] == 1 {
		t.groups, t.sums[of] = append(t.groups, of), make([]group, len(t.rows))
	}
	for k, v := range objective {
		s := &t.sums[of][k]
		s.iterations += its[k]
		s.seconds += seconds[k]
		if math.IsInf(v, 1) {
			s.infeasible++
			continue
		}
		if v <= best+max(math.Abs(best)*tie, tie*tie) {
			s.best++
		}
		if last := objective[len(objective)-1]; v <= last+tie*math.Abs(last) {
			s.noWorse++
		}
		s.logs += math.Log(1 + (v-best)/max(math.Abs(best), tie))
	}
	return nil
}

// ablation runs the variants whose name has one of the words from the given start of each
// file, of each draw of the families and, with a folder shared, of the reference problems,
// and prints a table.
func ablation(w io.Writer, words []string, shared, sizes string, draws, starts int, limit time.Duration,
	files []string) error {
	rows := slices.DeleteFunc(variants(starts), func(v variant) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(v.name, word) })
	})
	if len(rows) == 0 {
		return fmt.Errorf("-rows: no row has one of the words %q", words)
	}
	t := &table{rows: rows, starts: starts, limit: limit, count: map[string]int{}, sums: map[string][]group{}}
	for _, path := range files {
		if err := t.add(filepath.Base(filepath.Dir(path)), path); err != nil {
			return err
		}
	}
	all, err := instances(shared, sizes, draws)
	if err != nil {
		return err
	}
	for _, in := range all {
		of := in.Group
		if of != families {
			of = in.Problem
		}
		if err := drawn(in, 1, func(_, path string, _ uint64) error { return t.add(of, path) }); err != nil {
			return err
		}
	}
	t.print(w)
	return nil
}

func (t *table) print(w io.Writer) {
	fmt.Fprint(w, "| |")
	for _, of := range t.groups {
		fmt.Fprintf(w, " %d of %s: at the best of all rows | infeasible | iterations | processor seconds |",
			t.count[of], of)
		if of == families {
			fmt.Fprint(w, " no worse than DCCP's | geometric mean of objective / best |")
		}
	}
	fmt.Fprintln(w, "\n|"+strings.Repeat("---|", 1+4*len(t.groups)+2*min(t.count[families], 1)))
	for k, row := range t.rows {
		fmt.Fprintf(w, "| %s |", row.name)
		for _, of := range t.groups {
			s := t.sums[of][k]
			fmt.Fprintf(w, " %d | %d | %d | %.1f |", s.best, s.infeasible, s.iterations, s.seconds)
			if of == families {
				fmt.Fprintf(w, " %d | %.4f |", s.noWorse, math.Exp(s.logs/float64(max(t.count[of]-s.infeasible, 1))))
			}
		}
		fmt.Fprintln(w)
	}
}

// compile reads a problem and the settings that its file states.
func compile(ctx context.Context, path string) (*dc.Problem, ccp.Settings, error) {
	set := ccp.DefaultSettings()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, set, err
	}
	file, err := lang.Parse(path, text)
	if err != nil {
		return nil, set, err
	}
	prog, err := lang.Compile(ctx, file, lang.Options{Dir: filepath.Dir(path)})
	if err != nil {
		return nil, set, err
	}
	if o := prog.Options; o.FeasTol != nil {
		set.FeasTol = *o.FeasTol
	}
	return prog.Problem, set, nil
}

// descend is the objective, for minimising, of the feasible point of a run, +Inf
// without one, and the number of its convex problems.
func (t *table) descend(p *dc.Problem, set ccp.Settings, change func(*ccp.Settings)) (float64, int) {
	change(&set)
	ctx, cancel := context.WithTimeout(context.Background(), t.limit)
	defer cancel()
	res, err := ccp.Multistart(ctx, p, t.starts, set)
	switch {
	case res == nil:
		return math.Inf(1), 0
	case err != nil || !res.Feasible:
		return math.Inf(1), res.Iterations
	case p.Program().Maximize:
		return -res.Objective, res.Iterations
	}
	return res.Objective, res.Iterations
}
