package lang

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dcopt/dcopt/internal/enum"
)

// Severity grades a Diagnostic.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
	numSeverity
)

var severityText = [numSeverity]string{"error", "warning"}

// String is the severity in words.
func (s Severity) String() string { return enum.String(s, "Severity", severityText[:]) }

// ParseSeverity is the inverse of String.
func ParseSeverity(name string) (Severity, error) {
	return enum.Parse[Severity](name, "lang: no severity", severityText[:])
}

// Place is a stretch of one line of a problem file. Columns count characters
// from 1; EndCol is the first one after the stretch. Line 0 is no place.
type Place struct {
	Line, Col, EndCol int
}

// Note points at a part of the expression that a Diagnostic is about.
type Note struct {
	Place
	Text string
}

// Diagnostic is a message about a problem file: a place, a reason and, where
// there is one, a way out.
type Diagnostic struct {
	File string
	Place
	Severity Severity
	Message  string
	Help     string // may be empty
	Notes    []Note
	// Set is the param of Options.Set that the message is about, and not the
	// file; empty: none.
	Set string

	also bool // it does not follow from another one on its line
}

// String is the message in one line, without help and notes. Characters that
// would steer a terminal are written as escapes.
func (d Diagnostic) String() string {
	return d.head() + d.Severity.String() + ": " + printable(d.Message)
}

// head is the place before the message.
func (d Diagnostic) head() string {
	switch {
	case d.File == "":
		return ""
	case d.Line == 0:
		return printable(d.File) + ": "
	}
	return fmt.Sprintf("%s:%d:%d: ", printable(d.File), d.Line, d.Col)
}

// printable replaces invisible characters by escapes.
func printable(s string) string {
	var b strings.Builder
	for k, r := range s {
		switch {
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(s[k:], "\ufffd"): // a stray byte
			fmt.Fprintf(&b, "\\x%02x", s[k])
		case r < 0x100:
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// Diagnostics is the list of all that is wrong with a file, sorted by place: ten
// at most, and one per line unless they are independent: unknown names, of which
// each is reported once, and mistakes in different terms of a sum or on different
// sides of a constraint.
type Diagnostics []Diagnostic

// Error is the diagnostics as text, one line for each, as their String.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for k, d := range ds {
		lines[k] = d.String()
	}
	return strings.Join(lines, "\n")
}
