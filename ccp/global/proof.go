package global

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/ccp/global/internal/spatial"
	"github.com/dcopt/dcopt/dc"
)

// Proof is the tree of a search over intervals, with the multipliers of its leaves.
type Proof struct {
	p        *flat.Problem
	tree     *spatial.Tree
	upper    float64
	lower    float64
	maximize bool
	vars     []*dc.Variable
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

// sparseList is the numbers of a list that are not zero.
type sparseList struct {
	Idx []int     `json:"i"`
	Val []float64 `json:"v"`
}

// proofNode is a line: a split, a leaf without a point by intervals, or one with
// multipliers.
type proofNode struct {
	Split   *int              `json:"s,omitempty"`
	At      float64           `json:"at,omitempty"`
	Empty   bool              `json:"e,omitempty"`
	Cost    float64           `json:"c,omitempty"` // of the objective, which the others are for
	Up      int               `json:"b,omitempty"` // the multipliers are for the box so many levels above
	Rows    *sparseList       `json:"y,omitempty"`
	Hints   *sparseList       `json:"h,omitempty"`
	Sides   *sparseList       `json:"z,omitempty"`
	First   *sparseList       `json:"f,omitempty"` // slopes by the first column of a term
	Second  *sparseList       `json:"g,omitempty"` // and by the second
	Points  *sparseList       `json:"x,omitempty"`
	Shares  map[int][]float64 `json:"w,omitempty"`
	Cuts    [][11]float64     `json:"t,omitempty"` // kind, three columns, multiplier, intervals of the columns
	Squares []proofSquare     `json:"q,omitempty"` // affine functions whose squares are taken away
}

// proofSquare is an affine function of variables.
type proofSquare struct {
	Idx   []int     `json:"i"`
	Val   []float64 `json:"v"`
	Const float64   `json:"c,omitempty"`
}

func finitePointer(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

func sparseOf(v []float64) *sparseList {
	var s sparseList
	for k, x := range v {
		if x != 0 && !math.IsNaN(x) && !math.IsInf(x, 0) {
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
	out := proofWriter{enc: json.NewEncoder(w), p: pr.p}
	out.put(pr.header())
	out.tree(pr.tree)
	return out.err
}

func (pr *Proof) header() proofHeader {
	h := proofHeader{Format: "dcopt proof", Version: 4, Maximize: pr.maximize, Upper: finitePointer(pr.upper), Bound: finitePointer(pr.lower)}
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

// proofWriter writes lines until the first error.
type proofWriter struct {
	enc *json.Encoder
	p   *flat.Problem
	err error
}

func (w *proofWriter) put(v any) {
	if w.err == nil {
		w.err = w.enc.Encode(v)
	}
}

// affine keeps the hints of affine terms: other hints are in slopes and points.
func (w *proofWriter) affine(hints []float64) *sparseList {
	out := slices.Clone(hints)
	for k := range out {
		if w.p.Terms[k].Op != flat.Affine {
			out[k] = 0
		}
	}
	return sparseOf(out)
}

// tree writes a tree, of any depth, by a stack.
func (w *proofWriter) tree(root *spatial.Tree) {
	for stack := []*spatial.Tree{root}; len(stack) > 0 && w.err == nil; {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch d := t.Dual; {
		case t.Left != nil:
			w.put(proofNode{Split: &t.Col, At: t.At})
			stack = append(stack, t.Right, t.Left)
		case d == nil:
			w.put(proofNode{Empty: true})
		default:
			n := proofNode{Cost: d.Cost / w.p.Unit, Up: t.Up, Rows: sparseOf(d.Rows), Hints: w.affine(d.Hints), Sides: sparseOf(d.Sides),
				First: sparseOf(d.Slopes[0]), Second: sparseOf(d.Slopes[1]), Points: sparseOf(d.Points), Shares: d.Shares}
			for _, c := range d.Cuts {
				if c.Mult > 0 {
					n.Cuts = append(n.Cuts, [11]float64{float64(c.Kind), float64(c.Cols[0]), float64(c.Cols[1]), float64(c.Cols[2]), c.Mult,
						c.Over[0].Lo, c.Over[0].Hi, c.Over[1].Lo, c.Over[1].Hi, c.Over[2].Lo, c.Over[2].Hi})
				}
			}
			for _, l := range d.Squares {
				n.Squares = append(n.Squares, proofSquare{l.Idx, l.Val, l.Const})
			}
			for j, s := range n.Shares {
				if slices.ContainsFunc(s, math.IsNaN) {
					delete(n.Shares, j)
				}
			}
			w.put(n)
		}
	}
}
