package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/internal/setting"
)

// Head is the part of every header.
type Head struct {
	Type    string  `json:"type"`
	ID      uint64  `json:"id"`
	Buffers []Entry `json:"buffers,omitempty"`
}

func (h *Head) head() *Head { return h }

// Message is a request or reply. The arrays of one that was read are its own.
type Message interface{ head() *Head }

// MaxID is the largest id and the largest handle.
const MaxID = 1<<53 - 1

// Hello asks for versions and limits.
type Hello struct {
	Head
	Protocol *int `json:"protocol,omitempty"`
}

// HelloReply has them.
type HelloReply struct {
	Head
	Protocol    int      `json:"protocol"`
	Version     string   `json:"version"`
	Backends    []string `json:"backends"`
	Ops         []string `json:"ops"`
	MaxHeader   uint64   `json:"max_header"`
	MaxBody     uint64   `json:"max_body"`
	MaxEntries  int      `json:"max_entries"`
	MaxNonzeros int      `json:"max_nonzeros"`
	Processors  int      `json:"processors"`
}

// Cancel ends another request.
type Cancel struct {
	Head
	Target uint64 `json:"target"`
}

// Free forgets a problem, a model or a batch.
type Free struct {
	Head
	Problem *uint64 `json:"problem,omitempty"`
	Model   *uint64 `json:"model,omitempty"`
	Batch   *uint64 `json:"batch,omitempty"`
}

// Ok is the reply to set, update, free and cancel.
type Ok struct {
	Head
	Found *bool `json:"found,omitempty"` // of cancel
}

// Errors is the reply to a request that failed.
type Errors struct {
	Head
	Errors []Error `json:"errors"`
}

// Error is a mistake and its place.
type Error struct {
	Kind       string `json:"kind"`
	Text       string `json:"text"`
	Help       string `json:"help,omitempty"`
	Node       *int   `json:"node,omitempty"`
	Name       string `json:"name,omitempty"`
	Constraint *int   `json:"constraint,omitempty"`
	Notes      []Note `json:"notes,omitempty"`
}

// Errorf is an error of a kind.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	if e.Name != "" {
		return e.Name + ": " + e.Text
	}
	return e.Text
}

