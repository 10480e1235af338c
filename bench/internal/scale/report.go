package scale

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
)

// Write adds the tables to the report: all runs of the solvers side by side, and the
// exponents by which time and memory grow.
func Write(to *page.Report, rows []Row, solvers []string) {
	rows = csvtable.Latest(rows)
	head, growth := []string{"instance"}, []string{"family"}
	for _, s := range solvers {
		head = append(head, s+": objective", "iterations", "cpu s", "MB")
		growth = append(growth, s+": time", "memory")
	}
	to.Table(head...)
	var exponents [][]string
	for _, f := range families() {
		some := sorted(rows, f.name)
		for k, r := range some {
			if k > 0 && r.Instance == some[k-1].Instance && r.Seed == some[k-1].Seed {
				continue
			}
			cells := []string{fmt.Sprintf("%s, seed %d", r.Instance, r.Seed)}
			for _, s := range solvers {
				cells = append(cells, rowCells(some, r, s)...)
			}
			to.Row(cells...)
		}
		if line := growthOf(some, solvers); strings.Join(line, "") != "" {
			exponents = append(exponents, append([]string{f.name}, line...))
		}
	}
	if len(exponents) == 0 {
		return
	}
	to.Text("Growth: the exponent e of size^e, by least squares in the logarithms, of the runs that ended.")
	to.Table(growth...)
	for _, line := range exponents {
		to.Row(line...)
	}
}

// size of the problem of a row.
func (r Row) size() int {
	_, size, _ := strings.Cut(r.Instance, "_")
	n, _ := strconv.Atoi(size) // 0: no instance
	return n
}

// sorted are the rows of a family by size and seed.
func sorted(rows []Row, family string) []Row {
	var some []Row
	for _, r := range rows {
		if strings.HasPrefix(r.Instance, family+"_") {
			some = append(some, r)
		}
	}
	slices.SortStableFunc(some, func(a, b Row) int { return cmp.Or(a.size()-b.size(), a.Seed-b.Seed) })
	return some
}

// rowCells of a solver on the instance of another row: objective, iterations, time, memory.
func rowCells(rows []Row, of Row, solver string) []string {
	k := slices.IndexFunc(rows, func(r Row) bool {
		return r.Instance == of.Instance && r.Seed == of.Seed && r.Solver == solver
	})
	if k < 0 {
		return make([]string, 4)
	}
	r := rows[k]
	cpu, memory := fmt.Sprintf("%.3g", r.CPU), fmt.Sprintf("%.0f", r.Memory)
	if !r.finished() {
		return []string{r.Status, "", cpu, memory}
	}
	objective := fmt.Sprintf("%.7g", r.Objective)
	if r.Status != "converged" {
		objective += " (" + r.Status + ")"
	}
	return []string{objective, strconv.Itoa(r.Iterations), cpu, memory}
}

// growthOf are the exponents of time and memory of each solver.
func growthOf(rows []Row, solvers []string) (cells []string) {
	for _, s := range solvers {
		var size, cpu, memory []float64
		for _, r := range rows {
			if r.Solver == s && r.finished() && r.CPU > 0 {
				size, cpu, memory = append(size, math.Log(float64(r.size()))), append(cpu, math.Log(r.CPU)),
					append(memory, math.Log(r.Memory))
			}
		}
		cells = append(cells, exponent(size, cpu), exponent(size, memory))
	}
	return cells
}

// exponent is the slope of y by x, empty where there are not two different x.
func exponent(x, y []float64) string {
	if len(x) == 0 || slices.Min(x) == slices.Max(x) {
		return ""
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	if math.IsNaN(slope) || math.IsInf(slope, 0) {
		return ""
	}
	return fmt.Sprintf("%.2f", slope)
}
