package input

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// packed is a gzip file of n times the text.
func packed(t *testing.T, text string, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	chunk := strings.Repeat(text, 1<<10)
	for range n >> 10 {
		io.WriteString(w, chunk)
	}
	io.WriteString(w, strings.Repeat(text, n&1023))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func lines(t *testing.T, file []byte) (n int, err error) {
	t.Helper()
	r, err := New(bytes.NewReader(file))
	if err != nil {
		return 0, err
	}
	for {
		text, err := r.Line()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if n++; len(text) > MostLine {
			t.Errorf("line %d has %d bytes", n, len(text))
		}
	}
}

// TestLines: lines of a plain and of a compressed file, the last one without an end, and long ones.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1<<17) + "\n"
	text := "a\n\n" + long + "b"
	for _, file := range [][]byte{[]byte(text), packed(t, text, 1)} {
		r, err := New(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range []string{"a\n", "\n", long, "b"} {
			if got, err := r.Line(); err != nil || string(got) != want || r.Lines() != k+1 {
				t.Errorf("line %d of %d bytes, %v, want %d", r.Lines(), len(got), err, len(want))
			}
		}
		if _, err := r.Line(); err != io.EOF {
			t.Error(err)
		}
		if r.Stored() != int64(len(file)) {
			t.Errorf("%d bytes of %d", r.Stored(), len(file))
		}
	}
	if n, err := lines(t, nil); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// TestBombs: a line without an end and a text that is far longer than its file are errors, in
// bounded memory; so are files that are cut.
func TestBombs(t *testing.T) {
	var limit *LimitError
	before := heap()
	if _, err := lines(t, packed(t, " ", 2*MostLine)); !errors.As(err, &limit) || err.Error() != "line 1 has more than 33554432 bytes" {
		t.Error(err)
	}
	if n, err := lines(t, packed(t, "\n", 1<<20)); err != nil || n != 1<<20 {
		t.Error(n, err)
	}
	bomb := packed(t, "0,", 1<<27)
	all := func(file []byte) ([]byte, error) {
		r, err := New(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		return r.All()
	}
	if _, err := all(bomb); !errors.As(err, &limit) || limit.Line != 0 || !strings.HasPrefix(err.Error(), "more than 13") {
		t.Error(err)
	}
	if used := heap() - before; used > 1<<29 {
		t.Errorf("%d bytes", used)
	}
	for n := range 40 {
		if _, err := all(bomb[:n]); n > 2 && (err == nil || !strings.HasPrefix(err.Error(), "damaged gzip file: ")) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if text, err := all([]byte("plain")); err != nil || string(text) != "plain" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestVisible: what would steer a terminal has escapes.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\tç": "a\nb\tç", "\x1b[31m\x07": `\u001b[31m\u0007`, "a\u202eb\u2028": `a\u202eb\u2028`, "\r": `\u000d`,
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestLists: a text in JSON has so many lists and objects.
func TestLists(t *testing.T) {
	full := strings.Repeat("[{", MostLists/2)
	if err := Lists([]byte(full)); err != nil {
		t.Error(err)
	}
	if _, err := JSON(strings.NewReader(full + "[")); err == nil ||
		err.Error() != "more than 1048576 lists and objects" {
		t.Error(err)
	}
}

// heap is the memory that the process has for its heap: more than it had at any time.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys
}
