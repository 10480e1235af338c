package session

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dcopt/dcopt/ccp"
)

// Progress is a line on a terminal that says where a long run is. It appears
// after a second and is wiped out at the end, and by text that is written to it, after
// which it comes back. A nil progress shows nothing.
type Progress struct {
	w    io.Writer
	done chan struct{}
	end  sync.Once
	idle sync.WaitGroup

	mu    sync.Mutex
	state string
	shown bool
	share float64   // of the work, done since from
	from  time.Time // when the share was 0
	limit time.Time // when the work ends at the latest; zero: there is no limit
}

// Progress starts the line of the run, or says what follows if there is one, unless
// messages go to no terminal.
func (m *Messages) Progress(what string) *Progress {
	switch {
	case m.JSON || !isTerminal(m.w):
		return nil
	case m.line != nil:
		m.line.Say("%s", what)
		return m.line
	}
	m.line = newProgress(m.w, what, time.Second, 250*time.Millisecond)
	return m.line
}

// isTerminal takes every character device for a terminal; text that is written to
// /dev/null does no harm.
func isTerminal(w io.Writer) bool {
	switch inner := w.(type) {
	case *gate:
		return isTerminal(inner.w)
	case *Stream:
		return isTerminal(inner.w)
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// colours reports whether w shows colours, and the user wants them: https://no-color.org.
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

func newProgress(w io.Writer, what string, after, every time.Duration) *Progress {
	p := &Progress{w: w, done: make(chan struct{}), state: what}
	begin := time.Now()
	p.idle.Go(func() {
		wake := time.NewTimer(after)
		defer wake.Stop()
		for {
			select {
			case <-p.done:
				return
			case <-wake.C:
				now := time.Now()
				p.mu.Lock()
				// The line is cut to 79 columns: a wrapped one could not be wiped out.
				end := fmt.Sprintf(" %6.1f s%s", now.Sub(begin).Seconds(), p.left(now))
				fmt.Fprintf(p.w, "\r\x1b[K%.*s%s", 79-len(end), p.state, end)
				p.shown = true
				p.mu.Unlock()
				wake.Reset(every)
			}
		}
	})
	return p
}

// Write writes a message in the place of the line.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
	return p.w.Write(b)
}

// Say changes the text of the line.
func (p *Progress) Say(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.state = fmt.Sprintf(format, args...)
	p.mu.Unlock()
}

// Portion says how much of the work is done, of all of it; the line tells how long the
// rest takes if it goes on so. A portion of 0 begins anew.
func (p *Progress) Portion(done, total float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !(total > 0) || done <= 0 {
		p.share, p.from = 0, time.Now()
		return
	}
	p.share = min(done/total, 1)
}

// Until says when the work ends at the latest.
func (p *Progress) Until(limit time.Time) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.limit = limit
	p.mu.Unlock()
}

// leastShare is the part of the work from which the rest is estimated.
// Source: below it the estimate would be more than fifty times the time measured.
const leastShare = 0.02

// left is the estimate of the rest, empty where there is none.
func (p *Progress) left(now time.Time) string {
	rest, about := time.Duration(-1), "about"
	if p.share >= leastShare && p.share < 1 && !p.from.IsZero() {
		rest = time.Duration(float64(now.Sub(p.from)) * (1 - p.share) / p.share)
	}
	if limit := p.limit.Sub(now); !p.limit.IsZero() && (rest < 0 || limit < rest) {
		rest, about = max(limit, 0), "at most"
	}
	switch {
	case rest < 0:
		return ""
	case rest < 2*time.Minute:
		return fmt.Sprintf(", %s %.0f s left", about, rest.Seconds())
	case rest < 2*time.Hour:
		return fmt.Sprintf(", %s %.0f min left", about, rest.Minutes())
	}
	return fmt.Sprintf(", %s %.0f h left", about, rest.Hours())
}

// Wipe makes room for the result; the line comes back.
func (p *Progress) Wipe() {
	if p != nil {
		p.Write(nil)
	}
}

// Stop wipes the line out for good.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.end.Do(func() { close(p.done) })
	p.idle.Wait()
	p.Wipe()
}

// Recorder tells the line of iterations; starts is the number of starts, below 2 where it
// is not known.
func (p *Progress) Recorder(starts int) ccp.Recorder {
	if p == nil {
		return nil
	}
	return recorder{ccp.RecorderFunc(func(it ccp.Iteration) error {
		p.Say("start %d, iteration %d: objective %.6g, violation %.1e", it.Start+1, it.K, it.Objective, it.Violation)
		if starts > 1 {
			p.Portion(float64(it.Start), float64(starts))
		}
		return nil
	}), p}
}

// recorder tells the line of iterations and of bounds.
type recorder struct {
	ccp.Recorder
	p *Progress
}

// RecordBounds tells the line how far a proof is.
func (r recorder) RecordBounds(b ccp.Bounds) error {
	r.p.Portion(0, 1) // how many nodes are to come nobody knows
	r.p.Say("%d nodes, %d open: objective %.6g, bound %.6g, gap %.1e", b.Nodes, b.Open, b.Objective, b.Bound, b.Gap)
	return nil
}
