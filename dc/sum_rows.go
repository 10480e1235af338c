package dc

import (
	"math"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Pieces: the pieces of a single term, shifted by the affine part.
func (s *sum) Pieces() []convex.Linear {
	if len(s.terms) == 0 {
		return []convex.Linear{s.lin}
	}
	p, ok := s.terms[0].f.(convex.Polyhedral)
	if !ok || len(s.terms) > 1 {
		return nil
	}
	var out []convex.Linear
	for _, l := range p.Pieces() {
		out = append(out, s.lin.AddScaled(s.terms[0].w, l))
	}
	return out
}

// Line: with a single term, the row of f ≤ (b − l)/w; squares are one term.
func (s *sum) Line(b convex.Linear) (row convex.Linear, lo, hi, share float64, ok bool) {
	if q := s.squares(); q != nil {
		return q.Line(b.AddScaled(-1, s.lin))
	}
	if len(s.terms) != 1 {
		return convex.Linear{}, 0, 0, 0, false
	}
	f, ok := s.terms[0].f.(convex.Line)
	if !ok {
		return convex.Linear{}, 0, 0, 0, false
	}
	w := s.terms[0].w
	row, lo, hi, share, ok = f.Line(b.AddScaled(-1, s.lin).Scale(1 / w))
	return row, lo, hi, share / w, ok
}

// Below: as Line.
func (s *sum) Below(b convex.Linear) (k convex.Cone, share []float64, ok bool) {
	if q := s.squares(); q != nil {
		return q.Below(b.AddScaled(-1, s.lin))
	}
	if len(s.terms) != 1 {
		return convex.Cone{}, nil, false
	}
	f, ok := s.terms[0].f.(convex.Sublevel)
	if !ok {
		return convex.Cone{}, nil, false
	}
	w := s.terms[0].w
	k, share, ok = f.Below(b.AddScaled(-1, s.lin).Scale(1 / w))
	for i := range share {
		share[i] /= w
	}
	return k, share, ok
}

// squares is the sum without l where all terms are sums of squares, else nil.
func (s *sum) squares() *vectorAtom {
	parts := make([]convex.Array, len(s.terms))
	for k, t := range s.terms {
		a := rowAt(t.f, atom.SumSquares)
		if a == nil {
			return nil
		}
		parts[k] = a.Scale(math.Sqrt(t.w))
	}
	if len(parts) == 0 {
		return nil
	}
	return newVectorAtom(atom.SumSquares, nil, convex.Stack(parts...))
}

func (s *sum) node() Node {
	return Node{op: "sum", args: exprArgs(scalar{lin: s.lin, terms: s.terms})}
}
