package lang

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
)

// fnJSON is json("file", "key"), or json("file") for a file that is one array.
func (ev *evaluator) fnJSON(n *node, args []value) value {
	name, key := ev.stringArg(n, 0), ""
	if len(n.args) == 2 {
		key = ev.stringArg(n, 1)
	}
	src, err := ev.data.read(name)
	if err != nil {
		ev.unreadable(n, err)
	}
	ev.data.keep(name, src)
	r := &jsonReader{src: src, dec: json.NewDecoder(strings.NewReader(src)), limit: ev.data.limit}
	r.dec.UseNumber()
	if len(n.args) == 2 {
		err = r.find(key)
	}
	if err == nil {
		err = r.value(0)
	}
	if err == nil {
		err = r.end(key, len(n.args) == 2)
	}
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = errors.New("the file ends too early")
	case errors.Is(err, errNoKey):
		ev.fail(n, "", "json %q has no key %q%s", name, key, suggest.DidYouMean(key, r.keys))
	}
	if err != nil {
		ev.unreadable(n, r.locate(err))
	}
	ev.room(n, r.shape)
	v := array(r.shape, r.num)
	d := DataFile{Name: name, Path: ev.data.resolve(name), Bytes: int64(len(src)), Rows: 1, Cols: 1}
	if len(r.shape) > 0 {
		d.Rows = r.shape[0]
		d.Cols = size(r.shape[1:])
	}
	ev.data.note(d)
	return v
}

var errNoKey = errors.New("lang: no such key")

// jsonReader reads a number or a rectangular array of them.
type jsonReader struct {
	src   string
	dec   *json.Decoder
	limit int
	keys  []string
	shape []int // -1: not known yet
	num   []float64
	depth int // at which the numbers stand
}

// locate adds line and column, in bytes, to an error.
func (r *jsonReader) locate(err error) error {
	at := int(r.dec.InputOffset())
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = int(syntax.Offset)
	}
	if m, ok := err.(*misplaced); ok {
		at = m.at + 1
	}
	at = min(at, len(r.src))
	line := 1 + strings.Count(r.src[:at], "\n")
	col := at - strings.LastIndexByte(r.src[:at], '\n') - 1
	return fmt.Errorf("line %d column %d: %w", line, max(col, 1), err)
}

// end reads the text behind the value: the rest of the object, in which the key may
// not stand again, and nothing behind it.
func (r *jsonReader) end(key string, inObject bool) error {
	for inObject && r.dec.More() {
		t, err := r.dec.Token()
		if err != nil {
			return err
		}
		if t == key {
			return fmt.Errorf("the key %q stands there twice", key)
		}
		if err := r.skip(); err != nil {
			return err
		}
	}
	if inObject {
		if _, err := r.dec.Token(); err != nil { // the closing brace
			return err
		}
	}
	at := int(r.dec.InputOffset())
	if rest := strings.TrimLeft(r.src[at:], " \t\r\n"); rest != "" {
		return &misplaced{len(r.src) - len(rest), "the file goes on behind its value"}
	}
	return nil
}

// misplaced is a complaint about a byte of the file.
type misplaced struct {
	at  int
	msg string
}

func (e *misplaced) Error() string { return e.msg }

// skip reads a value of any kind.
func (r *jsonReader) skip() error {
	var skipped json.RawMessage
	return r.dec.Decode(&skipped)
}

// find goes to the value of a key of the outermost object.
func (r *jsonReader) find(key string) error {
	t, err := r.dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return errors.New("want an object with keys")
	}
	for r.dec.More() {
		t, err = r.dec.Token()
		if err != nil {
			return err
		}
		if t == key {
			return nil
		}
		if k, ok := t.(string); ok {
			r.keys = append(r.keys, k)
		}
		if err := r.skip(); err != nil {
			return err
		}
	}
	return errNoKey
}

// value reads a number or an array at a depth of nesting.
func (r *jsonReader) value(depth int) error {
	t, err := r.dec.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Number:
		return r.number(t, depth)
	case json.Delim:
		if t == '[' {
			return r.array(depth)
		}
	}
	return errors.New("want a number or an array of numbers")
}

func (r *jsonReader) number(t json.Number, depth int) error {
	if len(r.num) > 0 && depth != r.depth || depth < len(r.shape) {
		return errors.New("the array is not rectangular")
	}
	x, err := strconv.ParseFloat(string(t), 64)
	if err != nil {
		return fmt.Errorf("%s is too large for a number", t)
	}
	if len(r.num) == r.limit {
		return fmt.Errorf("more than %d numbers", r.limit)
	}
	r.depth, r.num = depth, append(r.num, x)
	return nil
}

func (r *jsonReader) array(depth int) error {
	switch {
	case depth == maxDims:
		return fmt.Errorf("more than %d dimensions", maxDims)
	case len(r.num) > 0 && depth >= r.depth:
		return errors.New("the array is not rectangular")
	case depth == len(r.shape):
		r.shape = append(r.shape, -1)
	}
	length := 0
	for r.dec.More() {
		if err := r.value(depth + 1); err != nil {
			return err
		}
		length++
	}
	if _, err := r.dec.Token(); err != nil {
		return err
	}
	if length == 0 {
		return errors.New("an empty array")
	}
	if r.shape[depth] >= 0 && r.shape[depth] != length {
		return errors.New("the array is not rectangular")
	}
	r.shape[depth] = length
	return nil
}
