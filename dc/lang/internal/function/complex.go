package function

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// complexSum is the sum of arrays, some of them with a minus sign.
func complexSum(ev *eval.Evaluator, n *syntax.Node, nodes []*syntax.Node, parts []value.Pair,
	minus []bool) value.Value {
	shapes := make([]value.Value, len(parts))
	var re, im []value.Summand
	for k, p := range parts {
		shapes[k] = p.Re
		re = append(re, value.Summand{W: eval.WithSign(1, minus[k]), V: p.Re, At: nodes[k]})
		if !p.IsReal() {
			im = append(im, value.Summand{W: eval.WithSign(1, minus[k]), V: p.Im, At: nodes[k]})
		}
	}
	ev.Common(n, nodes, shapes)
	sum := ev.Weighted(n, re)
	if im == nil {
		return sum
	}
	return value.ComplexOf(sum, ev.Weighted(n, im))
}

// complexReduction is sum(i in I) e.
func complexReduction(ev *eval.Evaluator, n *syntax.Node) value.Value {
	if n.Name != "sum" {
		NoOrder(ev, n.Args[0])
	}
	body := n.Args[0]
	var parts []value.Pair
	var nodes []*syntax.Node
	ev.Loop(n, n.Binders, n.Cond, func() {
		p := ev.PairOf(body)
		if len(parts) > 0 && !slices.Equal(parts[0].Re.Shape, p.Re.Shape) {
			ev.Fail(body, "", "the terms of sum differ in shape: %s and %s", value.ShapeText(parts[0].Re.Shape),
				value.ShapeText(p.Re.Shape))
		}
		parts, nodes = append(parts, p), append(nodes, body)
	})
	if len(parts) == 0 {
		return value.Number(0)
	}
	return complexSum(ev, n, nodes, parts, make([]bool, len(parts)))
}

// NoOrder refuses complex numbers where only real ones have a meaning.
func NoOrder(ev *eval.Evaluator, n *syntax.Node) {
	ev.Fail(n, "compare re, im or abs of it", "complex numbers have no order, and %s is complex", ev.Say(n))
}

// noOrder serves functions that compare numbers.
func noOrder(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	NoOrder(ev, n.Args[slices.IndexFunc(args, func(p value.Pair) bool { return !p.IsReal() })])
	return value.Value{}
}

// bilinear is a product of arrays, made of products of their parts by f.
func bilinear(ev *eval.Evaluator, n *syntax.Node, a, b value.Pair, f func(a, b value.Value) value.Value) value.Value {
	less := func(x, y value.Value, w float64) value.Value {
		return ev.Weighted(n, []value.Summand{{W: 1, V: x, At: n}, {W: w, V: y, At: n}})
	}
	re := f(a.Re, b.Re)
	switch {
	case a.IsReal() && b.IsReal():
		return re
	case a.IsReal():
		return value.ComplexOf(re, f(a.Re, b.Im))
	case b.IsReal():
		return value.ComplexOf(re, f(a.Im, b.Re))
	}
	return value.ComplexOf(less(re, f(a.Im, b.Im), -1), less(f(a.Re, b.Im), f(a.Im, b.Re), 1))
}

// complexQuotient is a quotient by real numbers or expressions, or by complex data.
func complexQuotient(ev *eval.Evaluator, n *syntax.Node) value.Value {
	a, b := ev.PairOf(n.Args[0]), ev.PairOf(n.Args[1])
	if b.IsReal() {
		re := ev.Divide(n, a.Re, b.Re)
		if a.IsReal() {
			return re
		}
		return value.ComplexOf(re, ev.Divide(n, a.Im, b.Re))
	}
	r := n.Args[1]
	if !b.IsData() {
		ev.Fail(r, "name the quotient as a complex variable q, with q*z == a",
			"/ divides by real expressions and by data, but %s is complex and depends on a variable", ev.Say(r))
	}
	if n.Op == syntax.OpDiv && b.Re.Len() != 1 {
		ev.Fail(n, "write ./ to divide entry by entry", "/ divides by one number, but %s is %s", ev.Say(r),
			value.ShapeText(b.Re.Shape))
	}
	re, im := make([]float64, b.Re.Len()), make([]float64, b.Re.Len())
	for k := range re {
		q := 1 / complex(b.Re.At(k), b.Im.At(k))
		re[k], im[k] = real(q), imag(q)
	}
	inverse := value.Pair{Re: ev.Finite(n, b.Re.With(re)), Im: ev.Finite(n, b.Re.With(im))}
	return bilinear(ev, n, a, inverse, func(a, b value.Value) value.Value { return ev.Times(n, a, b) })
}

