package global

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/factorable"
	"github.com/dcopt/dcopt/ccp/global/internal/spatial"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
)

// Proof is the tree of a search over intervals, with the multipliers of its leaves.
type Proof struct {
	p        *factorable.Problem
	tree     *spatial.Tree
	upper    float64
	lower    float64
	maximize bool
	vars     []*program.Variable
}

// proofHeader is the first line of a proof: the columns by which the rest speaks.
type proofHeader struct {
	Format    string        `json:"format"`
	Version   int           `json:"version"`
	Maximize  bool          `json:"maximize"`
	Upper     *float64      `json:"upper"` // minimised
	Bound     *float64      `json:"bound"` // minimised
	Variables []proofVar    `json:"variables"`
	Box       [][2]*float64 `json:"box,omitempty"` // of the variables, where their own bounds are not all there are
	Terms     []proofTerm   `json:"terms"`
	Rows      []proofRow    `json:"rows"`
}

type proofVar struct {
	Name string `json:"name"`
	Len  int    `json:"len"`
}

// proofTerm is a column: the number of its function, or 0 and its name, and an affine function, one
// column or two, and the columns of the function under it with its number.
type proofTerm struct {
	Op    int       `json:"o"`
	Name  string    `json:"n,omitempty"`
	P     float64   `json:"p,omitempty"`
	Idx   []int     `json:"i,omitempty"`
	Val   []float64 `json:"v,omitempty"`
	Const float64   `json:"c,omitempty"`
	A     int       `json:"a,omitempty"`
	B     int       `json:"b,omitempty"`
	Kind  int       `json:"k,omitempty"`
	Under []int     `json:"u,omitempty"`
}

type proofRow struct {
	Idx   []int     `json:"i"`
	Val   []float64 `json:"v"`
	Const float64   `json:"c,omitempty"`
	Lo    *float64  `json:"lo,omitempty"`
	Hi    *float64  `json:"hi,omitempty"`
	Times *[2]int   `json:"t,omitempty"`
}

// proofLinear is an affine function, or the numbers of a list that are not zero.
type proofLinear struct {
	Idx   []int     `json:"i"`
	Val   []float64 `json:"v"`
	Const float64   `json:"c,omitempty"`
}

// proofNode is a line: a split, a leaf without a point by intervals, or one with
// multipliers.
type proofNode struct {
	Split   *int              `json:"s,omitempty"`
	At      float64           `json:"at,omitempty"`
	Empty   bool              `json:"e,omitempty"`
	Cost    float64           `json:"c,omitempty"` // of the objective, which the others are for
	Up      int               `json:"b,omitempty"` // the multipliers are for the box so many levels above
	Rows    *proofLinear      `json:"y,omitempty"`
	Hints   *proofLinear      `json:"h,omitempty"`
	Sides   *proofLinear      `json:"z,omitempty"`
	First   *proofLinear      `json:"f,omitempty"` // slopes by the first column of a term
	Second  *proofLinear      `json:"g,omitempty"` // and by the second
	Points  *proofLinear      `json:"x,omitempty"`
	Shares  map[int][]float64 `json:"w,omitempty"`
	Cuts    [][11]float64     `json:"t,omitempty"` // kind, three columns, multiplier, intervals of the columns
	Squares []proofLinear     `json:"q,omitempty"` // affine functions whose squares are taken away
}

func finitePointer(v float64) *float64 {
	if !num.Finite(v) {
		return nil
	}
	return &v
}

func sparseOf(v []float64) *proofLinear {
	var s proofLinear
	for k, x := range v {
		if x != 0 && num.Finite(x) {
			s.Idx, s.Val = append(s.Idx, k), append(s.Val, x)
		}
	}
	if s.Idx == nil {
		return nil
	}
	return &s
}

// Lines writes the proof as lines of JSON: the columns, then the nodes of the tree, parents before
// children and left before right. Package prooffile makes a file of them.
func (pr *Proof) Lines(w io.Writer) error {
	out := json.NewEncoder(w)
	err := out.Encode(pr.header())
	for stack := []*spatial.Tree{pr.tree}; len(stack) > 0 && err == nil; { // of any depth
		t := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; t.Left != nil {
			stack = append(stack, t.Right, t.Left)
		}
		err = out.Encode(pr.node(t))
	}
	return err
}

func (pr *Proof) header() proofHeader {
	h := proofHeader{Format: "dcopt proof", Version: 4, Maximize: pr.maximize, Upper: finitePointer(pr.upper),
		Bound: finitePointer(pr.lower)}
	for _, v := range pr.vars {
		h.Variables = append(h.Variables, proofVar{v.Name, v.Len()})
	}
	if pr.p.Derived {
		for _, b := range pr.p.Box[:pr.p.N] {
			h.Box = append(h.Box, [2]*float64{finitePointer(b.Lo), finitePointer(b.Hi)})
		}
	}
	for k := range pr.p.Terms {
		t := &pr.p.Terms[k]
		out := proofTerm{Op: int(t.Op), P: t.P, A: t.A, B: t.B, Idx: t.Lin.Idx, Val: t.Lin.Val, Const: t.Lin.Const}
		if name := t.Name(); name != "" {
			h.Version, out.Op, out.Name = 6, 0, name
		}
		if t.Under != nil {
			out.Kind, out.Under = t.Under.Number(), t.Under.Args
		}
		h.Terms = append(h.Terms, out)
	}
	for i := range pr.p.Rows {
		r := &pr.p.Rows[i]
		h.Rows = append(h.Rows, proofRow{r.Lin.Idx, r.Lin.Val, r.Lin.Const,
			finitePointer(r.Lo), finitePointer(r.Hi), r.Times})
	}
	return h
}

// node is the line of a node.
func (pr *Proof) node(t *spatial.Tree) proofNode {
	d := t.Dual
	switch {
	case t.Left != nil:
		return proofNode{Split: &t.Col, At: t.At}
	case d == nil:
		return proofNode{Empty: true}
	}
	hints := slices.Clone(d.Hints) // of affine terms: others are in slopes and points
	for k := range hints {
		if pr.p.Terms[k].Op != factorable.Affine {
			hints[k] = 0
		}
	}
	n := proofNode{
		Cost: d.Cost / pr.p.Unit, Up: t.Up, Rows: sparseOf(d.Rows), Hints: sparseOf(hints), Sides: sparseOf(d.Sides),
		First: sparseOf(d.Slopes[0]), Second: sparseOf(d.Slopes[1]), Points: sparseOf(d.Points), Shares: d.Shares,
	}
	for _, c := range d.Cuts {
		if c.Mult > 0 {
			n.Cuts = append(n.Cuts, [11]float64{
				float64(c.Kind), float64(c.Cols[0]), float64(c.Cols[1]), float64(c.Cols[2]), c.Mult,
				c.Over[0].Lo, c.Over[0].Hi, c.Over[1].Lo, c.Over[1].Hi, c.Over[2].Lo, c.Over[2].Hi})
		}
	}
	for _, l := range d.Squares {
		n.Squares = append(n.Squares, proofLinear{l.Idx, l.Val, l.Const})
	}
	return n
}
