package lang

import (
	"fmt"
	"strings"
)

// Parse reads a problem file; diagnostics use name as its name. On error, of type
// Diagnostics, the File holds the statements that could be read; Compile then
// finds the other mistakes, too, and reports all together.
func Parse(name string, src []byte) (*File, error) {
	p := parse(name, src, false)
	if len(p.f.syntax) > 0 {
		return p.f, p.f.syntax
	}
	return p.f, nil
}

// parse is Parse that returns the parser, with its tokens and roles.
func parse(name string, src []byte, layout bool) *parser {
	f := &File{Name: name, src: strings.TrimPrefix(string(src), "\ufeff"), lines: []int{0}, lost: map[string]bool{}}
	for k := range len(f.src) {
		if f.src[k] == '\n' {
			f.lines = append(f.lines, k+1)
		}
	}
	errs := &collector{f: f}
	p := &parser{f: f, errs: errs, toks: scan(f, errs), layout: layout}
	p.file()
	f.syntax = errs.sorted()
	return p
}

func (p *parser) file() {
	for p.tok().kind != tEOF {
		if !p.accept(tNewline) {
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
			for k := p.tok().kind; k != tNewline && k != tEOF && k != tKeyword; k = p.tok().kind {
				p.at++
			}
			for _, t := range p.toks[first:p.at] {
				if t.kind == tName && p.f.lost != nil {
					p.f.lost[t.text] = true
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
	if t.kind != tKeyword {
		if !p.constraints {
			p.notStatement(t)
		}
		p.constraint()
		p.endOfLine()
		return
	}
	p.at++
	p.constraints = false
	if c := p.tok(); c.kind == tColon {
		p.fail(c.span, "leave it out", "no colon follows %s", t.text)
	}
	switch t.text {
	case "param":
		p.list(t, p.param)
	case "set":
		p.list(t, p.set)
	case "var":
		p.list(t, p.variable)
	case "let":
		p.list(t, p.let)
	case "option":
		p.list(t, p.option)
	case "minimize":
		p.add(&statement{span: t.span, verb: vMinimize, at: t.span, value: p.objective()})
	case "maximize":
		p.add(&statement{span: t.span, verb: vMaximize, at: t.span, value: p.objective()})
	case "find":
		p.add(&statement{span: t.span, verb: vFind, at: t.span})
	case "subject":
		if to := p.tok(); to.kind != tName || to.text != "to" {
			p.fail(t.span, "write subject to", "subject stands alone")
		}
		p.at++
		p.constraints = true
		if c := p.tok(); c.kind == tColon {
			p.fail(c.span, "leave it out", "no colon follows subject to")
		}
		if t := p.tok(); t.kind != tNewline {
			t.first = true
			p.constraint()
		}
	}
	p.endOfLine()
}

// add keeps a statement if nothing but a comma or the end of the line follows.
func (p *parser) add(s *statement) {
	switch k := p.tok().kind; {
	case k == tNewline || k == tEOF:
	case k == tComma && (s.verb <= vLet || s.verb == vOption):
	default:
		p.endOfLine()
	}
	s.end = max(s.end, p.last())
	p.f.statements = append(p.f.statements, s)
}

// list parses declarations with commas between. The span of the first begins
// with the keyword.
func (p *parser) list(key *token, rule func(s *statement)) {
	pos := key.pos
	for {
		s := &statement{span: span{pos, 0}}
		t := p.tok()
		if t.kind != tName {
			what := "a name"
			if t.kind >= tIn || t.kind == tKeyword {
				p.fail(t.span, "choose another name", "%s is a word of the language", p.f.text(t.span))
			}
			if k := t.kind; key.text == "var" && (k == tLE || k == tGE) {
				p.fail(t.span, "leave out the comma before it: var x >= 0 <= 1", "want a name after var, not %s", p.describe(t))
			}
			p.unexpected(what, "after "+key.text)
		}
		s.name, s.at = t.text, t.span
		p.at++
		rule(s)
		p.add(s)
		if !p.accept(tComma) {
			return
		}
		p.toks[p.at-1].role = rBetween
		pos = p.tok().pos
	}
}

// param = name [ "[" (binders | dims) "]" ] [ "=" expr ]
func (p *parser) param(s *statement) {
	s.verb = vParam
	if p.tok().kind == tLBracket {
		if p.isBinder(p.at + 1) {
			s.binders, s.cond = p.indexing()
		} else {
			s.dims = p.dims()
		}
	}
	if p.accept(tAssign) {
		s.value = p.rangeExpr()
	} else if k := p.tok().kind; k == tLE || k == tGE || k == tIn {
		p.fail(p.tok().span, "", "a param has a value, not bounds; want =")
	}
}

// set = name "=" expr
func (p *parser) set(s *statement) {
	s.verb = vSet
	p.expect(tAssign, "after the set's name")
	s.value = p.rangeExpr()
}

// let = name [ "[" binders "]" ] "=" expr
func (p *parser) let(s *statement) {
	s.verb = vLet
	if p.tok().kind == tLBracket {
		if !p.isBinder(p.at + 1) {
			p.fail(p.tok().span, "write let name[i in 1..n] = ..., or leave the brackets out", "a let takes its shape from its value")
		}
		s.binders, s.cond = p.indexing()
	}
	p.expect(tAssign, "after the name")
	s.value = p.expr()
}

// variable = name [ "[" dims "]" ] { attribute }
func (p *parser) variable(s *statement) {
	s.verb = vVar
	if p.tok().kind == tLBracket {
		if p.isBinder(p.at + 1) {
			p.fail(p.tok().span, "write sizes or ranges, as in var x[0..n, 2]", "a variable has dimensions, not indices")
		}
		s.dims = p.dims()
	}
	for {
		t := p.tok()
		a := attribute{span: t.span}
		switch {
		case t.kind == tLE || t.kind == tGE:
			p.at++
			a.name, a.args = t.kind.String(), []*node{p.expr()}
		case t.kind == tIn:
			p.at++
			a.name = "in"
			p.expect(tLBracket, "after in, as in in [0, 1]")
			a.args = append(a.args, p.expr())
			p.expect(tComma, "between the bounds")
			a.args = append(a.args, p.expr())
			p.expect(tRBracket, "after the bounds")
		case t.kind == tName && t.text == "start":
			p.at++
			a.name, a.args = "start", []*node{p.expr()}
		case t.kind == tName && (t.text == "symmetric" || t.text == "psd"):
			p.at++
			a.name = t.text
		case t.kind == tName:
			p.unknownAttribute(t)
		case t.kind == tEQ || t.kind == tAssign:
			p.fail(t.span, "fix it with a constraint, or begin there with start", "a variable cannot be given a value")
		default:
			return
		}
		t.role = rAttribute
		a.end = p.last()
		s.attrs = append(s.attrs, a)
	}
}

// option = name "=" expr
func (p *parser) option(s *statement) {
	s.verb = vOption
	p.expect(tAssign, "after the option's name")
	s.value = p.expr()
}

// objective = expr, which may begin on the next line.
func (p *parser) objective() *node {
	if p.tok().kind == tNewline {
		p.at++
	}
	return p.expr()
}

// constraint = [ name [ "[" binders "]" ] ":" ] expr rel expr [ rel expr ]
func (p *parser) constraint() {
	s := &statement{span: p.tok().span, verb: vConstraint}
	if t := p.tok(); t.kind == tName && p.toks[p.at+1].kind == tLParen {
		p.quantifier()
	}
	p.label(s)
	s.args = append(s.args, p.expr())
	for k := p.tok().kind; k >= tAssign && k <= tNE; k = p.tok().kind {
		switch t := p.tok(); k {
		case tAssign:
			p.fail(t.span, "== states an equation", "= has no place in a constraint")
		case tLess, tGreater:
			p.fail(t.span, fmt.Sprintf("write %s=", k), "a constraint cannot be strict")
		case tNE:
			p.fail(t.span, "", "a constraint cannot say !=")
		}
		s.rels = append(s.rels, k)
		p.at++
		s.args = append(s.args, p.expr())
	}
	s.end = p.last()
	switch n := len(s.rels); {
	case n == 0 && (p.tok().kind == tNewline || p.tok().kind == tEOF):
		p.fail(s.span, "", "a constraint needs <=, >= or ==")
	case n == 0:
		p.endOfLine()
	case n > 2 || n == 2 && (s.rels[0] != s.rels[1] || s.rels[0] == tEQ):
		p.fail(s.span, "", "a chain is l <= e <= u or u >= e >= l")
	}
	p.add(s)
}

// label parses the name and the indices before a colon.
func (p *parser) label(s *statement) {
	t := p.tok()
	if t.kind != tName {
		return
	}
	after := &p.toks[p.at+1]
	if after.kind == tLBracket && after.match >= 0 {
		after = &p.toks[after.match+1]
	}
	if after.kind != tColon {
		return
	}
	s.name, s.at = t.text, t.span
	p.at++
	if p.tok().kind == tLBracket {
		s.binders, s.cond = p.indexing()
	}
	p.expect(tColon, "after the constraint's name").role = rLabel
}
