package program

import (
	"cmp"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// ReducedRange is an interval that holds the values of c, a DC constraint of p, at all points
// within the bounds that meet the affine equations exactly. Equations of few variables
// are solved for one of them, where that is possible without rounding, and put into c as
// it is written; equal functions cancel then, and the polynomial part is added up in rational
// numbers: with x = y, the range of x² − y² is {0}. An interval that ends above 0 proves that
// no point meets c and the equations.
func (p *Problem) ReducedRange(c *Constraint) interval.Interval {
	r := c.Function().Over()
	if len(c.Support()) > mostReduced {
		return r
	}
	e, ok := p.into(p.reduced(), c.Function())
	if !ok {
		return r
	}
	o := polynomialRange(e)
	return interval.New(max(r.Lo, o.Lo), min(r.Hi, o.Hi))
}

// reduction has the variables that equations give, as affine functions of others.
type reduction map[int]convex.Linear

// reduce goes through the affine equations in order. The variable of an equation is replaced in
// those before it.
func (p *Problem) reduce() map[int]convex.Linear {
	r := reduction{}
	users := map[int][]int{} // of a variable: the given ones that may depend on it
	for i := range p.Constraints {
		c := &p.Constraints[i]
		if c.DC {
			continue
		}
		for k := range c.Lo {
			if c.Lo[k] != c.Hi[k] {
				continue
			}
			l := c.A.Linear(k)
			if len(l.Idx) > mostReduced {
				continue
			}
			l, ok := r.inLinear(l)
			if !ok || len(l.Idx) > mostReduced {
				continue
			}
			j, by, ok := solvedFor(l, c.Lo[k])
			if !ok {
				continue
			}
			one := reduction{j: by}
			for _, g := range users[j] {
				if was, known := r[g]; known {
					now, ok := one.inLinear(was)
					if !ok || len(now.Idx) > mostReduced {
						delete(r, g) // which is no longer known
						continue
					}
					r[g] = now
					for _, v := range now.Idx {
						users[v] = append(users[v], g)
					}
				}
			}
			r[j] = by
			for _, v := range by.Idx {
				users[v] = append(users[v], j)
			}
		}
	}
	return r
}

// solvedFor solves l = v for the variable with the largest coefficient of those for which no
// operation rounds.
func solvedFor(l convex.Linear, v float64) (j int, by convex.Linear, ok bool) {
	order := make([]int, len(l.Idx))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(l.Val[b]), math.Abs(l.Val[a])) })
	c, exact := exactSum(v, -l.Const)
	for _, at := range order {
		a := l.Val[at]
		by, ok := convex.Linear{Of: l.Of}, exact && a != 0
		if by.Const = c / a; !interval.ExactQuotient(c, a, by.Const) {
			ok = false
		}
		for k, i := range l.Idx {
			if k != at && ok {
				w := -l.Val[k] / a
				ok = interval.ExactQuotient(-l.Val[k], a, w)
				by.Idx, by.Val = append(by.Idx, i), append(by.Val, w)
			}
		}
		if ok {
			return l.Idx[at], by, true
		}
	}
	return 0, convex.Linear{}, false
}

// exactSum is a + b, and whether it is exact: Knuth's TwoSum.
func exactSum(a, b float64) (float64, bool) {
	s := a + b
	t := s - a
	return s, (a-(s-t))+(b-t) == 0 && num.Finite(s)
}

// inLinear replaces the given variables in l; ok is false where that rounds.
func (r reduction) inLinear(l convex.Linear) (out convex.Linear, ok bool) {
	coefficients := map[int]float64{}
	out = convex.Linear{Const: l.Const, Of: l.Of, Lost: l.Lost}
	ok = true
	add := func(to, v float64) float64 {
		s, exact := exactSum(to, v)
		ok = ok && exact
		return s
	}
	for k, j := range l.Idx {
		by, known := r[j]
		if !known {
			coefficients[j] = add(coefficients[j], l.Val[k])
			continue
		}
		out.Of = out.Of.Join(by.Of)
		v, exact := interval.ExactProduct(l.Val[k], by.Const)
		out.Const, ok = add(out.Const, v), ok && exact
		for i, u := range by.Idx {
			v, exact := interval.ExactProduct(l.Val[k], by.Val[i])
			coefficients[u], ok = add(coefficients[u], v), ok && exact
		}
	}
	for j, v := range coefficients {
		if v != 0 {
			out.Idx = append(out.Idx, j)
		}
	}
	slices.Sort(out.Idx)
	for _, j := range out.Idx {
		out.Val = append(out.Val, coefficients[j])
	}
	return out, ok
}

// into replaces the given variables in e as it is written.
func (p *Problem) into(r reduction, e expr.Scalar) (out expr.Scalar, ok bool) {
	lin, terms := e.Written()
	if lin, ok = r.inLinear(lin); !ok {
		return expr.Scalar{}, false
	}
	parts := []expr.Scalar{{Lin: lin, Of: e.Owner()}}
	for _, t := range terms {
		args := t.Node.Args()
		for i := range args {
			es := slices.Clone(args[i].Scalars())
			for k := range es {
				if es[k], ok = p.into(r, es[k]); !ok {
					return expr.Scalar{}, false
				}
			}
			of := args[i].Of
			args[i] = expr.ListOf(args[i].Shape, es)
			args[i].Of = args[i].Of.Join(of)
		}
		f, known := p.atom(t.Node.Op(), t.Node.Data(), args)
		if !known {
			return expr.Scalar{}, false
		}
		parts = append(parts, f.Scale(t.Weight))
	}
	out = expr.SumOf(parts)
	return out, out.Err == nil
}
