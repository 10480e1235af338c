package cbf

import "math"

// kind is the thing that a field numbers: a variable, a row, or a matrix, with two more fields for
// the row and the column in it.
type kind uint8

const (
	none kind = iota
	variable
	row
	matrix
	block
)

var kinds = [...]struct {
	of     string
	fields int
}{variable: {"a variable", 1}, row: {"a row", 1}, matrix: {"a matrix variable", 3}, block: {"a matrix row", 3}}

// sections of coefficients: of rows by variables, or of the objective or the constants.
var sections = map[string][2]kind{
	"OBJFCOORD": {matrix}, "OBJACOORD": {variable}, "BCOORD": {row}, "DCOORD": {block},
	"FCOORD": {row, matrix}, "ACOORD": {row, variable}, "HCOORD": {block, variable},
}

// data reads a section of coefficients.
func (p *parser) data(key string) {
	of, ok := sections[key]
	switch {
	case key == "INT":
		p.in.Wrong("integer variables are not solved for; without the section INT the problem is its " +
			"continuous relaxation")
	case key == "CHANGE":
		p.in.Wrong("the file has several instances; give each its own file")
	case key == "OBJBCOORD":
		p.r = p.in.Number(p.line(1)[0], "the constant of the objective")
	case !ok:
		p.in.Wrong("the section %q is not known", key)
	default:
		for range p.in.Each(p.wholes("the number of coefficients", 0, math.MaxInt32)[0]) {
			p.coefficient(of)
		}
	}
}

// coefficient reads one line of a section.
func (p *parser) coefficient(of [2]kind) {
	first := kinds[of[0]].fields
	last := first + kinds[of[1]].fields
	f := p.line(last + 1)
	v := p.in.Number(f[last], "the coefficient")
	p.in.Take(1)
	if of == sections["HCOORD"] { // matrix, variable, row, column
		f[1], f[2], f[3] = f[2], f[3], f[1]
	}
	i, twice := p.place(of[0], f)
	j, also := p.place(of[1], f[first:])
	if twice || also {
		v *= 2
	}
	to := &p.entries
	switch of[0] {
	case variable, matrix:
		to = &p.objective
	case row, block:
		if of[1] == none {
			to = &p.constant
		}
	}
	to.Put(i, j, v, p.in.Line())
}

// place reads a place from the first fields. In the inner product with a matrix variable the
// coefficient of an entry off the diagonal counts twice.
func (p *parser) place(k kind, f []string) (at int, twice bool) {
	if k == none {
		return 0, false
	}
	count := [...]int{variable: p.n, row: p.m, matrix: len(p.psdVar), block: len(p.psdCon)}[k]
	if count == 0 {
		p.in.Wrong("a coefficient of %s, of which there is none", kinds[k].of)
		return 0, false
	}
	if at = p.in.Whole(f[0], "the number of "+kinds[k].of, 0, count-1); k < matrix {
		return at, false
	}
	order, first := p.psdVar, p.varAt
	if k == block {
		order, first = p.psdCon, p.conAt
	}
	r, c := p.in.Whole(f[1], "the row", 0, order[at]-1), p.in.Whole(f[2], "the column", 0, order[at]-1)
	return first[at] + triangle(max(r, c)) + min(r, c), k == matrix && r != c
}
