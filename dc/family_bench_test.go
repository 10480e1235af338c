package dc

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/expr/family"
)

// BenchmarkFamily compares the value of a family with that of its members one by
// one: from which number on it is faster.
func BenchmarkFamily(b *testing.B) {
	for _, name := range []string{"hinge", "norm2", "min of squares"} {
		for _, m := range []int{4, 8, 16, 32, 10000} {
			r := rand.New(rand.NewPCG(1, 3))
			model := NewModel()
			x := model.Var("x", []int{7}, AtLeast(-3), AtMost(3))
			var es []Expr
			for range m {
				es = append(es, templates[name](randomRows(r, x, 0)))
			}
			e := Sum(es...)
			at := []float64{1, -0.5, 0.25, 2, -1.5, 0.125, 1.75}
			g := e.one()
			g.Terms = family.GatherFamilies(g.Terms, g.Of) // of fewer than fewestMembers none is made
			for _, c := range []struct {
				how string
				e   Expr
			}{{"members", e}, {"family", number(g)}} {
				b.Run(fmt.Sprintf("%s/%d/%s", name, m, c.how), func(b *testing.B) {
					for b.Loop() {
						c.e.Value(at)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m), "ns/member")
				})
			}
		}
	}
}
