package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
)

// heard is an output that a test waits for.
type heard struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.Write(p)
}

// take waits until a text was written, and returns all up to its end.
func (h *heard) take(t *testing.T, text string) string {
	t.Helper()
	for range 600 {
		h.mu.Lock()
		if k := strings.Index(h.buf.String(), text); k >= 0 {
			out := string(h.buf.Next(k + len(text)))
			h.mu.Unlock()
			return out
		}
		h.mu.Unlock()
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("no %q; there is %q", text, h.buf.String())
	return ""
}

// TestWatch saves a problem and its data again and again.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "p.dc")
	write("p.dc", "var x in [0, 5]\nmaximize x\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout, stderr heard
	done := make(chan int)
	go func() { done <- run(ctx, []string{"solve", "-w", path, "-q"}, nil, &stdout, &stderr) }()
	const waiting = "waiting for changes"
	round := func() (out, log string) {
		t.Helper()
		log = stderr.take(t, waiting)
		stdout.mu.Lock()
		defer stdout.mu.Unlock()
		return string(stdout.buf.Next(stdout.buf.Len())), log
	}
	if out, _ := round(); !strings.Contains(out, "objective    5") {
		t.Errorf("first:\n%s", out)
	}
	write("p.dc", "var x in [0, 7]\nmaximize x\n")
	if out, log := round(); !strings.Contains(out, "objective    7") || !strings.Contains(log, "solving again") || strings.Contains(out+log, "\x1b") {
		t.Errorf("changed:\n%s%s", out, log)
	}
	write("p.dc", "var x in [0, 7]\nmaximize y + csv(\"d.csv\")[1]\n")
	if out, log := round(); out != "" || !strings.Contains(log, `unknown name "y"`) {
		t.Errorf("broken:\n%s%s", out, log)
	}
	write("p.dc", "param d = csv(\"d.csv\")\nvar x in [0, 7]\nmaximize x + d[1]\n")
	if _, log := round(); !strings.Contains(log, "no such file") {
		t.Errorf("without its data:\n%s", log)
	}
	write("d.csv", "1\n")
	if out, _ := round(); !strings.Contains(out, "objective    8") {
		t.Errorf("with its data:\n%s", out)
	}
	write("new.dc", "var x in [0, 7]\nmaximize 2*x\n")
	if err := os.Rename(filepath.Join(dir, "new.dc"), path); err != nil { // as some editors save
		t.Fatal(err)
	}
	if out, _ := round(); !strings.Contains(out, "objective    14") {
		t.Errorf("renamed:\n%s", out)
	}
	cancel()
	if code := <-done; code != exitInterrupted {
		t.Errorf("code %d after Ctrl-C", code)
	}
}

// TestWatchInterruptsSolve: a solve under way ends unseen when the file is saved.
func TestWatchInterruptsSolve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.dc")
	long := "param n = 300\nvar x[n,2] start normal(0, 9)\nminimize max(i in 1..n) norm2(x[i,:])\nsubject to\n  a[i in 1..n, j in i+1..n]: norm2(x[i,:] - x[j,:]) >= 2\noption restarts = 1000\n"
	if err := os.WriteFile(path, []byte(long), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout, stderr heard
	done := make(chan int)
	go func() { done <- run(ctx, []string{"solve", "--watch", path}, nil, &stdout, &stderr) }()
	time.Sleep(time.Second)
	if err := os.WriteFile(path, []byte("var x in [0, 7]\nmaximize x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	log := stderr.take(t, "waiting for changes")
	out := stdout.take(t, "x ")
	if strings.Contains(log, "interrupted") || strings.Contains(out, "cancelled") || !strings.Contains(out, "objective    7") {
		t.Errorf("%s%s", out, log)
	}
	cancel()
	<-done
}

func TestWatchRefuses(t *testing.T) {
	for _, args := range [][]string{{"solve", "-w", "-"}, {"solve", "-w"}, {"solve", "-w", "none.dc"}, {"solve", "-w", "-w", "a.dc"}} {
		var stderr bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), io.Discard, &stderr); code != exitUsage || stderr.Len() == 0 {
			t.Errorf("%q: code %d, %s", args, code, stderr.String())
		}
	}
	if got := unwatched([]string{"solve", "-w", "a", "--watch=true", "--", "-w"}); !slices.Equal(got, []string{"solve", "a", "--", "-w"}) {
		t.Errorf("without the flag: %q", got)
	}
}

// TestEstimate: the rest of the work, by its share and by the limit.
func TestEstimate(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		share         float64
		took          time.Duration
		limit         time.Duration // 0: none
		want, because string
	}{
		{0, time.Minute, 0, "", "nothing is known"},
		{0.01, time.Minute, 0, "", "too little is known"},
		{1, time.Minute, 0, "", "all is done"},
		{0.25, 10 * time.Second, 0, ", about 30 s left", "a quarter"},
		{0.5, 10 * time.Minute, 0, ", about 10 min left", "minutes"},
		{0.1, time.Hour, 0, ", about 9 h left", "hours"},
		{0, 0, 5 * time.Second, ", at most 5 s left", "the limit"},
		{0.25, 10 * time.Second, 5 * time.Second, ", at most 5 s left", "the limit is nearer"},
		{0.25, 10 * time.Second, time.Hour, ", about 30 s left", "the limit is farther"},
		{0, 0, -time.Second, ", at most 0 s left", "the limit has passed"},
	} {
		p := &progress{share: c.share, from: now.Add(-c.took)}
		if c.limit != 0 {
			p.limit = now.Add(c.limit)
		}
		if got := p.left(now); got != c.want {
			t.Errorf("%s: %q, want %q", c.because, got, c.want)
		}
	}
	var none *progress
	none.portion(1, 2)
	none.until(now)
}

// TestStatusColour: colours tell the outcomes apart, and are there only where they are wanted.
func TestStatusColour(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		r    report.Report
		want string
	}{
		{report.Report{Status: "converged"}, "converged"},
		{report.Report{Status: "converged", Color: true}, "\x1b[32mconverged\x1b[0m"},
		{report.Report{Status: "stalled", Color: true, Code: exitNotSolved, Feasible: &yes}, "\x1b[33mstalled\x1b[0m"},
		{report.Report{Status: "infeasible", Color: true, Code: exitNotSolved, Feasible: &no}, "\x1b[31minfeasible\x1b[0m"},
	} {
		if got := c.r.StatusText(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if !colours(null) || !colours(&gate{w: &stream{w: null}}) || colours(io.Discard) {
		t.Error("a device has no colours, or a buffer has")
	}
	t.Setenv("NO_COLOR", "1")
	if colours(null) {
		t.Error("NO_COLOR is not honoured")
	}
}