// mostPower is the largest exponent of complex numbers.
// Source: a limit against nested input: each power is a product.
const mostPower = 64

// complexPower is z^k for whole k >= 0, of variables z*z alone.
func complexPower(ev *eval.Evaluator, n *syntax.Node) value.Value {
	k := ev.Integer(n.Args[1], ev.Operand(n.Args[1]), "the exponent of a complex number")
	base := ev.PairOf(n.Args[0])
	if k < 0 || k > mostPower || k > 2 && !base.IsData() {
		ev.Fail(n, "abs(z)^p is a power of the modulus",
			"complex numbers have the powers 0 to %d, complex variables those up to 2, not %d", mostPower, k)
	}
	out := value.Pair{Re: base.Re.Constant(1)}
	for range k {
		out = bilinear(ev, n, out, base, func(a, b value.Value) value.Value { return ev.Times(n, a, b) }).Parts()
	}
	if out.IsReal() {
		return out.Re
	}
	return value.ComplexOf(out.Re, out.Im)
}

// complexLiteral is an array of elements some of which are complex.
func complexLiteral(ev *eval.Evaluator, n *syntax.Node) value.Value {
	parts := map[*syntax.Node]value.Pair{}
	of := func(e *syntax.Node) *value.Pair {
		p, ok := parts[e]
		if !ok {
			p = ev.PairOf(e)
			parts[e] = p
		}
		return &p
	}
	re := ev.LiteralOf(n, func(e *syntax.Node) value.Value { return of(e).Re })
	return value.ComplexOf(re, ev.LiteralOf(n, func(e *syntax.Node) value.Value { return of(e).Imag() }))
}

// stacked are the parts of all entries as one real vector.
func stacked(p *value.Pair) value.Value {
	return value.Stack(p.Re, p.Imag())
}

// affinePair is argument arg of n as affine functions.
func affinePair(ev *eval.Evaluator, n, arg *syntax.Node, p value.Pair) dc.Complex {
	if v := p.GeneralPart(); v != nil {
		ev.FailWith(n, "name the argument as a complex variable", []syntax.Note{ev.Note(arg, v.CurvatureNote())},
			"no DC split for %s: %s needs an affine argument, %s is %s", ev.Say(n), n.Name, ev.Say(arg),
			v.CurvatureWord())
	}
	im := p.Imag()
	return dc.Complex{Re: p.Re.Function(), Im: im.Function()}
}

