package wire

import "bytes"

// Again reads headers that differ from the last one in their id alone, as the solves of a loop do,
// without parsing them again. The id has to be the last member. The zero value has no last one; one
// of these is for one goroutine at a time.
type Again struct {
	head   []byte // of the last header, all before its id
	peeked Peeked
	solve  Solve
}

// untilID cuts a header whose last member is the id.
func untilID(header []byte) (before []byte, id uint64, ok bool) {
	const name = `,"id":`
	h := bytes.TrimRight(header, " ")
	n := len(h) - 1
	if n < 0 || h[n] != '}' {
		return nil, 0, false
	}
	first := n
	for first > 0 && h[first-1] >= '0' && h[first-1] <= '9' {
		first--
	}
	before, ok = bytes.CutSuffix(h[:first], []byte(name))
	if digits := h[first:n]; !ok || len(digits) == 0 || len(digits) > 15 || digits[0] == '0' {
		return nil, 0, false
	}
	for _, d := range h[first:n] {
		id = 10*id + uint64(d-'0')
	}
	return before, id, true
}

// is reports whether the header of f is the last one but for its id.
func (a *Again) is(f Frame) (id uint64, ok bool) {
	before, id, ok := untilID(f.Header)
	return id, ok && len(a.head) > 0 && bytes.Equal(before, a.head)
}

// keep makes the header of f the last one.
func (a *Again) keep(f Frame) {
	before, _, _ := untilID(f.Header)
	a.head = append(a.head[:0], before...)
}

// Peek is the function PeekHandles.
func (a *Again) Peek(f Frame) (Peeked, error) {
	if id, ok := a.is(f); ok {
		a.peeked.ID = id
		return a.peeked, nil
	}
	a.head = a.head[:0]
	peeked, err := PeekHandles(f)
	if err == nil {
		a.peeked = peeked
		a.keep(f)
	}
	return peeked, err
}

// Solve is a strict Parse of a solve, good until the next one; its numbers stay.
func (a *Again) Solve(f Frame) (*Solve, error) {
	if id, ok := a.is(f); ok {
		a.solve.ID = id
		return &a.solve, fill(&a.solve, f)
	}
	a.head, a.solve = a.head[:0], Solve{}
	err := Parse(f, &a.solve, true)
	if err == nil {
		a.keep(f)
	}
	return &a.solve, err
}
