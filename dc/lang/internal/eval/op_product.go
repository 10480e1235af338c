package eval

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// Multiply is a*b.
func (ev *Evaluator) Multiply(n *syntax.Node, a, b value.Value) value.Value {
	switch {
	case eitherComplex(&a, &b):
		return ev.Bilinear(n, a.Parts(), b.Parts(), func(a, b value.Value) value.Value { return ev.Multiply(n, a, b) })
	case a.Scalar() || b.Scalar():
		return ev.Times(n, a, b)
	case a.Len() == 1 && b.Shape[0] != 1:
		return ev.Times(n, a.Reshape(), b)
	case b.Len() == 1 && a.Shape[len(a.Shape)-1] != 1:
		return ev.Times(n, a, b.Reshape())
	}
	ev.checkProduct(n, &a, &b)
	return ev.product(n, a, b)
}

// checkProduct refuses the matrix product of shapes that do not fit.
func (ev *Evaluator) checkProduct(n *syntax.Node, a, b *value.Value) {
	l, r := n.Args[0], n.Args[1]
	if len(a.Shape) > 2 || len(b.Shape) > 2 {
		ev.Fail(n, "write .* for a product entry by entry", "* multiplies vectors and matrices: %s is %s, %s is %s", l,
			a.Shape, r, b.Shape)
	}
	if inner := a.Shape[len(a.Shape)-1]; inner != b.Shape[0] {
		help := ""
		if slices.Equal(a.Shape, b.Shape) {
			help = "write .* for a product entry by entry"
		}
		ev.Fail(n, help, "shapes do not fit: %s is %s, %s is %s; * needs %d = %d", l.String()+ev.FromFile(l), a.Shape,
			r.String()+ev.FromFile(r), b.Shape, inner, b.Shape[0])
	}
}

// rowsAtOnce are the rows of a product of data that are computed between two looks at the
// context: some 0.1 s for factors of 4000 columns and rows.
// Source: 2·64·4000² operations at 2e10 a second.
const rowsAtOnce = 64

// product is the matrix product of shapes that fit. Vectors are a row on the
// left and a column on the right, and the result loses that dimension.
func (ev *Evaluator) product(n *syntax.Node, a, b value.Value) value.Value {
	rows, cols, inner := 1, 1, b.Shape[0]
	shape := []int{}
	if len(a.Shape) == 2 {
		rows = a.Shape[0]
		shape = append(shape, rows)
	}
	if len(b.Shape) == 2 {
		cols = b.Shape[1]
		shape = append(shape, cols)
	}
	total := ev.Room(n, shape)
	ev.noInf(n, []value.Value{a, b})
	switch {
	case inner == 0:
		return value.Array(shape, make([]float64, total))
	case a.IsData() && b.IsData():
		ev.Spend(n, total*inner/256)
		out := make([]float64, total)
		general := func(rows, cols int, v []float64) blas64.General {
			return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: v}
		}
		for i := 0; i < rows && cols > 0; i += rowsAtOnce {
			ev.GoOn(ev.Patience().Err())
			to := min(i+rowsAtOnce, rows)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(to-i, inner, a.Num[i*inner:]),
				general(inner, cols, b.Num), 0, general(to-i, cols, out[i*cols:]))
		}
		return ev.Finite(n, value.Array(shape, out))
	}
	c := a.Product(&b)
	if max(a.Sort, b.Sort) == value.Expressions {
		c.Parts *= inner
	}
	c = ev.Afford(n, c.Capped())
	ev.Spend(n, total*inner)
	if a.IsData() || b.IsData() {
		return ev.Made(n, dc.MatMul(a.Function(), b.Function()), c)
	}
	es := make([]dc.Expr, 0, total)
	for i := range rows {
		for j := range cols {
			u, v := make([]int, inner), make([]int, inner)
			for k := range inner {
				u[k], v[k] = i*inner+k, j+k*cols
			}
			x, y := a.Function().Select([]int{inner}, u), b.Function().Select([]int{inner}, v)
			ev.Spend(n, x.NNZ()+y.NNZ())
			if es = append(es, dc.Inner(x, y)); es[len(es)-1].Err() != nil {
				ev.failProduct(n, &a, &b)
			}
		}
	}
	return ev.Made(n, dc.Stack(es...).Reshape(shape...), c)
}

