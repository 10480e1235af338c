package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

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
func (e *Entry) UnmarshalJSON(b []byte) (err error) {
	var pair []json.RawMessage
	var name string
	switch {
	case json.Unmarshal(b, &pair) != nil || len(pair) != 2:
		return fmt.Errorf("a line of buffers is %.40s, want [kind, count]", b)
	case json.Unmarshal(pair[0], &name) != nil:
		return fmt.Errorf("the kind of a buffer is %.40s, want a text", pair[0])
	}
	if e.Kind, err = ParseKind(name); err == nil && json.Unmarshal(pair[1], &e.Count) != nil {
		return fmt.Errorf("the count of a buffer is %.40s, want an integer >= 0", pair[1])
	}
	return err
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

// Add adds a buffer and returns its number.
func Add[T Element](b *Body, v []T) int {
	b.pad()
	kind := F64
	switch v := any(v).(type) {
	case []int:
		kind = I64
		for _, x := range v {
			b.data = binary.LittleEndian.AppendUint64(b.data, uint64(x))
		}
	case []byte:
		kind, b.data = U8, append(b.data, v...)
	default:
		if _, short := v.([]int32); short {
			kind = I32
		}
		b.data, _ = binary.Append(b.data, binary.LittleEndian, v) // which is of fixed size
	}
	b.Table = append(b.Table, Entry{kind, uint64(len(v))})
	return len(b.Table) - 1
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

// Part is buffer k, which must be of the kind of T; integers of either size are integers.
func Part[T Element](b *Buffers, k int) (v []T, err error) {
	if k < 0 || k >= len(b.parts) {
		return nil, fmt.Errorf("buffer %d does not exist; the frame has %d", k, len(b.parts))
	}
	kind, p, want := b.table[k].Kind, b.parts[k], "i32 or i64"
	switch to := any(&v).(type) {
	case *[]float64:
		if want = "f64"; kind == F64 {
			*to = make([]float64, len(p)/8)
			_, err = binary.Decode(p, binary.LittleEndian, *to)
			return v, err
		}
	case *[]byte:
		if want = "u8"; kind == U8 {
			*to = p
			return v, nil
		}
	default:
		if kind == I32 || kind == I64 {
			v = make([]T, uint64(len(p))/kindSize[kind])
			return v, integers(v, k, kind, p)
		}
	}
	return nil, fmt.Errorf("buffer %d is of kind %v, want %s", k, kind, want)
}

// integers reads buffer k into v.
func integers[T Element](v []T, k int, kind Kind, p []byte) error {
	for i := range v {
		if kind == I32 {
			v[i] = T(int32(binary.LittleEndian.Uint32(p[4*i:])))
			continue
		}
		x := int64(binary.LittleEndian.Uint64(p[8*i:]))
		if v[i] = T(x); int64(v[i]) != x {
			return fmt.Errorf("buffer %d holds %d, too large for this machine", k, x)
		}
	}
	return nil
}

// Bytes are the buffers so far, one after the other.
func (b *Body) Bytes() []byte {
	b.pad()
	return b.data
}
