package syntax

import "errors"

// maxDepth is how deep expressions may be nested.
// Source: a limit against nested input: the parser recurses once per level.
const maxDepth = 200

// parser is a recursive descent over the tokens. A mistake unwinds to the
// statement it is in.
type parser struct {
	f     *Tree
	errs  lapses
	toks  []Token
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

// node is a new node of the tree.
func (p *parser) node(n Node) *Node {
	p.f.Nodes++
	n.ID, n.tree = p.f.Nodes, p.f
	return &n
}

func (p *parser) tok() *Token { return &p.toks[p.at] }

func (p *parser) next() *Token {
	t := p.tok()
	if t.Kind != EOF {
		p.at++
	}
	return t
}

// accept takes the token if it is of the kind.
func (p *parser) accept(k Kind) bool {
	if p.tok().Kind == k {
		p.at++
		return true
	}
	return false
}

// fail reports a mistake and unwinds.
func (p *parser) fail(at Span, help, format string, args ...any) {
	p.errs.addf(at, help, format, args...)
	panic(errSyntax)
}

func (p *parser) expect(k Kind, where string) *Token {
	if p.tok().Kind != k {
		p.unexpected(k.String(), where)
	}
	return p.next()
}

// unexpected reports that another token was wanted.
func (p *parser) unexpected(want, where string) {
	t := p.tok()
	if t.Kind == Bad {
		panic(errSyntax) // the scanner has said so
	}
	if where != "" {
		where = " " + where
	}
	p.fail(t.Span, "", "want %s%s, not %s", want, where, p.describe(t))
}

func (p *parser) describe(t *Token) string {
	switch t.Kind {
	case Name, Number, Keyword, String:
		return p.f.Short(t.Span)
	}
	return t.Kind.String()
}

// last is where the token before this one ends.
func (p *parser) last() int {
	if p.at == 0 {
		return 0
	}
	return p.toks[p.at-1].End
}
