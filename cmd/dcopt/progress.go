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
// after a second and is wiped out at the end.
type progress struct {
	w    io.Writer
	done chan struct{}
	idle sync.WaitGroup

	mu    sync.Mutex
	state string
}

// startProgress returns nil, which is a progress that shows nothing, if w is no
// terminal.
func startProgress(w io.Writer, what string) *progress {
	if !isTerminal(w) {
		return nil
	}
	return newProgress(w, what, time.Second, 250*time.Millisecond)
}

// isTerminal takes every character device for a terminal; what is written to
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
	p.idle.Add(1)
	go func() {
		defer p.idle.Done()
		wake := time.NewTimer(after)
		defer wake.Stop()
		shown := false
		for {
			select {
			case <-p.done:
				if shown {
					fmt.Fprint(p.w, "\r\x1b[K")
				}
				return
			case <-wake.C:
				p.mu.Lock()
				state := p.state
				p.mu.Unlock()
				// The line is cut to 79 columns: a wrapped one could not be wiped out.
				fmt.Fprintf(p.w, "\r\x1b[K%.70s %6.1f s", state, time.Since(begin).Seconds())
				shown = true
				wake.Reset(every)
			}
		}
	}()
	return p
}

// say changes what the line says.
func (p *progress) say(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.state = fmt.Sprintf(format, args...)
	p.mu.Unlock()
}

// stop wipes the line out.
func (p *progress) stop() {
	if p == nil {
		return
	}
	close(p.done)
	p.idle.Wait()
}

// recorder tells the line of iterations.
func (p *progress) recorder() ccp.Recorder {
	if p == nil {
		return nil
	}
	return ccp.RecorderFunc(func(it ccp.Iteration) error {
		p.say("start %d, iteration %d: objective %.6g, violation %.1e", it.Start+1, it.K, it.Objective, it.Violation)
		return nil
	})
}
