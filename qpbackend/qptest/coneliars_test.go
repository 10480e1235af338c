package qptest_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// onCones calls f for the rows of each cone of the kind.
func onCones(p *qpbackend.Problem, kind qpbackend.ConeKind, f func(c qpbackend.Cone)) {
	for _, c := range p.Cones {
		if c.Kind == kind {
			f(c)
		}
	}
}

// scaledRows is p with rows of A and l times factor.
func scaledRows(p *qpbackend.Problem, factor func(i int) float64) *qpbackend.Problem {
	p = p.Clone()
	for k, i := range p.A.RowIdx {
		p.A.Val[k] *= factor(i)
	}
	for i := range p.L {
		if f := factor(i); f != 1 {
			p.L[i] *= f
		}
	}
	return p
}

// swappedRows is p with rows exchanged on the cones of a kind.
func swappedRows(p *qpbackend.Problem, kind qpbackend.ConeKind, a, b int) *qpbackend.Problem {
	p = p.Clone()
	to := make([]int, len(p.L))
	for i := range to {
		to[i] = i
	}
	onCones(p, kind, func(c qpbackend.Cone) {
		to[c.Start+a], to[c.Start+b] = c.Start+b, c.Start+a
		p.L[c.Start+a], p.L[c.Start+b] = p.L[c.Start+b], p.L[c.Start+a]
	})
	var t sparse.Triplets
	for j := range p.A.Cols {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			t.Add(to[p.A.RowIdx[k]], j, p.A.Val[k])
		}
	}
	p.A, _ = t.CSC(p.A.Rows, p.A.Cols)
	return p
}

// offDiagonal reports whether row i of the cone holds an entry off the diagonal.
func offDiagonal(i int) bool {
	for k := 0; ; k++ {
		if d := k*(k+3)/2 - i; d >= 0 {
			return d > 0
		}
	}
}

type namedLie struct {
	liar  liar
	catch []string
}

