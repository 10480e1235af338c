package family

import (
	"math"
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"github.com/dcopt/dcopt/internal/num"
)

// Members are DC constraints of one name that differ in numbers alone: each E is the last node of a
// graph, an affine function plus weighted convex functions.
type Members struct {
	Plan   *pass.Plan
	of     *convex.Space
	width  int
	index  []int32   // of the names, width numbers for each member
	Convex bool      // there is no h
	plain  bool      // g is affine, and the tangent of h is none of an affine piece
	minus  []bool    // by argument of the last node: it is a part of h
	once   sync.Once // of steep
	steep  steep
	Known  known
}

// NewMembers are ready for use.
func NewMembers(g *graph.Graph, width int, index []int32, of *convex.Space) *Members {
	m := &Members{Plan: pass.NewPlan(g), of: of, width: width, index: index, Convex: true, plain: true}
	m.minus = make([]bool, len(g.Last().Args))
	for a, arg := range g.Last().Args {
		if m.minus[a] = g.Last().Weights[a][0] < 0; m.minus[a] {
			m.Convex = false
			m.plain = m.plain && !g.Nodes[arg].Is(atom.Max)
		} else {
			m.plain = false
		}
	}
	m.plain = m.plain && !m.Convex
	return m
}

// Expr is E of a member.
func (m *Members) Expr(k int) expr.Scalar {
	top := m.Plan.Last()
	e := expr.Scalar{Lin: m.Affine(k), Terms: make([]expr.Term, len(top.Args)), Of: m.of}
	for a, arg := range top.Args {
		f := MemberOf(m.Plan.Graph, arg, m.of, k)
		e.Terms[a] = expr.Term{W: graph.At(top.Weights[a], k), F: f.Terms[0].F}
	}
	return e
}

// IndexOf is the index of member k.
func (m *Members) IndexOf(k int) []int {
	out := make([]int, m.width)
	for d := range out {
		out[d] = int(m.index[k*m.width+d])
	}
	return out
}

// SameIndex reports whether member k has the index of the one before.
func (m *Members) SameIndex(k int) bool {
	now := m.index[k*m.width : (k+1)*m.width]
	return k > 0 && slices.Equal(now, m.index[(k-1)*m.width:k*m.width])
}

