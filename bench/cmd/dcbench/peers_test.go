//go:build peers

package main

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/campaign"
	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/bench/internal/peer"
	"github.com/dcopt/dcopt/bench/internal/result"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// mixed has rows of every kind: equations, one-sided and two-sided ones, ones
// without bounds or entries, several of one entry on a variable with factors of
// either sign, and fixed variables. It is feasible and strictly convex.
func mixed(rng *rand.Rand) *qpbackend.Problem {
	n := 8 + rng.IntN(8)
	x := make([]float64, n)
	var p, a sparse.Triplets
	prob := &qpbackend.Problem{}
	for j := range x {
		x[j] = rng.NormFloat64()
		p.Add(j, j, 3+rng.Float64())
		if j > 0 {
			p.Add(j-1, j, rng.Float64())
		}
		prob.Q = append(prob.Q, 3*rng.NormFloat64())
	}
	inf := math.Inf(1)
	side := func(i int, z float64) {
		l, u := z-rng.Float64(), z+rng.Float64()
		switch i % 5 {
		case 0:
			l, u = z, z
		case 1:
			l = -inf
		case 2:
			u = 1e20
		case 3:
			l, u = -inf, inf
			if rng.IntN(2) == 0 {
				l, u = z-rng.Float64(), z+rng.Float64()
			}
		}
		prob.L, prob.U = append(prob.L, l), append(prob.U, u)
	}
	for i := range n / 2 {
		z := 0.0
		for range 3 {
			j, v := rng.IntN(n), rng.NormFloat64()
			a.Add(i, j, v)
			z += v * x[j]
		}
		side(i, z)
	}
	for i := n / 2; i < 3*n; i++ {
		j, v := rng.IntN(n), 2*rng.NormFloat64()
		a.Add(i, j, v)
		if i%5 == 0 && j > 2 { // few fixed variables
			side(4, v*x[j])
		} else {
			side(i, v*x[j])
		}
	}
	prob.L, prob.U = append(prob.L, -1), append(prob.U, inf) // 0 ≥ −1
	prob.P, _ = p.CSC(n, n)
	prob.A, _ = a.CSC(3*n+1, n)
	return prob
}

// modelPeer states one problem, that of --sequence, and refuses all others.
const modelPeer = "cvxpy-model"

// TestPeers runs every script on the same problems: each must reach its
// tolerance in primal, dual and gap, by our measure, which it cannot with a
// sign or a row confused. "make peers" installs what this needs.
func TestPeers(t *testing.T) {
	tmp := t.TempDir()
	python, scripts, err := pythonFor("", "peers", "peers", tmp)
	if err != nil {
		t.Fatal(err)
	}
	c := &campaign.Campaign{Limit: 20, Slack: 1, Repeat: 2, Dir: tmp}
	for _, name := range qpPeers().All {
		p := peer.New(t.TempDir(), oneThread, python, filepath.Join(scripts, "worker.py"), name)
		t.Cleanup(p.Close)
		for _, tol := range []float64{1e-7, 0} {
			c.Contenders = append(c.Contenders, campaign.Contender{Solver: name, Tol: tol, Peer: p})
		}
	}
	rng := rand.New(rand.NewPCG(2, 3))
	const count = 12
	for k := range count {
		prob := mixed(rng)
		c.Instances = append(c.Instances, instance.Instance{Group: "mixed", Name: string(rune('a' + k)), Make: func() ([]*qpbackend.Problem, error) {
			return []*qpbackend.Problem{prob}, nil
		}})
	}
	table, err := csvtable.Open[result.Row](filepath.Join(tmp, "t.csv"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	if want := count * len(c.Contenders); len(table.Rows) != want {
		t.Errorf("%d rows, want %d", len(table.Rows), want)
	}
	for _, r := range table.Rows {
		want := 1e-5
		if r.Tol == "default" {
			want = 5e-3
		}
		if r.Solver == modelPeer {
			if r.Status != "refused" || !strings.Contains(r.Message, "--sequence") {
				t.Errorf("%s %s: %s, %s", r.Instance, r.Contender(), r.Status, r.Message)
			}
			continue
		}
		if r.Status != "solved" || !(r.Residual() <= want) || !(r.Wall > 0 && r.CPU > 0 && r.Setup > 0 && r.Setup <= r.CPU) {
			t.Errorf("%s %s: %s, residuals %.1e %.1e %.1e, %d iterations, %g s, %s", r.Instance, r.Contender(), r.Status, r.Primal, r.Dual, r.Gap, r.Iterations, r.CPU, r.Message)
		}
	}
}

// TestPeersUpdate: the sequence ends at the same objective whether values are
// updated or solvers made anew.
func TestPeersUpdate(t *testing.T) {
	tmp := t.TempDir()
	python, scripts, err := pythonFor("", "peers", "peers", tmp)
	if err != nil {
		t.Fatal(err)
	}
	c := &campaign.Campaign{Limit: 20, Slack: 1, Repeat: 1, Dir: tmp, Instances: []instance.Instance{instance.Sequence()}}
	for _, name := range []string{"piqp", "clarabel", "osqp", modelPeer} {
		p := peer.New(t.TempDir(), oneThread, python, filepath.Join(scripts, "worker.py"), name)
		t.Cleanup(p.Close)
		c.Contenders = append(c.Contenders, campaign.Contender{Solver: name, Tol: 1e-7, Peer: p})
	}
	table, err := csvtable.Open[result.Row](filepath.Join(tmp, "t.csv"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	measured := 0
	for _, r := range table.Rows {
		if r.Status == "unsupported" {
			continue
		}
		measured++
		if !r.Solved(1e-5, "wall") || !(math.Abs(r.Objective-table.Rows[0].Objective) <= 1e-4*math.Abs(r.Objective)) {
			t.Errorf("%+v", r)
		}
	}
	if measured != 8 {
		t.Errorf("%d measured, want 8: OSQP alone takes a warm start, and the model is always made anew", measured)
	}
}