// coneLies are the ways to be wrong about cones.
func coneLies() map[string]namedLie {
	type backend = qpbackend.Backend
	type problem = qpbackend.Problem
	another := func(change func(p *problem) *problem) liar {
		return liar{new: func(ctx context.Context, b backend, p *problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			return b.New(ctx, change(p), set)
		}, afterward: func(s *lyingSolver, r *qpbackend.Result) {
			if r.Status == qpbackend.Solved {
				s.consistent(r)
			}
		}}
	}
	when := func(status qpbackend.Status, f func(s *lyingSolver, r *qpbackend.Result)) liar {
		return liar{afterward: func(s *lyingSolver, r *qpbackend.Result) {
			if r.Status == status {
				f(s, r)
			}
		}}
	}
	all := map[string]namedLie{
		"entries off the diagonal lack √2": {another(func(p *problem) *problem {
			off := make([]bool, len(p.L))
			onCones(p, qpbackend.Semidefinite, func(c qpbackend.Cone) {
				for i := range c.Len {
					off[c.Start+i] = offDiagonal(i)
				}
			})
			return scaledRows(p, func(i int) float64 {
				if off[i] {
					return 1 / math.Sqrt2
				}
				return 1
			})
		}), []string{"cone/semidefinite: least trace", "cone/semidefinite: largest eigenvalue", "cone/semidefinite: random"}},
		"the triangle goes by rows": {another(func(p *problem) *problem {
			onCones(p, qpbackend.Semidefinite, func(c qpbackend.Cone) {
				if c.Len == 6 {
					p = swappedRows(p, qpbackend.Semidefinite, 2, 3)
				}
			})
			return p
		}), []string{"cone/semidefinite: largest eigenvalue"}},
		"the exponential cone has other axes": {another(func(p *problem) *problem {
			return swappedRows(p, qpbackend.Exponential, 0, 2)
		}), []string{"cone/exponential: e", "cone/exponential: softmax", "cone/exponential: random"}},
		"α stands for 1 − α": {another(func(p *problem) *problem {
			p = p.Clone()
			for k := range p.Cones {
				p.Cones[k].Alpha = 1 - p.Cones[k].Alpha
			}
			return p
		}), []string{"cone/power: shares", "cone/power: random"}},
		"the head of a second-order cone is its last row": {another(func(p *problem) *problem {
			onCones(p, qpbackend.SecondOrder, func(c qpbackend.Cone) {
				if c.Len == 3 {
					p = swappedRows(p, qpbackend.SecondOrder, 0, 2)
				}
			})
			return p
		}), []string{"cone/second-order: distance", "cone/second-order: a norm of constants"}},
		"u is looked at in cones": {liar{new: func(ctx context.Context, b backend, p *problem, set qpbackend.Settings) (qpbackend.Solver, error) {
			for _, c := range p.Cones {
				for _, u := range p.U[c.Start : c.Start+c.Len] {
					if math.IsNaN(u) || u < 0 {
						return nil, fmt.Errorf("u is %g", u)
					}
				}
			}
			return b.New(ctx, p, set)
		}}, []string{"cone/second-order: u is not looked at", "cone/semidefinite: u is not looked at"}},
		"a certificate outside of the polar": {when(qpbackend.PrimalInfeasible, func(s *lyingSolver, r *qpbackend.Result) {
			for _, c := range s.p.Cones {
				for i := range c.Len {
					r.Y[c.Start+i] *= 1 + float64(i)
				}
			}
		}), []string{"cone/exponential: infeasible: less than e", "cone/power: infeasible: too little", "cone/semidefinite: infeasible: a small diagonal"}},
		"a certificate without its cones": {when(qpbackend.PrimalInfeasible, func(s *lyingSolver, r *qpbackend.Result) {
			for _, c := range s.p.Cones {
				clear(r.Y[c.Start : c.Start+c.Len])
			}
		}), []string{"cone/second-order: infeasible: below the apex"}},
		"a direction that leaves the cone": {when(qpbackend.DualInfeasible, func(s *lyingSolver, r *qpbackend.Result) {
			r.X[len(r.X)-1] -= 3
			size := 0.0
			for j, q := range s.p.Q {
				size -= q * r.X[j]
			}
			for j := range r.X {
				r.X[j] /= math.Abs(size)
			}
		}), []string{"cone/second-order: unbounded: up the axis", "cone/exponential: unbounded: up", "cone/power: unbounded: up"}},
		"a kind is denied and taken": {liar{supports: func(k qpbackend.ConeKind) bool { return k != qpbackend.Power }}, []string{"cone/power: refused"}},
		"a kind is denied in other words": {liar{
			supports: func(k qpbackend.ConeKind) bool { return k != qpbackend.Power },
			new: func(ctx context.Context, b backend, p *problem, set qpbackend.Settings) (qpbackend.Solver, error) {
				if len(p.Cones) > 0 && p.Cones[0].Kind == qpbackend.Power {
					return nil, &qpbackend.UnsupportedConeError{Backend: b.Name(), Kind: qpbackend.Exponential}
				}
				return b.New(ctx, p, set)
			}}, []string{"cone/power: refused"}},
		"any number is a kind": {liar{supports: func(qpbackend.ConeKind) bool { return true }}, []string{"cone/of an unknown kind"}},
	}
	for _, kind := range []qpbackend.ConeKind{qpbackend.SecondOrder, qpbackend.Exponential, qpbackend.Power, qpbackend.Semidefinite} {
		name := "cone/" + kind.String() + ": "
		all["the dual has the wrong sign, "+kind.String()] = namedLie{when(qpbackend.Solved, func(s *lyingSolver, r *qpbackend.Result) {
			onCones(s.p, kind, func(c qpbackend.Cone) {
				for i := c.Start; i < c.Start+c.Len; i++ {
					r.Y[i] = -r.Y[i]
				}
			})
			s.consistent(r)
		}), []string{name + "random", name + "apex"}}
		all["the dual is zero and the residuals are those of the right one, "+kind.String()] = namedLie{when(qpbackend.Solved, func(s *lyingSolver, r *qpbackend.Result) {
			onCones(s.p, kind, func(c qpbackend.Cone) { clear(r.Y[c.Start : c.Start+c.Len]) })
		}), []string{name + "random", name + "apex"}}
		all["updates of l are ignored, "+kind.String()] = namedLie{liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			if u.L != nil {
				u.L = slices.Clone(u.L)
				onCones(s.p, kind, func(c qpbackend.Cone) {
					copy(u.L[c.Start:c.Start+c.Len], s.p.L[c.Start:c.Start+c.Len])
				})
			}
			return s.honestUpdate(u)
		}}, []string{name + "update of l", name + "update of everything", name + "feasible, infeasible and back"}}
		all["updates of A are ignored, "+kind.String()] = namedLie{liar{update: func(s *lyingSolver, u qpbackend.Update) error {
			u.A = nil
			return s.honestUpdate(u)
		}}, []string{name + "update of A", name + "feasible, infeasible and back"}}
	}
	return all
}

// TestEveryKindHasLies: for each kind of cone there are lies about solutions,
// certificates, directions and updates.
func TestEveryKindHasLies(t *testing.T) {
	for k := range qpbackend.ConeKind(255) {
		if strings.HasPrefix(k.String(), "ConeKind(") {
			continue
		}
		name := "cone/" + k.String() + ": "
		for _, what := range []string{"random", "update of l", "update of A", "feasible, infeasible"} {
			found := false
			for _, l := range coneLies() {
				found = found || slices.ContainsFunc(l.catch, func(c string) bool { return strings.HasPrefix(c, name+what) })
			}
			if !found {
				t.Errorf("no lie is caught by %q", name+what)
			}
		}
	}
}