// hermitianForm serves z'*z, z'*Q*z and z'*(Q*z) with data Q: real for a Hermitian Q, else
// with the imaginary part z'*((Q - Q')/2i)*z.
func hermitianForm(ev *eval.Evaluator, n *syntax.Node) (value.Value, bool) {
	l, r := n.Args[0], n.Args[1]
	var x, q *syntax.Node
	switch {
	case l.Op == syntax.OpMul && l.Args[0].Op == syntax.OpTrans:
		x, q = l.Args[0].Args[0], l.Args[1]
	case l.Op == syntax.OpTrans && r.Op == syntax.OpMul:
		x, q, r = l.Args[0], r.Args[0], r.Args[1]
	case l.Op == syntax.OpTrans:
		x = l.Args[0]
	default:
		return value.Value{}, false
	}
	if ev.Src.Tree.Text(x.Span) != ev.Src.Tree.Text(r.Span) {
		return value.Value{}, false
	}
	p := ev.PairOf(x)
	k := p.Re.Len()
	if p.IsReal() || len(p.Re.Shape) != 1 || k == 0 || p.Re.Sort == value.Expressions ||
		p.Im.Sort == value.Expressions {
		return value.Value{}, false
	}
	z := affinePair(ev, n, x, p)
	if q == nil {
		return ev.Atom(n, z.SumSquares(), p.Re.Costs().Weight+p.Im.Costs().Weight), true
	}
	m := ev.PairOf(q)
	if !m.IsData() || !slices.Equal(m.Re.Shape, []int{k, k}) || m.Re.HasInf() {
		return value.Value{}, false
	}
	im := m.Imag()
	re, skew := make([]complex128, k*k), make([]complex128, k*k)
	for i := range k {
		for j := range k {
			a, b := complex(m.Re.Num[i*k+j], im.Num[i*k+j]), complex(m.Re.Num[j*k+i], -im.Num[j*k+i])
			re[i*k+j], skew[i*k+j] = (a+b)/2, (a-b)/2i
		}
	}
	form := func(q []complex128) value.Value { return embeddedQuad(ev, n, z, dc.ComplexConst([]int{k, k}, q)) }
	return value.ComplexOf(form(re), form(skew)), true
}

// embeddedQuad is z'*Q*z for a Hermitian Q.
func embeddedQuad(ev *eval.Evaluator, n *syntax.Node, z, q dc.Complex) value.Value {
	return ev.Quad(n, value.FromAffine(z.Pairs()), embedding(ev, n, q))
}

// embedding is the matrix [re -im; im re].
func embedding(ev *eval.Evaluator, n *syntax.Node, z dc.Complex) value.Value {
	ev.Room(n, []int{4, z.Len()})
	e := z.Embedding()
	if e.IsConst() {
		return value.Array(e.Shape(), e.Values(nil))
	}
	return ev.Made(n, e, value.Cost{})
}

// realParts are the real parts of arguments.
func realParts(args []value.Pair) []value.Value {
	out := make([]value.Value, len(args))
	for k := range args {
		out[k] = args[k].Re
	}
	return out
}

// onlyFirst refuses complex arguments behind the first one.
func onlyFirst(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) {
	for k := 1; k < len(args); k++ {
		if !args[k].IsReal() {
			ev.Fail(n.Args[k], "", "this argument of %s must be real, but %s is complex", n.Name, ev.Say(n.Args[k]))
		}
	}
}

// eachPart serves functions that are linear in the first argument.
func eachPart(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	onlyFirst(ev, n, args)
	f, vs := ev.NoteOf(n).Fn.Eval, realParts(args)
	re := f(ev, n, vs)
	vs[0] = args[0].Imag()
	return value.ComplexOf(re, f(ev, n, vs))
}

// ofParts serves functions that are linear in both arguments.
func ofParts(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return bilinear(ev, n, args[0], args[1], func(a, b value.Value) value.Value {
		return ev.NoteOf(n).Fn.Eval(ev, n, []value.Value{a, b})
	})
}

// ofRealPart serves functions of the shape.
func ofRealPart(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return ev.NoteOf(n).Fn.Eval(ev, n, realParts(args))
}

func realOf(_ *eval.Evaluator, _ *syntax.Node, args []value.Pair) value.Value { return args[0].Re }
func imagOf(_ *eval.Evaluator, _ *syntax.Node, args []value.Pair) value.Value { return args[0].Imag() }

func complexConj(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return value.ComplexOf(args[0].Re, ev.Scale(n, -1, args[0].Im))
}

// dataPair are the numbers of argument 0, which must be data.
func dataPair(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) []complex128 {
	p := args[0]
	if !p.IsData() {
		ev.Fail(n.Args[0], "", "%s takes complex numbers that are data, but %s depends on a variable", n.Name,
			ev.Say(n.Args[0]))
	}
	im := p.Imag()
	out := make([]complex128, p.Re.Len())
	for k := range out {
		out[k] = complex(p.Re.At(k), im.At(k))
	}
	return out
}

