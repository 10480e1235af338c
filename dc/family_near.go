//go:build !lean

package dc

import (
	"math"
	"slices"
)

// nearby is a family in a box: the members that are affine there are one affine function, the others a family.
type nearby struct {
	rest Linear
	some *family
	of   *family
}

func (f *nearby) Support() []int            { return f.of.indices }
func (f *nearby) Value(x []float64) float64 { return f.rest.Value(x) + f.some.Value(x) }

func (f *nearby) AddSubgrad(dst []float64, scale float64, x []float64) { f.addGradient(dst, scale, x) }

func (f *nearby) addGradient(dst []float64, scale float64, x []float64) float64 {
	f.rest.AddSubgrad(dst, scale, x)
	return f.rest.Value(x) + f.some.addGradient(dst, scale, x)
}

// worthwhile is the share of the members up to which the others are added up. Source: derived: that takes as long as two gradients,
// and some tens follow.
const worthwhile = 0.5

// Near is f for points that differ from x, of length n, by at most radius in each variable: a function whose gradients cost less
// there, as members of families that are affine in the box are added up. Package ccp finds it by assertion.
func (f function) Near(x, radius []float64) Convex {
	e, some := f.e, false
	e.terms = slices.Clone(e.terms)
	for k, t := range e.terms {
		if g, ok := t.f.(*family); ok && g.piecewise() && g.coefficients() >= leastRecent*len(g.indices) {
			if near := g.near(x, radius); near != nil {
				e.terms[k].f, some = near, true
			}
		}
	}
	if !some {
		return f
	}
	return function{e}
}

// piecewise reports whether all members are affine between kinks.
func (p *program) piecewise() bool {
	return !slices.ContainsFunc(p.steps, func(s step) bool {
		switch s.op {
		case opRow, opSum, opLeast, "max", "abs", "norm1":
			return false
		}
		return true
	})
}

// near is f in a box; nil where it is not worthwhile.
func (f *family) near(x, radius []float64) *nearby {
	w := f.pool.Get().(*familyWork)
	defer f.pool.Put(w)
	kinked, count := make([]bool, len(f.w)), 0
	last := len(f.steps) - 1
	f.begin(w, x)
	f.eachBlock(func(lo, n int) {
		f.forward(w, lo, n, x)
		for k := range f.steps {
			f.reach(w, k, lo, n, radius)
		}
		for i, r := range w.adj[last][:n] {
			if !finite(r) {
				kinked[lo+i] = true
				count++
			}
		}
	})
	if float64(count) > worthwhile*float64(len(f.w)) {
		return nil
	}
	list := make([]int32, 0, count)
	for i, k := range kinked {
		if k {
			list = append(list, int32(i))
		}
	}
	grad := make([]float64, len(x))
	value := f.gradientOf(w, grad, 1, x, kinked)
	out := &nearby{rest: Linear{Idx: f.indices, Val: make([]float64, len(f.indices)), Const: value, of: f.of}, of: f}
	for t, j := range f.indices {
		out.rest.Val[t] = grad[j]
		out.rest.Const -= grad[j] * x[j]
	}
	out.some = &family{program: f.part(list), w: some(f.w, list), indices: f.indices, period: count}
	out.some.pool.New = func() any { return newFamilyWork(&out.some.program) }
	return out
}

// reach writes to w.adj by how much step k, whose value is known, changes at most where the variables change by no more than radius;
// +Inf where it may have a kink there.
func (f *program) reach(w *familyWork, k, lo, n int, radius []float64) {
	s := &f.steps[k]
	dst, v := w.adj[k][:n], w.v[k][:n]
	switch s.op {
	case opRow, opSum:
		f.rowReach(dst, s.row, lo, w, radius)
		for a, arg := range s.args {
			num := f.nums[s.nums[a]]
			for i, r := range w.adj[arg][:n] {
				dst[i] += math.Abs(pick(num, lo+i)) * r
			}
		}
	case "abs", "norm1":
		clear(dst)
		for _, arg := range s.args {
			u := w.v[arg]
			for i, r := range w.adj[arg][:n] {
				if !(math.Abs(u[i]) > r) {
					r = math.Inf(1)
				}
				dst[i] += r
			}
		}
	default: // of the piece that is attained, where no other one can be
		for i := range dst {
			top := s.args[0]
			for _, arg := range s.args {
				if w.v[arg][i] == v[i] {
					top = arg
					break
				}
			}
			r := w.adj[top][i]
			for _, arg := range s.args {
				if gap := math.Abs(v[i] - w.v[arg][i]); arg != top && !(gap > r+w.adj[arg][i]) {
					r = math.Inf(1)
				}
			}
			dst[i] = r
		}
	}
}

// aboveRounding is above the roundings of a sum of products. Source: derived: 2^23 of 2^−53.
const aboveRounding = 1 + 0x1p-30

// rowReach is reach of row k.
func (f *program) rowReach(dst []float64, k, lo int, w *familyWork, radius []float64) {
	d, n := &f.rows[k], len(dst)
	if d.shared {
		r := 0.0
		for t := range d.idx {
			r += math.Abs(d.val[t][0]) * radius[d.idx[t][0]]
		}
		for i := range dst {
			dst[i] = aboveRounding * r
		}
		return
	}
	if d.period > 0 && lo >= d.period {
		copy(dst, w.errors[k])
		return
	}
	clear(dst)
	for t := range d.idx {
		idx, val := d.idx[t], d.val[t]
		if len(idx) > 1 || len(val) == 1 {
			for i := range dst {
				dst[i] += aboveRounding * math.Abs(pick(val, lo+i)) * radius[pick(idx, lo+i)]
			}
			continue
		}
		r := aboveRounding * radius[idx[0]]
		for i, v := range val[lo : lo+n] {
			dst[i] += math.Abs(v) * r
		}
	}
	if d.period > 0 {
		copy(w.errors[k], dst)
	}
}
