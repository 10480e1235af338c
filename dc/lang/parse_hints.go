package lang

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
)

// starters are the words that begin a line.
var starters = []string{"param", "set", "var", "let", "minimize", "maximize", "find", "subject to", "option"}

// synonyms are the words of other languages for them.
var synonyms = map[string]string{
	"min": "minimize", "max": "maximize", "minimise": "minimize", "maximise": "maximize", "st": "subject to",
	"such": "subject to", "parameter": "param", "parameters": "param", "const": "param", "variable": "var",
	"variables": "var", "options": "option", "feasibility": "find", "satisfy": "find", "constraints": "subject to",
	"def": "let",
}

func (p *parser) notStatement(t *token) {
	switch {
	case t.kind.continues():
		p.fail(t.span, fmt.Sprintf("put the %s at the end of the line before", t.kind), "a line cannot begin with %s", t.kind)
	case t.kind == tName:
		p.quantifier()
		guess := synonyms[t.text]
		if guess == "" {
			guess = suggest.Nearest(t.text, starters)
		}
		p.constraints = guess == "subject to" // as meant, so that the next lines are read
		if guess != "" {
			p.fail(t.span, "", "a line cannot begin with %s; did you mean %q?", t.text, guess)
		}
	case t.kind == tBad:
		p.constraints = strings.HasPrefix(p.f.src[t.pos:], "s.t.")
		panic(errSyntax)
	}
	p.fail(t.span, "", "a line begins with one of %s; constraints come after subject to", strings.Join(starters, ", "))
}

// quantifiers are the words of other languages for the indices of a family.
var quantifiers = map[string]bool{"for": true, "forall": true, "foreach": true, "where": true}

// quantifier reports such a word at the current token or before it.
func (p *parser) quantifier() {
	for k := p.at; k >= max(p.at-1, 0); k-- {
		if t := &p.toks[k]; t.kind == tName && quantifiers[t.text] {
			p.fail(t.span, "write the indices behind the constraint's name: name[i in 1..n]: ...", "%s has no place here", t.text)
		}
	}
}

func (p *parser) endOfLine() {
	t := p.tok()
	if end := p.toks[min(p.at+1, len(p.toks)-1)].kind; t.kind == tSemicolon && (end == tNewline || end == tEOF) {
		p.errs.addf(t.span, "leave it out", "a statement ends with its line, without ;") // and is whole
		p.at++
		t = p.tok()
	}
	p.quantifier()
	switch {
	case t.kind == tNewline || t.kind == tEOF:
		p.next()
	case t.kind == tAssign:
		p.fail(t.span, "== states an equation", "= only gives params, sets, lets and options their value")
	case t.kind == tLess || t.kind == tGreater || t.kind == tLE || t.kind == tGE || t.kind == tEQ || t.kind == tNE:
		p.fail(t.span, "", "a comparison has no place here; constraints come after subject to")
	case t.kind == tSemicolon:
		p.fail(t.span, "leave it out", "a statement ends with its line, without ;")
	case t.kind == tAnd:
		p.fail(t.span, "write each constraint on a line of its own: all of them hold", "and joins conditions on data only")
	case t.kind == tOr:
		p.fail(t.span, "min(f, g) <= 0 states that f <= 0 or g <= 0", "or joins conditions on data only")
	case t.kind == tIf:
		p.fail(t.span, "write name[i in I if cond]: ... for a condition on indices, if(cond, a, b) for a choice", "if has no place here")
	case t.kind == tName && p.toks[p.at+1].kind == tIn:
		p.fail(t.span, "write sum(i in 1..n) e, with the indices in parentheses", "an index does not stand here")
	case t.kind == tName || t.kind == tNumber || t.kind == tLParen || t.kind == tLBracket:
		p.fail(t.span, "", "%s does not follow from what stands before it; is an operator or a comma missing?", p.describe(t))
	case t.kind == tLBrace:
		p.fail(t.span, "write indices in brackets, as in name[i in 1..n]: ...", "want the end of the line, not {")
	default:
		p.unexpected("the end of the line", "")
	}
}

// otherAttributes are words of other languages and those to write instead.
var otherAttributes = map[string]string{
	"binary": whole01, "integer": "all variables are continuous; " + whole01, "free": "leave it out: a variable without bounds is free", "nonneg": "write >= 0",
	"nonnegative": "write >= 0", "nonpos": "write <= 0", "semidefinite": "write psd", "PSD": "write psd",
}

const whole01 = "x in {0, 1} is x in [0, 1] with the constraint x*(1 - x) <= 0"

func (p *parser) unknownAttribute(t *token) {
	help := otherAttributes[t.text]
	if help == "" {
		help = "the attributes are >= e, <= e, in [l, u], symmetric, psd and start e"
	}
	p.fail(t.span, help, "unknown attribute %q%s", t.text, suggest.DidYouMean(t.text, []string{"symmetric", "psd", "start"}))
}
