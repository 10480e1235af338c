package playground

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// text is JSON under construction. encoding/json is not used: it and the reflection that it
// needs are a twentieth of the code that a browser has to load.
type text []byte

// sep writes the comma before a member or element, unless it is the first.
func (t *text) sep() {
	if n := len(*t); n > 0 {
		switch (*t)[n-1] {
		case '{', '[', ':':
		default:
			*t = append(*t, ',')
		}
	}
}

// key begins a member of an object.
func (t *text) key(name string) {
	t.string(name)
	*t = append(*t, ':')
}

// object writes an object whose members f writes, array an array.
func (t *text) object(f func()) { t.within('{', '}', f) }
func (t *text) array(f func())  { t.within('[', ']', f) }

func (t *text) within(open, end byte, f func()) {
	t.sep()
	*t = append(*t, open)
	f()
	*t = append(*t, end)
}

// raw writes JSON that is ready.
func (t *text) raw(json []byte) {
	t.sep()
	*t = append(*t, json...)
}

func (t *text) int(v int) {
	t.sep()
	*t = strconv.AppendInt(*t, int64(v), 10)
}

func (t *text) bool(v bool) {
	t.sep()
	*t = strconv.AppendBool(*t, v)
}

func (t *text) null() {
	t.sep()
	*t = append(*t, "null"...)
}

// number writes the shortest decimal that reads back as v; null if v is not finite.
func (t *text) number(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		t.null()
		return
	}
	t.sep()
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	*t = strconv.AppendFloat(*t, v, format, -1, 64)
}

// nested writes an array of a shape, row by row; without a shape it is one number. It
// returns the values that are left.
func (t *text) nested(shape []int, v []float64) []float64 {
	if len(shape) == 0 {
		t.number(v[0])
		return v[1:]
	}
	t.array(func() {
		for range shape[0] {
			v = t.nested(shape[1:], v)
		}
	})
	return v
}

func (t *text) strings(list []string) {
	t.array(func() {
		for _, s := range list {
			t.string(s)
		}
	})
}

func (t *text) string(s string) {
	const hex = "0123456789abcdef"
	t.sep()
	b := append(*t, '"')
	for k := 0; k < len(s); {
		c, n := utf8.DecodeRuneInString(s[k:])
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c == utf8.RuneError && n == 1:
			b = append(b, "\ufffd"...)
		default:
			b = append(b, s[k:k+n]...)
		}
		k += n
	}
	*t = append(b, '"')
}
