package eval

import (
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// view is a value, or some entries of it before an array is made of them.
type view struct {
	v                  value.Value
	single             bool // the entry first
	run                bool // the vector of the entries first, first + step, ...
	first, step, count int
	origin             int // the first index of the vector
}

// isNumber reports whether it is a single number.
func (a *view) isNumber() bool { return a.v.Sort == value.Numbers && a.v.Scalar() }

// vector is a vector as a run of entries.
func (a *view) vector() (run view, ok bool) {
	switch {
	case a.run:
		return *a, true
	case a.single || len(a.v.Shape) != 1:
		return view{}, false
	}
	return view{v: a.v, first: 0, step: 1, count: a.v.Len()}, true
}

// Value is the viewed entries as a value.
func (a view) Value(ev *Evaluator, n *syntax.Node) value.Value {
	switch {
	case a.single:
		return a.v.Entry(a.first)
	case !a.run:
		return a.v
	}
	ev.Room(n, []int{a.count})
	ev.flats = ev.flats[:0]
	for k := range a.count {
		ev.flats = append(ev.flats, a.first+k*a.step)
	}
	v := a.v.Choose([]int{a.count}, ev.flats)
	if v.Sort == value.AffineFunctions {
		ev.Spend(n, UnitsCoeff*v.Fn.NNZ())
	}
	if a.origin != 1 {
		v = v.CountFrom([]int{a.origin})
	}
	return v
}

// view is the value of n where an array of numbers, sparse ones too, or functions is
// wanted, real or complex.
func (ev *Evaluator) view(n *syntax.Node) view {
	switch {
	case n.Op == syntax.OpIndex && (ev.NoteOf(n).Open || len(ev.Indices) == 0 && !ev.Keep):
		ev.Spend(n, UnitsNode)
		return ev.Index(n)
	case n.Op == syntax.OpTrans:
		a := ev.view(n.Args[0])
		if a.run || !a.single && len(a.v.Shape) < 2 && a.v.Sort != value.ComplexPairs {
			return a // vectors have no direction
		}
		return view{v: ev.Transpose(n, a.Value(ev, n.Args[0]))}
	}
	return view{v: ev.AnyArray(n)}
}

// isSparse reports whether the value is sparse.
func (a *view) isSparse() bool { return a.v.Sort == value.SparseNumbers }

// Index is base[args].
func (ev *Evaluator) Index(n *syntax.Node) view {
	v := ev.AnyArray(n.Args[0])
	if v.Sort == value.ComplexPairs {
		return view{v: v.Both(func(part value.Value) value.Value { return ev.indexed(n, part).Value(ev, n) })}
	}
	return ev.indexed(n, v)
}

// indexed is the entries of v, the value of the base, that n names.
func (ev *Evaluator) indexed(n *syntax.Node, v value.Value) view {
	base, args := n.Args[0], n.Args[1:]
	if v.Sort == value.SparseNumbers {
		if a, ok := ev.indexSparse(n, &v); ok {
			return a
		}
		v = ev.Dense(base, v)
	}
	total := 0
	for d := range v.Shape {
		total += max(1, v.Set(d).Parts())
	}
	if len(args) != total {
		help := ""
		if total > len(args) {
			help = "write : for a whole dimension, as in x[i,:]"
		}
		ev.Fail(n, help, "%s has %s, not %d", base, Count(total, "index", "indices"), len(args))
	}
	var few [4]dimension
	dims, slices, lists := few[:0], 0, 0
	flat := 0
	for d := range v.Shape {
		set := v.Set(d)
		of := args[:max(1, set.Parts())]
		args = args[len(of):]
		if set == nil {
			dims = append(dims, ev.along(n, of[0], &v, d))
		} else {
			dims = append(dims, ev.alongSet(n, of, set))
		}
		flat = flat*v.Shape[d] + dims[d].first
		switch dim := &dims[d]; {
		case dim.list != nil || dim.set != nil:
			lists++
		case !dim.single:
			slices++
		}
	}
	switch {
	case lists > 0 || slices > 1:
		return view{v: ev.pick(n, &v, dims)}
	case slices == 1:
		a := view{v: v, run: true, first: flat, step: 1}
		for d := len(dims) - 1; dims[d].single; d-- {
			a.step *= v.Shape[d]
		}
		for _, d := range dims {
			if !d.single {
				a.count, a.origin = d.count, d.origin
			}
		}
		return a
	case v.Sort == value.Numbers:
		return view{v: value.Number(v.Num[flat])}
	}
	return view{v: v, single: true, first: flat}
}

// indexSparse is an entry, row or column of sparse data; ok is false for other parts.
func (ev *Evaluator) indexSparse(n *syntax.Node, v *value.Value) (a view, ok bool) {
	args, s := n.Args[1:], v.More.Sparse
	if len(args) != len(v.Shape) {
		return a, false // which index refuses
	}
	var at [2]int
	open := -1
	for d, arg := range args {
		switch {
		case arg.Op == syntax.OpAll && open < 0:
			open = d
			continue
		case arg.Op == syntax.OpAll || arg.Op == syntax.OpRange:
			return a, false
		}
		w := ev.DataOf(arg, "an index")
		if !w.Scalar() {
			return a, false
		}
		at[d] = ev.within(n, arg, v, d, w.X)
	}
	switch {
	case len(args) == 1 && open < 0:
		return view{v: value.Number(s.At(0, at[0]))}, true
	case len(args) == 1:
		return view{v: *v}, true
	case open < 0:
		return view{v: value.Number(s.At(at[0], at[1]))}, true
	case open == 0:
		s, at[0] = s.Transposed(), at[1]
	}
	ev.Spend(n, s.Ptr[at[0]+1]-s.Ptr[at[0]])
	return view{v: s.Row(at[0])}, true
}
