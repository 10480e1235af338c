package wire

import (
	"reflect"
	"strings"
)

// Graph is a problem as an expression graph. Variables, parameters and nodes have
// one numbering in this order.
type Graph struct {
	Variables   []Variable   `json:"variables"`
	Parameters  []Parameter  `json:"parameters,omitempty"`
	Nodes       []Node       `json:"nodes,omitempty"`
	Objective   *Objective   `json:"objective,omitempty"`
	Constraints []Constraint `json:"constraints,omitempty"`
}

// Variable is an array of variables. Arrays with a shape are flat, in column-major
// order.
type Variable struct {
	Name         string    `json:"name"`
	Shape        []int     `json:"shape"`
	Lo           *Floats   `json:"lo,omitempty"`
	Hi           *Floats   `json:"hi,omitempty"`
	Symmetric    bool      `json:"symmetric,omitempty"`
	PSD          bool      `json:"psd,omitempty"`
	Start        *Floats   `json:"start,omitempty"`
	StartNormal  []float64 `json:"start_normal,omitempty"`
	StartUniform []float64 `json:"start_uniform,omitempty"`
}

// Parameter is an array of numbers that change from one solve to the next.
type Parameter struct {
	Name  string  `json:"name"`
	Shape []int   `json:"shape"`
	Value *Floats `json:"value"`
}

// Node is an operation.
type Node struct {
	Op    string `json:"op"`
	Args  []int  `json:"args,omitempty"`
	Shape []int  `json:"shape"`
	Attrs *Attrs `json:"attrs,omitempty"`
	Name  string `json:"name,omitempty"`
}

// Attrs are the attributes of operations; docs/protocol.md says which has which.
type Attrs struct {
	Data     *Floats   `json:"data,omitempty"`
	Value    *float64  `json:"value,omitempty"`
	P        *float64  `json:"p,omitempty"`
	M        *float64  `json:"m,omitempty"`
	K        *int      `json:"k,omitempty"`
	Groups   *int      `json:"groups,omitempty"`
	Factors  []float64 `json:"factors,omitempty"`
	Weights  *Floats   `json:"weights,omitempty"`
	Matrix   *Floats   `json:"matrix,omitempty"`
	Indptr   *Ints     `json:"indptr,omitempty"`
	Indices  *Ints     `json:"indices,omitempty"`
	Constant *Floats   `json:"constant,omitempty"`
	DataMap  *Sparse   `json:"data_map,omitempty"`
}

// Sparse is a matrix in compressed form.
type Sparse struct {
	Indptr  *Ints   `json:"indptr"`
	Indices *Ints   `json:"indices"`
	Data    *Floats `json:"data"`
}

// Objective is the function that is minimised or maximised.
type Objective struct {
	Sense string `json:"sense"`
	Node  int    `json:"node"`
}

// Constraint is one of the kinds of docs/protocol-requests.md.
type Constraint struct {
	Kind   string  `json:"kind"`
	Args   []int   `json:"args"`
	Name   string  `json:"name,omitempty"`
	Lo     *Floats `json:"lo,omitempty"`
	Hi     *Floats `json:"hi,omitempty"`
	Alpha  *Floats `json:"alpha,omitempty"`
	Groups *int    `json:"groups,omitempty"`
}

// Other is the name of a member of a struct, given by its pointer, that is there although it is
// none of those, each with a blank behind it; "" where there is none.
func Other(of any, names string) string {
	v := reflect.ValueOf(of).Elem()
	for k := range v.NumField() {
		if v.Field(k).IsZero() {
			continue
		}
		name, _, _ := strings.Cut(v.Type().Field(k).Tag.Get("json"), ",")
		if !strings.Contains(" "+names, " "+name+" ") {
			return name
		}
	}
	return ""
}

// Add appends a node and returns its number. Variables and parameters must be there
// before: nodes are counted behind them.
func (g *Graph) Add(n Node) int {
	g.Nodes = append(g.Nodes, n)
	return len(g.Variables) + len(g.Parameters) + len(g.Nodes) - 1
}
