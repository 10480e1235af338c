package optima

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Write writes a table of each set as Markdown, the solvers side by side, and below it how
// many are proved and the shifted geometric means of the times.
func Write(w io.Writer, instances []Instance, rows []Row, solvers []string, limit float64) error {
	at := map[string]*Row{}
	for _, r := range Latest(rows) {
		if r.Limit == limit {
			at[r.Instance+"\x00"+r.Solver] = &r
		}
	}
	var b strings.Builder
	for _, set := range Sets {
		var table strings.Builder
		for _, in := range instances {
			if in.Set != set {
				continue
			}
			fmt.Fprintf(&table, "| %s | %s |", in.Name, digits(in.Optimum))
			for _, s := range solvers {
				table.WriteString(cells(at[in.Name+"\x00"+s]))
			}
			table.WriteString("\n")
		}
		if table.Len() == 0 {
			continue
		}
		fmt.Fprintf(&b, "## %s\n\n| instance | published |", set)
		for _, s := range solvers {
			fmt.Fprintf(&b, " %s: found | gap | nodes | cpu s |", s)
		}
		b.WriteString("\n|---|---|" + strings.Repeat("---|", 4*len(solvers)) + "\n" + table.String() + "\n")
		for _, s := range solvers {
			summary(&b, instances, at, set, s, limit)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func digits(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.8g", v)
}

// cells of a run: objective, gap, nodes, time.
func cells(r *Row) string {
	switch {
	case r == nil:
		return " | | | |"
	case r.Status == "failed" || r.Status == "refused":
		return fmt.Sprintf(" %s | | | %.3g |", r.Status, r.CPU)
	}
	gap := "none"
	if g := r.Gap(); !math.IsInf(g, 1) {
		gap = fmt.Sprintf("%.1e", g)
	}
	return fmt.Sprintf(" %s | %s | %d | %.3g |", digits(r.Objective), gap, r.Nodes, r.CPU)
}

// shift of the geometric means, in seconds.
// Source: Mittelmann's benchmarks use 10 s for limits of hours; 1 s for limits of a minute.
const shift = 1

// summary is a line: right, where all optima are published, proved, verified, and the mean of the
// times, of those without a proof the limit.
func summary(b *strings.Builder, instances []Instance, at map[string]*Row, set, solver string, limit float64) {
	n, known, right, proved, verified, sum := 0, 0, 0, 0, 0, 0.0
	for _, in := range instances {
		r := at[in.Name+"\x00"+solver]
		if in.Set != set || r == nil {
			continue
		}
		n++
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
		sum += math.Log(seconds + shift)
	}
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "%s: %d of %d proved, shifted geometric mean %.3g s", solver, proved, n,
		math.Exp(sum/float64(n))-shift)
	if known == n {
		fmt.Fprintf(b, "; %d of %d at the published optimum", right, n)
	}
	if verified > 0 {
		fmt.Fprintf(b, "; `dcopt verify` accepts %d of %d", verified, n)
	}
	b.WriteString(".\n\n")
}
