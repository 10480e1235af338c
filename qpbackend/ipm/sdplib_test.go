package ipm_test

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// sdplib are problems of SDPLIB that take a fraction of a second, with the way to their
// linear systems.
var sdplib = map[string]ipm.KKT{
	"truss4": ipm.Sparse, "control1": ipm.Schur, "control3": ipm.Schur, "mcp124-1": ipm.Schur, "gpp100": ipm.Schur, "theta2": ipm.Schur,
	"qap6": ipm.Schur, "arch0": ipm.Schur, "infp1": ipm.Schur, "infd1": ipm.Schur,
}

// TestSDPLIB compares with the published values.
func TestSDPLIB(t *testing.T) {
	f, err := os.Open(shared.Path(t, "data", "conic", "sdplib", "optima.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range table[1:] {
		how, ok := sdplib[row[0]]
		if !ok || shared.Race && (row[0] == "arch0" || row[0] == "gpp100" || row[0] == "qap6") {
			continue
		}
		seen++
		file, err := formats.ReadFile(shared.Path(t, "data", "conic", "sdplib", row[0]+".dat-s.gz"))
		if err != nil {
			t.Error(err)
			continue
		}
		s := newCones(t, file.Problem, ipm.Backend{})
		if got := s.(interface{ KKT() ipm.KKT }).KKT(); got != how {
			t.Errorf("%s: auto took %v, want %v", row[0], got, how)
		}
		var res qpbackend.Result
		if err := s.Solve(context.Background(), &res); err != nil {
			t.Error(err)
		}
		s.Close()
		want, err := strconv.ParseFloat(row[3], 64)
		if err != nil { // in words; infp is infeasible in the x of the file
			if word := map[string]qpbackend.Status{"primal infeasible": qpbackend.PrimalInfeasible, "dual infeasible": qpbackend.DualInfeasible}[row[3]]; res.Status != word {
				t.Errorf("%s: %v, want %v", row[0], res.Status, word)
			}
			continue
		}
		worst := qpbackend.Certify(file.Problem, res.X, res.Y, res.Z).Max()
		if rel := math.Abs(res.Objective-want) / max(1, math.Abs(want)); res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved || !(worst <= 1e-6) || !(rel <= 1e-5) {
			t.Errorf("%s: %v with residual %.1e, objective %.10g, want %g", row[0], res.Status, worst, res.Objective, want)
		}
	}
	if want := len(sdplib); seen != want && !(shared.Race && seen == want-3) {
		t.Errorf("%d problems, want %d", seen, want)
	}
}

// TestWithoutInterior: problems without strict interior, of which the published values have three
// digits, end with residuals below 1e-6. Of their Schur complements the small eigenvalues are below
// the rounding errors of the large ones.
func TestWithoutInterior(t *testing.T) {
	for _, name := range []string{"hinf6", "hinf8"} {
		file, err := formats.ReadFile(shared.Path(t, "data", "conic", "sdplib", name+".dat-s.gz"))
		if err != nil {
			t.Fatal(err)
		}
		s := newCones(t, file.Problem, ipm.Backend{})
		var res qpbackend.Result
		if err := s.Solve(context.Background(), &res); err != nil {
			t.Error(err)
		}
		s.Close()
		if worst := qpbackend.Certify(file.Problem, res.X, res.Y, res.Z).Max(); !(worst <= 1e-6) {
			t.Errorf("%s: %v with residual %.1e", name, res.Status, worst)
		}
	}
}
