package verify

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
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
	opRoots   // the sum of the roots of the eigenvalues
	opComplex // the two parts of a number, see complex.go
)

// expr is an expression of the variables.
type expr struct {
	op      op
	num     float64
	k       int
	args    []*expr
	weights []float64
	lin     *linear // see affine
}

// linear is an affine function; not ok: the expression is none.
type linear struct {
	coefs map[int]span
	c     span
	ok    bool
}

func number(v float64) *expr { return &expr{op: opConst, num: v} }

func (e *expr) isConst() bool { return e.op == opConst }

// fixed is the value of an expression without variables, where it has one.
func (e *expr) fixed() (v span, ok bool) {
	if e.varies() {
		return v, false
	}
	b, outside, err := enclose(e, newValues(nil, false))
	if ok = outside == "" && err == nil; ok {
		v = b.span()
	}
	return v, ok
}

func (e *expr) varies() bool { return e.op == opVar || slices.ContainsFunc(e.args, (*expr).varies) }

// affine is the coefficients and the constant of an affine function. Shared parts are looked at once.
func affine(e *expr) (coefs map[int]span, c span, ok bool) {
	if e.lin != nil {
		return e.lin.coefs, e.lin.c, e.lin.ok
	}
	l := &linear{map[int]span{}, span{}, true}
	add := func(e *expr, w span) {
		if e.op == opVar {
			l.coefs[e.k] = l.coefs[e.k].plus(w)
			return
		}
		coefs, c, ok := affine(e)
		l.c, l.ok = l.c.plus(c.times(w)), l.ok && ok
		for j, v := range coefs {
			l.coefs[j] = l.coefs[j].plus(v.times(w))
		}
	}
	switch e.op {
	case opVar:
		add(e, just(1))
		return l.coefs, l.c, true
	case opConst:
		return nil, just(e.num), true
	case opSum:
		for k, a := range e.args {
			if add(a, just(e.weights[k])); !l.ok {
				break
			}
		}
	case opMul:
		k := slices.IndexFunc(e.args, func(a *expr) bool { return !a.varies() })
		var w span
		if l.ok = k >= 0; l.ok {
			w, l.ok = e.args[k].fixed()
			add(e.args[1-k], w)
		}
	default:
		l.c, l.ok = e.fixed()
	}
	e.lin = l
	return l.coefs, l.c, l.ok
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
	c := 0.0
	for k, e := range es {
		w := ws[k]
		switch {
		case math.IsNaN(w) || e.isConst() && math.IsNaN(e.num):
			return number(math.NaN())
		case w == 0:
		case e.isConst() && (w == 1 || w == -1) && (c == 0 || e.num == 0):
			c += w * e.num
		case e.op == opSum && (w == 1 || w == -1):
			for i, a := range e.args {
				out.args, out.weights = append(out.args, a), append(out.weights, w*e.weights[i])
			}
		default:
			out.args, out.weights = append(out.args, e), append(out.weights, w)
		}
	}
	if c != 0 {
		out.args, out.weights = append(out.args, number(c)), append(out.weights, 1)
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
		return number(w * e.num)
	}
	return sumOf([]*expr{e}, []float64{w})
}

func product(a, b *expr) *expr {
	switch {
	case a.isConst():
		return scaled(a.num, b)
	case b.isConst():
		return scaled(b.num, a)
	case a.isComplex() || b.isComplex():
		return complexProduct(a, b)
	}
	return &expr{op: opMul, args: []*expr{a, b}}
}

func raised(e *expr, p float64) *expr {
	switch {
	case e.isComplex():
		fail("powers of complex numbers are not checked")
	case p == 1:
		return e
	case e.isConst():
		return number(math.Pow(e.num, p))
	}
	return &expr{op: opPower, num: p, args: []*expr{e}}
}

// fault is a reason why a problem or a result cannot be read.
type fault struct{ error }

// caught is the fault that a panic carries; other panics go on. v comes from recover.
func caught(v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case fault:
		return v.error
	case big.ErrNaN:
		return fmt.Errorf("a value is not finite: %s", v.Error())
	}
	panic(v)
}

// catch is to be deferred: it makes a fault an error.
func catch(err *error) {
	if wrong := caught(recover()); wrong != nil {
		*err = wrong
	}
}

func fail(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

// axis is a dimension: its members in order, or nil where it counts from origin.
type axis struct {
	origin  int
	members []member
}

// label is the index k, from 0, as results have it.
func (a *axis) label(k int) any {
	switch {
	case a.members == nil:
		return a.origin + k
	case len(a.members[k]) == 1:
		return a.members[k][0]
	}
	return a.members[k]
}

// member is an element of a set: numbers and words, several for a pair.
type member []any

func (m member) equal(o member) bool { return slices.Equal(m, o) }

// value is an array of expressions, row by row; or a set, or a word.
type value struct {
	shape []int
	axes  []axis // of each dimension
	e     []*expr
	set   []member
	isSet bool
	word  any // a string, or a member with several parts; nil: none
}

func scalar(e *expr) value      { return value{e: []*expr{e}} }
func numeric(v float64) value   { return scalar(number(v)) }
func vector(es []*expr) value   { return array([]int{len(es)}, es) }
func (v *value) isScalar() bool { return len(v.e) == 1 }

func array(shape []int, es []*expr) value {
	v := value{shape: shape, e: es, axes: make([]axis, len(shape))}
	for d := range v.axes {
		v.axes[d].origin = 1
	}
	return v
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > mostWork/unitsEntry/d {
			fail("no array has the shape %v, or it is too large", shape)
		}
		n *= d
	}
	return n
}

