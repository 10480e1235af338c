package lang

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
)

// crossed are bounds of an entry of a variable that no number meets.
type crossed struct {
	entry  int
	lo, hi float64
}

// cross states bounds that no number meets as constraints, named bounds(x).
func (c *compiler) cross(v *varParts, a dc.Affine, list []crossed) {
	if len(list) == 0 {
		return
	}
	at := &syntax.Node{Span: v.s.Span}
	c.warn(at, "the bounds of %s cross: %g > %g", v.s.Name, list[0].lo, list[0].hi)
	name := fmt.Sprintf("bounds(%s)", v.s.Name)
	for _, b := range list {
		x, index := dc.FromLinear(a.Entry(b.entry)), unravel(b.entry, v.shape)
		for _, con := range []dc.Constraint{dc.GE(x, dc.Num(b.lo)), dc.LE(x, dc.Num(b.hi))} {
			if math.IsInf(b.lo, 1) || math.IsInf(b.hi, -1) {
				con = dc.LE(dc.Num(1), dc.Num(0)) // no number is there
			}
			c.model.SubjectTo(con.Named(name, index...))
		}
	}
	c.out.Families = append(c.out.Families, Family{Name: name, Members: len(list),
		Part: Part{Text: c.f.tree.Text(v.s.Span), Place: c.f.place(v.s.At), Curvature: Affine}})
}

// agree checks that the attributes do not contradict each other. It takes away the bounds that no
// number meets.
func (c *compiler) agree(v *varParts) (out []crossed) {
	mirror := func(k int) int { return k }
	if v.symmetric {
		d := v.shape[0]
		mirror = func(k int) int { return k%d*d + k/d }
	}
	at := func(list []float64, k int, none float64) float64 {
		if list == nil {
			return none
		}
		return list[min(k, len(list)-1)]
	}
	inf := math.Inf(1)
	for k := range v.n {
		if v.lo == nil && v.hi == nil && v.values == nil {
			break
		}
		if lo, hi := at(v.lo, k, -inf), min(at(v.hi, k, inf), at(v.hi, mirror(k), inf)); lo > hi || lo == inf || hi == -inf {
			out = append(out, crossed{k, lo, hi})
		}
		if v.symmetric && v.values != nil {
			if a, b := at(v.values, k, 0), at(v.values, mirror(k), 0); !(math.Abs(a-b) <= nearInteger*max(math.Abs(a), math.Abs(b))) {
				c.ev.fail(v.startNode, "", "%s is symmetric and its start is not: it has %g and %g", v.s.Name, a, b)
			}
		}
	}
	if len(out) > 0 {
		v.lo, v.hi = fill(v.lo, v.n, -inf), fill(v.hi, v.n, inf)
	}
	for _, b := range out {
		for _, k := range []int{b.entry, mirror(b.entry)} {
			v.lo[k], v.hi[k] = math.Inf(-1), math.Inf(1)
		}
	}
	return out
}

// fill is a copy of a list, or n times its only number, or none.
func fill(list []float64, n int, none float64) []float64 {
	out := make([]float64, n)
	for k := range out {
		if out[k] = none; list != nil {
			out[k] = list[min(k, len(list)-1)]
		}
	}
	return out
}

// varParts collects the attributes of a variable.
type varParts struct {
	s         *syntax.Statement
	shape     []int
	n         int
	opts      []dc.VarOption
	lo, hi    []float64
	symmetric bool
	psd       bool
	started   bool
	startNode *syntax.Node
	values    []float64 // of the start, where it is not random
}

// given is the start that Options.Start has for a variable.
func (c *compiler) given(v *varParts) (dc.VarOption, bool) {
	s, ok := c.opt.Start[v.s.Name]
	if !ok {
		return nil, false
	}
	flat := len(s.Shape) == 1 && len(s.Values) == v.n
	if !flat && !slices.Equal(squeeze(s.Shape), squeeze(v.shape)) || len(s.Values) != v.n {
		c.ev.fail(&syntax.Node{Span: v.s.At}, "", "shapes differ: %s is %s, its start from %s is %s", v.s.Name, shapeText(v.shape), s.From, shapeText(s.Shape))
	}
	v.values, v.startNode = s.Values, &syntax.Node{Span: v.s.At}
	return dc.StartAt(s.Values...), true
}
