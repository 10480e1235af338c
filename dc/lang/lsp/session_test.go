package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// client is an editor that speaks to a server in this process.
type client struct {
	t        *testing.T
	w        *io.PipeWriter
	incoming chan map[string]json.RawMessage
	ended    chan error
	next     int
	aside    []map[string]json.RawMessage // notifications that were passed over
}

// patience is far more than any answer takes.
const patience = 60 * time.Second

func start(t *testing.T) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, w: inW, incoming: make(chan map[string]json.RawMessage, 1000), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		err := Serve(ctx, inR, outW, Options{Version: "1", Backends: []string{"ipm", "admm"}})
		inR.Close()
		outW.Close()
		c.ended <- err
	}()
	go func() {
		in := &frames{r: bufio.NewReader(outR), most: maxBody}
		for {
			body, err := in.next()
			if err != nil {
				close(c.incoming)
				return
			}
			var m map[string]json.RawMessage
			if err := json.Unmarshal(body, &m); err != nil {
				t.Errorf("the server wrote %q: %v", body, err)
			}
			c.incoming <- m
		}
	}()
	return c
}

func (c *client) raw(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.w, text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) send(v any) {
	c.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(b), b))
}

func (c *client) read() map[string]json.RawMessage {
	c.t.Helper()
	select {
	case m, ok := <-c.incoming:
		if !ok {
			c.t.Fatal("the server has ended")
		}
		return m
	case <-time.After(patience):
		c.t.Fatal("no answer")
	}
	return nil
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.send(object{"jsonrpc": "2.0", "method": method, "params": params})
}

// ask sends a request and decodes its result; it returns the error of a refusal.
func (c *client) ask(method string, params, result any) *responseError {
	c.t.Helper()
	c.next++
	id := fmt.Sprint(c.next)
	c.send(object{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	for {
		m := c.read()
		if string(m["id"]) != id {
			c.aside = append(c.aside, m)
			continue
		}
		if e, refused := m["error"]; refused {
			out := &responseError{}
			if err := json.Unmarshal(e, out); err != nil {
				c.t.Fatal(err)
			}
			return out
		}
		if result != nil {
			if err := json.Unmarshal(m["result"], result); err != nil {
				c.t.Fatalf("%s: %v in %s", method, err, m["result"])
			}
		}
		return nil
	}
}

// must is ask, where a refusal ends the test.
func (c *client) must(method string, params, result any) {
	c.t.Helper()
	if err := c.ask(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) initialize(capabilities object) json.RawMessage {
	c.t.Helper()
	var out struct{ Capabilities json.RawMessage }
	c.must("initialize", object{"processId": nil, "rootUri": nil, "capabilities": capabilities}, &out)
	c.notify("initialized", object{})
	return out.Capabilities
}

const uri = "untitled:test.dc"

func (c *client) open(text string) {
	c.t.Helper()
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "dc", "version": 1, "text": text}})
}

// published waits for the diagnostics of a version.
func (c *client) published(version int) []diagnostic {
	c.t.Helper()
	for {
		var m map[string]json.RawMessage
		if len(c.aside) > 0 {
			m, c.aside = c.aside[0], c.aside[1:]
		} else {
			m = c.read()
		}
		var p publishParams
		if string(m["method"]) != `"textDocument/publishDiagnostics"` {
			continue
		}
		if err := json.Unmarshal(m["params"], &p); err != nil {
			c.t.Fatal(err)
		}
		if p.Version == version {
			return p.Diagnostics
		}
	}
}

// at is the place of the mark ‸ in a text, which it leaves out, in UTF-16.
func at(text string) (string, position) {
	before, after, _ := strings.Cut(text, "‸")
	d := newDocument(uri, 1, before, inUTF16)
	return before + after, d.position(len(before))
}

func placed(p position) object {
	return object{"textDocument": object{"uri": uri}, "position": object{"line": p.Line, "character": p.Character}}
}

// stop ends the session as an editor does.
func (c *client) stop() {
	c.t.Helper()
	c.must("shutdown", nil, nil)
	c.notify("exit", nil)
	select {
	case err := <-c.ended:
		if err != nil {
			c.t.Error(err)
		}
	case <-time.After(patience):
		c.t.Fatal("the server does not end")
	}
}

