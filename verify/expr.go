package verify

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// op is an operation of an expression.
type op uint8

const (
	opConst op = iota // num
	opVar             // variable k
	opSum             // Σ weights·args
	opMul             // of two
	opPower           // args[0] to the power num
	opCurve           // the row k of curves, with parameter num
	opMax
	opNorm    // the norm with exponent num
	opLSE     // log Σ exp
	opLargest // the sum of the k largest
	opGeo     // Π argsᵂ, W the weights
	opQuadOver
	opKL
	// Of a matrix of k rows, symmetric up to opLogDet.
	opEigen // the sum of the largest eigenvalues, as many as num
	opLogDet
	opMatFrac // trace of XᵀP⁻¹X: P first, num columns of X
	opRoots   // the sum of the singular values of a matrix with k columns
	opComplex // the two parts of a number, see complex.go
)

// expr is an expression of the variables.
type expr struct {
	op      op
	num     float64
	off     float64 // how far a number that is computed of data may be from the compiler's
	k       int
	args    []*expr
	weights []float64
	sum     *sum // see summands
}

// sum is the sum of weights times variables and functions, and c.
type sum struct {
	terms  []weighted
	coefs  map[int]safe.Span // the weights of variables
	c      safe.Span
	affine bool // there are no functions
}

// weighted is w·e.
type weighted struct {
	e *expr
	w safe.Span
}

func number(v float64) *expr { return &expr{op: opConst, num: v} }

// computed is a number of data. An operation in float64 is off by rounding errors.
func computed(v, off float64) *expr {
	if !(off < math.Inf(1)) {
		off = 0 // it is no number
	}
	return &expr{op: opConst, num: v, off: off}
}

func (e *expr) isConst() bool { return e.op == opConst }

// isNone reports whether an expression is of data outside a domain.
func (e *expr) isNone() bool { return e.isConst() && math.IsNaN(e.num) }

// isNumber reports whether an expression is a number that float64 arithmetic has to all its digits.
func (e *expr) isNumber() bool { return e.isConst() && !(e.off > rounding(1)*math.Abs(e.num)) }

// fixed is the value of an expression without variables, where it has one.
func (e *expr) fixed() (v safe.Span, ok bool) {
	switch {
	case e.isConst():
		return safe.Just(e.num), true
	case e.varies():
		return v, false
	}
	b, outside, err := enclose(e, newValues(nil, false))
	if ok = outside == "" && err == nil; ok {
		v = b.Span()
	}
	return v, ok
}

func (e *expr) varies() bool { return e.op == opVar || slices.ContainsFunc(e.args, (*expr).varies) }

// affine is the coefficients and the constant of an affine function.
func affine(e *expr) (coefs map[int]safe.Span, c safe.Span, ok bool) {
	s := e.summands()
	return s.coefs, s.c, s.affine
}

// summands is an expression as a sum, with the weights of each variable and function added up.
// Shared parts are looked at once.
func (e *expr) summands() *sum {
	if e.sum != nil {
		return e.sum
	}
	s := &sum{coefs: map[int]safe.Span{}, affine: true}
	weights := map[*expr]safe.Span{}
	var order []*expr
	var visit func(e *expr)
	visit = func(e *expr) {
		if _, seen := weights[e]; !seen {
			weights[e] = safe.Span{}
			for _, t := range e.inner() {
				visit(t.e)
			}
			order = append(order, e)
		}
	}
	visit(e)
	weights[e] = safe.Just(1)
	for _, o := range slices.Backward(order) {
		inner, w := o.inner(), weights[o]
		for _, t := range inner {
			weights[t.e] = weights[t.e].Plus(w.Times(t.w))
		}
		if v, ok := o.fixed(); ok {
			s.c = s.c.Plus(w.Times(v))
		} else if len(inner) == 0 {
			s.terms = append(s.terms, weighted{o, w})
			if o.op == opVar {
				s.coefs[o.k] = w
			}
			s.affine = s.affine && o.op == opVar
		}
	}
	e.sum = s
	return s
}

// inner are the terms of a sum, and the one of a product with a number.
func (e *expr) inner() (terms []weighted) {
	switch e.op {
	case opSum:
		for k, a := range e.args {
			terms = append(terms, weighted{a, safe.Just(e.weights[k])})
		}
	case opMul:
		for k, a := range e.args {
			if w, ok := a.fixed(); ok && len(terms) == 0 {
				terms = append(terms, weighted{e.args[1-k], w})
			}
		}
	}
	return terms
}

func (e *expr) ofNothing() bool {
	if len(e.args) == 1 && e.op == opSum {
		e = e.args[0]
	}
	return len(e.args) == 0 && (e.op == opLSE || e.op >= opEigen && e.op < opComplex)
}

