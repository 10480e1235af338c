package npz

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Format are the files .npz, plain or with .gz.
func Format() problemfile.Format {
	return problemfile.Format{Endings: []string{".npz"}, Read: func(r io.Reader, _ string) (*problemfile.File, error) { return Read(r) }}
}

// ReadFile reads the file at path, which ends in .npz or .npz.gz.
func ReadFile(path string) (*problemfile.File, error) { return Format().ReadFile(path) }

// asymmetry is the largest difference of entries (i, j) and (j, i) of P, relative to the
// largest entry, that counts as rounding.
// Source: derived: sums of a million terms have errors of 1e-10 and less.
const asymmetry = 1e-9

// parts are the arrays of a problem, by name.
var parts = []string{"P", "q", "G", "h", "A", "b", "lb", "ub"}

// Read reads one problem. Errors name the array.
func Read(r io.Reader) (*problemfile.File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	a, err := arrays.OpenNPZ(data)
	if err != nil {
		return nil, plain(err)
	}
	p := &reader{archive: a, out: &problemfile.File{}, part: map[string]arrays.Dense{}}
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

type reader struct {
	archive *arrays.Archive
	out     *problemfile.File
	part    map[string]arrays.Dense // those that are there
	n       int
}

func (p *reader) file() (*problemfile.File, error) {
	if err := p.load(); err != nil {
		return nil, err
	}
	if err := p.shapes(); err != nil {
		return nil, err
	}
	prob := &qpbackend.Problem{Q: p.part["q"].Values}
	var err error
	if prob.P, err = p.hessian(); err != nil {
		return nil, err
	}
	var names problemfile.Names
	var t sparse.Triplets
	for _, s := range []struct{ matrix, side string }{{"G", "h"}, {"A", "b"}} {
		for i, v := range p.part[s.side].Values {
			at, lo := len(prob.L), v
			if s.matrix == "G" {
				lo = math.Inf(-1)
			}
			prob.L, prob.U = append(prob.L, lo), append(prob.U, v)
			names.Add("%s%d", s.matrix, i+1)
			for j, e := range p.part[s.matrix].Values[i*p.n:][:p.n] {
				if e != 0 {
					t.Add(at, j, e)
				}
			}
		}
	}
	if len(prob.L) > 0 {
		prob.A, _ = t.CSC(len(prob.L), p.n)
	}
	prob.Lo, prob.Hi = p.part["lb"].Values, p.part["ub"].Values
	p.out.RowNames = names.List()
	var cols problemfile.Names
	for j := range p.n {
		cols.Add("x%d", j+1)
	}
	p.out.ColNames = cols.List()
	if err := prob.Validate(); err != nil {
		return nil, err
	}
	p.out.Problem = prob
	return p.out, nil
}

// load reads the arrays.
func (p *reader) load() error {
	lim := arrays.Limits{Numbers: problemfile.Most, Side: problemfile.Most, Dimensions: 2}
	for _, name := range p.archive.Names {
		if !slices.Contains(parts, name) {
			p.out.Notes = append(p.out.Notes, fmt.Sprintf("the array %q is left out; a problem has %s", name, strings.Join(parts, ", ")))
			continue
		}
		none, err := p.archive.IsNone(name)
		if err != nil {
			return plain(err)
		}
		if none {
			continue
		}
		d, err := p.archive.Array(name, lim)
		if err != nil {
			return plain(err)
		}
		p.part[name] = d
	}
	return nil
}

// shapes refuses arrays that do not go together.
func (p *reader) shapes() error {
	q, ok := p.part["q"]
	if !ok {
		return errors.New(`the archive has no array "q"`)
	}
	if p.n = len(q.Values); p.n == 0 {
		return errors.New(`the array "q" is empty: a problem without variables`)
	}
	if _, ok := p.part["P"]; !ok {
		return errors.New(`the archive has no array "P"`)
	}
	for _, pair := range [][2]string{{"G", "h"}, {"A", "b"}} {
		_, matrix := p.part[pair[0]]
		if _, side := p.part[pair[1]]; matrix != side {
			return fmt.Errorf("of the arrays %q and %q one is missing", pair[0], pair[1])
		}
	}
	for _, name := range parts {
		d, ok := p.part[name]
		if !ok {
			continue
		}
		want := []int{p.n}
		switch name {
		case "P":
			want = []int{p.n, p.n}
		case "G":
			want = []int{len(p.part["h"].Values), p.n}
		case "A":
			want = []int{len(p.part["b"].Values), p.n}
		case "h", "b":
			want = []int{len(d.Values)}
		}
		// A vector may be saved as a column.
		if len(d.Shape) == 2 && len(want) == 1 && d.Shape[1] == 1 {
			d.Shape = d.Shape[:1]
		}
		if !slices.Equal(d.Shape, want) {
			return fmt.Errorf("the array %q has the shape %v, want %v", name, d.Shape, want)
		}
		if name != "P" && name != "G" && name != "A" && name != "q" && name != "b" {
			continue
		}
		for _, v := range d.Values {
			if math.IsInf(v, 0) {
				return fmt.Errorf("the array %q has an infinite entry", name)
			}
		}
	}
	return nil
}

// hessian is the upper triangle of P.
func (p *reader) hessian() (*sparse.CSC, error) {
	v, n := p.part["P"].Values, p.n
	top, off := 0.0, 0.0
	for _, e := range v {
		top = max(top, math.Abs(e))
	}
	var t sparse.Triplets
	for j := range n {
		for i := range j + 1 {
			a, b := v[i*n+j], v[j*n+i]
			if d := math.Abs(a - b); !(d <= asymmetry*top) {
				return nil, fmt.Errorf(`the array "P" is not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g`, i+1, j+1, a, j+1, i+1, b)
			} else if d > 0 {
				off = max(off, d)
				a += (b - a) / 2
			}
			if a != 0 {
				t.Add(i, j, a)
			}
		}
	}
	if off > 0 {
		p.out.Notes = append(p.out.Notes, fmt.Sprintf(`the array "P" is symmetric within %.1g: it is replaced by its symmetric part`, off))
	}
	m, _ := t.CSC(n, n)
	return m, nil
}
