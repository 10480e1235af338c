package spatial

import (
	"cmp"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/internal/interval"
)

// triple is three variables all of whose products occur.
type triple struct{ cols, terms [3]int }

// triangle is one of the inequalities of a triple.
type triangle struct {
	triple int
	kind   flat.TriangleKind
}

// mostTriples bounds the triples that are looked at.
// Source: a limit of time, some milliseconds for each node.
const mostTriples = 60_000

// triplesOf lists the triples of a problem.
func triplesOf(p *flat.Problem) []triple {
	of := map[[2]int]int{}
	next := make([][]int, p.N) // partners of higher number
	for k := range p.Terms {
		if t := &p.Terms[k]; t.Op == flat.Product && t.A < p.N && t.B < p.N {
			of[[2]int{t.A, t.B}] = p.N + k
			next[t.A] = append(next[t.A], t.B)
		}
	}
	var out []triple
	for i := range next {
		for _, j := range next[i] {
			for _, k := range next[j] {
				if ik, ok := of[[2]int{i, k}]; ok {
					out = append(out, triple{[3]int{i, j, k}, [3]int{of[[2]int{i, j}], ik, of[[2]int{j, k}]}})
				}
				if len(out) >= mostTriples {
					return out
				}
			}
		}
	}
	return out
}

// cut is the triangle as a cut of a problem, without a multiplier.
func (s *Search) cut(t triangle) flat.Cut {
	c := &s.triples[t.triple]
	return flat.Cut{Kind: t.kind, Cols: c.cols, Terms: c.terms}
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
func (s *Search) separate(box []flat.Interval, x []float64, known []triangle) []triangle {
	type broken struct {
		t  triangle
		by float64
	}
	var all []broken
	has := map[triangle]bool{}
	for _, t := range known {
		has[t] = true
	}
	for n := range s.triples {
		c := &s.triples[n]
		var u, w [3]float64
		wide := true
		for i, j := range c.cols {
			w[i] = interval.Width(box[j])
			wide = wide && w[i] > narrow && !math.IsInf(w[i], 1)
			u[i] = (x[j] - box[j].Lo) / w[i]
		}
		if !wide {
			continue
		}
		var q [3]float64
		for m, p := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			a, b := p[0], p[1]
			la, lb := box[c.cols[a]].Lo, box[c.cols[b]].Lo
			q[m] = (x[c.terms[m]] - la*x[c.cols[b]] - lb*x[c.cols[a]] + la*lb) / (w[a] * w[b])
		}
		for kind := range flat.Third + 1 {
			lin, prod, v := kind.Weights()
			for i := range 3 {
				v += lin[i]*u[i] + prod[i]*q[i]
			}
			if t := (triangle{n, kind}); v > leastViolation && !has[t] {
				all = append(all, broken{t, v})
			}
		}
	}
	slices.SortFunc(all, func(a, b broken) int {
		return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.t.triple, b.t.triple), cmp.Compare(a.t.kind, b.t.kind))
	})
	var out []triangle
	for _, b := range all[:min(len(all), trianglesPerVar*s.P.N)] {
		out = append(out, b.t)
	}
	return out
}
