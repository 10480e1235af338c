package dc

// tail is the sum of the k smallest of expressions: the rest of their sum
// when the sum of the largest is subtracted. It is computed as such: the largest
// may be so large that nothing else is left of a difference.
type tail struct {
	parted
	items []Expr
	k     int
}

// AddSubgrad adds the gradients of the items that are not the largest.
func (f *tail) AddSubgrad(dst []float64, scale float64, x []float64) {
	for i := range f.items {
		f.items[i].AddGradient(dst, scale, x)
	}
	addLargest(f.items, len(f.items)-f.k, dst, -scale, x)
}

func (f *tail) approx(x []float64) approx {
	all := approxAll(f.items, x)
	for i := range all {
		all[i].v = -all[i].v
	}
	a := sumOfLargest(all, f.k)
	return approx{-a.v, a.e}
}

func (f *tail) Value(x []float64) float64 { return f.approx(x).v }
func (f *tail) node() Node {
	return Node{op: "sumsmallest", args: exprArgs(f.items...), num: float64(f.k)}
}
func (f *tail) String() string { return "sum of smallest" }

// largestTerm is a sum of the largest of some expressions, as it is written.
func largestTerm(f Convex) (items []Expr, k int, ok bool) {
	switch f := f.(type) {
	case *sumLargest:
		return entries(f.a), f.k, true
	case *largestOf:
		return f.items, f.k, true
	case *composed:
		if f.largest != nil {
			return f.largest.items, f.largest.k, true
		}
	}
	return nil, 0, false
}

// sumTails finds the terms of a sum that cancel the largest of their own:
// w·Σ fᵢ − w·(sum of the k largest fᵢ), and makes one term of each such group.
func sumTails(terms []term) []term {
	for at := 0; at < len(terms); at++ {
		w := -terms[at].w
		items, k, ok := largestTerm(terms[at].f)
		if !ok || w <= 0 {
			continue
		}
		taken := findAll(terms, w, items)
		if taken == nil {
			continue
		}
		group, rest := []term{{-1, terms[at].f}}, []term(nil)
		for i, t := range terms {
			switch {
			case i == at:
			case taken[i]:
				group = append(group, term{1, t.f})
			default:
				rest = append(rest, t)
			}
		}
		f := &tail{newParted(splitOf(Linear{}, group)), items, len(items) - k}
		terms, at = append(rest, term{w, f}), -1
	}
	return terms
}

// findAll marks the terms of weight w that are the items; nil where an item is
// not among them. Squares and absolute values of one array may be one term.
func findAll(terms []term, w float64, items []Expr) []bool {
	taken := make([]bool, len(terms))
	for i, t := range terms {
		if t.w == w && sameItems(t.f, items) {
			taken[i] = true
			return taken
		}
	}
	var known Sharer
	place := map[Convex]int{}
	for i, t := range terms {
		if first := known.First(t.f); first == t.f {
			place[t.f] = i
		}
	}
	for k := range items {
		e := &items[k]
		if !e.lin.isZero() || len(e.terms) != 1 || e.terms[0].w != 1 {
			return nil
		}
		i, ok := place[known.First(e.terms[0].f)]
		if !ok || taken[i] || terms[i].w != w {
			return nil
		}
		taken[i] = true
	}
	return taken
}

// sameItems reports whether f is the sum of the items, in order.
func sameItems(f Convex, items []Expr) bool {
	var a *Affine
	switch f := f.(type) {
	case *sumSquares:
		a = &f.a
	case *norm1:
		a = &f.a
	default:
		return false
	}
	if a.Len() != len(items) {
		return false
	}
	for k := range items {
		e := &items[k]
		if !e.lin.isZero() || len(e.terms) != 1 || e.terms[0].w != 1 {
			return false
		}
		var l Linear
		switch g := e.terms[0].f.(type) {
		case *sumSquares:
			if _, ok := f.(*sumSquares); !ok || g.a.Len() != 1 {
				return false
			}
			l = g.a.Entry(0)
		case *absolute:
			if _, ok := f.(*norm1); !ok {
				return false
			}
			l = g.l
		default:
			return false
		}
		if !l.equal(a.Entry(k)) {
			return false
		}
	}
	return true
}