// complexNumbers is an array of numbers in a shape.
func complexNumbers(ev *eval.Evaluator, n *syntax.Node, shape []int, z []complex128) value.Value {
	re, im := make([]float64, len(z)), make([]float64, len(z))
	for k := range z {
		re[k], im[k] = real(z[k]), imag(z[k])
	}
	return value.ComplexOf(ev.Finite(n, value.Array(shape, re)), ev.Finite(n, value.Array(shape, im)))
}

func complexExp(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	z := dataPair(ev, n, args)
	for k := range z {
		z[k] = cmplx.Exp(z[k])
	}
	return complexNumbers(ev, n, args[0].Re.Shape, z)
}

// complexInv is the inverse of a matrix, from the first columns of the inverse of [re -im; im re].
func complexInv(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	dataPair(ev, n, args)
	if s := args[0].Re.Shape; len(s) != 2 || s[0] != s[1] || s[0] == 0 {
		ev.Fail(n.Args[0], "", "%s needs a square matrix, but %s is %s", n.Name, ev.Say(n.Args[0]), value.ShapeText(s))
	}
	d := args[0].Re.Shape[0]
	inverse := fnInv(ev, n, []value.Value{embedding(ev, n, affinePair(ev, n, n.Args[0], args[0]))})
	z := make([]complex128, d*d)
	for i := range d {
		for j := range d {
			z[i*d+j] = complex(inverse.Num[i*2*d+j], inverse.Num[(d+i)*2*d+j])
		}
	}
	return complexNumbers(ev, n, []int{d, d}, z)
}

// moduli are the moduli of the entries of argument 0.
func moduli(ev *eval.Evaluator, n *syntax.Node, p value.Pair) value.Value {
	im := p.Imag()
	if p.IsData() {
		out := make([]float64, p.Re.Len())
		for k := range out {
			out[k] = math.Hypot(p.Re.At(k), im.At(k))
		}
		return ev.Finite(n, value.Array(p.Re.Shape, out))
	}
	c := ev.Afford(n, p.Re.Costs().Plus(im.Costs()).Times(4))
	ev.Spend(n, 2*p.Re.Len())
	if v := p.GeneralPart(); v != nil {
		return value.FromEach(p.Re.Shape, c, func(k int) dc.Expr {
			e := dc.Norm2(dc.Stack([]dc.Expr{p.Re.Expr(k), im.Expr(k)}...))
			if e.Err() != nil {
				noSplit(ev, n, n.Args[0], *v, "%s", eval.Cause(e.Err()))
			}
			return e
		})
	}
	z := affinePair(ev, n, n.Args[0], p)
	return value.FromEach(p.Re.Shape, c, z.Abs)
}

func complexAbs(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return moduli(ev, n, args[0])
}

func complexNorm1(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return ev.AddUp(n, moduli(ev, n, args[0]))
}

func complexNormInf(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return largestModulus(ev, n, args[0])
}

func largestModulus(ev *eval.Evaluator, n *syntax.Node, p value.Pair) value.Value {
	if p.Re.Len() == 0 {
		ev.Fail(n, "", "%s of nothing", n.Name)
	}
	return ev.FoldEntries(n, "max", moduli(ev, n, p))
}

func complexNorm(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	onlyFirst(ev, n, args)
	order := 2.0
	if len(args) == 2 {
		order = ev.Limit(n.Args[1], args[1].Re, "the order of a norm")
	}
	switch {
	case !(order >= 1):
		ev.Fail(n.Args[1], "", "the order of a norm must be at least 1, not %s", ev.Is(n.Args[1], order))
	case order == 2:
		return complexNorm2(ev, n, args)
	case order == 1:
		return ev.AddUp(n, moduli(ev, n, args[0]))
	case math.IsInf(order, 1):
		return largestModulus(ev, n, args[0])
	}
	v := moduli(ev, n, args[0])
	if v.Sort != value.Expressions {
		return ev.Atom(n, dc.NormP(v.Function(), order), 0)
	}
	return composed(ev, n, v, "convex nonnegative entries", dc.NormP(v.Function(), order))
}

