package dc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/expr/rule"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Apply makes the atom of a name and with data as Node.Op and Node.Data have them.
// Beside those "sqrt", "square", "invpos", "pos", "min", "norm1", "norminf" and
// others of the names of problem files are known; see Ops. The error of the result
// says what is wrong with the arguments.
func Apply(op string, data []float64, args ...Expr) Expr {
	a, ok := findAtom(op)
	if !ok {
		return failed("there is no atom %q", op)
	}
	if a.args >= 0 && len(args) != a.args || len(args) == 0 {
		return failed("%s of %d arguments, want %s", op, len(args), atLeastOne(a.args))
	}
	if a.data >= 0 && len(data) != a.data {
		return failed("%s with %d numbers, want %d", op, len(data), a.data)
	}
	for k := range args {
		if _, is := args[k].err.(pending); args[k].err != nil && !is {
			return args[k]
		}
	}
	return a.make(args, data)
}

func atLeastOne(n int) string {
	if n < 0 {
		return "one or more"
	}
	return fmt.Sprint(n)
}

// Ops are the names that Apply knows.
func Ops() []string {
	var names []string
	for _, list := range atomLists() {
		for _, a := range list() {
			names = append(names, a.op)
		}
	}
	for _, row := range atom.Reduces() {
		names = append(names, row.Name)
	}
	for _, row := range atom.Curves() {
		if !row.HasParameter {
			names = append(names, row.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// findAtom: the rows of the tables of functions that no list has are atoms, too.
func findAtom(op string) (constructor, bool) {
	row := atom.Find(op)
	if row == nil || !row.ByBounds() {
		if several := atom.FindReduce(op); several != nil {
			return rowConstructor(several), true
		}
		for _, list := range atomLists() {
			for _, a := range list() {
				if a.op == op {
					return a, true
				}
			}
		}
	}
	if row == nil || row.HasParameter {
		return constructor{}, false
	}
	return constructor{op: op, args: 1, make: func(args []Expr, _ []float64) Expr { return args[0].apply(op) }}, true
}

// rowConstructor makes a function of several numbers.
func rowConstructor(row *atom.Reduce) constructor {
	out := constructor{op: row.Name, args: 1}
	switch {
	case row == atom.Inner || row.Places != atom.Together:
		out.args = 2
	case row.Extremes != nil && !row.HasParameters:
		out.args = -1
	}
	if row.HasParameters {
		out.data = -1
	}
	out.make = func(args []Expr, data []float64) Expr {
		if row.HasParameters && row != atom.WeightedGeoMean && len(data) != 1 {
			return failed("%s with %d numbers, want 1", row.Name, len(data))
		}
		if row == atom.Inner {
			return Inner(args[0], args[1])
		}
		if row.Places == atom.FirstBehind {
			args = []Expr{args[1], args[0]}
		}
		if row.Places != atom.Together && args[0].Len() != 1 {
			place := "first"
			if row.Places == atom.FirstBehind {
				place = "last"
			}
			return failed("%s of a %s argument of shape %v, want a number", row.Name, place, args[0].Shape())
		}
		return joined(args).groups(func(a expr.Array) expr.Scalar { return rule.ApplyRow(row, data, a) })
	}
	return out
}

// atomLists are the lists of the other atoms.
func atomLists() [5]func() []constructor {
	return [...]func() []constructor{normAtoms, powerAtoms, productAtoms, matrixAtoms, smoothAtoms}
}

// Args are the arguments of a node as expressions. Package ccp/global and the printer call it.
func Args(n *expr.Node) (out []Expr) {
	for _, a := range n.Args() {
		out = append(out, Expr{arr: a})
	}
	return out
}

// Interval is the set of numbers from Lo to Hi, which may be infinite.
// Operations round outward, and not at all where the result is exact.
type Interval = interval.Interval

// Smooth is a function of your own of one number, with a first and a second derivative, as Sin is
// one: it may be applied to affine and other smooth functions, in any place where a sine may stand.
// bends returns an interval that has all second derivatives over an interval, which may be
// infinite: the split rests on it, and with too small a one CCP may rise. All functions must be
// safe for several goroutines. The name is for messages.
func Smooth(
	name string, f, slope, second func(u float64) float64, bends func(i Interval) Interval,
) func(u Expr) Expr {
	if f == nil || slope == nil || second == nil || bends == nil {
		return func(Expr) Expr { return failed("%s lacks a function", name) }
	}
	within := func(i Interval) Interval {
		if b := bends(i); b.Lo <= b.Hi {
			return b
		}
		return interval.Whole // it is none
	}
	of := func(f func(float64) float64) func(u, p float64) float64 {
		return func(u, _ float64) float64 { return f(u) }
	}
	// near is f over i by the middle and the most that its derivative, in d, can do.
	near := func(f func(float64) float64, i, d Interval) Interval {
		if !i.IsFinite() || !d.IsFinite() {
			return interval.Whole
		}
		mid := i.Lo + (i.Hi-i.Lo)/2
		v := f(mid)
		if !num.Finite(v) {
			return interval.Whole
		}
		around := interval.Image(interval.Point(v), func(v float64) float64 { return v }, true, oracleRoundings)
		return around.Add(i.Add(interval.Point(-mid)).Mul(d))
	}
	slopes := func(i Interval, _ float64) Interval { return near(slope, i, within(i)) }
	row := &atom.Curve{
		Name:   name,
		Value:  atom.Part{At: of(f), Over: func(i Interval, p float64) Interval { return near(f, i, slopes(i, p)) }},
		Slope:  atom.Part{At: of(slope), Over: slopes},
		Second: atom.Part{At: of(second), Over: func(i Interval, _ float64) Interval { return within(i) }},
	}
	return func(u Expr) Expr {
		return u.each(func(e expr.Scalar) expr.Scalar { return expr.ApplyCurve(expr.CurveOf(row, 0), e) })
	}
}

// oracleRoundings bounds the error of values of functions of others, in units in the last place.
// Source: a plausible size; nothing is known of them.
const oracleRoundings = 16

// Mul returns x·y. Affine functions are multiplied by polarisation, see Inner.
// Other factors are written as P − Q + l with convex P, Q ≥ 0 and an affine l,
// and the products are split one by one: of P and Q by 2PQ = (P + Q)² − P² − Q²,
// of P and l by the bounds of l or, where it has none, by l = l₊ − (−l)₊. An affine x that
// stands in a logarithm of y, as in x·log(x/z), gives entropies and divergences.
//
//	arguments  x, y: arrays, entry by entry
//	curvature  DC; convex or concave where one factor is a multiple of the other
//	sign       any; nonnegative or nonpositive where one factor is a multiple of the other
//	monotone   x: none, by sign where y is a multiple of x; y: none
//	domain     all
//	takes      any with a split whose product has one
//	refuses    factors without a bound that the split needs
//	form       quadratic
//	source     Horst and Thoai 1999, section 2
func Mul(x, y Expr) Expr { return pairwise("product", x, y, rule.TimesOf) }

// Inner is the sum of uₖ·vₖ: uv = ((αu + v/α)² − (αu − v/α)²)/4, with an α that
// gives both factors ranges of one width.
//
//	arguments  u, v: arrays with as many entries
//	curvature  DC
//	sign       any
//	monotone   u: none; v: none
//	domain     all
//	takes      any whose products have splits
//	refuses    arrays with another number of entries
//	form       quadratic
//	source     Horst and Thoai 1999, section 2
func Inner(u, v Expr) Expr {
	switch err := errors.Join(u.Err(), v.Err()); {
	case err != nil:
		return wrong(err)
	case u.Len() != v.Len():
		return failed("inner product of shapes %v and %v", u.arr.Shape, v.arr.Shape)
	}
	return number(rule.InnerOf(u.list(), v.list()))
}

func productAtoms() []constructor {
	return []constructor{
		{op: "mul", args: 2, make: ofTwo(Mul)},
		{op: "quotient", args: 2, make: ofTwo(Quotient)},
		{op: "cost", args: 2, make: func([]Expr, []float64) Expr {
			return failed("costs are stated by Model.AddCost")
		}},
		{op: "sum", args: 1, make: of(Expr.Sum)},
	}
}

// Quotient is u/v. Where the sign of v follows from the bounds of the variables it is
// u·InvPos(v) or −u·InvPos(−v). Where not, or where these have no split, it has none near
// v = 0, see linearised.
//
//	arguments  u, v: arrays, entry by entry
//	curvature  DC
//	sign       any
//	monotone   u: none; v: none
//	domain     v ≠ 0
//	takes      any of which u·InvPos(v) has a split; smooth ones, where the quotient stands in sums or smooth functions
//	refuses    v = 0; others
//	form       none of its own
//	source     Horst and Thoai 1999, section 2; Nocedal and Wright 2006, section 18.1
func Quotient(u, v Expr) Expr { return pairwise("quotient", u, v, rule.QuotientOf) }
