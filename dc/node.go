package dc

// parted is embedded by functions that are not convex by themselves. They are
// evaluated as they were written; CCP uses their split.
type parted struct {
	s       split
	indices []int
}

func newParted(s split) parted {
	lists := [][]int{s.lin.Idx}
	for _, ts := range [2][]term{s.g, s.h} {
		for _, t := range ts {
			lists = append(lists, t.f.Support())
		}
	}
	return parted{s, union(lists...)}
}

func (p *parted) split() *split  { return &p.s }
func (p *parted) Support() []int { return p.indices }

// ownerOf is the space of several expressions.
func ownerOf(es ...scalar) *space {
	var of *space
	for k := range es {
		of = of.join(es[k].owner())
	}
	return of
}

// made is the expression of a function f of es with split s. It is s itself
// where that is a convex function and says as much as f.
func made(f func(parted) written, s split, es ...scalar) scalar {
	simple := s.isAffine() || s.isConvex() && len(s.g) == 1 && s.g[0].w == 1 && s.lin.isZero()
	if len(s.g) == 1 {
		_, lifted := s.g[0].f.(interface{ onlyInSplits() })
		simple = simple && !lifted
	}
	for k := range es {
		simple = simple && !es[k].composite && es[k].IsConvex()
	}
	of := ownerOf(es...)
	if simple {
		return scalar{lin: s.lin, terms: s.g, of: of}
	}
	return node(f(newParted(s)), of)
}

func (e scalar) isAffineAsWritten() bool { return e.isAffineNow() }
