package page

import (
	"fmt"
	"io"
	"math"
	"slices"
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

// Digits prints v > 0 with three digits, at most so many of them decimals.
func Digits(v float64, decimals int) string {
	if math.IsNaN(v) {
		return "NaN"
	}
	whole := math.Floor(math.Log10(v))
	return fmt.Sprintf("%.*f", int(min(max(2-whole, 0), float64(decimals))), v)
}

// AddOnce appends s unless it is there.
func AddOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
