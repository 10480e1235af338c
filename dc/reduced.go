//go:build !lean

package dc

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// The constants bound the work of ReducedRange: an equation or a constraint with more
// variables, and a polynomial with more terms, are left as they are.
// Source: limits of time; a range beyond is wider, and proves less.
const (
	mostReduced   = 16
	mostMonomials = 400
)

// ReducedRange is an interval that holds the values of c, a DC constraint of p, at all points
// within the bounds that meet the affine equations exactly. Equations of few variables
// are solved for one of them, where that is possible without rounding, and put into c as
// it is written; equal functions cancel then, and the polynomial part is added up in rational
// numbers: with x = y, the range of x² − y² is {0}. An interval that ends above 0 proves that
// no point meets c and the equations.
func (p *Problem) ReducedRange(c *Constraint) Interval {
	r := c.E().Range()
	if len(c.Support()) > mostReduced {
		return r
	}
	e, ok := reduction(p.reduced()).into(c.function())
	if !ok {
		return r
	}
	o := e.polynomialRange()
	return interval.New(max(r.Lo, o.Lo), min(r.Hi, o.Hi))
}

// reduction has the variables that equations give, as affine functions of others.
type reduction map[int]Linear

// reduce goes through the affine equations in order. The variable of an equation is replaced in
// those before it.
func (p *Problem) reduce() map[int]Linear {
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
			j, by, ok := l.solved(c.Lo[k])
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

// solved solves l = v for the variable with the largest coefficient of those for which no
// operation rounds.
func (l Linear) solved(v float64) (j int, by Linear, ok bool) {
	order := make([]int, len(l.Idx))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(l.Val[b]), math.Abs(l.Val[a])) })
	c, exact := exactSum(v, -l.Const)
	for _, at := range order {
		a := l.Val[at]
		by, ok := Linear{of: l.of}, exact && a != 0
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
	return 0, Linear{}, false
}

// exactSum is a + b, and whether it is exact: Knuth's TwoSum.
func exactSum(a, b float64) (float64, bool) {
	s := a + b
	t := s - a
	return s, (a-(s-t))+(b-t) == 0 && finite(s)
}

