package scale

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Write writes the tables as Markdown: all runs of the solvers side by side, and the
// exponents by which time and memory grow.
func Write(w io.Writer, rows []Row, solvers []string) error {
	rows = Latest(rows)
	var b strings.Builder
	b.WriteString("| instance |")
	for _, s := range solvers {
		fmt.Fprintf(&b, " %s: objective | iterations | cpu s | MB |", s)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", 4*len(solvers)) + "\n")
	for _, f := range families() {
		for _, n := range sizesOf(rows, f.name) {
			for _, seed := range seedsOf(rows, Instance{f.name, n, 0}.Name()) {
				name := Instance{f.name, n, 0}.Name()
				fmt.Fprintf(&b, "| %s, seed %d |", name, seed)
				for _, s := range solvers {
					b.WriteString(cells(rows, name, seed, s))
				}
				b.WriteString("\n")
			}
		}
	}
	if text := exponents(rows, solvers); text != "" {
		b.WriteString("\nGrowth: the exponent e of size^e, by least squares in the logarithms, of the runs that " +
			"ended.\n\n" + text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func seedsOf(rows []Row, instance string) (seeds []int) {
	for _, r := range rows {
		if r.Instance == instance && !slices.Contains(seeds, r.Seed) {
			seeds = append(seeds, r.Seed)
		}
	}
	slices.Sort(seeds)
	return seeds
}

// cells of a solver: objective, iterations, time, memory.
func cells(rows []Row, instance string, seed int, solver string) string {
	k := slices.IndexFunc(rows, func(r Row) bool {
		return r.Instance == instance && r.Seed == seed && r.Solver == solver
	})
	switch {
	case k < 0:
		return " | | | |"
	case !rows[k].finished():
		return fmt.Sprintf(" %s | | %.3g | %.0f |", rows[k].Status, rows[k].CPU, rows[k].Memory)
	}
	r := rows[k]
	objective := fmt.Sprintf("%.7g", r.Objective)
	if r.Status != "converged" {
		objective += " (" + r.Status + ")"
	}
	return fmt.Sprintf(" %s | %d | %.3g | %.0f |", objective, r.Iterations, r.CPU, r.Memory)
}

// exponents is a table of the exponents of families with at least two sizes.
func exponents(rows []Row, solvers []string) string {
	var b strings.Builder
	for _, f := range families() {
		line := ""
		for _, s := range solvers {
			var size, cpu, memory []float64
			for _, r := range rows {
				if in, err := Parse(r.Instance, 0); err == nil && in.Family == f.name && r.Solver == s &&
					r.finished() && r.CPU > 0 {
					size, cpu, memory = append(size, float64(in.Size)), append(cpu, r.CPU), append(memory, r.Memory)
				}
			}
			line += fmt.Sprintf(" %s | %s |", exponent(size, cpu), exponent(size, memory))
		}
		if strings.ContainsAny(line, "0123456789") {
			fmt.Fprintf(&b, "| %s |%s\n", f.name, line)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	head := "| family |"
	for _, s := range solvers {
		head += fmt.Sprintf(" %s: time | memory |", s)
	}
	return head + "\n|---|" + strings.Repeat("---|", 2*len(solvers)) + "\n" + b.String()
}

// exponent is the slope of log y by log x, empty where there are not two different x.
func exponent(x, y []float64) string {
	n := float64(len(x))
	var mx, my, xx, xy float64
	for k := range x {
		mx += math.Log(x[k]) / n
		my += math.Log(y[k]) / n
	}
	for k := range x {
		d := math.Log(x[k]) - mx
		xx += d * d
		xy += d * (math.Log(y[k]) - my)
	}
	if !(xx > 0) || math.IsNaN(xy) || math.IsInf(xy, 0) {
		return ""
	}
	return fmt.Sprintf("%.2f", xy/xx)
}
