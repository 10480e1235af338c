package syntax

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dcopt/dcopt/internal/table"
)

// scanner cuts a source into tokens. Ends of lines inside brackets and after
// operators are white space.
type scanner struct {
	f      *Tree
	src    string
	at     int
	toks   []Token
	open   []int // the places of the brackets that are open
	spaced bool
	start  bool // at the start of a line
	errs   *lapses

	first       int  // the place of the token that begins the current statement
	constraints bool // the current statement is a constraint
	related     bool // and has its relation
}

// mostTokens bounds a source.
// Source: a limit of memory: its tokens and the tree of them take some 0.3 kB each.
const mostTokens = 1 << 20

// scan returns the tokens of f, the last one EOF.
func scan(f *Tree, errs *lapses) []Token {
	s := &scanner{f: f, src: f.Source, errs: errs, start: true}
	for s.at < len(s.src) {
		if s.next(); len(s.toks) > mostTokens {
			at := s.toks[mostTokens].Span
			s.toks, s.open, s.first, *errs = s.toks[:0], nil, 0, nil
			s.errs.addf(at, `put data into a file, as in param A = csv("a.csv")`,
				"the source has more than %d words, numbers and signs", mostTokens)
			s.at = len(s.src)
		}
	}
	s.closeAll()
	s.emit(Newline, s.at)
	s.emit(EOF, s.at)
	return s.toks
}

// Scan are the tokens and the comments of a source, whatever it is.
func Scan(src string) (toks []Token, comments []Span) {
	f := NewTree(src)
	toks = scan(f, &lapses{})
	return toks, f.Comments
}

// emit adds the token from pos to the current place.
func (s *scanner) emit(k Kind, pos int) *Token {
	switch n := len(s.toks); {
	case n > 0 && s.toks[n-1].Kind == Newline && s.goesOn(k):
		s.toks, s.spaced = s.toks[:n-1], true
	case n > 0 && s.toks[n-1].Kind == Newline:
		s.first, s.related = n, false
	}
	s.related = s.related || k >= LE && k <= EQ && len(s.open) == 0
	s.toks = append(s.toks, Token{Span: Span{pos, s.at}, Kind: k, spaced: s.spaced, match: -1})
	s.spaced = false
	s.start = k == Newline
	return &s.toks[len(s.toks)-1]
}

// goesOn reports whether a line that an operator leads goes on with the one before. A minus behind
// a whole constraint begins the next constraint.
func (s *scanner) goesOn(k Kind) bool {
	header := s.toks[s.first].Text == "subject" && len(s.toks)-s.first <= 3
	return k >= Plus && k <= Comma && !header && !(k == Minus && s.constraints && s.related)
}

