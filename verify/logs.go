package verify

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// alone is w and a of e = w·a.
func (e *expr) alone() (w float64, a *expr) {
	if e.op == opSum && len(e.args) == 1 {
		return e.weights[0], e.args[0]
	}
	return 1, e
}

// is reports whether e is a function of one number.
func (e *expr) is(k safe.Kind) bool { return e.op == opCurve && e.k == int(k) }

// below is w, v and q of e = w·v^q with w > 0 and q < 0.
func (e *expr) below() (w float64, v *expr, q float64, ok bool) {
	w, a := e.alone()
	if a.op != opPower || a.num >= 0 || !(w > 0) {
		return 0, nil, 0, false
	}
	return w, a.args[0], a.num, true
}

// logs is log e as Σ w·log v + c by the factors of e, as a search takes it.
func (f *flat) logs(e *expr) (parts []weighted, c safe.Span) {
	if w, v, q, ok := e.below(); ok {
		parts, c = f.logs(v)
		for k := range parts {
			parts[k].w = parts[k].w.Times(safe.Just(q))
		}
		return parts, c.Times(safe.Just(q)).Plus(safe.Just(w).Log())
	}
	if w, u, v, ok := f.factors(e); ok {
		left, b := f.logs(u)
		right, c := f.logs(v)
		return append(left, right...), safe.Just(w).Log().Plus(b).Plus(c)
	}
	if u, v, ok := f.fraction(e); ok {
		parts, c = f.logs(u)
		of, b := f.logs(v)
		for _, p := range of {
			parts = append(parts, weighted{p.e, p.w.Minus()})
		}
		return parts, c.Less(b)
	}
	return []weighted{{e, safe.Just(1)}}, safe.Span{}
}

// factors are w > 0, u and v of e = w·u·v, where u has no negative value, so that v has none where
// e is positive.
func (f *flat) factors(e *expr) (w float64, u, v *expr, ok bool) {
	w, a := e.alone()
	switch {
	case a.op == opMul:
		u, v = a.args[0], a.args[1]
	case a.op == opPower && a.num == 2:
		u, v = a.args[0], a.args[0]
	default:
		return 0, nil, nil, false
	}
	if i := f.reach(f.of(u)); i.Lo < 0 && i.Hi > 0 {
		u, v = v, u
	}
	i := f.reach(f.of(u))
	if i.Lo < 0 && i.Hi > 0 {
		return 0, nil, nil, false
	}
	if i.Lo < 0 {
		u, w = scaled(-1, u), -w
	}
	if w < 0 {
		w, v = -w, scaled(-1, v)
	}
	return w, u, v, true
}

// fraction is u/v = e, a sum of affine functions and of quotients by v > 0.
func (f *flat) fraction(e *expr) (u, v *expr, ok bool) {
	if e.op != opSum {
		return nil, nil, false
	}
	var over, rest []*expr
	var ws, plain []float64
	for k, a := range e.args {
		if _, _, ok := affine(a); ok {
			rest, plain = append(rest, a), append(plain, e.weights[k])
			continue
		}
		w, b := e.weights[k], a
		if b.op != opMul {
			b = &expr{op: opMul, args: []*expr{number(1), b}}
		}
		at := slices.IndexFunc(b.args, func(a *expr) bool { return a.op == opPower && a.num == -1 })
		if at < 0 || v != nil && b.args[at].args[0] != v {
			return nil, nil, false
		}
		v = b.args[at].args[0]
		over, ws = append(over, b.args[1-at]), append(ws, w)
	}
	if v == nil {
		return nil, nil, false
	}
	return sumOf(append(over, product(sumOf(rest, plain), v)), append(ws, 1)), v, true
}

