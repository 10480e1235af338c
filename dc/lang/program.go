package lang

import "github.com/dcopt/dcopt/dc"

// Start is where a variable begins, in place of what the file says.
type Start struct {
	// Shape is that of the variable, dimensions of size 1 aside; one dimension
	// goes with every shape of that size.
	Shape  []int
	Values []float64 // in row-major order
	From   string    // the file that it comes from, for messages
}

// Let is an expression that the file names.
type Let struct {
	Name   string
	Shape  []int
	Origin []int // first index of each dimension; nil: 1
	value  value
}

// Values are the entries at x in row-major order.
func (l *Let) Values(x []float64) []float64 {
	switch v := &l.value; v.sort {
	case general:
		out := make([]float64, len(v.exprs))
		for k := range out {
			out[k] = v.exprs[k].Value(x)
		}
		return out
	case affine:
		return v.affine().Value(x)
	}
	return l.value.numbers()
}

// given is the start that Options.Start has for a variable.
func (c *compiler) given(v *varParts) (dc.VarOption, bool) {
	s, ok := c.opt.Start[v.s.name]
	if !ok {
		return nil, false
	}
	flat := len(s.Shape) == 1 && len(s.Values) == v.n
	if !flat && !sameShape(squeeze(s.Shape), squeeze(v.shape)) || len(s.Values) != v.n {
		c.ev.fail(&node{span: v.s.at}, "", "shapes differ: %s is %s, its start from %s is %s", v.s.name, shapeText(v.shape), s.From, shapeText(s.Shape))
	}
	v.values, v.startNode = s.Values, &node{span: v.s.at}
	return dc.StartAt(s.Values...), true
}
