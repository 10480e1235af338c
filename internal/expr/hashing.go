package expr

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

// mostAlike bounds the functions of one hash that are compared.
// Source: a limit of time: a function beyond is represented twice, and no answer depends on that.
const mostAlike = 16

// Sharer finds functions that are equal to one met before: the same atom of the
// same arguments. A Canon needs it to represent each of them once; the comparison
// reads nodes, so it stands here. The zero value is ready.
type Sharer struct {
	known  []convex.Func
	places map[uint64][]int32 // in known, by hash
}

// First returns the function equal to f that came first, maybe f itself.
func (s *Sharer) First(f convex.Func) convex.Func {
	a, ok := f.(noder)
	if !ok {
		return f
	}
	if k, _ := s.find(f, a); k >= 0 {
		return s.known[k]
	}
	return f
}

// find is the number of the function equal to f that came first, and whether
// that is f itself and new; −1 where there are too many of one hash.
func (s *Sharer) find(f convex.Func, a noder) (k int, fresh bool) {
	l := a.Node()
	h := l.hash(0)
	same := s.places[h]
	for _, k := range same {
		if sameFunction(f, s.known[k]) {
			return int(k), false
		}
	}
	if len(same) >= mostAlike {
		return -1, false
	}
	if s.places == nil {
		s.places = map[uint64][]int32{}
	}
	k = len(s.known)
	s.known, s.places[h] = append(s.known, f), append(same, int32(k))
	return k, true
}

func sameFunction(f, g convex.Func) bool {
	if l, ok := f.(convex.Linear); ok { // and no key for ==
		m, ok := g.(convex.Linear)
		return ok && l.Equal(m)
	}
	if _, ok := g.(convex.Linear); ok {
		return false
	}
	if f == g {
		return true
	}
	if a, ok := f.(Many); ok {
		return a.SameMembers(g)
	}
	if _, bare := f.(*Scalar); !bare && !slices.Equal(f.Support(), g.Support()) { // of an expression it is computed
		return false
	}
	a, ok := f.(noder)
	if !ok {
		return false
	}
	b, ok := g.(noder)
	if !ok {
		return false
	}
	l, m := a.Node(), b.Node()
	return l.same(&m)
}

func (n *Node) same(m *Node) bool {
	return n.Name == m.Name && n.Curve == m.Curve && n.Minus == m.Minus && n.Row == m.Row && n.Key == m.Key &&
		slices.Equal(n.Nums, m.Nums) && n.Inputs[0].same(&m.Inputs[0]) &&
		n.Inputs[1].same(&m.Inputs[1])
}

func (a *Array) same(b *Array) bool {
	return a.Bent() == b.Bent() && SameEntries(&a.Array, &b.Array) &&
		slices.EqualFunc(a.Fs, b.Fs, func(e, o Scalar) bool { return e.Same(&o) })
}

// SameTerms reports whether the terms are equal, in order.
func SameTerms(a, b []Term) bool {
	return slices.EqualFunc(a, b, func(t, u Term) bool { return t.W == u.W && sameFunction(t.F, u.F) })
}

// hasher mixes numbers into one.
type hasher uint64

func (h *hasher) mix(v uint64) {
	x := (uint64(*h) ^ v) * 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	*h = hasher(x ^ x>>32)
}

// float: 0 and −0 are equal.
func (h *hasher) float(v float64) { h.mix(math.Float64bits(v + 0)) }

// someOf is the step at which lists are looked at: about eight of their members.
func someOf(n int) int { return 1 + n/8 }

// Coefficients mixes some coefficients of an affine function into h.
func (h *hasher) Coefficients(idx []int, val []float64) {
	h.mix(uint64(len(idx)))
	for i := 0; i < len(idx); i += someOf(len(idx)) {
		h.mix(uint64(idx[i]))
		h.float(val[i])
	}
}

func (h *hasher) linear(l convex.Linear) {
	h.Coefficients(l.Idx, l.Val)
	h.float(l.Const)
}

func (h *hasher) floats(v []float64) {
	for k := 0; k < len(v); k += someOf(len(v)) {
		h.float(v[k])
	}
}

// deepest is how far into functions of functions a hash looks.
// Source: a limit of time; functions that differ further inside are compared.
const deepest = 4

func (h *hasher) function(f convex.Func, depth int) {
	if l, ok := f.(convex.Linear); ok {
		h.linear(l)
		return
	}
	if a, ok := f.(noder); ok && depth < deepest {
		n := a.Node()
		h.mix(n.hash(depth + 1))
		return
	}
	s := f.Support()
	h.mix(uint64(len(s)))
	if len(s) > 0 {
		h.mix(uint64(s[0]))
	}
}

// hash looks at some of the coefficients.
func (n *Node) hash(depth int) uint64 {
	h := hasher(1)
	op := n.Op()
	h.mix(uint64(op[0])<<8 + uint64(len(op)))
	h.float(n.Curve.P)
	h.floats(n.Nums)
	for k := range n.Inputs {
		h.argument(&n.Inputs[k], depth)
	}
	return uint64(h)
}

func (h *hasher) argument(a *Array, depth int) {
	h.Coefficients(a.Idx, a.Val)
	h.floats(a.C)
	for k := 0; k < len(a.Fs); k += someOf(len(a.Fs)) {
		h.sum(a.Fs[k].Lin, a.Fs[k].Terms, depth)
	}
}

func (h *hasher) sum(lin convex.Linear, terms []Term, depth int) {
	h.linear(lin)
	for k := 0; k < len(terms); k += someOf(len(terms)) {
		h.float(terms[k].W)
		h.function(terms[k].F, depth)
	}
}

// Same reports whether two expressions are written alike.
func (e *Scalar) Same(o *Scalar) bool {
	return e.Lin.Equal(o.Lin) && slices.EqualFunc(e.Terms, o.Terms, func(t, u Term) bool {
		return t.W == u.W && sameFunction(t.F, u.F)
	})
}

// SameEntries reports whether two arrays hold the same functions.
func SameEntries(a, b *convex.Array) bool {
	if a.Of != nil && b.Of != nil && a.Of != b.Of || len(a.C) != len(b.C) || len(a.Idx) != len(b.Idx) {
		return false
	}
	for k := range a.C {
		if !a.Linear(k).Equal(b.Linear(k)) {
			return false
		}
	}
	return true
}
