package dcreport

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Pictures are the files of a group's pictures.
type Pictures struct {
	Profile, Times string
	Convergence    []string
}

// Write adds all tables to the report; images names a group's pictures.
func Write(r *page.Report, groups []*Group, opt Options, images func(group string) Pictures) {
	for _, g := range groups {
		r.Heading(2, strings.ToUpper(g.Name[:1])+g.Name[1:])
		g.writeTimes(r, opt)
		g.writeRatios(r, opt)
		g.writePoints(r)
		g.writeBehind(r, opt)
		g.trouble(r, opt)
		names := images(g.Name)
		r.Picture("Performance profile of "+g.Name, names.Profile)
		r.Picture("Times of "+g.Name, names.Times)
		if len(names.Convergence) > 0 {
			r.Heading(3, "Convergence, "+g.Name)
			r.Text("By iteration of the solvers that tell, for the start whose point is the answer: how far the " +
				"objective is from the best that any solver found, relative to max(1, |best|), and the largest " +
				"violation, absolute, both as the solver states them. All parts of a problem are drawn; what is " +
				"below 1e-9 is drawn there.")
		}
		for _, name := range names.Convergence {
			r.Picture(strings.TrimSuffix(name, ".svg"), name)
		}
	}
	total(r, groups, opt)
	versions(r, groups)
}

// table adds a table with a row for each problem and a cell for each solver.
func (g *Group) table(r *page.Report, solvers []string, first func(problem string) []string,
	cell func(k int, solver, problem string) string) {
	for _, problem := range g.Problems {
		cells := first(problem)
		for k, s := range solvers {
			cells = append(cells, cell(k, s, problem))
		}
		r.Row(cells...)
	}
}

// name is a problem by itself, and partsName with the number of its parts.
func name(problem string) []string { return []string{problem} }

func (g *Group) partsName(problem string) []string {
	if n := len(g.parts[problem]); n > 1 {
		return []string{fmt.Sprintf("%s, %d parts", problem, n)}
	}
	return name(problem)
}

// writeTimes has seconds; in brackets where a part failed.
func (g *Group) writeTimes(r *page.Report, opt Options) {
	r.Text("Seconds of %s time, at most %g for a run, summed over the parts of a problem; in brackets where it is no "+
		"success: not every part converged to a point that breaks nothing by more than %.0e and lies at most %.0f%% "+
		"above the best.", chart.ClockName(opt.Clock), g.limit, opt.Feasible, 100*acceptable)
	r.Table(append(name("problem"), g.Solvers...)...)
	g.table(r, g.Solvers, g.partsName, func(_ int, s, problem string) string {
		c := g.cells[[2]string{s, problem}]
		switch {
		case c == nil:
			return ""
		case c.success():
			return seconds(c.seconds)
		case c.timed == 0:
			return "(" + strings.Join(c.status, ", ") + ")"
		case !c.complete():
			return fmt.Sprintf("(%s for %d of %d)", seconds(c.seconds), c.timed, c.parts)
		}
		return "(" + seconds(c.seconds) + ")"
	})
}

// others are the solvers that opt.Against is compared with, none if it has no row.
func (g *Group) others(opt Options) []string {
	all := slices.DeleteFunc(slices.Clone(g.Solvers), func(s string) bool { return s == opt.Against })
	if len(all) == len(g.Solvers) {
		return nil
	}
	return all
}

func (g *Group) writeRatios(r *page.Report, opt Options) {
	others := g.others(opt)
	if len(others) == 0 {
		return
	}
	r.Text("Times divided by that of %s, so that above 1 %s is faster: of the parts that are successes of both, or in "+
		"brackets, where there are none, of those that both have a time for. The geometric mean leaves out the latter.",
		opt.Against, opt.Against)
	r.Table(append(name("problem"), others...)...)
	fairs := make([][]float64, len(others))
	g.table(r, others, name, func(k int, s, problem string) string {
		v := g.Ratio(s, problem, opt)
		if math.IsNaN(v.Value) {
			return ""
		}
		text := ratio(v.Value)
		if v.Parts < len(g.parts[problem]) {
			text += fmt.Sprintf(" of %d parts", v.Parts)
		}
		if !v.Fair {
			return "(" + text + ")"
		}
		fairs[k] = append(fairs[k], v.Value)
		return text
	})
	means := name("geometric mean")
	for _, v := range fairs {
		means = append(means, meanText(v))
	}
	r.Row(means...)
}

func meanText(ratios []float64) string {
	if len(ratios) == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %d", ratio(stats.ShiftedGeometricMean(ratios, 0)), len(ratios))
}

// writePoints says how good the answers are.
func (g *Group) writePoints(r *page.Report) {
	r.Text("Objectives, measured on the problem's formula: of the best feasible point that any solver found, and by " +
		"how much each lies above it, relative to max(1, |best|), the largest of the parts. Behind a slash the " +
		"number of feasible parts where it is not all, and the largest violation; then vectors recovered, where the " +
		"problem has one.")
	r.Table(append([]string{"problem", "best"}, g.Solvers...)...)
	g.table(r, g.Solvers, func(problem string) []string {
		best := ""
		if parts := g.parts[problem]; len(parts) == 1 {
			if v, ok := g.best[[2]string{problem, parts[0]}]; ok {
				best = fmt.Sprintf("%.6g", v)
			}
		}
		return append(g.partsName(problem), best)
	}, func(_ int, s, problem string) string { return pointText(g.cells[[2]string{s, problem}]) })
}

