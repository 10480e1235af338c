//go:build lean

package elimination

import (
	"context"

	"github.com/dcopt/dcopt/internal/poll"
)

// Rich is that of other builds.
const Rich = false

// addWhole are the pairs of column k with all that follow.
func (g *Gram) addWhole(work *poll.Poll, k, _ int, m []float64, to Sum) (count int, err error) {
	c := &g.columns[k]
	g.half(c, m)
	g.both(c, m)
	for l := k; l < len(g.columns); l++ {
		o := &g.columns[l]
		v := 0.0
		for e, x := range o.g {
			v -= x * g.u[int(o.a[e])*g.n+int(o.b[e])]
		}
		to.add(c.member, o.member, v)
		if err := work.Err(poll.Scattered * len(o.a)); err != nil {
			return 1, err
		}
	}
	return 1, nil
}

func (g *Gram) gather(*column, []float64) {}

// ExactWork and AddExact are not called where Rich is false.
func (g *Gram) ExactWork() float64 { return 0 }

func (g *Gram) AddExact(context.Context, []float64, Sum) error { return nil }
