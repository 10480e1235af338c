package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/lder/shards"
)

// Result is the outcome of a shard. One of Solved, Fold and Answer is set.
type Result struct {
	Plan   string         `json:"plan"` // Plan.ID
	Shard  int            `json:"shard"`
	Solved *Solved        `json:"solved,omitempty"`
	Fold   *Fold          `json:"fold,omitempty"`
	Answer *shards.Answer `json:"answer,omitempty"` // of a part to a round of a fit
}

// Fold are the errors on a fold's test rows, as in lder.CVResult.
type Fold struct {
	FVU number `json:"fvu"`
	MSE number `json:"mse"`
}

// Values are the fraction of variance unexplained and the mean squared error.
func (f *Fold) Values() (fvu, mse float64) { return float64(f.FVU), float64(f.MSE) }

// Solved is a ccp.Result without the times.
type Solved struct {
	Status         string      `json:"status"`
	Objective      number      `json:"objective"`
	ObjectiveError number      `json:"objective_error"`
	Violation      number      `json:"violation"`
	Worst          string      `json:"worst,omitempty"`
	Feasible       bool        `json:"feasible"`
	Nearly         bool        `json:"nearly"`
	Least          number      `json:"least"`
	Iterations     int         `json:"iterations"`
	Starts         int         `json:"starts"`
	Start          int         `json:"start"`
	Backend        string      `json:"backend"`
	X              []number    `json:"x"`
	Duals          [][]number  `json:"duals"`
	BoundDuals     []number    `json:"bound_duals"`
	History        []iteration `json:"history"`
	Conflict       []string    `json:"conflict,omitempty"`
	Ray            []number    `json:"ray"`
	Message        string      `json:"message,omitempty"`
}

// iteration is a ccp.Iteration as histories are printed.
type iteration struct {
	Hop       int    `json:"hop"`
	K         int    `json:"k"`
	Tau       number `json:"tau"`
	Objective number `json:"objective"`
	Violation number `json:"violation"`
	Step      number `json:"step"`
}

// solvedOf takes over a result.
func solvedOf(res *ccp.Result) *Solved {
	standing := res.Standing()
	s := &Solved{
		res.Status.String(), number(res.Objective), number(res.ObjectiveError), number(res.Violation), res.Worst, res.Feasible,
		standing.Nearly, number(standing.Least), res.Iterations, res.Starts, res.Start, res.Backend,
		numbers(res.X), nil, numbers(res.BoundDuals), nil, res.Conflict, numbers(res.Ray), res.Message,
	}
	if res.Duals != nil {
		s.Duals = make([][]number, len(res.Duals))
	}
	for i, d := range res.Duals {
		s.Duals[i] = numbers(d)
	}
	for _, it := range res.History {
		s.History = append(s.History, iteration{it.Hop, it.K, number(it.Tau), number(it.Objective), number(it.Violation), number(it.Step)})
	}
	return s
}

// Result is the ccp.Result that s stands for. Iterations have the fields that histories print.
func (s *Solved) Result() (*ccp.Result, error) {
	status, err := ccp.ParseStatus(s.Status)
	if err != nil {
		return nil, err
	}
	res := &ccp.Result{
		Status: status, Objective: float64(s.Objective), ObjectiveError: float64(s.ObjectiveError), Violation: float64(s.Violation),
		Worst: s.Worst, Feasible: s.Feasible, Iterations: s.Iterations, Starts: s.Starts, Start: s.Start, Backend: s.Backend,
		X: floats(s.X), BoundDuals: floats(s.BoundDuals), Conflict: s.Conflict, Ray: floats(s.Ray), Message: s.Message,
	}
	if s.Duals != nil {
		res.Duals = make([][]float64, len(s.Duals))
	}
	for i, d := range s.Duals {
		res.Duals[i] = floats(d)
	}
	for _, it := range s.History {
		res.History = append(res.History, ccp.Iteration{
			Start: s.Start, Hop: it.Hop, K: it.K, Tau: float64(it.Tau), Objective: float64(it.Objective), Violation: float64(it.Violation), Step: float64(it.Step),
		})
	}
	res.Restore(ccp.Standing{Nearly: s.Nearly, Least: float64(s.Least)})
	return res, nil
}

// Encode is the file of the result, a line of JSON. Equal results have equal bytes.
func (r *Result) Encode() ([]byte, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("plan: shard %d: %w", r.Shard, err)
	}
	return append(b, '\n'), nil
}

// DecodeResult reads the file of a result of a shard of p. It refuses those that are cut, and results of other
// plans.
func (p *Plan) DecodeResult(b []byte) (*Result, error) {
	return decodeResult(b, p.ID(), p)
}

func decodeResult(b []byte, id string, p *Plan) (*Result, error) {
	r := &Result{}
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("no whole result: %w", err)
	}
	switch {
	case r.Plan != id:
		return nil, fmt.Errorf("the result of another plan (%s, not %s)", r.Plan, id)
	case r.Shard < 0 || r.Shard >= p.Shards:
		return nil, fmt.Errorf("the result of shard %d, and there are %d", r.Shard, p.Shards)
	case (r.Fold != nil) != (p.Study != nil) || (r.Solved != nil) != (p.Problem != nil) || (r.Answer != nil) != (p.Fit != nil):
		return nil, errors.New("a result of another kind")
	}
	if r.Solved != nil {
		if _, err := r.Solved.Result(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// number is a float64 that reads back as it was. JSON has no number for some: they are
// strings.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	x := float64(v)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.AppendQuote(nil, strconv.FormatFloat(x, 'g', -1, 64)), nil
	}
	return strconv.AppendFloat(nil, x, 'g', -1, 64), nil
}

func (v *number) UnmarshalJSON(b []byte) error {
	s := string(b)
	if u, err := strconv.Unquote(s); err == nil {
		s = u
	}
	x, ok := table.Float(s)
	if !ok {
		return fmt.Errorf("%s is no number", b)
	}
	*v = number(x)
	return nil
}

// numbers are v, nil where v is.
func numbers(v []float64) []number {
	if v == nil {
		return nil
	}
	out := make([]number, len(v))
	for k, x := range v {
		out[k] = number(x)
	}
	return out
}

// floats is the inverse of numbers.
func floats(v []number) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(v))
	for k, x := range v {
		out[k] = float64(x)
	}
	return out
}
