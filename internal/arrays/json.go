package arrays

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/internal/table"
)

// MissingKey is the error for a name that a file does not have, or that it needs.
type MissingKey struct {
	What string // "key" or "array"
	Keys []string
}

func (e *MissingKey) Error() string {
	const most = 10 // Source: a limit of the length of messages.
	names := strings.Join(e.Keys[:min(most, len(e.Keys))], ", ")
	if len(e.Keys) > most {
		names += ", ..."
	}
	return fmt.Sprintf("no such %s; it has %s", e.What, names)
}

// ReadJSON reads a text that is a number or a rectangular array of numbers.
func ReadJSON(text []byte, lim Limits) (Dense, error) {
	p := newJSON(text, lim)
	if err := p.whole(); err != nil {
		return Dense{}, err
	}
	return p.end()
}

// mostKeys bounds the keys that a message chooses from.
// Source: a limit of memory.
const mostKeys = 1 << 10

// ReadJSONKey reads the number or array that an object has for a key, once.
func ReadJSONKey(text []byte, key string, lim Limits) (Dense, error) {
	p := newJSON(text, lim)
	if !p.accept('{') {
		return Dense{}, p.wrong("want an object with keys")
	}
	found := false
	var keys []string
	for more := !p.accept('}'); more; {
		p.blanks()
		at := p.at
		k, err := p.text()
		if err != nil {
			return Dense{}, err
		}
		if !p.accept(':') {
			return Dense{}, p.wrong("want a colon behind the key")
		}
		switch {
		case k == key && found:
			return Dense{}, wrongAt(p.s, at, "the key %q stands there twice", key)
		case k == key:
			found, err = true, p.whole()
		default:
			if len(keys) < mostKeys {
				keys = append(keys, k)
			}
			err = p.skip(0)
		}
		if err != nil {
			return Dense{}, err
		}
		if more = p.accept(','); !more && !p.accept('}') {
			return Dense{}, p.wrong("want a comma or }")
		}
	}
	if !found {
		return Dense{}, &MissingKey{"key", keys}
	}
	return p.end()
}

// jsonParser reads JSON from place at.
type jsonParser struct {
	s     []byte
	at    int
	lim   Limits
	shape []int // of the array; -1: not known yet
	leaf  int   // the depth at which the numbers stand, -1: not known yet
	num   []float64

	failed bool // of a part: it is no list of elements
}

func newJSON(text []byte, lim Limits) *jsonParser {
	return &jsonParser{s: text, lim: lim, leaf: -1}
}

// wrong is an error at the next byte.
func (p *jsonParser) wrong(format string, args ...any) error {
	p.blanks()
	if p.at == len(p.s) {
		return wrong("the file ends too early")
	}
	return wrongAt(p.s, p.at, format, args...)
}

func (p *jsonParser) blanks() {
	for p.at < len(p.s) && (p.s[p.at] == ' ' || p.s[p.at] == '\n' || p.s[p.at] == '\r' || p.s[p.at] == '\t') {
		p.at++
	}
}

// accept takes a byte that comes next, behind blanks.
func (p *jsonParser) accept(c byte) bool {
	p.blanks()
	if p.at == len(p.s) || p.s[p.at] != c {
		return false
	}
	p.at++
	return true
}

// end is the array, if nothing follows.
func (p *jsonParser) end() (Dense, error) {
	if p.blanks(); p.at < len(p.s) {
		return Dense{}, p.wrong("the file goes on behind its value")
	}
	return Dense{p.shape, p.num}, nil
}

const (
	ragged    = "the array is not rectangular"
	notNumber = "want a number or an array of numbers"
)

// value reads a number or an array at a depth of nesting.
func (p *jsonParser) value(depth int) error {
	p.blanks()
	at := p.at
	switch {
	case p.accept('['):
		return p.array(depth, at)
	case at == len(p.s) || p.s[at] != '-' && p.s[at]-'0' > 9:
		return p.wrong(notNumber)
	case p.leaf < 0 && len(p.shape) == depth:
		p.leaf = depth
		p.num = make([]float64, 0, min(1+bytes.Count(p.s[at:], []byte{','}), p.lim.Numbers))
	case p.leaf != depth:
		return p.wrong(ragged)
	}
	v, err := p.number()
	switch {
	case err != nil:
		return err
	case v-v != 0:
		return wrongAt(p.s, at, "%s is too large for a number", p.s[at:p.at])
	case len(p.num) == p.lim.Numbers:
		return wrongAt(p.s, at, "more than %d numbers", p.lim.Numbers)
	}
	p.num = append(p.num, v)
	return nil
}