// noWorse is by how much, relative to the size of the objective, a point may lie above
// another one and count as no worse.
const noWorse = 1e-4

// writeBehind says how often opt.Against is worse than others.
func (g *Group) writeBehind(r *page.Report, opt Options) {
	others := g.others(opt)
	if len(others) == 0 {
		return
	}
	r.Text("Parts on which %s ends worse, of those that the other ends at a feasible point of: at none, or more than "+
		"%.0e above, relative to the objective; in brackets the largest such distance.", opt.Against, noWorse)
	r.Table(append(name("problem"), others...)...)
	g.table(r, others, name, func(_ int, s, problem string) string {
		worse, of, most := g.behind(s, problem, opt)
		switch {
		case of == 0:
			return ""
		case worse == 0:
			return fmt.Sprintf("0 of %d", of)
		}
		return fmt.Sprintf("%d of %d (%.1e)", worse, of, most)
	})
}

func pointText(c *cell) string {
	if c == nil {
		return ""
	}
	text := "-"
	switch {
	case c.excess < 1e-6: // below the accuracy of the solvers
		text = "0"
	case !math.IsNaN(c.excess):
		text = fmt.Sprintf("%.1e", c.excess)
	}
	if c.feasible < c.parts {
		text += fmt.Sprintf(" / %d of %d", c.feasible, c.parts)
		if !math.IsNaN(c.violation) {
			text += fmt.Sprintf(", %.1e", c.violation)
		}
	}
	if c.sought > 0 {
		text += fmt.Sprintf("; %d recovered", c.recovered)
	}
	return text
}

// trouble lists the failures, a problem's parts together.
func (g *Group) trouble(r *page.Report, opt Options) {
	first := true
	for _, problem := range g.Problems {
		for _, s := range g.Solvers {
			type kind struct{ status, message string }
			var kinds []kind
			parts := map[kind][]string{}
			for _, part := range g.parts[problem] {
				row := g.rows[[3]string{s, problem, part}]
				if row == nil || g.good(row, opt) {
					continue
				}
				k := kind{row.Status, row.Message}
				if parts[k] == nil {
					kinds = append(kinds, k)
				}
				parts[k] = append(parts[k], part)
			}
			for _, k := range kinds {
				if first {
					r.Text("No success:")
					r.Table("problem", "parts", "solver", "its status", "message")
					first = false
				}
				r.Row(problem, fewOf(parts[k]), s, k.status, k.message)
			}
		}
	}
}

// fewOf names the parts, or says how many they are.
func fewOf(parts []string) string {
	const few = 12
	if len(parts) > few {
		return fmt.Sprintf("%s ... %s, %d in all", parts[0], parts[len(parts)-1], len(parts))
	}
	return strings.Join(parts, " ")
}

// total is the mean of the ratios over all groups.
func total(r *page.Report, groups []*Group, opt Options) {
	if len(groups) < 2 {
		return
	}
	var solvers []string
	for _, g := range groups {
		for _, s := range g.others(opt) {
			solvers = page.AddOnce(solvers, s)
		}
	}
	r.Heading(2, "All")
	r.Text("Geometric means of the ratios to %s over all groups, where both succeed, and where both have a time.",
		opt.Against)
	r.Table(append(name(""), solvers...)...)
	for _, fair := range []bool{true, false} {
		cells := name("both timed")
		if fair {
			cells = name("both succeed")
		}
		for _, s := range solvers {
			var ratios []float64
			for _, g := range groups {
				for _, problem := range g.Problems {
					if v := g.Ratio(s, problem, opt); !math.IsNaN(v.Value) && (v.Fair || !fair) {
						ratios = append(ratios, v.Value)
					}
				}
			}
			cells = append(cells, meanText(ratios))
		}
		r.Row(cells...)
	}
}

func versions(r *page.Report, groups []*Group) {
	var lines []string
	for _, g := range groups {
		for _, row := range g.rows {
			lines = page.AddOnce(lines, row.Solver+": "+row.Version)
		}
	}
	slices.Sort(lines)
	r.Heading(2, "Versions")
	r.List(lines...)
}

// floor is the time below which differences come from the clock.
const floor = 1e-3

// Plot draws the profile and the times of the group, each to its paths, in the
// formats of their endings.
func (g *Group) Plot(opt Options, profile, times []string) error {
	title := fmt.Sprintf("%s: problems solved, feasible and within 1%% of the best", g.Name)
	xLabel := chart.ClockName(opt.Clock) + " time, in multiples of that of the fastest"
	if err := chart.Profile(title, xLabel, g.Solvers, stats.Ratios(g.times(opt), floor), profile...); err != nil {
		return err
	}
	var all []chart.Series
	for _, s := range g.Solvers {
		series := chart.Series{Name: s}
		for _, problem := range g.Problems {
			c := g.cells[[2]string{s, problem}]
			t := math.NaN()
			if c.complete() {
				t = c.seconds
			}
			series.Seconds, series.Hollow = append(series.Seconds, t), append(series.Hollow, !c.success())
		}
		all = append(all, series)
	}
	return chart.Times(g.Name+": time of each problem, all its parts", chart.ClockName(opt.Clock)+" time (s)",
		g.Problems, all, times...)
}

func seconds(s float64) string { return page.Digits(s, 3) }

func ratio(r float64) string { return page.Digits(r, 2) }
