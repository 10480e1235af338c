package lang

import (
	"fmt"
	"strings"
)

// maxWidth is how many parts a member of a set may have.
// Source: the grammar: pairs, triples and quadruples.
const maxWidth = 4

// part is a part of a member of a set: a whole number, or a word.
type part struct {
	k    int
	word string // "": it is a number
}

func (p part) String() string {
	if p.word != "" {
		return fmt.Sprintf("%q", p.word)
	}
	return fmt.Sprint(p.k)
}

// key is a member of a set.
type key [maxWidth]part

// text is a member as it is written.
func (k *key) text(width int) string {
	parts := make([]string, width)
	for i := range parts {
		parts[i] = k[i].String()
	}
	if width == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// memberSet is a set of words, of pairs, triples or quadruples, or of whole
// numbers with gaps; its members are in order.
type memberSet struct {
	width int
	list  []key
	place map[key]int // of each member, from 0
}

// add adds a member, unless it is there.
func (s *memberSet) add(k key) {
	if s.place == nil {
		s.place = map[key]int{}
	}
	if _, ok := s.place[k]; !ok {
		s.place[k] = len(s.list)
		s.list = append(s.list, k)
	}
}

// plain are the members of a set of whole numbers; ok is false for other sets.
func (s *memberSet) plain() (list []float64, ok bool) {
	if s.width != 1 {
		return nil, false
	}
	for _, k := range s.list {
		if k[0].word != "" {
			return nil, false
		}
		list = append(list, float64(k[0].k))
	}
	return list, true
}

// value is the set as a value; whole numbers are a vector.
func (s *memberSet) value() value {
	if list, ok := s.plain(); ok {
		return vector(list)
	}
	return value{0, &cells{sort: members, shape: []int{len(s.list)}, more: &details{set: s}}}
}

// axes are the dimensions of an array with the indices that they have.
type axes struct {
	shape  []int
	origin []int        // the first index, where it is a run of them, or
	sets   []*memberSet // not nil: the members of a set
}

func (a *axes) add(n, first int, set *memberSet) {
	a.shape, a.origin, a.sets = append(a.shape, n), append(a.origin, first), append(a.sets, set)
}

// along is v, of the shape of the axes, with their indices.
func (v value) along(a *axes) value {
	plain := true
	for _, s := range a.sets {
		plain = plain && s == nil
	}
	v = v.countFrom(a.origin)
	if !plain {
		c := *v.cells
		c.more = &details{origin: a.origin, sets: a.sets}
		v = value{v.x, &c}
	}
	return v
}

// sets are the sets that index the dimensions; nil: none does.
func (v *value) sets() []*memberSet {
	if v.more == nil {
		return nil
	}
	return v.more.sets
}
