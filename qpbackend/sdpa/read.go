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
	for _, part := range []func() error{p.head, p.cost, p.data, p.mirrored} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return p.file()
}

// next is the next line that is no comment. Sections of integer variables and of ranks look like
// comments.
func (p *parser) next() (f []string, more bool, err error) {
	for {
		f, more, err = p.in.Next()
		if err != nil || !more || f[0][0] != '*' {
			return f, more, err
		}
		if len(f) == 1 && (f[0] == "*INTEGER" || f[0] == "*RANK1") {
			return nil, false, p.in.Wrong("integer variables and ranks are not solved for; without the section %s "+
				"the problem is its relaxation", f[0])
		}
	}
}

// line is the next line, which must exist.
func (p *parser) line(want string) ([]string, error) {
	f, more, err := p.next()
	if err == nil && !more {
		if p.in.Line() == 0 {
			return nil, problemfile.ErrEmpty
		}
		err = p.in.Wrong("the file ends before %s", want)
	}
	return f, err
}

// head reads the numbers of variables and blocks, and the sizes of these.
func (p *parser) head() error {
	f, err := p.line("the number of variables")
	if err != nil {
		return err
	}
	m, err := p.in.Whole(f[0], "the number of variables", 1, math.MaxInt32)
	if err != nil {
		return err
	}
	if err := p.in.Take(m); err != nil {
		return err
	}
	if f, err = p.line("the number of blocks"); err != nil {
		return err
	}
	blocks, err := p.in.Whole(f[0], "the number of blocks", 1, math.MaxInt32)
	if err != nil {
		return err
	}
	for len(p.blocks) < blocks {
		if f, err = p.line("the sizes of its blocks"); err != nil {
			return err
		}
		for k := 0; k < len(f) && len(p.blocks) < blocks; k++ {
			size, err := p.in.Whole(f[k], fmt.Sprintf("the size of block %d", len(p.blocks)+1), -math.MaxInt32,
				math.MaxInt32)
			if err != nil {
				return err
			}
			b := block{order: max(size, -size), diagonal: size <= 1, row: p.rows}
			if size == 0 {
				return p.in.Wrong("the size of block %d is 0", len(p.blocks)+1)
			}
			if err := p.in.Take(b.rows()); err != nil {
				return err
			}
			p.rows += b.rows()
			p.blocks = append(p.blocks, b)
		}
	}
	p.variables = m
	return nil
}

// cost reads the coefficients of the objective.
func (p *parser) cost() error {
	p.c = make([]float64, 0, min(p.variables, 1<<16))
	for len(p.c) < p.variables {
		f, err := p.line(fmt.Sprintf("the %d coefficients of the objective", p.variables))
		if err != nil {
			return err
		}
		for _, s := range f {
			if len(p.c) == p.variables {
				return p.in.Wrong("the objective has more than %d coefficients", p.variables)
			}
			v, err := p.in.Number(s, fmt.Sprintf("coefficient %d of the objective", len(p.c)+1))
			if err != nil {
				return err
			}
			p.c = append(p.c, v)
		}
	}
	return nil
}

// data reads the entries: matrix, block, row, column and value.
func (p *parser) data() error {
	for {
		f, more, err := p.next()
		if err != nil || !more {
			return err
		}
		if len(f)%5 != 0 {
			return p.in.Wrong("has %d fields, want five per entry: matrix, block, row, column and value", len(f))
		}
		for ; len(f) > 0; f = f[5:] {
			if err := p.entry(f); err != nil {
				return err
			}
		}
	}
}

func (p *parser) entry(f []string) error {
	if err := p.in.Take(1); err != nil {
		return err
	}
	var at [4]int
	most := [4]int{len(p.c), len(p.blocks), 0, 0}
	for k, of := range [4]string{"the matrix", "the block", "the row", "the column"} {
		if k == 2 {
			most[2] = p.blocks[at[1]-1].order
			most[3] = most[2]
		}
		v, err := p.in.Whole(f[k], of, min(k, 1), most[k])
		if err != nil {
			return err
		}
		at[k] = v
	}
	v, err := p.in.Number(f[4], "the value")
	if err != nil {
		return err
	}
	b, i, j := p.blocks[at[1]-1], at[2]-1, at[3]-1
	if i != j && b.diagonal {
		return p.in.Wrong("entry (%d, %d) of block %d, which is diagonal", i+1, j+1, at[1])
	}
	row, factor := b.place(min(i, j), max(i, j))
	if i > j {
		p.lower = append(p.lower, entry{at[0], row, factor * v, p.in.Line()})
		return nil
	}
	p.put(entry{at[0], row, factor * v, p.in.Line()})
	return nil
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
func (p *parser) mirrored() error {
	if len(p.lower) == 0 {
		return nil
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
			return problemfile.At(e.line, "an entry of this line is stated twice")
		case both && v != e.v:
			return problemfile.At(e.line, "matrix %d is not symmetric: the entry above the diagonal has another value",
				e.k)
		case !both:
			p.put(e)
		}
		seen[at] = true
	}
	return nil
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
