package dc

import (
	"math"
	"slices"
)

// likeness is all that tells a function from others of its kind.
type likeness struct {
	kind any // comparable
	lin  Linear
	affs []Affine
	nums []float64
	subs []Convex
}

// alike is implemented by functions that can be compared.
type alike interface{ likeness() likeness }

// mostAlike bounds the functions of one hash that are compared.
const mostAlike = 16

// Sharer finds functions that are equal to one met before: the same atom of the
// same arguments. The zero value is ready.
type Sharer struct {
	buckets map[uint64][]Convex
}

// First returns the function equal to f that came first, maybe f itself.
func (s *Sharer) First(f Convex) Convex {
	a, ok := f.(alike)
	if !ok {
		return f
	}
	l := a.likeness()
	h := l.hash()
	if s.buckets == nil {
		s.buckets = map[uint64][]Convex{}
	}
	known := s.buckets[h]
	for _, g := range known {
		if sameFunction(f, g) {
			return g
		}
	}
	if len(known) < mostAlike {
		s.buckets[h] = append(known, f)
	}
	return f
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
	a, okA := f.(alike)
	b, okB := g.(alike)
	if !okA || !okB {
		return false
	}
	l, m := a.likeness(), b.likeness()
	return l.kind == m.kind && l.lin.equal(m.lin) && slices.Equal(l.nums, m.nums) &&
		slices.EqualFunc(l.affs, m.affs, func(a, b Affine) bool { return sameEntries(&a, &b) }) &&
		slices.EqualFunc(l.subs, m.subs, sameFunction)
}

// hash looks at some of the coefficients.
func (l *likeness) hash() uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	mix := func(v uint64) { h = (h ^ v) * 1099511628211 }
	sample := func(idx []int, val []float64) {
		mix(uint64(len(idx)))
		for i := 0; i < len(idx); i += 1 + len(idx)/8 {
			mix(uint64(idx[i]))
			mix(math.Float64bits(val[i]))
		}
	}
	sample(l.lin.Idx, l.lin.Val)
	mix(math.Float64bits(l.lin.Const))
	for _, a := range l.affs {
		sample(a.idx, a.val)
		for k := 0; k < len(a.c); k += 1 + len(a.c)/8 {
			mix(math.Float64bits(a.c[k]))
		}
	}
	for k := 0; k < len(l.nums); k += 1 + len(l.nums)/8 {
		mix(math.Float64bits(l.nums[k]))
	}
	for _, f := range l.subs {
		if lin, ok := f.(Linear); ok {
			sample(lin.Idx, lin.Val)
			continue
		}
		s := f.Support()
		mix(uint64(len(s)))
		if len(s) > 0 {
			mix(uint64(s[0]))
		}
	}
	return h
}

func (f *absolute) likeness() likeness    { return likeness{kind: "abs", lin: f.l} }
func (f *norm1) likeness() likeness       { return likeness{kind: "norm1", affs: []Affine{f.a}} }
func (f *norm2) likeness() likeness       { return likeness{kind: "norm2", affs: []Affine{f.a}} }
func (f *sumSquares) likeness() likeness  { return likeness{kind: "sumsq", affs: []Affine{f.a}} }
func (f *logSumExp) likeness() likeness   { return likeness{kind: "lse", affs: []Affine{f.a}} }
func (f *kl) likeness() likeness          { return likeness{kind: "kl", affs: []Affine{f.a}} }
func (f *quadOverLin) likeness() likeness { return likeness{kind: "quadoverlin", affs: []Affine{f.a}} }
func (f *negGeoMean) likeness() likeness  { return likeness{kind: "geomean", affs: []Affine{f.a}} }
func (f *negLogDet) likeness() likeness   { return likeness{kind: "logdet", affs: []Affine{f.a}} }
func (f *matFrac) likeness() likeness     { return likeness{kind: "matfrac", affs: []Affine{f.x, f.a}} }
func (s *squareOf) likeness() likeness    { return likeness{kind: "square", subs: []Convex{s.f}} }

func (f *huber) likeness() likeness {
	return likeness{kind: "huber", affs: []Affine{f.a}, nums: []float64{f.m}}
}

func (s *sumLargest) likeness() likeness {
	return likeness{kind: "sumlargest", affs: []Affine{s.a}, nums: []float64{float64(s.k)}}
}

func (f *eigenSum) likeness() likeness {
	return likeness{kind: "lambda", affs: []Affine{f.a}, nums: []float64{float64(f.k)}}
}

func (f *singularNorm) likeness() likeness {
	return likeness{kind: f.name, affs: []Affine{f.a}, nums: []float64{float64(f.r), float64(f.c)}}
}

func (f *quad) likeness() likeness {
	return likeness{kind: "quad", affs: []Affine{f.a}, nums: f.q.RawSymmetric().Data}
}

func (a *along) likeness() likeness {
	return likeness{kind: a.f, nums: []float64{a.sign}, subs: []Convex{a.arg}}
}

func (s *sum) likeness() likeness {
	l := likeness{kind: "sum", lin: s.lin, nums: make([]float64, len(s.terms)), subs: make([]Convex, len(s.terms))}
	for k, t := range s.terms {
		l.nums[k], l.subs[k] = t.w, t.f
	}
	return l
}

func (m *maxOf) likeness() likeness { return likeness{kind: "max", subs: m.parts()} }

func (f *composed) likeness() likeness {
	l := likeness{kind: "composed", subs: []Convex{f.outer}}
	for _, a := range f.args {
		l.subs = append(l.subs, a)
	}
	return l
}
