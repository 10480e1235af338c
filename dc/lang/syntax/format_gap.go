package syntax

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
	switch l.toks[k].Kind.Depth() {
	case 1:
		l.opens = append(l.opens, l.opened(k))
	case -1:
		n := len(l.opens) - 1
		l.closed, l.opens = l.opens[n], l.opens[:n]
	}
}

// opened chooses the layout by the tokens directly between the brackets.
func (l *layouter) opened(k int) opening {
	t := &l.toks[k]
	o := opening{at: k, reduce: t.role == rReduce}
	plain, ranges, parted := true, false, false
	for j := k + 1; j < t.match; j++ {
		in := &l.toks[j]
		if in.match > j { // brackets inside
			plain, j = false, in.match
			continue
		}
		switch in.Kind {
		case Name, Number, Plus, Minus:
		default:
			plain = false
		}
		ranges = ranges || in.Kind == Dots
		parted = parted || in.element || in.Kind == Comma
		o.rows = o.rows || in.Kind == Semicolon && t.role == rLiteral
	}
	o.wide = o.rows && parted
	switch {
	case t.role == rIndex:
		o.tight, o.packed = true, !ranges
	case t.role == rFamily || t.role == rReduce || t.Kind == LBrace:
		o.tight = true
	case t.Kind == LParen && !l.isCall(k):
		o.tight = plain
		o.padded = l.toks[k-1].Kind == RParen && l.closed.reduce && l.toks[k+1].spaced && l.toks[t.match].spaced
	}
	return o
}

// isCall reports whether the parenthesis holds a function's arguments.
func (l *layouter) isCall(k int) bool {
	return l.toks[k-1].role == rChoice || l.toks[k-1].Kind == Name && l.toks[k-1].role != rAttribute &&
		!l.toks[k].element
}

// gap is the number of blanks between two neighbours of a line.
func (l *layouter) gap(p, k int) int {
	a, b := &l.toks[p], &l.toks[k]
	var in opening
	if n := len(l.opens); n > 0 {
		in = l.opens[n-1]
	}
	switch {
	case a.first && a.Kind == Keyword:
		v := verbOf(a.Text)
		return max(1, len("param ")-len(a.Text)) + one(v == Minimize || v == Maximize)
	case a.role == rLabel:
		return 2
	case b.role == rAttribute:
		if b.Text == "start" || b.Text == plotAttributes[0] {
			return 2
		}
		return 1
	case a.Kind == Semicolon:
		return one(true) + one(in.wide)
	case b.element:
		return 1
	case a.Kind == LParen || b.Kind == RParen:
		return one(in.padded && (p == in.at || k == l.toks[in.at].match))
	case a.role == rBetween:
		return one(true) + one(l.toks[p-1].Kind == RBracket && l.closed.rows)
	case a.Kind == Comma:
		return one(!in.packed)
	}
	return l.tokenGap(p, k, in)
}

// tokenGap is gap where the place in the statement does not matter.
func (l *layouter) tokenGap(p, k int, in opening) int {
	a, b := &l.toks[p], &l.toks[k]
	switch b.Kind {
	case Comma, Semicolon, Colon, RBracket, RBrace, Quote, Dots:
		return 0
	}
	switch {
	case a.Kind == LBracket || a.Kind == LBrace || a.Kind == Dots || a.role == rUnary:
		return 0
	case a.role == rTight:
		return one(l.leads(p)) // or the sign would begin an element
	case isOperator(b):
		return one(l.aired(k, in))
	case isOperator(a):
		return one(l.aired(p, in))
	case b.Kind == LParen && a.Kind == RParen:
		return 1 // sum(i in I) (...)
	case b.Kind == LParen:
		return one(!l.isCall(k))
	case b.Kind == LBracket:
		return one(b.role == rLiteral || a.Kind >= In)
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
	return l.f.Line(l.toks[k].Pos) != l.f.Line(l.toks[k-1].Pos)
}

// isOperator reports whether a token stands between two operands.
func isOperator(t *Token) bool {
	return t.Kind >= Plus && t.Kind <= NE && t.role != rUnary
}

// aired reports whether an operator has blanks around. Blanks around products are the
// writer's choice.
func (l *layouter) aired(k int, in opening) bool {
	t := &l.toks[k]
	switch t.Kind {
	case Power:
		return false
	case Plus, Minus:
		return t.role != rTight && !in.tight
	case Times, Divide, DotTimes, DotDivide:
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
	f      *Tree
	toks   []Token
	notes  []Span // comments that are still to come
	lines  []outLine
	text   strings.Builder // of the line that is being made
	line   int             // of the source, that was seen last
	indent int             // of the statement
	opens  []opening
	closed opening // the brackets that were closed last
}
