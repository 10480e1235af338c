package function

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// noOrder serves functions that compare numbers.
func noOrder(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	ev.NoOrder(n.Args[slices.IndexFunc(args, func(p value.Pair) bool { return !p.IsReal() })])
	return value.Value{}
}

// mostPower is the largest exponent of complex numbers.
// Source: a limit against nested input: each power is a product.
const mostPower = 64

// complexPower is z^k for whole k >= 0, of variables z*z alone.
func complexPower(ev *eval.Evaluator, n *syntax.Node, base value.Pair) value.Value {
	k := ev.Integer(n.Args[1], ev.Operand(n.Args[1]), "the exponent of a complex number")
	if k < 0 || k > mostPower || k > 2 && !base.IsData() {
		ev.Fail(n, "abs(z)^p is a power of the modulus",
			"complex numbers have the powers 0 to %d, complex variables those up to 2, not %d", mostPower, k)
	}
	out := base.Re.Constant(1)
	for range k {
		out = ev.Times(n, out, value.ComplexOf(base.Re, base.Imag()))
	}
	return out
}

// stacked are the parts of all entries as one real vector.
func stacked(_ *eval.Evaluator, _ *syntax.Node, p value.Pair) value.Value {
	return value.Stack(p.Re, p.Imag())
}

// realPart is the real part.
func realPart(_ *eval.Evaluator, _ *syntax.Node, p value.Pair) value.Value { return p.Re }

// byFirst serves functions by those of real arrays, of an array made of the first argument.
func byFirst(first func(ev *eval.Evaluator, n *syntax.Node, p value.Pair) value.Value) eval.ApplyComplex {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
		onlyFirst(ev, n, args)
		vs := realParts(args)
		vs[0] = first(ev, n, args[0])
		return ev.NoteOf(n).Fn.Eval(ev, n, vs)
	}
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
			ev.Fail(n.Args[k], "", "this argument of %s must be real, but %s is complex", n.Name, n.Args[k])
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
	return ev.Bilinear(n, args[0], args[1], func(a, b value.Value) value.Value {
		return ev.NoteOf(n).Fn.Eval(ev, n, []value.Value{a, b})
	})
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
			n.Args[0])
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
	d := orderOf(ev, n, n.Args[0], args[0].Re.Shape, 1)
	inverse := fnInv(ev, n, []value.Value{ev.Embedding(n, ev.AffinePair(n, n.Args[0], args[0]))})
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
	z := ev.AffinePair(n, n.Args[0], p)
	return value.FromEach(p.Re.Shape, c, z.Abs)
}

func complexAbs(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	return moduli(ev, n, args[0])
}

func complexNorm(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	onlyFirst(ev, n, args)
	if p := normOrder(ev, n, realParts(args)); p != 2 {
		return normOf(ev, n, moduli(ev, n, args[0]), p)
	}
	return rowOfArray(atom.Norm2)(ev, n, []value.Value{stacked(ev, n, args[0])})
}

// hermitian is argument k, a Hermitian matrix that is affine.
func hermitian(ev *eval.Evaluator, n *syntax.Node, args []value.Pair, k int) dc.Complex {
	at := n.Args[k]
	z := ev.AffinePair(n, at, args[k])
	s := z.Shape()
	if len(s) == 0 {
		z, s = z.Reshape(1, 1), []int{1, 1}
	}
	orderOf(ev, n, at, s, 1)
	ev.Spend(n, eval.UnitsCoeff*(z.Re.NNZ()+z.Im.NNZ()))
	if i, j, ok := dc.IsHermitian(z); !ok {
		if args[k].IsData() {
			v := z.Value(nil)
			ev.Fail(at, "take (Z + Z')/2", "%s needs a Hermitian matrix, but %s has %g at [%d,%d] and %g at [%d,%d]",
				n.Name, at, v[i*s[0]+j], i+1, j+1, v[j*s[0]+i], j+1, i+1)
		}
		ev.Fail(at, "declare the variable hermitian, or take (Z + Z')/2",
			"%s needs a Hermitian matrix, and %s is not seen to be one: its entries [%d,%d] and [%d,%d] are not "+
				"conjugate", n.Name, at, i+1, j+1, j+1, i+1)
	}
	return z.Upper()
}

