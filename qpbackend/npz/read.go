package npz

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// asymmetry is the largest difference of entries (i, j) and (j, i) of P, relative to the
// largest entry, that counts as rounding.
// Source: derived: sums of a million terms have errors of 1e-10 and less.
const asymmetry = 1e-9

// matrices and vectors are the arrays of a problem, by name; r is a number, and shape
// belongs to a matrix A in compressed columns.
const (
	matrices = "P G A"
	vectors  = "q h b lb ub l u r shape"
)

// Read reads one problem, plain or compressed by gzip. Errors name the array.
func Read(r io.Reader) (*problemfile.File, error) {
	in, err := input.New(r)
	if err != nil {
		return nil, err
	}
	data, err := in.All()
	if err != nil {
		return nil, err
	}
	a, err := arrays.OpenNPZ(data)
	if err != nil {
		return nil, plain(err)
	}
	p := &reader{archive: a, out: &problemfile.File{}, vector: map[string]arrays.Dense{}, form: map[string]form{}}
	p.stored = int(in.Stored())
	p.size = problemfile.NewSize(p.stored)
	return p.file()
}

// plain is an error of package arrays without a place: an archive has no lines.
func plain(err error) error {
	var e *arrays.Error
	if errors.As(err, &e) {
		return errors.New(e.Msg)
	}
	return err
}

// form is how a matrix is saved.
type form int

const (
	absent form = iota
	dense
	columns
)

type reader struct {
	archive *arrays.Archive
	out     *problemfile.File
	vector  map[string]arrays.Dense // those that are there
	form    map[string]form         // of the matrices
	n       int
	size    problemfile.Size
	stored  int // bytes of the file
}

// mostDense bounds the numbers of a dense matrix, zeros too, beside those that the bytes of the
// file may be.
// Source: a limit of memory, 134 MB.
const mostDense = 1 << 24

// sizes are the limits of a matrix.
func (p *reader) sizes() arrays.Limits {
	left := p.size.Left()
	return arrays.Limits{Numbers: mostDense + p.stored, Entries: left, Side: left, Dimensions: 2}
}

func (p *reader) file() (*problemfile.File, error) {
	if err := p.load(); err != nil {
		return nil, err
	}
	if err := p.shapes(); err != nil {
		return nil, err
	}
	prob := &qpbackend.Problem{Q: p.vector["q"].Values}
	if r := p.vector["r"].Values; len(r) > 0 {
		prob.R = r[0]
	}
	var err error
	if prob.P, err = p.hessian(); err != nil {
		return nil, err
	}
	var names problemfile.Names
	var t sparse.Triplets
	for _, name := range []string{"G", "A"} {
		if p.form[name] == absent {
			continue
		}
		l, u := p.sides(name)
		m, err := p.matrix(name, len(l))
		if err != nil {
			return nil, err
		}
		first := len(prob.L)
		prob.L, prob.U = append(prob.L, l...), append(prob.U, u...)
		for i := range m.Rows {
			names.Add("%s%d", name, i+1)
			for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
				t.Add(first+i, m.Idx[k], m.Val[k])
			}
		}
	}
	if len(prob.L) > 0 {
		prob.A, _ = t.CSC(len(prob.L), p.n)
	}
	prob.Lo, prob.Hi = p.vector["lb"].Values, p.vector["ub"].Values
	p.out.RowNames, p.out.ColNames = names.List(), problemfile.Numbered("x", p.n)
	return problemfile.Done(p.out, prob)
}

// load reads the vectors, and sees how the matrices are saved.
func (p *reader) load() error {
	for _, name := range p.archive.Names {
		matrix, part, _ := strings.Cut(name, "_")
		isMatrix := slices.Contains(strings.Fields(matrices), matrix) &&
			slices.Contains([]string{"", "data", "indices", "indptr"}, part)
		if !isMatrix && !slices.Contains(strings.Fields(vectors), name) {
			p.out.Notes = append(p.out.Notes,
				fmt.Sprintf("the array %q is left out; a problem has %s, and matrices with _data, _indices, _indptr",
					name, strings.Join(strings.Fields(matrices+" "+vectors), ", ")))
			continue
		}
		none, err := p.archive.IsNone(name)
		if err != nil {
			return plain(err)
		}
		if none {
			continue
		}
		if isMatrix {
			is := dense
			if part != "" {
				is = columns
			}
			if was := p.form[matrix]; was != absent && was != is {
				return fmt.Errorf("the matrix %q is there twice, as one array and as compressed columns", matrix)
			}
			p.form[matrix] = is
			continue
		}
		lim := p.sizes()
		lim.Numbers = lim.Entries
		d, err := p.archive.Array(name, lim)
		if err == nil {
			err = p.size.Add(len(d.Values))
		}
		if err != nil {
			return plain(err)
		}
		p.vector[name] = d
	}
	return nil
}

