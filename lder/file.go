package lder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/input"
	decimal "github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/ensemble"
)

// classifierFormat marks the files of classifiers.
const classifierFormat = "dcopt-ldep"

// Model files are JSON objects with these two marks. Version 1 knew neither clip
// nor ensemble, version 2 no trees; both are still read. A file has the least version
// that knows its content.
const (
	fileFormat  = "dcopt-lder"
	fileVersion = 3
)

// file is a model file.
type file struct {
	Format     string       `json:"format"`
	Version    int          `json:"version"`
	Target     string       `json:"target"`
	Features   []string     `json:"features"`
	Categories []category   `json:"categories,omitempty"`
	Imputation imputation   `json:"imputation"`
	Scaling    scaling      `json:"scaling"`
	Clip       *[2]number   `json:"clip,omitempty"` // none: predictions are not clipped
	Model      *coefficient `json:"model,omitempty"`
	Ensemble   []chain      `json:"ensemble,omitempty"`
	Training   *training    `json:"training"`
}

type category struct {
	Column string   `json:"column"`
	Coding string   `json:"coding"`
	Levels []string `json:"levels"`
}

type imputation struct {
	Strategy string   `json:"strategy"`
	Fill     []number `json:"fill"`
}

type scaling struct {
	Mean  []number `json:"mean"`
	Scale []number `json:"scale"`
}

type coefficient struct {
	W [][]number `json:"w,omitempty"`
	A []number   `json:"a,omitempty"`
	M [][]number `json:"m,omitempty"`
	B []number   `json:"b,omitempty"`
}

type chain struct {
	Parts []part `json:"parts"`
	Stops []stop `json:"stops"`
}

type part struct {
	Features []int `json:"features,omitempty"`
	coefficient
	Tree []node `json:"tree,omitempty"`
}

// node is a split, or a leaf where Next is 0.
type node struct {
	Feature int      `json:"feature,omitempty"`
	Lo      number   `json:"lo,omitempty"`
	Hi      number   `json:"hi,omitempty"`
	Next    int      `json:"next,omitempty"`
	Value   number   `json:"value,omitempty"`
	On      []int    `json:"on,omitempty"`
	Slopes  []number `json:"slopes,omitempty"`
	Least   number   `json:"least,omitempty"`
	Most    number   `json:"most,omitempty"`
}

func nodes(t *Tree) []node {
	return each(t.Nodes, func(n ensemble.TreeNode) node {
		return node{n.Feature, number(n.Lo), number(n.Hi), n.Next, number(n.Value), n.On, numbers(n.Slopes),
			number(n.Least), number(n.Most)}
	})
}

func treeOf(nodes []node) *Tree {
	return &Tree{Nodes: each(nodes, func(n node) ensemble.TreeNode {
		return ensemble.TreeNode{
			Feature: n.Feature, Lo: float64(n.Lo), Hi: float64(n.Hi), Next: n.Next,
			Value: float64(n.Value), On: n.On, Slopes: float64s(n.Slopes), Least: float64(n.Least),
			Most: float64(n.Most),
		}
	})}
}

type stop struct {
	After  int    `json:"after"`
	Weight number `json:"weight"`
}

type training struct {
	Method     string `json:"method"`
	Rows       int    `json:"rows"`
	Iterations int    `json:"iterations"`
	Status     string `json:"status"`
	StartMSE   number `json:"start_mse"`
	MSE        number `json:"mse"`
	FVU        number `json:"fvu"`
	// OOB is missing where nothing was held out.
	OOB *number `json:"oob_fvu,omitempty"`
}

func coefficients(m *Model) coefficient {
	return coefficient{each(m.W, numbers), numbers(m.A), each(m.M, numbers), numbers(m.B)}
}

func (c *coefficient) model() *Model {
	return &Model{each(c.W, float64s), float64s(c.A), each(c.M, float64s), float64s(c.B)}
}

func chains(e *Stack) []chain {
	return each(e.Chains, func(c Chain) chain {
		return chain{
			each(c.Parts, func(p Part) part {
				if p.Tree != nil {
					return part{Tree: nodes(p.Tree)}
				}
				return part{Features: p.Features, coefficient: coefficients(p.Model)}
			}),
			each(c.Stops, func(s Stop) stop { return stop{s.After, number(s.Weight)} }),
		}
	})
}

