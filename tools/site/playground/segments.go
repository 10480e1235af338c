package playground

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Go's linker leaves out every run of more than eight zeros from the data of a module: an
// engine has 100 000 segments, whose headers compress badly. With fewer of them the data takes a
// fifth less, compressed. WebAssembly 2.0, sections 5.5.2 and 5.5.14.

const (
	dataSection = 11
	// gap is the number of zeros from which on segments are apart.
	// Source: 64 to 4096 give sizes within 0.2 % of each other; no answer depends on it.
	gap = 512
	// mostMemory bounds the data. Source: ten times the data of the engine.
	mostMemory = 64 << 20
)

// errModule says that bytes are no module as Go's linker writes them.
var errModule = errors.New("unexpected form of a WebAssembly module")

// smaller returns a module with fewer segments of data, which fill its memory alike but for
// the places of source code.
func smaller(module []byte) ([]byte, error) {
	const head = len("\x00asm\x01\x00\x00\x00")
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errModule
	}
	out := bytes.Clone(module[:head])
	for r := (&reader{module, head}); r.at < len(module); {
		id, err := r.byte()
		if err != nil {
			return nil, err
		}
		content, err := r.bytes()
		if err != nil {
			return nil, err
		}
		if id == dataSection {
			memory, err := readSegments(content)
			if err != nil {
				return nil, err
			}
			forgetPlaces(memory)
			content = appendSegments(nil, cut(memory))
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(content)))
		out = append(out, content...)
	}
	return out, nil
}

// segment is data for the memory from a place on.
type segment struct {
	at   int64
	data []byte
}

// readSegments returns the memory that the segments of a data section fill.
func readSegments(content []byte) (memory []byte, err error) {
	r := &reader{content, 0}
	n, err := r.uint()
	if err != nil {
		return nil, err
	}
	var list []segment
	for range n {
		// Kind 0, active in memory 0; i32.const, the place, end.
		kind, err := r.byte()
		op, err2 := r.byte()
		if err != nil || err2 != nil || kind != 0 || op != 0x41 {
			return nil, errModule
		}
		at, err := r.int()
		if err != nil || at < 0 || at > mostMemory {
			return nil, errModule
		}
		if end, err := r.byte(); err != nil || end != 0x0b {
			return nil, errModule
		}
		data, err := r.bytes()
		if err != nil {
			return nil, err
		}
		list = append(list, segment{at, data})
	}
	if r.at != len(content) {
		return nil, errModule
	}
	slices.SortFunc(list, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	for _, s := range list {
		if s.at < int64(len(memory)) {
			return nil, fmt.Errorf("%w: segments overlap", errModule)
		}
		memory = append(append(memory, make([]byte, s.at-int64(len(memory)))...), s.data...)
	}
	return memory, nil
}

// cut returns the segments of a memory between long runs of zeros.
func cut(memory []byte) (out []segment) {
	from, last := -1, 0 // the segment that has begun, -1 for none, and the end of its last byte that is not 0
	for at, b := range memory {
		switch {
		case b == 0:
			continue
		case from < 0:
			from = at
		case at-last > gap:
			out = append(out, segment{int64(from), memory[from:last]})
			from = at
		}
		last = at + 1
	}
	if from >= 0 {
		out = append(out, segment{int64(from), memory[from:last]})
	}
	return out
}

func appendSegments(dst []byte, segments []segment) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(segments)))
	for _, s := range segments {
		dst = append(dst, 0, 0x41)
		dst = appendInt(dst, s.at)
		dst = append(dst, 0x0b)
		dst = binary.AppendUvarint(dst, uint64(len(s.data)))
		dst = append(dst, s.data...)
	}
	return dst
}

// appendInt appends a signed number in LEB128.
func appendInt(dst []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

// reader reads the parts of a module.
type reader struct {
	s  []byte
	at int
}

func (r *reader) byte() (byte, error) {
	if r.at >= len(r.s) {
		return 0, errModule
	}
	r.at++
	return r.s[r.at-1], nil
}

// uint reads an unsigned number in LEB128.
func (r *reader) uint() (uint64, error) {
	v, n := binary.Uvarint(r.s[r.at:])
	if n <= 0 {
		return 0, errModule
	}
	r.at += n
	return v, nil
}

// int reads a signed number in LEB128.
func (r *reader) int() (v int64, err error) {
	for shift := 0; shift < 64; shift += 7 {
		b, err := r.byte()
		if err != nil {
			return 0, err
		}
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 57 {
				v |= -1 << (shift + 7)
			}
			return v, nil
		}
	}
	return 0, errModule
}

// bytes reads a length and so many bytes.
func (r *reader) bytes() ([]byte, error) {
	n, err := r.uint()
	if err != nil || n > uint64(len(r.s)-r.at) {
		return nil, errModule
	}
	r.at += int(n)
	return r.s[r.at-int(n) : r.at], nil
}
