package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// number is a float64 that is null in JSON where JSON has no number for it.
type number float64

func (v number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(v)), nil }

func appendNumber(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, v, format, -1, 64)
}

func numbers(v []float64) []number {
	out := make([]number, len(v))
	for k, x := range v {
		out[k] = number(x)
	}
	return out
}

// member is a name and a value of an object.
type member struct {
	name  string
	value any
}

// object is a JSON object whose members keep their order.
type object []member

func (o object) MarshalJSON() ([]byte, error) {
	buf := []byte{'{'}
	for k, m := range o {
		if k > 0 {
			buf = append(buf, ',')
		}
		name, err := marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		buf = append(append(append(buf, name...), ':'), value...)
	}
	return append(buf, '}'), nil
}

// nested is an array of the given shape, row by row; without a shape it is one
// number.
type nested struct {
	shape []int
	v     []float64
}

func (a nested) MarshalJSON() ([]byte, error) {
	buf, _ := appendNested(nil, a.shape, a.v)
	return buf, nil
}

func appendNested(dst []byte, shape []int, v []float64) (buf []byte, rest []float64) {
	if len(shape) == 0 {
		return appendNumber(dst, v[0]), v[1:]
	}
	dst = append(dst, '[')
	for k := range shape[0] {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst, v = appendNested(dst, shape[1:], v)
	}
	return append(dst, ']'), v
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// line is v as one line of JSON.
func line(v any) ([]byte, error) {
	b, err := marshal(v)
	return append(b, '\n'), err
}