func ensembleOf(chains []chain) *Stack {
	return &Stack{each(chains, func(c chain) Chain {
		return Chain{
			each(c.Parts, func(p part) Part {
				out := Part{Features: p.Features}
				if p.Tree != nil {
					out.Tree = treeOf(p.Tree)
				}
				if p.Tree == nil || p.W != nil || p.A != nil || p.M != nil || p.B != nil {
					out.Model = p.model() // with a tree: Validate refuses
				}
				return out
			}),
			each(c.Stops, func(s stop) Stop { return Stop{After: s.After, Weight: float64(s.Weight)} }),
		}
	})}
}

// number is a float64 that is not read from null.
type number float64

func (v *number) UnmarshalJSON(b []byte) error {
	f, ok := decimal.Float(string(b))
	if !ok || !finite(f) {
		return fmt.Errorf("%.40s where a number is wanted", b)
	}
	*v = number(f)
	return nil
}

func numbers(v []float64) []number {
	out := make([]number, len(v))
	for k, e := range v {
		out[k] = number(e)
	}
	return out
}

func float64s(v []number) []float64 {
	out := make([]float64, len(v))
	for k, e := range v {
		out[k] = float64(e)
	}
	return out
}

func each[S, T any](v []S, f func(S) T) []T {
	out := make([]T, len(v))
	for k, e := range v {
		out[k] = f(e)
	}
	return out
}

// WriteTo writes the model file: everything that Predict needs, and how the
// model came about. The same regressor gives the same bytes.
func (r *Regressor) WriteTo(w io.Writer) (int64, error) {
	if !r.fitted() {
		return 0, errNotFitted
	}
	if err := r.validate(); err != nil {
		return 0, err
	}
	raw, err := r.encode()
	if err != nil {
		return 0, fmt.Errorf("lder: %w", err)
	}
	n, err := w.Write(append(raw, '\n'))
	return int64(n), err
}

func (r *Regressor) encode() ([]byte, error) {
	t := r.Training
	f := file{
		Format: fileFormat, Version: 2, Target: r.Target, Features: r.Features,
		Imputation: imputation{r.Imputer.Strategy.String(), numbers(r.Imputer.Fill)},
		Scaling:    scaling{numbers(r.Scaler.Mean), numbers(r.Scaler.Scale)},
		Training: &training{
			Method: t.Method.String(), Rows: t.Rows, Iterations: t.Iterations, Status: t.Status.String(),
			StartMSE: number(t.StartMSE), MSE: number(t.MSE), FVU: number(t.FVU),
		},
	}
	for _, c := range r.Categories {
		f.Categories = append(f.Categories, category{c.Column, c.Coding.String(), c.Levels})
	}
	if t.OOB >= 0 {
		oob := number(t.OOB)
		f.Training.OOB = &oob
	}
	if r.Clip != Unclipped() {
		f.Clip = &[2]number{number(r.Clip.Lo), number(r.Clip.Hi)}
	}
	if r.Ensemble != nil { // too long to be looked at
		f.Ensemble = chains(r.Ensemble)
		if r.Ensemble.hasTrees() {
			f.Version = fileVersion
		}
		return json.Marshal(f)
	}
	c := coefficients(r.Model)
	f.Model = &c
	return json.MarshalIndent(f, "", " ")
}

