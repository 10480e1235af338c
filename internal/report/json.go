package report

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dcopt/dcopt/internal/record"
)

// Number is a float64 that is null in JSON where JSON has no number for it.
type Number = record.Number

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

// Member is a name and a value of an object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object whose members keep their order.
type Object []Member

func (o Object) appendJSON(dst []byte) (buf []byte, err error) {
	dst = append(dst, '{')
	for k, m := range o {
		if k > 0 {
			dst = append(dst, ',')
		}
		if dst, err = AppendJSON(append(appendString(dst, m.Name), ':'), m.Value); err != nil {
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

// AppendJSON appends v: text, numbers, truths, bytes (in base 64), and lists, pointers, maps by
// words and structs of such values, with the tags that package encoding/json reads. That package
// would be a twentieth of the code that a browser has to load, and goes over the text of the parts
// of a value again for each level around them.
func AppendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case Object:
		return v.appendJSON(dst)
	case Nested:
		dst, _ = appendNested(dst, v.Shape, v.V)
		return dst, nil
	case []Number:
		return appendNumbers(dst, v), nil
	case []byte:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v), '"'), nil
	}
	return appendValue(dst, reflect.ValueOf(v))
}

// appendValue is AppendJSON of the other values.
func appendValue(dst []byte, v reflect.Value) ([]byte, error) {
	switch {
	case v.Kind() == reflect.String:
		return appendString(dst, v.String()), nil
	case v.CanFloat():
		return AppendNumber(dst, v.Float()), nil
	case v.CanInt():
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case v.CanUint():
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return AppendJSON(dst, v.Elem().Interface())
	case reflect.Slice, reflect.Array:
		return appendList(dst, v)
	case reflect.Struct:
		return members(v).appendJSON(dst)
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			var o Object
			for _, key := range v.MapKeys() {
				o = append(o, Member{key.String(), v.MapIndex(key).Interface()})
			}
			slices.SortStableFunc(o, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
			return o.appendJSON(dst)
		}
	}
	return nil, fmt.Errorf("report: no JSON for %v", v.Type())
}

// members are the fields of a struct.
func members(v reflect.Value) (o Object) {
	for k := range v.NumField() {
		name, rest, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
		f := v.Field(k)
		empty := f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0
		if name != "-" && v.Type().Field(k).IsExported() && !(empty && rest == "omitempty") {
			o = append(o, Member{cmp.Or(name, v.Type().Field(k).Name), f.Interface()})
		}
	}
	return o
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

func appendList(dst []byte, list reflect.Value) (buf []byte, err error) {
	if list.Kind() == reflect.Slice && list.IsNil() {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	for k := range list.Len() {
		if k > 0 {
			dst = append(dst, ',')
		}
		if dst, err = AppendJSON(dst, list.Index(k).Interface()); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendString appends a text in quotes.
func appendString(dst []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	const hex = "0123456789abcdef"
	short := map[rune]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'}
	dst = append(dst, '"')
	for k := 0; k < len(s); {
		c, n := utf8.DecodeRuneInString(s[k:])
		switch {
		case short[c] != 0:
			dst = append(dst, '\\', short[c])
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c == '\u2028' || c == '\u2029': // ends of lines in a script
			dst = append(dst, '\\', 'u', '2', '0', '2', hex[c&15])
		case c == utf8.RuneError && n == 1:
			dst = append(dst, "\\ufffd"...)
		default:
			dst = append(dst, s[k:k+n]...)
		}
		k += n
	}
	return append(dst, '"')
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

// Print writes v as one line of JSON.
func Print(w io.Writer, v any) error {
	b, err := Line(v)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// Line is v as one line of JSON.
func Line(v any) ([]byte, error) {
	b, err := AppendJSON(nil, v)
	return append(b, '\n'), err
}
