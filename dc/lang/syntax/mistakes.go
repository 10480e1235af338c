package syntax

import "fmt"

// MaxErrors is how many diagnostics of a file are shown.
// Source: the rule of go/parser.
const MaxErrors = 10

// MaxCollected bounds the number of mistakes before sorting.
// Source: a limit of time and memory.
const MaxCollected = 100

// Mistake is a mistake in a source and, where there is one, the way out.
type Mistake struct {
	Span
	Message, Help string
	Notes         []Note
}

// Note points at a part of the expression that a Mistake is about.
type Note struct {
	Span
	Text string
}

// lapses are the mistakes of a source in the order in which they were found, the
// first ones where there are many.
type lapses []Mistake

func (l *lapses) addf(at Span, help, format string, args ...any) {
	if len(*l) < MaxCollected {
		*l = append(*l, Mistake{Span: at, Message: fmt.Sprintf(format, args...), Help: help})
	}
}
