package dc

import (
	"encoding/binary"
	"slices"
)

// fewestConstraints is from how many members on the constraints of a name are one
// object. Source: below it they take less memory than the 100 kB that a convex problem takes.
const fewestConstraints = 128

// collection is the constraints of a model.
type collection struct {
	list  []Constraint
	r     memberReader
	signs []float64 // of the weights of the constraint that was read
	last  []byte    // the text of the constraint before
	run   int       // how many constraints up to it have that text and its name
	to    *members  // that they are in; nil: they are too few
}

// read reads c as a member. It returns false where c can be none: where the split is not by
// the signs of the weights, or bounds of variables may give it another one.
func (l *collection) read(c *Common) bool {
	e, r := &c.e, &l.r
	if !c.DC || c.opens || c.second || c.implied || c.cone != nil || c.err != nil || e.err != nil || e.composite || len(e.terms) == 0 {
		return false
	}
	if e.lin.IsConst() && len(e.terms) == 1 {
		if u, _ := affineFactors(e.terms[0].f, 1); u != nil {
			return false
		}
	}
	r.begin()
	l.signs = l.signs[:0]
	s := step{op: opSum, row: r.linear(e.lin)}
	for _, t := range e.terms {
		switch t.f.(type) {
		case Linear, *sum, *leastOf:
			return false
		}
		sign := 1.0
		if t.w < 0 {
			sign = -1
		}
		r.text = append(r.text, byte(2+sign))
		l.signs = append(l.signs, sign)
		s.nums = append(s.nums, len(r.nums))
		r.nums = append(r.nums, t.w)
		s.args = append(s.args, r.function(t.f))
	}
	r.text = binary.AppendUvarint(r.text, uint64(len(c.index)))
	r.push(s)
	return r.ok
}

// add adds c. Where it is one of many of a name that differ in numbers alone, it
// joins them.
func (l *collection) add(c *Common) {
	if !l.read(c) {
		l.run, l.to = 0, nil
		l.list = append(l.list, stated(*c))
		return
	}
	if l.run > 0 && l.list[len(l.list)-1].Family == c.Family && slices.Equal(l.r.text, l.last) {
		l.run++
	} else {
		l.run, l.to, l.last = 1, nil, append(l.last[:0], l.r.text...)
	}
	if l.to != nil && l.to.of == l.to.of.join(c.e.owner()) {
		l.to.add(c.index, &l.r)
		l.list = append(l.list, Constraint{l.list[len(l.list)-1].Common, l.to.count - 1})
		return
	}
	l.list = append(l.list, stated(*c))
	if l.run == fewestConstraints {
		l.join()
	}
}

// join makes one object of the last constraints, which differ in numbers alone.
func (l *collection) join() {
	list := l.list[len(l.list)-l.run:]
	all := &members{program: newFamily(&l.r, nil).program, width: len(list[0].index), signs: slices.Clone(l.signs)}
	for _, c := range list {
		l.read(c.Common)
		all.add(c.index, &l.r)
		all.of = all.of.join(c.e.owner())
	}
	for k := range list {
		if e := all.expr(k); !e.lin.equal(list[k].e.lin) || !sameTerms(e.terms, list[k].e.terms) {
			return // an atom has another form than it is made again in
		}
	}
	l.to = all
	one := stated(Common{Family: list[0].Family, DC: true, members: all})
	for k := range list {
		list[k] = Constraint{one.Common, k}
	}
}

// constraints are those that were added, as a problem has them: a change to them changes
// none of the collection.
func (l *collection) constraints() []Constraint {
	out := slices.Clone(l.list)
	for from := 0; from < len(out); {
		s, n := *out[from].Common, 1
		if s.members != nil {
			s.members = s.members.finished()
			n = s.members.count
		}
		for k := from; k < from+n; k++ {
			out[k].Common = &s
		}
		if s.members != nil && !s.members.finite() { // a message will name the first that is not
			part(out[from:])
		}
		from += n
	}
	return out
}

// part makes constraints of their own of the members that list begins with.
func part(list []Constraint) {
	for k := range list[0].members.count {
		list[k] = stated(list[k].alone())
	}
}
