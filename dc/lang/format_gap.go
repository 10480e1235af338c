package lang

import "strings"

// opening is a pair of brackets and the layout inside.
type opening struct {
	at     int
	tight  bool // no blanks around + and -
	packed bool // none after commas
	padded bool // one after ( and before )
	wide   bool // two after ;
	rows   bool // a literal with ;
	reduce bool // of sum(i in I)
}

// track follows the brackets.
func (l *layouter) track(k int) {
	switch t := &l.toks[k]; t.kind {
	case tLParen, tLBracket, tLBrace:
		l.opens = append(l.opens, l.opened(k))
	case tRParen, tRBracket, tRBrace:
		n := len(l.opens) - 1
		l.closed, l.opens = l.opens[n], l.opens[:n]
	}
}

// opened chooses the layout by the tokens directly between the brackets.
func (l *layouter) opened(k int) opening {
	t := &l.toks[k]
	o := opening{at: k, reduce: t.role == rReduce}
	plain, ranges, parted, depth := true, false, false, 0
	for j := k + 1; j < t.match; j++ {
		in := &l.toks[j]
		switch in.kind {
		case tLParen, tLBracket, tLBrace:
			depth++
		case tRParen, tRBracket, tRBrace:
			depth--
		}
		if depth > 0 {
			plain = false
			continue
		}
		switch in.kind {
		case tName, tNumber, tPlus, tMinus:
		default:
			plain = false
		}
		ranges = ranges || in.kind == tDots
		parted = parted || in.element || in.kind == tComma
		o.rows = o.rows || in.kind == tSemicolon && t.role == rLiteral
	}
	o.wide = o.rows && parted
	switch {
	case t.role == rIndex:
		o.tight, o.packed = true, !ranges
	case t.role == rFamily || t.role == rReduce || t.kind == tLBrace:
		o.tight = true
	case t.kind == tLParen && !l.isCall(k):
		o.tight = plain
		o.padded = l.toks[k-1].kind == tRParen && l.closed.reduce && l.toks[k+1].spaced && l.toks[t.match].spaced
	}
	return o
}

// isCall reports whether the parenthesis holds a function's arguments.
func (l *layouter) isCall(k int) bool {
	return l.toks[k-1].role == rChoice || l.toks[k-1].kind == tName && l.toks[k-1].role != rAttribute && !l.toks[k].element
}

// headWidth is the width of a keyword with the blanks behind it.
var headWidth = map[string]int{"param": 6, "set": 6, "var": 6, "let": 6, "option": 7, "minimize": 10, "maximize": 10, "subject": 8}

// gap is the number of blanks between two neighbours of a line.
func (l *layouter) gap(p, k int) int {
	a, b := &l.toks[p], &l.toks[k]
	var in opening
	if n := len(l.opens); n > 0 {
		in = l.opens[n-1]
	}
	switch {
	case a.first && a.kind == tKeyword:
		return max(1, headWidth[a.text]-len(a.text))
	case a.role == rLabel:
		return 2
	case b.role == rAttribute:
		if b.text == "start" {
			return 2
		}
		return 1
	case a.kind == tSemicolon:
		return one(true) + one(in.wide)
	case b.element:
		return 1
	case a.kind == tLParen || b.kind == tRParen:
		return one(in.padded && (p == in.at || k == l.toks[in.at].match))
	case a.role == rBetween:
		return one(true) + one(l.toks[p-1].kind == tRBracket && l.closed.rows)
	case a.kind == tComma:
		return one(!in.packed)
	}
	return l.tokenGap(p, k, in)
}

// tokenGap is gap where the place in the statement does not matter.
func (l *layouter) tokenGap(p, k int, in opening) int {
	a, b := &l.toks[p], &l.toks[k]
	switch b.kind {
	case tComma, tSemicolon, tColon, tRBracket, tRBrace, tQuote, tDots:
		return 0
	}
	switch {
	case a.kind == tLBracket || a.kind == tLBrace || a.kind == tDots || a.role == rUnary:
		return 0
	case a.role == rTight:
		return one(l.leads(p)) // or the sign would begin an element
	case isOperator(b):
		return one(l.aired(k, in))
	case isOperator(a):
		return one(l.aired(p, in))
	case b.kind == tLParen && a.kind == tRParen:
		return 1 // sum(i in I) (...)
	case b.kind == tLParen:
		return one(!l.isCall(k))
	case b.kind == tLBracket:
		return one(b.role == rLiteral || a.kind >= tIn)
	}
	return 1
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// leads reports whether a token is the first of its line.
func (l *layouter) leads(k int) bool {
	return l.f.line(l.toks[k].pos) != l.f.line(l.toks[k-1].pos)
}

// isOperator reports whether a token stands between two operands.
func isOperator(t *token) bool {
	return t.kind >= tPlus && t.kind <= tNE && t.role != rUnary
}

// aired reports whether an operator has blanks around. Those of products are the
// writer's choice.
func (l *layouter) aired(k int, in opening) bool {
	t := &l.toks[k]
	switch t.kind {
	case tPower:
		return false
	case tPlus, tMinus:
		return t.role != rTight && !in.tight
	case tTimes, tDivide, tDotTimes, tDotDivide:
		return t.role != rTight && t.spaced && l.toks[k+1].spaced
	}
	return true
}

// outLine is a line of the result. The marks are places in text where blanks
// may be put in, -1 if there is none.
type outLine struct {
	blank   bool // an empty line before it
	indent  int
	verb    string // the keyword, ":" of a constraint, "" of what goes on or is only a comment
	text    string
	comment string
	many    bool // several declarations
	family  int  // where the indices begin
	joint   int  // where = or a constraint's body begins
	start   int  // where the start of a variable begins
}

// layouter makes lines of tokens.
type layouter struct {
	f      *File
	toks   []token
	notes  []span // comments that are still to come
	lines  []outLine
	text   strings.Builder // of the line that is being made
	line   int             // of the source, that was seen last
	indent int             // of the statement
	opens  []opening
	closed opening // the brackets that were closed last
}