func (s *scanner) next() {
	pos := s.at
	switch c := s.src[s.at]; {
	case c == '\n':
		s.at++
		s.newline(pos)
	case c == ' ' || c == '\t' || c == '\r':
		s.at++
		s.spaced = true
	case c == '#':
		begin := s.at
		s.at += lineEnd(s.src[s.at:])
		s.f.Comments = append(s.f.Comments, Span{begin, s.at})
	case c >= '0' && c <= '9', c == '.' && s.at+1 < len(s.src) && digit(s.src[s.at+1]):
		s.number()
	case c == '"':
		s.text()
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		s.word()
	case c >= utf8.RuneSelf:
		if r, _ := utf8.DecodeRuneInString(s.src[s.at:]); unicode.IsLetter(r) {
			s.word()
		} else {
			s.stray()
		}
	default:
		s.operator()
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (s *scanner) newline(pos int) {
	s.spaced = true
	n := len(s.toks)
	if len(s.open) > 0 {
		s.start = true
		return
	}
	if n == 0 || s.toks[n-1].Kind == Newline || s.toks[n-1].Kind.continues() {
		return
	}
	s.emit(Newline, pos)
	s.spaced = true
}

func (s *scanner) number() {
	pos := s.at
	digits := func() {
		for s.at < len(s.src) && digit(s.src[s.at]) {
			s.at++
		}
	}
	digits()
	if s.at+1 < len(s.src) && s.src[s.at] == '.' && digit(s.src[s.at+1]) {
		s.at++
		digits()
	}
	if s.at < len(s.src) && (s.src[s.at] == 'e' || s.src[s.at] == 'E') {
		mark := s.at
		s.at++
		if s.at < len(s.src) && (s.src[s.at] == '+' || s.src[s.at] == '-') {
			s.at++
		}
		if s.at == len(s.src) || !digit(s.src[s.at]) {
			s.at = mark
		}
		digits()
	}
	v, _ := table.Float(s.src[pos:s.at])
	digitsEnd := s.at
	imag := s.imaginary()
	t := s.emit(Number, pos)
	t.num, t.imag = v, imag
	if math.IsInf(v, 0) {
		s.errs.addf(t.Span, "", "%s is too large for a number", s.src[pos:digitsEnd])
	}
	if r, n := utf8.DecodeRuneInString(s.src[s.at:]); n > 0 && (r == '_' || unicode.IsLetter(r)) {
		s.errs.addf(Span{s.at, s.at + n}, "write * between the factors", "the number %s runs into a name",
			s.src[pos:s.at])
	}
}

// imaginary takes the i of an imaginary number, which no name goes on from.
func (s *scanner) imaginary() bool {
	if s.at == len(s.src) || s.src[s.at] != 'i' {
		return false
	}
	if r, n := utf8.DecodeRuneInString(s.src[s.at+1:]); n > 0 &&
		(r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return false
	}
	s.at++
	return true
}

// text takes a string. Two quotes within one stand for one, as in CSV.
func (s *scanner) text() {
	pos := s.at
	for s.at++; ; s.at += 2 {
		n := strings.IndexAny(s.src[s.at:], "\"\n")
		if n < 0 || s.src[s.at+n] == '\n' {
			s.at += lineEnd(s.src[s.at:])
			t := s.emit(String, pos)
			t.Text = s.src[pos+1 : s.at]
			s.errs.addf(t.Span, "", "the string is not closed on its line")
			return
		}
		if s.at += n; !strings.HasPrefix(s.src[s.at:], `""`) {
			break
		}
	}
	s.at++
	s.emit(String, pos).Text = strings.ReplaceAll(s.src[pos+1:s.at-1], `""`, `"`)
}

// Quoted is a string as it is written.
func Quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

func (s *scanner) word() {
	pos := s.at
	if s.start && strings.HasPrefix(s.src[pos:], "s.t.") {
		s.foreign(4, "write subject to")
		return
	}
	for s.at < len(s.src) {
		r, n := utf8.DecodeRuneInString(s.src[s.at:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		s.at += n
	}
	text := s.src[pos:s.at]
	if american := spellings[text]; american != "" && s.start {
		text = american
	}
	k, ok := Words[text]
	if !ok {
		k = Name
	}
	if k == Keyword && s.start && len(s.open) > 0 {
		// A statement cannot begin inside brackets: they were forgotten.
		s.closeAll()
		s.insert(Newline)
	}
	if k == Keyword {
		s.constraints = text == "subject"
	}
	s.emit(k, pos).Text = text
}

// spellings are words that begin a line and are spelt otherwise in British English.
var spellings = map[string]string{"minimise": "minimize", "maximise": "maximize"}

// closeAll reports the brackets that are still open. A bad token keeps the
// parser from saying so again.
func (s *scanner) closeAll() {
	if len(s.open) == 0 {
		return
	}
	for _, k := range s.open[:min(len(s.open), MaxErrors)] {
		t := s.toks[k]
		s.errs.addf(t.Span, "", "%s is never closed", t.Kind)
	}
	s.open = s.open[:0]
	s.insert(Bad)
}

// insert adds a token without a text behind the last one.
func (s *scanner) insert(k Kind) {
	end := s.toks[len(s.toks)-1].End
	s.toks = append(s.toks, Token{Span: Span{end, end}, Kind: k, match: -1})
}

// operators, longer ones first.
var operators = []Kind{
	Dots, DotTimes, DotDivide, LE, GE, EQ, NE, Plus, Minus, Times, Divide, Power, Assign, Less, Greater,
	Comma, Semicolon, Colon, Quote, LParen, RParen, LBracket, RBracket, LBrace, RBrace,
}

// foreignOperators are operators of other languages and those to write instead.
var foreignOperators = []struct{ text, help string }{
	{"<=>", "write == for an equation"}, {"==>", implication}, {"=>", "write >= for at least; " + implication},
	{"->", implication}, {"=<", "write <="},
	{"**", "write ^ for a power"}, {"<>", "write !="},
	{"&&", "write and in a condition; of constraints each stands on a line of its own"},
	{"||", "write or in a condition; for |x| write abs(x), norm1(x) or norm2(x)"},
	{".^", "write ^, which goes entry by entry"},
	{":=", "write = in a declaration, == in a constraint"}, {"@", "write * for a matrix product"},
	{".T", "write A' for the transpose"}, {"//", "write # for a comment, / for a quotient"},
	{"/*", "write # before each line of a comment"},
}

const implication = "there is no implication; a condition on data stands behind the indices: name[i in I if cond]: ..."

// foreign reports a piece of the source of the given length that is not of this
// language.
func (s *scanner) foreign(length int, help string) {
	pos := s.at
	s.at += length
	t := s.emit(Bad, pos)
	s.errs.addf(t.Span, help, "%s has no meaning here", s.src[pos:s.at])
}

func (s *scanner) operator() {
	pos := s.at
	for _, o := range foreignOperators {
		if strings.HasPrefix(s.src[pos:], o.text) {
			s.foreign(len(o.text), o.help)
			return
		}
	}
	for _, k := range operators {
		if !strings.HasPrefix(s.src[pos:], kindText[k]) {
			continue
		}
		s.at += len(kindText[k])
		switch t := s.emit(k, pos); {
		case k.Depth() > 0:
			s.open = append(s.open, len(s.toks)-1)
		case k.Depth() < 0:
			s.closing(t)
		case k == Comma:
			if n := len(s.open); n > 0 {
				s.toks[s.open[n-1]].commas = true
			}
		}
		return
	}
	s.stray()
}

func (s *scanner) closing(t *Token) {
	n := len(s.open)
	if n == 0 {
		s.errs.addf(t.Span, "", "%s closes nothing", t.Kind)
		return
	}
	o := &s.toks[s.open[n-1]]
	if o.Kind+1 != t.Kind {
		s.errs.addf(t.Span, "", "%s does not close the %s of line %d", t.Kind, o.Kind, s.f.Line(o.Pos))
	}
	o.match = len(s.toks) - 1
	s.open = s.open[:n-1]
}

// lookalikes says what to write instead of a character that is not in the
// language.
var lookalikes = map[rune]string{
	'.': `names of files in double quotes, as in csv("f.csv")`,
	'≤': "<=", '≥': ">=", '≠': "!=", '×': "*", '·': "*", '−': "-", '–': "-", '…': "..", '²': "^2",
	'“': `"`, '”': `"`, '’': "'", '`': `"`, '|': "abs(...), or the word or", '&': "and", '!': "not",
	'%': "# for a comment",
	'∀': "the indices behind the constraint's name: name[i in I]: ...", '∈': "in", '∑': "sum(i in I) ...", '∞': "inf",
	'√': "sqrt(...)", '⋅': "*",
	'‖': "norm2(...)", '⇒': ">= for at least; " + implication, '→': implication, '∧': "and", '∨': "or",
}

func (s *scanner) stray() {
	pos := s.at
	r, n := utf8.DecodeRuneInString(s.src[pos:])
	s.at += n
	t := s.emit(Bad, pos)
	help := ""
	if w, ok := lookalikes[r]; ok {
		help = "write " + w
	}
	if unicode.IsPrint(r) && r != utf8.RuneError {
		s.errs.addf(t.Span, help, "the character %c has no meaning here", r)
	} else {
		s.errs.addf(t.Span, help, "the character %U has no meaning here", r)
	}
}
