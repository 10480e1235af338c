package syntax

import (
	"strings"
	"unicode/utf8"
)

// Format returns a source in the one layout of the language, or its mistakes.
func Format(src string) ([]byte, []Mistake) {
	p := newParser(src, true)
	if p.file(); len(p.errs) > 0 {
		return nil, p.errs
	}
	l := &layouter{f: p.f, toks: p.toks, notes: p.f.Comments}
	l.run()
	alignLines(l.lines)
	var b strings.Builder
	for k := range l.lines {
		l.lines[k].writeTo(&b)
	}
	return []byte(b.String()), nil
}

func (o *outLine) writeTo(b *strings.Builder) {
	if o.blank {
		b.WriteByte('\n')
	}
	s := strings.Repeat(" ", o.indent) + strings.TrimRight(o.text, " ")
	if o.comment != "" {
		if o.text != "" {
			s += "  "
		}
		s += o.comment
	}
	b.WriteString(s)
	b.WriteByte('\n')
}

// The indents.
const (
	indentConstraint = 2
	indentOn         = 4 // of what goes on in a later line, in addition
)

func (l *layouter) run() {
	previous := -1
	for k := range l.toks {
		t := &l.toks[k]
		if t.Kind == Newline || t.Kind == EOF {
			continue
		}
		at := l.f.Line(t.Pos)
		switch {
		case t.first:
			l.statement(t, at)
		case at != l.line:
			l.goOn(t, at)
		default:
			l.blanks(l.gap(previous, k))
		}
		l.mark(k)
		l.text.WriteString(l.f.Source[t.Pos:t.End])
		l.track(k)
		previous, l.line = k, at
	}
	l.trailing()
	l.endLine()
}

// trailing places the comments behind the last statement: with constraints, if
// they were indented.
func (l *layouter) trailing() {
	for len(l.notes) > 0 {
		c, indent := l.notes[0], 0
		if l.indent > 0 && strings.ContainsAny(l.f.Source[c.Pos-1:c.Pos], " \t") {
			indent = indentConstraint
		}
		l.comments(c.End, indent)
	}
}

// statement begins the line of a statement.
func (l *layouter) statement(t *Token, at int) {
	verb, indent := ":", indentConstraint
	if t.Kind == Keyword {
		verb, indent = t.Text, 0
	}
	l.comments(t.Pos, indent)
	l.indent = indent
	l.begin(outLine{verb: verb, indent: indent}, at)
}

// goOn begins a later line of a statement.
func (l *layouter) goOn(t *Token, at int) {
	l.comments(t.Pos, l.indent+indentOn)
	l.begin(outLine{indent: l.indent + indentOn}, at)
}

func (l *layouter) begin(o outLine, at int) {
	l.endLine()
	o.blank = len(l.lines) > 0 && at > l.line+1
	o.family, o.joint, o.start = -1, -1, -1
	l.lines = append(l.lines, o)
}

// endLine gives the current line its text.
func (l *layouter) endLine() {
	if n := len(l.lines); n > 0 && l.text.Len() > 0 {
		l.lines[n-1].text = l.text.String()
	}
	l.text.Reset()
}

// comments places the comments before a token: one beside the current line, the
// others on lines of their own.
func (l *layouter) comments(before, indent int) {
	for len(l.notes) > 0 && l.notes[0].Pos < before {
		c := l.notes[0]
		l.notes = l.notes[1:]
		text := strings.TrimRight(l.f.Source[c.Pos:c.End], " \t\r")
		at := l.f.Line(c.Pos)
		if at == l.line && len(l.lines) > 0 {
			l.lines[len(l.lines)-1].comment = text
			continue
		}
		l.begin(outLine{indent: indent, comment: text}, at)
		l.line = at
	}
}

func (l *layouter) blanks(n int) {
	for range n {
		l.text.WriteByte(' ')
	}
}

// mark notes where the line may be stretched.
func (l *layouter) mark(k int) {
	o, t, at := &l.lines[len(l.lines)-1], &l.toks[k], l.text.Len()
	switch {
	case o.verb == "" || len(l.opens) > 0:
	case t.role == rBetween:
		o.many = true
	case t.role == rFamily && o.family < 0:
		o.family = at
	case t.Kind == Assign && o.joint < 0:
		o.joint = at
	case t.role == rAttribute && t.Text == "start" && o.start < 0:
		o.start = at
	case k > 0 && l.toks[k-1].role == rLabel && o.verb == ":":
		o.joint = at
	}
}

// alignLines stretches the lines of each block: neighbours that say the same kind
// of thing, with no empty line and no longer statement between. Declarations with
// indices and without are of two kinds.
func alignLines(lines []outLine) {
	var block []*outLine
	flush := func() {
		alignAt(block, func(o *outLine) *int { return &o.family })
		alignAt(block, func(o *outLine) *int { return &o.joint })
		alignAt(block, func(o *outLine) *int { return &o.start })
		block = block[:0]
	}
	for k := range lines {
		o := &lines[k]
		if o.blank {
			flush()
		}
		if o.verb == "" && o.text == "" {
			continue // a comment
		}
		if len(block) > 0 && (block[0].verb != o.verb || o.verb != ":" && (block[0].family < 0) != (o.family < 0)) {
			flush()
		}
		if o.verb == "" || o.many {
			flush()
			continue
		}
		block = append(block, o)
	}
	flush()
}

// alignAt moves a mark to the same column in all lines that have it.
func alignAt(block []*outLine, mark func(*outLine) *int) {
	width := func(o *outLine) int { return utf8.RuneCountInString(o.text[:*mark(o)]) }
	widest := 0
	for _, o := range block {
		if *mark(o) >= 0 {
			widest = max(widest, width(o))
		}
	}
	for _, o := range block {
		at := *mark(o)
		if at < 0 {
			continue
		}
		pad := widest - width(o)
		o.text = o.text[:at] + strings.Repeat(" ", pad) + o.text[at:]
		for _, m := range []*int{&o.family, &o.joint, &o.start} {
			if *m >= at {
				*m += pad
			}
		}
	}
}