// sumOf is Σ w·e, with constants and sums of sums put together where no rounding comes of it.
func sumOf(es []*expr, ws []float64) *expr {
	if anyComplex(es) {
		return parts(es, func(es []*expr) *expr { return total(es, ws) })
	}
	out := &expr{op: opSum}
	c, off := 0.0, 0.0
	for k, e := range es {
		w := ws[k]
		switch {
		case math.IsNaN(w) || e.isNone():
			return number(math.NaN())
		case w == 0:
		case e.isConst() && (w == 1 || w == -1) && (c == 0 || e.num == 0):
			c, off = c+w*e.num, off+e.off
		case e.op == opSum && (w == 1 || w == -1):
			for i, a := range e.args {
				out.args, out.weights = append(out.args, a), append(out.weights, w*e.weights[i])
			}
		default:
			out.args, out.weights = append(out.args, e), append(out.weights, w)
		}
	}
	if c != 0 || off != 0 {
		out.args, out.weights = append(out.args, computed(c, off)), append(out.weights, 1)
	}
	switch {
	case len(out.args) == 0:
		return number(0)
	case len(out.args) == 1 && out.weights[0] == 1:
		return out.args[0]
	}
	return out
}

func scaled(w float64, e *expr) *expr {
	if e.isConst() {
		return total([]*expr{e}, []float64{w})
	}
	return sumOf([]*expr{e}, []float64{w})
}

func product(a, b *expr) *expr {
	switch {
	case a.isNumber():
		return scaled(a.num, b)
	case b.isNumber():
		return scaled(b.num, a)
	case a.isComplex() || b.isComplex():
		return complexProduct(a, b)
	}
	return &expr{op: opMul, args: []*expr{a, b}}
}

func raised(e *expr, p float64) *expr {
	switch {
	case e.isComplex():
		safe.Fail("powers of complex numbers are not checked")
	case p == 0:
		return number(1)
	case p == 1:
		return e
	case e.isConst():
		if of := folded(&expr{op: opPower, num: p, args: []*expr{e}}); e.off > 0 && !math.IsNaN(of.num) {
			return of
		}
		return number(math.Pow(e.num, p))
	case p == 0.5:
		if es := e.lengths(); es != nil {
			return &expr{op: opNorm, num: 2, args: es}
		}
	}
	return &expr{op: opPower, num: p, args: []*expr{e}}
}

// lengths are expressions whose squares a sum adds up, the root of a number without rounding it;
// nil: the sum has other terms.
func (e *expr) lengths() (es []*expr) {
	if e.op != opSum {
		return nil
	}
	for k, a := range e.args {
		switch {
		case e.weights[k] != 1:
			return nil
		case a.isConst() && a.num > 0:
			es = append(es, &expr{op: opPower, num: 0.5, args: []*expr{a}})
		case a.op == opPower && a.num == 2:
			es = append(es, a.args[0])
		default:
			return nil
		}
	}
	return es
}

// treeNode is an expression, its arguments by their numbers.
type treeNode struct {
	Op      string    `json:"op"`
	Num     float64   `json:"num,omitempty"`
	Var     int       `json:"var,omitempty"`
	Count   int       `json:"count,omitempty"`
	Args    []int     `json:"args,omitempty"`
	Weights []float64 `json:"weights,omitempty"`
}

// name is that in a tree, "" for none.
func (e *expr) name() string {
	if e.op == opCurve {
		return safe.Curves[e.k].Name
	}
	return opNames[e.op]
}

// opNames are the names in a tree, but those of curves.
var opNames = map[op]string{
	opConst: "const", opVar: "var", opSum: "sum", opMul: "mul", opPower: "power",
	opMax: "max", opNorm: "norm", opLSE: "lse",
	opLargest: "largest", opGeo: "geo", opQuadOver: "quadover", opKL: "kl",
}

// WriteTree writes the problem as a list of nodes in JSON, {"maximize", "nodes", "objective", "lo",
// "hi", "rows"}: each node after its arguments, null for no bound. It is for other solvers.
// Functions of matrices are an error.
func (p *Problem) WriteTree(w io.Writer) (err error) {
	defer safe.Catch(&err)
	nodes := []treeNode{}
	known := map[*expr]int{}
	var put func(e *expr) int
	put = func(e *expr) int {
		if k, ok := known[e]; ok {
			return k
		}
		n := treeNode{Op: e.name(), Num: e.num, Weights: e.weights}
		switch e.op {
		case opVar:
			n.Var = e.k
		case opLargest:
			n.Count = e.k
		}
		for _, a := range e.args {
			n.Args = append(n.Args, put(a))
		}
		if n.Op == "" || math.IsInf(n.Num, 0) || math.IsNaN(n.Num) {
			safe.Fail("%v has no place in a tree, or the number %g", e, n.Num)
		}
		known[e] = len(nodes)
		nodes = append(nodes, n)
		return known[e]
	}
	finite := func(side float64) *float64 {
		if math.IsInf(side, 0) {
			return nil
		}
		return &side
	}
	rows, lo, hi := []map[string]any{}, []*float64{}, []*float64{}
	for _, r := range p.rows {
		rows = append(rows, map[string]any{"node": put(r.e), "lo": finite(r.sides.Lo), "hi": finite(r.sides.Hi)})
	}
	for _, b := range p.box {
		lo, hi = append(lo, finite(b.Lo)), append(hi, finite(b.Hi))
	}
	objective := put(p.objective)
	return json.NewEncoder(w).Encode(map[string]any{
		"maximize": p.Maximize, "nodes": nodes, "objective": objective, "lo": lo, "hi": hi, "rows": rows,
	})
}