// inLinear replaces the given variables in l; ok is false where that rounds.
func (r reduction) inLinear(l Linear) (out Linear, ok bool) {
	coefficients := map[int]float64{}
	out = Linear{Const: l.Const, of: l.of, lost: l.lost}
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
		out.of = out.of.join(by.of)
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
func (r reduction) into(e scalar) (out scalar, ok bool) {
	lin, terms := e.Written()
	if lin, ok = r.inLinear(lin); !ok {
		return scalar{}, false
	}
	parts := []scalar{{lin: lin, of: e.owner()}}
	for _, t := range terms {
		if _, known := findAtom(t.Node.Op()); !known {
			return scalar{}, false
		}
		args := t.Node.Args()
		for k := range args {
			if args[k], ok = r.intoArray(args[k]); !ok {
				return scalar{}, false
			}
		}
		parts = append(parts, Apply(t.Node.Op(), t.Node.Data(), args...).one().Scale(t.Weight))
	}
	out = sumExprs(parts)
	return out, out.err == nil
}

func (r reduction) intoArray(a Expr) (Expr, bool) {
	es := slices.Clone(a.scalars())
	for k := range es {
		var ok bool
		if es[k], ok = r.into(es[k]); !ok {
			return a, false
		}
	}
	out := arrayOf(a.shape, es)
	out.of = out.of.join(a.of)
	return out, out.err == nil
}

// monomial is a product of variables, each as often as it stands there, in order.
type monomial string

// polynomial has the coefficients of its monomials.
type polynomial struct {
	of    map[monomial]*big.Rat
	vars  map[monomial][]int
	space *space
}

func newPolynomial(of *space) *polynomial {
	return &polynomial{map[monomial]*big.Rat{}, map[monomial][]int{}, of}
}

func (p *polynomial) add(vars []int, c *big.Rat) {
	key := make([]byte, 0, 8*len(vars))
	for _, j := range vars {
		for s := 0; s < 64; s += 8 {
			key = append(key, byte(j>>s))
		}
	}
	m := monomial(key)
	if p.of[m] == nil {
		p.of[m], p.vars[m] = new(big.Rat), vars
	}
	p.of[m].Add(p.of[m], c)
}

func (p *polynomial) addScaled(w *big.Rat, o *polynomial) {
	for m, c := range o.of {
		p.add(o.vars[m], new(big.Rat).Mul(w, c))
	}
}

func (p *polynomial) times(o *polynomial) (*polynomial, bool) {
	out := newPolynomial(p.space)
	if len(p.of)*len(o.of) > mostMonomials {
		return nil, false
	}
	for m, c := range p.of {
		for n, d := range o.of {
			vars := slices.Concat(p.vars[m], o.vars[n])
			slices.Sort(vars)
			out.add(vars, new(big.Rat).Mul(c, d))
		}
	}
	return out, true
}

// rational is v exactly; ok is false where it is no number.
func rational(v float64) (*big.Rat, bool) {
	r := new(big.Rat).SetFloat64(v)
	return r, r != nil
}

func (l Linear) polynomial() (*polynomial, bool) {
	p := newPolynomial(l.of)
	c, ok := rational(l.Const)
	if !ok {
		return nil, false
	}
	p.add(nil, c)
	for k, j := range l.Idx {
		w, ok := rational(l.Val[k])
		if !ok {
			return nil, false
		}
		p.add([]int{j}, w)
	}
	return p, true
}

// polynomial is e as one, where it is one of few monomials.
func (e scalar) polynomial() (*polynomial, bool) {
	p, rest, ok := e.parted()
	return p, ok && len(rest) == 0
}

// parted parts e, as it is written, into a polynomial and other terms.
func (e scalar) parted() (p *polynomial, rest []term, ok bool) {
	lin, _ := e.Written()
	if p, ok = lin.polynomial(); !ok {
		return nil, nil, false
	}
	p.space = e.owner()
	for _, t := range e.terms {
		_, nodes := scalar{terms: []term{t}, of: e.of}.Written()
		sum := newPolynomial(p.space)
		known := true
		for _, n := range nodes {
			w, finite := rational(n.Weight)
			q, isOne := n.Node.polynomial()
			if known = known && finite && isOne; !known {
				break
			}
			sum.addScaled(w, q)
		}
		if known && len(sum.of) <= mostMonomials {
			one, _ := rational(1)
			p.addScaled(one, sum)
		} else {
			rest = append(rest, t)
		}
	}
	return p, rest, true
}

// polynomial is the atom as one.
func (n *Node) polynomial() (*polynomial, bool) {
	if n.row != nil && n.row.Products != nil {
		return sumOfProducts(n.row, n.numbers())
	}
	c := n.curve
	if c.row == nil {
		c = curve{row: atom.Find(n.op), p: n.num}
	}
	if c.row == nil || c.row.Exponent == nil {
		return nil, false
	}
	u := n.args[0].entry(0)
	e, nonnegative := c.row.Exponent(c.p)
	if nonnegative && !(u.Range().Lo >= 0) {
		return nil, false
	}
	return u.polynomialPower(e)
}

// polynomialPower is a power of e, whose exponent is a small positive integer.
func (e scalar) polynomialPower(exponent float64) (*polynomial, bool) {
	if exponent != math.Trunc(exponent) || exponent < 1 || exponent > mostReduced {
		return nil, false
	}
	u, ok := e.polynomial()
	p := u
	for k := 1; k < int(exponent) && ok; k++ {
		p, ok = p.times(u)
	}
	return p, ok
}

// sumOfProducts is a row of numbers as a polynomial.
func sumOfProducts(row *atom.Reduce, numbers []scalar) (sum *polynomial, ok bool) {
	one, _ := rational(1)
	for _, factors := range row.Products(len(numbers)) {
		var product *polynomial
		for _, f := range factors {
			p, ok := numbers[f.Entry].polynomialPower(f.Power)
			if ok && product != nil {
				p, ok = product.times(p)
			}
			if !ok {
				return nil, false
			}
			product = p
		}
		if sum == nil {
			sum = newPolynomial(product.space)
		}
		sum.addScaled(one, product)
	}
	return sum, sum != nil
}

// polynomialRange is Range where the polynomial part is added up exactly before.
func (e scalar) polynomialRange() Interval {
	p, rest, ok := e.parted()
	if !ok {
		return e.Range()
	}
	i := p.over()
	for _, t := range rest {
		i = i.Add(rangeOf(t.f).Scale(t.w))
	}
	return i
}

// over is an interval that holds the values of p within the bounds.
func (p *polynomial) over() Interval {
	i := point(0)
	for m, c := range p.of {
		if c.Sign() == 0 {
			continue
		}
		v, exact := c.Float64()
		w := interval.New(v, v)
		if !exact {
			w = interval.New(num.Down(v), num.Up(v))
		}
		i = i.Add(w.Mul(p.space.power(p.vars[m])))
	}
	return i
}

// power is an interval that holds a product of variables, equal ones next to each other.
func (s *space) power(vars []int) Interval {
	i := point(1)
	for k := 0; k < len(vars); {
		n := k
		for n < len(vars) && vars[n] == vars[k] {
			n++
		}
		x := s.interval(vars[k])
		if (n-k)%2 == 1 {
			i = i.Mul(x)
		}
		for range (n - k) / 2 {
			i = i.Mul(x.Square())
		}
		k = n
	}
	return i
}
