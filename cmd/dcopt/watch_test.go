package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
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
	if code := <-done; code != exit.Interrupted {
		t.Errorf("code %d after Ctrl-C", code)
	}
}

// TestWatchInterruptsSolve: a solve under way ends unseen when the file is saved.
func TestWatchInterruptsSolve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.dc")
	long := "param n = 300\nvar x[n,2] start normal(0, 9)\nminimize max(i in 1..n) norm2(x[i,:])\nsubject to\n  a[i in 1..n, j in i+1..n]: norm2(x[i,:] - x[j,:]) >= 2\noption starts = 1000\n"
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
		if code := run(context.Background(), args, strings.NewReader(""), io.Discard, &stderr); code != exit.Usage || stderr.Len() == 0 {
			t.Errorf("%q: code %d, %s", args, code, stderr.String())
		}
	}
}
