package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dcopt/dcopt/ccp"
)

// progress is a line on a terminal that says where a long run is. It appears
// after a second and is wiped out at the end, and by text that is written to it, after
// which it comes back. A nil progress shows nothing.
type progress struct {
	w    io.Writer
	done chan struct{}
	end  sync.Once
	idle sync.WaitGroup

	mu    sync.Mutex
	state string
	shown bool
}

// progress starts the line of the run, or says what follows if there is one, unless
// messages go to no terminal.
func (m *messages) progress(what string) *progress {
	switch {
	case m.json || !isTerminal(m.w):
		return nil
	case m.line != nil:
		m.line.say("%s", what)
		return m.line
	}
	m.line = newProgress(m.w, what, time.Second, 250*time.Millisecond)
	return m.line
}

// isTerminal takes every character device for a terminal; text that is written to
// /dev/null does no harm.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

func newProgress(w io.Writer, what string, after, every time.Duration) *progress {
	p := &progress{w: w, done: make(chan struct{}), state: what}
	begin := time.Now()
	p.idle.Go(func() {
		wake := time.NewTimer(after)
		defer wake.Stop()
		for {
			select {
			case <-p.done:
				return
			case <-wake.C:
				p.mu.Lock()
				// The line is cut to 79 columns: a wrapped one could not be wiped out.
				fmt.Fprintf(p.w, "\r\x1b[K%.70s %6.1f s", p.state, time.Since(begin).Seconds())
				p.shown = true
				p.mu.Unlock()
				wake.Reset(every)
			}
		}
	})
	return p
}

// Write writes a message in the place of the line.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
	return p.w.Write(b)
}

// say changes the text of the line.
func (p *progress) say(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.state = fmt.Sprintf(format, args...)
	p.mu.Unlock()
}

// wipe makes room for the result; the line comes back.
func (p *progress) wipe() {
	if p != nil {
		p.Write(nil)
	}
}

// stop wipes the line out for good.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.end.Do(func() { close(p.done) })
	p.idle.Wait()
	p.wipe()
}

// recorder tells the line of iterations.
func (p *progress) recorder() ccp.Recorder {
	if p == nil {
		return nil
	}
	return recorder{ccp.RecorderFunc(func(it ccp.Iteration) error {
		p.say("start %d, iteration %d: objective %.6g, violation %.1e", it.Start+1, it.K, it.Objective, it.Violation)
		return nil
	}), p}
}

// recorder tells the line of iterations and of bounds.
type recorder struct {
	ccp.Recorder
	p *progress
}

// RecordBounds tells the line how far a proof is.
func (r recorder) RecordBounds(b ccp.Bounds) error {
	r.p.say("%d nodes, %d open: objective %.6g, bound %.6g, gap %.1e", b.Nodes, b.Open, b.Objective, b.Bound, b.Gap)
	return nil
}