// Times is the product entry by entry, or with a scalar.
func (ev *Evaluator) Times(n *syntax.Node, a, b value.Value) value.Value {
	if eitherComplex(&a, &b) {
		return ev.Bilinear(n, a.Parts(), b.Parts(), func(a, b value.Value) value.Value { return ev.Times(n, a, b) })
	}
	vs := []value.Value{a, b}
	shape := ev.Common(n, n.Args, vs)
	a, b = vs[0], vs[1]
	total := value.Size(shape)
	ev.Spend(n, total)
	switch {
	case a.IsData() && a.Scalar():
		return ev.Scale(n, a.X, b)
	case b.IsData() && b.Scalar():
		return ev.Scale(n, b.X, a)
	case a.IsData() && b.IsData():
		out := make([]float64, total)
		for k := range out {
			out[k] = a.Num[k] * b.Num[k]
		}
		return ev.Finite(n, value.Array(shape, out))
	case a.IsData() && b.Sort == value.AffineFunctions && !b.Scalar():
		return ev.Made(n, b.Function().ScaleEach(a.Num), b.Cost)
	case b.IsData() && a.Sort == value.AffineFunctions && !a.Scalar():
		return ev.Made(n, a.Function().ScaleEach(b.Num), a.Cost)
	}
	c := a.Product(&b)
	if a.Scalar() || b.Scalar() {
		c.Weight *= max(total, 1)
	}
	c = ev.Afford(n, c.Capped())
	p := dc.Mul(a.Function(), b.Function())
	if p.Err() != nil {
		ev.failProduct(n, &a, &b)
	}
	return value.FromExpr(p, c)
}

// failProduct says why a product or quotient of a and b has no split.
func (ev *Evaluator) failProduct(n *syntax.Node, a, b *value.Value) {
	notes := []syntax.Note{ev.Note(n.Args[0], a.CurvatureNote()), ev.Note(n.Args[1], b.CurvatureNote())}
	help := "give the variables bounds that keep the factors bounded from below; dc(g, h) states a split by hand"
	ev.FailWith(n, help, notes, "no DC split is known for this product: a factor is not bounded from below")
}

// Atom is a scalar expression as a value; one without variables is a number.
func (ev *Evaluator) Atom(n *syntax.Node, e dc.Expr, weight int) value.Value {
	if err := e.Err(); err != nil {
		ev.Fail(n, "", "%s: %s", n, Cause(err))
	}
	if e.IsConst() {
		return ev.Finite(n, value.Number(e.Value(nil)))
	}
	return value.FromExpr(e, ev.Afford(n, value.Cost{Pieces: 1, Parts: 2, Weight: weight + 1}))
}

// Divide is the quotient by / or ./.
func (ev *Evaluator) Divide(n *syntax.Node, a, b value.Value) value.Value {
	if eitherComplex(&a, &b) {
		return ev.complexQuotient(n, a.Parts(), b.Parts())
	}
	ev.oneDivisor(n, &b)
	if !b.IsData() {
		return ev.quotients(n, a, b)
	}
	inverse := make([]float64, b.Len())
	for k := range inverse {
		if b.At(k) == 0 {
			ev.failPole(n)
		}
		inverse[k] = 1 / b.At(k)
	}
	if !a.IsData() {
		return ev.Times(n, a, b.With(inverse))
	}
	vs := []value.Value{a, b}
	shape := ev.Common(n, n.Args, vs)
	a, b = vs[0], vs[1]
	out := make([]float64, ev.Room(n, shape))
	for k := range out {
		out[k] = a.At(min(k, a.Len()-1)) / b.At(min(k, b.Len()-1))
	}
	return ev.Finite(n, value.Array(shape, out))
}

// oneDivisor refuses to divide by an array where the quotient is not taken entry by entry.
func (ev *Evaluator) oneDivisor(n *syntax.Node, b *value.Value) {
	if n.Op == syntax.OpDiv && b.Len() != 1 {
		ev.Fail(n, "write ./ to divide entry by entry", "/ divides by one number, but %s is %s", n.Args[1], b.Shape)
	}
}

// eitherComplex reports whether one of two values is complex.
func eitherComplex(a, b *value.Value) bool { return max(a.Sort, b.Sort) == value.ComplexPairs }

// Bilinear is a product of arrays, made of products of their parts by f.
func (ev *Evaluator) Bilinear(n *syntax.Node, a, b value.Pair, f func(a, b value.Value) value.Value) value.Value {
	re := f(a.Re, b.Re)
	switch {
	case a.IsReal() && b.IsReal():
		return re
	case a.IsReal():
		return value.ComplexOf(re, f(a.Re, b.Im))
	case b.IsReal():
		return value.ComplexOf(re, f(a.Im, b.Re))
	}
	return value.ComplexOf(ev.Weighted(n, []value.Summand{{W: 1, V: re, At: n}, {W: -1, V: f(a.Im, b.Im), At: n}}),
		ev.Weighted(n, []value.Summand{{W: 1, V: f(a.Re, b.Im), At: n}, {W: 1, V: f(a.Im, b.Re), At: n}}))
}

// complexQuotient is a quotient by real numbers or expressions, or by complex data.
func (ev *Evaluator) complexQuotient(n *syntax.Node, a, b value.Pair) value.Value {
	if b.IsReal() {
		return value.ComplexOf(ev.Divide(n, a.Re, b.Re), ev.Divide(n, a.Im, b.Re))
	}
	r := n.Args[1]
	if !b.IsData() {
		ev.Fail(r, "name the quotient as a complex variable q, with q*z == a",
			"/ divides by real expressions and by data, but %s is complex and depends on a variable", r)
	}
	ev.oneDivisor(n, &b.Re)
	re, im := make([]float64, b.Re.Len()), make([]float64, b.Re.Len())
	for k := range re {
		q := 1 / complex(b.Re.At(k), b.Im.At(k))
		re[k], im[k] = real(q), imag(q)
	}
	inverse := value.Pair{Re: ev.Finite(n, b.Re.With(re)), Im: ev.Finite(n, b.Re.With(im))}
	return ev.Bilinear(n, a, inverse, func(a, b value.Value) value.Value { return ev.Times(n, a, b) })
}

