package lang

// call applies a function to the values of its arguments.
func (ev *evaluator) call(n *node) value {
	if v, ok := ev.fused(n); ok {
		return v
	}
	from := len(ev.args)
	for _, a := range n.args {
		v := ev.eval(a)
		if v.sort > general && !(v.sort == text && n.fn.text || v.sort == members && n.name == "len" || v.sort == sparseNumbers && n.fn.sparse) {
			v = ev.operand(a)
		}
		if v.hasInf() && !n.fn.inf {
			ev.misplacedInf(n)
		}
		ev.args = append(ev.args, v)
	}
	to := len(ev.args)
	v := n.fn.eval(ev, n, ev.args[from:to:to])
	ev.args = ev.args[:from]
	return v
}

// fused is sum(f(x)) for an affine x and the functions f whose sum is one atom
// of the whole array.
func (ev *evaluator) fused(n *node) (v value, ok bool) {
	if n.name != "sum" {
		return v, false
	}
	f := n.args[0]
	square := f.op == opPower && f.args[1].op == opNumber && f.args[1].num == 2
	if !square && (f.op != opCall || f.name != "square" && f.name != "abs" && f.name != "huber") {
		return v, false
	}
	x := ev.operand(f.args[0])
	if x.sort != affine {
		return v, false
	}
	m := 1.0
	if f.name == "huber" && len(f.args) > 1 {
		m = ev.threshold(f, ev.operand(f.args[1]))
	}
	return ev.sumOf(n, f.name, x, m), true
}
