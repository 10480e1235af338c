package cbf

import (
	"math"
)

// in is the place of entry (r, c) of a triangle, and whether it is on the diagonal.
func in(r, c int) (at int, diagonal bool) {
	r, c = min(r, c), max(r, c)
	return triangle(c) + r, r == c
}

// data reads a section of coefficients.
func (p *parser) data(key string) error {
	if key == "INT" {
		return p.in.Wrong("integer variables are not solved for; without the section INT the problem is its " +
			"continuous relaxation")
	}
	if key == "CHANGE" {
		return p.in.Wrong("the file has several instances; give each its own file")
	}
	if key == "OBJBCOORD" {
		f, err := p.line(1)
		if err != nil {
			return err
		}
		p.r, err = p.in.Number(f[0], "the constant of the objective")
		return err
	}
	indices := map[string]int{"OBJFCOORD": 3, "OBJACOORD": 1, "FCOORD": 4, "ACOORD": 2, "BCOORD": 1, "HCOORD": 4,
		"DCOORD": 3}[key]
	if indices == 0 {
		return p.in.Wrong("the section %q is not known", key)
	}
	head, err := p.wholes("the number of coefficients", 0, math.MaxInt32)
	if err != nil {
		return err
	}
	for range head[0] {
		f, err := p.line(indices + 1)
		if err != nil {
			return err
		}
		v, err := p.in.Number(f[indices], "the coefficient")
		if err != nil {
			return err
		}
		if err := p.in.Take(1); err != nil {
			return err
		}
		if err := p.coefficient(key, f, v); err != nil {
			return err
		}
	}
	return nil
}

// coefficient takes one line of a section.
func (p *parser) coefficient(key string, f []string, v float64) error {
	line := p.in.Line()
	whole := func(k int, of string, n int) (int, error) {
		if n == 0 {
			return 0, p.in.Wrong("a coefficient of %s, of which there is none", of)
		}
		return p.in.Whole(f[k], "the number of "+of, 0, n-1)
	}
	// entry is the place of (f[k+1], f[k+2]) in the triangle of matrix f[k].
	entry := func(k int, of string, orders, first []int) (at int, diagonal bool, err error) {
		j, err := whole(k, of, len(orders))
		if err != nil {
			return 0, false, err
		}
		r, err := p.in.Whole(f[k+1], "the row", 0, orders[j]-1)
		if err != nil {
			return 0, false, err
		}
		c, err := p.in.Whole(f[k+2], "the column", 0, orders[j]-1)
		if err != nil {
			return 0, false, err
		}
		at, diagonal = in(r, c)
		return first[j] + at, diagonal, nil
	}
	const variable, row, matrix, block = "a variable", "a row", "a matrix variable", "a matrix row"
	var i, j int
	var diagonal bool
	var err error
	switch key {
	case "OBJACOORD":
		if j, err = whole(0, variable, p.n); err == nil {
			p.objective.Put(0, j, v, line)
		}
	case "OBJFCOORD":
		if j, diagonal, err = entry(0, matrix, p.psdVar, p.varAt); err == nil {
			p.objective.Put(0, j, inner(v, diagonal), line)
		}
	case "ACOORD":
		if i, err = whole(0, row, p.m); err == nil {
			if j, err = whole(1, variable, p.n); err == nil {
				p.entries.Put(i, j, v, line)
			}
		}
	case "FCOORD":
		if i, err = whole(0, row, p.m); err == nil {
			if j, diagonal, err = entry(1, matrix, p.psdVar, p.varAt); err == nil {
				p.entries.Put(i, j, inner(v, diagonal), line)
			}
		}
	case "BCOORD":
		if i, err = whole(0, row, p.m); err == nil {
			p.constant.Put(i, 0, v, line)
		}
	case "HCOORD":
		f[0], f[1] = f[1], f[0] // variable, matrix, row, column
		if j, err = whole(0, variable, p.n); err == nil {
			if i, _, err = entry(1, block, p.psdCon, p.conAt); err == nil {
				p.entries.Put(i, j, v, line)
			}
		}
	case "DCOORD":
		if i, _, err = entry(0, block, p.psdCon, p.conAt); err == nil {
			p.constant.Put(i, 0, v, line)
		}
	}
	return err
}

// inner is the coefficient of a triangle's entry in the inner product with a symmetric
// matrix.
func inner(v float64, diagonal bool) float64 {
	if diagonal {
		return v
	}
	return 2 * v
}
