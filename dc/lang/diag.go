package lang

import (
	"bytes"
	"fmt"
	"io"
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

// The colours of a terminal that Render uses.
const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	blue  = "\x1b[34m"
	plain = "\x1b[0m"
)

// Render writes the diagnostics for a person: each with the line it is about,
// its notes and its help. source returns the bytes of a file by the name it was
// parsed under, nil if they are not to be had; source itself may be nil. Nothing
// of the file reaches w that would steer a terminal.
func (ds Diagnostics) Render(w io.Writer, source func(file string) []byte, color bool) error {
	var b bytes.Buffer
	paint := func(code, s string) string {
		if color {
			return code + s + plain
		}
		return s
	}
	for _, d := range ds {
		fmt.Fprintf(&b, "%s%s %s\n", paint(bold, d.head()), paint(red, d.Severity.String()+":"), printable(d.Message))
		var lines []string
		if source != nil {
			lines = strings.Split(strings.TrimPrefix(string(source(d.File)), "\ufeff"), "\n")
		}
		if len(d.Notes) == 0 {
			d.Notes = []Note{{Place: d.Place}}
		}
		for _, n := range d.Notes {
			snippet(&b, lines, n, paint)
		}
		if d.Help != "" {
			fmt.Fprintf(&b, "  %s %s\n", paint(blue, "help:"), printable(d.Help))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// maxShown is how many characters of a line are shown.
// Source: a limit of the length of messages, two lines of a terminal.
const maxShown = 160

// snippet writes a line of the source with carets under the place.
func snippet(b *bytes.Buffer, lines []string, n Note, paint func(code, s string) string) {
	if n.Line == 0 || n.Line > len(lines) || n.Col == 0 {
		if n.Text != "" {
			fmt.Fprintf(b, "  %s\n", printable(n.Text))
		}
		return
	}
	line := []rune(strings.TrimRight(lines[n.Line-1], "\r"))
	col, end := n.Col-1, max(n.EndCol-1, n.Col)
	skip := 0
	if len(line) > maxShown && col > maxShown/2 {
		skip = col - maxShown/4
	}
	line = line[min(skip, len(line)):]
	col, end = col-skip, end-skip
	tail := ""
	if len(line) > maxShown {
		line, tail = line[:maxShown], " ..."
	}
	end = min(end, max(len(line), col+1))
	var pad strings.Builder
	for k := range col {
		if k < len(line) && line[k] == '\t' {
			pad.WriteByte('\t') // the carets must stay under the text that they mark
		} else {
			pad.WriteByte(' ')
		}
	}
	number := fmt.Sprint(n.Line)
	fmt.Fprintf(b, "  %s | %s%s\n", number, visible(line), tail)
	carets := paint(red, "^"+strings.Repeat("~", end-col-1))
	if n.Text != "" {
		carets += " " + printable(n.Text)
	}
	fmt.Fprintf(b, "  %s | %s%s\n", strings.Repeat(" ", utf8.RuneCountInString(number)), pad.String(), carets)
}

// visible is a line with a mark for each character that is not to be seen, so
// that the carets stay where they are.
func visible(line []rune) string {
	out := make([]rune, len(line))
	for k, r := range line {
		if out[k] = r; r != '\t' && !unicode.IsPrint(r) {
			out[k] = utf8.RuneError
		}
	}
	return string(out)
}
