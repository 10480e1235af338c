package arrays

import (
	"bytes"
	"cmp"
	"fmt"
)

// Dense is an array, its values in row-major order.
type Dense struct {
	Shape  []int // none: a number
	Values []float64
}

// Sparse is a matrix with its rows in compressed form: row i has the entries
// Val[Ptr[i]:Ptr[i+1]] in the columns Idx[Ptr[i]:Ptr[i+1]], which ascend from 0. No
// entry is 0.
type Sparse struct {
	Rows, Cols int
	Ptr, Idx   []int
	Val        []float64
}

// Limits bound the size of an array.
type Limits struct {
	Numbers    int
	Entries    int // of a sparse matrix, which take several times the memory; 0: Numbers
	Side       int // the rows, and the columns, of a sparse matrix
	Dimensions int
}

// sparse are the limits of the arrays that a sparse matrix is made of.
func (l Limits) sparse() Limits {
	l.Numbers = cmp.Or(l.Entries, l.Numbers)
	return l
}

// Error is a complaint about a place in a file.
type Error struct {
	Line, Col int // of a text, from 1; Line 0: none. Col counts bytes; 0: none
	Msg       string
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Msg
	case e.Col == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	}
	return fmt.Sprintf("line %d column %d: %s", e.Line, e.Col, e.Msg)
}

// wrong is an Error without a place.
func wrong(format string, args ...any) error { return &Error{Msg: fmt.Sprintf(format, args...)} }

// wrongAt is an Error at a byte of a text.
func wrongAt(text []byte, at int, format string, args ...any) error {
	at = min(at, len(text))
	line := 1 + bytes.Count(text[:at], []byte{'\n'})
	return &Error{line, at - bytes.LastIndexByte(text[:at], '\n'), fmt.Sprintf(format, args...)}
}

// sizeOf is the number of entries of a shape, at most limit.
func sizeOf(shape []int, lim Limits) (int, error) {
	if len(shape) > lim.Dimensions {
		return 0, wrong("the array has %d dimensions; %d at most", len(shape), lim.Dimensions)
	}
	n := 1
	for _, d := range shape {
		if d == 0 {
			return 0, nil
		}
	}
	for _, d := range shape {
		if n > lim.Numbers/d {
			return 0, wrong("more than %d numbers", lim.Numbers)
		}
		n *= d
	}
	return n, nil
}

// place is the index, from 1, of an entry of an array.
func place(k int, shape []int) string {
	if len(shape) == 0 {
		return "the number"
	}
	text := "]"
	for d := len(shape) - 1; d >= 0; d-- {
		text = fmt.Sprint(1+k%shape[d]) + text
		if d > 0 {
			text = "," + text
		}
		k /= shape[d]
	}
	return "the entry [" + text
}
