package dcreport

import (
	"fmt"
	"io"
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

// Write writes all tables; images names a group's pictures.
func Write(w io.Writer, groups []*Group, opt Options, images func(group string) Pictures) error {
	p := &printer{page.Printer{W: w}}
	for _, g := range groups {
		p.group(g, opt)
		names := images(g.Name)
		p.Printf("\n![Performance profile of %s](%s)\n\n![Times of %s](%s)\n", g.Name, names.Profile, g.Name,
			names.Times)
		if len(names.Convergence) > 0 {
			p.Printf("\n### Convergence, %s\n\nBy iteration of the solvers that tell, for the start whose point is "+
				"the answer: how far the objective is from the best that any "+
				"solver found, relative to max(1, |best|), and the largest violation, absolute, both as the solver "+
				"states them. All parts of a problem are drawn; "+
				"what is below 1e-9 is drawn there.\n", g.Name)
		}
		for _, name := range names.Convergence {
			p.Printf("\n![%s](%s)\n", strings.TrimSuffix(name, ".svg"), name)
		}
	}
	p.total(groups, opt)
	p.versions(groups)
	return p.Err
}

type printer struct{ page.Printer }

func (p *printer) head(first string, columns []string) {
	p.Printf("| %s | %s |\n|---|%s\n", first, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func (p *printer) group(g *Group, opt Options) {
	p.Printf("\n## %s\n", strings.ToUpper(g.Name[:1])+g.Name[1:])
	p.times(g, opt)
	p.ratios(g, opt)
	p.points(g, opt)
	p.behind(g, opt)
	p.trouble(g, opt)
}

// times in seconds; in brackets where a part failed.
func (p *printer) times(g *Group, opt Options) {
	p.Printf("\nSeconds of %s time, at most %g for a run, summed over the parts of a problem; in brackets where it "+
		"is no success: not every part "+
		"converged to a point that breaks nothing by more than %.0e and lies at most %.0f%% above the best.\n\n",
		chart.ClockName(opt.Clock), g.limit, opt.Feasible, 100*acceptable)
	p.head("problem", g.Solvers)
	for _, problem := range g.Problems {
		p.Printf("| %s%s |", problem, partsText(g, problem))
		for _, s := range g.Solvers {
			c := g.cells[[2]string{s, problem}]
			switch {
			case c == nil:
				p.Printf(" |")
			case c.success():
				p.Printf(" %s |", seconds(c.seconds))
			case c.timed == 0:
				p.Printf(" (%s) |", strings.Join(c.status, ", "))
			case !c.complete():
				p.Printf(" (%s for %d of %d) |", seconds(c.seconds), c.timed, c.parts)
			default:
				p.Printf(" (%s) |", seconds(c.seconds))
			}
		}
		p.Printf("\n")
	}
}

func partsText(g *Group, problem string) string {
	if n := len(g.parts[problem]); n > 1 {
		return fmt.Sprintf(", %d parts", n)
	}
	return ""
}

// others are the solvers that opt.Against is compared with.
func (g *Group) others(opt Options) []string {
	return slices.DeleteFunc(slices.Clone(g.Solvers), func(s string) bool { return s == opt.Against })
}

func (p *printer) ratios(g *Group, opt Options) {
	others := g.others(opt)
	if len(others) == 0 || len(others) == len(g.Solvers) {
		return
	}
	p.Printf("\nTimes divided by that of %s, so that above 1 %s is faster: of the parts that are successes of both, "+
		"or in brackets, where there are none, of those "+
		"that both have a time for. The geometric mean leaves out the latter.\n\n", opt.Against, opt.Against)
	p.head("problem", others)
	fairs := make([][]float64, len(others))
	for _, problem := range g.Problems {
		p.Printf("| %s |", problem)
		for k, s := range others {
			r := g.Ratio(s, problem, opt)
			some := ""
			if all := len(g.parts[problem]); r.Parts < all {
				some = fmt.Sprintf(" of %d parts", r.Parts)
			}
			switch {
			case math.IsNaN(r.Value):
				p.Printf(" |")
			case r.Fair:
				fairs[k] = append(fairs[k], r.Value)
				p.Printf(" %s%s |", ratio(r.Value), some)
			default:
				p.Printf(" (%s%s) |", ratio(r.Value), some)
			}
		}
		p.Printf("\n")
	}
	p.Printf("| geometric mean |")
	for k := range others {
		p.Printf(" %s |", meanText(fairs[k]))
	}
	p.Printf("\n")
}

func meanText(ratios []float64) string {
	if len(ratios) == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %d", ratio(stats.ShiftedGeometricMean(ratios, 0)), len(ratios))
}

// points says how good the answers are.
func (p *printer) points(g *Group, opt Options) {
	p.Printf("\nObjectives, measured on the problem's formula: of the best feasible point that any solver found, " +
		"and by how much each lies above it, relative to " +
		"max(1, |best|), the largest of the parts. Behind a slash the number of feasible parts where it is not all, " +
		"and the largest violation; then vectors recovered, " +
		"where the problem has one.\n\n")
	p.head("problem", append([]string{"best"}, g.Solvers...))
	for _, problem := range g.Problems {
		best := ""
		if parts := g.parts[problem]; len(parts) == 1 {
			if v, ok := g.best[[2]string{problem, parts[0]}]; ok {
				best = fmt.Sprintf("%.6g", v)
			}
		}
		p.Printf("| %s%s | %s |", problem, partsText(g, problem), best)
		for _, s := range g.Solvers {
			p.Printf(" %s |", pointText(g.cells[[2]string{s, problem}]))
		}
		p.Printf("\n")
	}
}

// noWorse is by how much, relative to the size of the objective, a point may lie above
// another one and count as no worse.
const noWorse = 1e-4

// behind says how often opt.Against is worse than others.
func (p *printer) behind(g *Group, opt Options) {
	others := g.others(opt)
	if len(others) == 0 || len(others) == len(g.Solvers) {
		return
	}
	p.Printf("\nParts on which %s ends worse, of those that the other ends at a feasible point of: at none, or more "+
		"than %.0e above, relative to the objective; "+
		"in brackets the largest such distance.\n\n", opt.Against, noWorse)
	p.head("problem", others)
	for _, problem := range g.Problems {
		p.Printf("| %s |", problem)
		for _, s := range others {
			worse, of, most := g.behind(s, problem, opt)
			switch {
			case of == 0:
				p.Printf(" |")
			case worse == 0:
				p.Printf(" 0 of %d |", of)
			default:
				p.Printf(" %d of %d (%.1e) |", worse, of, most)
			}
		}
		p.Printf("\n")
	}
}

func pointText(c *cell) string {
	if c == nil {
		return ""
	}
	text := "-"
	if !math.IsNaN(c.excess) {
		text = excess(c.excess)
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

// excess prints a relative difference; a difference below the accuracy of the
// solvers is 0.
func excess(v float64) string {
	if v < 1e-6 {
		return "0"
	}
	return fmt.Sprintf("%.1e", v)
}

// trouble lists the failures, a problem's parts together.
func (p *printer) trouble(g *Group, opt Options) {
	first := true
	for _, problem := range g.Problems {
		for _, s := range g.Solvers {
			type kind struct{ status, message string }
			var kinds []kind
			parts := map[kind][]string{}
			for _, part := range g.parts[problem] {
				r := g.rows[[3]string{s, problem, part}]
				if r == nil || g.good(r, opt) {
					continue
				}
				k := kind{r.Status, r.Message}
				if parts[k] == nil {
					kinds = append(kinds, k)
				}
				parts[k] = append(parts[k], part)
			}
			for _, k := range kinds {
				if first {
					p.Printf("\nNo success:\n\n")
					p.head("problem", []string{"parts", "solver", "its status", "message"})
					first = false
				}
				p.Printf("| %s | %s | %s | %s | %s |\n", problem, fewOf(parts[k]), s, k.status,
					strings.ReplaceAll(k.message, "|", "/"))
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
func (p *printer) total(groups []*Group, opt Options) {
	if len(groups) < 2 {
		return
	}
	var solvers []string
	for _, g := range groups {
		for _, s := range g.others(opt) {
			solvers = page.AddOnce(solvers, s)
		}
	}
	p.Printf("\n## All\n\nGeometric means of the ratios to %s over all groups, where both succeed, and where both "+
		"have a time.\n\n", opt.Against)
	p.head("", solvers)
	for _, row := range []struct {
		name string
		all  bool
	}{{"both succeed", false}, {"both timed", true}} {
		p.Printf("| %s |", row.name)
		for _, s := range solvers {
			var ratios []float64
			for _, g := range groups {
				for _, problem := range g.Problems {
					if r := g.Ratio(s, problem, opt); !math.IsNaN(r.Value) && (r.Fair || row.all) {
						ratios = append(ratios, r.Value)
					}
				}
			}
			p.Printf(" %s |", meanText(ratios))
		}
		p.Printf("\n")
	}
}

func (p *printer) versions(groups []*Group) {
	seen := map[string]bool{}
	var lines []string
	for _, g := range groups {
		for _, r := range g.rows {
			if line := fmt.Sprintf("- %s: %s\n", r.Solver, r.Version); !seen[line] {
				seen[line] = true
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	p.Printf("\n## Versions\n\n%s", strings.Join(lines, ""))
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
