package program

import (
	"math"
	"math/big"
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// monomial is a product of variables, each as often as it stands there, in order.
type monomial string

// polynomial has the coefficients of its monomials.
type polynomial struct {
	of    map[monomial]*big.Rat
	vars  map[monomial][]int
	space *convex.Space
}

func newPolynomial(of *convex.Space) *polynomial {
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

func linearPolynomial(l convex.Linear) (*polynomial, bool) {
	p := newPolynomial(l.Of)
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

// polynomialOf is e as one, where it is one of few monomials.
func polynomialOf(e expr.Scalar) (*polynomial, bool) {
	p, rest, ok := polynomialPart(e)
	return p, ok && len(rest) == 0
}

// polynomialPart parts e, as it is written, into a polynomial and other terms.
func polynomialPart(e expr.Scalar) (p *polynomial, rest []expr.Term, ok bool) {
	lin, _ := e.Written()
	if p, ok = linearPolynomial(lin); !ok {
		return nil, nil, false
	}
	p.space = e.Owner()
	for _, t := range e.Terms {
		_, nodes := expr.Scalar{Terms: []expr.Term{t}, Of: e.Of}.Written()
		sum := newPolynomial(p.space)
		known := true
		for _, n := range nodes {
			w, finite := rational(n.Weight)
			q, isOne := nodePolynomial(&n.Node)
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

// nodePolynomial is the atom as one.
func nodePolynomial(n *expr.Node) (*polynomial, bool) {
	if n.Row != nil && n.Row.Products != nil {
		return sumOfProducts(n.Row, n.Numbers())
	}
	c := n.Curve
	if c.Row == nil || c.Row.Exponent == nil {
		return nil, false
	}
	u := n.Numbers()[0]
	e, nonnegative := c.Row.Exponent(c.P)
	if nonnegative && !(u.Over().Lo >= 0) {
		return nil, false
	}
	return polynomialPower(u, e)
}

// polynomialPower is a power of e, whose exponent is a small positive integer.
func polynomialPower(e expr.Scalar, exponent float64) (*polynomial, bool) {
	if exponent != math.Trunc(exponent) || exponent < 1 || exponent > mostReduced {
		return nil, false
	}
	u, ok := polynomialOf(e)
	p := u
	for k := 1; k < int(exponent) && ok; k++ {
		p, ok = p.times(u)
	}
	return p, ok
}

// sumOfProducts is a row of numbers as a polynomial.
func sumOfProducts(row *atom.Reduce, numbers []expr.Scalar) (sum *polynomial, ok bool) {
	one, _ := rational(1)
	for _, factors := range row.Products(len(numbers)) {
		var product *polynomial
		for _, f := range factors {
			p, ok := polynomialPower(numbers[f.Entry], f.Power)
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
func polynomialRange(e expr.Scalar) interval.Interval {
	p, rest, ok := polynomialPart(e)
	if !ok {
		return e.Over()
	}
	i := p.Over()
	for _, t := range rest {
		i = i.Add(convex.RangeOf(t.F).Scale(t.W))
	}
	return i
}

// Over is an interval that holds the values of p within the bounds.
func (p *polynomial) Over() interval.Interval {
	i := interval.Point(0)
	for m, c := range p.of {
		if c.Sign() == 0 {
			continue
		}
		v, exact := c.Float64()
		w := interval.New(v, v)
		if !exact {
			w = interval.New(num.Down(v), num.Up(v))
		}
		i = i.Add(w.Mul(power(p.space, p.vars[m])))
	}
	return i
}

// power is an interval that holds a product of variables, equal ones next to each other.
func power(s *convex.Space, vars []int) interval.Interval {
	i := interval.Point(1)
	for k := 0; k < len(vars); {
		n := k
		for n < len(vars) && vars[n] == vars[k] {
			n++
		}
		x := s.Interval(vars[k])
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

// The constants bound the work of ReducedRange: an equation or a constraint with more
// variables, and a polynomial with more terms, are left as they are.
// Source: limits of time; a range beyond is wider, and proves less.
const (
	mostReduced   = 16
	mostMonomials = 400
)