// quotients is a/b, entry by entry.
func (ev *Evaluator) quotients(n *syntax.Node, a, b value.Value) value.Value {
	vs := []value.Value{a, b}
	shape := ev.Common(n, n.Args, vs)
	a, b = vs[0], vs[1]
	ev.Spend(n, value.Size(shape))
	c := a.Costs().Plus(b.Costs().Times(2))
	if !a.IsData() {
		c = c.Times(4)
	}
	c = ev.Afford(n, c.Capped())
	q := dc.Quotient(a.Function(), b.Function())
	for k := 0; q.Err() != nil; k++ {
		u, v := a.Expr(min(k, a.Len()-1)), b.Expr(min(k, b.Len()-1))
		if err := dc.Quotient(u, v).Err(); err != nil {
			ev.failQuotient(n, &a, &b, v, err)
		}
	}
	return value.FromExpr(q, c)
}

// failQuotient explains err of a quotient with the denominator v, an entry of b.
func (ev *Evaluator) failQuotient(n *syntax.Node, a, b *value.Value, v dc.Expr, err error) {
	r := n.Args[1]
	switch i := v.Range(); {
	case i.Lo < 0 && i.Hi > 0:
		ev.Fail(n,
			fmt.Sprintf("give the variables bounds, such as var x >= 0.1, that keep %s above 0 or below it; where "+
				"it is affine and must be positive, write invpos(%s)", r, r),
			"%s", Cause(err))
	case i.Hi <= 0:
		v = v.Neg()
	}
	if one := dc.InvPos(v).Err(); one != nil {
		ev.Fail(n, fmt.Sprintf("give the variables bounds that keep %s away from 0", r), "no DC split for %s: %s", n,
			Cause(one))
	}
	ev.failProduct(n, a, b)
}

// Common is the shape of an entrywise operation; single entries go with
// everything.
func (ev *Evaluator) Common(n *syntax.Node, parts []*syntax.Node, vs []value.Value) []int {
	ev.noInf(n, vs)
	return ev.Sides(n, parts, vs)
}

// Sides is common for the sides of a constraint, which may be infinite.
func (ev *Evaluator) Sides(n *syntax.Node, parts []*syntax.Node, vs []value.Value) []int {
	best := 0
	for k := range vs {
		a, b := &vs[best], &vs[k]
		switch {
		case slices.Equal(a.Shape, b.Shape):
		case a.Len() == 1 && (b.Len() != 1 || len(b.Shape) > len(a.Shape)):
			best = k
		case b.Len() != 1:
			ev.ShapesDiffer(n, parts[best], parts[k], a, b)
		}
	}
	for k := range vs {
		if vs[k].Len() == 1 && len(vs[k].Shape) > 0 && !slices.Equal(vs[k].Shape, vs[best].Shape) {
			vs[k] = vs[k].Reshape()
		}
	}
	return vs[best].Shape
}

// ShapesDiffer reports two shapes that do not go together.
func (ev *Evaluator) ShapesDiffer(n, l, r *syntax.Node, a, b *value.Value) {
	help := ""
	sizes := append(slices.Clone(a.Shape), b.Shape...)
	if len(b.Shape) > len(a.Shape) {
		sizes = append(slices.Clone(b.Shape), a.Shape...)
	}
	if n.Op == syntax.OpSum && len(sizes) == 3 && sizes[1] == sizes[2] {
		help = "a vector is not repeated for each row: write X[i,j] - v[j] with indices i and j"
	}
	ev.Fail(n, help, "shapes differ: %s is %s, %s is %s", l.String()+ev.FromFile(l), a.Shape, r,
		b.Shape.String()+ev.FromFile(r))
}

// Transpose is the transpose of a matrix; vectors have no direction.
func (ev *Evaluator) Transpose(n *syntax.Node, v value.Value) value.Value {
	if v.Sort == value.ComplexPairs {
		p := v.Parts()
		return value.ComplexOf(ev.Transpose(n, p.Re), ev.Scale(n, -1, ev.Transpose(n, p.Im)))
	}
	if len(v.Shape) < 2 {
		return v
	}
	if len(v.Shape) > 2 {
		ev.Fail(n, "", "%s is %s; only matrices have a transpose", n.Args[0], v.Shape)
	}
	r, c := v.Shape[0], v.Shape[1]
	if v.Sort == value.SparseNumbers {
		ev.Spend(n, len(v.More.Sparse.Idx)+r+c)
		return value.SparseOf([]int{c, r}, v.More.Sparse.Transposed())
	}
	ev.Spend(n, r*c)
	flat := make([]int, 0, r*c)
	for j := range c {
		for i := range r {
			flat = append(flat, i*c+j)
		}
	}
	return v.Choose([]int{c, r}, flat)
}
