package dc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/program"
)

// Constraint is either lo ≤ a ≤ hi for the entries of an affine a, or e ≤ 0 for each entry of
// another expression. Make one with LE, GE, EQ, Between, Semidefinite or InCone.
type Constraint struct{ s *statement }

// statement is a constraint with a name.
type statement struct {
	program.Common
	family string
	index  []int
	other  *program.Common // the other half of an equation or a chain
	each   *each           // not nil: it states an array
}

// stated is the constraint of a statement.
func stated(s statement) Constraint { return Constraint{&s} }

// refused is a constraint that cannot be.
func refused(err error) Constraint { return stated(statement{Common: program.Common{Err: err}}) }

// alone is a copy of the statement; of the zero Constraint one that Model.Problem refuses.
func (c Constraint) alone() statement {
	if c.s == nil {
		return statement{Common: program.Common{Err: errNotMade}}
	}
	return *c.s
}

var errNotMade = errors.New("dc: a constraint must be made with LE, GE, EQ or Between")

// each has the constraints that the comparison of an array states, one for each entry.
type each struct {
	n       int
	shape   []int
	one     func(k int) Constraint // the constraint of an entry
	columns *graph.Graph           // not nil: entry k states that member k is at most 0
	of      *convex.Space          // of columns
	names   [][]int                // by ForEach; nil: the places of the entries
}

// index are the numbers in the brackets of the name of entry k; base are the numbers of all.
func (e *each) index(base []int, k int) []int {
	if e.names == nil {
		return append(slices.Clip(base), unravel(k, e.shape)...)
	}
	out := make([]int, len(e.names))
	for d, column := range e.names {
		out[d] = column[k]
	}
	return out
}

// unravel are the indices of entry k of an array.
func unravel(k int, shape []int) []int {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d] = k % shape[d]
		k /= shape[d]
	}
	return index
}

// Named returns c under the name family[index...], for messages and results. Constraints of one
// family stand together where they are printed; index may be empty. Of an array of functions that
// are not all affine, the places of the entries, counted from 0, follow index.
func (c Constraint) Named(family string, index ...int) Constraint {
	s := c.alone()
	s.family, s.index = family, index
	if s.each != nil {
		e := *s.each
		e.names, s.each = nil, &e
	}
	return stated(s)
}

// Err is the first mistake made on the way to c, or nil.
func (c Constraint) Err() error {
	if c.s == nil {
		return nil
	}
	return c.s.Err
}

// ForEach returns c, which states an array, as constraints of their own: entry k has the name
// family[i[k], j[k], ...] for the columns i, j, ... of numbers, one for each entry.
func (c Constraint) ForEach(family string, columns ...[]int) Constraint {
	s := c.alone()
	switch {
	case c.s == nil:
		return refused(errNotMade)
	case s.Err != nil:
		return c
	}
	s.each = c.entries()
	for _, i := range columns {
		if len(i) != s.each.n {
			return refused(fmt.Errorf("dc: the family %s has %d constraints and a column of %d numbers", family,
				s.each.n, len(i)))
		}
	}
	e := *s.each
	e.names = append([][]int{}, columns...)
	s.family, s.index, s.each = family, nil, &e
	return stated(s)
}

// isRows reports whether c states affine functions alone.
func (c Constraint) isRows() bool { return c.s.each == nil && c.s.IsRows() }

// entries is c as the constraints of the entries of an array, or of the only one.
func (c Constraint) entries() *each {
	s := c.alone()
	switch {
	case s.each != nil:
		return s.each
	case !s.IsRows() || s.other != nil && !s.other.IsRows():
		return &each{n: 1, one: func(int) Constraint { return c }}
	}
	row := func(h *program.Common, k int) program.Common {
		return program.Rows(h.A.Take(nil, []int{k}), h.Lo[k:k+1], h.Hi[k:k+1])
	}
	return &each{n: s.A.Len(), shape: s.A.Shape, one: func(k int) Constraint {
		one := statement{Common: row(&s.Common, k)}
		if s.other != nil {
			other := row(s.other, k)
			one.other = &other
		}
		return stated(one)
	}}
}

// Convex reports whether the constraint is kept as it is: affine, or with an h
// that is zero.
func (c Constraint) Convex() bool {
	s := c.alone()
	if s.each == nil {
		return program.Constraint{Common: &s.Common}.Convex()
	}
	for k := range s.each.n {
		if !s.each.one(k).Convex() {
			return false
		}
	}
	return true
}

// Program is the first of the constraints that c states, as the packages of this module read it,
// with the slices of c; of the constraints of an array it has nothing.
func (c Constraint) Program() *program.Common {
	s := c.alone()
	return &s.Common
}
