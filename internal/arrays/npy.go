package arrays

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// mostHeader bounds the header of an .npy file.
// Source: numpy.lib.format refuses headers of more than 10,000 characters.
const mostHeader = 10000

// ReadNPY reads an .npy file of numbers, which may be infinite, or truths. Whole
// numbers of 64 bits are rounded to the nearest float64.
func ReadNPY(r io.Reader, lim Limits) (Dense, error) {
	h, err := readHeader(r)
	if err != nil {
		return Dense{}, err
	}
	read, err := h.reader()
	if err != nil {
		return Dense{}, err
	}
	n, err := sizeOf(h.shape, lim)
	if err != nil {
		return Dense{}, err
	}
	values, err := h.values(r, n, read)
	if err != nil {
		return Dense{}, err
	}
	return Dense{h.shape, values}, nil
}

// header is the header of an .npy file.
type header struct {
	order  binary.ByteOrder
	kind   byte // i, u, f or b for numbers
	bytes  int  // of an entry
	column bool // the first index runs fastest
	shape  []int
	size   int64 // of the header and all before it
}

const magic = "\x93NUMPY"

func readHeader(r io.Reader) (*header, error) {
	var head [12]byte
	n, err := io.ReadFull(r, head[:10])
	if string(head[:min(n, len(magic))]) != magic {
		return nil, wrong("this is no .npy file: it does not begin as one")
	}
	if err != nil {
		return nil, cutOff(err)
	}
	length := int(binary.LittleEndian.Uint16(head[8:]))
	size := 10
	switch v := head[6]; {
	case v == 0 || v > 3:
		return nil, wrong("byte 7: version %d of the format is not known", v)
	case v > 1:
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return nil, cutOff(err)
		}
		if long := binary.LittleEndian.Uint32(head[8:]); long > mostHeader {
			length = mostHeader + 1
		} else {
			length = int(long)
		}
		size = 12
	}
	if length > mostHeader {
		return nil, wrong("byte 9: a header of more than %d bytes", mostHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, cutOff(err)
	}
	h := &header{size: int64(size + length)}
	p := &literal{text: string(text), offset: size}
	if err := p.header(h); err != nil {
		return nil, err
	}
	return h, nil
}

// cutOff names the end of a file that comes too early.
func cutOff(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return wrong("the file ends too early")
	}
	return err
}

// literal reads the dictionary of a header, as Python writes it.
type literal struct {
	text   string
	at     int
	offset int // of the text in the file
}

func (p *literal) wrong(format string, args ...any) error {
	return wrong("byte %d: "+format, append([]any{p.offset + p.at + 1}, args...)...)
}

func (p *literal) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// accept takes a text that comes next.
func (p *literal) accept(s string) bool {
	p.blanks()
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *literal) expect(s string) error {
	if !p.accept(s) {
		return p.wrong("a header that is not understood: want %s", s)
	}
	return nil
}

// quoted reads a string.
func (p *literal) quoted() (string, error) {
	p.blanks()
	if p.at < len(p.text) {
		if q := p.text[p.at]; q == '\'' || q == '"' {
			if end := strings.IndexByte(p.text[p.at+1:], q); end >= 0 {
				s := p.text[p.at+1 : p.at+1+end]
				p.at += end + 2
				return s, nil
			}
		}
	}
	return "", p.wrong("a header that is not understood: want a string")
}

func (p *literal) header(h *header) error {
	if err := p.expect("{"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for !p.accept("}") {
		at := p.at
		key, err := p.quoted()
		if err != nil {
			return err
		}
		if err := p.expect(":"); err != nil {
			return err
		}
		switch {
		case seen[key]:
			p.at = at
			return p.wrong("the header has %q twice", key)
		case key == "descr":
			err = p.descr(h)
		case key == "fortran_order":
			if h.column = p.accept("True"); !h.column {
				err = p.expect("False")
			}
		case key == "shape":
			h.shape, err = p.shape()
		default:
			p.at = at
			return p.wrong("the header has %q, which is not known", key)
		}
		if err != nil {
			return err
		}
		seen[key] = true
		if !p.accept(",") {
			if err := p.expect("}"); err != nil {
				return err
			}
			break
		}
	}
	if p.blanks(); p.at < len(p.text) {
		return p.wrong("the header goes on behind its end")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return p.wrong("the header has no %q", key)
		}
	}
	return nil
}

