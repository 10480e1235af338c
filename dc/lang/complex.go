package lang

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// complexSum is the sum of arrays, some of them with a minus sign.
func (ev *evaluator) complexSum(n *syntax.Node, nodes []*syntax.Node, parts []pair, minus []bool) value {
	shapes := make([]value, len(parts))
	var re, im []summand
	for k, p := range parts {
		shapes[k] = p.re
		re = append(re, summand{withSign(1, minus[k]), p.re, nodes[k]})
		if !p.isReal() {
			im = append(im, summand{withSign(1, minus[k]), p.im, nodes[k]})
		}
	}
	ev.common(n, nodes, shapes)
	sum := ev.weighted(n, re)
	if im == nil {
		return sum
	}
	return complexOf(sum, ev.weighted(n, im))
}

// complexReduction is sum(i in I) e.
func (ev *evaluator) complexReduction(n *syntax.Node) value {
	if n.Name != "sum" {
		ev.noOrder(n.Args[0])
	}
	body := n.Args[0]
	var parts []pair
	var nodes []*syntax.Node
	ev.loop(n, n.Binders, n.Cond, func() {
		p := ev.pairOf(body)
		if len(parts) > 0 && !slices.Equal(parts[0].re.shape, p.re.shape) {
			ev.fail(body, "", "the terms of sum differ in shape: %s and %s", shapeText(parts[0].re.shape), shapeText(p.re.shape))
		}
		parts, nodes = append(parts, p), append(nodes, body)
	})
	if len(parts) == 0 {
		return number(0)
	}
	return ev.complexSum(n, nodes, parts, make([]bool, len(parts)))
}

// noOrder refuses complex numbers where only real ones have a meaning.
func (ev *evaluator) noOrder(n *syntax.Node) {
	ev.fail(n, "compare re, im or abs of it", "complex numbers have no order, and %s is complex", ev.say(n))
}

// bilinear is a product of arrays, made of products of their parts by f.
func (ev *evaluator) bilinear(n *syntax.Node, a, b pair, f func(a, b value) value) value {
	less := func(x, y value, w float64) value {
		return ev.weighted(n, []summand{{1, x, n}, {w, y, n}})
	}
	re := f(a.re, b.re)
	switch {
	case a.isReal() && b.isReal():
		return re
	case a.isReal():
		return complexOf(re, f(a.re, b.im))
	case b.isReal():
		return complexOf(re, f(a.im, b.re))
	}
	return complexOf(less(re, f(a.im, b.im), -1), less(f(a.re, b.im), f(a.im, b.re), 1))
}

// complexQuotient is a quotient by real numbers or expressions, or by complex data.
func (ev *evaluator) complexQuotient(n *syntax.Node) value {
	a, b := ev.pairOf(n.Args[0]), ev.pairOf(n.Args[1])
	if b.isReal() {
		re := ev.divide(n, a.re, b.re)
		if a.isReal() {
			return re
		}
		return complexOf(re, ev.divide(n, a.im, b.re))
	}
	r := n.Args[1]
	if !b.isData() {
		ev.fail(r, "name the quotient as a complex variable q, with q*z == a", "/ divides by real expressions and by data, but %s is complex and depends on a variable", ev.say(r))
	}
	if n.Op == syntax.OpDiv && b.re.len() != 1 {
		ev.fail(n, "write ./ to divide entry by entry", "/ divides by one number, but %s is %s", ev.say(r), shapeText(b.re.shape))
	}
	re, im := make([]float64, b.re.len()), make([]float64, b.re.len())
	for k := range re {
		q := 1 / complex(b.re.at(k), b.im.at(k))
		re[k], im[k] = real(q), imag(q)
	}
	inverse := pair{ev.finite(n, b.re.with(re)), ev.finite(n, b.re.with(im))}
	return ev.bilinear(n, a, inverse, func(a, b value) value { return ev.times(n, a, b) })
}

// mostPower is the largest exponent of complex numbers.
// Source: a limit against nested input: each power is a product.
const mostPower = 64

