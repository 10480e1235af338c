package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// session is a document, opened, changed and asked about at a place, as bytes of a client.
func session(text string, change string, line, character int) []byte {
	var b bytes.Buffer
	id := 0
	send := func(method string, params any, request bool) {
		m := object{"jsonrpc": "2.0", "method": method, "params": params}
		if request {
			id++
			m["id"] = id
		}
		body, _ := json.Marshal(m)
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	doc := object{"uri": uri, "version": 1, "text": text}
	send("initialize", object{"capabilities": object{}}, true)
	send("textDocument/didOpen", object{"textDocument": doc}, false)
	at := object{"line": line, "character": character}
	for round := range 2 {
		for _, method := range methods() {
			send(method, object{"textDocument": doc, "position": at, "newName": "q"}, true)
		}
		if round == 0 {
			send("textDocument/didChange", object{"textDocument": doc, "contentChanges": []object{{"range": object{"start": at, "end": object{"line": line + 1, "character": 2}}, "text": change}}}, false)
		}
	}
	send("shutdown", nil, true)
	send("exit", nil, false)
	return b.Bytes()
}

func methods() []string {
	var out []string
	for m := range handlers {
		out = append(out, m)
	}
	slices.Sort(out)
	return out
}

// serveBytes runs a server over the bytes of a client; panics are counted.
func serveBytes(in []byte) (out []byte, panics int) {
	var buf bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	s := newServer(ctx, &buf, Options{})
	s.serve(newFrames(bytes.NewReader(in)))
	if s.idle.Wait(); s.panics > 0 {
		panics = s.panics
	}
	cancel()
	return buf.Bytes(), panics
}

// FuzzServe: whatever the bytes are, the server ends and no handler panics.
func FuzzServe(f *testing.F) {
	f.Add(session("var x\nminimize x^2 - abs(x)\n", "y", 1, 10))
	f.Add([]byte("Content-Length: 5\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 99999999999\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if _, panics := serveBytes(in); panics > 0 {
			t.Fatalf("%d panics", panics)
		}
	})
}

// TestRandomSessions asks everything at random places of the files of the compiler's
// tests, whole and cut.
func TestRandomSessions(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../testdata/nine/*.dc", "../testdata/bad/*.dc"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	rng := rand.New(rand.NewPCG(18, 4))
	for _, name := range shared.Sample(t, 4, files) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			text := string(raw)
			if rng.IntN(3) == 0 {
				text = text[:rng.IntN(len(text)+1)]
			}
			d := newDocument(uri, 1, text, inUTF16)
			p := d.position(rng.IntN(len(d.text) + 1))
			in := session(text, []string{"", "(", "x", "\n", "\"", "😀", "sum(i in 1..3) "}[rng.IntN(7)], p.Line, p.Character)
			out, panics := serveBytes(in)
			if panics > 0 {
				t.Errorf("%s at %+v: %d panics", name, p, panics)
			}
			if n := bytes.Count(out, []byte(`"id":`)); n != 2*len(handlers)+2 {
				t.Errorf("%s at %+v: %d answers to %d requests", name, p, n, 2*len(handlers)+2)
			}
		}
	}
}
