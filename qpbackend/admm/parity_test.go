//go:build osqp

package admm_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/osqp"
)

// earlier are the cases in which fewer than 80 % of OSQP's iterations are
// enough: here a point that is certified ends the iteration, there OSQP must
// pass its own, tightened test.
var earlier = map[string]bool{"svm 8 at 0.001": true}

// TestIterationsOfOSQP: without polishing, the method takes the iterations that
// OSQP takes for the same settings, up to a fifth.
func TestIterationsOfOSQP(t *testing.T) {
	same, all := 0, 0
	for _, tol := range []float64{1e-3, 1e-6} {
		problems(func(name string, p *qpbackend.Problem) {
			name = fmt.Sprintf("%s at %g", name, tol)
			got := iterations(t, admm.Backend{Unpolished: true}, name, p, tol)
			want := iterations(t, osqp.Backend{Unpolished: true}, name, p, tol)
			all++
			if got == want {
				same++
			}
			few := 5*(want-got) > want
			if 5*(got-want) > want || few && !earlier[name] {
				t.Errorf("%s: %d iterations, OSQP %d", name, got, want)
			}
			if earlier[name] && !few {
				t.Errorf("%s: %d iterations, OSQP %d: take it off the list of exceptions", name, got, want)
			}
		})
	}
	if all != 42 {
		t.Errorf("%d cases, want seven classes of three sizes at two tolerances", all)
	}
	t.Logf("the same number of iterations in %d of %d cases", same, all)
}

func iterations(t *testing.T, b qpbackend.Backend, name string, p *qpbackend.Problem, tol float64) int {
	t.Helper()
	set := b.DefaultSettings()
	set.Tol = tol
	s, err := b.New(context.Background(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	if res.Status != qpbackend.Solved {
		t.Errorf("%s: %s says %v (%s)", name, b.Name(), res.Status, res.Message)
	}
	return res.Iterations
}
