package printer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
)

// Source is p as statements of the language, in no layout, without options. Variables,
// data and indices get names that are neither words of the language nor reserved. The
// error names the first thing that the language cannot say.
func Source(p *dc.Problem, reserved []string) (string, error) {
	pr := &printer{p: p.Program(), ops: dc.Ops(), taken: map[string]bool{}, shared: map[string]string{}}
	for _, name := range reserved {
		pr.taken[name] = true
	}
	body := pr.problem()
	return pr.data.String() + body, pr.err
}

// problem are all statements but the data.
func (pr *printer) problem() string {
	var b strings.Builder
	for k, v := range pr.p.Vars {
		pr.names = append(pr.names, pr.nameOf(k, v))
	}
	for k, v := range pr.p.Vars {
		if v.Imag && v.Complex != "" {
			continue // declared with the real part
		}
		if v.Param {
			fmt.Fprintf(&pr.data, "param %s = %s\n", pr.names[k]+dims(v), pr.literal(v.Shape, v.Lo))
			continue
		}
		b.WriteString(pr.variable(k, v))
	}
	e, verb := pr.p.Objective, "minimize "
	if pr.p.Maximize {
		e, verb = e.Neg(), "maximize "
	}
	if affine, terms := e.Written(); len(terms) == 0 && len(affine.Idx) == 0 && affine.Const == 0 && !pr.p.Maximize {
		b.WriteString("find\n")
	} else {
		b.WriteString(verb + pr.plain(pr.top(e, true)) + "\n")
	}
	pr.constraints(&b)
	return b.String()
}

// dims are the dimensions of a declaration.
func dims(v *program.Variable) string {
	if len(v.Shape) == 0 {
		return ""
	}
	parts := make([]string, len(v.Shape))
	for d, n := range v.Shape {
		parts[d] = strconv.Itoa(n)
		if v.Origin != nil && v.Origin[d] != 1 {
			parts[d] = fmt.Sprintf("%d..%d", v.Origin[d], v.Origin[d]+n-1)
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// variable is the declaration of variable k.
func (pr *printer) variable(k int, v *program.Variable) string {
	if v.Complex != "" {
		return pr.complexVariable(k, v)
	}
	s := "var " + pr.names[k] + dims(v)
	switch {
	case v.Semidefinite:
		s += " psd"
	case v.Symmetric:
		s += " symmetric"
	}
	lo, hi := pr.filling(v, v.Lo, math.Inf(-1)), pr.filling(v, v.Hi, math.Inf(1))
	switch {
	case lo != "" && hi != "" && !strings.Contains(lo+hi, "["):
		s += " in [" + lo + ", " + hi + "]"
	default:
		if lo != "" {
			s += " >= " + lo
		}
		if hi != "" {
			s += " <= " + hi
		}
	}
	return s + pr.start(v, nil) + "\n"
}

// start is the start of a variable, or of a complex one with the imaginary part im.
func (pr *printer) start(v, im *program.Variable) string {
	at, values, name := &v.Start, v.Start.Values, v.Name
	if im != nil {
		values, name = slices.Concat(values, im.Start.Values), v.Complex
	}
	switch {
	case at.Kind == program.StartNormally:
		return fmt.Sprintf(" start normal(%s, %s)", Number(at.A), Number(at.B))
	case at.Kind == program.StartUniformly:
		return fmt.Sprintf(" start uniform(%s, %s)", Number(at.A), Number(at.B))
	case at.Kind != program.StartValues,
		im == nil && !slices.ContainsFunc(values, func(x float64) bool { return x == x }):
		return "" // all entries are drawn
	case slices.ContainsFunc(values, math.IsNaN):
		pr.fail("the start of %s is set for some entries only, which the language cannot say", name)
		return ""
	}
	s := " start " + pr.filling(v, at.Values, math.NaN())
	if im != nil && slices.ContainsFunc(im.Start.Values, func(x float64) bool { return x != 0 }) {
		s += " + 1i*" + pr.named(im.Shape, im.Values(append(make([]float64, im.Offset), im.Start.Values...)))
	}
	return s
}

// filling are numbers for the entries of a variable, one for all where they are
// equal; "" where all are none.
func (pr *printer) filling(v *program.Variable, x []float64, none float64) string {
	if len(x) == 0 {
		return ""
	}
	if !slices.ContainsFunc(x, func(y float64) bool { return y != x[0] }) {
		if x[0] == none {
			return ""
		}
		return Number(x[0])
	}
	full := v.Values(append(make([]float64, v.Offset), x...))
	return pr.named(v.Shape, full)
}

// nameOf is the name of variable k: of a part of a complex variable re(z) or im(z).
func (pr *printer) nameOf(k int, v *program.Variable) string {
	switch {
	case v.Complex == "":
		return pr.fresh(v.Name)
	case v.Imag:
		base, _, _ := program.PartOf(pr.names[k-1])
		return program.ImagPart(base)
	}
	return program.RealPart(pr.fresh(v.Complex))
}

// complexVariable is the declaration of a complex variable, of which v is the real part.
func (pr *printer) complexVariable(k int, v *program.Variable) string {
	im := pr.p.Vars[k+1]
	name, _, _ := program.PartOf(pr.names[k])
	s := "var " + name + dims(v)
	if v.Symmetric {
		s += " hermitian"
	} else {
		s += " complex"
	}
	if v.Semidefinite {
		s += " psd"
	}
	return s + pr.start(v, im) + "\n"
}
