package lang

import "errors"

// maxDepth is how deep expressions may be nested.
// Source: a limit against nested input: the parser recurses once per level.
const maxDepth = 200

// parser is a recursive descent over the tokens. A mistake unwinds to the
// statement it is in.
type parser struct {
	f     *File
	errs  *collector
	toks  []token
	at    int
	depth int
	// blanks: inside a literal without commas, where blanks part the elements.
	blanks bool
	// constraints: a line without a keyword is a constraint.
	constraints bool
	// layout: the formatter will ask for the roles of the tokens.
	layout bool
}

var errSyntax = errors.New("lang: syntax")

func (p *parser) tok() *token { return &p.toks[p.at] }

func (p *parser) next() *token {
	t := p.tok()
	if t.kind != tEOF {
		p.at++
	}
	return t
}

// accept takes the token if it is of the kind.
func (p *parser) accept(k kind) bool {
	if p.tok().kind == k {
		p.at++
		return true
	}
	return false
}

// fail reports a mistake and unwinds.
func (p *parser) fail(at span, help, format string, args ...any) {
	p.errs.addf(at, help, format, args...)
	panic(errSyntax)
}

func (p *parser) expect(k kind, where string) *token {
	if p.tok().kind != k {
		p.unexpected(k.String(), where)
	}
	return p.next()
}

// unexpected reports that another token was wanted.
func (p *parser) unexpected(want, where string) {
	t := p.tok()
	if t.kind == tBad {
		panic(errSyntax) // the scanner has said so
	}
	if where != "" {
		where = " " + where
	}
	p.fail(t.span, "", "want %s%s, not %s", want, where, p.describe(t))
}

func (p *parser) describe(t *token) string {
	switch t.kind {
	case tName, tNumber, tKeyword, tString:
		return p.f.short(t.span)
	}
	return t.kind.String()
}

// last is where the token before this one ends.
func (p *parser) last() int {
	if p.at == 0 {
		return 0
	}
	return p.toks[p.at-1].end
}