// TestLifecycle: nothing before initialize, nothing but exit after shutdown.
func TestLifecycle(t *testing.T) {
	c := start(t)
	if err := c.ask("textDocument/hover", placed(position{}), nil); err == nil || err.Code != codeNotInitialized {
		t.Errorf("before initialize: %v", err)
	}
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "text": "x"}})
	caps := c.initialize(object{"general": object{"positionEncodings": []string{"utf-7", "utf-8", "utf-16"}}})
	if !strings.Contains(string(caps), `"positionEncoding":"utf-8"`) {
		t.Errorf("capabilities %s", caps)
	}
	for _, c2 := range []struct {
		method string
		params any
		code   int
	}{
		{"initialize", object{}, codeRequest},
		{"textDocument/nothing", object{}, codeMethod},
		{"textDocument/hover", placed(position{}), codeParams}, // it was opened too early
		{"textDocument/hover", []int{1}, codeParams},
		{"textDocument/hover", object{"textDocument": 3}, codeParams},
		{"textDocument/hover", nil, codeParams},
	} {
		if err := c.ask(c2.method, c2.params, nil); err == nil || err.Code != c2.code {
			t.Errorf("%s with %v: %v, want code %d", c2.method, c2.params, err, c2.code)
		}
	}
	c.must("shutdown", nil, nil)
	if err := c.ask("textDocument/hover", placed(position{}), nil); err == nil || err.Code != codeRequest {
		t.Errorf("after shutdown: %v", err)
	}
	c.notify("exit", nil)
	if err := <-c.ended; err != nil {
		t.Error(err)
	}

	c = start(t)
	c.initialize(object{})
	c.w.Close()
	if err := <-c.ended; !errors.Is(err, ErrNoShutdown) {
		t.Errorf("the end of the stream: %v", err)
	}
}

// TestMalformed: what is no message is answered, and the session goes on.
func TestMalformed(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for _, bad := range []struct {
		bytes string
		code  int // 0: no answer
	}{
		{frame(`{`), codeParse},
		{frame(``), codeParse},
		{frame("\xff\xfe"), codeParse},
		{frame(`[]`), codeRequest},
		{frame(`null`), codeRequest},
		{frame(`{"jsonrpc":"2.0"}`), codeRequest},
		{frame(`{"jsonrpc":"2.0","id":{"a":1},"method":"shutdown"}`), codeRequest},
		{frame(`{"jsonrpc":"2.0","id":3,"result":null}`), 0},
		{frame(`{"jsonrpc":"2.0","method":"$/unknown"}`), 0},
		{frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":7}`), 0},
		{frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}`), 0},
		{frame(strings.Repeat("[", 100000)), codeParse},
		{"Content-Length: x\r\n\r\n", codeRequest},
		{"Content-Length: -5\r\n\r\n", codeRequest},
		{"Content-Length: 99999999999999999999999\r\n\r\n", codeRequest},
		{"Content-Type: text\r\n\r\n", codeRequest},
		{"no header at all\r\n\r\n", codeRequest},
		{strings.Repeat("x", 3*maxHeader) + "\n", codeRequest},
		{strings.Repeat("A: b\r\n", maxHeaderLines) + "B: c\r\n\r\n", codeRequest},
		{"\r\n\r\n", 0},
		{"content-length:  2 \n\n{}", codeRequest},
	} {
		c := start(t)
		c.initialize(object{})
		c.raw(bad.bytes)
		if err := c.ask("textDocument/nothing", nil, nil); err == nil || err.Code != codeMethod {
			t.Errorf("after %.60q the session answers %v", bad.bytes, err)
		}
		code := 0
		for _, m := range c.aside {
			var e responseError
			if err := json.Unmarshal(m["error"], &e); err != nil || string(m["id"]) != "null" {
				t.Errorf("%.60q is answered by %v", bad.bytes, m)
			}
			code = e.Code
		}
		if code != bad.code {
			t.Errorf("%.60q is answered with the code %d, want %d", bad.bytes, code, bad.code)
		}
		c.stop()
	}
}
