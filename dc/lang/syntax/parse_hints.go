package syntax

import (
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
)

// starters are the words that begin a line, by the verbs.
var starters = []string{"param", "set", "var", "let", "minimize", "maximize", "find", "subject to", "option", "plot"}

// verbOf is the verb of the statements that a keyword begins.
func verbOf(keyword string) Verb {
	return Verb(slices.IndexFunc(starters, func(s string) bool { return s == keyword || s == keyword+" to" }))
}

// synonyms are the words of other languages for them.
var synonyms = map[string]string{
	"min": "minimize", "max": "maximize", "st": "subject to",
	"such": "subject to", "parameter": "param", "parameters": "param", "const": "param", "variable": "var",
	"variables": "var", "options": "option", "feasibility": "find", "satisfy": "find", "constraints": "subject to",
	"def": "let", "draw": "plot", "figure": "plot", "picture": "plot", "graph": "plot", "scatter": "plot",
}

func (p *parser) notStatement(t *Token) {
	switch {
	case t.Kind == Name:
		p.quantifier()
		guess := synonyms[t.Text]
		if guess == "" {
			guess = suggest.Nearest(t.Text, starters)
		}
		p.constraints = guess == "subject to" // as meant, so that the next lines are read
		if guess != "" {
			p.fail(t.Span, "", "a line cannot begin with %s; did you mean %q?", t.Text, guess)
		}
	case t.Kind == Bad:
		p.constraints = strings.HasPrefix(p.f.Source[t.Pos:], "s.t.")
		panic(errSyntax)
	}
	p.fail(t.Span, "", "a line begins with one of %s; constraints come after subject to", strings.Join(starters, ", "))
}

// Quantifiers are the words of other languages for the indices of a family.
var Quantifiers = map[string]bool{"for": true, "forall": true, "foreach": true, "where": true}

// quantifier reports such a word at the current token or before it.
func (p *parser) quantifier() {
	for k := p.at; k >= max(p.at-1, 0); k-- {
		if t := &p.toks[k]; t.Kind == Name && Quantifiers[t.Text] {
			p.fail(t.Span, "write the indices behind the constraint's name: name[i in 1..n]: ...",
				"%s has no place here", t.Text)
		}
	}
}

func (p *parser) endOfLine() {
	t := p.tok()
	if end := p.toks[min(p.at+1, len(p.toks)-1)].Kind; t.Kind == Semicolon && (end == Newline || end == EOF) {
		p.errs.addf(t.Span, "leave it out", "a statement ends with its line, without ;") // and is whole
		p.at++
		t = p.tok()
	}
	p.quantifier()
	switch {
	case t.Kind == Newline || t.Kind == EOF:
		p.next()
	case t.Kind == Assign:
		p.fail(t.Span, "== states an equation", "= only gives params, sets, lets and options their value")
	case t.Kind == Less || t.Kind == Greater || t.Kind == LE || t.Kind == GE || t.Kind == EQ || t.Kind == NE:
		p.fail(t.Span, "", "a comparison has no place here; constraints come after subject to")
	case t.Kind == Semicolon:
		p.fail(t.Span, "leave it out", "a statement ends with its line, without ;")
	case t.Kind == Comma && p.constraints:
		p.fail(t.Span, "write each constraint on a line of its own", "a line has one constraint")
	case t.Kind == And:
		p.fail(t.Span, "write each constraint on a line of its own: all of them hold",
			"and joins conditions on data only")
	case t.Kind == Or:
		p.fail(t.Span, "min(f, g) <= 0 states that f <= 0 or g <= 0", "or joins conditions on data only")
	case t.Kind == If:
		p.fail(t.Span, "write name[i in I if cond]: ... for a condition on indices, if(cond, a, b) for a choice",
			"if has no place here")
	case t.Kind == Name && p.toks[p.at+1].Kind == In:
		p.fail(t.Span, "write sum(i in 1..n) e, with the indices in parentheses", "an index does not stand here")
	case t.Kind == Name || t.Kind == Number || t.Kind == LParen || t.Kind == LBracket:
		p.fail(t.Span, "", "%s does not follow from what stands before it; is an operator or a comma missing?",
			p.describe(t))
	case t.Kind == LBrace:
		p.fail(t.Span, "write indices in brackets, as in name[i in 1..n]: ...", "want the end of the line, not {")
	default:
		p.unexpected("the end of the line", "")
	}
}

// otherAttributes are words of other languages and those to write instead.
var otherAttributes = map[string]string{
	"binary": whole01, "integer": "all variables are continuous; " + whole01,
	"free": "leave it out: a variable without bounds is free", "nonneg": "write >= 0",
	"nonnegative": "write >= 0", "nonpos": "write <= 0", "semidefinite": "write psd", "PSD": "write psd",
	"Hermitian": "write hermitian", "imag": "write complex",
}

const whole01 = "x in {0, 1} is x in [0, 1] with the constraint x*(1 - x) <= 0"

func (p *parser) unknownAttribute(t *Token) {
	help := otherAttributes[t.Text]
	if help == "" {
		help = "the attributes are >= e, <= e, in [l, u], symmetric, psd, complex, hermitian and start e"
	}
	p.fail(t.Span, help, "unknown attribute %q%s", t.Text,
		suggest.DidYouMean(t.Text, []string{"symmetric", "psd", "complex", "hermitian", "start"}))
}
