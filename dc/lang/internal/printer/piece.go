package printer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// piece is a part of a printed expression: text that is always the same, or a
// number. Two expressions whose pieces differ in numbers alone are members of one
// family, which is printed once, with the numbers that differ as data.
type piece struct {
	kind pieceKind
	text string
	v    float64
	vs   []float64 // of pieceData, in a shape
	dims []int
}

type pieceKind uint8

const (
	pieceText  pieceKind = iota
	pieceHead            // the coefficient at the beginning of a sum
	pieceCoef            // the coefficient of a further term
	pieceConst           // a further term that is a number
	pieceValue           // a number that stands alone
	pieceIndex           // a whole number
	pieceOpen            // a parenthesis that the coefficient before it wants
	pieceClose
	pieceData // an array of numbers
)

// phrase is a printed expression, in pieces.
type phrase []piece

func (ps *phrase) text(s string)                 { *ps = append(*ps, piece{text: s}) }
func (ps *phrase) number(k pieceKind, v float64) { *ps = append(*ps, piece{kind: k, v: v}) }

func (ps *phrase) array(shape []int, vs []float64) {
	*ps = append(*ps, piece{kind: pieceData, vs: vs, dims: shape})
}

// coefficient of the next term of a sum.
func (ps *phrase) coefficient(first bool, v float64) {
	if first {
		ps.number(pieceHead, v)
	} else {
		ps.number(pieceCoef, v)
	}
}

// constant of a sum, which may be its only term.
func (ps *phrase) constant(v float64, only bool) {
	switch {
	case only:
		ps.number(pieceValue, v)
	case v != 0:
		ps.number(pieceConst, v)
	}
}

// alike reports whether two expressions are members of one family.
func (ps phrase) alike(qs phrase) bool {
	return slices.EqualFunc(ps, qs, func(a, b piece) bool {
		return a.kind == b.kind && a.text == b.text && slices.Equal(a.dims, b.dims)
	})
}

// stand is for the numbers of a piece in all members of a family.
type stand struct {
	fixed bool   // they are one number
	text  string // the text that stands for it in the family
}

// renderer writes pieces.
type renderer struct {
	pr  *printer
	b   strings.Builder
	at  int     // where the line begins
	col []stand // of the pieces of a family; nil: none
}

// plain is an expression that is no family.
func (pr *printer) plain(ps phrase) string {
	r := renderer{pr: pr}
	r.all(ps)
	return r.b.String()
}

// family is an expression in the index k for all members.
func (pr *printer) family(members []phrase, k string) string {
	r := renderer{pr: pr, col: make([]stand, len(members[0]))}
	for i := range members[0] {
		r.col[i] = pr.standFor(members, i, k)
	}
	r.all(members[0])
	return r.b.String()
}

// standFor makes data of the numbers that differ.
func (pr *printer) standFor(members []phrase, i int, k string) stand {
	first := &members[0][i]
	switch first.kind {
	case pieceText:
		return stand{fixed: true}
	case pieceOpen, pieceClose: // they follow the coefficient before them
		if slices.ContainsFunc(members, func(m phrase) bool { return m[i].v != first.v }) {
			return stand{text: k}
		}
		return stand{fixed: true}
	case pieceData:
		return pr.arrays(members, i, k)
	}
	vs := make([]float64, len(members))
	same, run := true, first.kind == pieceIndex
	for j, m := range members {
		vs[j] = m[i].v
		same, run = same && vs[j] == vs[0], run && vs[j] == vs[0]+float64(j)
	}
	switch {
	case same:
		return stand{fixed: true}
	case run:
		switch d := int(first.v) - 1; {
		case d > 0:
			return stand{text: fmt.Sprintf("%s + %d", k, d)}
		case d < 0:
			return stand{text: fmt.Sprintf("%s - %d", k, -d)}
		}
		return stand{text: k}
	}
	return stand{text: pr.named([]int{len(vs)}, vs) + "[" + k + "]"}
}

func (pr *printer) arrays(members []phrase, i int, k string) stand {
	first := &members[0][i]
	same := true
	var all []float64
	for _, m := range members {
		same = same && slices.Equal(m[i].vs, first.vs)
		all = append(all, m[i].vs...)
	}
	if same {
		return stand{fixed: true}
	}
	name := pr.named(append([]int{len(members)}, first.dims...), all)
	return stand{text: name + "[" + k + strings.Repeat(",:", len(first.dims)) + "]"}
}

func (r *renderer) all(ps phrase) {
	for i := range ps {
		var c *stand
		if r.col != nil && !r.col[i].fixed {
			c = &r.col[i]
		}
		r.piece(&ps[i], c)
	}
}

// operator writes + or -, and breaks a line that is long.
func (r *renderer) operator(minus bool) {
	if minus {
		r.b.WriteString(" -")
	} else {
		r.b.WriteString(" +")
	}
	r.blank()
}

func (r *renderer) blank() {
	if r.b.Len()-r.at > lineLength {
		r.b.WriteString("\n")
		r.at = r.b.Len()
		return
	}
	r.b.WriteByte(' ')
}

// piece writes p; c is the text for its number, nil where that is p's own.
func (r *renderer) piece(p *piece, c *stand) {
	if p.kind == pieceConst {
		r.operator(c == nil && p.v < 0)
	}
	switch text, isList := strings.CutSuffix(p.text, ", "); {
	case p.kind == pieceHead || p.kind == pieceCoef:
		r.term(p, c)
	case p.kind == pieceOpen || p.kind == pieceClose:
		if c != nil || p.v != 0 {
			r.b.WriteString(p.text)
		}
	case c != nil:
		r.b.WriteString(c.text)
	case isList:
		r.b.WriteString(text + ",")
		r.blank()
	case p.kind == pieceText:
		r.b.WriteString(p.text)
	case p.kind == pieceConst:
		r.b.WriteString(Number(max(p.v, -p.v)))
	case p.kind == pieceData && len(p.vs) > fewNumbers:
		r.b.WriteString(r.pr.named(p.dims, p.vs))
	case p.kind == pieceData:
		r.b.WriteString(r.pr.literal(p.dims, p.vs))
	case p.kind == pieceIndex:
		r.b.WriteString(strconv.Itoa(int(p.v)))
	default:
		r.b.WriteString(Number(p.v))
	}
}

// fewNumbers is how many numbers stand within a line; of more a param is made.
// Source: a limit of the length of lines: four columns by three rows fit.
const fewNumbers = 12

// term writes a coefficient and the sign before it.
func (r *renderer) term(p *piece, c *stand) {
	v := p.v
	switch {
	case c != nil:
		if p.kind == pieceCoef {
			r.operator(false)
		}
		r.b.WriteString(c.text + "*")
		return
	case p.kind == pieceCoef:
		r.operator(v < 0)
		v = max(v, -v)
	case v == -1:
		r.b.WriteString("-")
		return
	}
	if v != 1 {
		r.b.WriteString(Number(v) + "*")
	}
}
