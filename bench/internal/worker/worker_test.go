package worker_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/wire"
	"github.com/dcopt/dcopt/bench/internal/worker"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// serve sends the requests and returns what was said.
func serve(t *testing.T, reqs ...wire.Request) []wire.Line {
	t.Helper()
	var in, out bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, r := range reqs {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := worker.Serve(&in, &out, ipm.Backend{}, "v"); err != nil {
		t.Fatal(err)
	}
	var lines []wire.Line
	for s := bufio.NewScanner(&out); s.Scan(); {
		var l wire.Line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// box minimises ½‖x‖² − c·x over 0 ≤ x ≤ 1.
func box(c ...float64) *qpbackend.Problem {
	n := len(c)
	p := &qpbackend.Problem{P: sparse.Identity(n), A: sparse.Identity(n), L: make([]float64, n), U: make([]float64, n), Q: make([]float64, n)}
	for j, v := range c {
		p.Q[j], p.U[j] = -v, 1
	}
	return p
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	a, b, bad := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "bad")
	nonconvex := box(1, 1)
	nonconvex.P.Val[0] = -1
	for path, p := range map[string]*qpbackend.Problem{a: box(0.5, 3), b: box(-1, 0.25), bad: nonconvex} {
		if err := wire.WriteProblem(path, p); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(k string) string { return filepath.Join(dir, "answer"+k) }
	lines := serve(t,
		wire.Request{Problem: a, Answer: answer("0"), Mode: wire.Update, Limit: 5, Repeat: 1},
		wire.Request{Problem: a, Answer: answer("1"), Mode: wire.Fresh, Limit: 5, Repeat: 3},
		wire.Request{Problem: b, Answer: answer("2"), Mode: wire.Update, Limit: 5, Repeat: 1},
		wire.Request{Problem: b, Answer: answer("3"), Mode: wire.Warm, Limit: 5, Repeat: 1},
		wire.Request{Problem: bad, Answer: answer("4"), Mode: wire.Fresh, Limit: 5, Repeat: 1},
		wire.Request{Problem: a, Answer: answer("5"), Mode: wire.Fresh, Limit: 1e-9, Repeat: 1},
	)
	var said []string
	for _, l := range lines {
		switch {
		case l.Hello != "":
			said = append(said, l.Hello+l.Version)
		case l.Begin:
			said = append(said, ".")
		default:
			said = append(said, l.Status)
		}
		if l.Status == "solved" && !(l.Wall > 0 && l.CPU >= 0 && l.Setup >= 0 && l.Setup <= l.CPU && l.Iterations > 0) {
			t.Errorf("times and iterations of %+v", l)
		}
	}
	if got, want := strings.Join(said, " "), "ipmv refused . . . solved . solved . solved . refused . time_limit"; got != want {
		t.Errorf("said %s\nwant %s", got, want)
	}
	for k, want := range map[string][]float64{"1": {0.5, 1, 0, 2}, "2": {0, 0.25, -1, 0}, "3": {0, 0.25, -1, 0}} {
		x, y, _, err := wire.ReadAnswer(answer(k), box(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range append(x, y...) {
			if !(math.Abs(v-want[i]) <= 1e-6) {
				t.Errorf("answer %s is %v, %v, want %v", k, x, y, want)
				break
			}
		}
	}
}

func TestBrokenRequest(t *testing.T) {
	var out bytes.Buffer
	if err := worker.Serve(strings.NewReader("{\n"), &out, ipm.Backend{}, ""); err == nil {
		t.Error("a broken request is no error")
	}
	if err := worker.Serve(strings.NewReader(`{"problem":"/nowhere"}`+"\n"), &out, ipm.Backend{}, ""); err == nil {
		t.Error("a missing problem is no error")
	}
}
