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
	for {
		f, more, err := in.Next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if err := p.section(f); err != nil {
			return nil, err
		}
	}
	if in.Line() == 0 {
		return nil, problemfile.ErrEmpty
	}
	if !p.seen["VER"] {
		return nil, in.Wrong("the file has no section VER")
	}
	return p.file()
}

// domain is a cone over consecutive variables or rows.
type domain struct {
	kind  string    // as in the file: F, L+, ..., POW, POW*
	alpha []float64 // of power cones, with the sum 1
	n     int
	line  int
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

func (p *parser) section(f []string) error {
	key := f[0]
	if len(f) > 1 {
		return p.in.Wrong("%q stands where the keyword of a section is expected", strings.Join(f, " "))
	}
	switch {
	case p.seen[key]:
		return p.in.Wrong("the section %s comes twice", key)
	case structural[key] && p.seen["data"]:
		return p.in.Wrong("the section %s comes behind coefficients", key)
	case !p.seen["VER"] && key != "VER":
		return p.in.Wrong("%q stands where VER is expected", key)
	}
	p.seen[key] = true
	if structural[key] {
		return p.structure(key)
	}
	if !p.seen["data"] {
		p.seen["data"] = true
		p.lay()
	}
	return p.data(key)
}

func (p *parser) structure(key string) (err error) {
	switch key {
	case "VER":
		_, err = p.wholes("the version", 1, 4)
	case "OBJSENSE":
		var f []string
		if f, err = p.line(1); err == nil {
			if p.maximize = f[0] == "MAX"; f[0] != "MIN" && !p.maximize {
				return p.in.Wrong("the sense is %q, want MIN or MAX", f[0])
			}
		}
	case "POWCONES":
		p.powers, err = p.exponents()
	case "POW*CONES":
		p.duals, err = p.exponents()
	case "VAR":
		p.vars, p.n, err = p.domains("variables")
	case "CON":
		p.cons, p.m, err = p.domains("rows")
	case "PSDVAR":
		p.psdVar, err = p.orders()
	case "PSDCON":
		p.psdCon, err = p.orders()
	}
	return err
}

// line is the next line, of n fields.
func (p *parser) line(n int) ([]string, error) {
	f, more, err := p.in.Next()
	switch {
	case err != nil:
		return nil, err
	case !more:
		return nil, p.in.Wrong("the file ends inside a section")
	case len(f) != n:
		return nil, p.in.Wrong("has %d fields, want %d", len(f), n)
	}
	return f, nil
}

// wholes reads a line of one whole number for each bound, from least on.
func (p *parser) wholes(of string, least int, most ...int) (out []int, err error) {
	f, err := p.line(len(most))
	if err != nil {
		return nil, err
	}
	for k, limit := range most {
		v, err := p.in.Whole(f[k], of, least, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// exponents reads the lists of POWCONES or POW*CONES and divides each by its sum.
func (p *parser) exponents() (out [][]float64, err error) {
	head, err := p.wholes("a number of exponents", 0, math.MaxInt32, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	total := 0
	for range head[0] {
		count, err := p.wholes("a number of exponents", 1, head[1]-total)
		if err != nil {
			return nil, err
		}
		var list []float64
		sum := 0.0
		for range count[0] {
			f, err := p.line(1)
			if err != nil {
				return nil, err
			}
			v, err := p.in.Number(f[0], "an exponent")
			if err != nil {
				return nil, err
			}
			if !(v > 0) {
				return nil, p.in.Wrong("the exponent %g is not positive", v)
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
		return nil, p.in.Wrong("the cones have %d exponents, %d are announced", total, head[1])
	}
	return out, nil
}

// orders reads the orders of PSDVAR or PSDCON.
func (p *parser) orders() (out []int, err error) {
	head, err := p.wholes("the number of matrices", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	for range head[0] {
		n, err := p.wholes("the order of a matrix", 1, math.MaxInt32)
		if err == nil {
			err = p.in.Take(triangle(n[0]))
		}
		if err != nil {
			return nil, err
		}
		out = append(out, n[0])
	}
	return out, nil
}

func triangle(order int) int { return order * (order + 1) / 2 }

// domains reads the domains of VAR or CON.
func (p *parser) domains(of string) (out []domain, n int, err error) {
	head, err := p.wholes("the number of "+of, 0, math.MaxInt32, math.MaxInt32)
	if err == nil {
		err = p.in.Take(head[0])
	}
	if err != nil {
		return nil, 0, err
	}
	for range head[1] {
		f, err := p.line(2)
		if err != nil {
			return nil, 0, err
		}
		size, err := p.in.Whole(f[1], "the size of a cone", 0, head[0]-n)
		if err != nil {
			return nil, 0, err
		}
		d := domain{kind: f[0], n: size, line: p.in.Line()}
		if err := p.family(&d); err != nil {
			return nil, 0, err
		}
		if _, _, sign := d.sides(); !sign && of == "variables" { // they have rows of their own
			if err := p.in.Take(size); err != nil {
				return nil, 0, err
			}
		}
		n += size
		if size > 0 {
			out = append(out, d)
		}
	}
	if n != head[0] {
		return nil, 0, p.in.Wrong("the cones have %d %s, %d are announced", n, of, head[0])
	}
	return out, n, nil
}

// family checks the kind of a domain and its size, and finds the exponents.
func (p *parser) family(d *domain) error {
	least := 0
	switch name := d.kind; name {
	case "F", "L+", "L-", "L=", "Q":
	case "QR":
		least = 2
	case "EXP", "EXP*":
		if d.n != 3 {
			return p.in.Wrong("the cone %s has 3 entries, not %d", name, d.n)
		}
	default:
		number, kind, ok := strings.Cut(strings.TrimPrefix(name, "@"), ":")
		lists := p.powers
		if kind == "POW*" {
			lists = p.duals
		}
		if !ok || name[0] != '@' || kind != "POW" && kind != "POW*" {
			return p.in.Wrong("the cone %q is not read; F, L+, L-, L=, Q, QR, EXP, EXP*, @k:POW and @k:POW* are", name)
		}
		k, err := p.in.Whole(number, "the number of the exponents", 0, len(lists)-1)
		if err != nil {
			return err
		}
		d.kind, d.alpha, least = kind, lists[k], len(lists[k])
	}
	if d.n < least {
		return p.in.Wrong("the cone %s has at least %d entries, not %d", d.kind, least, d.n)
	}
	return nil
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
