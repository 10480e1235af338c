package optima

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Write adds a table of each set to the report, the solvers side by side, and below it how
// many are proved and the shifted geometric means of the times.
func Write(r *page.Report, instances []Instance, rows []Row, solvers []string, limit float64) {
	at := map[string]*Row{}
	for _, row := range csvtable.Latest(rows) {
		if row.Limit == limit {
			at[row.Instance+"\x00"+row.Solver] = &row
		}
	}
	head := []string{"instance", "published"}
	for _, s := range solvers {
		head = append(head, s+": found", "gap", "nodes", "cpu s")
	}
	for _, set := range Sets {
		some := slices.DeleteFunc(slices.Clone(instances), func(in Instance) bool { return in.Set != set })
		if len(some) == 0 {
			continue
		}
		r.Heading(2, set)
		r.Table(slices.Clone(head)...)
		for _, in := range some {
			cells := []string{in.Name, digits(in.Optimum)}
			for _, s := range solvers {
				cells = append(cells, rowCells(at[in.Name+"\x00"+s])...)
			}
			r.Row(cells...)
		}
		for _, s := range solvers {
			summary(r, some, at, s, limit)
		}
	}
}

func digits(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.8g", v)
}

// rowCells of a run: objective, gap, nodes, time.
func rowCells(r *Row) []string {
	switch {
	case r == nil:
		return make([]string, 4)
	case r.Status == failed || r.Status == "refused":
		return []string{r.Status, "", "", fmt.Sprintf("%.3g", r.CPU)}
	}
	gap := "none"
	if g := r.Gap(); !math.IsInf(g, 1) {
		gap = fmt.Sprintf("%.1e", g)
	}
	return []string{digits(r.Objective), gap, strconv.Itoa(r.Nodes), fmt.Sprintf("%.3g", r.CPU)}
}

// shift of the geometric means, in seconds.
// Source: Mittelmann's benchmarks use 10 s for limits of hours; 1 s for limits of a minute.
const shift = 1

// summary is a line: right, where all optima are published, proved, verified, and the mean of the
// times, of those without a proof the limit.
func summary(to *page.Report, instances []Instance, at map[string]*Row, solver string, limit float64) {
	known, right, proved, verified := 0, 0, 0, 0
	var times []float64
	for _, in := range instances {
		r := at[in.Name+"\x00"+solver]
		if r == nil {
			continue
		}
		if !math.IsNaN(in.Optimum) {
			known++
		}
		if r.Right(in.Optimum) {
			right++
		}
		seconds := limit
		if r.Proved() {
			proved++
			seconds = r.CPU
		}
		if r.Verify == accepted {
			verified++
		}
		times = append(times, seconds)
	}
	n := len(times)
	if n == 0 {
		return
	}
	text := fmt.Sprintf("%s: %d of %d proved, shifted geometric mean %.3g s", solver, proved, n,
		stats.ShiftedGeometricMean(times, shift))
	if known == n {
		text += fmt.Sprintf("; %d of %d at the published optimum", right, n)
	}
	if verified > 0 {
		text += fmt.Sprintf("; `dcopt verify` accepts %d of %d", verified, n)
	}
	to.Text("%s.", text)
}
