package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// TestLSP: an editor speaks with the program; the exit code tells a shutdown from a loss.
func TestLSP(t *testing.T) {
	frames := func(messages ...string) string {
		var b strings.Builder
		for _, m := range messages {
			fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
		}
		return b.String()
	}
	const (
		initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
		shutdown   = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
		end        = `{"jsonrpc":"2.0","method":"exit"}`
		open       = `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a.dc","version":1,"text":"var x\nminimize x\noption backend = "}}}`
		complete   = `{"jsonrpc":"2.0","id":3,"method":"textDocument/completion","params":{"textDocument":{"uri":"untitled:a.dc"},"position":{"line":2,"character":17}}}`
	)
	for _, c := range []struct {
		in   string
		code int
	}{
		{frames(initialize, open, shutdown, end), exit.OK},
		{frames(initialize, end), exit.Usage},
		{frames(initialize), exit.Usage},
		{"", exit.Usage},
		{"garbage\r\n\r\n" + frames(initialize, shutdown, end), exit.OK},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{"lsp", "--stdio"}, strings.NewReader(c.in), &stdout, &stderr); code != c.code || (stderr.Len() > 0) != (code != exit.OK) {
			t.Errorf("%.40q: code %d, %s", c.in, code, stderr.String())
		}
		if c.code == exit.OK && !strings.Contains(stdout.String(), `"version":`+string(must(json.Marshal(version())))) {
			t.Errorf("%.40q is answered by %s", c.in, stdout.String())
		}
	}
	var stdout, stderr bytes.Buffer
	run(context.Background(), []string{"lsp"}, strings.NewReader(frames(initialize, open, complete)), &stdout, &stderr)
	if !strings.Contains(stdout.String(), `"label":"ipm"`) && !strings.Contains(stdout.String(), "cancelled") {
		t.Errorf("backends: %s", stdout.String())
	}
	if code := run(context.Background(), []string{"lsp", "a.dc"}, strings.NewReader(""), &stdout, &stderr); code != exit.Usage {
		t.Errorf("a file for lsp: code %d", code)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := run(ctx, []string{"lsp"}, strings.NewReader(""), &stdout, &stderr); code != exit.Interrupted && code != exit.Usage {
		t.Errorf("an end by a signal: code %d", code)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
