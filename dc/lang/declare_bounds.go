package lang

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/program"
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
	if v.lo == nil && v.hi == nil && v.values == nil {
		return nil
	}
	inf := math.Inf(1)
	lo, hi, start := fill(v.lo, v.n, -inf), fill(v.hi, v.n, inf), fill(v.values, v.n, 0)
	for k := range v.n {
		if lo, hi := lo[k], min(hi[k], hi[mirror(k)]); lo > hi || lo == inf || hi == -inf {
			out = append(out, crossed{k, lo, hi})
		}
		if a, b := start[k], start[mirror(k)]; v.symmetric &&
			!(math.Abs(a-b) <= eval.NearInteger*max(math.Abs(a), math.Abs(b))) {
			c.ev.Fail(v.startNode, "", "%s is symmetric and its start is not: it has %g and %g", v.s.Name, a, b)
		}
	}
	for _, b := range out {
		for _, k := range []int{b.entry, mirror(b.entry)} {
			lo[k], hi[k] = -inf, inf
		}
	}
	if len(out) > 0 {
		v.lo, v.hi = lo, hi
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
	at        *syntax.Node // its name
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
	values    []float64 // of the start of a real variable, where it is not random
}

// variable declares a variable.
func (c *compiler) variable(s *syntax.Statement) {
	ev := c.ev
	to := c.dims(s, nil)
	has := func(name string) bool {
		return slices.ContainsFunc(s.Attrs, func(a syntax.Attribute) bool { return a.Name == name })
	}
	v := varParts{s: s, at: &syntax.Node{Span: s.At}, shape: to.Shape, n: 1, hermitian: has("hermitian"),
		opts: []dc.VarOption{dc.CountFrom(to.Origin...)}}
	v.complex = v.hermitian || has("complex")
	parts := 1
	if v.complex {
		parts = 2
	}
	for k, d := range v.shape {
		if v.n *= d; v.n > (ev.Vars-c.vars)/parts {
			ev.Fail(s.Dims[k], "", "too many variables; %d at most", ev.Vars)
		}
	}
	for k := range s.Attrs {
		c.attribute(&v, &s.Attrs[k])
	}
	if v.complex && v.psd && !v.hermitian {
		ev.Fail(v.at, "write hermitian psd", "%s is complex and psd, but not hermitian", s.Name)
	}
	c.given(&v)
	crossing := c.agree(&v)
	if v.lo != nil {
		v.opts = append(v.opts, dc.AtLeast(v.lo...))
	}
	if v.hi != nil {
		v.opts = append(v.opts, dc.AtMost(v.hi...))
	}
	ev.Spend(v.at, parts*v.n)
	if v.psd {
		function.Factored(ev, v.at, parts*v.shape[0], parts*v.shape[0])
	}
	c.vars += parts * v.n
	var z dc.Complex
	switch {
	case v.hermitian:
		z = c.model.HermitianVar(s.Name, v.shape[0], v.opts...)
	case v.complex:
		z = c.model.ComplexVar(s.Name, v.shape, v.opts...)
	default:
		z.Re = c.model.Var(s.Name, v.shape, v.opts...)
	}
	x := value.FromAffine(z.Re)
	if v.complex {
		if err := z.Err(); err != nil {
			ev.Fail(v.at, "", "%s", eval.Cause(err))
		}
		x = value.ComplexOf(x, value.FromAffine(z.Im))
	}
	if !to.Plain() {
		x = x.Along(&to)
	}
	c.define(s, x, "")
	if axes := axesOf(&x); axes != nil {
		if c.out.Axes == nil {
			c.out.Axes = map[string][]Axis{}
		}
		if c.out.Axes[s.Name] = axes; v.complex {
			c.out.Axes[program.RealPart(s.Name)], c.out.Axes[program.ImagPart(s.Name)] = axes, axes
		}
	}
	if v.psd {
		c.out.Families = append(c.out.Families, Family{Name: fmt.Sprintf("psd(%s)", s.Name), Members: 1,
			Part: Part{Text: c.f.src.Tree.Text(s.Span), Place: c.f.place(s.At), Curvature: Convex}})
	}
	c.cross(&v, z.Re, crossing)
}

func (c *compiler) attribute(v *varParts, a *syntax.Attribute) {
	ev, at := c.ev, &syntax.Node{Span: a.Span}
	switch a.Name {
	case "complex":
	case "symmetric", "hermitian", "psd":
		if v.complex && a.Name == "symmetric" {
			ev.Fail(at, "a complex matrix that equals its conjugate transpose is declared hermitian",
				"%s is complex, and symmetric is an attribute of real matrices", v.s.Name)
		}
		if len(v.shape) != 2 || v.shape[0] != v.shape[1] {
			ev.Fail(at, "", "%s wants a square matrix, but %s is %s", a.Name, v.s.Name, value.Shape(v.shape))
		}
		v.symmetric, v.psd = !v.complex, v.psd || a.Name == "psd"
		if v.psd {
			v.opts = append(v.opts, dc.PSD())
		} else if v.symmetric {
			v.opts = append(v.opts, dc.Symmetric())
		}
	case "start":
		if v.started {
			ev.Fail(at, "", "%s has two starts", v.s.Name)
		}
		v.started = true
		v.opts = append(v.opts, c.start(v, a.Args[0]))
	default:
		if v.complex {
			ev.Fail(at, "under subject to, bound re, im or abs of it",
				"complex numbers have no order, so %s has no bounds", v.s.Name)
		}
		if a.Name != "<=" {
			c.bound(v, at, a.Args[0], &v.lo)
		}
		if a.Name != ">=" {
			c.bound(v, at, a.Args[len(a.Args)-1], &v.hi)
		}
	}
}

