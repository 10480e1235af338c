package verify

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// functionOf is a function of one argument, and the least argument of the function.
// odd: it is an odd power, and the function one of the magnitude.
func functionOf(e *expr) (c safe.Function, least float64, odd bool) {
	c = safe.Function{Kind: safe.Kind(e.k), P: e.num}
	if e.op == opPower {
		p := e.num
		whole := p == math.Trunc(p)
		switch {
		case p == 2:
			c.Kind = safe.Square
		case p > 1 && whole:
			c.Kind, odd = safe.Even, math.Mod(p, 2) != 0
		case p > 1:
			c.Kind = safe.PosPower
		default:
			c.Kind = safe.Power
		}
	}
	if least = c.Domain().Lo; c.Kind == safe.PosPower {
		least = 0
	}
	return c, least, odd
}

// curve is a smooth function of one argument.
func (l *lagrangian) curve(e *expr, a safe.Span, w int) {
	c, least, odd := functionOf(e)
	if c.Kind == safe.Square && a.Lo >= 0 {
		coefs, _, ok := affine(e.args[0])
		for j := range coefs {
			if ok && !l.region[j].Finite() {
				u := l.around(e.args[0])
				l.product(&l.shares[w].squares, a, u, u, coefs, coefs, w)
				return
			}
		}
	}
	steep := 0.0
	if !c.Slope(safe.Just(least)).Finite() {
		steep = c.Slope(safe.Just(least + near)).Mid()
	}
	x := l.inside(e.args[0], least, a, steep)
	d := near * max(1, math.Abs(x))
	u, v := c.Domain().Clip(x-d), c.Domain().Clip(x+d)
	l.bend(e.args[0], a.Mid()*(c.Slope(safe.Just(v)).Mid()-c.Slope(safe.Just(u)).Mid())/(v-u), w)
	slope := c.Slope(safe.Just(x))
	if odd {
		slope = slope.Magnitude()
	}
	l.tangent(e, a, w, []float64{x}, []safe.Span{slope})
}

// inside is the value of an argument of a function, or a number next to the end of the domain if
// the slope there is infinite. At the end the domain is a row, argument ≥ end, whose multiplier is
// looked for. If the slope times a is +Inf, the end is a minimum, whatever the other slopes are.
// steep has the sign of an infinite slope, else 0.
func (l *lagrangian) inside(e *expr, end float64, a safe.Span, steep float64) float64 {
	v := l.value(e)
	if !(v <= end+near) {
		return v
	}
	signs := []float64{-1}
	if steep != 0 {
		v = end + near
		if a.Lo > 0 && steep > 0 || a.Hi < 0 && steep < 0 {
			signs = append(signs, 1)
		}
	}
	first := l.block(block{count: len(signs), ray: true})
	for k, s := range signs {
		share := l.shares[first+k]
		share.c = share.c.Less(safe.Just(s * end))
		l.descend(e, safe.Just(s), first+k)
	}
	return max(v, end)
}

// bend adds a second derivative by an argument to the diagonal of the Hessian.
func (l *lagrangian) bend(e *expr, s float64, w int) {
	if coefs, _, ok := affine(e); ok && s > 0 && !math.IsInf(s, 1) {
		for j, b := range coefs {
			increase(&l.shares[w].second, j, safe.Just(s*b.Mid()*b.Mid()))
		}
	}
}

// tangent adds a·(f(x) + s·(args − x)).
func (l *lagrangian) tangent(e *expr, a safe.Span, w int, x []float64, s []safe.Span) {
	c := e.at(x)
	for k := range x {
		if !s[k].Finite() {
			l.refuse("the slope of %v at the point is infinite", e)
		}
		c = c.Less(s[k].Times(safe.Just(x[k])))
	}
	share := l.shares[w]
	share.c = share.c.Plus(a.Times(c))
	for k, d := range e.args {
		l.descend(d, a.Times(s[k]), w)
	}
}

