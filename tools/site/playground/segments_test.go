package playground

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

// memory is what segments leave in a memory.
func memory(t *testing.T, module []byte) (mem []byte, segments int) {
	t.Helper()
	mem = make([]byte, 1<<20)
	r := &reader{module, 8}
	for r.at < len(module) {
		id, _ := r.byte()
		content, err := r.bytes()
		if err != nil {
			t.Fatal(err)
		}
		if id != dataSection {
			continue
		}
		c := &reader{content, 0}
		n, _ := c.uint()
		for range n {
			c.at += 2
			at, err := c.int()
			c.at++
			data, err2 := c.bytes()
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			copy(mem[at:], data)
		}
		segments = int(n)
	}
	return mem, segments
}

// TestMergeSegments: the memory is the same, with fewer segments, and all else stays.
func TestMergeSegments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []segment
	for at := int64(100); len(list) < 1000; at += int64(rng.IntN(900)) {
		data := make([]byte, 1+rng.IntN(60))
		for k := range data {
			data[k] = byte(rng.Uint32())
		}
		list = append(list, segment{at, data})
		at += int64(len(data))
	}
	list = append(list[500:], list[:500]...)
	section := func(dst []byte, id byte, content []byte) []byte {
		return append(binary.AppendUvarint(append(dst, id), uint64(len(content))), content...)
	}
	module := section([]byte("\x00asm\x01\x00\x00\x00"), 1, []byte("types"))
	module = section(module, dataSection, appendSegments(nil, list))
	module = section(module, 0, []byte("\x04nameend"))
	out, err := mergeSegments(module)
	if err != nil {
		t.Fatal(err)
	}
	before, n := memory(t, module)
	after, m := memory(t, out)
	if !bytes.Equal(before, after) || n != 1000 || m >= 800 || m < 100 {
		t.Errorf("%d segments became %d; the same memory: %v", n, m, bytes.Equal(before, after))
	}
	if !bytes.Contains(out, []byte("\x05types")) || !bytes.HasSuffix(out, []byte("\x04nameend")) {
		t.Error("other sections are not as they were")
	}
	for _, bad := range [][]byte{nil, []byte("GIF89a"), module[:len(module)/2], section([]byte("\x00asm\x01\x00\x00\x00"), dataSection, []byte{1, 2, 0}),
		section([]byte("\x00asm\x01\x00\x00\x00"), dataSection, appendSegments(nil, []segment{{100, []byte("ab")}, {101, []byte("c")}}))} {
		if _, err := mergeSegments(bad); !errors.Is(err, errModule) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	for _, v := range []int64{0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 31, -1, -64, -65, -1 << 31} {
		if got, err := (&reader{appendInt(nil, v), 0}).int(); got != v || err != nil {
			t.Errorf("%d is read back as %d, %v", v, got, err)
		}
	}
}