// shapes refuses vectors that do not go together.
func (p *reader) shapes() error {
	q, ok := p.vector["q"]
	if !ok {
		return errors.New(`the archive has no array "q"`)
	}
	if p.n = len(q.Values); p.n == 0 {
		return errors.New(`the array "q" is empty: a problem without variables`)
	}
	if p.form["P"] == absent {
		return errors.New(`the archive has no array "P"`)
	}
	has := func(name string) bool { _, ok := p.vector[name]; return ok }
	if has("h") != (p.form["G"] != absent) {
		return errors.New(`of the arrays "G" and "h" one is missing`)
	}
	if has("b") && (has("l") || has("u")) {
		return errors.New(`"A" has sides twice, "b" and "l" or "u"`)
	}
	if (has("b") || has("l") || has("u")) != (p.form["A"] != absent) {
		return errors.New(`of the arrays "A" and "b", or "A", "l" and "u", one is missing`)
	}
	for _, name := range strings.Fields(vectors) {
		d, ok := p.vector[name]
		if !ok {
			continue
		}
		want := []int{p.n}
		switch name {
		case "h", "b", "l":
			want = []int{len(d.Values)}
		case "u":
			want = []int{len(d.Values)}
			if has("l") {
				want = []int{len(p.vector["l"].Values)}
			}
		case "r":
			want = []int{}
		case "shape":
			want = []int{2}
		}
		// A vector may be saved as a column, and a number as a vector.
		if k := len(want); len(d.Shape) == k+1 && d.Shape[k] == 1 {
			d.Shape = d.Shape[:k]
		}
		if !slices.Equal(d.Shape, want) {
			return fmt.Errorf("the array %q has the shape %v, want %v", name, d.Shape, want)
		}
		if name != "q" && name != "b" && name != "r" {
			continue
		}
		if err := finite(name, d); err != nil {
			return err
		}
	}
	return nil
}

func finite(name string, d arrays.Dense) error {
	if slices.ContainsFunc(d.Values, func(v float64) bool { return math.IsInf(v, 0) }) {
		return fmt.Errorf("the array %q has an infinite entry", name)
	}
	return nil
}

// sides of the rows of a matrix that is there.
func (p *reader) sides(name string) (l, u []float64) {
	if name == "G" {
		u = p.vector["h"].Values
	} else if b, ok := p.vector["b"]; ok {
		return b.Values, b.Values
	} else {
		l, u = p.vector["l"].Values, p.vector["u"].Values
	}
	none := func(have, other []float64, v float64) []float64 {
		if have == nil {
			have = slices.Repeat([]float64{v}, len(other))
		}
		return have
	}
	return none(l, u, math.Inf(-1)), none(u, l, math.Inf(1))
}

// matrix reads a matrix with a number of rows, and of columns for each variable.
func (p *reader) matrix(name string, rows int) (*arrays.Sparse, error) {
	if p.form[name] == columns {
		if s, ok := p.vector["shape"]; ok && name == "A" &&
			(s.Values[0] != float64(rows) || s.Values[1] != float64(p.n)) {
			return nil, fmt.Errorf(`the array "shape" says %g rows and %g columns, want %d and %d`, s.Values[0],
				s.Values[1], rows, p.n)
		}
		m, err := p.archive.Columns(name, rows, p.n, p.sizes())
		if err == nil {
			err = p.size.Add(len(m.Val))
		}
		return m, plain(err)
	}
	d, err := p.archive.Array(name, p.sizes())
	if err != nil {
		return nil, plain(err)
	}
	if want := []int{rows, p.n}; !slices.Equal(d.Shape, want) {
		return nil, fmt.Errorf("the array %q has the shape %v, want %v", name, d.Shape, want)
	}
	if err := finite(name, d); err != nil {
		return nil, err
	}
	entries := 0
	for _, v := range d.Values {
		if v != 0 {
			entries++
		}
	}
	if err := p.size.Add(entries); err != nil {
		return nil, err
	}
	m := &arrays.Sparse{Rows: rows, Cols: p.n, Ptr: make([]int, 1, rows+1)}
	m.Idx, m.Val = make([]int, 0, entries), make([]float64, 0, entries)
	for i := range rows {
		for j, v := range d.Values[i*p.n:][:p.n] {
			if v != 0 {
				m.Idx, m.Val = append(m.Idx, j), append(m.Val, v)
			}
		}
		m.Ptr = append(m.Ptr, len(m.Idx))
	}
	return m, nil
}

// hessian is the upper triangle of P.
func (p *reader) hessian() (*sparse.CSC, error) {
	m, err := p.matrix("P", p.n)
	if err != nil {
		return nil, err
	}
	var t sparse.Triplets
	top, below, above := 0.0, false, false
	for i := range m.Rows {
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			j, v := m.Idx[k], m.Val[k]
			top, below, above = max(top, math.Abs(v)), below || j < i, above || j > i
			t.Add(i, j, v)
		}
	}
	full, _ := t.CSC(p.n, p.n)
	note := func(format string, args ...any) { p.out.Notes = append(p.out.Notes, fmt.Sprintf(format, args...)) }
	if p.form["P"] == columns && !below {
		if above {
			note(`the matrix "P" has no entries below the diagonal: ` +
				`it is read as the upper triangle of a symmetric matrix`)
		}
		return full, nil
	}
	upper, off, i, j := problemfile.Upper(full)
	if !(off <= asymmetry*top) {
		return nil, fmt.Errorf(`the array "P" is not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g`,
			i+1, j+1, full.At(i, j), j+1, i+1, full.At(j, i))
	}
	if off > 0 {
		note(`the array "P" is symmetric within %.1g: it is replaced by its symmetric part`, off)
	}
	return upper, nil
}
