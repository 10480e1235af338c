package lang

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// multiply is a*b.
func (ev *evaluator) multiply(n *syntax.Node, a, b value) value {
	switch {
	case a.scalar() || b.scalar():
		return ev.times(n, a, b)
	case a.len() == 1 && b.shape[0] != 1:
		return ev.times(n, a.reshape(), b)
	case b.len() == 1 && a.shape[len(a.shape)-1] != 1:
		return ev.times(n, a, b.reshape())
	}
	ev.checkProduct(n, &a, &b)
	return ev.product(n, a, b)
}

// checkProduct refuses the matrix product of shapes that do not fit.
func (ev *evaluator) checkProduct(n *syntax.Node, a, b *value) {
	l, r := n.Args[0], n.Args[1]
	if len(a.shape) > 2 || len(b.shape) > 2 {
		ev.fail(n, "write .* for a product entry by entry", "* multiplies vectors and matrices: %s is %s, %s is %s",
			ev.say(l), shapeText(a.shape), ev.say(r), shapeText(b.shape))
	}
	if inner := a.shape[len(a.shape)-1]; inner != b.shape[0] {
		help := ""
		if slices.Equal(a.shape, b.shape) {
			help = "write .* for a product entry by entry"
		}
		ev.fail(n, help, "shapes do not fit: %s is %s, %s is %s; * needs %d = %d", ev.say(l)+ev.fromFile(l), shapeText(a.shape),
			ev.say(r)+ev.fromFile(r), shapeText(b.shape), inner, b.shape[0])
	}
}

// rowsAtOnce are the rows of a product of data that are computed between two looks at the
// context: some 0.1 s for factors of 4000 columns and rows.
// Source: 2·64·4000² operations at 2e10 a second.
const rowsAtOnce = 64

// product is the matrix product of shapes that fit. Vectors are a row on the
// left and a column on the right, and the result loses that dimension.
func (ev *evaluator) product(n *syntax.Node, a, b value) value {
	rows, cols, inner := 1, 1, b.shape[0]
	shape := []int{}
	if len(a.shape) == 2 {
		rows = a.shape[0]
		shape = append(shape, rows)
	}
	if len(b.shape) == 2 {
		cols = b.shape[1]
		shape = append(shape, cols)
	}
	total := ev.room(n, shape)
	ev.noInf(n, []value{a, b})
	switch {
	case inner == 0:
		return array(shape, make([]float64, total))
	case a.isData() && b.isData():
		ev.spend(n, total*inner/256)
		out := make([]float64, total)
		for i := 0; i < rows && cols > 0; i += rowsAtOnce {
			ev.goOn(ev.patience().Err())
			to := min(i+rowsAtOnce, rows)
			mat.NewDense(to-i, cols, out[i*cols:to*cols]).Mul(mat.NewDense(to-i, inner, a.num[i*inner:to*inner]), mat.NewDense(inner, cols, b.num))
		}
		return ev.finite(n, array(shape, out))
	case a.isData() && b.sort == affine:
		ev.spend(n, total*inner)
		if len(a.shape) == 1 && len(b.shape) == 1 {
			return ev.sound(n, b.affine().Dot(a.num))
		}
		return ev.sound(n, dc.MatMul(dc.Const(a.shape, a.numbers()), b.affine()))
	case a.sort == affine && b.isData():
		ev.spend(n, total*inner)
		if len(a.shape) == 1 && len(b.shape) == 1 {
			return ev.sound(n, a.affine().Dot(b.num))
		}
		return ev.sound(n, dc.MatMul(a.affine(), dc.Const(b.shape, b.numbers())))
	}
	c := a.product(&b)
	if a.sort == general || b.sort == general {
		c.parts *= inner
	}
	c = ev.afford(n, c.capped())
	es := make([]dc.Expr, total)
	for i := range rows {
		for j := range cols {
			es[i*cols+j] = ev.inner(n, &a, &b, inner, i*inner, j, cols)
		}
	}
	return fromExprs(shape, es, c)
}

// inner is the inner product of n entries of a from place i and of b from place
// j in steps.
func (ev *evaluator) inner(at *syntax.Node, a, b *value, n, i, j, step int) dc.Expr {
	ev.spend(at, n)
	if a.sort == affine && b.sort == affine {
		u, v := make([]int, n), make([]int, n)
		for k := range n {
			u[k], v[k] = i+k, j+k*step
		}
		x, y := a.affine().Select([]int{n}, u), b.affine().Select([]int{n}, v)
		ev.spend(at, x.NNZ()+y.NNZ())
		return dc.Inner(x, y)
	}
	parts := make([]dc.Expr, n)
	for k := range parts {
		parts[k] = ev.mul(at, a, b, i+k, j+k*step)
	}
	return dc.SumOf(parts)
}

