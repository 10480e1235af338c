package dc

import (
	"math"
	"sync/atomic"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// row takes note of lo ≤ l ≤ hi where l has one variable. A row that leaves nothing is
// left to the solver, which names the conflict.
func (s *space) row(l Linear, lo, hi float64) {
	if s == nil || len(l.Idx) != 1 || l.Idx[0] >= len(s.within) || l.Val[0] == 0 || bad(l) {
		return
	}
	j := l.Idx[0]
	if s.param[j] {
		return
	}
	i := interval.Over(interval.New(num.AddDown(lo, -l.Const), num.AddUp(hi, -l.Const)), l.Val[0])
	narrowTo(&s.stated[j], i)
	if narrowTo(&s.within[j], i) && atomic.LoadUint32(&s.asked[j]) != 0 {
		s.overtaken = true
	}
}

// narrowTo intersects i with o, unless that leaves nothing, and reports whether i is less then.
func narrowTo(i *Interval, o Interval) bool {
	n := interval.New(max(i.Lo, o.Lo), min(i.Hi, o.Hi))
	if !(n.Lo <= n.Hi) || n == *i {
		return false
	}
	*i = n
	return true
}

// size is the largest size of l where its variables are within their bounds, or 0 where that has no
// end.
func (s *space) size(l Linear) float64 {
	i := point(l.Const)
	for k, j := range l.Idx {
		i = i.Add(s.interval(j).Scale(l.Val[k]))
	}
	if v := i.Abs().Hi; finite(v) {
		return v
	}
	return 0
}

// plausible is the largest size of l less its constant where its variables are within their
// bounds, or of their starts, at least 1, where they have none.
func (l Linear) plausible() float64 {
	size := 0.0
	for k, j := range l.Idx {
		v := l.of.interval(j).Abs().Hi
		if math.IsInf(v, 1) {
			v = 1
			if l.of != nil && j < len(l.of.starts) {
				v = max(1, l.of.starts[j])
			}
		}
		size += math.Abs(l.Val[k]) * v
	}
	return size
}

// fixed is l with the values of variables whose bounds are equal in their place. Points are
// put between bounds exactly, and break rows by the tolerance.
func (l Linear) fixed() Linear {
	any := false
	for _, j := range l.Idx {
		i := l.of.bound(j)
		any = any || i.Lo == i.Hi
	}
	if !any {
		return l
	}
	out := Linear{Const: l.Const, of: l.of, lost: l.lost}
	for k, j := range l.Idx {
		if i := l.of.bound(j); i.Lo == i.Hi {
			out.Const, out.lost = out.Const+l.Val[k]*i.Lo, out.cancelled(l.Val[k], Linear{Const: i.Lo})
		} else {
			out.Idx, out.Val = append(out.Idx, j), append(out.Val, l.Val[k])
		}
	}
	return out
}
