package sdpa

import (
	"fmt"
	"io"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
)

// block is one of the diagonal blocks.
type block struct {
	order    int
	diagonal bool
	row      int // the first one
}

func (b block) rows() int {
	if b.diagonal {
		return b.order
	}
	return b.order * (b.order + 1) / 2
}

// place is the row of entry (i, j), from 0, i ≤ j, and the factor of its value.
func (b block) place(i, j int) (row int, factor float64) {
	switch {
	case b.diagonal:
		return b.row + i, 1
	case i == j:
		return b.row + j*(j+1)/2 + i, 1
	}
	return b.row + j*(j+1)/2 + i, math.Sqrt2
}

// parser collects the statements of the lines.
type parser struct {
	in        *problemfile.Lines
	c         []float64
	variables int
	blocks    []block
	rows      int
	entries   problemfile.Entries
	f0        problemfile.Entries // a matrix of one column
	lower     []entry             // those that were stated below the diagonal
}

// entry is an entry of matrix k, 0 for F₀.
type entry struct {
	k, row int
	v      float64
	line   int
}

// Read reads one problem. Errors name the line.
func Read(r io.Reader) (*problemfile.File, error) {
	in, err := problemfile.ReadLines(r, `"`, ",(){}")
	if err != nil {
		return nil, err
	}
	p := &parser{in: in}
	for _, part := range []func(){p.head, p.cost, p.data, p.mirrored} {
		if part(); in.Err() != nil {
			return nil, in.Err()
		}
	}
	return p.file()
}

// next is the next line that is no comment. Sections of integer variables and of ranks look like
// comments.
func (p *parser) next() []string {
	for {
		f := p.in.Next()
		if len(f) == 0 || f[0][0] != '*' {
			return f
		}
		if len(f) == 1 && (f[0] == "*INTEGER" || f[0] == "*RANK1") {
			p.in.Wrong("integer variables and ranks are not solved for; without the section %s the problem is its "+
				"relaxation", f[0])
		}
	}
}

// line is the next line, which must exist.
func (p *parser) line(want string) []string {
	f := p.next()
	if len(f) > 0 {
		return f
	}
	if p.in.Line() == 0 {
		p.in.Fail(problemfile.ErrEmpty)
	}
	p.in.Wrong("the file ends before %s", want)
	return []string{""}
}

// head reads the numbers of variables and blocks, and the sizes of these.
func (p *parser) head() {
	p.variables = p.in.Whole(p.line("the number of variables")[0], "the number of variables", 1, math.MaxInt32)
	p.in.Take(p.variables)
	blocks := p.in.Whole(p.line("the number of blocks")[0], "the number of blocks", 1, math.MaxInt32)
	for len(p.blocks) < blocks && p.in.Err() == nil {
		f := p.line("the sizes of its blocks")
		for k := range p.in.Each(min(len(f), blocks-len(p.blocks))) {
			of := fmt.Sprintf("the size of block %d", len(p.blocks)+1)
			size := p.in.Whole(f[k], of, -math.MaxInt32, math.MaxInt32)
			if size == 0 {
				p.in.Wrong("%s is 0", of)
			}
			b := block{order: max(size, -size), diagonal: size <= 1, row: p.rows}
			p.in.Take(b.rows())
			p.rows += b.rows()
			p.blocks = append(p.blocks, b)
		}
	}
}

// cost reads the coefficients of the objective.
func (p *parser) cost() {
	p.c = make([]float64, 0, min(p.variables, 1<<16))
	for len(p.c) < p.variables && p.in.Err() == nil {
		for _, s := range p.line(fmt.Sprintf("the %d coefficients of the objective", p.variables)) {
			if len(p.c) == p.variables {
				p.in.Wrong("the objective has more than %d coefficients", p.variables)
				return
			}
			p.c = append(p.c, p.in.Number(s, fmt.Sprintf("coefficient %d of the objective", len(p.c)+1)))
		}
	}
}

