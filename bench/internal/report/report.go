package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Options say how to look at the rows.
type Options struct {
	Clock string  // "cpu" or "wall"
	Level float64 // accuracy at which times are compared
	// Against is the contender that others are compared with, problem by
	// problem; "" for none.
	Against string
	// Own are the contenders that are compared with it.
	Own []string
}

// Levels are the accuracies at which solved problems are counted.
var Levels = []float64{1e-3, 1e-6, 1e-9}

// shift of the geometric means, in seconds.
const shift = 0.01

// Group has the measurements on problems of one kind: a row for each contender
// and problem, nil where there is none.
type Group struct {
	Name       string
	Instances  []string
	Contenders []string
	rows       map[[2]string]*result.Row // by contender and instance
	limit      float64
}

// Groups sorts the rows; of several at one place the last counts. Rows of a mode
// that a solver lacks are left out.
func Groups(rows []result.Row) []*Group {
	var groups []*Group
	for _, r := range result.Latest(rows) {
		if r.Status == "unsupported" {
			continue
		}
		k := slices.IndexFunc(groups, func(g *Group) bool { return g.Name == r.Group })
		if k < 0 {
			k = len(groups)
			groups = append(groups, &Group{Name: r.Group, rows: map[[2]string]*result.Row{}})
		}
		g := groups[k]
		g.Instances = page.AddOnce(g.Instances, r.Instance)
		g.Contenders = page.AddOnce(g.Contenders, r.Contender())
		g.rows[[2]string{r.Contender(), r.Instance}] = &r
		g.limit = max(g.limit, r.Limit)
	}
	for _, g := range groups {
		if g.Name == "files" {
			slices.Sort(g.Instances)
		}
	}
	return groups
}

// Row is the row of a contender on a problem, nil if it was not measured.
func (g *Group) Row(contender, instance string) *result.Row {
	return g.rows[[2]string{contender, instance}]
}

