package backends

import (
	"context"
	"math"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest"
)

// TestBackendsAgree solves every problem of the suite with every backend of the
// build: the same status, and objectives within 1e-5 of each other.
func TestBackendsAgree(t *testing.T) {
	all := All()
	if len(all) < 2 {
		t.Fatalf("%d backends, nothing to compare", len(all))
	}
	for _, c := range qptest.Problems() {
		var first qpbackend.Result
		for k, b := range all {
			s, err := b.New(context.Background(), c.Problem, b.DefaultSettings())
			if err != nil {
				t.Fatalf("%s on %s: %v", c.Name, b.Name(), err)
			}
			var res qpbackend.Result
			if err := s.Solve(context.Background(), &res); err != nil {
				t.Fatalf("%s on %s: %v", c.Name, b.Name(), err)
			}
			s.Close()
			if res.Status != c.Want {
				t.Errorf("%s on %s: %v, want %v", c.Name, b.Name(), res.Status, c.Want)
			}
			if k == 0 {
				first = res
			} else if c.Want == qpbackend.Solved && !(math.Abs(res.Objective-first.Objective) <= 1e-5*max(1, math.Abs(first.Objective))) {
				t.Errorf("%s: %g on %s, %g on %s", c.Name, res.Objective, b.Name(), first.Objective, all[0].Name())
			}
		}
	}
}
