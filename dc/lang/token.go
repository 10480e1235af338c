package lang

// kind is the kind of a token.
type kind uint8

// The kinds. From tPlus to tNot they let a line go on.
const (
	tEOF kind = iota
	tNewline
	tNumber
	tString
	tName
	tKeyword // a word that begins a statement
	tLParen
	tRParen
	tLBracket
	tRBracket
	tLBrace
	tRBrace
	tQuote // ', the transpose
	tBad   // reported by the scanner
	tPlus
	tMinus
	tTimes
	tDotTimes
	tDivide
	tDotDivide
	tPower
	tAssign
	tLess
	tGreater
	tLE
	tGE
	tEQ
	tNE
	tComma
	tSemicolon
	tColon
	tDots
	tIn
	tIf
	tAnd
	tOr
	tNot
	numKind
)

var kindText = [numKind]string{
	tEOF: "the end of the file", tNewline: "the end of the line", tNumber: "a number", tString: "a string",
	tName: "a name", tKeyword: "a keyword", tLParen: "(", tRParen: ")", tLBracket: "[", tRBracket: "]",
	tLBrace: "{", tRBrace: "}", tQuote: "'", tBad: "a stray character", tPlus: "+", tMinus: "-", tTimes: "*", tDotTimes: ".*",
	tDivide: "/", tDotDivide: "./", tPower: "^", tAssign: "=", tLess: "<", tGreater: ">", tLE: "<=",
	tGE: ">=", tEQ: "==", tNE: "!=", tComma: ",", tSemicolon: ";", tColon: ":", tDots: "..",
	tIn: "in", tIf: "if", tAnd: "and", tOr: "or", tNot: "not",
}

func (k kind) String() string {
	if k < numKind {
		return kindText[k]
	}
	return "a token"
}

// continues reports whether a line that ends with the token continues on the next
// line.
func (k kind) continues() bool { return k >= tPlus && k < numKind }

// words are the reserved words.
var words = map[string]kind{
	"param": tKeyword, "set": tKeyword, "var": tKeyword, "let": tKeyword, "minimize": tKeyword, "maximize": tKeyword,
	"find": tKeyword, "subject": tKeyword, "option": tKeyword,
	"in": tIn, "if": tIf, "and": tAnd, "or": tOr, "not": tNot,
}

// span is a range of bytes of the source.
type span struct{ pos, end int }

// token is a piece of the source.
type token struct {
	span
	kind   kind
	spaced bool // white space before it
	commas bool // of an opening bracket: commas stand directly inside
	num    float64
	text   string // of names, keywords and strings (without quotes)
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
