//go:build !race

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/page"
)

// peerProblem is a problem of the peers' test set, dc/lang/testdata/testset. one
// is what its paper reports from the one start, best the least value known.
type peerProblem struct {
	file      string
	n         string // "" where the size is fixed
	one, best float64
	proved    bool // Global proves it
}

// peerProblems: Joki, Bagirov, Karmitsa and Mäkelä 2017, 2018 without
// constraints, Bagirov et al. 2025 with.
func peerProblems() []peerProblem {
	golden := (math.Sqrt(5) - 1) / 2
	return []peerProblem{
		{"joki01", "", 2, 2, false}, {"joki02", "", 0, 0, true}, {"joki03", "", 0, 0, true},
		{"joki04", "2", 0, 0, true}, {"joki04", "10", 0, 0, true},
		{"joki05", "2", 0, 0, true}, {"joki05", "10", 0, 0, true},
		{"joki06", "", -2.5, -2.5, true}, {"joki08", "", 3.5, 3.5, true},
		{"joki10", "2", -0.5, -0.5, true}, {"joki10", "10", -8.5, -8.5, true},
		{"joki12", "2", golden, golden, false}, {"joki12", "10", golden, golden, false},
		{"joki13", "", 0, 0, true}, {"joki14", "2", 0, 0, true}, {"joki14", "10", 0, 0, true},
		{"joki16", "2", 0, 0, false}, {"joki16", "5", 0, 0, false},
		{"bagirov01", "", 2.09444, 0.053809, false}, {"bagirov05", "", -264, -264, false},
		{"bagirov07", "", -170.45666, -170.45666, false},
		{"bagirov09", "2", 4.864489, 4.864489, false}, {"bagirov09", "5", 30.706048, 30.706048, false},
		{"bagirov11", "2", -2, -2, false}, {"bagirov11", "5", -10, -10, false}, {"bagirov13", "", 99, 99, false},
		{"bagirov15", "2", -0.097893, -0.099020, false}, {"bagirov15", "5", 2.344067, 2.343862, false},
		{"bagirov17", "", 9.2, 1.835686, false}, {"bagirov21", "", 8.325, 8.325, false},
	}
}

func (c peerProblem) name() string {
	if c.n == "" {
		return c.file
	}
	return c.file + ", n = " + c.n
}

func (c peerProblem) compile(t *testing.T) *dc.Problem {
	t.Helper()
	path := filepath.Join("..", "..", "dc", "lang", "testdata", "testset", c.file+".dc")
	set := map[string]string{}
	if c.n != "" {
		set["n"] = c.n
	}
	return compileFile(t, path, set)
}

// compileFile is the problem of a file, with values of parameters.
func compileFile(t *testing.T, path string, set map[string]string) *dc.Problem {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lang.Parse(path, src)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lang.Compile(context.Background(), f, lang.Options{Set: set, Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	return p.Problem
}

// meets demands a feasible converged point no worse than want.
func (c peerProblem) meets(t *testing.T, how string, res *ccp.Result, want float64) {
	t.Helper()
	if res.Status != ccp.Converged || !(res.Violation <= 1e-6) || !(res.Objective <= want+1e-5*max(1, math.Abs(want))) {
		t.Errorf("%s, %s: %v with %.9g, violation %g; want %g", c.name(), how, res.Status, res.Objective, res.Violation, want)
	}
}

// tabled has five digits behind the point at most; the rest is rounding.
func tabled(v float64) string {
	s := fmt.Sprintf("%.5f", v)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// sameTable reports whether two tables differ in rounding only.
func sameTable(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for k := range x {
		u, errU := strconv.ParseFloat(x[k], 64)
		v, errV := strconv.ParseFloat(y[k], 64)
		if x[k] != y[k] && (errU != nil || errV != nil || !(math.Abs(u-v) <= 2e-5*max(1, math.Abs(v)))) {
			return false
		}
	}
	return true
}

// keepBlock keeps a block of a page whose numbers may differ in their last digits.
func keepBlock(t *testing.T, path, name, now string) {
	t.Helper()
	if *update || !sameTable(page.Block(t, path, name), now) {
		page.Blocks(t, *update, path, map[string]string{name: now})
	}
}
