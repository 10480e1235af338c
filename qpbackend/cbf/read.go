package cbf

import (
	"io"
	"math"
	"strings"

	"github.com/dcopt/dcopt/qpbackend/problemfile"
)

// Read reads one problem. Errors name the line.
func Read(r io.Reader) (*problemfile.File, error) {
	in, err := problemfile.ReadLines(r, "#", "")
	if err != nil {
		return nil, err
	}
	p := &parser{in: in, seen: map[string]bool{}}
	for f := in.Next(); len(f) > 0; f = in.Next() {
		p.section(f)
	}
	if in.Line() == 0 {
		in.Fail(problemfile.ErrEmpty)
	}
	if !p.seen["VER"] {
		in.Wrong("the file has no section VER")
	}
	if in.Err() != nil {
		return nil, in.Err()
	}
	return p.file()
}

// domain is a cone over consecutive variables or rows.
type domain struct {
	kind  string    // as in the file: F, L+, ..., POW, POW*
	alpha []float64 // of power cones, with the sum 1
	n     int
}

// parser collects the statements of the sections. Columns of the entries are the variables of VAR,
// then the triangles of PSDVAR; rows are the ones of CON, then the triangles of PSDCON.
type parser struct {
	in   *problemfile.Lines
	seen map[string]bool

	maximize       bool
	powers, duals  [][]float64 // of POWCONES and POW*CONES
	vars, cons     []domain
	n, m           int   // of VAR and CON
	psdVar, psdCon []int // orders
	varAt, conAt   []int // the first column of each PSDVAR, row of each PSDCON; behind them the numbers in all

	entries   problemfile.Entries
	objective problemfile.Entries // a matrix of one column
	constant  problemfile.Entries // of the rows: one column
	r         float64
}

// structural sections declare sizes, and come before all others.
var structural = map[string]bool{
	"VER": true, "POWCONES": true, "POW*CONES": true, "OBJSENSE": true, "PSDVAR": true,
	"VAR": true, "PSDCON": true, "CON": true,
}

func (p *parser) section(f []string) {
	key := f[0]
	switch {
	case len(f) > 1:
		p.in.Wrong("%q stands where the keyword of a section is expected", strings.Join(f, " "))
	case p.seen[key]:
		p.in.Wrong("the section %s comes twice", key)
	case structural[key] && p.seen["data"]:
		p.in.Wrong("the section %s comes behind coefficients", key)
	case !p.seen["VER"] && key != "VER":
		p.in.Wrong("%q stands where VER is expected", key)
	case structural[key]:
		p.structure(key)
	default:
		if !p.seen["data"] {
			p.seen["data"] = true
			p.lay()
		}
		p.data(key)
	}
	p.seen[key] = true
}

func (p *parser) structure(key string) {
	switch key {
	case "VER":
		p.wholes("the version", 1, 4)
	case "OBJSENSE":
		sense := p.line(1)[0]
		if p.maximize = sense == "MAX"; sense != "MIN" && !p.maximize {
			p.in.Wrong("the sense is %q, want MIN or MAX", sense)
		}
	case "POWCONES":
		p.powers = p.exponents()
	case "POW*CONES":
		p.duals = p.exponents()
	case "VAR":
		p.vars, p.n = p.domains("variables")
	case "CON":
		p.cons, p.m = p.domains("rows")
	case "PSDVAR":
		p.psdVar = p.orders()
	case "PSDCON":
		p.psdCon = p.orders()
	}
}

// line is the next line, of n fields.
func (p *parser) line(n int) []string {
	f := p.in.Next()
	switch {
	case len(f) == n:
		return f
	case len(f) == 0:
		p.in.Wrong("the file ends inside a section")
	default:
		p.in.Wrong("has %d fields, want %d", len(f), n)
	}
	return make([]string, n)
}

// wholes reads a line of one whole number for each bound, from least on.
func (p *parser) wholes(of string, least int, most ...int) (out []int) {
	f := p.line(len(most))
	for k, limit := range most {
		out = append(out, p.in.Whole(f[k], of, least, limit))
	}
	return out
}

// exponents reads the lists of POWCONES or POW*CONES and divides each by its sum.
func (p *parser) exponents() (out [][]float64) {
	head := p.wholes("a number of exponents", 0, math.MaxInt32, math.MaxInt32)
	total := 0
	for range p.in.Each(head[0]) {
		var list []float64
		sum := 0.0
		for range p.in.Each(p.wholes("a number of exponents", 1, head[1]-total)[0]) {
			v := p.in.Number(p.line(1)[0], "an exponent")
			if !(v > 0) {
				p.in.Wrong("the exponent %g is not positive", v)
			}
			list = append(list, v)
			sum += v
		}
		for k := range list {
			list[k] /= sum
		}
		total += len(list)
		out = append(out, list)
	}
	if total != head[1] {
		p.in.Wrong("the cones have %d exponents, %d are announced", total, head[1])
	}
	return out
}

// orders reads the orders of PSDVAR or PSDCON.
func (p *parser) orders() (out []int) {
	for range p.in.Each(p.wholes("the number of matrices", 0, math.MaxInt32)[0]) {
		n := p.wholes("the order of a matrix", 1, math.MaxInt32)[0]
		p.in.Take(triangle(n))
		out = append(out, n)
	}
	return out
}

func triangle(order int) int { return order * (order + 1) / 2 }

// domains reads the domains of VAR or CON.
func (p *parser) domains(of string) (out []domain, n int) {
	head := p.wholes("the number of "+of, 0, math.MaxInt32, math.MaxInt32)
	p.in.Take(head[0])
	for range p.in.Each(head[1]) {
		f := p.line(2)
		d := p.family(f[0], p.in.Whole(f[1], "the size of a cone", 0, head[0]-n))
		if _, sign := signs[d.kind]; !sign && of == "variables" { // they have rows of their own
			p.in.Take(d.n)
		}
		if n += d.n; d.n > 0 {
			out = append(out, d)
		}
	}
	if n != head[0] {
		p.in.Wrong("the cones have %d %s, %d are announced", n, of, head[0])
	}
	return out, n
}

// family is the domain of a kind and a size, which it checks, with its exponents.
func (p *parser) family(name string, size int) domain {
	d, least := domain{kind: name, n: size}, 0
	switch name {
	case "F", "L+", "L-", "L=", "Q":
	case "QR":
		least = 2
	case "EXP", "EXP*":
		if size != 3 {
			p.in.Wrong("the cone %s has 3 entries, not %d", name, size)
		}
	default:
		number, kind, ok := strings.Cut(strings.TrimPrefix(name, "@"), ":")
		lists, known := map[string][][]float64{"POW": p.powers, "POW*": p.duals}[kind]
		if !ok || !known || name[0] != '@' {
			p.in.Wrong("the cone %q is not read; F, L+, L-, L=, Q, QR, EXP, EXP*, @k:POW and @k:POW* are", name)
			break
		}
		if k := p.in.Whole(number, "the number of the exponents", 0, len(lists)-1); k < len(lists) {
			d.kind, d.alpha, least = kind, lists[k], len(lists[k])
		}
	}
	if size < least {
		p.in.Wrong("the cone %s has at least %d entries, not %d", d.kind, least, size)
	}
	return d
}

// lay numbers the triangles.
func (p *parser) lay() {
	number := func(from int, orders []int) []int {
		out := []int{from}
		for _, n := range orders {
			from += triangle(n)
			out = append(out, from)
		}
		return out
	}
	p.varAt, p.conAt = number(p.n, p.psdVar), number(p.m, p.psdCon)
}
