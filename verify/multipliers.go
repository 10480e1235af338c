package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
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

func newDuals() map[*expr]*mat.SymDense { return map[*expr]*mat.SymDense{} }

// multipliers reads those of a result. The error says what does not fit.
func (p *Problem) multipliers(r *Result) (*multipliers, error) {
	if p.twice {
		return nil, fmt.Errorf("%w: those of matrices of complex numbers", errUnchecked)
	}
	m := p.noMultipliers()
	for name, raw := range r.boundDuals { // complex variables have none
		k := slices.IndexFunc(p.vars, func(v variable) bool { return v.of == "" && v.name == name })
		if k < 0 {
			return nil, fmt.Errorf("the problem has no bounds of %s", name)
		}
		flat, err := numbersOf(raw, p.vars[k].shape)
		if err == nil {
			err = p.vars[k].give(m.bounds, flat)
		}
		if err != nil {
			return nil, fmt.Errorf("the bounds of %s: %w", name, err)
		}
		for _, j := range p.vars[k].at {
			m.stated[j] = true
		}
	}
	families := map[string][]*row{}
	var names []string
	at := map[*row]int{} // of p.rows
	all := make([]*row, 0, len(p.rows)+len(p.free))
	for i := range p.rows {
		at[&p.rows[i]] = i
		all = append(all, &p.rows[i])
	}
	for i := range p.free {
		all = append(all, &p.free[i])
	}
	for _, r := range all {
		if _, ok := families[r.from.family]; !ok {
			names = append(names, r.from.family)
		}
		families[r.from.family] = append(families[r.from.family], r)
	}
	for name := range r.duals {
		if _, ok := families[name]; !ok {
			return nil, fmt.Errorf("the problem has no constraint %s", name)
		}
	}
	for _, name := range names {
		rows := families[name]
		raw, ok := r.duals[name]
		if parts := partsOf(raw); parts != nil { // of equations of complex numbers
			for imaginary, key := range map[bool]string{false: "re", true: "im"} {
				some := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.from.imaginary != imaginary })
				if err := m.family(name, some, parts[key], at); err != nil {
					return nil, err
				}
			}
			continue
		}
		rows = slices.DeleteFunc(rows, func(r *row) bool { return r.from.imaginary }) // 0 everywhere, as there is no multiplier
		if !ok {
			if !slices.ContainsFunc(rows, (*row).bounds) { // left out, as it holds or fails by itself
				continue
			}
			return nil, fmt.Errorf("the result has none of %s", name)
		}
		if err := m.family(name, rows, raw, at); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// family gives the numbers of a family to its rows.
func (m *multipliers) family(name string, rows []*row, raw json.RawMessage, at map[*row]int) error {
	flat, err := numbersOf(raw, anyShape)
	if err != nil {
		return fmt.Errorf("those of %s: %w", name, err)
	}
	members := map[int]bool{} // that bound something
	for _, r := range rows {
		members[r.from.member] = members[r.from.member] || r.bounds()
	}
	some := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return !members[r.from.member] })
	if !m.share(rows, flat, at) && !m.share(some, flat, at) {
		return fmt.Errorf("those of %s are %d numbers, which do not fit", name, len(flat))
	}
	return nil
}

// bounds: the row says something about variables.
func (r *row) bounds() bool {
	return !r.e.isConst() && !(math.IsInf(r.lo, -1) && math.IsInf(r.hi, 1))
}

// share gives the numbers of a family to its rows, member by member. Of a chain of affine
// functions between constants an entry has one number, and of one between functions each
// relation has its array; otherwise the numbers of an entry stand together, two of an
// equation that is not affine. It reports whether the numbers fit.
func (m *multipliers) share(rows []*row, flat []float64, at map[*row]int) bool {
	take := func(n int) []float64 {
		if n > len(flat) {
			return nil
		}
		out := flat[:n]
		flat = flat[n:]
		return out
	}
	set := func(r *row, y float64) {
		if i, ok := at[r]; ok {
			m.rows[i] = y
		}
	}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].from.member == rows[0].from.member {
			n++
		}
		member := slices.Clone(rows[:n])
		rows = rows[n:]
		straight := !slices.ContainsFunc(member, func(r *row) bool {
			_, _, ok := affine(r.e)
			return !ok
		})
		entries := map[int]*expr{}
		fixed := true // each entry is one function between constants
		for _, r := range member {
			e, ok := entries[r.from.entry]
			fixed = fixed && (!ok || e == r.e)
			entries[r.from.entry] = r.e
		}
		if !straight || fixed {
			slices.SortStableFunc(member, func(a, b *row) int { return a.from.entry - b.from.entry })
		}
		last, given := -1, 0.0
		for _, r := range member {
			equation := r.lo == r.hi
			e := eigenOf(r.e)
			n := 1
			switch {
			case e != nil:
				n = e.k * e.k
			case equation && !straight:
				n = 2
			case straight && fixed && r.from.entry == last: // the other end of a chain
				if y := given; r.hi == math.Inf(1) {
					set(r, min(y, 0))
				} else {
					set(r, max(y, 0))
				}
				continue
			}
			v := take(n)
			if v == nil {
				return false
			}
			last, given = r.from.entry, v[0]
			y := v[0]
			switch {
			case e != nil:
				d, size := mat.NewSymDense(e.k, nil), 0.0
				for _, w := range v {
					size = max(size, math.Abs(w))
				}
				off := wrongSign * size
				y = 0
				for a := range e.k {
					for b := range a + 1 {
						d.SetSym(a, b, (v[a*e.k+b]+v[b*e.k+a])/2)
						if math.Abs(v[a*e.k+b]-v[b*e.k+a]) > off {
							return false
						}
					}
					y += d.At(a, a)
				}
				if _, more := semidefinite(d); more > off {
					return false
				}
				m.duals[e] = d
				if r.hi == math.Inf(1) {
					y = -y
				}
			case n == 2:
				if y = v[0] - v[1]; r.from.turned {
					y = -y
				}
			case equation:
				if r.from.turned {
					y = -y
				}
			case straight && fixed && chained(member, r):
				if r.hi == math.Inf(1) {
					y = min(y, 0)
				} else {
					y = max(y, 0)
				}
			case r.hi == math.Inf(1):
				y = -y
			}
			set(r, y)
		}
	}
	return len(flat) == 0
}

// chained: another row is on the same function.
func chained(rows []*row, r *row) bool {
	return slices.ContainsFunc(rows, func(o *row) bool { return o != r && o.e == r.e && o.from.entry == r.from.entry })
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
			for _, a := range e.args {
				if _, _, ok := affine(a); !ok {
					return false
				}
			}
			return true
		case e.op == opSum:
			for _, a := range e.args {
				if !look(a) {
					return false
				}
			}
			return true
		}
		return e.op == opConst || e.op == opVar
	}
	if look(e) {
		return found
	}
	return nil
}
