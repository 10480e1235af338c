package exact

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Unit is the rounding error of one float64 operation, relative to its result.
const Unit = 0x1p-53

// Ulps is the error of a function of the mathematical library, in units in the last place.
const Ulps = 4

// errRange says that a value is beyond the range of the numbers here, of any precision.
var errRange = errors.New("judge: a value is out of range")

// A DomainError says which function has no value at a point.
type DomainError struct{ Expr string }

func (e *DomainError) Error() string { return "outside the domain of " + e.Expr }

// Value is the value of an expression in Precision bits, and Err a bound on the
// error of a float64 evaluation of the same expression in the order in which
// it is written (a running error bound: each operation adds a unit of its
// result, functions 4, to the effect of the errors of their arguments).
type Value struct{ V, Err *big.Float }

// Evaluator evaluates expressions at one point.
type Evaluator struct {
	*Arith
	x     []*big.Float
	known map[*Node]Value
	// overflow: some value does not fit into a float64.
	Overflow bool
}

// NewEvaluator evaluates at x.
func NewEvaluator(a *Arith, x []float64) *Evaluator {
	ev := &Evaluator{Arith: a, x: make([]*big.Float, len(x)), known: make(map[*Node]Value)}
	for k, v := range x {
		ev.x[k] = a.Of(v)
	}
	return ev
}

// Bounded is a zero for errors: few bits, rounded up.
func Bounded() *big.Float { return new(big.Float).SetPrec(64).SetMode(big.ToPositiveInf) }

// rounded is a value with the given error and the error of its own rounding.
func (ev *Evaluator) rounded(v, err *big.Float, units float64) Value {
	if v.Sign() != 0 && v.MantExp(nil) > 1023 {
		ev.Overflow = true
	}
	own := Bounded().SetFloat64(units * Unit)
	own.Mul(own, Bounded().Abs(v))
	own.Add(own, Bounded().SetFloat64(math.SmallestNonzeroFloat64)) // underflow
	return Value{v, own.Add(own, err)}
}

// farAway stands for an error without bound; big.Float has no NaN to fear here.
func farAway() *big.Float { return Bounded().SetMantExp(big.NewFloat(1), 1<<24) }

// Eval is the value of n; the error is a *DomainError or errRange.
func (ev *Evaluator) Eval(n *Node) (Value, error) {
	switch n.Op {
	case OpConst:
		return Value{ev.Of(n.Num), Bounded()}, nil
	case OpVar:
		return Value{ev.x[n.K], Bounded()}, nil
	}
	if v, ok := ev.known[n]; ok {
		return v, nil
	}
	v, err := ev.apply(n)
	if err == nil {
		ev.known[n] = v
	}
	return v, err
}

// apply is the value of a node with arguments.
func (ev *Evaluator) apply(n *Node) (Value, error) {
	args := make([]Value, len(n.Args))
	for k, a := range n.Args {
		v, err := ev.Eval(a)
		if err != nil {
			return v, err
		}
		args[k] = v
	}
	switch {
	case n.Op == OpAdd:
		return ev.Sum(args), nil
	case n.Op == OpMul:
		return ev.product(args[0], args[1]), nil
	case n.Op == OpDiv:
		return ev.quotient(n, args)
	case n.Op == OpMax:
		return ev.largest(args, 1), nil
	case n.Op == OpMin:
		return ev.largest(args, -1), nil
	case n.Op == OpKL: // x log(x/z) - x + z cancels where x is near z
		v, err := ev.corners(n, args, func(v []*big.Float) (*big.Float, bool) { return ev.kl(v[0], v[1]) })
		if err == nil {
			own := Bounded().Add(Bounded().Abs(args[0].V), Bounded().Abs(args[1].V))
			v.Err.Add(v.Err, own.Mul(own, Bounded().SetFloat64(Ulps*Unit)))
		}
		return v, err
	case n.Op == OpQuadOverLin:
		last := len(args) - 1
		square := ev.squares(args[:last])
		return ev.corners(n, []Value{square, args[last]}, func(v []*big.Float) (*big.Float, bool) {
			if v[1].Sign() <= 0 {
				return nil, false
			}
			return ev.quo(v[0], v[1]), true
		})
	case n.Op >= OpLogDet:
		return ev.matrixFunction(n, args)
	case n.Op >= OpNorm1:
		return ev.array(n, args)
	}
	return ev.function(n, args[0])
}

// Sum adds in any order: each of the partial sums is at most the sum of the
// absolute values.
func (ev *Evaluator) Sum(args []Value) Value {
	v, err, abs := ev.num(), Bounded(), Bounded()
	for _, a := range args {
		v.Add(v, a.V)
		err.Add(err, a.Err)
		abs.Add(abs, Bounded().Abs(a.V))
	}
	if len(args) > 1 {
		abs.Mul(abs, Bounded().SetFloat64(Unit*float64(len(args)-1)))
		err.Add(err, abs)
	}
	return ev.rounded(v, err, 0)
}

