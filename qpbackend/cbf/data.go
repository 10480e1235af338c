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
func (p *parser) data(key string) error {
	switch key {
	case "INT":
		return p.in.Wrong("integer variables are not solved for; without the section INT the problem is its " +
			"continuous relaxation")
	case "CHANGE":
		return p.in.Wrong("the file has several instances; give each its own file")
	case "OBJBCOORD":
		f, err := p.line(1)
		if err != nil {
			return err
		}
		p.r, err = p.in.Number(f[0], "the constant of the objective")
		return err
	}
	of, ok := sections[key]
	if !ok {
		return p.in.Wrong("the section %q is not known", key)
	}
	head, err := p.wholes("the number of coefficients", 0, math.MaxInt32)
	if err != nil {
		return err
	}
	for range head[0] {
		if err := p.coefficient(of); err != nil {
			return err
		}
	}
	return nil
}

// coefficient reads one line of a section.
func (p *parser) coefficient(of [2]kind) error {
	first := kinds[of[0]].fields
	last := first + kinds[of[1]].fields
	f, err := p.line(last + 1)
	if err != nil {
		return err
	}
	v, err := p.in.Number(f[last], "the coefficient")
	if err == nil {
		err = p.in.Take(1)
	}
	if err != nil {
		return err
	}
	if of == sections["HCOORD"] { // matrix, variable, row, column
		f[1], f[2], f[3] = f[2], f[3], f[1]
	}
	i, twice, err := p.place(of[0], f)
	if err != nil {
		return err
	}
	j, also, err := p.place(of[1], f[first:])
	if err != nil {
		return err
	}
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
	return nil
}

// place reads a place from the first fields. In the inner product with a matrix variable the
// coefficient of an entry off the diagonal counts twice.
func (p *parser) place(k kind, f []string) (at int, twice bool, err error) {
	if k == none {
		return 0, false, nil
	}
	count := [...]int{variable: p.n, row: p.m, matrix: len(p.psdVar), block: len(p.psdCon)}[k]
	if count == 0 {
		return 0, false, p.in.Wrong("a coefficient of %s, of which there is none", kinds[k].of)
	}
	if at, err = p.in.Whole(f[0], "the number of "+kinds[k].of, 0, count-1); err != nil || k < matrix {
		return at, false, err
	}
	order, first := p.psdVar, p.varAt
	if k == block {
		order, first = p.psdCon, p.conAt
	}
	r, err := p.in.Whole(f[1], "the row", 0, order[at]-1)
	if err != nil {
		return 0, false, err
	}
	c, err := p.in.Whole(f[2], "the column", 0, order[at]-1)
	return first[at] + triangle(max(r, c)) + min(r, c), k == matrix && r != c, err
}
