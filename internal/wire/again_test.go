package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"testing"
)

// TestAgain: a header that is the last one but for its id gives the message that Parse makes of it;
// any other is parsed.
func TestAgain(t *testing.T) {
	var peek Again[Peeked]
	var parse Again[*Solve]
	for k, header := range []string{
		`{"type":"solve","problem":1,"parameters":{"p":0},"buffers":[["f64",2]],"id":7}`,
		`{"type":"solve","problem":1,"parameters":{"p":0},"buffers":[["f64",2]],"id":81}   `,
		`{"type":"solve","problem":2,"parameters":{"q":0},"buffers":[["f64",2]],"id":9}`,
		`{"type":"solve","problem":2,"parameters":{"q":0},"buffers":[["f64",2]],"id":-9}`,
		`{"type":"solve","problem":2,"parameters":{"q":0},"buffers":[["f64",2]],"id":9007199254740993}`,
		`{"type":"solve","problem":2,"parameters":{"q":0},"buffers":[["f64",2]],"id":10}`,
		`{"type":"solve","id":11,"problem":2,"buffers":[["f64",2]]}`,
		`{"type":"solve","problem":2,"what":0,"buffers":[["f64",2]],"id":12}`,
		`{"type":"solve","problem":2,"what":0,"buffers":[["f64",2]],"id":13}`,
	} {
		body := make([]byte, 16)
		binary.LittleEndian.PutUint64(body, math.Float64bits(float64(k)))
		f := Frame{Header: []byte(header), Body: body}
		head, err := PeekAgain(&peek, f)
		want, wanted := Peek(f)
		if !reflect.DeepEqual(head, want) || (err == nil) != (wanted == nil) {
			t.Errorf("%s: %+v, %v, want %+v, %v", header, head, err, want, wanted)
		}
		var one Solve
		wanted = Parse(f, &one, true)
		m, err := SolveAgain(&parse, f)
		if (err == nil) != (wanted == nil) {
			t.Fatalf("%s: %v, want %v", header, err, wanted)
		}
		if err != nil {
			continue
		}
		var a, b bytes.Buffer
		if Write(&a, m) != nil || Write(&b, &one) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: %q, want %q", header, a.Bytes(), b.Bytes())
		}
	}
	f := Frame{Header: []byte(`{"type":"solve","problem":1,"parameters":{"p":0},"buffers":[["f64",2]],"id":7}`), Body: make([]byte, 16)}
	for range 2 {
		if _, err := SolveAgain(&parse, f); err != nil {
			t.Fatal(err)
		}
		if _, err := SolveAgain(&parse, Frame{Header: f.Header, Body: make([]byte, 8)}); err == nil {
			t.Error("a body that is too short is taken")
		}
	}
}

// TestPeek: handles are numbers, whatever else the header has in their places.
func TestPeek(t *testing.T) {
	for header, want := range map[string]Peeked{
		`{"type":"batch","id":7,"problem":3,"batch":9}`:               {Head{Type: "batch", ID: 7}, 3, 0, 9},
		`{"type":"fit","id":8,"model":9007199254740991,"shape":[1]}`:  {Head{Type: "fit", ID: 8}, 0, 9007199254740991, 0},
		`{"type":"solve","id":9,"problem":"three","model":{"a":[1]}}`: {Head: Head{Type: "solve", ID: 9}},
		`{"type":"solve","id":9,"problem":-3,"model":1.5,"batch":[]}`: {Head: Head{Type: "solve", ID: 9}},
	} {
		if got, err := Peek(Frame{Header: []byte(header)}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", header, got, err, want)
		}
	}
}
