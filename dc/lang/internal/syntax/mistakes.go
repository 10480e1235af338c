package syntax

import "fmt"

// MaxErrors is how many diagnostics of a file are shown.
// Source: the rule of go/parser.
const MaxErrors = 10

// MaxCollected bounds the number of mistakes before sorting.
// Source: a limit of time and memory.
const MaxCollected = 100

// Mistake is a mistake in the syntax of a source and, where there is one, the way out.
type Mistake struct {
	Span
	Message, Help string
}

// lapses are the mistakes of a source in the order in which they were found, the
// first ones where there are many.
type lapses []Mistake

func (l *lapses) addf(at Span, help, format string, args ...any) {
	if len(*l) < MaxCollected {
		*l = append(*l, Mistake{at, fmt.Sprintf(format, args...), help})
	}
}
