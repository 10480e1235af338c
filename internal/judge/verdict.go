package judge

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// Exact has the true numbers at a point.
type Exact struct {
	// Objective is nil where the point is outside the domain of a function of
	// the problem, which Outside then names.
	Objective *big.Float
	// ObjectiveErr bounds the error of an honest float64 evaluation; ObjectiveSize
	// is the largest term.
	ObjectiveErr, ObjectiveSize float64
	// Violation is the largest amount by which a row or bound is broken. An honest
	// float64 evaluation finds something between Least and Most, which take each
	// row's own error off or add it. Relative is the largest violation less its
	// error by the size of its row's terms, at least 1.
	Violation, Least, Most, Relative float64
	// Bound is the largest amount by which x passes a bound of a variable that no
	// equation defines.
	Bound   float64
	Worst   string
	Outside error
	// Overflow: a value on the way is too large for a float64.
	Overflow bool
}

// At evaluates the problem at x, whose entries must be finite.
func (p *Problem) At(a *Arith, x []float64) Exact {
	ev := exact.NewEvaluator(a.Arith, x)
	var t Exact
	for k, v := range x {
		over := math.Max(p.Lo[k]-v, v-p.Hi[k])
		rounding := 0.0
		if k < len(x)-p.Defined {
			t.Bound = max(t.Bound, over)
		} else { // of what defines it
			rounding = exact.Ulps * exact.Unit * math.Abs(v)
		}
		limit := p.Lo[k]
		if v > p.Hi[k] {
			limit = p.Hi[k]
		}
		t.note(ev.Of(max(over, 0)), rounding, math.Abs(limit), func() string {
			return fmt.Sprintf("bound of x[%d]", k+1)
		})
	}
	t.objective(ev, p.Objective)
	for _, c := range p.Constraints {
		for i, r := range c.Rows {
			t.row(ev, r, func() string { return fmt.Sprintf("row %d of %s", i+1, c) })
		}
	}
	t.Overflow = ev.Overflow
	return t
}

// objective notes the value of the objective n.
func (t *Exact) objective(ev *exact.Evaluator, n *exact.Node) {
	obj, err := ev.Eval(n)
	if err != nil {
		t.Outside = err
		return
	}
	t.Objective = obj.V
	t.ObjectiveErr = honest * up(obj.Err)
	t.ObjectiveSize = terms(ev, n)
}

// row notes the violation of one row.
func (t *Exact) row(ev *exact.Evaluator, r Row, name func() string) {
	v, err := ev.Eval(r.E)
	if err != nil {
		t.Outside = errors.Join(t.Outside, err)
		return
	}
	size := math.Max(terms(ev, r.E), math.Abs(r.B))
	v = ev.Sum([]exact.Value{v, {V: ev.Of(-r.B), Err: exact.Bounded()}})
	over := v.V
	switch {
	case r.Rel == AtLeast:
		over = ev.Neg(over)
	case r.Rel == Equal:
		over = ev.Abs(over)
	}
	t.note(over, up(v.Err), size, name)
}

func (t *Exact) note(over *big.Float, err, size float64, name func() string) {
	v, _ := over.Float64()
	err *= honest
	t.Least = max(t.Least, v-err)
	t.Most = max(t.Most, v+err)
	if math.IsInf(size, 0) {
		size = 1
	}
	t.Relative = max(t.Relative, (v-err)/max(1, size))
	if v > t.Violation {
		t.Violation, t.Worst = v, name()
	}
}

// terms is the largest absolute value of a term of the sum n.
func terms(ev *exact.Evaluator, n *exact.Node) float64 {
	if n.Op == exact.OpAdd {
		size := 0.0
		for _, a := range n.Args {
			size = max(size, terms(ev, a))
		}
		return size
	}
	v, err := ev.Eval(n)
	if err != nil {
		return 0
	}
	size, _ := v.V.Float64()
	return math.Abs(size)
}

// up is v as a float64, not smaller.
func up(v *big.Float) float64 {
	f, acc := v.Float64()
	if acc == big.Below {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}

// honest is how many times the running error bound an evaluation may be off: it
// may merge the coefficients of a sum, scale a row or add in another order, each
// with a few more roundings for a term.
const honest = 16

// Arith is the arithmetic of a judge, for one goroutine.
type Arith struct{ *exact.Arith }

// NewArith makes arithmetic in Precision bits.
func NewArith() *Arith { return &Arith{exact.NewArith(exact.Precision)} }