// complexPower is z^k for whole k >= 0, of variables z*z alone.
func (ev *evaluator) complexPower(n *syntax.Node) value {
	k := ev.integer(n.Args[1], ev.operand(n.Args[1]), "the exponent of a complex number")
	base := ev.pairOf(n.Args[0])
	if k < 0 || k > mostPower || k > 2 && !base.isData() {
		ev.fail(n, "abs(z)^p is a power of the modulus", "complex numbers have the powers 0 to %d, complex variables those up to 2, not %d", mostPower, k)
	}
	out := pair{re: base.re.constant(1)}
	for range k {
		out = pairIn(ev.bilinear(n, out, base, func(a, b value) value { return ev.times(n, a, b) }))
	}
	if out.isReal() {
		return out.re
	}
	return complexOf(out.re, out.im)
}

// complexLiteral is an array of elements some of which are complex.
func (ev *evaluator) complexLiteral(n *syntax.Node) value {
	parts := map[*syntax.Node]pair{}
	of := func(e *syntax.Node) *pair {
		p, ok := parts[e]
		if !ok {
			p = ev.pairOf(e)
			parts[e] = p
		}
		return &p
	}
	re := ev.literalOf(n, func(e *syntax.Node) value { return of(e).re })
	return complexOf(re, ev.literalOf(n, func(e *syntax.Node) value { return of(e).imag() }))
}

// stacked are the parts of all entries as one real vector.
func stacked(p *pair) value {
	im := p.imag()
	var refs []ref
	for _, part := range []*value{&p.re, &im} {
		for k := range part.len() {
			refs = append(refs, ref{part, k})
		}
	}
	return assemble([]int{len(refs)}, refs)
}

// affinePair is argument arg of n as affine functions.
func (ev *evaluator) affinePair(n, arg *syntax.Node, p pair) dc.Complex {
	if v := p.generalPart(); v != nil {
		ev.failWith(n, "name the argument as a complex variable", []syntax.Note{ev.note(arg, v.curvatureNote())},
			"no DC split for %s: %s needs an affine argument, %s is %s", ev.say(n), n.Name, ev.say(arg), v.curvatureWord())
	}
	im := p.imag()
	return dc.Complex{Re: p.re.affine(), Im: im.affine()}
}

// hermitianForm serves z'*z, z'*Q*z and z'*(Q*z) with data Q: real for a Hermitian Q, else
// with the imaginary part z'*((Q - Q')/2i)*z.
func (ev *evaluator) hermitianForm(n *syntax.Node) (value, bool) {
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
		return value{}, false
	}
	if ev.src.tree.Text(x.Span) != ev.src.tree.Text(r.Span) {
		return value{}, false
	}
	p := ev.pairOf(x)
	k := p.re.len()
	if p.isReal() || len(p.re.shape) != 1 || k == 0 || p.re.sort == general || p.im.sort == general {
		return value{}, false
	}
	z := ev.affinePair(n, x, p)
	if q == nil {
		return ev.atom(n, z.SumSquares(), p.re.costs().weight+p.im.costs().weight), true
	}
	m := ev.pairOf(q)
	if !m.isData() || !slices.Equal(m.re.shape, []int{k, k}) || m.re.hasInf() {
		return value{}, false
	}
	im := m.imag()
	re, skew := make([]complex128, k*k), make([]complex128, k*k)
	for i := range k {
		for j := range k {
			a, b := complex(m.re.num[i*k+j], im.num[i*k+j]), complex(m.re.num[j*k+i], -im.num[j*k+i])
			re[i*k+j], skew[i*k+j] = (a+b)/2, (a-b)/2i
		}
	}
	form := func(q []complex128) value { return ev.embeddedQuad(n, z, dc.ComplexConst([]int{k, k}, q)) }
	return complexOf(form(re), form(skew)), true
}

// embeddedQuad is z'*Q*z for a Hermitian Q.
func (ev *evaluator) embeddedQuad(n *syntax.Node, z, q dc.Complex) value {
	return ev.quad(n, fromAffine(z.Pairs()), ev.embedding(n, q))
}

// embedding is the matrix [re -im; im re].
func (ev *evaluator) embedding(n *syntax.Node, z dc.Complex) value {
	ev.room(n, []int{4, z.Len()})
	e := z.Embedding()
	if e.IsConst() {
		return array(e.Shape(), e.Value(nil))
	}
	return ev.sound(n, e)
}

// realParts are the real parts of arguments.
func realParts(args []pair) []value {
	out := make([]value, len(args))
	for k := range args {
		out[k] = args[k].re
	}
	return out
}

