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

func (o object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o) }

func (o object) appendJSON(dst []byte) (buf []byte, err error) {
	dst = append(dst, '{')
	for k, m := range o {
		if k > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendJSON(dst, m.name); err != nil {
			return nil, err
		}
		if dst, err = appendJSON(append(dst, ':'), m.value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// nested is an array of the given shape, row by row; without a shape it is one
// number.
type nested struct {
	shape []int
	v     []float64
}

func (a nested) MarshalJSON() ([]byte, error) { return appendJSON(nil, a) }

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

// appendJSON is marshal that appends: encoding/json would go over the text of the parts
// of a value again for each level around them.
func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case object:
		return v.appendJSON(dst)
	case nested:
		dst, _ = appendNested(dst, v.shape, v.v)
		return dst, nil
	case number:
		return appendNumber(dst, float64(v)), nil
	case []number:
		return appendList(dst, v)
	case []any:
		return appendList(dst, v)
	case []object:
		return appendList(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case string:
		if isPlain(v) {
			return append(append(append(dst, '"'), v...), '"'), nil
		}
	}
	b, err := marshal(v)
	return append(dst, b...), err
}

func appendList[T any](dst []byte, list []T) (buf []byte, err error) {
	dst = append(dst, '[')
	for k, v := range list {
		if k > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendJSON(dst, v); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// isPlain reports whether a string stands for itself in JSON.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
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
	b, err := appendJSON(nil, v)
	return append(b, '\n'), err
}
