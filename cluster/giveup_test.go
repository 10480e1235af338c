package cluster

import (
	"errors"
	"testing"

	"github.com/dcopt/dcopt/ccp"
)

// TestGiveUpRule: a start ends where it is far behind the best and falls slowly, in either sense; not
// before there is a best, while it falls, or where its points are not feasible.
func TestGiveUpRule(t *testing.T) {
	for name, c := range map[string]struct {
		known, maximum bool
		feasible       bool
		objectives     []float64
		end            int // the iteration that ends it, 0: none
	}{
		"creeps far behind":     {true, false, true, []float64{9, 8, 7.9999, 7.9998}, 3},
		"falls fast":            {true, false, true, []float64{9, 8, 7, 6}, 0},
		"near the best":         {true, false, true, []float64{0.005, 0.00499}, 0},
		"no best yet":           {false, false, true, []float64{9, 8, 7.9999}, 0},
		"not feasible":          {true, false, false, []float64{9, 8, 7.9999}, 0},
		"maximised, far behind": {true, true, true, []float64{-9, -8, -7.9999}, 3},
		"maximised, ahead":      {true, true, true, []float64{9, 9.0001}, 0},
	} {
		g := &giveUp{maximum: c.maximum, leader: func() (leader, bool) { return leader{Objective: 0, Size: 1}, c.known }}
		end := 0
		for k, v := range c.objectives {
			if err := g.Record(ccp.Iteration{K: k + 1, Objective: v, Feasible: c.feasible}); errors.Is(err, ccp.ErrStop) {
				end = k + 1
				break
			}
		}
		if end != c.end {
			t.Errorf("%s: ends at %d, want %d", name, end, c.end)
		}
	}
}
