package qps

import (
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// file turns the parsed statements into a problem.
func (p *parser) file() (*File, error) {
	if len(p.cols) == 0 {
		return nil, errors.New("the file has no columns")
	}
	if p.objective.name != "" && p.objective.got == "" {
		return nil, fmt.Errorf("OBJNAME names %q, which is no N row", p.objective.name)
	}
	prob := &qpbackend.Problem{R: p.objective.r}
	for _, c := range p.cols {
		prob.Q = append(prob.Q, c.q)
	}
	var err error
	if prob.P, err = p.hessian(); err != nil {
		return nil, err
	}
	for i := range p.rows {
		lo, up := p.rows[i].sides()
		if empty(lo, up) {
			return nil, at(p.rows[i].line, "row %q has the sides %g and %g", p.out.RowNames[i], lo, up)
		}
		prob.L, prob.U = append(prob.L, lo), append(prob.U, up)
	}
	for j, c := range p.cols {
		lo, up := cap20(c.lower), cap20(c.upper)
		if empty(lo, up) {
			return nil, at(c.line, "column %q has the bounds %g and %g", p.out.ColNames[j], lo, up)
		}
		prob.Lo, prob.Hi = append(prob.Lo, lo), append(prob.Hi, up)
	}
	const twice = "a coefficient of this line is stated twice"
	if prob.A, err = p.entries.Build(len(prob.L), len(p.cols), twice); err != nil {
		return nil, err
	}
	if p.out.Maximize {
		problemfile.Negate(prob)
	}
	p.notes()
	return problemfile.Done(&p.out, prob)
}

// hessian is the upper triangle of P.
func (p *parser) hessian() (*sparse.CSC, error) {
	n := len(p.cols)
	twice := "a quadratic coefficient is stated twice"
	if !p.bothSides {
		twice += "; a file with both triangles has them under QMATRIX"
	}
	m, err := p.quad.Build(n, n, twice)
	if err != nil || !p.bothSides {
		return m, err
	}
	upper, off, i, _ := problemfile.Upper(m)
	if off > 0 {
		return nil, fmt.Errorf("QMATRIX is not symmetric at column %q; a file with one triangle has it under QUADOBJ",
			p.out.ColNames[i])
	}
	return upper, nil
}

// sides are the bounds of a row by type, right-hand side and range.
func (r *rowSpec) sides() (lo, up float64) {
	span := math.Abs(r.span)
	rhs := cap20(r.rhs)
	switch r.kind {
	case 'G':
		if lo, up = rhs, math.Inf(1); r.hasRange {
			up = rhs + span
		}
	case 'L':
		if lo, up = math.Inf(-1), rhs; r.hasRange {
			lo = rhs - span
		}
	default:
		lo, up = rhs, rhs
		if r.hasRange && r.span >= 0 {
			up = rhs + span
		} else if r.hasRange {
			lo = rhs - span
		}
	}
	return cap20(lo), cap20(up)
}

// cap20 makes an absent bound of what is beyond Infinity.
func cap20(v float64) float64 {
	if math.Abs(v) >= qpbackend.Infinity {
		return math.Inf(int(math.Copysign(1, v)))
	}
	return v
}

// empty reports whether no number lies between the two.
func empty(lo, up float64) bool { return !(lo <= up) || math.IsInf(lo, 1) || math.IsInf(up, -1) }

func (p *parser) notes() {
	note := func(format string, args ...any) {
		p.out.Notes = append(p.out.Notes, fmt.Sprintf(format, args...))
	}
	integer, freed := 0, 0
	for _, c := range p.cols {
		if c.integer {
			integer++
		}
		if c.freed && math.IsInf(c.lower, -1) {
			freed++
		}
	}
	if integer > 0 {
		note("%d integer columns are read as continuous", integer)
	}
	if freed > 0 {
		note("%d columns have an upper bound not above zero and no stated lower bound: "+
			"they are read as unbounded below", freed)
	}
	if p.objective.got == "" {
		note("there is no N row: the linear part of the objective is zero")
	}
	if p.objective.droppedN > 0 {
		note("%d further N rows with %d coefficients are left out", p.objective.droppedN, p.objective.droppedEntries)
	}
	if p.out.Maximize {
		note("OBJSENSE is MAX: the problem minimises the negative of the objective")
	}
	for k, section := range [...]string{"RHS", "RANGES", "BOUNDS"} {
		for _, ignored := range p.sets[k].ignored {
			note("%s: the set %q is left out, %q comes first", section, ignored, p.sets[k].name)
		}
	}
}
