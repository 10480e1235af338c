package verify

import (
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// multipliers are those of a result, by rows and variables: of lo ≤ e ≤ hi the number is
// positive where hi holds and negative where lo does.
type multipliers struct {
	rows   []float64
	bounds []float64
	stated []bool // whether the result has multipliers of the bounds of a variable
	held   bool   // the bounds are rows of a Lagrangian
	duals  map[*expr]*mat.SymDense
}

// multipliers reads those of a result. The error says what does not fit.
func (p *Problem) multipliers(r *Result) (m *multipliers, err error) {
	defer safe.Catch(&err)
	if p.twice {
		safe.Fail("%w: those of matrices of complex numbers", errUnchecked)
	}
	m = p.noMultipliers()
	for name, raw := range r.boundDuals { // complex variables have none
		k := slices.IndexFunc(p.vars, func(v variable) bool { return v.of == "" && v.name == name })
		if k < 0 {
			safe.Fail("the problem has no bounds of %s", name)
		}
		p.vars[k].give(m.bounds, numbersOf("the bounds of "+name, raw, p.vars[k].shape))
		for _, j := range p.vars[k].at {
			m.stated[j] = true
		}
	}
	families := map[string][]priced{}
	var names []string
	for i := range p.rows {
		r := priced{&p.rows[i], &m.rows[i]}
		if families[r.from.family] == nil {
			names = append(names, r.from.family)
		}
		families[r.from.family] = append(families[r.from.family], r)
	}
	for name := range r.duals {
		if families[name] == nil {
			safe.Fail("the problem has no constraint %s", name)
		}
	}
	for _, name := range names {
		part := func(imaginary bool) []priced {
			other := func(r priced) bool { return r.from.imaginary != imaginary }
			return slices.DeleteFunc(slices.Clone(families[name]), other)
		}
		raw, ok := r.duals[name]
		switch parts := partsOf(raw); {
		case parts != nil: // of equations of complex numbers
			m.family(name, part(false), parts["re"])
			m.family(name, part(true), parts["im"])
		case ok: // imaginary parts without multipliers are 0 everywhere
			m.family(name, part(false), raw)
		case slices.ContainsFunc(part(false), priced.bounds): // else left out, as it holds or fails by itself
			safe.Fail("the result has none of %s", name)
		}
	}
	return m, nil
}

// priced is a row and its multiplier.
type priced struct {
	*row
	y *float64
}

// family gives the numbers of a family to its rows.
func (m *multipliers) family(name string, rows []priced, raw json.RawMessage) {
	flat := numbersOf("those of "+name, raw, anyShape)
	members := map[int]bool{} // that bound something
	for _, r := range rows {
		members[r.from.member] = members[r.from.member] || r.bounds()
	}
	some := slices.DeleteFunc(slices.Clone(rows), func(r priced) bool { return !members[r.from.member] })
	if !m.share(rows, flat) && !m.share(some, flat) {
		safe.Fail("those of %s are %d numbers, which do not fit", name, len(flat))
	}
}

// bounds: the row says something about variables.
func (r priced) bounds() bool {
	return !r.e.isConst() && r.sides != safe.Whole()
}

// share gives the numbers of a family to its rows, member by member. Of a chain of affine
// functions between constants an entry has one number, and of one between functions each
// relation has its array; otherwise the numbers of an entry stand together, two of an
// equation that is not affine. It reports whether the numbers fit.
func (m *multipliers) share(rows []priced, flat []float64) bool {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].from.member == rows[0].from.member {
			n++
		}
		member := slices.Clone(rows[:n])
		rows = rows[n:]
		straight, fixed := true, true // fixed: each entry is one function between constants
		entries, relations := map[int]*expr{}, map[int]int{}
		for _, r := range member {
			_, _, ok := affine(r.e)
			e, other := entries[r.from.entry]
			straight, fixed = straight && ok, fixed && (!other || e == r.e)
			entries[r.from.entry] = r.e
			relations[r.from.entry]++
		}
		if !straight || fixed {
			slices.SortStableFunc(member, func(a, b priced) int { return a.from.entry - b.from.entry })
		}
		last, given := -1, 0.0 // of a chain
		for _, r := range member {
			e, equation, up := eigenOf(r.e), r.sides.Lo == r.sides.Hi, r.sides.Hi == math.Inf(1)
			chain := straight && fixed && relations[r.from.entry] > 1
			n := 1
			switch {
			case e != nil:
				n = e.k * e.k
			case equation && !straight:
				n = 2
			case chain && r.from.entry == last: // its other end
				n = 0
			}
			if n > len(flat) {
				return false
			}
			v := flat[:n]
			if flat = flat[n:]; n > 0 {
				last, given = r.from.entry, v[0]
			}
			y := given
			switch {
			case e != nil:
				var ok bool
				if y, ok = m.matrix(e, v); !ok {
					return false
				}
			case n == 2:
				y = v[0] - v[1]
			}
			switch {
			case e == nil && (n == 2 || equation):
				if r.from.turned {
					y = -y
				}
			case e == nil && chain && up:
				y = min(y, 0)
			case e == nil && chain:
				y = max(y, 0)
			case up:
				y = -y
			}
			*r.y = y
		}
	}
	return len(flat) == 0
}

// matrix takes the multiplier of a largest eigenvalue: a positive semidefinite matrix, whose trace
// is the multiplier of the row.
func (m *multipliers) matrix(e *expr, v []float64) (trace float64, ok bool) {
	d, size := mat.NewSymDense(e.k, nil), 0.0
	for _, w := range v {
		size = max(size, math.Abs(w))
	}
	for a := range e.k {
		for b := range a + 1 {
			d.SetSym(a, b, (v[a*e.k+b]+v[b*e.k+a])/2)
			if math.Abs(v[a*e.k+b]-v[b*e.k+a]) > wrongSign*size {
				return 0, false
			}
		}
	}
	_, more := safe.Semidefinite(d)
	m.duals[e] = d
	return mat.Trace(d), more <= wrongSign*size
}

// eigenOf is the one largest eigenvalue in a row whose multiplier is a matrix: of ± the
// eigenvalue and affine functions.
func eigenOf(e *expr) *expr {
	var found *expr
	var look func(e *expr) bool
	look = func(e *expr) bool {
		switch {
		case e.op == opEigen && e.num == 1 && found == nil:
			found = e
			return !slices.ContainsFunc(e.args, func(a *expr) bool {
				_, _, ok := affine(a)
				return !ok
			})
		case e.op == opSum:
			return !slices.ContainsFunc(e.args, func(a *expr) bool { return !look(a) })
		}
		return e.op == opConst || e.op == opVar
	}
	if look(e) {
		return found
	}
	return nil
}