func (ev *Evaluator) product(a, b Value) Value {
	err := Bounded().Mul(Bounded().Abs(a.V), b.Err)
	err.Add(err, Bounded().Mul(Bounded().Abs(b.V), a.Err))
	err.Add(err, Bounded().Mul(a.Err, b.Err))
	return ev.rounded(ev.mul(a.V, b.V), err, 1)
}

// quotient is undefined at 0 alone.
func (ev *Evaluator) quotient(n *Node, args []Value) (Value, error) {
	if args[1].V.Sign() == 0 {
		return Value{}, &DomainError{n.String()}
	}
	if gap := Bounded().Sub(Bounded().Abs(args[1].V), args[1].Err); gap.Sign() <= 0 {
		return Value{ev.quo(args[0].V, args[1].V), farAway()}, nil
	}
	return ev.corners(n, args, func(v []*big.Float) (*big.Float, bool) { return ev.quo(v[0], v[1]), true })
}

// largest is the maximum for sign 1 and the minimum for -1. Arguments that are further
// below it than both errors have no part in its error.
func (ev *Evaluator) largest(args []Value, sign int) Value {
	best := args[0]
	for _, a := range args[1:] {
		if a.V.Cmp(best.V) == sign {
			best = a
		}
	}
	err := Bounded().Set(best.Err)
	for _, a := range args {
		gap := Bounded().Abs(ev.Sub(best.V, a.V))
		if reach := Bounded().Add(best.Err, a.Err); gap.Cmp(reach) <= 0 && a.Err.Cmp(err) > 0 {
			err.Set(a.Err)
		}
	}
	return Value{best.V, err}
}

// squares is the sum of squares.
func (ev *Evaluator) squares(args []Value) Value {
	sq := make([]Value, len(args))
	for k, a := range args {
		sq[k] = ev.product(a, a)
	}
	return ev.Sum(sq)
}

// corners is a function that is monotone or convex in each argument: its
// change over the box of the arguments' errors is the largest at a corner.
func (ev *Evaluator) corners(n *Node, args []Value, f func([]*big.Float) (*big.Float, bool)) (Value, error) {
	at := make([]*big.Float, len(args))
	exact := true
	for k, a := range args {
		at[k] = a.V
		exact = exact && a.Err.Sign() == 0
	}
	y, ok := f(at)
	if !ok {
		return Value{}, &DomainError{n.String()}
	}
	err := Bounded()
	for c := 0; !exact && c < 1<<len(args); c++ {
		for k, a := range args {
			if c>>k&1 == 0 {
				at[k] = ev.add(a.V, a.Err)
			} else {
				at[k] = ev.Sub(a.V, a.Err)
			}
		}
		z, ok := f(at)
		if !ok {
			err = farAway() // the error reaches the end of the domain
			break
		}
		if d := Bounded().Abs(ev.Sub(z, y)); d.Cmp(err) > 0 {
			err = d
		}
	}
	return ev.rounded(y, err, Ulps), nil
}

// function is a function of one number.
func (ev *Evaluator) function(n *Node, a Value) (Value, error) {
	var f func(*big.Float) (*big.Float, bool)
	plain := func(g func(*big.Float) *big.Float) func(*big.Float) (*big.Float, bool) {
		return func(v *big.Float) (*big.Float, bool) { return g(v), true }
	}
	switch n.Op {
	case OpAbs:
		return Value{ev.Abs(a.V), a.Err}, nil
	case OpPos:
		return ev.largest([]Value{a, {ev.num(), Bounded()}}, 1), nil
	case OpSquare:
		return ev.product(a, a), nil
	case OpHuber:
		f = plain(func(v *big.Float) *big.Float { return ev.huber(v, n.Num) })
	case OpPow:
		f = func(v *big.Float) (*big.Float, bool) { return ev.pow(v, n.Num) }
	case OpSqrt:
		f = ev.sqrt
	case OpExp:
		if v, _ := a.V.Float64(); !(v < expLimit) {
			return Value{}, errRange
		}
		f = ev.exp
	case OpLog:
		f = ev.log
	case OpEntr:
		f = ev.entr
	case OpLogistic:
		f = ev.logistic
	case OpInvPos:
		f = func(v *big.Float) (*big.Float, bool) { return ev.pow(v, -1) }
		if a.V.Sign() <= 0 {
			return Value{}, &DomainError{n.String()}
		}
	default:
		return Value{}, fmt.Errorf("judge: no function of one number: op %d", n.Op)
	}
	if n.Op == OpPow && !(n.Num > 0 && n.Num == math.Trunc(n.Num)) && a.V.Sign() < 0 {
		return Value{}, &DomainError{n.String()} // x^-2 has the domain x > 0
	}
	return ev.corners(n, []Value{a}, func(v []*big.Float) (*big.Float, bool) { return f(v[0]) })
}