// times is the product entry by entry, or with a scalar.
func (ev *evaluator) times(n *syntax.Node, a, b value) value {
	vs := []value{a, b}
	shape := ev.common(n, n.Args, vs)
	a, b = vs[0], vs[1]
	total := size(shape)
	ev.spend(n, total)
	switch {
	case a.isData() && a.scalar():
		return ev.scale(n, a.x, b)
	case b.isData() && b.scalar():
		return ev.scale(n, b.x, a)
	case a.isData() && b.isData():
		out := make([]float64, total)
		for k := range out {
			out[k] = a.num[k] * b.num[k]
		}
		return ev.finite(n, array(shape, out))
	case a.isData() && b.sort == affine && !b.scalar():
		return ev.sound(n, b.affine().ScaleEach(a.num))
	case b.isData() && a.sort == affine && !a.scalar():
		return ev.sound(n, a.affine().ScaleEach(b.num))
	}
	c := a.product(&b)
	if a.scalar() || b.scalar() {
		c.weight *= max(total, 1)
	}
	c = ev.afford(n, c.capped())
	return fromEach(shape, c, func(k int) dc.Expr { return ev.mul(n, &a, &b, min(k, a.len()-1), min(k, b.len()-1)) })
}

// mul multiplies entry i of a by entry j of b. A product without a split is
// explained by its factors.
func (ev *evaluator) mul(n *syntax.Node, a, b *value, i, j int) dc.Expr {
	p := dc.Mul(a.expr(i), b.expr(j))
	if p.Err() != nil {
		notes := []syntax.Note{ev.note(n.Args[0], a.curvatureNote()), ev.note(n.Args[1], b.curvatureNote())}
		help := "give the variables bounds that keep the factors bounded from below; dc(g, h) states a split by hand"
		ev.failWith(n, help, notes, "no DC split is known for this product: a factor is not bounded from below")
	}
	return p
}

// quad is x'Qx. Only the symmetric part of Q counts.
func (ev *evaluator) quad(n *syntax.Node, x, q value) value {
	k := x.len()
	sym := mat.NewSymDense(k, nil)
	diagonal := true
	for i := range k {
		for j := i; j < k; j++ {
			v := q.num[i*k+j]/2 + q.num[j*k+i]/2
			diagonal = diagonal && (i == j || v == 0)
			sym.SetSym(i, j, v)
		}
	}
	ev.spend(n, k*k)
	if !diagonal {
		ev.spend(n, int(math.Pow(float64(k), 3)/64))
	}
	e := dc.QuadContext(ev.patience(), x.affine(), sym)
	if e.Err() != nil {
		ev.goOn(ev.ctx.Err())
	}
	return ev.atom(n, e, x.costs().weight+k*k)
}

// atom is a scalar expression as a value; one without variables is a number.
func (ev *evaluator) atom(n *syntax.Node, e dc.Expr, weight int) value {
	if err := e.Err(); err != nil {
		ev.fail(n, "", "%s: %s", ev.say(n), cause(err))
	}
	if e.IsConst() {
		return ev.finite(n, number(e.Value(nil)))
	}
	return fromExpr(e, ev.afford(n, cost{1, 2, weight + 1}))
}

// divide is the quotient by / or ./.
func (ev *evaluator) divide(n *syntax.Node, a, b value) value {
	r := n.Args[1]
	if n.Op == syntax.OpDiv && b.len() != 1 {
		ev.fail(n, "write ./ to divide entry by entry", "/ divides by one number, but %s is %s", ev.say(r), shapeText(b.shape))
	}
	if !b.isData() {
		return ev.times(n, a, ev.inverse(n, r, b))
	}
	inverse := make([]float64, b.len())
	for k := range inverse {
		if b.at(k) == 0 {
			ev.fail(n, "", "%s is a division by zero", ev.say(n))
		}
		inverse[k] = 1 / b.at(k)
	}
	if !a.isData() {
		return ev.times(n, a, b.with(inverse))
	}
	vs := []value{a, b}
	shape := ev.common(n, n.Args, vs)
	a, b = vs[0], vs[1]
	out := make([]float64, ev.room(n, shape))
	for k := range out {
		out[k] = a.at(min(k, a.len()-1)) / b.at(min(k, b.len()-1))
	}
	return ev.finite(n, array(shape, out))
}

// inverse is 1/b, entry by entry, of a denominator r of known sign.
func (ev *evaluator) inverse(n, r *syntax.Node, b value) value {
	c := ev.afford(n, b.costs().times(2))
	es := make([]dc.Expr, b.len())
	for k := range es {
		e, sign := b.expr(k), 1.0
		i := e.Range()
		switch {
		case i.Lo >= 0:
		case i.Hi <= 0:
			e, sign = e.Neg(), -1
		default:
			ev.fail(n, fmt.Sprintf("give the variables bounds, such as var x >= 0.1, that keep %s above 0 or below it; where it is affine and must be positive, write invpos(%s)", ev.say(r), ev.say(r)),
				"the sign of the denominator %s is not known: by the bounds of the variables it is %g to %g", ev.say(r), i.Lo, i.Hi)
		}
		es[k] = dc.InvPos(e).Scale(sign)
		if err := es[k].Err(); err != nil {
			ev.fail(n, fmt.Sprintf("give the variables bounds that keep %s away from 0", ev.say(r)), "no DC split for %s: %s", ev.say(n), cause(err))
		}
	}
	return fromExprs(b.shape, es, c)
}
