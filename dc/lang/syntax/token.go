package syntax

// Kind is the kind of a token.
type Kind uint8

// The kinds. From Plus to Not they let a line go on.
const (
	EOF Kind = iota
	Newline
	Number
	String
	Name
	Keyword // a word that begins a statement
	LParen
	RParen
	LBracket
	RBracket
	LBrace
	RBrace
	Quote // ', the transpose
	Bad   // reported by the scanner
	Plus
	Minus
	Times
	DotTimes
	Divide
	DotDivide
	Power
	Assign
	Less
	Greater
	LE
	GE
	EQ
	NE
	Comma
	Semicolon
	Colon
	Dots
	In
	If
	And
	Or
	Not
	numKind
)

var kindText = [numKind]string{
	EOF: "the end of the file", Newline: "the end of the line", Number: "a number", String: "a string",
	Name: "a name", Keyword: "a keyword", LParen: "(", RParen: ")", LBracket: "[", RBracket: "]",
	LBrace: "{", RBrace: "}", Quote: "'", Bad: "a stray character", Plus: "+", Minus: "-", Times: "*", DotTimes: ".*",
	Divide: "/", DotDivide: "./", Power: "^", Assign: "=", Less: "<", Greater: ">", LE: "<=",
	GE: ">=", EQ: "==", NE: "!=", Comma: ",", Semicolon: ";", Colon: ":", Dots: "..",
	In: "in", If: "if", And: "and", Or: "or", Not: "not",
}

func (k Kind) String() string {
	if k < numKind {
		return kindText[k]
	}
	return "a token"
}

// Depth is 1 of an opening bracket, -1 of a closing one, else 0.
func (k Kind) Depth() int {
	switch k {
	case LParen, LBracket, LBrace:
		return 1
	case RParen, RBracket, RBrace:
		return -1
	}
	return 0
}

// continues reports whether a line that ends with the token continues on the next
// line.
func (k Kind) continues() bool { return k >= Plus && k < numKind }

// Words are the reserved words.
var Words = map[string]Kind{
	"param": Keyword, "set": Keyword, "var": Keyword, "let": Keyword, "minimize": Keyword, "maximize": Keyword,
	"find": Keyword, "subject": Keyword, "option": Keyword, "plot": Keyword,
	"in": In, "if": If, "and": And, "or": Or, "not": Not,
}

// Span is a range of bytes of the source.
type Span struct{ Pos, End int }

// Token is a piece of the source.
type Token struct {
	Span
	Kind   Kind
	spaced bool // white space before it
	commas bool // of an opening bracket: commas stand directly inside
	num    float64
	imag   bool   // of a number: it is imaginary
	Text   string // of names, keywords and strings (without quotes)
	match  int    // of an opening bracket: the place of its partner, -1 if none

	// Findings of the parser, for the formatter.
	first   bool // of the line's statement
	element bool // the first of an element that a blank parts from the one before
	role    role
}

// role is the syntactic role of a token, as found by the parser, where its kind
// is ambiguous. The formatter uses it.
type role uint8

const (
	rNone      role = iota
	rUnary          // a sign
	rTight          // a binary operator without blanks around
	rIndex          // [ of an index or of dimensions
	rFamily         // [ of indices with their ranges
	rLiteral        // [ of an array
	rReduce         // ( of sum(i in I)
	rLabel          // : after a constraint's name
	rBetween        // , between declarations
	rAttribute      // the first token of an attribute
	rChoice         // if of a choice
)
