package spatial

import (
	"cmp"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/internal/interval"
)

// mostTriples bounds the triples that are looked at.
// Source: a limit of time, some milliseconds for each node.
const mostTriples = 60_000

// triplesOf lists the triples of variables all of whose products occur.
func triplesOf(p *factorable.Problem) []factorable.Cut {
	next := make([][]int, p.N) // partners of higher number
	for k := range p.Terms {
		if t := &p.Terms[k]; t.Op == factorable.Product && t.A < p.N && t.B < p.N {
			next[t.A] = append(next[t.A], t.B)
		}
	}
	var out []factorable.Cut
	for i := range next {
		for _, j := range next[i] {
			for _, k := range next[j] {
				if ik, ok := p.Pair(i, k); ok {
					ij, _ := p.Pair(i, j)
					jk, _ := p.Pair(j, k)
					out = append(out, factorable.Cut{Cols: [3]int{i, j, k}, Terms: [3]int{ij, ik, jk}})
				}
				if len(out) >= mostTriples {
					return out
				}
			}
		}
	}
	return out
}

// Violations from here on count, and at most so many triangles are added in a round, for
// each variable. Source: those of Bonami, Günlük and Linderoth 2018, Globally solving
// nonconvex quadratic programming problems with box constraints via integer programming
// methods, in size.
const (
	leastViolation  = 1e-3
	trianglesPerVar = 5
)

// separate lists the triangles that a point breaks most, and that are not among known.
func (s *Search) separate(box []factorable.Interval, x []float64, known []factorable.Cut) []factorable.Cut {
	type broken struct {
		factorable.Cut
		n  int // of the triple
		by float64
	}
	var all []broken
	has := map[factorable.Cut]bool{}
	for _, c := range known {
		has[c] = true
	}
	for n := range s.triples {
		c := &s.triples[n]
		var u, w [3]float64
		wide := true
		for i, j := range c.Cols {
			w[i] = interval.Width(box[j])
			wide = wide && w[i] > narrow && !math.IsInf(w[i], 1)
			u[i] = (x[j] - box[j].Lo) / w[i]
		}
		if !wide {
			continue
		}
		var q [3]float64
		for m, p := range factorable.Pairs {
			a, b := p[0], p[1]
			la, lb := box[c.Cols[a]].Lo, box[c.Cols[b]].Lo
			q[m] = (x[c.Terms[m]] - la*x[c.Cols[b]] - lb*x[c.Cols[a]] + la*lb) / (w[a] * w[b])
		}
		for kind, in := range factorable.Triangles {
			v := in.Const
			for i := range 3 {
				v += in.Lin[i]*u[i] + in.Prod[i]*q[i]
			}
			if !(v > leastViolation) {
				continue
			}
			if cut := (factorable.Cut{Kind: kind, Cols: c.Cols, Terms: c.Terms}); !has[cut] {
				all = append(all, broken{cut, n, v})
			}
		}
	}
	slices.SortFunc(all, func(a, b broken) int {
		return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.n, b.n), cmp.Compare(a.Kind, b.Kind))
	})
	var out []factorable.Cut
	for _, b := range all[:min(len(all), trianglesPerVar*s.P.N)] {
		out = append(out, b.Cut)
	}
	return out
}
