package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

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
type Message interface {
	head() *Head
	arrays(f visit) error
}

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
	var parts []json.RawMessage
	err := json.Unmarshal(b, &parts)
	if err == nil && (len(parts) < 2 || len(parts) > 3) {
		err = errors.New("want [kind, size] or [kind, size, alpha]")
	}
	if err == nil {
		err = json.Unmarshal(parts[0], &c.Kind)
	}
	if err == nil {
		err = json.Unmarshal(parts[1], &c.Size)
	}
	if err == nil && len(parts) == 3 {
		err = json.Unmarshal(parts[2], &c.Alpha)
	}
	if err == nil && (len(parts) == 3) != (c.Kind == "pow") {
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

// Fit trains a regressor or classifier.
type Fit struct {
	Head
	Model    uint64       `json:"model"`
	Kind     string       `json:"kind"`
	Shape    []int        `json:"shape"`
	X        *Floats      `json:"X"`
	Y        *Floats      `json:"y,omitempty"`
	Labels   *Ints        `json:"labels,omitempty"`
	Classes  []string     `json:"classes,omitempty"`
	Weights  *Floats      `json:"weights,omitempty"`
	Features []string     `json:"features,omitempty"`
	Target   string       `json:"target,omitempty"`
	Settings *FitSettings `json:"settings,omitempty"`
	Progress bool         `json:"progress,omitempty"`
}

// FitSettings govern training; nil is the default of the method.
type FitSettings struct {
	Method     *string  `json:"method,omitempty"`
	Pieces     []int    `json:"pieces,omitempty"`
	MaxIter    *int     `json:"max_iter,omitempty"`
	Tol        *float64 `json:"tol,omitempty"`
	Ridge      *float64 `json:"ridge,omitempty"`
	Seed       *uint64  `json:"seed,omitempty"`
	Imputation *string  `json:"imputation,omitempty"`
	FillValue  *float64 `json:"fill_value,omitempty"`
	Backend    *string  `json:"backend,omitempty"`
	TimeLimit  *float64 `json:"time_limit,omitempty"`
	// MaxFeatures and FormulaSize bound the features and the terms of the methods that
	// choose them; 0 is no bound.
	MaxFeatures *int `json:"max_features,omitempty"`
	FormulaSize *int `json:"formula_size,omitempty"`
}

// LoadModel takes a model file.
type LoadModel struct {
	Head
	Model uint64 `json:"model"`
	File  *Text  `json:"file"`
}

// Training says how a model came about.
type Training struct {
	Method     string  `json:"method"`
	Rows       int     `json:"rows"`
	Iterations int     `json:"iterations"`
	Status     string  `json:"status"`
	StartMSE   *Number `json:"start_mse,omitempty"`
	MSE        *Number `json:"mse,omitempty"`
	FVU        *Number `json:"fvu,omitempty"`
	Accuracy   *Number `json:"accuracy,omitempty"`
	OOB        *Number `json:"oob,omitempty"`
}

// Fitted is the reply to fit and load_model.
type Fitted struct {
	Head
	Model    uint64   `json:"model"`
	Kind     string   `json:"kind"`
	Features []string `json:"features"`
	Target   string   `json:"target"`
	Classes  []string `json:"classes,omitempty"`
	// Used are the numbers of the features that the model depends on, ascending; Terms is
	// the number of slopes and constants that are not 0.
	Used     []int    `json:"used_features"`
	Terms    int      `json:"terms"`
	Training Training `json:"training"`
}

// Predict applies a model to a table.
type Predict struct {
	Head
	Model uint64  `json:"model"`
	Shape []int   `json:"shape"`
	X     *Floats `json:"X"`
}

// Predicted is the reply.
type Predicted struct {
	Head
	Y        *Floats `json:"y,omitempty"`
	Labels   *Ints32 `json:"labels,omitempty"`
	Decision *Floats `json:"decision,omitempty"`
	Proba    *Floats `json:"proba,omitempty"`
}

// Export asks for a model as text.
type Export struct {
	Head
	Model  uint64 `json:"model"`
	Format string `json:"format"`
}

func (h *Head) arrays(visit) error { return nil }

func (m *Load) arrays(f visit) error       { return m.Graph.arrays(f) }
func (m *Set) arrays(f visit) error        { return f.named(m.Parameters) }
func (m *Derivative) arrays(f visit) error { return f.named(m.Parameters) }
func (m *Tangent) arrays(f visit) error    { return f.floats(m.X, m.Point) }
func (m *Adjoint) arrays(f visit) error {
	return errors.Join(f.floats(m.X), f.named(m.Along))
}
func (m *Solutions) arrays(f visit) error { return f.floats(m.X, m.Objective) }
func (m *Batch) arrays(f visit) error {
	return errors.Join(f.named(m.Parameters), f.named(m.Start))
}
func (m *Gradient) arrays(f visit) error {
	return errors.Join(f.named(m.Parameters), f.floats(m.Point))
}
func (m *Evaluate) arrays(f visit) error  { return f.floats(m.X) }
func (m *Values) arrays(f visit) error    { return f.floats(m.Values...) }
func (m *Update) arrays(f visit) error    { return m.NewValues.arrays(f) }
func (m *Predict) arrays(f visit) error   { return f.floats(m.X) }
func (m *LoadModel) arrays(f visit) error { return f.text(m.File) }
func (m *TextReply) arrays(f visit) error { return f.text(m.Text) }
func (v *NewValues) arrays(f visit) error {
	if v == nil {
		return nil
	}
	return f.floats(v.P, v.Q, v.A, v.L, v.U, v.B, v.Lo, v.Hi)
}

func (m *Solve) arrays(f visit) error {
	return errors.Join(f.named(m.Parameters), f.named(m.Start), m.Update.arrays(f))
}

func (m *Result) arrays(f visit) error {
	return errors.Join(f.floats(m.X, m.Multipliers, m.BoundMultipliers, m.Ray, m.Y, m.Z), f.named(m.PSDMultipliers))
}

func (m *LoadData) arrays(f visit) error {
	return errors.Join(f.sparse(m.P), f.sparse(m.A), f.floats(m.Q, m.L, m.U, m.B, m.Lo, m.Hi))
}

func (m *Fit) arrays(f visit) error {
	return errors.Join(f.floats(m.X, m.Y, m.Weights), f.ints(m.Labels))
}

func (m *Predicted) arrays(f visit) error {
	if m.Labels != nil {
		if err := f(m.Labels); err != nil {
			return err
		}
	}
	return f.floats(m.Y, m.Decision, m.Proba)
}

func (f visit) text(a *Text) error {
	if a == nil {
		return nil
	}
	return f(a)
}

// Write writes a message as a frame.
func Write(w io.Writer, m Message) error {
	var body Body
	if err := m.arrays(func(a array) error { a.store(&body); return nil }); err != nil {
		return err
	}
	m.head().Buffers = body.Table
	return WriteFrame(w, m, &body)
}

// Peeked is the type and id of a frame with the handles that it names; 0: none that is a handle.
type Peeked struct {
	Head
	Problem, Model, Batch uint64
}

// Peek reads the type and id of a frame.
func Peek(f Frame) (Head, error) {
	p, err := PeekHandles(f)
	return p.Head, err
}

// PeekHandles reads the type, the id and the handles of a frame.
func PeekHandles(f Frame) (Peeked, error) {
	var h struct {
		Type                  *string         `json:"type"`
		ID                    *uint64         `json:"id"`
		Problem, Model, Batch json.RawMessage // of any type: who parses the frame refuses wrong ones
	}
	if err := json.Unmarshal(f.Header, &h); err != nil {
		return Peeked{}, fmt.Errorf("the header is not a JSON object with a type and an id: %v", err)
	}
	var out Peeked
	for _, v := range []struct {
		raw json.RawMessage
		dst *uint64
	}{{h.Problem, &out.Problem}, {h.Model, &out.Model}, {h.Batch, &out.Batch}} {
		if v.raw != nil && json.Unmarshal(v.raw, v.dst) != nil {
			*v.dst = 0
		}
	}
	if h.ID != nil {
		out.ID = *h.ID
	}
	if h.Type != nil {
		out.Type = *h.Type
	}
	switch {
	case h.Type == nil:
		return out, errors.New("the header has no type")
	case h.ID == nil || *h.ID > MaxID:
		return out, fmt.Errorf("the header has no id from 0 to %d", uint64(MaxID))
	}
	return out, nil
}

// Parse reads a frame into a message of its type. strict refuses members that the
// message lacks.
func Parse(f Frame, m Message, strict bool) error {
	dec := json.NewDecoder(bytes.NewReader(f.Header))
	if strict {
		dec.DisallowUnknownFields()
	}
	if err := dec.Decode(m); err != nil {
		return fmt.Errorf("the header: %w", plain(err))
	}
	if dec.More() {
		return errors.New("the header has something behind its object")
	}
	return fill(m, f)
}

// fill reads the arrays of a message whose header has been parsed.
func fill(m Message, f Frame) error {
	b, err := NewBuffers(m.head().Buffers, f.Body)
	if err != nil {
		return err
	}
	return m.arrays(func(a array) error { return a.load(b) })
}

// plain is an error of encoding/json in the words of the protocol.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		want := map[reflect.Kind]string{
			reflect.Float64: "a number", reflect.Int: "an integer", reflect.Uint64: "an integer >= 0",
			reflect.Bool:   "true or false",
			reflect.String: "a text", reflect.Slice: "an array", reflect.Map: "an object", reflect.Struct: "an object",
		}[wrong.Type.Kind()]
		if want != "" {
			is, number := strings.CutPrefix(wrong.Value, "number ")
			if !number {
				is = "a " + is
			}
			return fmt.Errorf("%s is %s, want %s", wrong.Field, is, want)
		}
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("no member is called %s", name)
	}
	return err
}

// Address gives a message its type and id.
func Address(m Message, kind string, id uint64) {
	h := m.head()
	h.Type, h.ID = kind, id
}

// Words are the labels of a classifier by name, one for each of the rows.
func (m *Fit) Words(rows int) ([]string, error) {
	switch {
	case m.Labels == nil || m.Y != nil:
		return nil, &Error{Kind: ErrRequest, Text: "a classifier is trained on labels; y belongs to regressors"}
	case len(m.Labels.V) != rows:
		return nil, &Error{Kind: ErrData, Text: fmt.Sprintf("%d labels for %d rows", len(m.Labels.V), rows)}
	}
	seen := map[string]bool{}
	for _, c := range m.Classes {
		if c == "" || seen[c] {
			return nil, &Error{Kind: ErrData, Text: fmt.Sprintf("the class %.40q is empty or there twice", c)}
		}
		seen[c] = true
	}
	out := make([]string, rows)
	for i, k := range m.Labels.V {
		if k < 0 || k >= len(m.Classes) {
			return nil, &Error{Kind: ErrData, Text: fmt.Sprintf("row %d has the label %d of %d classes", i, k,
				len(m.Classes))}
		}
		out[i] = m.Classes[k]
	}
	return out, nil
}
