package lang

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// literal is [row; row]. The elements of a row stand side by side: scalars and
// vectors make a vector, matrices (and vectors as their columns) a matrix. Rows
// stand below each other; rows of one number each make a vector.
func (ev *evaluator) literal(n *syntax.Node) value.Value { return ev.literalOf(n, ev.operand) }

// literalOf is literal with the values that its elements have.
func (ev *evaluator) literalOf(n *syntax.Node, element func(*syntax.Node) value.Value) value.Value {
	if len(n.Rows) == 0 {
		return value.Vector(nil)
	}
	rows := make([]value.Value, len(n.Rows))
	short := true
	for i, elements := range n.Rows {
		rows[i] = ev.row(n, elements, element)
		short = short && rows[i].Len() == 1 && len(rows[i].Shape) == 1
	}
	if len(rows) == 1 {
		return rows[0]
	}
	ev.noInf(n, rows)
	var refs []ref
	height, width := 0, rows[0].Shape[len(rows[0].Shape)-1]
	for i := range rows {
		r := &rows[i]
		if w := r.Shape[len(r.Shape)-1]; w != width {
			help := ""
			if w == 1 || width == 1 {
				help = "; begins a row: write a comma to put a number beside a vector"
			}
			ev.fail(n.Rows[i][0], help, "row %d of the matrix has %s, the rows before it %d", i+1, count(w, "element", "elements"), width)
		}
		height++
		if len(r.Shape) == 2 {
			height += r.Shape[0] - 1
		}
		for k := range r.Len() {
			refs = append(refs, ref{r, k})
		}
	}
	ev.room(n, []int{height, width})
	if short {
		return assemble([]int{height}, refs)
	}
	return assemble([]int{height, width}, refs)
}

// row puts elements side by side.
func (ev *evaluator) row(n *syntax.Node, elements []*syntax.Node, element func(*syntax.Node) value.Value) value.Value {
	vs := make([]value.Value, len(elements))
	height := -1 // of the matrices among them
	for k, e := range elements {
		vs[k] = element(e)
		switch {
		case len(vs[k].Shape) > 2:
			ev.fail(e, "", "%s is %s; only vectors and matrices can be put together", ev.say(e), value.ShapeText(vs[k].Shape))
		case len(vs[k].Shape) == 2 && height < 0:
			height = vs[k].Shape[0]
		}
	}
	ev.noInf(n, vs)
	var refs []ref
	if height < 0 {
		for k := range vs {
			for i := range vs[k].Len() {
				refs = append(refs, ref{&vs[k], i})
			}
		}
		ev.room(n, []int{len(refs)})
		return assemble([]int{len(refs)}, refs)
	}
	width := 0
	for k := range vs {
		if len(vs[k].Shape) == 0 || vs[k].Shape[0] != height {
			ev.fail(elements[k], "", "the row of the matrix has height %d, but %s is %s", height, ev.say(elements[k]), value.ShapeText(vs[k].Shape))
		}
		width += vs[k].Len() / max(height, 1)
	}
	ev.room(n, []int{height, width})
	for i := range height {
		for k := range vs {
			w := vs[k].Len() / height
			for j := range w {
				refs = append(refs, ref{&vs[k], i*w + j})
			}
		}
	}
	return assemble([]int{height, width}, refs)
}
