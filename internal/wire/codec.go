package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Write writes a message as a frame.
func Write(w io.Writer, m Message) error {
	var body Body
	if err := visit(reflect.ValueOf(m), func(a array) error { a.store(&body); return nil }); err != nil {
		return err
	}
	m.head().Buffers = body.Table
	return WriteFrame(w, m, &body)
}

// Peeked is the type and id of a frame with the handles that it names; 0: none that is a handle.
type Peeked struct {
	Head
	Problem, Model, Batch uint64
}

// Peek reads the type, the id and the handles of a frame.
func Peek(f Frame) (out Peeked, err error) {
	var h struct {
		Type                  *string         `json:"type"`
		ID                    *uint64         `json:"id"`
		Problem, Model, Batch json.RawMessage // of any type: who parses the frame refuses wrong ones
	}
	if err := json.Unmarshal(f.Header, &h); err != nil {
		return out, fmt.Errorf("the header is not a JSON object with a type and an id: %v", err)
	}
	out.Problem, out.Model, out.Batch = handle(h.Problem), handle(h.Model), handle(h.Batch)
	if h.ID != nil {
		out.ID = *h.ID
	}
	if h.Type != nil {
		out.Type = *h.Type
	}
	switch {
	case h.Type == nil:
		err = errors.New("the header has no type")
	case h.ID == nil || *h.ID > MaxID:
		err = fmt.Errorf("the header has no id from 0 to %d", uint64(MaxID))
	}
	return out, err
}

// handle is a number, 0 where there is none.
func handle(b json.RawMessage) (v uint64) {
	if b != nil && json.Unmarshal(b, &v) != nil {
		return 0
	}
	return v
}

// Parse reads a frame into a message of its type. strict refuses members that the
// message lacks.
func Parse(f Frame, m Message, strict bool) error {
	dec := json.NewDecoder(bytes.NewReader(f.Header))
	if strict {
		dec.DisallowUnknownFields()
	}
	if err := dec.Decode(m); err != nil {
		return fmt.Errorf("the header: %w", plain(err))
	}
	if dec.More() {
		return errors.New("the header has something behind its object")
	}
	return fill(m, f)
}

// fill reads the arrays of a message whose header has been parsed.
func fill(m Message, f Frame) error {
	b, err := NewBuffers(m.head().Buffers, f.Body)
	if err != nil {
		return err
	}
	return visit(reflect.ValueOf(m), func(a array) error { return a.load(b) })
}

// wanted are the types of members in words.
var wanted = map[reflect.Kind]string{
	reflect.Float64: "a number", reflect.Int: "an integer", reflect.Uint64: "an integer >= 0",
	reflect.Bool: "true or false", reflect.String: "a text", reflect.Slice: "an array",
	reflect.Map: "an object", reflect.Struct: "an object",
}

// plain is an error of encoding/json in the words of the protocol.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" && wanted[wrong.Type.Kind()] != "" {
		is, number := strings.CutPrefix(wrong.Value, "number ")
		if !number {
			is = "a " + is
		}
		return fmt.Errorf("%s is %s, want %s", wrong.Field, is, wanted[wrong.Type.Kind()])
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("no member is called %s", name)
	}
	return err
}

// Address gives a message its type and id.
func Address(m Message, kind string, id uint64) {
	h := m.head()
	h.Type, h.ID = kind, id
}