// timesLogs is u·(Σ wₖ·log vₖ + r) for affine u and vₖ, where u is positive by its bounds or as a
// vₖ is a multiple of it: u·log v is u·log u − kl(u, v) + v − u.
func (f *flat) timesLogs(u, v *expr) (out form, ok bool) {
	if _, _, ok := affine(u); !ok || f.along != nil || !u.varies() || !v.varies() {
		return out, false
	}
	lu, own, entropy := f.of(u), safe.Span{}, safe.Span{}
	positive := f.reach(lu).Lo > 0
	var rest, others []weighted // terms of r; vₖ that are no multiples
	terms := v.summands()
	own = own.Plus(terms.c)
	for _, t := range terms.terms {
		if !t.e.is(safe.Log) {
			rest = append(rest, t)
			continue
		}
		parts, c := f.logs(t.e.args[0])
		own = own.Plus(c.Times(t.w))
		for _, p := range parts {
			p.w = p.w.Times(t.w)
			if _, _, ok := affine(p.e); !ok {
				rest = append(rest, weighted{&expr{op: opCurve, k: int(safe.Log), args: []*expr{p.e}}, p.w})
				continue
			}
			lv := f.of(p.e)
			entropy = entropy.Plus(p.w)
			if r, ok := lv.multiple(lu); ok {
				positive, own = true, own.Plus(r.Log().Times(p.w))
			} else {
				others = append(others, p)
			}
		}
	}
	// a function that is tried would leave its domain behind
	if !positive || entropy == (safe.Span{}) && len(others) == 0 {
		return out, false
	}
	ls, ws := []form{lu}, []safe.Span{own}
	add := func(l form, w safe.Span) { ls, ws = append(ls, l), append(ws, w) }
	for _, p := range others {
		add(f.of(&expr{op: opKL, args: []*expr{u, p.e}}), p.w.Minus())
		add(f.of(p.e), p.w)
		add(lu, p.w.Minus())
	}
	if entropy != (safe.Span{}) {
		add(f.of(&expr{op: opCurve, k: int(safe.Entropy), args: []*expr{u}}), entropy.Minus())
	}
	if len(rest) > 0 {
		by := []form{}
		bw := []safe.Span{}
		for _, t := range rest {
			by, bw = append(by, f.of(t.e)), append(bw, t.w)
		}
		add(f.product(lu, f.add(by, bw)), safe.Just(1))
	}
	return f.add(ls, ws), true
}

// powerOfPower is e = (w·v^q)^p as w^p·v^(p·q) for p > 0, and the root of w·u·v for affine u, v ≥ 0
// as their geometric mean.
func (f *flat) powerOfPower(e *expr) (out form, ok bool) {
	p := e.num
	raisedBy := func(w float64) safe.Span { return safe.Function{Kind: safe.Power, P: p}.Value(w) }
	if w, v, q, ok := e.args[0].below(); ok && p > 0 && sameProduct(p, q, p*q, 1) {
		_, _, straight := affine(v)
		return f.scale(f.power(f.of(v), p*q, straight), raisedBy(w)), true
	}
	w, a := e.args[0].alone()
	if p != 0.5 || a.op != opMul || !(w > 0) {
		return out, false
	}
	for _, u := range a.args {
		if _, _, ok := affine(u); !ok || f.reach(f.of(u)).Lo < 0 {
			return out, false
		}
	}
	return f.scale(f.of(&expr{op: opGeo, args: a.args, weights: []float64{0.5, 0.5}}), raisedBy(w)), true
}

// multiple is l/r > 0 where that is one number.
func (l *form) multiple(r form) (w safe.Span, ok bool) {
	if len(r.idx) == 0 || !slices.Equal(l.idx, r.idx) || l.err != (safe.Span{}) || r.err != (safe.Span{}) {
		return w, false
	}
	a, b := l.val[0].Mid(), r.val[0].Mid()
	for k := range r.val {
		x, y := l.val[k].Mid(), r.val[k].Mid()
		if l.val[k] != safe.Just(x) || r.val[k] != safe.Just(y) || !sameProduct(x, b, y, a) {
			return w, false
		}
	}
	if !sameProduct(l.c, b, r.c, a) || !(a/b > 0) {
		return w, false
	}
	return l.val[0].Over(r.val[0]), true
}

// sameProduct reports whether a·b = c·d without rounding.
func sameProduct(a, b, c, d float64) bool {
	p, q := a*b, c*d
	return p == q && math.FMA(a, b, -p) == math.FMA(c, d, -q)
}
