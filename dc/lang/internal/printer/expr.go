package printer

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// top is a sum whose terms may be families.
func (pr *printer) top(e expr.Scalar, constant bool) phrase {
	affine, terms := written(e)
	if !constant {
		affine.Const = 0
	}
	var out phrase
	first := true
	pr.linear(&out, &affine, &first)
	pr.families = len(terms) < fewMembers // or the terms are to be a family
	each := make([]phrase, len(terms))
	for k := range terms {
		pr.term(&each[k], true, &terms[k])
	}
	pr.families = false
	for from := 0; from < len(each); {
		if period, count := likeRun(each[from:]); count >= fewMembers {
			pr.sumOver(&out, each[from:from+period*count], period, &first)
			from += period * count
			continue
		}
		if !first {
			each[from][0].kind = pieceCoef
		}
		out, first = append(out, each[from]...), false
		from++
	}
	out.constant(affine.Const, first)
	return out
}

// fewMembers is from how many members on a family is shorter than its members.
// Source: derived: it takes the two lines of its range and its member.
const fewMembers = 3

// mostTogether is how many terms a member of a sum may have: a member of such as
// hinge losses has two, their difference.
// Source: a limit of time; longer members are printed one by one.
const mostTogether = 4

// likeRun says of how many terms each the like members are that a list begins
// with, and how many there are: of the lengths the one that covers most.
func likeRun(each []phrase) (period, count int) {
	for p := 1; p <= mostTogether; p++ {
		n := 0
		for n+p < len(each) && each[n].alike(each[n+p]) {
			n++
		}
		if members := n/p + 1; members >= fewMembers && members*p > period*count {
			period, count = p, members
		}
	}
	return period, count
}

// sumOver adds a sum over members of so many terms. A weight that all have
// stands before it.
func (pr *printer) sumOver(out *phrase, terms []phrase, period int, first *bool) {
	w := terms[0][0].v
	for _, t := range terms {
		if t[0].v != w {
			w = 1
			break
		}
	}
	var members []phrase
	for from := 0; from < len(terms); from += period {
		var m phrase
		for i, t := range terms[from : from+period] {
			m.coefficient(i == 0, t[0].v/w)
			m = append(m, t[1:]...)
		}
		members = append(members, m)
	}
	out.coefficient(*first, w)
	out.text(pr.over("sum", members, period > 1))
	*first = false
}

// over is a sum or maximum over the members of a family.
func (pr *printer) over(name string, members []phrase, parens bool) string {
	k := pr.fresh("k")
	defer delete(pr.taken, k)
	body := pr.family(members, k)
	if parens {
		body = "(" + body + ")"
	}
	return fmt.Sprintf("%s(%s in 1..%d) %s", name, k, len(members), body)
}

// linear adds the coefficients of l, in one inner product where they belong to
// all entries of a vector.
func (pr *printer) linear(ps *phrase, l *convex.Linear, first *bool) {
	for k := 0; k < len(l.Idx); {
		v, _ := pr.place(l.Idx[k])
		x, n := pr.p.Vars[v], 0
		for k+n < len(l.Idx) && l.Idx[k+n] == x.Offset+n && n < x.Len() {
			n++
		}
		if n == x.Len() && n > 1 && len(x.Shape) == 1 {
			ps.coefficient(*first, 1)
			ps.array([]int{n}, l.Val[k:k+n])
			ps.text("*" + pr.names[v])
			k += n
		} else {
			ps.coefficient(*first, l.Val[k])
			pr.entry(ps, l.Idx[k])
			k++
		}
		*first = false
	}
}

// sum is an expression without families.
func (pr *printer) sum(ps *phrase, e expr.Scalar) {
	affine, terms := written(e)
	first := true
	pr.linear(ps, &affine, &first)
	for k := range terms {
		pr.term(ps, first, &terms[k])
		first = false
	}
	ps.constant(affine.Const, first)
}

// term is a term with its coefficient.
func (pr *printer) term(ps *phrase, first bool, t *weighted) {
	ps.coefficient(first, t.Weight)
	pr.atom(ps, t)
}

