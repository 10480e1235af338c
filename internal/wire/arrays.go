package wire

import "strconv"

// Floats is an array of numbers: in a header the number of a buffer.
type Floats struct {
	V   []float64
	ref int
}

// Ints is an array of integers.
type Ints struct {
	V   []int
	ref int
}

// Ints32 is an array of integers that is written as i32.
type Ints32 struct {
	V   []int32
	ref int
}

// Text is an array of bytes.
type Text struct {
	V   []byte
	ref int
}

// F, I and T make arrays of their argument, which they keep.
func F(v []float64) *Floats { return &Floats{V: v} }

// I is F for integers.
func I(v []int) *Ints { return &Ints{V: v} }

// T is F for bytes.
func T(v []byte) *Text { return &Text{V: v} }

// array stands in a header as the number of a buffer.
type array interface {
	load(b *Buffers) error
	store(b *Body)
}

func (a *Floats) load(b *Buffers) (err error) { a.V, err = b.Floats(a.ref); return }
func (a *Ints) load(b *Buffers) (err error)   { a.V, err = b.Ints(a.ref); return }
func (a *Text) load(b *Buffers) (err error)   { a.V, err = b.Text(a.ref); return }
func (a *Floats) store(b *Body)               { a.ref = *b.Floats(a.V) }
func (a *Ints) store(b *Body)                 { a.ref = *b.Ints(a.V) }
func (a *Text) store(b *Body)                 { a.ref = *b.Text(a.V) }

func (a *Ints32) load(b *Buffers) error {
	v, err := b.Ints(a.ref)
	a.V = make([]int32, len(v))
	for k, x := range v {
		a.V[k] = int32(x)
	}
	return err
}

func (a *Ints32) store(b *Body) { a.ref = *b.Ints32(a.V) }

// MarshalJSON is the number of the buffer.
func (a *Floats) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(a.ref), 10), nil }

// MarshalJSON is the number of the buffer.
func (a *Ints) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(a.ref), 10), nil }

// MarshalJSON is the number of the buffer.
func (a *Ints32) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(a.ref), 10), nil }

// MarshalJSON is the number of the buffer.
func (a *Text) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(a.ref), 10), nil }

func number(b []byte, dst *int) error {
	v, err := strconv.Atoi(string(b))
	if err != nil || v < 0 {
		return &BadBufferError{string(b)}
	}
	*dst = v
	return nil
}

// BadBufferError says that the number of a buffer is none.
type BadBufferError struct{ Text string }

func (e *BadBufferError) Error() string {
	if len(e.Text) > 40 {
		e.Text = e.Text[:40] + "..."
	}
	return e.Text + " is not the number of a buffer"
}

// UnmarshalJSON reads the number of the buffer.
func (a *Floats) UnmarshalJSON(b []byte) error { return number(b, &a.ref) }

// UnmarshalJSON reads the number of the buffer.
func (a *Ints) UnmarshalJSON(b []byte) error { return number(b, &a.ref) }

// UnmarshalJSON reads the number of the buffer.
func (a *Ints32) UnmarshalJSON(b []byte) error { return number(b, &a.ref) }

// UnmarshalJSON reads the number of the buffer.
func (a *Text) UnmarshalJSON(b []byte) error { return number(b, &a.ref) }
