package scene

import (
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/program"
)

// mostRecognised is how many variables of a problem without plot statements are drawn.
// Source: a limit of the size of a picture.
const mostRecognised = 6

// radii are the names of a radius, pathNames how names of paths begin.
var (
	radii     = []string{"r", "radius", "radii"}
	pathNames = []string{"path", "route", "track", "traj"}
)

// recognise adds panels for the variables of a program, by their names and shapes.
func (s *Scene) recognise(prog *lang.Program, x []float64) {
	vars := prog.Problem.Program().Vars
	done := map[string]bool{}
	for _, v := range vars {
		if v.Param || v.Imag || done[v.Name] || len(s.Panels) == mostRecognised {
			continue
		}
		b := builder{Panel: Panel{Title: v.Name}, x: x}
		values := v.Values(x)
		switch d := len(v.Shape); {
		case v.Complex != "":
			b.Title, b.Equal = v.Complex, true
			if im := imaginary(vars, v); d <= 1 {
				b.points("", values, im.Values(x), nil)
				b.unitCircle(values, im.Values(x))
				b.XLabel, b.YLabel = "re("+v.Complex+")", "im("+v.Complex+")"
			}
		case d == 2 && v.Shape[1] == 2 && !v.Symmetric && (v.Shape[0] > 2 || radiusOf(prog, v.Shape[0], x) != nil):
			xs, ys := columns(values)
			b.Equal = true
			b.inPlane(prog, v.Name, xs, ys)
		case d == 3 && v.Shape[2] == 2:
			xs, ys := columns(values)
			b.Equal = true
			for k, n := 0, v.Shape[1]; n > 0 && k+n <= len(xs); k += n {
				b.lines("", b.color(), xs[k:k+n], ys[k:k+n])
			}
		case d == 1 && v.Shape[0] > 1:
			if y := partner(vars, v); y != nil {
				done[y.Name] = true
				b.Title, b.XLabel, b.YLabel = "", v.Name, y.Name
				b.inPlane(prog, v.Name, values, y.Values(x))
				break
			}
			if radiusName(v.Name) && drawnWith(vars, v.Shape[0]) {
				continue
			}
			b.series(false, "", indices(v.Shape, v.Origin), rows{v.Shape[0], values})
		case d == 2 && v.Len() > 1:
			b.cells("", v.Shape[0], v.Shape[1], values)
		}
		s.add(&b)
	}
}

// inPlane adds places as circles, a path or points.
func (b *builder) inPlane(prog *lang.Program, name string, x, y []float64) {
	r := radiusOf(prog, len(x), b.x)
	switch {
	case r != nil:
		b.circles("", x, y, r)
	case slices.ContainsFunc(pathNames, func(p string) bool { return strings.HasPrefix(strings.ToLower(name), p) }):
		b.lines("", b.color(), x, y)
	default:
		b.points("", x, y, nil)
	}
}

// columns parts the rows of two columns.
func columns(v []float64) (x, y []float64) {
	for k := 0; k+1 < len(v); k += 2 {
		x, y = append(x, v[k]), append(y, v[k+1])
	}
	return x, y
}

// imaginary is the variable of the imaginary parts of a complex variable.
func imaginary(vars []*program.Variable, re *program.Variable) *program.Variable {
	k := slices.IndexFunc(vars, func(v *program.Variable) bool { return v.Imag && v.Complex == re.Complex })
	return vars[k]
}

// partner is the variable y of the shape of the variable x, if v is x.
func partner(vars []*program.Variable, v *program.Variable) *program.Variable {
	if v.Name != "x" {
		return nil
	}
	for _, w := range vars {
		if w.Name == "y" && slices.Equal(w.Shape, v.Shape) {
			return w
		}
	}
	return nil
}

func radiusName(name string) bool { return slices.Contains(radii, strings.ToLower(name)) }

// drawnWith reports whether n radii belong to a variable of places.
func drawnWith(vars []*program.Variable, n int) bool {
	return slices.ContainsFunc(vars, func(v *program.Variable) bool {
		return len(v.Shape) == 2 && v.Shape[1] == 2 && v.Shape[0] == n || partner(vars, v) != nil && v.Shape[0] == n
	})
}

// radiusOf are the radii of n places, variables or data: one for all or one for each; nil:
// there are none.
func radiusOf(prog *lang.Program, n int, x []float64) []float64 {
	fits := func(name string, shape []int) bool {
		return radiusName(name) && (len(shape) == 0 || slices.Equal(shape, []int{n}))
	}
	for _, v := range prog.Problem.Program().Vars {
		if fits(v.Name, v.Shape) {
			return v.Values(x)
		}
	}
	for k := range prog.Params {
		if p := &prog.Params[k]; fits(p.Name, p.Shape) {
			return p.Values(nil)
		}
	}
	return nil
}
