package lang

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// complexSum is the sum of arrays, some of them with a minus sign.
func (ev *evaluator) complexSum(n *syntax.Node, nodes []*syntax.Node, parts []value.Pair, minus []bool) value.Value {
	shapes := make([]value.Value, len(parts))
	var re, im []value.Summand
	for k, p := range parts {
		shapes[k] = p.Re
		re = append(re, value.Summand{W: withSign(1, minus[k]), V: p.Re, At: nodes[k]})
		if !p.IsReal() {
			im = append(im, value.Summand{W: withSign(1, minus[k]), V: p.Im, At: nodes[k]})
		}
	}
	ev.common(n, nodes, shapes)
	sum := ev.weighted(n, re)
	if im == nil {
		return sum
	}
	return value.ComplexOf(sum, ev.weighted(n, im))
}

// complexReduction is sum(i in I) e.
func (ev *evaluator) complexReduction(n *syntax.Node) value.Value {
	if n.Name != "sum" {
		ev.noOrder(n.Args[0])
	}
	body := n.Args[0]
	var parts []value.Pair
	var nodes []*syntax.Node
	ev.loop(n, n.Binders, n.Cond, func() {
		p := ev.pairOf(body)
		if len(parts) > 0 && !slices.Equal(parts[0].Re.Shape, p.Re.Shape) {
			ev.fail(body, "", "the terms of sum differ in shape: %s and %s", value.ShapeText(parts[0].Re.Shape), value.ShapeText(p.Re.Shape))
		}
		parts, nodes = append(parts, p), append(nodes, body)
	})
	if len(parts) == 0 {
		return value.Number(0)
	}
	return ev.complexSum(n, nodes, parts, make([]bool, len(parts)))
}

// noOrder refuses complex numbers where only real ones have a meaning.
func (ev *evaluator) noOrder(n *syntax.Node) {
	ev.fail(n, "compare re, im or abs of it", "complex numbers have no order, and %s is complex", ev.say(n))
}

