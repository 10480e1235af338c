package value

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// MaxWidth is how many parts a member of a set may have.
// Source: the grammar: pairs, triples and quadruples.
const MaxWidth = 4

// Part is a part of a member of a set: a whole number, or a word.
type Part struct {
	K    int
	Word string // "": it is a number
}

func (p Part) String() string {
	if p.Word != "" {
		return syntax.Quoted(p.Word)
	}
	return fmt.Sprint(p.K)
}

// Member is a member of a set.
type Member [MaxWidth]Part

// Text is a member as it is written.
func (k *Member) Text(width int) string {
	parts := make([]string, width)
	for i := range parts {
		parts[i] = k[i].String()
	}
	if width == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Plain is the parts of a member without quotes.
func (k *Member) Plain(width int) string {
	parts := make([]string, width)
	for i, p := range k[:width] {
		if parts[i] = p.Word; p.Word == "" {
			parts[i] = p.String()
		}
	}
	return strings.Join(parts, ", ")
}

// Set is a set of words, of pairs, triples or quadruples, or of whole
// numbers with gaps; its members are in order.
type Set struct {
	Width int
	List  []Member
	Place map[Member]int // of each member, from 0
	Word  error          // of columns of a table: why they are no numbers
}

// Add adds a member, unless it is there.
func (s *Set) Add(k Member) {
	if s.Place == nil {
		s.Place = map[Member]int{}
	}
	if _, ok := s.Place[k]; !ok {
		s.Place[k] = len(s.List)
		s.List = append(s.List, k)
	}
}

// plain are the members of a set of whole numbers; ok is false for other sets.
func (s *Set) plain() (list []float64, ok bool) {
	if s.Width != 1 {
		return nil, false
	}
	for _, k := range s.List {
		if k[0].Word != "" {
			return nil, false
		}
		list = append(list, float64(k[0].K))
	}
	return list, true
}

// Parts is the number of indices that the set takes.
func (s *Set) Parts() int {
	if s == nil {
		return 0
	}
	return s.Width
}

// Indices are the N values of an index: the numbers from Lo on, a list of them, or a set.
type Indices struct {
	Lo, N int
	List  []int
	Set   *Set
}

// At is the k-th one.
func (m *Indices) At(k int) Member {
	switch {
	case m.Set != nil:
		return m.Set.List[k]
	case m.List != nil:
		return Member{{K: m.List[k]}}
	}
	return Member{{K: m.Lo + k}}
}
