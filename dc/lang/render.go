package lang

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
