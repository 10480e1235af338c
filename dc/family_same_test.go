//go:build !race

package dc

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/expr/family"
)

// TestFamilies: a sum of members that differ in numbers is a family, and has the
// values, errors, subgradients, sizes and split of the sum of its members.
func TestFamilies(t *testing.T) {
	for name, make := range templates {
		for kind := range 8 {
			r := rand.New(rand.NewPCG(uint64(kind), 3))
			m := NewModel()
			x := m.Var("x", []int{7}, AtLeast(-3), AtMost(3))
			es := []Expr{x.At(2)}
			for range 140 {
				e := make(randomRows(rand.New(rand.NewPCG(r.Uint64(), 1)), x, kind))
				es = append(es, e.Scale(float64(1+r.IntN(4))/8))
			}
			e := Sum(es...)
			if e.Err() != nil {
				t.Fatal(name, e.Err())
			}
			m.Minimize(e)
			p, err := m.Problem(context.Background())
			if err != nil {
				t.Fatal(name, err)
			}
			if err := sameAsMembers(e.one(), p.Exact().Program().Objective, r); err != nil {
				t.Errorf("%s, kind %d: %v", name, kind, err)
			}
			if len(p.Program().Objective.Terms) >= len(e.one().Terms) && len(e.one().Terms) > family.FewestMembers {
				t.Errorf("%s, kind %d: %d terms are left of %d", name, kind, len(p.Program().Objective.Terms), len(e.one().Terms))
			}
		}
	}
}
