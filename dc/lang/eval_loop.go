package lang

import "fmt"

// set is the members of a set in braces.
func (ev *evaluator) set(n *node) []float64 {
	var out []float64
	if n.op == opFilter {
		if len(n.binders) > 1 {
			ev.fail(n, "", "a set has one index; it holds whole numbers")
		}
		ev.loop(n, n.binders, n.cond, func() {
			out = append(out, float64(ev.indices[len(ev.indices)-1].at))
			ev.fits(n, []int{len(out)})
		})
		return out
	}
	seen := map[float64]bool{}
	for _, a := range n.args {
		v := ev.dataOf(a, "a member of a set")
		for _, x := range v.numbers() {
			k, ok := whole(x)
			if !ok {
				ev.fail(a, "", "a set holds whole numbers, not %g", x)
			}
			if x = float64(k); !seen[x] {
				seen[x] = true
				out = append(out, x)
			}
		}
	}
	return out
}

// members are what an index runs over: lo..hi, or a list.
func (ev *evaluator) members(n *node) (lo, hi int, list []int) {
	if n.op == opRange {
		lo, hi = ev.ends(n)
		return lo, hi, nil
	}
	v := ev.dataOf(n, "what an index runs over")
	if len(v.shape) != 1 {
		help := ""
		if v.scalar() {
			help = fmt.Sprintf("write 1..%s", ev.say(n))
		}
		ev.fail(n, help, "an index runs over a range or a set, but %s is %s", ev.say(n), shapeText(v.shape))
	}
	list = make([]int, len(v.num))
	for k, x := range v.num {
		i, ok := whole(x)
		if !ok {
			ev.fail(n, "", "an index runs over whole numbers, but %s has the entry %g", ev.say(n), x)
		}
		list[k] = i
	}
	return 0, -1, list
}

// loop runs body for all values of the indices that meet the condition.
func (ev *evaluator) loop(n *node, bs []binder, cond *node, body func()) {
	if len(bs) == 0 {
		if cond == nil || ev.holds(cond) {
			body()
		}
		return
	}
	lo, hi, list := ev.members(bs[0].set)
	at := len(ev.indices)
	ev.indices = append(ev.indices, binding{name: bs[0].name})
	step := func(i int) {
		ev.spend(n, unitsNode)
		ev.indices[at].at = i
		ev.loop(n, bs[1:], cond, body)
		ev.indices = ev.indices[:at+1]
	}
	for i := lo; i <= hi; i++ {
		step(i)
	}
	for _, i := range list {
		step(i)
	}
	ev.indices = ev.indices[:at]
}

// extreme is the max or min over indices.
func (ev *evaluator) extreme(n *node) value {
	var vs []value
	var best float64
	body, members, plain := n.args[0], 0, true // plain: all so far are numbers
	ev.loop(n, n.binders, n.cond, func() {
		v := ev.operand(body)
		members++
		if plain && v.isData() && v.scalar() {
			if members == 1 || (v.x > best) == (n.name == "max") {
				best = v.x
			}
			return
		}
		if plain && members > 1 {
			vs = append(vs, number(best))
		}
		plain = false
		if len(vs) > 0 && !sameShape(vs[0].shape, v.shape) {
			ev.fail(body, "", "the terms of %s differ in shape: %s and %s", n.name, shapeText(vs[0].shape), shapeText(v.shape))
		}
		vs = append(vs, v)
	})
	switch {
	case members == 0:
		ev.fail(n, "", "%s over no members has no value", n.name)
	case plain:
		return number(best)
	}
	return ev.fold(n, n.name, vs)
}