// onlyFirst refuses complex arguments behind the first one.
func (ev *evaluator) onlyFirst(n *syntax.Node, args []pair) {
	for k := 1; k < len(args); k++ {
		if !args[k].isReal() {
			ev.fail(n.Args[k], "", "this argument of %s must be real, but %s is complex", n.Name, ev.say(n.Args[k]))
		}
	}
}

// eachPart serves functions that are linear in the first argument.
func eachPart(ev *evaluator, n *syntax.Node, args []pair) value {
	ev.onlyFirst(n, args)
	f, vs := ev.noteOf(n).fn.eval, realParts(args)
	re := f(ev, n, vs)
	vs[0] = args[0].imag()
	return complexOf(re, f(ev, n, vs))
}

// ofParts serves functions that are linear in both arguments.
func ofParts(ev *evaluator, n *syntax.Node, args []pair) value {
	return ev.bilinear(n, args[0], args[1], func(a, b value) value { return ev.noteOf(n).fn.eval(ev, n, []value{a, b}) })
}

// ofRealPart serves functions of the shape.
func ofRealPart(ev *evaluator, n *syntax.Node, args []pair) value {
	return ev.noteOf(n).fn.eval(ev, n, realParts(args))
}

func realOf(_ *evaluator, _ *syntax.Node, args []pair) value { return args[0].re }
func imagOf(_ *evaluator, _ *syntax.Node, args []pair) value { return args[0].imag() }

func (ev *evaluator) complexConj(n *syntax.Node, args []pair) value {
	return complexOf(args[0].re, ev.scale(n, -1, args[0].im))
}

// dataPair are the numbers of argument 0, which must be data.
func (ev *evaluator) dataPair(n *syntax.Node, args []pair) []complex128 {
	p := args[0]
	if !p.isData() {
		ev.fail(n.Args[0], "", "%s takes complex numbers that are data, but %s depends on a variable", n.Name, ev.say(n.Args[0]))
	}
	im := p.imag()
	out := make([]complex128, p.re.len())
	for k := range out {
		out[k] = complex(p.re.at(k), im.at(k))
	}
	return out
}

// complexNumbers is an array of numbers in a shape.
func (ev *evaluator) complexNumbers(n *syntax.Node, shape []int, z []complex128) value {
	re, im := make([]float64, len(z)), make([]float64, len(z))
	for k := range z {
		re[k], im[k] = real(z[k]), imag(z[k])
	}
	return complexOf(ev.finite(n, array(shape, re)), ev.finite(n, array(shape, im)))
}

func (ev *evaluator) complexExp(n *syntax.Node, args []pair) value {
	z := ev.dataPair(n, args)
	for k := range z {
		z[k] = cmplx.Exp(z[k])
	}
	return ev.complexNumbers(n, args[0].re.shape, z)
}

// complexInv is the inverse of a matrix, the first columns of that of [re -im; im re].
func (ev *evaluator) complexInv(n *syntax.Node, args []pair) value {
	ev.dataPair(n, args)
	if s := args[0].re.shape; len(s) != 2 || s[0] != s[1] || s[0] == 0 {
		ev.fail(n.Args[0], "", "%s needs a square matrix, but %s is %s", n.Name, ev.say(n.Args[0]), shapeText(s))
	}
	d := args[0].re.shape[0]
	inverse := ev.fnInv(n, []value{ev.embedding(n, ev.affinePair(n, n.Args[0], args[0]))})
	z := make([]complex128, d*d)
	for i := range d {
		for j := range d {
			z[i*d+j] = complex(inverse.num[i*2*d+j], inverse.num[(d+i)*2*d+j])
		}
	}
	return ev.complexNumbers(n, []int{d, d}, z)
}

// moduli are the moduli of the entries of argument 0.
func (ev *evaluator) moduli(n *syntax.Node, p pair) value {
	im := p.imag()
	if p.isData() {
		out := make([]float64, p.re.len())
		for k := range out {
			out[k] = math.Hypot(p.re.at(k), im.at(k))
		}
		return ev.finite(n, array(p.re.shape, out))
	}
	c := ev.afford(n, p.re.costs().plus(im.costs()).times(4))
	ev.spend(n, 2*p.re.len())
	if v := p.generalPart(); v != nil {
		return fromEach(p.re.shape, c, func(k int) dc.Expr {
			e := dc.Norm2Of([]dc.Operand{p.re.expr(k), im.expr(k)})
			if e.Err() != nil {
				ev.noSplit(n, n.Args[0], *v, "%s", cause(e.Err()))
			}
			return e
		})
	}
	z := ev.affinePair(n, n.Args[0], p)
	return fromEach(p.re.shape, c, z.Abs)
}