// huber is v^2 up to abs(v) = m, and 2 m abs(v) - m^2 beyond.
func (ev *Evaluator) huber(v *big.Float, m float64) *big.Float {
	if abs := ev.Abs(v); abs.Cmp(ev.Of(m)) > 0 {
		twice := ev.Sub(ev.mul(ev.Of(2), abs), ev.Of(m))
		return ev.mul(twice, ev.Of(m))
	}
	return ev.mul(v, v)
}

// array is a function of an array. The errors of its arguments add up at most
// by their sum where it changes no faster than its arguments do.
func (ev *Evaluator) array(n *Node, args []Value) (Value, error) {
	size := make([]Value, len(args))
	for k, a := range args {
		size[k] = Value{ev.Abs(a.V), a.Err}
	}
	switch n.Op {
	case OpNorm1:
		return ev.Sum(size), nil
	case OpNormInf:
		return ev.largest(size, 1), nil
	case OpSumSq:
		return ev.squares(args), nil
	case OpNorm2:
		total := Bounded()
		v := ev.num()
		for _, a := range args {
			v.Add(v, ev.mul(a.V, a.V))
			total.Add(total, a.Err)
		}
		root, _ := ev.sqrt(v)
		return ev.rounded(root, total, Ulps+float64(len(args))), nil
	case OpSumLargest:
		sorted := slices.Clone(args)
		slices.SortFunc(sorted, func(a, b Value) int { return b.V.Cmp(a.V) })
		s := ev.Sum(sorted[:n.K])
		for _, a := range sorted[n.K:] { // which may have taken a place
			if gap := Bounded().Sub(sorted[n.K-1].V, a.V); gap.Cmp(Bounded().Add(a.Err, sorted[n.K-1].Err)) <= 0 {
				s.Err.Add(s.Err, a.Err)
			}
		}
		return s, nil
	case OpLSE:
		return ev.logSumExp(args)
	case OpQuad:
		var terms []Value
		for i, row := range n.Mat {
			for j, q := range row {
				terms = append(terms, ev.product(Value{ev.Of(q), Bounded()}, ev.product(args[i], args[j])))
			}
		}
		return ev.Sum(terms), nil
	case OpGeoMean:
		return ev.geoMean(n, args)
	}
	return Value{}, fmt.Errorf("judge: no function of an array: op %d", n.Op)
}

// logSumExp is the largest plus the logarithm of the sum of e^(v - largest).
func (ev *Evaluator) logSumExp(args []Value) (Value, error) {
	top := ev.largest(args, 1)
	sum, err := ev.num(), Bounded()
	for _, a := range args {
		e, ok := ev.exp(ev.Sub(a.V, top.V))
		if !ok {
			return Value{}, errRange
		}
		sum.Add(sum, e)
		if a.Err.Cmp(err) > 0 {
			err = a.Err
		}
	}
	l, _ := ev.log(sum)
	own := Bounded().Abs(top.V)
	own.Add(own, Bounded().SetFloat64(float64(len(args))))
	own.Mul(own, Bounded().SetFloat64(Ulps*Unit))
	return ev.rounded(ev.add(top.V, l), own.Add(own, err), Ulps), nil
}

// geoMean is the geometric mean, which grows with each argument.
func (ev *Evaluator) geoMean(n *Node, args []Value) (Value, error) {
	mean := func(shift int64) (*big.Float, bool) {
		sum := ev.num()
		for _, a := range args {
			v := ev.add(a.V, ev.mul(ev.num().SetInt64(shift), a.Err))
			if v.Sign() < 0 {
				return nil, false
			}
			if v.Sign() == 0 {
				return ev.num(), true
			}
			l, _ := ev.log(v)
			sum.Add(sum, l)
		}
		return ev.exp(ev.quo(sum, ev.Of(float64(len(args)))))
	}
	y, ok := mean(0)
	if !ok {
		return Value{}, &DomainError{n.String()}
	}
	err := Bounded()
	for _, shift := range []int64{-1, 1} {
		z, ok := mean(shift)
		if !ok {
			z = ev.num() // an argument may be 0 within its error
		}
		if d := Bounded().Abs(ev.Sub(z, y)); d.Cmp(err) > 0 {
			err = d
		}
	}
	return ev.rounded(y, err, Ulps*float64(len(args)+1)), nil
}
