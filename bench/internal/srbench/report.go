package srbench

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// livePrefix begins the names of other people's methods that bench/peers/srbench_peers.py
// trains.
const livePrefix = "live-"

// groups are the parts of the league that have ranks of their own.
var groups = []struct {
	name string
	keep func(Published) bool
}{
	{"all tables", func(Published) bool { return true }},
	{"real tables", func(p Published) bool { return p.Friedman == "False" }},
	{"Friedman's tables", func(p Published) bool { return p.Friedman == "True" }},
	{"tables with more than 5000 rows", func(p Published) bool { return p.Rows > 5000 }},
	{"Friedman's tables with 25 features and more", func(p Published) bool {
		return p.Friedman == "True" && p.Features >= 25
	}},
}

// writeLines writes a league, each mean rank with its 95 % confidence interval.
func writeLines(r *page.Report, lines []Line) {
	r.Table("method", "", "mean rank", "mean R2", "median size", "median seconds", "most seconds")
	for _, l := range lines {
		from := "measured"
		if l.Published {
			from = "published"
		}
		r.Row(l.Method, from, fmt.Sprintf("%.2f ± %.2f", l.Rank, 1.96*l.Error), fmt.Sprintf("%.3f", l.R2),
			fmt.Sprintf("%.0f", l.Size), fmt.Sprintf("%.3g", l.Seconds), fmt.Sprintf("%.3g", l.Longest))
	}
}

// writeLive writes the leagues of the methods that were measured on the same splits, and
// the tests of all pairs on all tables.
func writeLive(r *page.Report, rows []Row, seeds []uint32, published []Published) {
	facts := map[string]Published{}
	for _, p := range published {
		facts[p.Set] = p
	}
	for k, g := range groups {
		lines, tests, trials := Live(rows, seeds, func(set string) bool {
			p, has := facts[set]
			return has && g.keep(p)
		})
		if len(lines) < 3 || lines[0].Sets < 2 {
			continue
		}
		r.Text("Measured on the same splits, among themselves: %d %s, %d to %d trials of each", lines[0].Sets, g.name,
			trials[0], trials[1])
		writeLines(r, lines)
		if k > 0 {
			continue
		}
		r.Text("Pairs, tables won, lost and equal, and the probability by Wilcoxon's test of the ranks with Holm's " +
			"correction")
		r.Table("", "", "won", "lost", "equal", "p")
		for _, t := range tests {
			r.Row(t.A, t.B, strconv.Itoa(t.Wins), strconv.Itoa(t.Losses), strconv.Itoa(t.Ties),
				fmt.Sprintf("%.2g", t.P))
		}
	}
}

// Write adds the league for each of our methods in turn to the report, and the medians of each
// table over at least fewest of the trials, and before these the league of the methods of rows
// among themselves.
func Write(r *page.Report, rows []Row, seeds []uint32, fewest int, published []Published) {
	ours := Medians(rows, seeds, fewest)
	methods := map[string]bool{}
	for _, by := range ours {
		for m := range by {
			methods[m] = !strings.HasPrefix(m, livePrefix)
		}
	}
	maps.DeleteFunc(methods, func(_ string, ours bool) bool { return !ours })
	writeLive(r, rows, seeds, published)
	for _, m := range slices.Sorted(maps.Keys(methods)) {
		alone := Scores{}
		for set, by := range ours {
			if v, ok := by[m]; ok {
				alone.put(set, m, v)
			}
		}
		for _, g := range groups {
			lines := League(alone, published, m, g.keep)
			if len(lines) == 0 {
				continue
			}
			at := slices.IndexFunc(lines, func(l Line) bool { return l.Method == m })
			r.Text("%s among the published methods, %d %s, %d to %d trials of each", m, lines[at].Sets, g.name,
				lines[at].Trials[0], lines[at].Trials[1])
			writeLines(r, lines)
		}
	}
	names := slices.Sorted(maps.Keys(methods))
	r.Text("Median R2 on the test rows")
	r.Table(append([]string{"table", "best published", "R2"}, names...)...)
	for _, set := range slices.Sorted(maps.Keys(ours)) {
		best := Published{R2: -1e300}
		for _, p := range published {
			if p.Set == set && p.R2 > best.R2 {
				best = p
			}
		}
		if best.Algorithm == "" {
			continue
		}
		cells := []string{set, best.Algorithm, fmt.Sprintf("%.3f", best.R2)}
		for _, m := range names {
			text := ""
			if v, ok := ours[set][m]; ok {
				text = fmt.Sprintf("%.3f", v.R2)
			}
			cells = append(cells, text)
		}
		r.Row(cells...)
	}
}

// Marks are the methods of a Pareto picture on the tables with medians of the method beside:
// published ones, and ours, by their scores among the published.
func Marks(ours Scores, published []Published, beside string) []chart.Mark {
	var marks []chart.Mark
	for _, l := range League(ours, published, beside, func(p Published) bool {
		_, has := ours[p.Set][beside]
		return has
	}) {
		marks = append(marks, chart.Mark{Name: strings.TrimPrefix(l.Method, "*"), Score: l.R2, Size: l.Size,
			Seconds: l.Seconds, Ours: !l.Published})
	}
	return marks
}
