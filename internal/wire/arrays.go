package wire

import (
	"fmt"
	"reflect"
	"strconv"
)

// Element is the type of the entries of an array.
type Element interface{ float64 | int | int32 | byte }

// Array is an array of numbers or bytes: in a header the number of a buffer.
type Array[T Element] struct {
	V   []T
	ref int
}

// The arrays of messages. Ints32 are integers that are written as i32.
type (
	Floats = Array[float64]
	Ints   = Array[int]
	Ints32 = Array[int32]
	Text   = Array[byte]
)

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

func (a *Array[T]) load(b *Buffers) (err error) { a.V, err = Part[T](b, a.ref); return }
func (a *Array[T]) store(b *Body)               { a.ref = Add(b, a.V) }

// MarshalJSON is the number of the buffer.
func (a *Array[T]) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, int64(a.ref), 10), nil
}

// UnmarshalJSON reads the number of the buffer.
func (a *Array[T]) UnmarshalJSON(b []byte) error {
	v, err := strconv.Atoi(string(b))
	if err != nil || v < 0 {
		if len(b) > 40 {
			b = append(b[:40:40], "..."...)
		}
		return fmt.Errorf("%s is not the number of a buffer", b)
	}
	a.ref = v
	return nil
}

// visit calls f for the arrays of v that are there, in the order of the fields.
func visit(v reflect.Value, f func(a array) error) (err error) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if a, ok := v.Interface().(array); ok {
			return f(a)
		}
		return visit(v.Elem(), f)
	case reflect.Struct:
		for k := 0; k < v.NumField() && err == nil; k++ {
			err = visit(v.Field(k), f)
		}
	case reflect.Slice:
		inner := v.Type().Elem().Kind()
		for k := 0; k < v.Len() && err == nil && (inner == reflect.Struct || inner == reflect.Pointer); k++ {
			err = visit(v.Index(k), f)
		}
	case reflect.Map:
		for each := v.MapRange(); err == nil && each.Next(); {
			err = visit(each.Value(), f)
		}
	}
	return err
}
