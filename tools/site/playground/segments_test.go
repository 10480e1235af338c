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

// TestSmaller: the memory is the same, with fewer segments, and all else stays.
func TestSmaller(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []segment
	for at := int64(100); len(list) < 1000; at += int64(rng.IntN(900)) {
		data := make([]byte, 1+rng.IntN(60))
		for k := range data {
			data[k] = byte(1 + rng.IntN(255))
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
	out, err := smaller(module)
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
	data := func(content []byte) []byte { return section([]byte("\x00asm\x01\x00\x00\x00"), dataSection, content) }
	for _, bad := range [][]byte{nil, []byte("GIF89a"), module[:len(module)/2], data([]byte{1, 2, 0}),
		data(appendSegments(nil, []segment{{100, []byte("ab")}, {101, []byte("c")}})),
		data(appendSegments(nil, []segment{{mostMemory + 1, []byte("a")}}))} {
		if _, err := smaller(bad); !errors.Is(err, errModule) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	for _, v := range []int64{0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 31, -1, -64, -65, -1 << 31} {
		if got, err := (&reader{appendInt(nil, v), 0}).int(); got != v || err != nil {
			t.Errorf("%d is read back as %d, %v", v, got, err)
		}
	}
}

// TestForgetPlaces: files, lines and the tables that only tell them go; names and other tables
// stay, shared ones too, and all that is no table of functions.
func TestForgetPlaces(t *testing.T) {
	const before, names, units, counters, table = 16, headSize, headSize + 8, headSize + 24, headSize + 48
	long := binary.LittleEndian.AppendUint64
	short := binary.LittleEndian.AppendUint32
	mem := append(bytes.Repeat([]byte{7}, before), magic...)
	for _, v := range []uint64{2, 1, 0, names, units, units + 8, counters, table} {
		mem = long(mem, v)
	}
	mem = append(mem, "main\x00f\x00\x00"...)
	mem = append(mem, "\x01\x00\x00\x00\x02\x00\x00\x00file.go\x00"...)
	// Of bytes 1 to 5, 6 to 10, 11 to 13: pairs up to a 0. The first begins with one.
	mem = append(mem, "\x00\x00\x05\x02\x07\x00\x04\x05\x06\x07\x00\x08\x09\x00"...)
	mem = append(mem, make([]byte, before+table-len(mem))...)
	function := func(name, stack, file, line uint32, tables ...uint32) (out []byte) {
		for _, v := range []uint32{1, name, 3, 4, stack, file, line, uint32(len(tables)), 1, 99, 6} {
			out = short(out, v)
		}
		for _, v := range tables {
			out = short(out, v)
		}
		return out
	}
	first := function(0, 1, 6, 11)
	for _, v := range []uint32{0, 20, 100, uint32(20 + len(first)), 200} {
		mem = short(mem, v)
	}
	mem = append(append(mem, first...), function(5, 1, 11, 1, 0, 6)...)
	mem = append(mem, bytes.Repeat([]byte{7}, before)...)
	want := bytes.Clone(mem)
	clear(want[before+units : before+counters])
	clear(want[before+counters+11:][:3])
	for _, f := range []int{20, 20 + len(first)} {
		for _, member := range []int{funcFile, funcLine, funcUnit, funcStart} {
			clear(want[before+table+f+member:][:4])
		}
	}
	if forgetPlaces(mem); !bytes.Equal(mem, want) {
		t.Errorf("%q\nwant\n%q", mem, want)
	}
	unknown := append(bytes.Clone(magic), bytes.Repeat([]byte{9}, 100)...)
	for _, other := range [][]byte{nil, magic, bytes.Repeat([]byte("abc"), 100), unknown} {
		same := bytes.Clone(other)
		if forgetPlaces(same); !bytes.Equal(same, other) {
			t.Errorf("%q became %q", other, same)
		}
	}
}
