package verify

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// treeNode is an expression, its arguments by their numbers.
type treeNode struct {
	Op      string    `json:"op"`
	Num     float64   `json:"num,omitempty"`
	Var     int       `json:"var,omitempty"`
	Count   int       `json:"count,omitempty"`
	Args    []int     `json:"args,omitempty"`
	Weights []float64 `json:"weights,omitempty"`
}

type treeRow struct {
	Node int      `json:"node"`
	Lo   *float64 `json:"lo"`
	Hi   *float64 `json:"hi"`
}

// opNames are the names in a tree.
var opNames = map[op]string{
	opConst: "const", opVar: "var", opSum: "sum", opMul: "mul", opPower: "power", opAbs: "abs", opExp: "exp", opLog: "log",
	opEntropy: "entropy", opLogistic: "logistic", opXExp: "xexp", opHuber: "huber", opMax: "max", opNorm: "norm", opLSE: "lse",
	opLargest: "largest", opGeo: "geo", opQuadOver: "quadover", opKL: "kl",
}

// WriteTree writes the problem as a list of nodes in JSON, {"maximize", "nodes", "objective", "lo", "hi",
// "rows"}: each node after its arguments, null for no bound. It is for other solvers.
// Functions of matrices are an error.
func (p *Problem) WriteTree(w io.Writer) error {
	var nodes []treeNode
	known := map[*expr]int{}
	var put func(e *expr) (int, error)
	put = func(e *expr) (int, error) {
		if k, ok := known[e]; ok {
			return k, nil
		}
		name, ok := opNames[e.op]
		if !ok {
			return 0, fmt.Errorf("a function of a matrix has no tree")
		}
		n := treeNode{Op: name, Num: e.num, Weights: e.weights}
		switch e.op {
		case opVar:
			n.Var = e.k
		case opLargest:
			n.Count = e.k
		}
		for _, a := range e.args {
			k, err := put(a)
			if err != nil {
				return 0, err
			}
			n.Args = append(n.Args, k)
		}
		if math.IsInf(n.Num, 0) || math.IsNaN(n.Num) {
			return 0, fmt.Errorf("the number %g has no place in a tree", n.Num)
		}
		known[e] = len(nodes)
		nodes = append(nodes, n)
		return known[e], nil
	}
	finite := func(v float64) *float64 {
		if math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	out := struct {
		Maximize  bool       `json:"maximize"`
		Nodes     []treeNode `json:"nodes"`
		Objective int        `json:"objective"`
		Lo        []*float64 `json:"lo"`
		Hi        []*float64 `json:"hi"`
		Rows      []treeRow  `json:"rows"`
	}{Maximize: p.Maximize, Rows: []treeRow{}}
	var err error
	if out.Objective, err = put(p.objective); err != nil {
		return err
	}
	for j := range p.n {
		out.Lo, out.Hi = append(out.Lo, finite(p.lo[j])), append(out.Hi, finite(p.hi[j]))
	}
	for _, r := range p.rows {
		k, err := put(r.e)
		if err != nil {
			return fmt.Errorf("constraint %s: %w", r.name, err)
		}
		out.Rows = append(out.Rows, treeRow{k, finite(r.lo), finite(r.hi)})
	}
	out.Nodes = nodes
	return json.NewEncoder(w).Encode(out)
}