// Support lists, ascending, the variables of a member.
func (m *Members) Support(k int) (list []int) {
	for s := range m.Plan.Nodes {
		for _, r := range m.Plan.Nodes[s].Rows {
			for _, idx := range r.Idx {
				list = append(list, int(graph.At(idx, k)))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (m *Members) Count() int                 { return m.Plan.N }
func (m *Members) Affine(k int) convex.Linear { return linearOf(&m.Plan.Last().Rows[0], k, m.of) }

// Tangent has the tangents, where each is l − h with an affine l and a convex h that is finite
// everywhere and no affine piece is a tangent; ok is false elsewhere.
func (m *Members) Tangent() (t *pass.Tangent, ok bool) {
	if !m.plain {
		return nil, false
	}
	return pass.NewTangent(m.Plan, m.minus)
}

// Values writes E of all at x to dst.
func (m *Members) Values(dst, x []float64) {
	m.Plan.Values(x, func(b *pass.Block) { copy(dst[b.Lo:], b.Values) })
}

// steep bounds how fast the functions of members change.
type steep struct {
	// slope is a column: a Lipschitz constant of E, of its h and of l, in the largest change of a
	// variable; nil: there is none.
	slope []float64
	size  float64 // the largest term of all at 0
	count int     // variables that members stand in
}

// steepness is computed when it is first asked for.
func (m *Members) steepness() *steep {
	m.once.Do(func() {
		m.steep.slope, m.steep.size = m.Plan.Steep()
		m.steep.count = len(m.Plan.Support())
	})
	return &m.steep
}

// Slope is a Lipschitz constant of a member in the largest change of a variable; +Inf where there
// is none.
func (m *Members) Slope(k int) float64 {
	if s := m.steepness(); s.slope != nil {
		return graph.At(s.slope, k)
	}
	return math.Inf(1)
}

// Blur bounds the rounding errors of members with a Slope at x.
func (m *Members) Blur(x []float64) float64 {
	s := m.steepness()
	return blur * (s.size + num.NormInf(s.slope)*num.NormInf(x))
}

// blur is, relative to the size of the terms, above the rounding errors of two values of E. Source:
// derived: 2^12 roundings of 2^−53, more than the steps and the coefficients of a member are.
const blur = 0x1p-40

// NearVariables is how many members are watched for each variable. Source: docs/lab/large.md,
// "Constraints that are far".
const NearVariables = 16

// known are points that members were looked at from, one for each of those who look at a time.
type known struct {
	sync.Mutex
	Free []*around
}

// take is the last one that was put back.
func (l *known) take() *around {
	l.Lock()
	defer l.Unlock()
	n := len(l.Free)
	if n == 0 {
		return new(around)
	}
	r := l.Free[n-1]
	l.Free = l.Free[:n-1]
	return r
}

func (l *known) put(r *around) {
	l.Lock()
	defer l.Unlock()
	l.Free = append(l.Free, r)
}

// around is a point and the members that may be broken near it.
type around struct {
	x       []float64
	reach   float64   // changes of the variables up to which all other members hold
	reaches []float64 // the same for each member and its own variables
	list    []int32   // the members, ascending
	part    *Members  // these alone; nil: there is no such point
	room    []float64
}

// covers reports whether the members that are not in the list hold at x.
func (r *around) covers(x []float64) bool { return r.part != nil && num.DistInf(r.x, x) <= r.reach }

// Broken calls each with the members, ascending, that x breaks, and their E there, which is
// positive or NaN. Those that no change since the last look can have broken are not evaluated.
func (m *Members) Broken(x []float64, each func(k int, v float64)) {
	s := m.steepness()
	most := NearVariables * s.count
	if s.slope == nil || m.Plan.N < 2*most {
		m.broken(x, each)
		return
	}
	r := m.Known.take()
	defer m.Known.put(r)
	if r.covers(x) {
		r.part.broken(x, func(k int, v float64) { each(int(r.list[k]), v) })
		return
	}
	r.look(m, x, most, each)
	if r.part = nil; r.reach > 0 {
		r.x, r.part = append(r.x[:0], x...), m.Part(r.list)
	}
}

// broken is Broken by the values of all.
func (m *Members) broken(x []float64, each func(k int, v float64)) {
	m.Plan.Values(x, func(b *pass.Block) {
		for i, v := range b.Values {
			if !(v <= 0) {
				each(b.Lo+i, v)
			}
		}
	})
}

// Near lists about that many members, ascending, those that the least changes of variables at x may
// break, and the largest change of a variable by which all others still hold, and the tangents of
// them at any point within that distance. reaches are these changes for each member and its own
// variables. ok is false where no change is known to be harmless.
func (m *Members) Near(x []float64, most int) (list []int32, reach float64, reaches []float64, ok bool) {
	if s := m.steepness(); s.slope == nil || most >= m.Plan.N {
		return nil, 0, nil, false
	}
	var r around
	r.look(m, x, most, func(int, float64) {})
	return r.list, r.reach, r.reaches, r.reach > 0
}

// Beyond lists, ascending, the members of which a variable has moved by more than their reach. A
// move that is no number is too far.
func (m *Members) Beyond(reaches, moved []float64) []int32 { return m.Plan.Beyond(reaches, moved) }

// look lists about that many members, those that the least changes at x may break, and calls each
// with those that x breaks.
func (r *around) look(m *Members, x []float64, most int, each func(k int, v float64)) {
	s := m.steepness()
	r.room = slices.Grow(r.room[:0], m.Plan.N)[:m.Plan.N]
	r.reaches = slices.Grow(r.reaches[:0], m.Plan.N)[:m.Plan.N]
	reaches, size := r.reaches, num.NormInf(x)
	m.Plan.Values(x, func(b *pass.Block) {
		for i, v := range b.Values {
			k := b.Lo + i
			if !(v <= 0) {
				reaches[k] = -1 // also of NaN
				each(k, v)
				continue
			}
			l := graph.At(s.slope, k)
			reaches[k] = (-v - blur*(s.size+l*size)) / l
		}
	})
	r.reach = num.Smallest(append(r.room[:0], reaches...), most)
	r.list = r.list[:0]
	for k, v := range reaches {
		if v < r.reach {
			r.list = append(r.list, int32(k))
		}
	}
}

// Part has the members of the list, in its order.
func (m *Members) Part(list []int32) *Members {
	index := make([]int32, 0, len(list)*m.width)
	for _, k := range list {
		index = append(index, m.index[int(k)*m.width:int(k+1)*m.width]...)
	}
	return NewMembers(m.Plan.Take(list), m.width, index, m.of)
}
