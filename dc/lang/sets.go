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
	word  error       // of columns of a table: why they are no numbers
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

// parts is the number of indices that the set takes.
func (s *memberSet) parts() int {
	if s == nil {
		return 0
	}
	return s.width
}
