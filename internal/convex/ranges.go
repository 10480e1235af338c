package convex

import (
	"math"
	"sync/atomic"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Row takes note of lo ≤ l ≤ hi where l has one variable. A row that leaves nothing is
// left to the solver, which names the conflict.
func (s *Space) Row(l Linear, lo, hi float64) {
	if s == nil || len(l.Idx) != 1 || l.Idx[0] >= len(s.Within) || l.Val[0] == 0 || NotFinite(l) {
		return
	}
	j := l.Idx[0]
	if s.param[j] {
		return
	}
	i := interval.Over(interval.New(num.AddDown(lo, -l.Const), num.AddUp(hi, -l.Const)), l.Val[0])
	narrowTo(&s.Stated[j], i)
	if narrowTo(&s.Within[j], i) && atomic.LoadUint32(&s.asked[j]) != 0 {
		s.Overtaken = true
	}
}

// narrowTo intersects i with o, unless that leaves nothing, and reports whether i is less then.
func narrowTo(i *interval.Interval, o interval.Interval) bool {
	n := interval.New(max(i.Lo, o.Lo), min(i.Hi, o.Hi))
	if !(n.Lo <= n.Hi) || n == *i {
		return false
	}
	*i = n
	return true
}

// Size is the largest size of l where its variables are within their bounds, or 0 where that has no
// end.
func (s *Space) Size(l Linear) float64 {
	i := interval.Point(l.Const)
	for k, j := range l.Idx {
		i = i.Add(s.Interval(j).Scale(l.Val[k]))
	}
	if v := i.Abs().Hi; num.Finite(v) {
		return v
	}
	return 0
}

// Plausible is the largest size of l less its constant where its variables are within their
// bounds, or of their starts, at least 1, where they have none.
func (l Linear) Plausible() float64 {
	size := 0.0
	for k, j := range l.Idx {
		v := l.Of.Interval(j).Abs().Hi
		if math.IsInf(v, 1) {
			v = 1
			if l.Of != nil && j < len(l.Of.starts) {
				v = max(1, l.Of.starts[j])
			}
		}
		size += math.Abs(l.Val[k]) * v
	}
	return size
}

// Fixed is l with the values of variables whose bounds are equal in their place. Points are
// put between bounds exactly, and break rows by the tolerance.
func (l Linear) Fixed() Linear {
	any := false
	for _, j := range l.Idx {
		i := l.Of.bound(j)
		any = any || i.Lo == i.Hi
	}
	if !any {
		return l
	}
	out := Linear{Const: l.Const, Of: l.Of, Lost: l.Lost}
	for k, j := range l.Idx {
		if i := l.Of.bound(j); i.Lo == i.Hi {
			out.Const, out.Lost = out.Const+l.Val[k]*i.Lo, out.cancelled(l.Val[k], Linear{Const: i.Lo})
		} else {
			out.Idx, out.Val = append(out.Idx, j), append(out.Val, l.Val[k])
		}
	}
	return out
}
