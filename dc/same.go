package dc

import (
	"math"
	"slices"
)

// likeness is all that tells a function from others of its kind. It points into
// the function.
type likeness struct {
	kind  any // comparable
	lin   Linear
	lins  []Linear
	affs  [2]*Affine
	num   float64
	nums  []float64
	sub   Convex
	terms []term
	items []*sum
	args  []Representer
	exprs []Expr
}

// alike is implemented by functions that can be compared.
type alike interface{ likeness() likeness }

// mostAlike bounds the functions of one hash that are compared.
const mostAlike = 16

// Sharer finds functions that are equal to one met before: the same atom of the
// same arguments. The zero value is ready.
type Sharer struct {
	known  []Convex
	hashes []uint64
	slots  []int32 // an open hash table of numbers in known, from 1; its length is a power of two
}

// First returns the function equal to f that came first, maybe f itself.
func (s *Sharer) First(f Convex) Convex {
	a, ok := f.(alike)
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
func (s *Sharer) find(f Convex, a alike) (k int, fresh bool) {
	if 2*len(s.known) >= len(s.slots) {
		s.grow()
	}
	l := a.likeness()
	h := l.hash(0)
	mask := len(s.slots) - 1
	i, compared := int(h)&mask, 0
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		k := int(s.slots[i]) - 1
		if s.hashes[k] != h {
			continue
		}
		if sameFunction(f, s.known[k]) {
			return k, false
		}
		compared++
	}
	if compared >= mostAlike {
		return -1, false
	}
	s.known, s.hashes = append(s.known, f), append(s.hashes, h)
	s.slots[i] = int32(len(s.known))
	return len(s.known) - 1, true
}

func (s *Sharer) grow() {
	s.slots = make([]int32, max(16, 4*len(s.known)))
	mask := len(s.slots) - 1
	for k, h := range s.hashes {
		i := int(h) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = int32(k + 1)
	}
}

func sameFunction(f, g Convex) bool {
	if l, ok := f.(Linear); ok { // and no key for ==
		m, ok := g.(Linear)
		return ok && l.equal(m)
	}
	if _, ok := g.(Linear); ok {
		return false
	}
	if f == g {
		return true
	}
	a, ok := f.(alike)
	if !ok {
		return false
	}
	b, ok := g.(alike)
	if !ok {
		return false
	}
	l, m := a.likeness(), b.likeness()
	return l.same(&m)
}

func (l *likeness) same(m *likeness) bool {
	if l.kind != m.kind || l.num != m.num || !l.lin.equal(m.lin) || !slices.EqualFunc(l.lins, m.lins, Linear.equal) || !slices.Equal(l.nums, m.nums) {
		return false
	}
	for k, a := range l.affs {
		if b := m.affs[k]; (a == nil) != (b == nil) || a != nil && !sameEntries(a, b) {
			return false
		}
	}
	if (l.sub == nil) != (m.sub == nil) || l.sub != nil && !sameFunction(l.sub, m.sub) {
		return false
	}
	return slices.EqualFunc(l.terms, m.terms, func(t, u term) bool { return t.w == u.w && sameFunction(t.f, u.f) }) &&
		slices.EqualFunc(l.items, m.items, func(s, t *sum) bool { return sameFunction(s, t) }) &&
		slices.EqualFunc(l.args, m.args, func(f, g Representer) bool { return sameFunction(f, g) }) &&
		slices.EqualFunc(l.exprs, m.exprs, func(e, o Expr) bool { return e.same(&o) })
}

// hasher mixes numbers into one.
type hasher uint64

func (h *hasher) mix(v uint64) {
	x := (uint64(*h) ^ v) * 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	*h = hasher(x ^ x>>32)
}

func (h *hasher) float(v float64) { h.mix(math.Float64bits(v)) }

// someOf is the step at which lists are looked at: about eight of their members.
func someOf(n int) int { return 1 + n/8 }

func (h *hasher) coefficients(idx []int, val []float64) {
	h.mix(uint64(len(idx)))
	for i := 0; i < len(idx); i += someOf(len(idx)) {
		h.mix(uint64(idx[i]))
		h.float(val[i])
	}
}

func (h *hasher) linear(l Linear) {
	h.coefficients(l.Idx, l.Val)
	h.float(l.Const)
}

func (h *hasher) floats(v []float64) {
	for k := 0; k < len(v); k += someOf(len(v)) {
		h.float(v[k])
	}
}

// deepest is how far into functions of functions a hash looks.
const deepest = 4

func (h *hasher) function(f Convex, depth int) {
	if l, ok := f.(Linear); ok {
		h.linear(l)
		return
	}
	if a, ok := f.(alike); ok && depth < deepest {
		l := a.likeness()
		h.mix(l.hash(depth + 1))
		return
	}
	s := f.Support()
	h.mix(uint64(len(s)))
	if len(s) > 0 {
		h.mix(uint64(s[0]))
	}
}

// hash looks at some of the coefficients.
func (l *likeness) hash(depth int) uint64 {
	h := hasher(1)
	if kind, ok := l.kind.(string); ok {
		h.mix(uint64(kind[0])<<8 + uint64(len(kind)))
	}
	h.linear(l.lin)
	for k := 0; k < len(l.lins); k += someOf(len(l.lins)) {
		h.linear(l.lins[k])
	}
	for _, a := range l.affs {
		if a != nil {
			h.coefficients(a.idx, a.val)
			h.floats(a.c)
		}
	}
	h.float(l.num)
	h.floats(l.nums)
	if l.sub != nil {
		h.function(l.sub, depth)
	}
	for k := 0; k < len(l.terms); k += someOf(len(l.terms)) {
		h.float(l.terms[k].w)
		h.function(l.terms[k].f, depth)
	}
	for k := 0; k < len(l.items); k += someOf(len(l.items)) {
		h.function(l.items[k], depth)
	}
	for k := 0; k < len(l.args); k += someOf(len(l.args)) {
		h.function(l.args[k], depth)
	}
	for k := 0; k < len(l.exprs); k += someOf(len(l.exprs)) {
		h.linear(l.exprs[k].lin)
		for i := 0; i < len(l.exprs[k].terms); i += someOf(len(l.exprs[k].terms)) {
			h.float(l.exprs[k].terms[i].w)
			h.function(l.exprs[k].terms[i].f, depth)
		}
	}
	return uint64(h)
}

func ofAffine(kind string, a *Affine) likeness { return likeness{kind: kind, affs: [2]*Affine{a}} }