func (c *compiler) bound(v *varParts, at, n *syntax.Node, dst *[]float64) {
	if *dst != nil {
		c.ev.Fail(at, "", "%s has this bound twice", v.s.Name)
	}
	x := c.ev.DataOf(n, "a bound")
	c.fills(v, n, &x)
	*dst = x.Numbers()
}

// fills refuses an array that is neither one number for all entries of a variable nor a number for
// each.
func (c *compiler) fills(v *varParts, n *syntax.Node, x *value.Value) {
	if x.Len() != 1 && !slices.Equal(value.Squeeze(x.Shape), value.Squeeze(v.shape)) {
		c.shapesDiffer(v, n, n.String()+c.ev.FromFile(n), x.Shape)
	}
}

func (c *compiler) shapesDiffer(v *varParts, at *syntax.Node, what string, shape []int) {
	c.ev.Fail(at, "", "shapes differ: %s is %s, %s is %s", v.s.Name, value.Shape(v.shape), what, value.Shape(shape))
}

// given takes the start that Options.Start has for a variable, or for the parts of a complex one.
func (c *compiler) given(v *varParts) {
	keys := []string{v.s.Name}
	if v.complex {
		keys = []string{program.RealPart(v.s.Name), program.ImagPart(v.s.Name)}
	}
	var z []complex128
	for k, key := range keys {
		s, ok := c.opt.Start[key]
		if !ok && k == 0 {
			s, ok = c.opt.Start[v.s.Name] // of a real variable
		}
		if !ok {
			continue
		}
		flat := len(s.Shape) == 1 && len(s.Values) == v.n
		if !flat && !slices.Equal(value.Squeeze(s.Shape), value.Squeeze(v.shape)) || len(s.Values) != v.n {
			c.shapesDiffer(v, v.at, "its start from "+s.From, s.Shape)
		}
		if v.values = s.Values; z == nil {
			z = make([]complex128, v.n)
		}
		for i, x := range s.Values {
			z[i] += [...]complex128{complex(x, 0), complex(0, x)}[k]
		}
	}
	if z != nil {
		v.opts = append(v.opts, c.startAt(v, v.at, z))
	}
}

// startAt is a start with these values.
func (c *compiler) startAt(v *varParts, n *syntax.Node, z []complex128) dc.VarOption {
	if v.startNode = n; !v.complex {
		return dc.StartAt(v.values...)
	}
	if v.values = nil; v.hermitian && len(v.shape) == 2 && v.shape[0] == v.shape[1] {
		if i, j, ok := dc.IsHermitian(dc.ComplexConst(v.shape, z)); !ok {
			d := v.shape[0]
			c.ev.Fail(n, "", "%s is Hermitian and its start is not: it has %g at [%d,%d] and %g at [%d,%d]", v.s.Name,
				z[i*d+j], i+1, j+1, z[j*d+i], j+1, i+1)
		}
	}
	return dc.StartAtComplex(z...)
}

// start is where a variable starts: random attributes hold for both parts of a complex one.
func (c *compiler) start(v *varParts, n *syntax.Node) dc.VarOption {
	if n.Op == syntax.OpCall && (n.Name == "normal" || n.Name == "uniform") {
		return c.randomStart(n)
	}
	data := c.ev.DataOf
	if v.complex {
		data = c.ev.ComplexDataOf
	}
	x := data(n, "a start")
	c.fills(v, n, &x)
	p := x.Parts()
	re, im := p.Re, p.Imag()
	if re.HasInf() || im.HasInf() {
		c.ev.Fail(n, "", "the start of %s must be finite", v.s.Name)
	}
	v.values = re.Numbers()
	var z []complex128
	for k := 0; v.complex && k < v.n; k++ {
		z = append(z, complex(re.At(min(k, re.Len()-1)), im.At(min(k, im.Len()-1))))
	}
	return c.startAt(v, n, z)
}

// randomStart is normal(mean, sd) or uniform(l, u).
func (c *compiler) randomStart(n *syntax.Node) dc.VarOption {
	a := c.ev.Real(n.Args[0], c.ev.Operand(n.Args[0]), "the first argument of "+n.Name)
	b := c.ev.Real(n.Args[1], c.ev.Operand(n.Args[1]), "the second argument of "+n.Name)
	switch {
	case n.Name == "normal" && !(b >= 0):
		c.ev.Fail(n.Args[1], "", "the standard deviation must not be negative: %g", b)
	case n.Name == "normal":
		return dc.StartNormal(a, b)
	case !(a <= b) || math.IsInf(b-a, 0):
		c.ev.Fail(n, "", "uniform(l, u) needs l <= u, not %g and %g", a, b)
	}
	return dc.StartUniform(a, b)
}
