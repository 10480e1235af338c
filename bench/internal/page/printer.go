package page

import (
	"fmt"
	"io"
)

// Printer keeps its first error.
type Printer struct {
	W   io.Writer
	Err error
}

// Printf prints until there is an error.
func (p *Printer) Printf(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.W, format, args...)
	}
}
