package session

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgress(t *testing.T) {
	if p := (&Messages{w: &bytes.Buffer{}}).Progress("x"); p != nil {
		t.Error("there is progress on what is no terminal")
	}
	var none *Progress
	none.Say("nothing")
	none.Stop()

	var w lockedBuffer
	p := newProgress(&w, "working", time.Hour, time.Hour)
	p.Stop()
	if w.String() != "" {
		t.Errorf("a short run shows %q", w.String())
	}
	p = newProgress(&w, "working", time.Nanosecond, time.Millisecond)
	p.Say("step %d", 7)
	for end := time.Now().Add(10 * time.Second); !strings.Contains(w.String(), "step 7") && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	m := &Messages{w: &w, line: p}
	m.Note("a message")
	if s := w.String(); !strings.Contains(s, "\r\x1b[Kdcopt: a message\n") {
		t.Errorf("beside the line a message is %q", s)
	}
	for end := time.Now().Add(10 * time.Second); strings.HasSuffix(w.String(), "message\n") && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	p.Stop()
	p.Stop()
	if s := w.String(); !strings.Contains(s, "step 7") || !strings.HasSuffix(s, "\r\x1b[K") {
		t.Errorf("the line is %q", s)
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
		p := &Progress{share: c.share, from: now.Add(-c.took)}
		if c.limit != 0 {
			p.limit = now.Add(c.limit)
		}
		if got := p.left(now); got != c.want {
			t.Errorf("%s: %q, want %q", c.because, got, c.want)
		}
	}
	var none *Progress
	none.Portion(1, 2)
	none.Until(now)
}

// TestColours: only a terminal shows them, and only where they are wanted.
func TestColours(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if !colours(null) || !colours(&gate{w: &Stream{w: null}}) || colours(io.Discard) {
		t.Error("a device has no colours, or a buffer has")
	}
	t.Setenv("NO_COLOR", "1")
	if colours(null) {
		t.Error("NO_COLOR is not honoured")
	}
}
