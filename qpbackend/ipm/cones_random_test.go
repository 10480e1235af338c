package ipm_test

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// TestRandomConesAgreeWithClarabel solves 200 random problems with cones, alone
// and mixed, feasible, infeasible and unbounded, and compares status and
// objective with Clarabel's (qptest/testdata, by bench/peers/cone_fixture.py).
// What the backend lacks has to be refused.
func TestRandomConesAgreeWithClarabel(t *testing.T) {
	f, err := os.Open("../qptest/testdata/clarabel_cones.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	b := ipm.Backend{}
	solved, refused, iterations := 0, 0, 0
	for _, r := range rows[1:] {
		seed, err := strconv.ParseUint(r[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		obj, err := strconv.ParseFloat(r[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		c := qptest.RandomConeCase(seed, qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite)
		set := b.DefaultSettings()
		s, err := b.New(context.Background(), c.Problem, set)
		if lacks := qpbackend.CheckCones(b, c.Problem); lacks != nil {
			if err == nil {
				t.Errorf("%s: accepted, though %v", c.Name, lacks)
				s.Close()
			}
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var res qpbackend.Result
		err = s.Solve(context.Background(), &res)
		s.Close()
		iterations += res.Iterations
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
		case res.Status != c.Want:
			t.Errorf("%s: the status is %v after %d iterations, residuals %+v; Clarabel says %s", c.Name, res.Status, res.Iterations, res.Res, r[1])
		case c.Want == qpbackend.PrimalInfeasible:
			if worth := qpbackend.PrimalInfeasibility(c.Problem, res.Y, res.Z); !(worth <= set.InfeasTol) {
				t.Errorf("%s: the certificate is worth %g", c.Name, worth)
			}
		case c.Want == qpbackend.DualInfeasible:
			if worth := qpbackend.DualInfeasibility(c.Problem, res.X); !(worth <= set.InfeasTol) {
				t.Errorf("%s: the direction is worth %g", c.Name, worth)
			}
		case !(math.Abs(res.Objective-obj) <= 1e-6*max(1, math.Abs(obj))):
			t.Errorf("%s: the objective is %.10g, Clarabel's %.10g, that of the construction %.10g", c.Name, res.Objective, obj, c.Objective)
		default:
			solved++
		}
	}
	t.Logf("%d of %d solved, %d refused, %d iterations in all", solved, len(rows)-1, refused, iterations)
}
