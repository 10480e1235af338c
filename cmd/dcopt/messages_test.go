package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/need"
)

// TestMessagesAreJSON: with --json, whatever goes wrong, standard error is a JSON
// object on each line, with the members that the docs list and the exit code.
func TestMessagesAreJSON(t *testing.T) {
	schema := messageSchema(t)
	workspace(t)
	for name, text := range map[string]string{
		"bad.dc": "var x\nminimize y\nsubject to\n  x*x*x >= q\n", "warn.dc": "var x >= 1\nminimize x\nsubject to\n  r[i in 1..0]: x >= i\n", "bad.csv": "a,y\n1,x\n",
		"bad.qps": "NAME X\nROWS\n N c\nCOLUMNS\n x c abc\nENDATA\n", "data.dc": "param a = csv(\"bad.csv\")\nvar x >= 0\nminimize x\n",
		"cone.dc": "var x[2]\nminimize norm2(x)\nsubject to\n x[1] >= 1\n", "nc.qps": "NAME X\nROWS\n N c\nCOLUMNS\n x c 1\nQUADOBJ\n x x -1\nENDATA\n",
		"bad.json": "{", "quote.csv": "a,y\n1,\"2\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		code int
		want string // a member and its value
	}{
		{"--json", exit.Usage, `"message":`},
		{"frobnicate --json", exit.Usage, "unknown command"},
		{"solve --json", exit.Usage, "which file?"},
		{"solve p.dc --json --nonsense", exit.Usage, "unknown flag"},
		{"solve p.dc --json --tol x", exit.Usage, "invalid value"},
		{"fmt --json p.dc", exit.Usage, "unknown flag"},
		{"solve none.dc --json", exit.Usage, "no such file"},
		{"solve none.qps --json", exit.Usage, "no such file"},
		{"solve bad.dc --json", exit.File, `"file":"bad.dc","line":2,"column":10,"end_column":11`},
		{"check bad.dc --json", exit.File, `"exit":2`},
		{"solve warn.dc --json", exit.OK, `"severity":"warning"`},
		{"solve data.dc --json", exit.File, "bad.csv"},
		{"solve p.dc --set d=u --json", exit.Usage, `"set":"d"`},
		{"solve p.dc --backend simplex --json", exit.Usage, "no backend"},
		{"solve cone.dc --backend admm --json", exit.Usage, "backends that can"},
		{"solve bad.qps --json", exit.File, `"line":5`},
		{"solve nc.qps --json", exit.File, "negative curvature"},
		{"check bad.qps --json", exit.File, `"file":"bad.qps"`},
		{"fit bad.csv -t y --json -o n.json", exit.File, `"file":"bad.csv","line":2,"column":3`},
		{"fit quote.csv -t y --json -o n.json", exit.File, `"file":"quote.csv"`},
		{"fit t.csv -t z --json -o n.json", exit.Usage, "no column"},
		{"fit t.csv -t y --json", exit.Usage, "where does the model go"},
		{"fit t.csv -t y --json --tol 1e-3 -o n.json", exit.OK, `"severity":"note"`},
		{"cv t.csv -t y --json --folds bad.json", exit.File, "bad.json"},
		{"solve p.dc --json -v", exit.OK, `"severity":"note"`},
		{"solve p.dc --json -o p.dc", exit.Usage, "is also read"},
		{"solve p.dc --json --time-limit 1ns --set c=none.csv", exit.Usage, "none.csv"},
	} {
		code, _, stderr := dcopt(nil, c.args)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("dcopt %s: code %d, want %d and %s in\n%s", c.args, code, c.code, c.want, stderr)
		}
		errors := 0
		for _, l := range strings.Split(strings.TrimSuffix(stderr, "\n"), "\n") {
			var o map[string]any
			if err := json.Unmarshal([]byte(l), &o); err != nil {
				t.Errorf("dcopt %s: %v in %s", c.args, err, l)
				continue
			}
			if err := schema.check(o); err != nil {
				t.Errorf("dcopt %s: %v in %s", c.args, err, l)
			}
			if o["severity"] == "error" {
				errors++
				if o["exit"] != float64(code) {
					t.Errorf("dcopt %s: exit %v in the message, %d in truth", c.args, o["exit"], code)
				}
			}
		}
		if (errors > 0) != (code != exit.OK) {
			t.Errorf("dcopt %s: code %d with %d errors", c.args, code, errors)
		}
	}
}

// schema is as much of JSON Schema as docs/cli.md uses.
type schema struct {
	Type       string
	Enum       []any
	Required   []string
	Properties map[string]*schema
	Items      *schema
	Minimum    *float64
}

