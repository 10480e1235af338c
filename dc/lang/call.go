package lang

import "github.com/dcopt/dcopt/dc/lang/internal/syntax"

// call applies a function to the values of its arguments.
func (ev *evaluator) call(n *syntax.Node) value {
	if v, ok := ev.fused(n); ok {
		return v
	}
	fn, from := ev.noteOf(n).fn, len(ev.args)
	for _, a := range n.Args {
		v := ev.eval(a)
		if v.sort > general && !(v.sort == text && fn.text || v.sort == members && n.Name == "len" || v.sort == sparseNumbers && fn.sparse) {
			v = ev.operand(a)
		}
		if v.hasInf() && !fn.inf {
			ev.misplacedInf(n)
		}
		ev.args = append(ev.args, v)
	}
	to := len(ev.args)
	v := fn.eval(ev, n, ev.args[from:to:to])
	ev.args = ev.args[:from]
	return v
}

// fused is sum(f(x)) for an affine x and the functions f whose sum is one atom
// of the whole array.
func (ev *evaluator) fused(n *syntax.Node) (v value, ok bool) {
	if n.Name != "sum" {
		return v, false
	}
	f := n.Args[0]
	square := f.Op == syntax.OpPower && f.Args[1].Op == syntax.OpNumber && f.Args[1].Num == 2
	if !square && (f.Op != syntax.OpCall || f.Name != "square" && f.Name != "abs" && f.Name != "huber") {
		return v, false
	}
	x := ev.operand(f.Args[0])
	if x.sort != affine {
		return v, false
	}
	m := 1.0
	if f.Name == "huber" && len(f.Args) > 1 {
		m = ev.threshold(f, ev.operand(f.Args[1]))
	}
	return ev.sumOf(n, f.Name, x, m), true
}
