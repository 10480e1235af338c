package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// Number is a float64 that is null in JSON where JSON has no number for it.
type Number float64

func (v Number) MarshalJSON() ([]byte, error) { return AppendNumber(nil, float64(v)), nil }

func AppendNumber(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "null"...)
	}
	if v == 0 && !math.Signbit(v) { // most multipliers
		return append(dst, '0')
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, v, format, -1, 64)
}

func Numbers(v []float64) []Number {
	out := make([]Number, len(v))
	for k, x := range v {
		out[k] = Number(x)
	}
	return out
}

// Member is a name and a value of an object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object whose members keep their order.
type Object []Member

func (o Object) MarshalJSON() ([]byte, error) { return AppendJSON(nil, o) }

func (o Object) appendJSON(dst []byte) (buf []byte, err error) {
	dst = append(dst, '{')
	for k, m := range o {
		if k > 0 {
			dst = append(dst, ',')
		}
		if dst, err = AppendJSON(dst, m.Name); err != nil {
			return nil, err
		}
		if dst, err = AppendJSON(append(dst, ':'), m.Value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// Nested is an array of the given shape, row by row; without a shape it is one
// number.
type Nested struct {
	Shape []int
	V     []float64
}

func (a Nested) MarshalJSON() ([]byte, error) { return AppendJSON(nil, a) }

func appendNested(dst []byte, shape []int, v []float64) (buf []byte, rest []float64) {
	if len(shape) == 0 {
		return AppendNumber(dst, v[0]), v[1:]
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

// AppendJSON is marshal that appends: encoding/json would go over the text of the parts
// of a value again for each level around them.
func AppendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case Object:
		return v.appendJSON(dst)
	case Nested:
		dst, _ = appendNested(dst, v.Shape, v.V)
		return dst, nil
	case Number:
		return AppendNumber(dst, float64(v)), nil
	case []Number:
		return appendNumbers(dst, v), nil
	case []any:
		return appendList(dst, v)
	case []Object:
		return appendList(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case string:
		if isPlain(v) {
			return append(append(append(dst, '"'), v...), '"'), nil
		}
	}
	b, err := Marshal(v)
	return append(dst, b...), err
}

func appendNumbers(dst []byte, list []Number) []byte {
	dst = append(dst, '[')
	for k, v := range list {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = AppendNumber(dst, float64(v))
	}
	return append(dst, ']')
}

func appendList[T any](dst []byte, list []T) (buf []byte, err error) {
	dst = append(dst, '[')
	for k, v := range list {
		if k > 0 {
			dst = append(dst, ',')
		}
		if dst, err = AppendJSON(dst, v); err != nil {
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

// Marshal is json.Marshal that leaves <, > and & as they are.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Line is v as one line of JSON.
func Line(v any) ([]byte, error) {
	b, err := AppendJSON(nil, v)
	return append(b, '\n'), err
}