// descr reads the type of the entries, such as '<f8'.
func (p *literal) descr(h *header) error {
	if p.accept("[") {
		return p.wrong("the entries are records; save one field of them")
	}
	at := p.at
	s, err := p.quoted()
	if err != nil {
		return err
	}
	h.order = binary.LittleEndian
	if s != "" && strings.IndexByte("<>|=", s[0]) >= 0 {
		if s[0] == '>' {
			h.order = binary.BigEndian
		}
		s = s[1:]
	}
	if s == "" {
		p.at = at
		return p.wrong("the entries have no type")
	}
	h.kind = s[0]
	if h.bytes, err = strconv.Atoi(s[1:]); (err != nil || h.bytes < 0) && h.kind != 'O' && h.kind != 'M' &&
		h.kind != 'm' {
		p.at = at
		return p.wrong("the type %q of the entries is not known", s)
	}
	return nil
}

// shape reads a tuple of numbers.
func (p *literal) shape() (out []int, err error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for !p.accept(")") {
		p.blanks()
		from := p.at
		for p.at < len(p.text) && p.text[p.at]-'0' < 10 {
			p.at++
		}
		d, err := strconv.Atoi(p.text[from:p.at])
		if err != nil {
			p.at = from
			return nil, p.wrong("a header that is not understood: want a dimension")
		}
		p.accept("L") // of Python 2
		out = append(out, d)
		if !p.accept(",") {
			return out, p.expect(")")
		}
	}
	return out, nil
}

// reader is a function that reads the first entry of some bytes.
func (h *header) reader() (func(b []byte) float64, error) {
	o := h.order
	switch fmt.Sprintf("%c%d", h.kind, h.bytes) {
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }, nil
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }, nil
	case "f2":
		return func(b []byte) float64 { return half(o.Uint16(b)) }, nil
	case "i8":
		return func(b []byte) float64 { return float64(int64(o.Uint64(b))) }, nil
	case "i4":
		return func(b []byte) float64 { return float64(int32(o.Uint32(b))) }, nil
	case "i2":
		return func(b []byte) float64 { return float64(int16(o.Uint16(b))) }, nil
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }, nil
	case "u8":
		return func(b []byte) float64 { return float64(o.Uint64(b)) }, nil
	case "u4":
		return func(b []byte) float64 { return float64(o.Uint32(b)) }, nil
	case "u2":
		return func(b []byte) float64 { return float64(o.Uint16(b)) }, nil
	case "u1", "b1":
		return func(b []byte) float64 { return float64(b[0]) }, nil
	}
	switch h.kind {
	case 'c':
		return nil, wrong("the entries are complex; save the real and the imaginary parts by themselves")
	case 'S', 'U', 'a':
		return nil, wrong("the entries are words, not numbers")
	case 'O':
		return nil, wrong("the entries are Python objects, which are not read; save an array of numbers")
	}
	return nil, wrong("entries of type %c%d are not read; save them as float64", h.kind, h.bytes)
}

