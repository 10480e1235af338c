package eval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// NoOrder refuses complex numbers where only real ones have a meaning.
func (ev *Evaluator) NoOrder(n *syntax.Node) {
	ev.Fail(n, "compare re, im or abs of it", "complex numbers have no order, and %s is complex", n)
}

// AffinePair is argument arg of n as affine functions.
func (ev *Evaluator) AffinePair(n, arg *syntax.Node, p value.Pair) dc.Complex {
	if v := p.GeneralPart(); v != nil {
		ev.FailWith(n, "name the argument as a complex variable", []syntax.Note{ev.Note(arg, v.CurvatureNote())},
			"no DC split for %s: %s needs an affine argument, %s is %s", n, n.Name, arg, v.CurvatureWord())
	}
	re, im := p.Re.AsAffine(), p.Imag().AsAffine()
	return dc.Complex{Re: re.Function(), Im: im.Function()}
}

// formOf are the x and the Q of x'*Q*x and x'*(Q*x), and the x of x'*x; nil: n is none of them.
func (ev *Evaluator) formOf(n *syntax.Node) (x, q *syntax.Node) {
	l, r := n.Args[0], n.Args[1]
	switch {
	case l.Op == syntax.OpMul && l.Args[0].Op == syntax.OpTrans:
		x, q = l.Args[0].Args[0], l.Args[1]
	case l.Op == syntax.OpTrans && r.Op == syntax.OpMul:
		x, q, r = l.Args[0], r.Args[0], r.Args[1]
	case l.Op == syntax.OpTrans:
		x = l.Args[0]
	}
	if n.Op != syntax.OpMul || x == nil || ev.Src.Tree.Text(x.Span) != ev.Src.Tree.Text(r.Span) {
		return nil, nil
	}
	return x, q
}

// quadraticForm serves x'*Q*x and x'*(Q*x) with data Q in one piece; of complex x also x'*x.
func (ev *Evaluator) quadraticForm(n *syntax.Node) (v value.Value, ok bool) {
	x, q := ev.formOf(n)
	switch {
	case x == nil:
		return v, false
	case ev.NoteOf(n).Complex:
		return ev.hermitianForm(n, x, q)
	case q == nil:
		return v, false
	}
	xv, qv := ev.Operand(x).AsAffine(), ev.ArrayOf(q)
	k := xv.Len()
	if qv.Sort == value.SparseNumbers && value.Size(qv.Shape) <= ev.Entries {
		qv = ev.Dense(q, qv)
	}
	if xv.Sort != value.AffineFunctions || len(xv.Shape) != 1 || !qv.IsData() || !slices.Equal(qv.Shape, []int{k, k}) ||
		k == 0 || qv.HasInf() {
		return v, false
	}
	return ev.Quad(n, xv, qv), true
}

// hermitianForm is real for a Hermitian Q, else it has the imaginary part z'*((Q - Q')/2i)*z.
func (ev *Evaluator) hermitianForm(n, x, q *syntax.Node) (v value.Value, ok bool) {
	p := ev.PairOf(x)
	k := p.Re.Len()
	if p.IsReal() || len(p.Re.Shape) != 1 || k == 0 || p.GeneralPart() != nil {
		return v, false
	}
	z := ev.AffinePair(n, x, p)
	if q == nil {
		return ev.Atom(n, z.SumSquares(), p.Re.Costs().Weight+p.Im.Costs().Weight), true
	}
	m := ev.PairOf(q)
	if !m.IsData() || !slices.Equal(m.Re.Shape, []int{k, k}) || m.Re.HasInf() {
		return v, false
	}
	im := m.Imag()
	re, skew := make([]complex128, k*k), make([]complex128, k*k)
	for i := range k {
		for j := range k {
			a, b := complex(m.Re.Num[i*k+j], im.Num[i*k+j]), complex(m.Re.Num[j*k+i], -im.Num[j*k+i])
			re[i*k+j], skew[i*k+j] = (a+b)/2, (a-b)/2i
		}
	}
	form := func(q []complex128) value.Value { return ev.EmbeddedQuad(n, z, dc.ComplexConst([]int{k, k}, q)) }
	return value.ComplexOf(form(re), form(skew)), true
}

// EmbeddedQuad is z'*Q*z for a Hermitian Q.
func (ev *Evaluator) EmbeddedQuad(n *syntax.Node, z, q dc.Complex) value.Value {
	return ev.Quad(n, value.FromAffine(z.Pairs()), ev.Embedding(n, q))
}

// Embedding is the matrix [re -im; im re].
func (ev *Evaluator) Embedding(n *syntax.Node, z dc.Complex) value.Value {
	ev.Room(n, []int{4, z.Len()})
	e := z.Embedding()
	if e.IsConst() {
		return value.Array(e.Shape(), e.Values(nil))
	}
	return ev.Made(n, e, value.Cost{})
}

// Quad is x'Qx. Only the symmetric part of Q counts.
func (ev *Evaluator) Quad(n *syntax.Node, x, q value.Value) value.Value {
	k := x.Len()
	sym := mat.NewSymDense(k, nil)
	diagonal := true
	for i := range k {
		for j := i; j < k; j++ {
			v := q.Num[i*k+j]/2 + q.Num[j*k+i]/2
			diagonal = diagonal && (i == j || v == 0)
			sym.SetSym(i, j, v)
		}
	}
	ev.Spend(n, k*k)
	if !diagonal {
		ev.Spend(n, int(math.Pow(float64(k), 3)/64))
	}
	e := dc.Quad(ev.Patience(), x.Function(), sym)
	if e.Err() != nil {
		ev.GoOn(ev.Ctx.Err())
	}
	return ev.Atom(n, e, x.Costs().Weight+k*k)
}