// array reads an array from behind its bracket, at place at.
func (p *jsonParser) array(depth, at int) error {
	switch {
	case depth == p.lim.Dimensions:
		return wrongAt(p.s, at, "more than %d dimensions", p.lim.Dimensions)
	case p.leaf >= 0 && depth >= p.leaf:
		return wrongAt(p.s, at, ragged)
	case depth == len(p.shape):
		p.shape = append(p.shape, -1)
	}
	if p.accept(']') {
		return wrongAt(p.s, at, "an empty array")
	}
	length := 0
	for more := true; more; length++ {
		if err := p.value(depth + 1); err != nil {
			return err
		}
		if more = p.accept(','); !more && !p.accept(']') {
			return p.wrong("want a comma or ]")
		}
	}
	if p.shape[depth] >= 0 && p.shape[depth] != length {
		return wrongAt(p.s, at, ragged)
	}
	p.shape[depth] = length
	return nil
}

// number reads a number, whose grammar is narrower than the grammar of tables: no sign but a
// minus, no 0 before other digits, digits on both sides of a point.
func (p *jsonParser) number() (float64, error) {
	s := p.s[p.at:]
	v, n, ok := table.Prefix(s)
	k := 0
	if ok && s[0] == '-' {
		k++
	}
	first := k
	for k < n && s[k]-'0' < 10 {
		k++
	}
	if !ok || k == first || s[first] == '0' && k > first+1 || k < n && s[k] == '.' && (k+1 == n || s[k+1]-'0' > 9) {
		if p.at+max(n, len("-")) >= len(p.s) {
			return 0, wrong("the file ends too early")
		}
		return 0, p.wrong("this is no number of JSON")
	}
	p.at += n
	return v, nil
}

// text reads a string.
func (p *jsonParser) text() (string, error) {
	if !p.accept('"') {
		return "", p.wrong("want a string")
	}
	from := p.at - 1
	for ; p.at < len(p.s) && p.s[p.at] != '"'; p.at++ {
		if p.s[p.at] == '\\' {
			p.at++
		}
	}
	if p.at >= len(p.s) {
		return "", wrong("the file ends too early")
	}
	p.at++
	s, ok := unquoted(p.s[from+1 : p.at-1])
	if !ok {
		return "", wrongAt(p.s, from, "this is no string of JSON")
	}
	return s, nil
}

// mostDepth bounds the nesting of values that are skipped.
// Source: the bound of package encoding/json.
const mostDepth = 10000

// skip reads a value of any kind.
func (p *jsonParser) skip(depth int) error {
	p.blanks()
	if depth > mostDepth {
		return p.wrong("nested too deeply")
	}
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(p.s[p.at:], []byte(word)) {
			p.at += len(word)
			return nil
		}
	}
	switch {
	case p.at == len(p.s):
		return wrong("the file ends too early")
	case p.s[p.at] == '"':
		_, err := p.text()
		return err
	case p.s[p.at] == '[' || p.s[p.at] == '{':
		return p.skipAll(depth, p.s[p.at]+2) // ] and } are two behind [ and {
	case p.s[p.at] != '-' && p.s[p.at]-'0' > 9:
		return p.wrong("this is no value of JSON")
	}
	_, err := p.number()
	return err
}

// skipAll reads an array or object, which ends with a bracket.
func (p *jsonParser) skipAll(depth int, end byte) error {
	p.at++
	if p.accept(end) {
		return nil
	}
	for more := true; more; {
		if end == '}' {
			if _, err := p.text(); err != nil {
				return err
			}
			if !p.accept(':') {
				return p.wrong("want a colon behind the key")
			}
		}
		if err := p.skip(depth + 1); err != nil {
			return err
		}
		if more = p.accept(','); !more && !p.accept(end) {
			return p.wrong("want a comma or %c", end)
		}
	}
	return nil
}