// bilinear is a product of arrays, made of products of their parts by f.
func (ev *evaluator) bilinear(n *syntax.Node, a, b value.Pair, f func(a, b value.Value) value.Value) value.Value {
	less := func(x, y value.Value, w float64) value.Value {
		return ev.weighted(n, []value.Summand{{W: 1, V: x, At: n}, {W: w, V: y, At: n}})
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
func (ev *evaluator) complexQuotient(n *syntax.Node) value.Value {
	a, b := ev.pairOf(n.Args[0]), ev.pairOf(n.Args[1])
	if b.IsReal() {
		re := ev.divide(n, a.Re, b.Re)
		if a.IsReal() {
			return re
		}
		return value.ComplexOf(re, ev.divide(n, a.Im, b.Re))
	}
	r := n.Args[1]
	if !b.IsData() {
		ev.fail(r, "name the quotient as a complex variable q, with q*z == a", "/ divides by real expressions and by data, but %s is complex and depends on a variable", ev.say(r))
	}
	if n.Op == syntax.OpDiv && b.Re.Len() != 1 {
		ev.fail(n, "write ./ to divide entry by entry", "/ divides by one number, but %s is %s", ev.say(r), value.ShapeText(b.Re.Shape))
	}
	re, im := make([]float64, b.Re.Len()), make([]float64, b.Re.Len())
	for k := range re {
		q := 1 / complex(b.Re.At(k), b.Im.At(k))
		re[k], im[k] = real(q), imag(q)
	}
	inverse := value.Pair{Re: ev.finite(n, b.Re.With(re)), Im: ev.finite(n, b.Re.With(im))}
	return ev.bilinear(n, a, inverse, func(a, b value.Value) value.Value { return ev.times(n, a, b) })
}

// mostPower is the largest exponent of complex numbers.
// Source: a limit against nested input: each power is a product.
const mostPower = 64

// complexPower is z^k for whole k >= 0, of variables z*z alone.
func (ev *evaluator) complexPower(n *syntax.Node) value.Value {
	k := ev.integer(n.Args[1], ev.operand(n.Args[1]), "the exponent of a complex number")
	base := ev.pairOf(n.Args[0])
	if k < 0 || k > mostPower || k > 2 && !base.IsData() {
		ev.fail(n, "abs(z)^p is a power of the modulus", "complex numbers have the powers 0 to %d, complex variables those up to 2, not %d", mostPower, k)
	}
	out := value.Pair{Re: base.Re.Constant(1)}
	for range k {
		out = pairIn(ev.bilinear(n, out, base, func(a, b value.Value) value.Value { return ev.times(n, a, b) }))
	}
	if out.IsReal() {
		return out.Re
	}
	return value.ComplexOf(out.Re, out.Im)
}

// complexLiteral is an array of elements some of which are complex.
func (ev *evaluator) complexLiteral(n *syntax.Node) value.Value {
	parts := map[*syntax.Node]value.Pair{}
	of := func(e *syntax.Node) *value.Pair {
		p, ok := parts[e]
		if !ok {
			p = ev.pairOf(e)
			parts[e] = p
		}
		return &p
	}
	re := ev.literalOf(n, func(e *syntax.Node) value.Value { return of(e).Re })
	return value.ComplexOf(re, ev.literalOf(n, func(e *syntax.Node) value.Value { return of(e).Imag() }))
}

// stacked are the parts of all entries as one real vector.
func stacked(p *value.Pair) value.Value {
	im := p.Imag()
	var refs []ref
	for _, part := range []*value.Value{&p.Re, &im} {
		for k := range part.Len() {
			refs = append(refs, ref{part, k})
		}
	}
	return assemble([]int{len(refs)}, refs)
}

// affinePair is argument arg of n as affine functions.
func (ev *evaluator) affinePair(n, arg *syntax.Node, p value.Pair) dc.Complex {
	if v := p.GeneralPart(); v != nil {
		ev.failWith(n, "name the argument as a complex variable", []syntax.Note{ev.note(arg, v.CurvatureNote())},
			"no DC split for %s: %s needs an affine argument, %s is %s", ev.say(n), n.Name, ev.say(arg), v.CurvatureWord())
	}
	im := p.Imag()
	return dc.Complex{Re: p.Re.Affine(), Im: im.Affine()}
}

// hermitianForm serves z'*z, z'*Q*z and z'*(Q*z) with data Q: real for a Hermitian Q, else
// with the imaginary part z'*((Q - Q')/2i)*z.
func (ev *evaluator) hermitianForm(n *syntax.Node) (value.Value, bool) {
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
	if ev.src.tree.Text(x.Span) != ev.src.tree.Text(r.Span) {
		return value.Value{}, false
	}
	p := ev.pairOf(x)
	k := p.Re.Len()
	if p.IsReal() || len(p.Re.Shape) != 1 || k == 0 || p.Re.Sort == value.Expressions || p.Im.Sort == value.Expressions {
		return value.Value{}, false
	}
	z := ev.affinePair(n, x, p)
	if q == nil {
		return ev.atom(n, z.SumSquares(), p.Re.Costs().Weight+p.Im.Costs().Weight), true
	}
	m := ev.pairOf(q)
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
	form := func(q []complex128) value.Value { return ev.embeddedQuad(n, z, dc.ComplexConst([]int{k, k}, q)) }
	return value.ComplexOf(form(re), form(skew)), true
}

// embeddedQuad is z'*Q*z for a Hermitian Q.
func (ev *evaluator) embeddedQuad(n *syntax.Node, z, q dc.Complex) value.Value {
	return ev.quad(n, value.FromAffine(z.Pairs()), ev.embedding(n, q))
}

// embedding is the matrix [re -im; im re].
func (ev *evaluator) embedding(n *syntax.Node, z dc.Complex) value.Value {
	ev.room(n, []int{4, z.Len()})
	e := z.Embedding()
	if e.IsConst() {
		return value.Array(e.Shape(), e.Value(nil))
	}
	return ev.sound(n, e)
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
func (ev *evaluator) onlyFirst(n *syntax.Node, args []value.Pair) {
	for k := 1; k < len(args); k++ {
		if !args[k].IsReal() {
			ev.fail(n.Args[k], "", "this argument of %s must be real, but %s is complex", n.Name, ev.say(n.Args[k]))
		}
	}
}

// eachPart serves functions that are linear in the first argument.
func eachPart(ev *evaluator, n *syntax.Node, args []value.Pair) value.Value {
	ev.onlyFirst(n, args)
	f, vs := ev.noteOf(n).fn.eval, realParts(args)
	re := f(ev, n, vs)
	vs[0] = args[0].Imag()
	return value.ComplexOf(re, f(ev, n, vs))
}

// ofParts serves functions that are linear in both arguments.
func ofParts(ev *evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return ev.bilinear(n, args[0], args[1], func(a, b value.Value) value.Value { return ev.noteOf(n).fn.eval(ev, n, []value.Value{a, b}) })
}

// ofRealPart serves functions of the shape.
func ofRealPart(ev *evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return ev.noteOf(n).fn.eval(ev, n, realParts(args))
}

func realOf(_ *evaluator, _ *syntax.Node, args []value.Pair) value.Value { return args[0].Re }
func imagOf(_ *evaluator, _ *syntax.Node, args []value.Pair) value.Value { return args[0].Imag() }

func (ev *evaluator) complexConj(n *syntax.Node, args []value.Pair) value.Value {
	return value.ComplexOf(args[0].Re, ev.scale(n, -1, args[0].Im))
}

// dataPair are the numbers of argument 0, which must be data.
func (ev *evaluator) dataPair(n *syntax.Node, args []value.Pair) []complex128 {
	p := args[0]
	if !p.IsData() {
		ev.fail(n.Args[0], "", "%s takes complex numbers that are data, but %s depends on a variable", n.Name, ev.say(n.Args[0]))
	}
	im := p.Imag()
	out := make([]complex128, p.Re.Len())
	for k := range out {
		out[k] = complex(p.Re.At(k), im.At(k))
	}
	return out
}

// complexNumbers is an array of numbers in a shape.
func (ev *evaluator) complexNumbers(n *syntax.Node, shape []int, z []complex128) value.Value {
	re, im := make([]float64, len(z)), make([]float64, len(z))
	for k := range z {
		re[k], im[k] = real(z[k]), imag(z[k])
	}
	return value.ComplexOf(ev.finite(n, value.Array(shape, re)), ev.finite(n, value.Array(shape, im)))
}

func (ev *evaluator) complexExp(n *syntax.Node, args []value.Pair) value.Value {
	z := ev.dataPair(n, args)
	for k := range z {
		z[k] = cmplx.Exp(z[k])
	}
	return ev.complexNumbers(n, args[0].Re.Shape, z)
}

// complexInv is the inverse of a matrix, the first columns of that of [re -im; im re].
func (ev *evaluator) complexInv(n *syntax.Node, args []value.Pair) value.Value {
	ev.dataPair(n, args)
	if s := args[0].Re.Shape; len(s) != 2 || s[0] != s[1] || s[0] == 0 {
		ev.fail(n.Args[0], "", "%s needs a square matrix, but %s is %s", n.Name, ev.say(n.Args[0]), value.ShapeText(s))
	}
	d := args[0].Re.Shape[0]
	inverse := ev.fnInv(n, []value.Value{ev.embedding(n, ev.affinePair(n, n.Args[0], args[0]))})
	z := make([]complex128, d*d)
	for i := range d {
		for j := range d {
			z[i*d+j] = complex(inverse.Num[i*2*d+j], inverse.Num[(d+i)*2*d+j])
		}
	}
	return ev.complexNumbers(n, []int{d, d}, z)
}

// moduli are the moduli of the entries of argument 0.
func (ev *evaluator) moduli(n *syntax.Node, p value.Pair) value.Value {
	im := p.Imag()
	if p.IsData() {
		out := make([]float64, p.Re.Len())
		for k := range out {
			out[k] = math.Hypot(p.Re.At(k), im.At(k))
		}
		return ev.finite(n, value.Array(p.Re.Shape, out))
	}
	c := ev.afford(n, p.Re.Costs().Plus(im.Costs()).Times(4))
	ev.spend(n, 2*p.Re.Len())
	if v := p.GeneralPart(); v != nil {
		return value.FromEach(p.Re.Shape, c, func(k int) dc.Expr {
			e := dc.Norm2Of([]dc.Operand{p.Re.Expr(k), im.Expr(k)})
			if e.Err() != nil {
				ev.noSplit(n, n.Args[0], *v, "%s", cause(e.Err()))
			}
			return e
		})
	}
	z := ev.affinePair(n, n.Args[0], p)
	return value.FromEach(p.Re.Shape, c, z.Abs)
}

func (ev *evaluator) complexAbs(n *syntax.Node, args []value.Pair) value.Value {
	return ev.moduli(n, args[0])
}

func (ev *evaluator) complexNorm1(n *syntax.Node, args []value.Pair) value.Value {
	return ev.addUp(n, ev.moduli(n, args[0]))
}

func (ev *evaluator) complexNormInf(n *syntax.Node, args []value.Pair) value.Value {
	return ev.largestModulus(n, args[0])
}

func (ev *evaluator) largestModulus(n *syntax.Node, p value.Pair) value.Value {
	if p.Re.Len() == 0 {
		ev.fail(n, "", "%s of nothing", n.Name)
	}
	return ev.foldEntries(n, "max", ev.moduli(n, p))
}

func (ev *evaluator) complexNorm(n *syntax.Node, args []value.Pair) value.Value {
	ev.onlyFirst(n, args)
	order := 2.0
	if len(args) == 2 {
		order = ev.limit(n.Args[1], args[1].Re, "the order of a norm")
	}
	switch {
	case !(order >= 1):
		ev.fail(n.Args[1], "", "the order of a norm must be at least 1, not %s", ev.is(n.Args[1], order))
	case order == 2:
		return ev.complexNorm2(n, args)
	case order == 1:
		return ev.addUp(n, ev.moduli(n, args[0]))
	case math.IsInf(order, 1):
		return ev.largestModulus(n, args[0])
	}
	v := ev.moduli(n, args[0])
	if v.Sort != value.Expressions {
		return ev.atom(n, dc.NormP(v.Affine(), order), 0)
	}
	return ev.composed(n, v, "convex nonnegative entries", dc.NormPOf(value.Operands(&v), order))
}

func (ev *evaluator) complexNorm2(n *syntax.Node, args []value.Pair) value.Value {
	if args[0].GeneralPart() != nil {
		return ev.fnNorm2(n, []value.Value{stacked(&args[0])})
	}
	z := ev.affinePair(n, n.Args[0], args[0])
	return ev.atom(n, z.Norm2(), z.Re.NNZ()+z.Im.NNZ())
}

func (ev *evaluator) complexSumSquares(n *syntax.Node, args []value.Pair) value.Value {
	if args[0].GeneralPart() != nil {
		return ev.fnSumSquares(n, []value.Value{stacked(&args[0])})
	}
	z := ev.affinePair(n, n.Args[0], args[0])
	return ev.atom(n, z.SumSquares(), z.Re.NNZ()+z.Im.NNZ())
}

// hermitian is argument k, a Hermitian matrix that is affine.
func (ev *evaluator) hermitian(n *syntax.Node, args []value.Pair, k int) dc.Complex {
	at := n.Args[k]
	z := ev.affinePair(n, at, args[k])
	s := z.Shape()
	if len(s) == 0 {
		z, s = z.Reshape(1, 1), []int{1, 1}
	}
	if len(s) != 2 || s[0] != s[1] || s[0] == 0 {
		ev.fail(at, "", "%s needs a square matrix, but %s is %s", n.Name, ev.say(at), value.ShapeText(s))
	}
	ev.spend(n, unitsCoeff*(z.Re.NNZ()+z.Im.NNZ()))
	if i, j, ok := dc.IsHermitian(z); !ok {
		if args[k].IsData() {
			v := z.Value(nil)
			ev.fail(at, "take (Z + Z')/2", "%s needs a Hermitian matrix, but %s has %g at [%d,%d] and %g at [%d,%d]", n.Name, ev.say(at), v[i*s[0]+j], i+1, j+1, v[j*s[0]+i], j+1, i+1)
		}
		ev.fail(at, "declare the variable hermitian, or take (Z + Z')/2", "%s needs a Hermitian matrix, and %s is not seen to be one: its entries [%d,%d] and [%d,%d] are not conjugate",
			n.Name, ev.say(at), i+1, j+1, j+1, i+1)
	}
	return z.Upper()
}

func (ev *evaluator) complexQuad(n *syntax.Node, args []value.Pair) value.Value {
	if !args[1].IsData() {
		ev.numeric(n.Args[1], args[1].Re, "the matrix of quad")
		ev.numeric(n.Args[1], args[1].Imag(), "the matrix of quad")
	}
	if k := args[0].Re.Len(); len(args[0].Re.Shape) > 1 || args[1].Re.Len() != k*k || k > 1 && !slices.Equal(args[1].Re.Shape, []int{k, k}) {
		ev.shapesDiffer(n, n.Args[0], n.Args[1], &args[0].Re, &args[1].Re)
	}
	if args[0].Re.Len() == 0 {
		return value.Number(0)
	}
	return ev.embeddedQuad(n, ev.affinePair(n, n.Args[0], args[0]), ev.hermitian(n, args, 1))
}

// embedded serves functions of a Hermitian matrix by those of [re -im; im re], which has
// each eigenvalue twice: w times the value there.
func embedded(w float64) func(*evaluator, *syntax.Node, []value.Pair) value.Value {
	return func(ev *evaluator, n *syntax.Node, args []value.Pair) value.Value {
		ev.onlyFirst(n, args)
		vs := realParts(args)
		vs[0] = ev.embedding(n, ev.hermitian(n, args, 0))
		if n.Name == "lambda_sumlargest" {
			k := ev.integer(n.Args[1], vs[1], "the number of eigenvalues that lambda_sumlargest adds")
			if d := vs[0].Shape[0] / 2; k < 1 || k > d {
				ev.fail(n.Args[1], "", "lambda_sumlargest adds 1 to %d eigenvalues of %s, not %d", d, ev.say(n.Args[0]), k)
			}
			vs[1] = value.Number(2 * float64(k))
		}
		return ev.scale(n, w, ev.noteOf(n).fn.eval(ev, n, vs))
	}
}

// ofAnyMatrix serves norms of a matrix by its singular values, which [re -im; im re] has
// twice.
func ofAnyMatrix(w float64) func(*evaluator, *syntax.Node, []value.Pair) value.Value {
	return func(ev *evaluator, n *syntax.Node, args []value.Pair) value.Value {
		z := ev.affinePair(n, n.Args[0], args[0])
		if len(z.Shape()) < 2 {
			return ev.complexNorm2(n, args)
		}
		return ev.scale(n, w, ev.noteOf(n).fn.eval(ev, n, []value.Value{ev.embedding(n, z)}))
	}
}

// complexMatFrac is x'*P^-1*x, of columns x below each other: re above im.
func (ev *evaluator) complexMatFrac(n *syntax.Node, args []value.Pair) value.Value {
	p := ev.hermitian(n, args, 1)
	x := ev.affinePair(n, n.Args[0], args[0])
	s := x.Shape()
	if d := p.Shape()[0]; len(s) > 2 || len(s) > 0 && s[0] != d || x.Len()%d != 0 {
		ev.fail(n, "", "shapes differ: %s is %s, %s is %d x %d", ev.say(n.Args[0]), value.ShapeText(s), ev.say(n.Args[1]), d, d)
	}
	stacked := x.Pairs()
	if len(s) == 2 {
		stacked = stacked.Reshape(2*s[0], s[1])
	}
	v := value.FromAffine(stacked)
	if stacked.IsConst() {
		v = value.Array(stacked.Shape(), stacked.Value(nil))
	}
	return ev.fnMatFrac(n, []value.Value{v, ev.embedding(n, p)})
}

// squaredModulus serves abs(z)^2 for complex z, entry by entry: re^2 + im^2.
func (ev *evaluator) squaredModulus(n *syntax.Node) (value.Value, bool) {
	a, e := n.Args[0], n.Args[1]
	if a.Op != syntax.OpCall || a.Name != "abs" || !ev.noteOf(a).ofComplex || e.Op != syntax.OpNumber || e.Num != 2 {
		return value.Value{}, false
	}
	p := ev.pairOf(a.Args[0])
	if p.IsReal() || p.IsData() || p.GeneralPart() != nil {
		return value.Value{}, false
	}
	z := ev.affinePair(a, a.Args[0], p)
	c := ev.afford(n, p.Re.Costs().Plus(p.Im.Costs()).Times(2))
	ev.spend(n, 2*z.Len())
	return value.FromEach(p.Re.Shape, c, func(k int) dc.Expr {
		return dc.SumSquares(dc.Entries(z.Re.Entry(k), z.Im.Entry(k)))
	}), true
}

// fusedModuli is sum(abs(z)^2) of a complex z in one piece; f is abs(z)^2.
func (ev *evaluator) fusedModuli(n, f *syntax.Node) (value.Value, bool) {
	if f.Op != syntax.OpPower || f.Args[0].Op != syntax.OpCall || f.Args[0].Name != "abs" {
		return value.Value{}, false
	}
	a := f.Args[0]
	p := ev.pairOf(a.Args[0])
	if p.IsReal() || p.GeneralPart() != nil {
		return value.Value{}, false
	}
	z := ev.affinePair(a, a.Args[0], p)
	return ev.atom(n, z.SumSquares(), z.Re.NNZ()+z.Im.NNZ()), true
}

// theReal serves functions of which a real number is its own value.
func theReal(_ *evaluator, _ *syntax.Node, args []value.Value) value.Value {
	return args[0].CountFrom(nil)
}

// noImaginary is the imaginary part of what is real.
func noImaginary(_ *evaluator, _ *syntax.Node, args []value.Value) value.Value {
	return args[0].Constant(0)
}