// data is the numbers of a value.
func (v *value) data(what string) []float64 {
	out := make([]float64, len(v.e))
	for k, e := range v.e {
		if !e.isConst() {
			fail("%s depends on a variable", what)
		}
		out[k] = e.num
	}
	return out
}

// real is the one number of a value.
func (v *value) real(what string) float64 {
	if v.isSet || v.word != nil || len(v.e) != 1 || !v.e[0].isConst() {
		fail("%s is no number", what)
	}
	return v.e[0].num
}

func (v *value) whole(what string) int {
	x := v.real(what)
	n := int(math.Round(x))
	if math.Abs(x-float64(n)) > 1e-9*max(1, math.Abs(x)) || math.Abs(x) > 1<<53 {
		fail("%s is %g, no whole number", what, x)
	}
	return n
}

// each applies f to every entry.
func (v value) each(f func(*expr) *expr) value {
	es := make([]*expr, len(v.e))
	for k, e := range v.e {
		es[k] = f(e)
	}
	return value{shape: v.shape, axes: v.axes, e: es}
}

// pair applies f entry by entry; an array with one entry goes with any shape.
func pair(a, b value, f func(a, b *expr) *expr) value {
	return together([]value{a, b}, func(es []*expr) *expr { return f(es[0], es[1]) })
}

// together applies f to the entries of values. A single one goes with all.
func together(vs []value, f func(es []*expr) *expr) value {
	long := vs[0]
	for _, v := range vs {
		switch {
		case v.isSet || v.word != nil:
			fail("a set or a word stands where numbers are wanted")
		case len(v.e) == 0:
			return value{shape: v.shape, axes: v.axes}
		case len(v.e) > len(long.e) || len(long.e) == 1 && len(v.shape) > len(long.shape):
			long = v
		}
	}
	out := value{shape: long.shape, axes: long.axes, e: make([]*expr, len(long.e))}
	for k := range out.e {
		es := make([]*expr, len(vs))
		for i, v := range vs {
			if len(v.e) != len(long.e) && len(v.e) != 1 {
				fail("shapes %v and %v differ", long.shape, v.shape)
			}
			es[i] = v.e[min(k, len(v.e)-1)]
		}
		out.e[k] = f(es)
	}
	return out
}

// matrix is the rows and columns of a value, of which a vector is a column.
func (v *value) matrix() (rows, cols int) {
	switch len(v.shape) {
	case 0:
		return 1, 1
	case 1:
		return v.shape[0], 1
	case 2:
		return v.shape[0], v.shape[1]
	}
	fail("an array with %d dimensions is no matrix", len(v.shape))
	return 0, 0
}

// times is the product of the language: of matrices and vectors, which have no direction.
func times(a, b value) value {
	if a.isScalar() || b.isScalar() {
		return pair(a, b, product)
	}
	m, n := a.matrix()
	rows, p := b.matrix()
	var shape []int
	if len(a.shape) == 2 {
		shape = append(shape, m)
	} else {
		m, n = 1, m
	}
	if len(b.shape) == 2 {
		shape = append(shape, p)
	}
	if n != rows {
		fail("no product of shapes %v and %v", a.shape, b.shape)
	}
	out := make([]*expr, m*p)
	for k := range out {
		es := make([]*expr, n)
		for l := range es {
			es[l] = product(a.e[k/p*n+l], b.e[l*p+k%p])
		}
		out[k] = plus(es)
	}
	return array(shape, out)
}

// transpose is that of a matrix; a vector has no direction.
func transpose(v value) value {
	v = v.each(conj)
	if len(v.shape) < 2 {
		return v
	}
	m, n := v.matrix()
	es := make([]*expr, m*n)
	for i := range m {
		for j := range n {
			es[j*m+i] = v.e[i*n+j]
		}
	}
	out := array([]int{n, m}, es)
	out.axes[0], out.axes[1] = v.axes[1], v.axes[0]
	return out
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
		return curves[e.k].name
	}
	return opNames[e.op]
}

// opNames are the names in a tree, but those of curves.
var opNames = map[op]string{
	opConst: "const", opVar: "var", opSum: "sum", opMul: "mul", opPower: "power",
	opMax: "max", opNorm: "norm", opLSE: "lse",
	opLargest: "largest", opGeo: "geo", opQuadOver: "quadover", opKL: "kl",
}

// WriteTree writes the problem as a list of nodes in JSON, {"maximize", "nodes", "objective", "lo", "hi",
// "rows"}: each node after its arguments, null for no bound. It is for other solvers.
// Functions of matrices are an error.
func (p *Problem) WriteTree(w io.Writer) (err error) {
	defer catch(&err)
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
			fail("%v has no place in a tree, or the number %g", e, n.Num)
		}
		known[e] = len(nodes)
		nodes = append(nodes, n)
		return known[e]
	}
	finite := func(side ...float64) (out []*float64) {
		for _, v := range side {
			if out = append(out, &v); math.IsInf(v, 0) {
				out[len(out)-1] = nil
			}
		}
		return out
	}
	rows := []map[string]any{}
	for _, r := range p.rows {
		sides := finite(r.lo, r.hi)
		rows = append(rows, map[string]any{"node": put(r.e), "lo": sides[0], "hi": sides[1]})
	}
	objective := put(p.objective)
	return json.NewEncoder(w).Encode(map[string]any{
		"maximize": p.Maximize, "nodes": nodes, "objective": objective, "lo": finite(p.lo...), "hi": finite(p.hi...), "rows": rows,
	})
}