// factor is an expression as an operand of * or ^.
func (pr *printer) factor(ps *phrase, e expr.Scalar) {
	affine, terms := e.Written()
	if len(terms) == 0 && len(affine.Idx) == 1 && affine.Val[0] == 1 && affine.Const == 0 {
		pr.entry(ps, affine.Idx[0])
		return
	}
	ps.text("(")
	pr.sum(ps, e)
	ps.text(")")
}

// weighted is a term; odd says that it stands for an odd power of any sign.
type weighted struct {
	expr.Atom
	odd  bool
	flip bool // of a maximum: it is minus the minimum of minus the entries
}

// written is e as it was written, where the parts u₊^p and −(−u)₊^p of an odd power
// are one term.
func written(e expr.Scalar) (affine convex.Linear, out []weighted) {
	affine, terms := e.Written()
	for k := 0; k < len(terms); k++ {
		t := weighted{Atom: terms[k]}
		if k+1 < len(terms) && isOdd(&terms[k], &terms[k+1]) {
			t.odd = true
			k++
		}
		if t.Weight < 0 && isMinimum(&t.Node) {
			t.flip, t.Weight = true, -t.Weight
		}
		out = append(out, t)
	}
	return affine, out
}

// isMinimum reports whether minus n is better read as a minimum: all terms of its
// entries would lose a minus.
func isMinimum(n *expr.Node) bool {
	if atom.FindReduce(n.Op()) != atom.Max {
		return false
	}
	a := &n.Args()[0]
	for k := range a.Len() {
		_, terms := a.Scalar(k).Written()
		if len(terms) == 0 || slices.ContainsFunc(terms, func(t expr.Atom) bool { return t.Weight > 0 }) {
			return false
		}
	}
	return true
}

func isOdd(a, b *expr.Atom) bool {
	p, ok := exponentOf(&a.Node)
	q, also := exponentOf(&b.Node)
	if !ok || !also || !p.ofPositive || p != q || a.Weight != -b.Weight || math.Mod(p.e, 2) != 1 {
		return false
	}
	sum := a.Node.Args()[0].Scalar(0).Add(b.Node.Args()[0].Scalar(0))
	return a.Node.Args()[0].Scalar(0).IsAffine() && sum.IsConst() && sum.Value(nil) == 0
}

// exponent is e of uᵉ, or of max(u, 0)ᵉ.
type exponent struct {
	e          float64
	ofPositive bool
}

// exponentOf is the exponent of a power.
func exponentOf(n *expr.Node) (out exponent, ok bool) {
	c := atom.Find(n.Op())
	if c == nil || c.Exponent == nil {
		return out, false
	}
	out.e, out.ofPositive = c.Exponent(append(n.Data(), 0)[0])
	return out, true
}

// atom is an atom, behind its coefficient.
func (pr *printer) atom(ps *phrase, t *weighted) {
	n, w := &t.Node, t.Weight
	op, args, data := n.Op(), n.Args(), n.Data()
	several := atom.SumOf(op)
	p, isPower := exponentOf(n)
	product := func(sign string) {
		*ps = append(*ps, piece{kind: pieceOpen, text: "(", v: needsParens(w)})
		pr.operand(ps, &args[0])
		ps.text(sign)
		pr.operand(ps, &args[1])
		*ps = append(*ps, piece{kind: pieceClose, text: ")", v: needsParens(w)})
	}
	switch {
	case several == atom.SumSquares && args[0].Len() == 1:
		pr.factor(ps, args[0].Scalar(0))
		ps.text("^2")
	case isPower:
		pr.power(ps, args, p, t.odd)
	case several == atom.Inner, op == "mul", op == "cost":
		product("*")
	case op == "quotient":
		product("/")
	case several == atom.Max:
		pr.extreme(ps, &args[0], t.flip)
	case several == atom.SumSmallest:
		ps.text("(")
		pr.call(ps, "sum", args, nil)
		ps.text(" - ")
		pr.call(ps, atom.SumLargest.Name, args, []float64{float64(args[0].Len()) - data[0]})
		ps.text(")")
	case several != nil && atom.Find(op) != nil && args[0].Len() > 1: // it goes entry by entry
		ps.text("sum(")
		pr.call(ps, op, args, data)
		ps.text(")")
	case slices.Contains(pr.ops, op):
		pr.call(ps, op, args, data)
	default:
		pr.fail("a function of the program cannot be printed: it is no function of the language")
	}
}

