package lang

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// crossed are bounds of an entry of a variable that no number meets.
type crossed struct {
	entry  int
	lo, hi float64
}

// cross states bounds that no number meets as constraints, named bounds(x).
func (c *compiler) cross(v *varParts, a dc.Expr, list []crossed) {
	if len(list) == 0 {
		return
	}
	at := &syntax.Node{Span: v.s.Span}
	c.warn(at, "the bounds of %s cross: %g > %g", v.s.Name, list[0].lo, list[0].hi)
	name := fmt.Sprintf("bounds(%s)", v.s.Name)
	for _, b := range list {
		x, index := a.Entry(b.entry), value.Unravel(b.entry, v.shape)
		for _, con := range []dc.Constraint{dc.GE(x, b.lo), dc.LE(x, b.hi)} {
			if math.IsInf(b.lo, 1) || math.IsInf(b.hi, -1) {
				con = dc.LE(1, 0) // no number is there
			}
			c.model.SubjectTo(con.Named(name, index...))
		}
	}
	c.out.Families = append(c.out.Families, Family{Name: name, Members: len(list),
		Part: Part{Text: c.f.src.Tree.Text(v.s.Span), Place: c.f.place(v.s.At), Curvature: Affine}})
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
		if lo, hi := at(v.lo, k, -inf), min(at(v.hi, k, inf), at(v.hi, mirror(k), inf)); lo > hi || lo == inf ||
			hi == -inf {
			out = append(out, crossed{k, lo, hi})
		}
		if v.symmetric && v.values != nil {
			if a, b := at(v.values, k, 0), at(v.values, mirror(k),
				0); !(math.Abs(a-b) <= eval.NearInteger*max(math.Abs(a), math.Abs(b))) {
				c.ev.Fail(v.startNode, "", "%s is symmetric and its start is not: it has %g and %g", v.s.Name, a, b)
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
	complex   bool // hermitian, too
	hermitian bool
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
	if !flat && !slices.Equal(value.Squeeze(s.Shape), value.Squeeze(v.shape)) || len(s.Values) != v.n {
		c.ev.Fail(&syntax.Node{Span: v.s.At}, "", "shapes differ: %s is %s, its start from %s is %s", v.s.Name,
			value.ShapeText(v.shape), s.From, value.ShapeText(s.Shape))
	}
	v.values, v.startNode = s.Values, &syntax.Node{Span: v.s.At}
	return dc.StartAt(s.Values...), true
}

// filling is data for every entry of a variable, or one number for all.
func (c *compiler) filling(v *varParts, n *syntax.Node, what string) []float64 {
	x := c.ev.DataOf(n, what)
	if x.Len() != 1 && !slices.Equal(value.Squeeze(x.Shape), value.Squeeze(v.shape)) {
		c.ev.Fail(n, "", "shapes differ: %s is %s, %s is %s", v.s.Name, value.ShapeText(v.shape),
			c.ev.Say(n)+c.ev.FromFile(n), value.ShapeText(x.Shape))
	}
	return x.Numbers()
}

// start is where a variable starts.
func (c *compiler) start(v *varParts, n *syntax.Node) dc.VarOption {
	if n.Op != syntax.OpCall || n.Name != "normal" && n.Name != "uniform" {
		v.values, v.startNode = c.filling(v, n, "a start"), n
		if slices.ContainsFunc(v.values, func(x float64) bool { return math.IsInf(x, 0) }) {
			c.ev.Fail(n, "", "the start of %s must be finite", v.s.Name)
		}
		return dc.StartAt(v.values...)
	}
	a := c.ev.Real(n.Args[0], c.ev.Operand(n.Args[0]), "the first argument of "+n.Name)
	b := c.ev.Real(n.Args[1], c.ev.Operand(n.Args[1]), "the second argument of "+n.Name)
	if n.Name == "normal" {
		if !(b >= 0) {
			c.ev.Fail(n.Args[1], "", "the standard deviation must not be negative: %g", b)
		}
		return dc.StartNormal(a, b)
	}
	if !(a <= b) || math.IsInf(b-a, 0) {
		c.ev.Fail(n, "", "uniform(l, u) needs l <= u, not %g and %g", a, b)
	}
	return dc.StartUniform(a, b)
}

// isComplex reports whether a variable is declared complex or hermitian.
func isComplex(s *syntax.Statement) bool {
	return slices.ContainsFunc(s.Attrs, func(a syntax.Attribute) bool {
		return a.Name == "complex" || a.Name == "hermitian"
	})
}

// complexAttribute is attribute for a complex variable.
func (c *compiler) complexAttribute(v *varParts, a *syntax.Attribute) {
	ev, at := c.ev, &syntax.Node{Span: a.Span}
	switch a.Name {
	case "complex":
	case "hermitian", "psd":
		if len(v.shape) != 2 || v.shape[0] != v.shape[1] {
			ev.Fail(at, "", "%s wants a square matrix, but %s is %s", a.Name, v.s.Name, value.ShapeText(v.shape))
		}
		v.hermitian, v.psd = v.hermitian || a.Name == "hermitian", v.psd || a.Name == "psd"
		if a.Name == "psd" {
			v.opts = append(v.opts, dc.PSD())
		}
	case "symmetric":
		ev.Fail(at, "a complex matrix that equals its conjugate transpose is declared hermitian",
			"%s is complex, and symmetric is an attribute of real matrices", v.s.Name)
	case "start":
		if v.started {
			ev.Fail(at, "", "%s has two starts", v.s.Name)
		}
		v.started = true
		v.opts = append(v.opts, c.complexStart(v, a.Args[0]))
	default:
		ev.Fail(at, "under subject to, bound re, im or abs of it", "complex numbers have no order, so %s has no bounds",
			v.s.Name)
	}
}

// complexStart is where a complex variable starts: random attributes hold for both parts.
func (c *compiler) complexStart(v *varParts, n *syntax.Node) dc.VarOption {
	if n.Op == syntax.OpCall && (n.Name == "normal" || n.Name == "uniform") {
		return c.start(v, n)
	}
	p := c.ev.ComplexDataOf(n, "a start").Parts()
	re, im := p.Re, p.Imag()
	if re.Len() != 1 && !slices.Equal(value.Squeeze(re.Shape), value.Squeeze(v.shape)) {
		c.ev.Fail(n, "", "shapes differ: %s is %s, %s is %s", v.s.Name, value.ShapeText(v.shape),
			c.ev.Say(n)+c.ev.FromFile(n), value.ShapeText(re.Shape))
	}
	z := make([]complex128, v.n)
	for k := range z {
		z[k] = complex(re.At(min(k, re.Len()-1)), im.At(min(k, im.Len()-1)))
	}
	if re.HasInf() || im.HasInf() {
		c.ev.Fail(n, "", "the start of %s must be finite", v.s.Name)
	}
	c.hermitianStart(v, n, z)
	return dc.StartAtComplex(z...)
}

// hermitianStart refuses a start of a Hermitian matrix that is none.
func (c *compiler) hermitianStart(v *varParts, n *syntax.Node, z []complex128) {
	hermitian := slices.ContainsFunc(v.s.Attrs, func(a syntax.Attribute) bool { return a.Name == "hermitian" })
	if !hermitian || len(v.shape) != 2 || v.shape[0] != v.shape[1] {
		return
	}
	if i, j, ok := dc.IsHermitian(dc.ComplexConst(v.shape, z)); !ok {
		d := v.shape[0]
		c.ev.Fail(n, "", "%s is Hermitian and its start is not: it has %g at [%d,%d] and %g at [%d,%d]", v.s.Name,
			z[i*d+j], i+1, j+1, z[j*d+i], j+1, i+1)
	}
}

// givenComplex is the start that Options.Start has for the parts of a complex variable.
func (c *compiler) givenComplex(v *varParts) {
	re, okRe := c.opt.Start[dc.RealPart(v.s.Name)]
	im, okIm := c.opt.Start[dc.ImagPart(v.s.Name)]
	if both, ok := c.opt.Start[v.s.Name]; ok && !okRe { // of a real variable
		re, okRe = both, true
	}
	if !okRe && !okIm {
		return
	}
	at := &syntax.Node{Span: v.s.At}
	z := make([]complex128, v.n)
	for k, s := range []Start{re, im} {
		if k == 0 && !okRe || k == 1 && !okIm {
			continue
		}
		flat := len(s.Shape) == 1 && len(s.Values) == v.n
		if !flat && !slices.Equal(value.Squeeze(s.Shape), value.Squeeze(v.shape)) || len(s.Values) != v.n {
			c.ev.Fail(at, "", "shapes differ: %s is %s, its start from %s is %s", v.s.Name, value.ShapeText(v.shape),
				s.From, value.ShapeText(s.Shape))
		}
		for i, x := range s.Values {
			if k == 0 {
				z[i] += complex(x, 0)
			} else {
				z[i] += complex(0, x)
			}
		}
	}
	c.hermitianStart(v, at, z)
	v.opts = append(v.opts, dc.StartAtComplex(z...))
}

// complexVariable declares a complex variable, whose attributes are known.
func (c *compiler) complexVariable(v *varParts, to *value.Axes) {
	ev, s := c.ev, v.s
	at := &syntax.Node{Span: s.At}
	if v.psd && !v.hermitian {
		ev.Fail(at, "write hermitian psd", "%s is complex and psd, but not hermitian", s.Name)
	}
	c.givenComplex(v)
	ev.Spend(at, 2*v.n)
	if v.psd {
		function.Factored(ev, at, 2*v.shape[0], 2*v.shape[0])
	}
	c.vars += 2 * v.n
	var z dc.Complex
	if v.hermitian {
		z = c.model.HermitianVar(s.Name, v.shape[0], v.opts...)
	} else {
		z = c.model.ComplexVar(s.Name, v.shape, v.opts...)
	}
	if err := z.Err(); err != nil {
		ev.Fail(at, "", "%s", eval.Cause(err))
	}
	re, im := value.FromAffine(z.Re).Along(to), value.FromAffine(z.Im).Along(to)
	x := value.ComplexOf(re, im)
	c.define(s, x, "")
	if axes := axesOf(&re); axes != nil && slices.ContainsFunc(axes, func(a Axis) bool { return a != nil }) {
		if c.out.Axes == nil {
			c.out.Axes = map[string][]Axis{}
		}
		c.out.Axes[s.Name] = axes
		c.out.Axes[dc.RealPart(s.Name)], c.out.Axes[dc.ImagPart(s.Name)] = axes, axes
	}
	if v.psd {
		c.out.Families = append(c.out.Families, Family{Name: fmt.Sprintf("psd(%s)", s.Name), Members: 1,
			Part: Part{Text: c.f.src.Tree.Text(s.Span), Place: c.f.place(s.At), Curvature: Convex}})
	}
}
