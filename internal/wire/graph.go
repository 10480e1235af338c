package wire

import "strings"

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

// visit calls f for the arrays that are there.
type visit func(a array) error

func (f visit) floats(as ...*Floats) error { return present(f, as) }
func (f visit) ints(as ...*Ints) error     { return present(f, as) }

// present calls f for those that are not nil.
func present[T any, A interface {
	*T
	array
}](f visit, as []A) error {
	for _, a := range as {
		if a != nil {
			if err := f(a); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f visit) sparse(s *Sparse) error {
	if s == nil {
		return nil
	}
	if err := f.ints(s.Indptr, s.Indices); err != nil {
		return err
	}
	return f.floats(s.Data)
}

func (f visit) named(m map[string]*Floats) error {
	for _, a := range m {
		if err := f.floats(a); err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) arrays(f visit) error {
	for k := range g.Variables {
		v := &g.Variables[k]
		if err := f.floats(v.Lo, v.Hi, v.Start); err != nil {
			return err
		}
	}
	for k := range g.Parameters {
		if err := f.floats(g.Parameters[k].Value); err != nil {
			return err
		}
	}
	for k := range g.Nodes {
		a := g.Nodes[k].Attrs
		if a == nil {
			continue
		}
		if err := f.floats(a.Data, a.Weights, a.Matrix, a.Constant); err != nil {
			return err
		}
		if err := f.ints(a.Indptr, a.Indices); err != nil {
			return err
		}
		if err := f.sparse(a.DataMap); err != nil {
			return err
		}
	}
	for k := range g.Constraints {
		c := &g.Constraints[k]
		if err := f.floats(c.Lo, c.Hi, c.Alpha); err != nil {
			return err
		}
	}
	return nil
}

// Other is the name of an attribute that is there although it is none of those, each
// with a blank behind it; "" where there is none.
func (a *Attrs) Other(names string) string {
	for _, f := range []struct {
		name  string
		there bool
	}{
		{"data", a.Data != nil}, {"value", a.Value != nil}, {"p", a.P != nil}, {"m", a.M != nil}, {"k", a.K != nil},
		{"groups", a.Groups != nil}, {"factors", a.Factors != nil}, {"weights", a.Weights != nil},
		{"matrix", a.Matrix != nil},
		{"indptr", a.Indptr != nil}, {"indices", a.Indices != nil}, {"constant", a.Constant != nil},
		{"data_map", a.DataMap != nil},
	} {
		if f.there && !strings.Contains(" "+names, " "+f.name+" ") {
			return f.name
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
