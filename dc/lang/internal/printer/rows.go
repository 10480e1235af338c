package printer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/program"
)

// statement is a constraint as it is printed.
type printed struct {
	name   string // of the family
	index  []int
	phrase phrase
}

// constraints prints all of them, the ones of one name that are alike as a family.
func (pr *printer) constraints(b *strings.Builder) {
	var all []printed
	var phrases []phrase
	for c, equation := range pr.p.Written() {
		all = append(all, pr.constraint(c, equation)...)
	}
	for k := range all {
		phrases = append(phrases, all[k].phrase)
	}
	if len(all) == 0 {
		return
	}
	b.WriteString("subject to\n")
	labels := map[string]bool{}
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].name == all[from].name && phrases[from].alike(phrases[to]) {
			to++
		}
		name := all[from].name
		if to-from >= fewMembers {
			k := pr.fresh("k")
			fmt.Fprintf(b, "%s[%s in 1..%d]: %s\n", label(labels, name), k, to-from,
				pr.family(phrases[from:to], k))
			delete(pr.taken, k)
			from = to
			continue
		}
		if name != "" {
			for _, i := range all[from].index {
				name += fmt.Sprintf("_%d", i)
			}
			b.WriteString(label(labels, name) + ": ")
		}
		b.WriteString(pr.plain(phrases[from]) + "\n")
		from++
	}
}

// label is a name for a constraint that no other has.
func label(taken map[string]bool, want string) string {
	if want == "" {
		want = "rows"
	}
	labels := &printer{taken: taken}
	return labels.fresh(want)
}

// constraint is c, an affine one of many entries perhaps as so many.
func (pr *printer) constraint(c *program.Constraint, equation bool) []printed {
	name := c.Family
	if c.DC {
		return []printed{{name, c.Index(), pr.relation(c.Function(), equation)}}
	}
	m := c.A.Len()
	lhs := c.A
	lhs.C = make([]float64, m) // without constants
	if m > 1 {
		var ps phrase
		if pr.slices(&ps, lhs) || pr.product(&ps, lhs) {
			return []printed{{name, c.Index(), pr.between(ps, c, 0, m)}}
		}
	}
	rows := make([]phrase, m)
	like := m >= fewMembers
	for k := range rows {
		pr.sum(&rows[k], expr.OfLinear(lhs.Linear(k)))
		like = like && rows[0].alike(rows[k])
	}
	if m > 1 && m <= fewNumbers && !like && len(lhs.Shape) == 1 {
		ps := phrase{{text: "["}}
		for k, r := range rows {
			if k > 0 {
				ps.text(", ")
			}
			ps = append(ps, r...)
		}
		ps.text("]")
		return []printed{{name, c.Index(), pr.between(ps, c, 0, m)}}
	}
	var out []printed
	for k := range m {
		index := c.Index()
		if m > 1 {
			index = append(slices.Clone(index), k+1)
		}
		out = append(out, printed{name, index, pr.between(rows[k], c, k, k+1)})
	}
	return out
}

// between states the bounds of rows lo to hi of a constraint, whose left side
// without constants is ps.
func (pr *printer) between(ps phrase, c *program.Constraint, lo, hi int) phrase {
	consts := c.A.C
	side := func(a, bound []float64) piece {
		vs := make([]float64, hi-lo)
		same := true
		for k := range vs {
			vs[k] = bound[lo+k] - a[lo+k]
			if vs[k] == 0 {
				vs[k] = 0 // not −0
			}
			same = same && vs[k] == vs[0]
		}
		if hi-lo == 1 || same {
			return piece{kind: pieceValue, v: vs[0]}
		}
		return piece{kind: pieceData, vs: vs, dims: c.A.Shape}
	}
	below, above, equal, exact := true, true, true, true
	for k := lo; k < hi; k++ {
		below = below && math.IsInf(c.Lo[k], -1)
		above = above && math.IsInf(c.Hi[k], 1)
		equal = equal && c.Lo[k] == c.Hi[k]
		a := c.A.Linear(k).Const
		exact = exact && (c.Lo[k]-a)-(c.Hi[k]-a) == c.Lo[k]-c.Hi[k]
	}
	switch {
	case equal:
		ps.text(" == ")
		return append(ps, side(consts, c.Hi))
	case below:
		ps.text(" <= ")
		return append(ps, side(consts, c.Hi))
	case above:
		ps.text(" >= ")
		return append(ps, side(consts, c.Lo))
	}
	if !exact { // the constant stays where it is
		zero := make([]float64, len(c.Lo))
		ps = append(ps, piece{text: " + "}, side(zero, consts))
		consts = zero
	}
	least, most := phrase{side(consts, c.Lo), {text: " <= "}}, phrase{{text: " <= "}, side(consts, c.Hi)}
	return slices.Concat(least, ps, most)
}

// relation is e ≤ 0 or e = 0: the constant on the right, or, where all terms would
// have a minus, on the left of ≥.
func (pr *printer) relation(e expr.Scalar, equation bool) phrase {
	affine, terms := e.Written()
	turned := len(terms) > 0 && !equation
	for _, t := range terms {
		turned = turned && t.Weight < 0
	}
	c, sign := -affine.Const, " <= "
	if turned {
		e, c, sign = e.Neg(), affine.Const, " >= "
	}
	if equation {
		sign = " == "
	}
	var ps phrase
	if c == 0 {
		c = 0 // not −0
	}
	ps = pr.top(e, false)
	ps.text(sign)
	ps.number(pieceValue, c)
	return ps
}