// power is a power; odd says that it stands for an odd power of any sign.
func (pr *printer) power(ps *phrase, args []expr.Array, p exponent, odd bool) {
	e := args[0].Scalar(0)
	positive := p.ofPositive && !odd
	switch {
	case !positive && p.e == 0.5:
		pr.call(ps, "sqrt", args, nil)
		return
	case !positive && p.e == -1:
		pr.call(ps, "invpos", args, nil)
		return
	case positive && !(e.IsConvex() && e.Over().Lo >= 0):
		pr.call(ps, "pos", args, nil)
	default:
		pr.factor(ps, e)
	}
	ps.text("^")
	if p.e < 0 {
		ps.text("(")
		defer ps.text(")")
	}
	ps.number(pieceValue, p.e)
}

// needsParens is 1 where a product must stand in parentheses behind a coefficient.
func needsParens(w float64) float64 {
	if w == 1 {
		return 0
	}
	return 1
}

// extreme is the maximum of the entries, or the minimum of their negatives.
func (pr *printer) extreme(ps *phrase, a *expr.Array, flip bool) {
	name := "max"
	if flip {
		name = "min"
	}
	members := make([]phrase, a.Len())
	like := a.Len() >= fewMembers && pr.families
	defer func(was bool) { pr.families = was }(pr.families)
	pr.families = false // within
	for k := range members {
		e := a.Scalar(k)
		if flip {
			e = e.Neg()
		}
		pr.sum(&members[k], e)
		like = like && members[0].alike(members[k])
	}
	if like {
		ps.text("(" + pr.over(name, members, true) + ")")
		return
	}
	ps.text(name + "(")
	for k, m := range members {
		if k > 0 {
			ps.text(", ")
		}
		*ps = append(*ps, m...)
	}
	ps.text(")")
}

// call is a function of arrays, and of data behind them: a number, one for each entry, or a matrix.
func (pr *printer) call(ps *phrase, name string, args []expr.Array, data []float64) {
	row := atom.FindReduce(name)
	ofArray := row != nil && row.HasParameters && atom.Find(name) == nil
	ps.text(name + "(")
	for k := range args {
		if k > 0 {
			ps.text(", ")
		}
		if args[k].Len() == 1 && !ofArray {
			pr.sum(ps, args[k].Scalar(0))
		} else {
			pr.array(ps, &args[k])
		}
	}
	switch n := args[0].Len(); {
	case len(data) == 1:
		ps.text(", ")
		ps.number(pieceValue, data[0])
	case len(data) == n:
		ps.text(", ")
		ps.array([]int{n}, data)
	case len(data) > 0:
		ps.text(", ")
		ps.array([]int{n, n}, data)
	}
	ps.text(")")
}

// operand is an array as a factor.
func (pr *printer) operand(ps *phrase, a *expr.Array) {
	if a.Len() == 1 {
		pr.factor(ps, a.Scalar(0))
		return
	}
	ps.text("(")
	pr.array(ps, a)
	ps.text(")")
}

// array is an array of expressions: slices of variables and products of data and
// vectors where it is made of such, else entry by entry.
func (pr *printer) array(ps *phrase, a *expr.Array) {
	if a.Len() > 1 && !a.Bent() && (pr.slices(ps, a.Array) || pr.product(ps, a.Array)) {
		return
	}
	shape := a.Shape
	if len(shape) > 2 || len(shape) == 2 && (shape[0] == 1 || shape[1] == 1) {
		ps.text("reshape(")
		defer func() { ps.text(", " + commas(shape) + ")") }()
	}
	ps.text("[")
	for k := range a.Len() {
		switch {
		case k == 0:
		case len(shape) == 2 && shape[0] > 1 && k%shape[1] == 0:
			ps.text("; ")
		default:
			ps.text(", ")
		}
		pr.sum(ps, a.Scalar(k))
	}
	ps.text("]")
}