// measured are all rows, in order.
func (g *Group) measured() []*result.Row {
	var all []*result.Row
	for _, in := range g.Instances {
		for _, c := range g.Contenders {
			if r := g.Row(c, in); r != nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// complete are the problems that all contenders were measured on.
func (g *Group) complete() []string {
	var all []string
	for _, in := range g.Instances {
		if !slices.ContainsFunc(g.Contenders, func(c string) bool { return g.Row(c, in) == nil }) {
			all = append(all, in)
		}
	}
	return all
}

// Times of the contenders on the problems that all were measured on; +Inf where
// the level was not reached.
func (g *Group) Times(level float64, clock string) [][]float64 {
	instances := g.complete()
	times := make([][]float64, len(g.Contenders))
	for s, c := range g.Contenders {
		for _, in := range instances {
			t := math.Inf(1)
			if r := g.Row(c, in); r.Solved(level, clock) {
				t = r.Seconds(clock)
			}
			times[s] = append(times[s], t)
		}
	}
	return times
}

// Write writes all tables; images names the file of each group's profile, "" for
// none.
func Write(w io.Writer, groups []*Group, opt Options, images func(group string) string) error {
	p := &printer{page.Printer{W: w}}
	for _, g := range groups {
		p.group(g, opt, images(g.Name))
	}
	p.versions(groups)
	return p.Err
}

type printer struct{ page.Printer }

func (p *printer) group(g *Group, opt Options, image string) {
	p.Printf("\n## %s\n", strings.ToUpper(g.Name[:1])+g.Name[1:])
	p.summary(g, opt)
	if image != "" && g.HasProfile() {
		p.Printf("\n![Performance profile of %s](%s)\n", g.Name, image)
	}
	p.times(g, opt)
	for _, own := range opt.Own {
		if len(g.Instances) > 1 {
			p.ratios(g, own, opt)
		}
	}
	p.trouble(g, opt)
}

// summary counts and averages over the problems that all were measured on.
func (p *printer) summary(g *Group, opt Options) {
	total := len(g.complete())
	p.Printf("\nProblems: %d", total)
	if left := len(g.Instances) - total; left > 0 {
		p.Printf(" (%d more, not yet measured with all solvers, are left out here)", left)
	}
	p.Printf(", at most %g s each of %s time. A problem is solved at an accuracy if the primal residual, the dual "+
		"residual and the gap, "+
		"relative and recomputed on the problem as stated, are at most twice that; an infeasible one if the worth "+
		"of the proof is. SGM is the geometric mean of the time, shifted by 10 ms, "+
		"a failure counted as the limit; wall/CPU is the median ratio of the two times, above 1 where the machine "+
		"was busy.\n\n", g.limit, chart.ClockName(opt.Clock))
	head, rule := "| solver | own \"solved\" |", "|---|---|"
	for _, l := range Levels {
		head += " " + short(l) + " |"
		rule += "---|"
	}
	for _, l := range Levels {
		head += " SGM " + short(l) + ", ms |"
		rule += "---|"
	}
	p.Printf("%s wall/CPU |\n%s---|\n", head, rule)
	for s, c := range g.Contenders {
		own := 0
		var busy []float64
		for _, in := range g.complete() {
			r := g.Row(c, in)
			if r.Claims() {
				own++
			}
			if r.CPU > 0.001 {
				busy = append(busy, r.Wall/r.CPU)
			}
		}
		p.Printf("| %s | %d |", c, own)
		var means []float64
		for _, l := range Levels {
			times := g.Times(l, opt.Clock)[s]
			solved := 0
			for k, t := range times {
				if math.IsInf(t, 1) {
					times[k] = g.limit
				} else {
					solved++
				}
			}
			p.Printf(" %d |", solved)
			means = append(means, stats.ShiftedGeometricMean(times, shift))
		}
		for _, m := range means {
			p.Printf(" %s |", millis(m))
		}
		p.Printf(" %s |\n", number(stats.Median(busy), "%.2f"))
	}
}

// times are by problem, in milliseconds; those that missed the level in
// brackets.
func (p *printer) times(g *Group, opt Options) {
	p.Printf("\nMilliseconds of %s time", chart.ClockName(opt.Clock))
	if g.Name == "sequence" {
		p.Printf(" a step, the first left out")
	}
	p.Printf("; in brackets where %s was not reached.\n\n| problem | n | m | nnz |", short(opt.Level))
	for _, c := range g.Contenders {
		p.Printf(" %s |", c)
	}
	p.Printf("\n|---|---|---|---|%s\n", strings.Repeat("---|", len(g.Contenders)))
	for _, in := range g.Instances {
		head := false
		for _, c := range g.Contenders {
			if r := g.Row(c, in); r != nil && !head {
				head = true
				p.Printf("| %s | %d | %d | %d |", in, r.N, r.M, r.NNZ)
			}
		}
		for _, c := range g.Contenders {
			p.Printf(" %s |", cell(g.Row(c, in), opt))
		}
		p.Printf("\n")
	}
}

func cell(r *result.Row, opt Options) string {
	switch {
	case r == nil:
		return ""
	case r.Solved(opt.Level, opt.Clock):
		return millis(r.Seconds(opt.Clock))
	case math.IsNaN(r.Seconds(opt.Clock)):
		return "(" + r.Status + ")"
	default:
		return "(" + millis(r.Seconds(opt.Clock)) + ")"
	}
}

// trouble lists the failures: no point, a wrong claim, or the level missed.
func (p *printer) trouble(g *Group, opt Options) {
	first := true
	for _, in := range g.Instances {
		for _, c := range g.Contenders {
			r := g.Row(c, in)
			if r == nil || r.Solved(opt.Level, opt.Clock) {
				continue
			}
			if first {
				p.Printf("\nNot solved at %s:\n\n| problem | solver | its status | residual | seconds | message "+
					"|\n|---|---|---|---|---|---|\n", short(opt.Level))
				first = false
			}
			p.Printf("| %s | %s | %s | %s | %s | %s |\n", in, c, r.Status, number(r.Residual(), "%.1e"),
				number(r.Seconds(opt.Clock), "%.2f"),
				strings.ReplaceAll(r.Message, "|", "/"))
		}
	}
}

func (p *printer) versions(groups []*Group) {
	seen := map[string]string{}
	var names []string
	for _, g := range groups {
		for _, r := range g.measured() {
			if !strings.Contains(seen[r.Solver], r.Version) || seen[r.Solver] == "" {
				names = page.AddOnce(names, r.Solver)
				if seen[r.Solver] != "" {
					seen[r.Solver] += ", "
				}
				seen[r.Solver] += r.Version
			}
		}
	}
	slices.Sort(names)
	p.Printf("\n## Versions\n\n")
	for _, n := range names {
		p.Printf("- %s: %s\n", n, seen[n])
	}
}

// millis prints seconds as milliseconds with three digits.
func millis(s float64) string {
	ms := 1000 * s
	if math.IsNaN(ms) {
		return "-"
	}
	return page.Digits(ms, 3)
}

// short prints a tolerance as people write it: 1e-6.
func short(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e-0", "e-", 1)
}

// number prints v, or a dash if it is none.
func number(v float64, format string) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