func complexNorm2(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	if args[0].GeneralPart() != nil {
		return rowOfArray(atom.Norm2)(ev, n, []value.Value{stacked(&args[0])})
	}
	z := affinePair(ev, n, n.Args[0], args[0])
	return ev.Atom(n, z.Norm2(), z.Re.NNZ()+z.Im.NNZ())
}

func complexSumSquares(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	if args[0].GeneralPart() != nil {
		return fnSumSquares(ev, n, []value.Value{stacked(&args[0])})
	}
	z := affinePair(ev, n, n.Args[0], args[0])
	return ev.Atom(n, z.SumSquares(), z.Re.NNZ()+z.Im.NNZ())
}

// hermitian is argument k, a Hermitian matrix that is affine.
func hermitian(ev *eval.Evaluator, n *syntax.Node, args []value.Pair, k int) dc.Complex {
	at := n.Args[k]
	z := affinePair(ev, n, at, args[k])
	s := z.Shape()
	if len(s) == 0 {
		z, s = z.Reshape(1, 1), []int{1, 1}
	}
	if len(s) != 2 || s[0] != s[1] || s[0] == 0 {
		ev.Fail(at, "", "%s needs a square matrix, but %s is %s", n.Name, ev.Say(at), value.ShapeText(s))
	}
	ev.Spend(n, eval.UnitsCoeff*(z.Re.NNZ()+z.Im.NNZ()))
	if i, j, ok := dc.IsHermitian(z); !ok {
		if args[k].IsData() {
			v := z.Value(nil)
			ev.Fail(at, "take (Z + Z')/2", "%s needs a Hermitian matrix, but %s has %g at [%d,%d] and %g at [%d,%d]",
				n.Name, ev.Say(at), v[i*s[0]+j], i+1, j+1, v[j*s[0]+i], j+1, i+1)
		}
		ev.Fail(at, "declare the variable hermitian, or take (Z + Z')/2",
			"%s needs a Hermitian matrix, and %s is not seen to be one: its entries [%d,%d] and [%d,%d] are not "+
				"conjugate",
			n.Name, ev.Say(at), i+1, j+1, j+1, i+1)
	}
	return z.Upper()
}

func complexQuad(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	if !args[1].IsData() {
		ev.Numeric(n.Args[1], args[1].Re, "the matrix of quad")
		ev.Numeric(n.Args[1], args[1].Imag(), "the matrix of quad")
	}
	if k := args[0].Re.Len(); len(args[0].Re.Shape) > 1 || args[1].Re.Len() != k*k ||
		k > 1 && !slices.Equal(args[1].Re.Shape, []int{k, k}) {
		ev.ShapesDiffer(n, n.Args[0], n.Args[1], &args[0].Re, &args[1].Re)
	}
	if args[0].Re.Len() == 0 {
		return value.Number(0)
	}
	return embeddedQuad(ev, n, affinePair(ev, n, n.Args[0], args[0]), hermitian(ev, n, args, 1))
}

// embedded serves functions of a Hermitian matrix by functions of [re -im; im re], which has
// each eigenvalue twice: w times the value there.
func embedded(w float64) func(*eval.Evaluator, *syntax.Node, []value.Pair) value.Value {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
		onlyFirst(ev, n, args)
		vs := realParts(args)
		vs[0] = embedding(ev, n, hermitian(ev, n, args, 0))
		if n.Name == "lambda_sumlargest" {
			k := ev.Integer(n.Args[1], vs[1], "the number of eigenvalues that lambda_sumlargest adds")
			if d := vs[0].Shape[0] / 2; k < 1 || k > d {
				ev.Fail(n.Args[1], "", "lambda_sumlargest adds 1 to %d eigenvalues of %s, not %d", d, ev.Say(n.Args[0]),
					k)
			}
			vs[1] = value.Number(2 * float64(k))
		}
		return ev.Scale(n, w, ev.NoteOf(n).Fn.Eval(ev, n, vs))
	}
}