// messageSchema is the one of the docs.
func messageSchema(t *testing.T) *schema {
	t.Helper()
	docs, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(docs), "```json\n")
	text, _, _ := strings.Cut(rest, "```")
	s := &schema{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`{}`, `{"severity":"error"}`, `{"severity":"x","message":""}`, `{"severity":"note","message":"","line":0}`, `{"severity":"note","message":"","extra":1}`, `{"severity":"note","message":"","notes":[{}]}`} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil || s.check(v) == nil {
			t.Fatalf("the schema takes %s", bad)
		}
	}
	return s
}

func (s *schema) check(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				return fmt.Errorf("no %s", name)
			}
		}
		for name, m := range v {
			if s.Properties[name] == nil {
				return fmt.Errorf("the docs have no %s", name)
			}
			if err := s.Properties[name].check(m); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	case []any:
		for _, e := range v {
			if err := s.Items.check(e); err != nil {
				return err
			}
		}
		return nil
	case float64:
		if s.Type == "integer" && v == math.Trunc(v) && v >= *s.Minimum || slices.Contains(s.Enum, any(v)) {
			return nil
		}
	case string:
		if s.Type == "string" || slices.Contains(s.Enum, any(v)) {
			return nil
		}
	}
	return fmt.Errorf("%v is not what the docs say", v)
}

// TestMessagesDoNotSteer: no message lets the name of a file or column reach the
// terminal as commands.
func TestMessagesDoNotSteer(t *testing.T) {
	t.Chdir(t.TempDir())
	const evil = "\x1b[2J\x07"
	if err := os.WriteFile("t.csv", []byte("a"+evil+",y\n1,2\n2,x"+evil+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("u.csv", []byte("a"+evil+",\"b\n\",y\n1,2,3\n2,3,1\n3,5,2\n0,1,7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"fit t.csv -t y -o m.json", "fit t.csv -t z -o m.json", "fit u.csv -t y --pieces 1,1 -o m.json", "show m.json", "solve " + evil, "x" + evil, "solve p.dc --" + evil} {
		_, stdout, stderr := dcopt(nil, args)
		if both := stdout + stderr; strings.ContainsAny(both, "\x1b\x07") || both == "" {
			t.Errorf("dcopt %q prints %q", args, both)
		}
	}
}

// idle is an input from which nothing ever comes.
func idle(t *testing.T) io.Reader {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return r
}

// TestWaitingEnds: a signal and the time limit end the wait for an input.
func TestWaitingEnds(t *testing.T) {
	workspace(t)
	if runtime.GOOS != "windows" {
		for _, name := range []string{"pipe.dc", "pipe.qps", "pipe.csv", "pipe.json", "pipe.out"} {
			out, err := exec.Command("mkfifo", name).CombinedOutput()
			need.That(t, err == nil, need.Unix, "mkfifo:", err, string(out))
		}
	}
	for _, args := range []string{
		"solve -", "solve - --json", "check -", "fmt -", "fit - -t y -o n.json", "predict m.json -", "cv - -t y",
		"solve pipe.dc", "solve pipe.qps", "check pipe.dc", "fit pipe.csv -t y -o n.json", "predict m.json pipe.csv", "predict pipe.json t.csv", "show pipe.json",
		"solve p.dc -o pipe.out", "cv t.csv -t y --folds pipe.json",
	} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		var stdout, stderr bytes.Buffer
		if code := run(ctx, strings.Fields(args), idle(t), &stdout, &stderr); code != exit.Interrupted || stdout.Len() > 0 {
			t.Errorf("dcopt %s: code %d: %s%s", args, code, stdout.String(), stderr.String())
		}
	}
	if code, _, stderr := dcopt(idle(t), "solve - --time-limit 0.02"); code != exit.NotSolved || !strings.Contains(stderr, "time limit") {
		t.Errorf("with a time limit: code %d: %s", code, stderr)
	}
}

// stuck never takes what is written.
type stuck struct{ done chan struct{} }

func (s stuck) Write([]byte) (int, error) { <-s.done; return 0, io.ErrClosedPipe }

// TestStuckOutputEnds: a reader of standard output that does not read does not
// keep the program.
func TestStuckOutputEnds(t *testing.T) {
	workspace(t)
	w := stuck{make(chan struct{})}
	defer close(w.done)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	var stderr bytes.Buffer
	if code := run(ctx, []string{"solve", "p.dc"}, nil, w, &stderr); code != exit.Interrupted {
		t.Errorf("code %d, %s", code, stderr.String())
	}
}

// slowCompile takes far longer to compile than the limit of its test.
const slowCompile = `param n = 700
param Q[i in 1..n, j in 1..n] = sin(i*j) + sin(j*i)
var x[n] in [-1, 1]
minimize quad(x, Q)
`

// TestCompilingEnds: compiling counts for the time limit and yields to a signal.
func TestCompilingEnds(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("slow.dc", []byte(slowCompile), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := dcopt(nil, "solve slow.dc --time-limit 0.1"); code != exit.NotSolved || !strings.Contains(stderr, "time limit") {
		t.Errorf("code %d, want 3; %s", code, stderr)
	}
}
