package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/enum"
)

// Kind is the type of the elements of a buffer.
type Kind uint8

// The kinds.
const (
	F64 Kind = iota
	I64
	I32
	U8
	numKind
)

var kindText = [numKind]string{"f64", "i64", "i32", "u8"}
var kindSize = [numKind]uint64{8, 8, 4, 1}

func (k Kind) String() string { return enum.String(k, "Kind", kindText[:]) }

// ParseKind is the inverse of String.
func ParseKind(name string) (Kind, error) {
	return enum.Parse[Kind](name, "no kind of buffers", kindText[:])
}

// Entry is the line of a buffer in the table of a header.
type Entry struct {
	Kind  Kind
	Count uint64
}

// MarshalJSON writes [kind, count].
func (e Entry) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%q,%d]", e.Kind.String(), e.Count), nil
}

// UnmarshalJSON reads [kind, count].
func (e *Entry) UnmarshalJSON(b []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(b, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf("a line of buffers is %.40s, want [kind, count]", b)
	}
	var name string
	if err := json.Unmarshal(pair[0], &name); err != nil {
		return fmt.Errorf("the kind of a buffer is %.40s, want a text", pair[0])
	}
	kind, err := ParseKind(name)
	if err != nil {
		return err
	}
	e.Kind = kind
	if err := json.Unmarshal(pair[1], &e.Count); err != nil {
		return fmt.Errorf("the count of a buffer is %.40s, want an integer >= 0", pair[1])
	}
	return nil
}

// Body collects the buffers of a frame to be written.
type Body struct {
	Table []Entry
	data  []byte
}

func (b *Body) pad() {
	for len(b.data)%align != 0 {
		b.data = append(b.data, 0)
	}
}

func (b *Body) begin(k Kind, n int) {
	b.pad()
	b.Table = append(b.Table, Entry{k, uint64(n)})
}

// Floats adds a buffer and returns its number.
func (b *Body) Floats(v []float64) *int {
	b.begin(F64, len(v))
	at := len(b.data)
	b.data = append(b.data, make([]byte, 8*len(v))...)
	dst := b.data[at:]
	for k, x := range v {
		binary.LittleEndian.PutUint64(dst[8*k:], math.Float64bits(x))
	}
	return b.last()
}

// Ints adds a buffer of kind i64.
func (b *Body) Ints(v []int) *int {
	b.begin(I64, len(v))
	for _, x := range v {
		b.data = binary.LittleEndian.AppendUint64(b.data, uint64(x))
	}
	return b.last()
}

// Ints32 adds a buffer of kind i32.
func (b *Body) Ints32(v []int32) *int {
	b.begin(I32, len(v))
	for _, x := range v {
		b.data = binary.LittleEndian.AppendUint32(b.data, uint32(x))
	}
	return b.last()
}

// Text adds a buffer of kind u8.
func (b *Body) Text(v []byte) *int {
	b.begin(U8, len(v))
	b.data = append(b.data, v...)
	return b.last()
}

func (b *Body) last() *int {
	n := len(b.Table) - 1
	return &n
}

// Buffers of a frame that was read.
type Buffers struct {
	table []Entry
	parts [][]byte
}

// NewBuffers cuts a body into the buffers of a table.
func NewBuffers(table []Entry, body []byte) (*Buffers, error) {
	b := &Buffers{table: table, parts: make([][]byte, len(table))}
	at, end := uint64(0), uint64(len(body))
	for k, e := range table {
		at = (at + align - 1) / align * align
		size := kindSize[e.Kind]
		if at > end || e.Count > (end-at)/size {
			return nil, fmt.Errorf("buffer %d, %d numbers of kind %v, goes beyond the body of %d bytes", k, e.Count,
				e.Kind, end)
		}
		b.parts[k] = body[at : at+e.Count*size]
		at += e.Count * size
	}
	if at = (at + align - 1) / align * align; at != end {
		return nil, fmt.Errorf("the body has %d bytes, its buffers %d", end, at)
	}
	return b, nil
}

// pick is buffer number k.
func (b *Buffers) pick(k int) (Kind, []byte, error) {
	if b == nil || k < 0 || k >= len(b.parts) {
		n := 0
		if b != nil {
			n = len(b.parts)
		}
		return 0, nil, fmt.Errorf("buffer %d does not exist; the frame has %d", k, n)
	}
	return b.table[k].Kind, b.parts[k], nil
}

// Floats is buffer k, which must be of kind f64.
func (b *Buffers) Floats(k int) ([]float64, error) {
	kind, p, err := b.pick(k)
	if err != nil {
		return nil, err
	}
	if kind != F64 {
		return nil, fmt.Errorf("buffer %d is of kind %v, want f64", k, kind)
	}
	out := make([]float64, len(p)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(p[8*i:]))
	}
	return out, nil
}

// Ints is buffer k, which must be of kind i32 or i64.
func (b *Buffers) Ints(k int) ([]int, error) {
	kind, p, err := b.pick(k)
	if err != nil {
		return nil, err
	}
	switch kind {
	case I32:
		out := make([]int, len(p)/4)
		for i := range out {
			out[i] = int(int32(binary.LittleEndian.Uint32(p[4*i:])))
		}
		return out, nil
	case I64:
		out := make([]int, len(p)/8)
		for i := range out {
			v := int64(binary.LittleEndian.Uint64(p[8*i:]))
			if int64(int(v)) != v {
				return nil, fmt.Errorf("buffer %d holds %d, too large for this machine", k, v)
			}
			out[i] = int(v)
		}
		return out, nil
	}
	return nil, fmt.Errorf("buffer %d is of kind %v, want i32 or i64", k, kind)
}

// Text is buffer k, which must be of kind u8.
func (b *Buffers) Text(k int) ([]byte, error) {
	kind, p, err := b.pick(k)
	if err == nil && kind != U8 {
		err = fmt.Errorf("buffer %d is of kind %v, want u8", k, kind)
	}
	return p, err
}

// Bytes are the buffers so far, one after the other.
func (b *Body) Bytes() []byte {
	b.pad()
	return b.data
}
