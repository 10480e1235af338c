//go:build !lean

package dc

import (
	"math/bits"
	"slices"
)

// rowTable finds terms by the hashes of their rows.
type rowTable struct {
	hashes []uint64
	slots  []int32 // an open hash table of the first term of each hash, from 1; its length is a power of two
}

// find is the first term with this hash, -1 where there is none, and its place in slots.
func (t *rowTable) find(h uint64) (first, slot int) {
	if len(t.slots) == 0 {
		return -1, 0
	}
	mask := len(t.slots) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		if k := int(t.slots[i]) - 1; k < 0 || t.hashes[k] == h {
			return k, i
		}
	}
}

func (t *rowTable) has(h uint64) bool {
	first, _ := t.find(h)
	return first >= 0
}

// add adds a term and returns the first one with this hash, which may be it.
func (t *rowTable) add(h uint64) (first int) {
	t.expect(1)
	first, slot := t.find(h)
	t.hashes = append(t.hashes, h)
	if first < 0 {
		first = len(t.hashes) - 1
		t.slots[slot] = int32(first + 1)
	}
	return first
}

// expect makes room for so many more terms.
func (t *rowTable) expect(more int) {
	n := len(t.hashes) + more
	if 2*n <= len(t.slots) {
		return
	}
	t.hashes = slices.Grow(t.hashes, more)
	t.slots = make([]int32, 1<<bits.Len(uint(3*n)))
	for k, h := range t.hashes {
		if first, slot := t.find(h); first < 0 {
			t.slots[slot] = int32(k + 1)
		}
	}
}

// part is the table of some terms, by their places in the list.
func (t *rowTable) part(list []int32) rowTable {
	out := rowTable{}
	out.expect(len(list))
	for _, k := range list {
		out.add(t.hashes[k])
	}
	return out
}