// at encloses the operation on numbers.
func (e *expr) at(x []float64) safe.Span {
	args := make([]safe.Ball, len(x))
	for k, v := range x {
		args[k] = safe.Exactly(v)
	}
	return e.combine(args).Span()
}

// bundles of columns by operation.
var bundles = map[op]int{opLSE: safe.LogSumExp, opQuadOver: safe.SquareOver, opKL: safe.Divergence}

// smooth is a function of several arguments.
func (l *lagrangian) smooth(e *expr, a safe.Span, w int) {
	n := len(e.args)
	x, s := make([]float64, n), make([]safe.Span, n)
	for k, c := range e.args {
		switch {
		case e.op == opGeo || e.op == opKL || e.op == opQuadOver && k == n-1: // these have no slopes at 0
			x[k] = l.inside(c, 0, a, -float64(l.bends(e)))
		default:
			x[k] = l.value(c)
		}
	}
	if e.op != opGeo {
		s, _ = safe.Gradient(bundles[e.op], x)
	} else {
		v := e.at(x)
		for k := range x {
			if e.weights[k] > 0 {
				s[k] = v.Times(safe.Just(e.weights[k])).Over(safe.Just(x[k]))
			}
		}
	}
	if e.op == opKL {
		l.bend(e.args[0], a.Mid()/x[0], w)
		l.bend(e.args[1], a.Mid()*x[0]/(x[1]*x[1]), w)
	}
	l.tangent(e, a, w, x, s)
}

// matrix is the symmetric part of a matrix of values.
func (l *lagrangian) matrix(e *expr) *mat.SymDense {
	m := mat.NewSymDense(e.k, nil)
	for i := range e.k {
		for j := range i + 1 {
			m.SetSym(i, j, (l.value(e.args[i*e.k+j])+l.value(e.args[j*e.k+i]))/2)
		}
	}
	return m
}

// eigen is the largest eigenvalue, at least ⟨W, A⟩ for W positive semidefinite of trace 1.
func (l *lagrangian) eigen(e *expr, a safe.Span, w int) {
	if e.num != 1 {
		l.refuse("sums of eigenvalues have no slopes here")
	}
	d := l.duals[e]
	if d == nil {
		var ev mat.EigenSym
		if !ev.Factorize(l.matrix(e), true) {
			l.refuse("eigenvalues are not found")
		}
		var vs mat.Dense
		ev.VectorsTo(&vs)
		d = mat.NewSymDense(e.k, nil)
		d.SymOuterK(1, vs.Slice(0, e.k, e.k-1, e.k))
		l.duals[e] = d
	}
	d, _ = safe.Semidefinite(d)
	trace := safe.Span{}
	for i := range e.k {
		trace = trace.Plus(safe.Just(d.At(i, i)))
	}
	l.inner(e, d, a.Over(trace), w)
}

// logdet is concave: −log det X ≥ n + log det Y − ⟨Y, X⟩ for every Y positive definite.
func (l *lagrangian) logdet(e *expr, a safe.Span, w int) {
	n := e.k
	var c mat.Cholesky
	if !c.Factorize(l.matrix(e)) {
		l.refuse("a matrix in logdet is not positive definite")
	}
	var y mat.SymDense
	if c.InverseTo(&y) != nil {
		l.refuse("a matrix in logdet is nearly singular")
	}
	all := make([]float64, n*n)
	for k := range all {
		all[k] = y.At(k/n, k%n)
	}
	share := l.shares[w]
	share.c = share.c.Less(a.Times(safe.Just(float64(n)).Plus(e.at(all))))
	l.inner(e, &y, a, w)
}

// inner adds a·⟨y, A⟩ of the matrix A that a function is of.
func (l *lagrangian) inner(e *expr, y *mat.SymDense, a safe.Span, w int) {
	for k, c := range e.args {
		l.descend(c, a.Times(safe.Just(y.At(k/e.k, k%e.k))), w)
	}
}
