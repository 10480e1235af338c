package export

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// code is a piece of an export. A constant of this package is one as it stands;
// a string that is known only at run time is none, and the compiler refuses it in
// the place of one. Only this file makes code of numbers and, by the escaper of
// the language, of names, so that no name can end a comment, a string or a line.
// TestOnlyEscapersMakeCode holds the other files to that.
type code string

// document is an export that grows by code.
type document struct{ buf bytes.Buffer }

func (d *document) add(parts ...code) {
	for _, p := range parts {
		d.buf.WriteString(string(p))
	}
}

func (d *document) bytes() []byte { return d.buf.Bytes() }

func join(parts []code, between code) code {
	texts := make([]string, len(parts))
	for k, p := range parts {
		texts[k] = string(p)
	}
	return code(strings.Join(texts, string(between)))
}

// escaper writes a name, which may hold anything, as code.
type escaper func(name string) code

// The escapers of names in comments. Besides the characters that inComment leaves out,
// Go's has line comments; Python's a string in three quotation marks, where the
// backslash acts, too; C's comments end in */ and know the trigraphs, which begin
// with ?? and may stand for a backslash.
func goName(name string) code     { return inComment(name, "") }
func pythonName(name string) code { return inComment(name, `"\`) }
func cName(name string) code      { return inComment(name, `*/\?`) }

// inComment leaves printable characters as they are, and so the characters of a
// name on one line; except the ones of acting, and braces, which mark the others:
// {U+000A} is a line feed, {0xFF} a byte that is no UTF-8. Names that differ stay
// different.
func inComment(name, acting string) code {
	if name == "" {
		return "{}"
	}
	var b strings.Builder
	for k := 0; k < len(name); {
		r, n := utf8.DecodeRuneInString(name[k:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "{0x%02X}", name[k])
		case unicode.IsPrint(r) && !strings.ContainsRune(acting, r) && r != '{' && r != '}':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "{U+%04X}", r)
		}
		k += n
	}
	return code(b.String())
}

// textName is a word, or the name in quotation marks with Go's escapes.
func textName(name string) code {
	plain := strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' && r != '='
	}) < 0
	first, _ := utf8.DecodeRuneInString(name)
	if plain && name != "" && name != "max" && !unicode.IsDigit(first) {
		return code(name)
	}
	return code(strconv.Quote(name))
}

// texName sets a name upright, its special characters escaped.
func texName(name string) code {
	var b strings.Builder
	for _, r := range name {
		switch r {
		case '\\':
			b.WriteString(`\textbackslash{}`)
		case '~':
			b.WriteString(`\textasciitilde{}`)
		case '^':
			b.WriteString(`\textasciicircum{}`)
		case '_', '%', '&', '#', '$', '{', '}':
			b.WriteString(`\` + string(r))
		default:
			if !unicode.IsPrint(r) {
				r = '?'
			}
			b.WriteRune(r)
		}
	}
	return code(`\text{` + b.String() + `}`)
}

// digits of coefficients that people read.
// Source: a choice of looks; programs have all digits.
const digits = 5

func short(v float64) code { return code(strconv.FormatFloat(v, 'g', digits, 64)) }

func texNumber(v float64) code {
	head, exp, ok := strings.Cut(string(short(v)), "e")
	n, err := strconv.Atoi(exp)
	if !ok || err != nil {
		return code(head)
	}
	return code(fmt.Sprintf(`%s \cdot 10^{%d}`, head, n))
}

// number is v as Go, Python and C read it back.
func number(v float64) code {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic(fmt.Sprintf("export: %g has no literal", v)) // Read and Fit let none in
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return code(s)
}

func integer(v int) code { return code(strconv.Itoa(v)) }
