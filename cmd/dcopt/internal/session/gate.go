package session

import (
	"io"
	"sync"
)

// gate passes on what is written until it is shut.
type gate struct {
	w    io.Writer
	mu   sync.Mutex
	shut bool
	any  bool // something was written
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return len(p), nil
	}
	g.any = g.any || len(p) > 0
	return g.w.Write(p)
}

// close shuts the gate for good, and wipes out a progress line that is left on a terminal.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut = true; g.any && isTerminal(g.w) {
		io.WriteString(g.w, "\r\x1b[K")
	}
}
