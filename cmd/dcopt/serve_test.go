package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/wire"
)

// request is a frame with the header of a request without buffers.
func request(t *testing.T, header string) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := wire.WriteFrame(&buf, json.RawMessage(header), nil); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// dcopt serve answers over its standard input and output and ends with the input.
func TestServe(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() { code <- run(context.Background(), []string{"serve", "--max-body", "4096"}, inR, outW, &stderr) }()
	if _, err := inW.Write(request(t, `{"type": "hello", "id": 1}`)); err != nil {
		t.Fatal(err)
	}
	f, err := wire.ReadFrame(outR, 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	var hello wire.HelloReply
	if err := wire.Parse(f, &hello, false); err != nil || hello.Version != version() || hello.MaxBody != 4096 || len(hello.Ops) < 40 || len(hello.Backends) < 2 {
		t.Errorf("%v, %+v", err, hello)
	}
	inW.Close()
	select {
	case c := <-code:
		if c != exit.OK || stderr.Len() > 0 {
			t.Errorf("code %d, %s", c, &stderr)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("serve goes on")
	}
}

func TestServeRefusals(t *testing.T) {
	for _, tc := range []struct {
		args []string
		in   string
	}{
		{[]string{"serve"}, "no frame at all"},
		{[]string{"serve"}, "DCO\x02............"},
		{[]string{"serve", "problem.dc"}, ""},
		{[]string{"serve", "--max-body", "0"}, ""},
	} {
		var out, stderr bytes.Buffer
		if c := run(context.Background(), tc.args, bytes.NewReader([]byte(tc.in)), &out, &stderr); c != exit.Usage || stderr.Len() == 0 {
			t.Errorf("%v with %q: code %d, %s", tc.args, tc.in, c, &stderr)
		}
	}
}