// ofAnyMatrix serves norms of a matrix by its singular values, which [re -im; im re] has
// twice.
func ofAnyMatrix(w float64) func(*eval.Evaluator, *syntax.Node, []value.Pair) value.Value {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
		z := affinePair(ev, n, n.Args[0], args[0])
		if len(z.Shape()) < 2 {
			return complexNorm2(ev, n, args)
		}
		return ev.Scale(n, w, ev.NoteOf(n).Fn.Eval(ev, n, []value.Value{embedding(ev, n, z)}))
	}
}

// complexMatFrac is x'*P^-1*x, of columns x below each other: re above im.
func complexMatFrac(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	p := hermitian(ev, n, args, 1)
	x := affinePair(ev, n, n.Args[0], args[0])
	s := x.Shape()
	if d := p.Shape()[0]; len(s) > 2 || len(s) > 0 && s[0] != d || x.Len()%d != 0 {
		ev.Fail(n, "", "shapes differ: %s is %s, %s is %d x %d", ev.Say(n.Args[0]), value.ShapeText(s),
			ev.Say(n.Args[1]), d, d)
	}
	stacked := x.Pairs()
	if len(s) == 2 {
		stacked = stacked.Reshape(2*s[0], s[1])
	}
	v := value.FromAffine(stacked)
	if stacked.IsConst() {
		v = value.Array(stacked.Shape(), stacked.Values(nil))
	}
	return fnMatFrac(ev, n, []value.Value{v, embedding(ev, n, p)})
}

// squaredModulus serves abs(z)^2 for complex z, entry by entry: re^2 + im^2.
func squaredModulus(ev *eval.Evaluator, n *syntax.Node) (value.Value, bool) {
	a, e := n.Args[0], n.Args[1]
	if a.Op != syntax.OpCall || a.Name != "abs" || !ev.NoteOf(a).OfComplex || e.Op != syntax.OpNumber || e.Num != 2 {
		return value.Value{}, false
	}
	p := ev.PairOf(a.Args[0])
	if p.IsReal() || p.IsData() || p.GeneralPart() != nil {
		return value.Value{}, false
	}
	z := affinePair(ev, a, a.Args[0], p)
	c := ev.Afford(n, p.Re.Costs().Plus(p.Im.Costs()).Times(2))
	ev.Spend(n, 2*z.Len())
	return value.FromEach(p.Re.Shape, c, func(k int) dc.Expr {
		return dc.SumSquares(dc.Entries(z.Re.Linear(k), z.Im.Linear(k)))
	}), true
}

// fusedModuli is sum(abs(z)^2) of a complex z in one piece; f is abs(z)^2.
func fusedModuli(ev *eval.Evaluator, n, f *syntax.Node) (value.Value, bool) {
	if f.Op != syntax.OpPower || f.Args[0].Op != syntax.OpCall || f.Args[0].Name != "abs" {
		return value.Value{}, false
	}
	a := f.Args[0]
	p := ev.PairOf(a.Args[0])
	if p.IsReal() || p.GeneralPart() != nil {
		return value.Value{}, false
	}
	z := affinePair(ev, a, a.Args[0], p)
	return ev.Atom(n, z.SumSquares(), z.Re.NNZ()+z.Im.NNZ()), true
}

// theReal serves functions of which a real number is its own value.
func theReal(_ *eval.Evaluator, _ *syntax.Node, args []value.Value) value.Value {
	return args[0].CountFrom(nil)
}

// noImaginary is the imaginary part of what is real.
func noImaginary(_ *eval.Evaluator, _ *syntax.Node, args []value.Value) value.Value {
	return args[0].Constant(0)
}
