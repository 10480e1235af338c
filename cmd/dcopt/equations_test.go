//go:build !race

package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/heuristic"
)

// equationProblem is a problem with nonlinear equations, of testdata/equations.
type equationProblem struct {
	name string
	// best is the optimum: of SciPy's SLSQP from 5 to 100 random starts, by eigenvalues for eigen,
	// eigen_max and stiefel, by hand for cancel, kinked and xy_const, from the literature for
	// haverly.
	best float64
	// near is a worse minimum that the start of the file leads to.
	near float64
}

func equationProblems() []equationProblem {
	same := math.NaN()
	return []equationProblem{
		{"adhya_like", 852.786492, same}, {"blend", 70, same}, {"cancel", 0, same}, {"chain", -9.9239235, same}, {"circles_tangent", 1.2154021, same},
		{"cyclic3", 1.58846762, 2.21885300}, {"eigen", 0.49949588, same}, {"eigen_max", 4.80050412, same}, {"graphform", 0.69390411, same},
		{"haverly1", 400, same}, {"haverly2", 600, 400}, {"haverly3", 750, same}, {"hs39", -1, same}, {"hs40", -0.25, same},
		{"hs71", 17.0140173, same}, {"hs77", 0.338926607, same}, {"hs78", -2.91970041, same},
		{"hs80", 0.0539498478, same}, {"kinked", 0.5 - math.Sqrt(18.5), same}, {"linkage", 2.48678825, same},
		{"lognorm", 1.99144589, same}, {"opf3", 1.5100805, same}, {"opf5", 1.14833056, same}, {"opf14", 4.37740315, same},
		{"overlap", -3.71529448, -3.37777481}, {"price", 2795000, same}, {"quartic", 0.965062978, same}, {"rosenbrock_eq", 0.051256882, same},
		{"snl_exact", 0.3, same}, {"stiefel", 3.74722301, same}, {"trajectory", 23.2182084, same}, {"vanderpol", 30.821731, same},
		{"xy_const", 0.04, same},
	}
}

// TestEquations solves problems with nonlinear equations: the descent alone converges
// within 80 convex problems, with the searches the optimum is reached. It keeps the
// table of docs/lab/ccp.md; -update rewrites it.
func TestEquations(t *testing.T) {
	const most = 90
	var table strings.Builder
	table.WriteString("| problem | optimum | objective |\n|---|---|---|\n")
	total := 0
	for _, c := range equationProblems() {
		p := compileFile(t, filepath.Join("testdata", "equations", c.name+".dc"), nil)
		alone := ccp.DefaultSettings()
		alone.Heuristics.Search = heuristic.Search{}
		one, err := ccp.Solve(context.Background(), p, nil, alone)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if one.Status != ccp.Converged || !one.Feasible || one.Iterations > most {
			t.Errorf("%s: the descent ends %v after %d convex problems with %g, %s", c.name, one.Status, one.Iterations, one.Objective, one.Message)
		}
		total += one.Iterations
		res, err := ccp.Solve(context.Background(), p, nil, ccp.DefaultSettings())
		if err != nil {
			t.Fatal(c.name, err)
		}
		reached := math.Abs(res.Objective-c.best) <= 2e-6*max(1, math.Abs(c.best)) || math.Abs(res.Objective-c.near) <= 2e-6*math.Abs(c.near)
		if res.Status != ccp.Converged || !res.Feasible || !reached {
			t.Errorf("%s: %v with %.9g, want %.9g; %s", c.name, res.Status, res.Objective, c.best, res.Message)
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", strings.ReplaceAll(c.name, "_", " "), tabled(c.best), tabled(res.Objective))
	}
	t.Logf("%d convex problems in all", total)
	keepBlock(t, "../../docs/lab/ccp.md", "equations", table.String())
	files, err := filepath.Glob("testdata/equations/*.dc")
	if err != nil || len(files) != len(equationProblems()) {
		t.Errorf("%d files for %d problems: %v", len(files), len(equationProblems()), err)
	}
}
