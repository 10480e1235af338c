package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
)

// Parse reads a source. Where there are mistakes, the tree holds the statements that
// could be read.
func Parse(src string) (*Tree, []Mistake) {
	p := newParser(src, false)
	p.file()
	return p.f, p.errs
}

// ParseExpr reads a source that is one expression; it is nil where there are mistakes.
func ParseExpr(src string) (*Tree, *Node, []Mistake) {
	p := newParser(src, false)
	var n *Node
	p.guarded(func() { n = p.expr(); p.endOfLine() })
	if len(p.errs) > 0 {
		n = nil
	}
	return p.f, n, p.errs
}

func newParser(src string, layout bool) *parser {
	p := &parser{f: NewTree(src), layout: layout}
	p.toks = scan(p.f, &p.errs)
	return p
}

func (p *parser) file() {
	for p.tok().Kind != EOF {
		if !p.accept(Newline) {
			p.guarded(p.line)
		}
	}
}

// guarded runs a rule; after a mistake it skips to the next line.
func (p *parser) guarded(rule func()) {
	first := p.at
	defer func() {
		if r := recover(); r != nil {
			if r != errSyntax {
				panic(r)
			}
			p.depth, p.blanks = 0, false
			for k := p.tok().Kind; k != Newline && k != EOF && k != Keyword; k = p.tok().Kind {
				p.at++
			}
			for _, t := range p.toks[first:p.at] {
				if t.Kind == Name {
					p.f.Lost[t.Text] = true
				}
			}
		}
	}()
	rule()
}

// line parses one line: statements of one keyword, or a constraint.
func (p *parser) line() {
	t := p.tok()
	t.first = true
	if t.Kind != Keyword {
		if !p.constraints {
			p.notStatement(t)
		}
		p.constraint()
		p.endOfLine()
		return
	}
	p.at++
	p.constraints = false
	if c := p.tok(); c.Kind == Colon {
		p.fail(c.Span, "leave it out", "no colon follows %s", t.Text)
	}
	switch s := (&Statement{Span: t.Span, Verb: verbOf(t.Text), At: t.Span}); s.Verb {
	case Minimize, Maximize:
		s.Value = p.objective()
		p.add(s)
	case Find:
		p.add(s)
	case Plot:
		p.plot(s)
	case Constraint:
		if to := p.tok(); to.Kind != Name || to.Text != "to" {
			p.fail(t.Span, "write subject to", "subject stands alone")
		}
		p.at++
		p.constraints = true
		if c := p.tok(); c.Kind == Colon {
			p.fail(c.Span, "leave it out", "no colon follows subject to")
		}
		if t := p.tok(); t.Kind != Newline {
			t.first = true
			p.constraint()
		}
	default:
		p.list(t, s.Verb)
	}
	p.endOfLine()
}

// add keeps a statement if nothing but a comma or the end of the line follows.
func (p *parser) add(s *Statement) {
	switch k := p.tok().Kind; {
	case k == Newline || k == EOF:
	case k == Comma && (s.Verb <= Let || s.Verb == Option):
	default:
		p.endOfLine()
	}
	s.End = max(s.End, p.last())
	p.f.Statements = append(p.f.Statements, s)
}

// list parses declarations with commas between. The span of the first begins
// with the keyword.
func (p *parser) list(key *Token, verb Verb) {
	rule := [...]func(s *Statement){Param: p.param, Set: p.set, Var: p.variable, Let: p.let, Option: p.option}[verb]
	for pos := key.Pos; ; pos = p.tok().Pos {
		s := &Statement{Span: Span{pos, 0}, Verb: verb}
		t := p.tok()
		if t.Kind != Name {
			if t.Kind >= In || t.Kind == Keyword {
				p.fail(t.Span, "choose another name", "%s is a word of the language", p.f.Text(t.Span))
			}
			if k := t.Kind; key.Text == "var" && (k == LE || k == GE) {
				p.fail(t.Span, "leave out the comma before it: var x >= 0 <= 1", "want a name after var, not %s",
					p.describe(t))
			}
			p.unexpected("a name", "after "+key.Text)
		}
		s.Name, s.At = t.Text, t.Span
		p.at++
		rule(s)
		if p.add(s); !p.between() {
			return
		}
	}
}

