//go:build peers

package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/campaign"
	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/bench/internal/peer"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// TestPeersTakeCones has the peers that take cones solve the cases of the suite
// whose solutions are known in closed form: the residuals of x and y by our
// measure, and the objectives, tell whether the order of rows, the scaling of
// triangles, α and the signs are understood. The others must refuse.
func TestPeersTakeCones(t *testing.T) {
	tmp := t.TempDir()
	python, scripts, err := pythonFor("", "peers", "peers", tmp)
	if err != nil {
		t.Fatal(err)
	}
	c := &campaign.Campaign{Limit: 20, Slack: 1, Repeat: 1, Dir: tmp}
	tols := map[string]float64{"clarabel": 1e-8, "scs": 1e-7}
	for _, name := range qpPeers().All {
		p := peer.New(t.TempDir(), oneThread, python, filepath.Join(scripts, "worker.py"), name)
		t.Cleanup(p.Close)
		c.Contenders = append(c.Contenders, campaign.Contender{Solver: name, Tol: tols[name], Peer: p})
	}
	cases := map[string]qptest.Case{}
	for k, kind := range []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite} {
		for j, prob := range qptest.ConeProblems(kind) {
			if strings.HasPrefix(prob.Name, "random") {
				continue
			}
			name := fmt.Sprintf("%d-%02d", k, j)
			cases[name] = prob
			c.Instances = append(c.Instances, instance.Instance{Group: "cones", Name: name, Want: prob.Want, Make: func() ([]*qpbackend.Problem, error) {
				return []*qpbackend.Problem{prob.Problem}, nil
			}})
		}
	}
	table, err := csvtable.Open[result.Row](filepath.Join(tmp, "t.csv"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	if want := len(cases) * len(c.Contenders); len(table.Rows) != want || len(cases) < 40 {
		t.Errorf("%d rows of %d cases, want %d", len(table.Rows), len(cases), want)
	}
	for _, r := range table.Rows {
		prob := cases[r.Instance]
		if tols[r.Solver] == 0 {
			if r.Status != "refused" || !strings.Contains(r.Message, prob.Problem.Cones[0].Kind.String()) {
				t.Errorf("%s: %s: %s %s, want a refusal", prob.Name, r.Solver, r.Status, r.Message)
			}
			continue
		}
		accuracy := 1e-5
		if prob.Want != qpbackend.Solved {
			accuracy = 1e-2 // SCS has a measure of its own for proofs
		}
		if !(r.Residual() <= accuracy) {
			t.Errorf("%v: %s: %s: %s, residuals %.1e %.1e %.1e", prob.Problem.Cones[0].Kind, prob.Name, r.Contender(), r.Status, r.Primal, r.Dual, r.Gap)
		}
		if prob.Want == qpbackend.Solved && !(math.Abs(r.Objective-prob.Objective) <= 1e-4*max(1, math.Abs(prob.Objective))) {
			t.Errorf("%v: %s: %s: objective %.9g, want %.9g", prob.Problem.Cones[0].Kind, prob.Name, r.Contender(), r.Objective, prob.Objective)
		}
	}
}