func (ev *evaluator) complexAbs(n *syntax.Node, args []pair) value { return ev.moduli(n, args[0]) }

func (ev *evaluator) complexNorm1(n *syntax.Node, args []pair) value {
	return ev.addUp(n, ev.moduli(n, args[0]))
}

func (ev *evaluator) complexNormInf(n *syntax.Node, args []pair) value {
	return ev.largestModulus(n, args[0])
}

func (ev *evaluator) largestModulus(n *syntax.Node, p pair) value {
	if p.re.len() == 0 {
		ev.fail(n, "", "%s of nothing", n.Name)
	}
	return ev.foldEntries(n, "max", ev.moduli(n, p))
}

func (ev *evaluator) complexNorm(n *syntax.Node, args []pair) value {
	ev.onlyFirst(n, args)
	order := 2.0
	if len(args) == 2 {
		order = ev.limit(n.Args[1], args[1].re, "the order of a norm")
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
	if v.sort != general {
		return ev.atom(n, dc.NormP(v.affine(), order), 0)
	}
	return ev.composed(n, v, "convex nonnegative entries", dc.NormPOf(operands(&v), order))
}

func (ev *evaluator) complexNorm2(n *syntax.Node, args []pair) value {
	if args[0].generalPart() != nil {
		return ev.fnNorm2(n, []value{stacked(&args[0])})
	}
	z := ev.affinePair(n, n.Args[0], args[0])
	return ev.atom(n, z.Norm2(), z.Re.NNZ()+z.Im.NNZ())
}

func (ev *evaluator) complexSumSquares(n *syntax.Node, args []pair) value {
	if args[0].generalPart() != nil {
		return ev.fnSumSquares(n, []value{stacked(&args[0])})
	}
	z := ev.affinePair(n, n.Args[0], args[0])
	return ev.atom(n, z.SumSquares(), z.Re.NNZ()+z.Im.NNZ())
}

// hermitian is argument k, a Hermitian matrix that is affine.
func (ev *evaluator) hermitian(n *syntax.Node, args []pair, k int) dc.Complex {
	at := n.Args[k]
	z := ev.affinePair(n, at, args[k])
	s := z.Shape()
	if len(s) == 0 {
		z, s = z.Reshape(1, 1), []int{1, 1}
	}
	if len(s) != 2 || s[0] != s[1] || s[0] == 0 {
		ev.fail(at, "", "%s needs a square matrix, but %s is %s", n.Name, ev.say(at), shapeText(s))
	}
	ev.spend(n, unitsCoeff*(z.Re.NNZ()+z.Im.NNZ()))
	if i, j, ok := dc.IsHermitian(z); !ok {
		if args[k].isData() {
			v := z.Value(nil)
			ev.fail(at, "take (Z + Z')/2", "%s needs a Hermitian matrix, but %s has %g at [%d,%d] and %g at [%d,%d]", n.Name, ev.say(at), v[i*s[0]+j], i+1, j+1, v[j*s[0]+i], j+1, i+1)
		}
		ev.fail(at, "declare the variable hermitian, or take (Z + Z')/2", "%s needs a Hermitian matrix, and %s is not seen to be one: its entries [%d,%d] and [%d,%d] are not conjugate",
			n.Name, ev.say(at), i+1, j+1, j+1, i+1)
	}
	return z.Upper()
}

func (ev *evaluator) complexQuad(n *syntax.Node, args []pair) value {
	if !args[1].isData() {
		ev.numeric(n.Args[1], args[1].re, "the matrix of quad")
		ev.numeric(n.Args[1], args[1].imag(), "the matrix of quad")
	}
	if k := args[0].re.len(); len(args[0].re.shape) > 1 || args[1].re.len() != k*k || k > 1 && !slices.Equal(args[1].re.shape, []int{k, k}) {
		ev.shapesDiffer(n, n.Args[0], n.Args[1], &args[0].re, &args[1].re)
	}
	if args[0].re.len() == 0 {
		return number(0)
	}
	return ev.embeddedQuad(n, ev.affinePair(n, n.Args[0], args[0]), ev.hermitian(n, args, 1))
}

// embedded serves functions of a Hermitian matrix by those of [re -im; im re], which has
// each eigenvalue twice: w times the value there.
func embedded(w float64) func(*evaluator, *syntax.Node, []pair) value {
	return func(ev *evaluator, n *syntax.Node, args []pair) value {
		ev.onlyFirst(n, args)
		vs := realParts(args)
		vs[0] = ev.embedding(n, ev.hermitian(n, args, 0))
		if n.Name == "lambda_sumlargest" {
			k := ev.integer(n.Args[1], vs[1], "the number of eigenvalues that lambda_sumlargest adds")
			if d := vs[0].shape[0] / 2; k < 1 || k > d {
				ev.fail(n.Args[1], "", "lambda_sumlargest adds 1 to %d eigenvalues of %s, not %d", d, ev.say(n.Args[0]), k)
			}
			vs[1] = number(2 * float64(k))
		}
		return ev.scale(n, w, ev.noteOf(n).fn.eval(ev, n, vs))
	}
}

// ofAnyMatrix serves norms of a matrix by its singular values, which [re -im; im re] has
// twice.
func ofAnyMatrix(w float64) func(*evaluator, *syntax.Node, []pair) value {
	return func(ev *evaluator, n *syntax.Node, args []pair) value {
		z := ev.affinePair(n, n.Args[0], args[0])
		if len(z.Shape()) < 2 {
			return ev.complexNorm2(n, args)
		}
		return ev.scale(n, w, ev.noteOf(n).fn.eval(ev, n, []value{ev.embedding(n, z)}))
	}
}

// complexMatFrac is x'*P^-1*x, of columns x below each other: re above im.
func (ev *evaluator) complexMatFrac(n *syntax.Node, args []pair) value {
	p := ev.hermitian(n, args, 1)
	x := ev.affinePair(n, n.Args[0], args[0])
	s := x.Shape()
	if d := p.Shape()[0]; len(s) > 2 || len(s) > 0 && s[0] != d || x.Len()%d != 0 {
		ev.fail(n, "", "shapes differ: %s is %s, %s is %d x %d", ev.say(n.Args[0]), shapeText(s), ev.say(n.Args[1]), d, d)
	}
	stacked := x.Pairs()
	if len(s) == 2 {
		stacked = stacked.Reshape(2*s[0], s[1])
	}
	v := fromAffine(stacked)
	if stacked.IsConst() {
		v = array(stacked.Shape(), stacked.Value(nil))
	}
	return ev.fnMatFrac(n, []value{v, ev.embedding(n, p)})
}

// squaredModulus serves abs(z)^2 for complex z, entry by entry: re^2 + im^2.
func (ev *evaluator) squaredModulus(n *syntax.Node) (value, bool) {
	a, e := n.Args[0], n.Args[1]
	if a.Op != syntax.OpCall || a.Name != "abs" || !ev.noteOf(a).ofComplex || e.Op != syntax.OpNumber || e.Num != 2 {
		return value{}, false
	}
	p := ev.pairOf(a.Args[0])
	if p.isReal() || p.isData() || p.generalPart() != nil {
		return value{}, false
	}
	z := ev.affinePair(a, a.Args[0], p)
	c := ev.afford(n, p.re.costs().plus(p.im.costs()).times(2))
	ev.spend(n, 2*z.Len())
	return fromEach(p.re.shape, c, func(k int) dc.Expr {
		return dc.SumSquares(dc.Entries(z.Re.Entry(k), z.Im.Entry(k)))
	}), true
}

// fusedModuli is sum(abs(z)^2) of a complex z in one piece; f is abs(z)^2.
func (ev *evaluator) fusedModuli(n, f *syntax.Node) (value, bool) {
	if f.Op != syntax.OpPower || f.Args[0].Op != syntax.OpCall || f.Args[0].Name != "abs" {
		return value{}, false
	}
	a := f.Args[0]
	p := ev.pairOf(a.Args[0])
	if p.isReal() || p.generalPart() != nil {
		return value{}, false
	}
	z := ev.affinePair(a, a.Args[0], p)
	return ev.atom(n, z.SumSquares(), z.Re.NNZ()+z.Im.NNZ()), true
}

// theReal serves functions of which a real number is its own value.
func theReal(_ *evaluator, _ *syntax.Node, args []value) value { return args[0].countFrom(nil) }

// noImaginary is the imaginary part of what is real.
func noImaginary(_ *evaluator, _ *syntax.Node, args []value) value { return args[0].constant(0) }