// between takes a comma between declarations or marks.
func (p *parser) between() bool {
	if p.tok().Kind == Comma {
		p.tok().role = rBetween
	}
	return p.accept(Comma)
}

// param = name [ "[" (binders | dims) "]" ] [ "=" expr ]
func (p *parser) param(s *Statement) {
	if p.tok().Kind == LBracket {
		if p.isBinder(p.at + 1) {
			s.Binders, s.Cond = p.indexing()
		} else {
			s.Dims = p.dims()
		}
	}
	if p.accept(Assign) {
		s.Value = p.rangeExpr()
	} else if k := p.tok().Kind; k == LE || k == GE || k == In {
		p.fail(p.tok().Span, "", "a param has a value, not bounds; want =")
	}
}

// set = name "=" expr
func (p *parser) set(s *Statement) {
	p.expect(Assign, "after the set's name")
	s.Value = p.rangeExpr()
}

// let = name [ "[" binders "]" ] "=" expr
func (p *parser) let(s *Statement) {
	if p.tok().Kind == LBracket {
		if !p.isBinder(p.at + 1) {
			p.fail(p.tok().Span, "write let name[i in 1..n] = ..., or leave the brackets out",
				"a let takes its shape from its value")
		}
		s.Binders, s.Cond = p.indexing()
	}
	p.expect(Assign, "after the name")
	s.Value = p.expr()
}

// variable = name [ "[" dims "]" ] { attribute }
func (p *parser) variable(s *Statement) {
	if p.tok().Kind == LBracket {
		if p.isBinder(p.at + 1) {
			p.fail(p.tok().Span, "write sizes or ranges, as in var x[0..n, 2]",
				"a variable has dimensions, not indices")
		}
		s.Dims = p.dims()
	}
	for {
		t := p.tok()
		a := Attribute{Span: t.Span}
		switch {
		case t.Kind == LE || t.Kind == GE:
			p.at++
			a.Name, a.Args = t.Kind.String(), []*Node{p.expr()}
		case t.Kind == In:
			p.at++
			a.Name = "in"
			if p.tok().Kind == LBrace {
				p.fail(p.tok().Span, whole01, "a variable lies between bounds, not in a set")
			}
			p.expect(LBracket, "after in, as in in [0, 1]")
			a.Args = append(a.Args, p.expr())
			p.expect(Comma, "between the bounds")
			a.Args = append(a.Args, p.expr())
			p.expect(RBracket, "after the bounds")
		case t.Kind == Name && t.Text == "start":
			p.at++
			a.Name, a.Args = "start", []*Node{p.expr()}
		case t.Kind == Name && plainAttributes[t.Text]:
			p.at++
			a.Name = t.Text
		case t.Kind == Name:
			p.unknownAttribute(t)
		case t.Kind == EQ || t.Kind == Assign:
			p.fail(t.Span, "fix it with a constraint, or begin there with start", "a variable cannot be given a value")
		default:
			return
		}
		t.role = rAttribute
		a.End = p.last()
		s.Attrs = append(s.Attrs, a)
	}
}

// plainAttributes are the attributes of one word.
var plainAttributes = map[string]bool{"symmetric": true, "psd": true, "complex": true, "hermitian": true}

// option = name "=" expr
func (p *parser) option(s *Statement) {
	p.expect(Assign, "after the option's name")
	s.Value = p.expr()
}

// objective = expr, which may begin on the next line.
func (p *parser) objective() *Node {
	if p.tok().Kind == Newline {
		p.at++
	}
	return p.expr()
}