// data reads the entries: matrix, block, row, column and value.
func (p *parser) data() {
	for f := p.next(); len(f) > 0; f = p.next() {
		if len(f)%5 != 0 {
			p.in.Wrong("has %d fields, want five per entry: matrix, block, row, column and value", len(f))
		}
		for k := range p.in.Each(len(f) / 5) {
			p.entry(f[5*k:])
		}
	}
}

func (p *parser) entry(f []string) {
	p.in.Take(1)
	k := p.in.Whole(f[0], "the matrix", 0, len(p.c))
	number := p.in.Whole(f[1], "the block", 1, len(p.blocks))
	b := p.blocks[number-1]
	i := p.in.Whole(f[2], "the row", 1, b.order)
	j := p.in.Whole(f[3], "the column", 1, b.order)
	v := p.in.Number(f[4], "the value")
	if i != j && b.diagonal {
		p.in.Wrong("entry (%d, %d) of block %d, which is diagonal", i, j, number)
	}
	row, factor := b.place(min(i, j)-1, max(i, j)-1)
	if e := (entry{k, row, factor * v, p.in.Line()}); i > j {
		p.lower = append(p.lower, e)
	} else {
		p.put(e)
	}
}

func (p *parser) put(e entry) {
	if e.k == 0 {
		p.f0.Put(e.row, 0, e.v, e.line)
	} else {
		p.entries.Put(e.row, e.k-1, e.v, e.line)
	}
}

// mirrored puts the entries from below the diagonal, and those that both triangles state
// once.
func (p *parser) mirrored() {
	if len(p.lower) == 0 {
		return
	}
	type place struct{ k, row int }
	upper := map[place]float64{}
	for k := range p.entries.Len() {
		i, j, v := p.entries.Entry(k)
		upper[place{j + 1, i}] = v
	}
	for k := range p.f0.Len() {
		i, _, v := p.f0.Entry(k)
		upper[place{0, i}] = v
	}
	seen := map[place]bool{}
	for _, e := range p.lower {
		at := place{e.k, e.row}
		v, both := upper[at]
		switch {
		case seen[at]:
			p.in.Fail(problemfile.At(e.line, "an entry of this line is stated twice"))
		case both && v != e.v:
			p.in.Fail(problemfile.At(e.line,
				"matrix %d is not symmetric: the entry above the diagonal has another value", e.k))
		case !both:
			p.put(e)
		}
		seen[at] = true
	}
}

func (p *parser) file() (*problemfile.File, error) {
	prob := &qpbackend.Problem{Q: p.c, L: make([]float64, p.rows), U: make([]float64, p.rows)}
	const twice = "an entry of this line is stated twice"
	var err error
	if prob.A, err = p.entries.Build(p.rows, len(p.c), twice); err == nil {
		_, err = p.f0.Build(p.rows, 1, twice)
	}
	if err != nil {
		return nil, err
	}
	for k := range p.f0.Len() {
		i, _, v := p.f0.Entry(k)
		prob.L[i] = v
	}
	for i, l := range prob.L {
		if prob.U[i] = math.Inf(1); math.Abs(l) >= qpbackend.Infinity {
			return nil, fmt.Errorf("an entry of matrix 0 is %g, as large as what counts as infinite", l)
		}
	}
	var names problemfile.Names
	for k, b := range p.blocks {
		prefix := fmt.Sprintf("b%d", k+1)
		if b.diagonal {
			for i := range b.order {
				names.Add("%s[%d]", prefix, i+1)
			}
			continue
		}
		names.Triangle(prefix, b.order, 1)
		prob.Cones = append(prob.Cones, qpbackend.Cone{Kind: qpbackend.Semidefinite, Start: b.row, Len: b.rows()})
	}
	out := &problemfile.File{RowNames: names.List(), ColNames: problemfile.Numbered("x", len(p.c))}
	return problemfile.Done(out, prob)
}