// half is the number of a float of 16 bits.
func half(b uint16) float64 {
	exponent, fraction := int(b>>10&31), float64(b&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	return math.Copysign(v, 1-2*float64(b>>15))
}

// chunk is how many entries are read at a time.
const chunk = 1 << 14

// values reads the n entries that fill the rest of a file.
func (h *header) values(r io.Reader, n int, read func([]byte) float64) ([]float64, error) {
	out := make([]float64, 0, min(n, chunk))
	buf := make([]byte, min(n, chunk)*h.bytes)
	for len(out) < n {
		part := buf[:min(n-len(out), chunk)*h.bytes]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, cutOff(err)
		}
		for ; len(part) > 0; part = part[h.bytes:] {
			out = append(out, read(part))
		}
	}
	var one [1]byte
	if k, err := r.Read(one[:]); k > 0 {
		return nil, wrong("byte %d: the file goes on behind its array", h.size+int64(n*h.bytes)+1)
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	if h.column && len(h.shape) > 1 {
		out = rowMajor(out, h.shape)
	}
	for k, v := range out {
		if math.IsNaN(v) {
			return nil, wrong("%s is NaN", place(k, h.shape))
		}
	}
	return out, nil
}

// rowMajor reorders values whose first index runs fastest.
func rowMajor(values []float64, shape []int) []float64 {
	out := make([]float64, len(values))
	strides := make([]int, len(shape)) // of each index in values
	step := 1
	for d, n := range shape {
		strides[d], step = step, step*n
	}
	at, from := make([]int, len(shape)), 0
	for k := range out {
		out[k] = values[from]
		for d := len(shape) - 1; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				from += strides[d]
				break
			}
			from -= (at[d] - 1) * strides[d]
			at[d] = 0
		}
	}
	return out
}

// Rows are the rows of a matrix in an .npy file, one block after the other.
type Rows struct {
	Count, Width int
	r            io.Reader
	h            *header
	read         func([]byte) float64
	left         int
	buf          []byte
}

// OpenRows reads the header of a matrix of numbers. A file that has the columns one after the
// other is refused.
func OpenRows(r io.Reader) (*Rows, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	read, err := h.reader()
	if err != nil {
		return nil, err
	}
	switch {
	case len(h.shape) != 2 || h.shape[1] == 0:
		return nil, wrong("an array of shape %v; want a matrix, a row per row of the table", h.shape)
	case h.column && h.shape[1] > 1:
		return nil, wrong("the matrix is in the order of columns; save numpy.ascontiguousarray of it")
	case h.shape[1] > mostWidth:
		return nil, wrong("a matrix of %d columns; %d at most may be", h.shape[1], mostWidth)
	}
	return &Rows{Count: h.shape[0], Width: h.shape[1], r: r, h: h, read: read, left: h.shape[0]}, nil
}

// mostWidth bounds the columns of a matrix that is read by rows.
// Source: a limit of memory.
const mostWidth = 1 << 20

// asInMemory reports whether the file has numbers as this machine has them in memory: reading is
// copying then.
func (r *Rows) asInMemory() bool {
	one := []byte{1, 0}
	return r.h.kind == 'f' && r.h.bytes == 8 && r.h.order.Uint16(one) == binary.NativeEndian.Uint16(one)
}

// Next reads rows into dst, as many as fit, one after the other, and returns how many: 0 at the
// end. Entries may be NaN.
func (r *Rows) Next(dst []float64) (int, error) {
	n := min(r.left, len(dst)/r.Width)
	if n == 0 {
		if r.left > 0 {
			return 0, io.ErrShortBuffer
		}
		var one [1]byte
		if k, err := r.r.Read(one[:]); k > 0 {
			return 0, wrong("byte %d: the file goes on behind its array",
				r.h.size+int64(r.Count)*int64(r.Width*r.h.bytes)+1)
		} else if err != nil && err != io.EOF {
			return 0, err
		}
		return 0, nil
	}
	numbers := dst[:n*r.Width]
	if r.asInMemory() {
		if _, err := io.ReadFull(r.r, unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), 8*len(numbers))); err != nil {
			return 0, cutOff(err)
		}
	} else {
		size := len(numbers) * r.h.bytes
		if cap(r.buf) < size {
			r.buf = make([]byte, size)
		}
		part := r.buf[:size]
		if _, err := io.ReadFull(r.r, part); err != nil {
			return 0, cutOff(err)
		}
		for k := range numbers {
			numbers[k] = r.read(part[k*r.h.bytes:])
		}
	}
	r.left -= n
	return n, nil
}