// constraint = [ name [ "[" binders "]" ] ":" ] expr rel expr [ rel expr ]
func (p *parser) constraint() {
	s := &Statement{Span: p.tok().Span, Verb: Constraint}
	if t := p.tok(); t.Kind == Name && p.toks[p.at+1].Kind == LParen {
		p.quantifier()
	}
	p.label(s)
	s.Args = append(s.Args, p.expr())
	for k := p.tok().Kind; k >= Assign && k <= NE; k = p.tok().Kind {
		switch t := p.tok(); k {
		case Assign:
			p.fail(t.Span, "== states an equation", "= has no place in a constraint")
		case Less, Greater:
			p.fail(t.Span, fmt.Sprintf("write %s=", k), "a constraint cannot be strict")
		case NE:
			p.fail(t.Span, "", "a constraint cannot say !=")
		}
		s.Rels = append(s.Rels, k)
		p.at++
		s.Args = append(s.Args, p.expr())
	}
	s.End = p.last()
	switch n := len(s.Rels); {
	case n == 0 && (p.tok().Kind == Newline || p.tok().Kind == EOF):
		help := ""
		if a := s.Args[0]; a.Op == OpCall && a.Name == "psd" {
			help = "a semidefinite matrix M is lambda_min(M) >= 0; a variable may have the attribute psd"
		}
		p.fail(s.Span, help, "a constraint needs <=, >= or ==")
	case n == 0:
		p.endOfLine()
	case n > 2 || n == 2 && (s.Rels[0] != s.Rels[1] || s.Rels[0] == EQ):
		p.fail(s.Span, "", "a chain is l <= e <= u or u >= e >= l")
	}
	s.Whole = p.node(Node{Span: s.Span, Args: s.Args})
	p.add(s)
}

// label parses the name and the indices before a colon.
func (p *parser) label(s *Statement) {
	t := p.tok()
	if t.Kind != Name {
		return
	}
	after := &p.toks[p.at+1]
	if after.Kind == LBracket && after.match >= 0 {
		after = &p.toks[after.match+1]
	}
	if after.Kind != Colon {
		return
	}
	s.Name, s.At = t.Text, t.Span
	p.at++
	if p.tok().Kind == LBracket {
		s.Binders, s.Cond = p.indexing()
	}
	p.expect(Colon, "after the constraint's name").role = rLabel
}

// plotAttributes are the words that may follow the marks of a plot.
var plotAttributes = []string{"title", "xlabel", "ylabel"}

// plot = mark { "," mark } { ( "title" | "xlabel" | "ylabel" ) string }
func (p *parser) plot(s *Statement) {
	for more := true; more; more = p.between() {
		s.Marks = append(s.Marks, p.mark())
	}
	for p.tok().Kind == Name {
		s.Attrs = append(s.Attrs, p.plotAttribute(s))
	}
	p.add(s)
}

// mark = name "(" range { "," range } ")" [ string ]
func (p *parser) mark() Mark {
	t := p.tok()
	if t.Kind != Name || p.toks[p.at+1].Kind != LParen {
		if t.Kind == Bad {
			panic(errSyntax) // the scanner has said so
		}
		p.fail(t.Span, `write plot points(p), or plot points(p) "here", path(q) "there" for several in one picture`,
			"want what to draw with its arguments in parentheses, not %s", p.describe(t))
	}
	m := Mark{Span: t.Span, Kind: t.Text, At: t.Span}
	p.at += 2
	for more := true; more; more = p.accept(Comma) {
		m.Args = append(m.Args, p.rangeExpr())
	}
	p.expect(RParen, "after the arguments of "+m.Kind)
	if l := p.tok(); p.accept(String) {
		m.Label = l.Text
	}
	m.End = p.last()
	return m
}

func (p *parser) plotAttribute(s *Statement) Attribute {
	t := p.tok()
	if !slices.Contains(plotAttributes, t.Text) {
		p.fail(t.Span,
			"a comma parts what is drawn in one picture; "+strings.Join(plotAttributes, ", ")+" take a string each",
			"unknown attribute %q of a plot%s", t.Text, suggest.DidYouMean(t.Text, plotAttributes))
	}
	for _, a := range s.Attrs {
		if a.Name == t.Text {
			p.fail(t.Span, "", "the plot has two attributes %s", t.Text)
		}
	}
	p.at++
	t.role = rAttribute
	v := p.expect(String, "in double quotes after "+t.Text)
	return Attribute{Span: Span{t.Pos, v.End}, Name: t.Text,
		Args: []*Node{p.node(Node{Span: v.Span, Op: OpString, Name: v.Text})}}
}