// Note is a further place of an Error.
type Note struct {
	Node int    `json:"node"`
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// The kinds of errors.
const (
	ErrFrame       = "frame"
	ErrVersion     = "version"
	ErrRequest     = "request"
	ErrHandle      = "handle"
	ErrLimit       = "limit"
	ErrProblem     = "problem"
	ErrCurvature   = "curvature"
	ErrUnsupported = "unsupported"
	ErrData        = "data"
	ErrCancelled   = "cancelled"
	ErrInternal    = "internal"
)

// Load takes a problem as an expression graph.
type Load struct {
	Head
	Problem uint64 `json:"problem"`
	Graph
	Settings *Settings `json:"settings,omitempty"`
}

// Loaded is the reply to load and load_data.
type Loaded struct {
	Head
	Problem     uint64 `json:"problem"`
	Entries     int    `json:"entries"`
	Multipliers int    `json:"multipliers"`
	Columns     int    `json:"columns"`
	Rows        int    `json:"rows"`
	Convex      bool   `json:"convex"`
}

// Set gives parameters other values.
type Set struct {
	Head
	Problem    uint64             `json:"problem"`
	Parameters map[string]*Floats `json:"parameters"`
}

// Check asks how a problem is split; ToDC for its text.
type Check struct {
	Head
	Problem uint64 `json:"problem"`
}

// Checked is the reply to check.
type Checked struct {
	Head
	Objective   string         `json:"objective"`
	Constraints []string       `json:"constraints"`
	Linearised  int            `json:"linearised"`
	Cones       map[string]int `json:"cones"`
	Columns     int            `json:"columns"`
	Rows        int            `json:"rows"`
	Nonzeros    int            `json:"nonzeros"`
	Backends    []string       `json:"backends"`
}

// Evaluate asks for values of nodes.
type Evaluate struct {
	Head
	Problem uint64  `json:"problem"`
	Nodes   []int   `json:"nodes"`
	X       *Floats `json:"x,omitempty"`
}

// Values is the reply to evaluate.
type Values struct {
	Head
	Values []*Floats `json:"values"`
}

// TextReply is the reply to to_dc and export.
type TextReply struct {
	Head
	Text *Text `json:"text"`
}

// Number is a number that JSON may lack.
type Number = record.Number

// Settings of a solve; nil is the default.
type Settings = setting.Given

// Solve solves a loaded problem. Of one of load_data, Update has the members of the
// request update, and the keys of Start are x, y and z.
type Solve struct {
	Head
	Problem    uint64             `json:"problem"`
	Settings   *Settings          `json:"settings,omitempty"`
	Parameters map[string]*Floats `json:"parameters,omitempty"`
	Start      map[string]*Floats `json:"start,omitempty"`
	Update     *NewValues         `json:"update,omitempty"`
	Warm       *bool              `json:"warm,omitempty"`
	Progress   bool               `json:"progress,omitempty"`
}

// Derivative asks how the solution of a graph changes along changes of parameters.
type Derivative struct {
	Head
	Problem    uint64             `json:"problem"`
	Parameters map[string]*Floats `json:"parameters"`
	OneSided   bool               `json:"one_sided,omitempty"`
}

// Tangent is the reply to derivative.
type Tangent struct {
	Head
	X           *Floats `json:"x"`
	Point       *Floats `json:"point"`
	Regularised bool    `json:"regularised,omitempty"`
}

// Batch solves a graph for Count sets of values of its parameters, one set after another in each
// array.
type Batch struct {
	Head
	Problem    uint64             `json:"problem"`
	Batch      uint64             `json:"batch"`
	Count      int                `json:"count"`
	Settings   *Settings          `json:"settings,omitempty"`
	Parameters map[string]*Floats `json:"parameters"`
	Start      map[string]*Floats `json:"start,omitempty"`
}

// Solutions is the reply to batch.
type Solutions struct {
	Head
	Batch      uint64   `json:"batch"`
	Status     []string `json:"status"`
	Feasible   []bool   `json:"feasible"`
	Objective  *Floats  `json:"objective"`
	Iterations []int    `json:"iterations"`
	X          *Floats  `json:"x"`
}

// Adjoint asks for the gradient with respect to parameters of a function of the solution of a
// graph, whose gradient with respect to the solution is X. Without Parameters it is the gradient
// for all.
type Adjoint struct {
	Head
	Problem    uint64             `json:"problem"`
	Batch      *uint64            `json:"batch,omitempty"`
	X          *Floats            `json:"x"`
	Parameters []string           `json:"parameters,omitempty"`
	Along      map[string]*Floats `json:"along,omitempty"`
}

// Gradient is the reply to adjoint.
type Gradient struct {
	Head
	Parameters  map[string]*Floats `json:"parameters"`
	Point       *Floats            `json:"point"`
	Regularised bool               `json:"regularised,omitempty"`
}

// Progress says how far a solve or fit is.
type Progress struct {
	Head
	Seconds      float64 `json:"seconds"`
	Iteration    int     `json:"iteration,omitempty"`
	Start        int     `json:"start,omitempty"`
	Hop          int     `json:"hop,omitempty"`
	Objective    *Number `json:"objective,omitempty"`
	MaxViolation *Number `json:"max_violation,omitempty"`
	Feasible     *bool   `json:"feasible,omitempty"`
	Best         *Number `json:"best,omitempty"` // objective of the best feasible point so far
	Done         *int    `json:"done,omitempty"`
	Total        *int    `json:"total,omitempty"`
}

// Place is a constraint, or a variable for its bounds.
type Place struct {
	Constraint *int `json:"constraint,omitempty"`
	Variable   *int `json:"variable,omitempty"`
}

// Result is the reply to solve, for problems of both kinds.
type Result struct {
	Head
	record.Record
	X *Floats `json:"x,omitempty"`
	// Certificate is the proof of an infeasible or unbounded status.
	Certificate string `json:"certificate,omitempty"`

	// Of a graph.
	Multipliers      *Floats            `json:"multipliers,omitempty"`
	BoundMultipliers *Floats            `json:"bound_multipliers,omitempty"`
	PSDMultipliers   map[string]*Floats `json:"psd_multipliers,omitempty"`
	Ray              *Floats            `json:"ray,omitempty"`
	Conflict         []Place            `json:"conflict,omitempty"`

	// Of data.
	Y *Floats `json:"y,omitempty"`
	Z *Floats `json:"z,omitempty"`
}

// LoadData takes a convex problem as matrices.
type LoadData struct {
	Head
	Problem  uint64    `json:"problem"`
	Form     string    `json:"form"`
	P        *Sparse   `json:"P,omitempty"`
	Q        *Floats   `json:"q"`
	R        float64   `json:"r,omitempty"`
	A        *Sparse   `json:"A,omitempty"`
	L        *Floats   `json:"l,omitempty"`
	U        *Floats   `json:"u,omitempty"`
	B        *Floats   `json:"b,omitempty"`
	Cones    []Cone    `json:"cones,omitempty"`
	Lo       *Floats   `json:"lo,omitempty"`
	Hi       *Floats   `json:"hi,omitempty"`
	Settings *Settings `json:"settings,omitempty"`
}

// Cone is a part of K: [kind, size] or ["pow", 3, alpha].
type Cone struct {
	Kind  string
	Size  int
	Alpha float64
}

// MarshalJSON writes an array.
func (c Cone) MarshalJSON() ([]byte, error) {
	if c.Kind == "pow" {
		return json.Marshal([]any{c.Kind, c.Size, c.Alpha})
	}
	return json.Marshal([]any{c.Kind, c.Size})
}

// UnmarshalJSON reads it.
func (c *Cone) UnmarshalJSON(b []byte) error {
	parts := []any{&c.Kind, &c.Size, &c.Alpha}
	err := json.Unmarshal(b, &parts)
	switch n := len(parts); {
	case err != nil:
	case n < 2 || n > 3:
		err = errors.New("want [kind, size] or [kind, size, alpha]")
	case (n == 3) != (c.Kind == "pow"):
		err = errors.New("alpha belongs to the cone pow, and to no other")
	}
	if err != nil {
		return fmt.Errorf("the cone %.60s: %v", b, err)
	}
	return nil
}

// NewValues are new values of a problem of matrices.
type NewValues struct {
	P  *Floats `json:"P,omitempty"`
	Q  *Floats `json:"q,omitempty"`
	A  *Floats `json:"A,omitempty"`
	L  *Floats `json:"l,omitempty"`
	U  *Floats `json:"u,omitempty"`
	B  *Floats `json:"b,omitempty"`
	Lo *Floats `json:"lo,omitempty"`
	Hi *Floats `json:"hi,omitempty"`
}

// Update is the request.
type Update struct {
	Head
	Problem uint64 `json:"problem"`
	NewValues
}
