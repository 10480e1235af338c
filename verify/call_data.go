package verify

import (
	"math"
	"slices"
)

// ofNumbers is linspace, quantile and prod.
func (s *scope) ofNumbers(name string, args []value) (value, bool) {
	switch name {
	case "linspace":
		a, b, n := args[0].real("a number"), args[1].real("a number"), args[2].whole("a dimension")
		s.hold(n)
		x := make([]float64, n)
		for k := range x {
			t := float64(k) / float64(max(n-1, 1))
			x[k] = float64(a*(1-t)) + float64(b*t)
		}
		return numbers(x), true
	case "quantile":
		x := slices.Clone(args[0].data(name))
		slices.Sort(x)
		at, part := math.Modf(args[1].real("a number") * float64(len(x)-1))
		next := min(int(at)+1, len(x)-1)
		return numeric(float64(x[int(at)]*(1-part)) + float64(x[next]*part)), true
	case "prod":
		p := 1.0
		for _, x := range args[0].data(name) {
			p *= x
		}
		return numeric(p), true
	}
	return value{}, false
}

// overDimension is the sum or mean over one dimension.
func (s *scope) overDimension(name string, args []value) (value, bool) {
	if name != "sum" && name != "mean" || len(args) == 1 {
		return value{}, false
	}
	v, d := args[0], args[1].whole("a dimension")-1
	shape, axes := slices.Clone(v.shape), slices.Clone(v.axes)
	count, inner := shape[d], size(shape[d+1:])
	out := array(slices.Delete(shape, d, d+1), nil)
	out.axes = slices.Delete(axes, d, d+1)
	weight := 1.0
	if name == "mean" {
		weight = 1 / float64(count)
	}
	for i := range size(out.shape) {
		var es []*expr
		for k := range count {
			es = append(es, v.e[(i/inner*count+k)*inner+i%inner])
		}
		out.e = append(out.e, total(es, slices.Repeat([]float64{weight}, count)))
	}
	return out, true
}