func complexQuad(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	if !args[1].IsData() {
		ev.Numeric(n.Args[1], args[1].Re, "the matrix of quad")
		ev.Numeric(n.Args[1], args[1].Imag(), "the matrix of quad")
	}
	if formShapes(ev, n, &args[0].Re, &args[1].Re); args[0].Re.Len() == 0 {
		return value.Number(0)
	}
	return ev.EmbeddedQuad(n, ev.AffinePair(n, n.Args[0], args[0]), hermitian(ev, n, args, 1))
}

// embedded serves functions of a Hermitian matrix by functions of [re -im; im re], which has
// each eigenvalue twice: w times the value there.
func embedded(w float64) eval.ApplyComplex {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
		onlyFirst(ev, n, args)
		vs := realParts(args)
		vs[0] = ev.Embedding(n, hermitian(ev, n, args, 0))
		if n.Name == "lambda_sumlargest" {
			vs[1] = value.Number(2 * float64(eigenvalues(ev, n, vs[1], vs[0].Shape[0]/2)))
		}
		return ev.Scale(n, w, ev.NoteOf(n).Fn.Eval(ev, n, vs))
	}
}

// ofAnyMatrix serves norms of a matrix by its singular values, which [re -im; im re] has
// twice.
func ofAnyMatrix(w float64) eval.ApplyComplex {
	return func(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
		z := ev.AffinePair(n, n.Args[0], args[0])
		if len(z.Shape()) < 2 {
			return rowOfArray(atom.Norm2)(ev, n, []value.Value{stacked(ev, n, args[0])})
		}
		return ev.Scale(n, w, ev.NoteOf(n).Fn.Eval(ev, n, []value.Value{ev.Embedding(n, z)}))
	}
}

// complexMatFrac is x'*P^-1*x, of columns x below each other: re above im.
func complexMatFrac(ev *eval.Evaluator, n *syntax.Node, args []value.Pair) value.Value {
	p := hermitian(ev, n, args, 1)
	x := ev.AffinePair(n, n.Args[0], args[0])
	s := x.Shape()
	if d := p.Shape()[0]; len(s) > 2 || len(s) > 0 && s[0] != d || x.Len()%d != 0 {
		ev.Fail(n, "", "shapes differ: %s is %s, %s is %d x %d", n.Args[0], value.Shape(s), n.Args[1], d, d)
	}
	stacked := x.Pairs()
	if len(s) == 2 {
		stacked = stacked.Reshape(2*s[0], s[1])
	}
	v := value.FromAffine(stacked)
	if stacked.IsConst() {
		v = value.Array(stacked.Shape(), stacked.Values(nil))
	}
	return fnMatFrac(ev, n, []value.Value{v, ev.Embedding(n, p)})
}

// squaredModuli is the z of f, if that is abs(z)^2 of a complex affine z, and its parts.
func squaredModuli(ev *eval.Evaluator, f *syntax.Node) (z dc.Complex, p value.Pair, ok bool) {
	a, e := f.Args[0], f.Args[1]
	if a.Op != syntax.OpCall || a.Name != "abs" || !ev.NoteOf(a).OfComplex || e.Op != syntax.OpNumber || e.Num != 2 {
		return z, p, false
	}
	if p = ev.PairOf(a.Args[0]); p.IsReal() || p.GeneralPart() != nil {
		return z, p, false
	}
	return ev.AffinePair(a, a.Args[0], p), p, true
}

// theReal serves functions of which a real number is its own value.
func theReal(_ *eval.Evaluator, _ *syntax.Node, args []value.Value) value.Value {
	return args[0].CountFrom(nil)
}

// noImaginary is the imaginary part of what is real.
func noImaginary(_ *eval.Evaluator, _ *syntax.Node, args []value.Value) value.Value {
	return args[0].Constant(0)
}