// Read reads a model file; name stands in error messages. It refuses a file that
// WriteTo would not write: another format or version, unknown or missing parts,
// shapes that do not match, values that are not finite numbers. The Settings of the result are
// the defaults with the file's method, pieces and imputation.
func Read(rd io.Reader, name string) (*Regressor, error) {
	raw, err := input.JSON(rd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var mark struct {
		Format  string
		Version int
	}
	if err := json.Unmarshal(raw, &mark); err != nil {
		return nil, located(err, raw, name)
	}
	if mark.Format == classifierFormat {
		return nil, fmt.Errorf("%s: the file of a classifier, where that of a regressor is wanted", name)
	}
	if mark.Format != fileFormat {
		return nil, fmt.Errorf("%s: not a model file: its format is %q, want %q", name, mark.Format, fileFormat)
	}
	if mark.Version < 1 || mark.Version > fileVersion {
		return nil, fmt.Errorf("%s: the model file has version %d, this program reads versions 1 to %d", name,
			mark.Version, fileVersion)
	}
	var f file
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, located(err, raw, name)
	}
	r, err := f.regressor()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// regressor turns the file's content into a checked Regressor.
func (f *file) regressor() (*Regressor, error) {
	strategy, err := dataset.ParseStrategy(f.Imputation.Strategy)
	if err != nil {
		return nil, err
	}
	if f.Training == nil {
		return nil, errors.New(`the part "training" is missing`)
	}
	method, err := ParseMethod(f.Training.Method)
	if err != nil {
		return nil, err
	}
	status, err := parseStatus(f.Training.Status)
	if err != nil {
		return nil, err
	}
	if (f.Model == nil) == (f.Ensemble == nil) {
		return nil, errors.New(`want one of the parts "model" and "ensemble"`)
	}
	r := NewRegressor(MethodSettings(method))
	r.Target, r.Features = f.Target, f.Features
	for _, c := range f.Categories {
		coding, err := dataset.ParseCoding(c.Coding)
		if err != nil {
			return nil, err
		}
		r.Categories = append(r.Categories, dataset.Category{Column: c.Column, Coding: coding, Levels: c.Levels})
	}
	r.Imputer = &dataset.SimpleImputer{Strategy: strategy, Fill: float64s(f.Imputation.Fill)}
	r.Scaler = &dataset.StandardScaler{Mean: float64s(f.Scaling.Mean), Scale: float64s(f.Scaling.Scale)}
	r.Clip = Unclipped()
	if f.Clip != nil {
		r.Clip = Range{Lo: float64(f.Clip[0]), Hi: float64(f.Clip[1])}
	}
	if f.Model != nil {
		r.Model = f.Model.model()
		r.Settings.Pieces = [2]int{len(r.Model.W), len(r.Model.M)}
	} else {
		r.Ensemble = ensembleOf(f.Ensemble)
	}
	r.Training = Training{
		Method: method, Rows: f.Training.Rows, Iterations: f.Training.Iterations, Status: status,
		StartMSE: float64(f.Training.StartMSE), MSE: float64(f.Training.MSE), FVU: float64(f.Training.FVU), OOB: -1,
	}
	if f.Training.OOB != nil {
		r.Training.OOB = float64(*f.Training.OOB)
	}
	r.Settings.Imputation = strategy
	return r, r.validate()
}

// parseStatus is the inverse of ccp.Status.String for the known statuses.
func parseStatus(s string) (ccp.Status, error) {
	for k := ccp.Unknown; k <= ccp.Numerical; k++ {
		if k.String() == s {
			return k, nil
		}
	}
	return 0, fmt.Errorf("unknown training status %q", s)
}

// validate checks all that a prediction relies on.
func (r *Regressor) validate() error {
	n := len(r.Features)
	if n == 0 {
		return errors.New("lder: no features")
	}
	if r.Target == "" {
		return errors.New("lder: the target has no name")
	}
	if err := checkNames(r.Features); err != nil {
		return err
	}
	for k := range r.Categories {
		if err := r.Categories[k].Validate(); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		what     string
		v        []float64
		positive bool
	}{{"imputation fill", r.Imputer.Fill, false}, {"scaling mean", r.Scaler.Mean, false},
		{"scaling scale", r.Scaler.Scale, true}} {
		if len(p.v) != n {
			return fmt.Errorf("lder: %s has %d values for %d features", p.what, len(p.v), n)
		}
		for j, v := range p.v {
			if !finite(v) || p.positive && !(v > 0) {
				return fmt.Errorf("lder: %s of %q is %g", p.what, r.Features[j], v)
			}
		}
	}
	if !(r.Clip.Lo <= r.Clip.Hi) {
		return fmt.Errorf("lder: predictions are clipped to [%g, %g]", r.Clip.Lo, r.Clip.Hi)
	}
	if r.Ensemble != nil {
		return r.Ensemble.Validate(n)
	}
	if err := r.Model.Validate(); err != nil {
		return err
	}
	if _, _, k := r.Model.Dims(); k != n {
		return fmt.Errorf("lder: the model has %d slopes a piece for %d features", k, n)
	}
	return nil
}

// located puts the file's name, line and column in front of a JSON error that
// knows its place.
func located(err error, raw []byte, name string) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(raw)) {
		return fmt.Errorf("%s: %w", name, err)
	}
	before := raw[:offset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	col := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Errorf("%s:%d:%d: %w", name, line, max(col, 1), err)
}
