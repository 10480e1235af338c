package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/lder/shards"
)

// Result is the outcome of a shard. One of Solved, Fold and Answer is set.
type Result struct {
	Plan   string         `json:"plan"` // Plan.ID
	Shard  int            `json:"shard"`
	Solved *Solved        `json:"solved,omitempty"`
	Fold   *Fold          `json:"fold,omitempty"`
	Answer *shards.Answer `json:"answer,omitempty"` // of a part to a round of a fit
	// File is where Join has found the result.
	File string `json:"-"`
}

// Fold are the errors on a fold's test rows, as in lder.CVResult.
type Fold struct {
	FVU record.Number `json:"fvu"`
	MSE record.Number `json:"mse"`
}

// Values are the fraction of variance unexplained and the mean squared error.
func (f *Fold) Values() (fvu, mse float64) { return float64(f.FVU), float64(f.MSE) }

// Solved is a ccp.Result without the times.
type Solved struct {
	record.Record
	Nearly     bool              `json:"nearly"`
	Least      record.Number     `json:"least"`
	X          []record.Number   `json:"x"`
	Duals      [][]record.Number `json:"duals"`
	BoundDuals []record.Number   `json:"bound_duals"`
	History    []iteration       `json:"history"`
	Conflict   []string          `json:"conflict,omitempty"`
	Ray        []record.Number   `json:"ray"`

	Violation *record.Number `json:"violation,omitempty"` // MaxViolation before 0.1.0
}

// iteration has the names that its number and its violation had before 0.1.0, too.
type iteration struct {
	record.Iteration
	K         int            `json:"k,omitempty"`
	Violation *record.Number `json:"violation,omitempty"`
}

// solvedOf takes over a result.
func solvedOf(res *ccp.Result) *Solved {
	standing := res.Standing()
	s := &Solved{
		Record: report.Facts(res), Nearly: standing.Nearly, Least: record.Number(standing.Least),
		X: record.Numbers(res.X), BoundDuals: record.Numbers(res.BoundDuals), Conflict: res.Conflict,
		Ray: record.Numbers(res.Ray),
	}
	s.Seconds = nil
	if res.Duals != nil {
		s.Duals = make([][]record.Number, len(res.Duals))
	}
	for i, d := range res.Duals {
		s.Duals[i] = record.Numbers(d)
	}
	for _, it := range report.History(res.History) {
		s.History = append(s.History, iteration{Iteration: it})
	}
	return s
}

// Result is the ccp.Result that s stands for. Iterations have the fields that histories print.
func (s *Solved) Result() (*ccp.Result, error) {
	status, err := ccp.ParseStatus(s.Status)
	if err != nil {
		return nil, err
	}
	reason, err := ccp.ParseReason(s.Reason)
	if err != nil {
		return nil, err
	}
	res := &ccp.Result{
		Status: status, Objective: float64(s.Objective), ObjectiveError: s.ObjectiveError.Float(),
		Violation: s.MaxViolation.Float(), Worst: input.Visible(s.Worst), Feasible: s.Feasible != nil && *s.Feasible,
		Iterations: s.Iterations, Starts: s.Starts, Start: s.Start, Backend: input.Visible(s.Backend),
		X: record.Floats(s.X), BoundDuals: record.Floats(s.BoundDuals), Ray: record.Floats(s.Ray),
		Message: input.Visible(s.Message),
	}
	for _, name := range s.Conflict {
		res.Conflict = append(res.Conflict, input.Visible(name))
	}
	if a := s.NoMultipliers; a != nil {
		res.NoMultipliers = &ccp.Absence{Constraint: input.Visible(a.Constraint)}
	}
	if l := s.Loose; l != nil {
		res.Loose = &ccp.Loose{Constraint: input.Visible(l.Constraint), Change: l.Change}
	}
	if s.Duals != nil {
		res.Duals = make([][]float64, len(s.Duals))
	}
	for i, d := range s.Duals {
		res.Duals[i] = record.Floats(d)
	}
	for _, it := range s.History {
		res.History = append(res.History, ccp.Iteration{
			Start: s.Start, Hop: it.Hop, K: it.Iteration.K, Tau: float64(it.Tau), Objective: float64(it.Objective),
			Violation: float64(it.Iteration.Violation), Step: float64(it.Step),
		})
	}
	res.Restore(ccp.Standing{Nearly: s.Nearly, Least: float64(s.Least), Reason: reason})
	return res, nil
}

// renamed moves the fields with names of before 0.1.0 to the ones of now.
func (s *Solved) renamed() {
	if s.Violation != nil {
		s.MaxViolation, s.Violation = s.Violation, nil
	}
	for k := range s.History {
		if it := &s.History[k]; it.Violation != nil {
			it.Iteration.K, it.Iteration.Violation = it.K, *it.Violation
			it.K, it.Violation = 0, nil
		}
	}
}

// Encode is the file of the result: a line of JSON, whose last member is the checksum of what
// stands before it. Equal results have equal bytes.
func (r *Result) Encode() ([]byte, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("plan: shard %d: %w", r.Shard, err)
	}
	b = b[:len(b)-len("}")]
	return append(b, checksum(b)+"\n"...), nil
}

// checksum is the end of a result that begins so.
func checksum(b []byte) string { return fmt.Sprintf(`,"sum":"%x"}`, sha256.Sum256(b)) }

// DecodeResult reads the file of a result of a shard of p. It refuses those that are cut, and
// results of other plans.
func (p *Plan) DecodeResult(b []byte) (*Result, error) {
	return decodeResult(b, p.ID(), p)
}

func decodeResult(b []byte, id string, p *Plan) (*Result, error) {
	b = bytes.TrimSpace(b)
	begin := max(0, len(b)-len(checksum(nil)))
	if string(b[begin:]) != checksum(b[:begin]) {
		return nil, errors.New("no whole result: its checksum is wrong, or there is none")
	}
	r := &Result{}
	if err := cmp.Or(input.Lists(b), json.Unmarshal(b, r)); err != nil {
		return nil, fmt.Errorf("no whole result: %w", err)
	}
	switch {
	case r.Plan != id:
		return nil, fmt.Errorf("the result of another plan (%q, not %s)", r.Plan, id)
	case r.Shard < 0 || r.Shard >= p.Shards:
		return nil, fmt.Errorf("the result of shard %d, and there are %d", r.Shard, p.Shards)
	case (r.Fold != nil) != (p.Study != nil) || (r.Solved != nil) != (p.Problem != nil) ||
		(r.Answer != nil) != (p.Fit != nil):
		return nil, errors.New("a result of another kind")
	}
	if r.Solved != nil {
		r.Solved.renamed()
		if _, err := r.Solved.Result(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// CheckResult refuses a result of a problem that has other numbers of variables and constraints
// than its program, another objective at its point than it states, or a larger violation. Of an
// infeasible or unbounded problem the objective belongs to no point.
func (p *Plan) CheckResult(prog *lang.Program, r *Result) error {
	set, _, err := Settings(p.Problem.Settings, prog.Options)
	if err != nil {
		return err
	}
	q, s, n := prog.Problem.Program(), r.Solved, prog.Problem.NumVars()
	lengths := []struct {
		name       string
		have, want int
	}{
		{"values", len(s.X), n}, {"multipliers of constraints", len(s.Duals), len(q.Constraints)},
		{"multipliers of bounds", len(s.BoundDuals), n}, {"entries of the ray", len(s.Ray), n},
	}
	for k, l := range lengths {
		if l.have != l.want && (k == 0 || l.have != 0) {
			return fmt.Errorf("the result has %d %s; the problem wants %d", l.have, l.name, l.want)
		}
	}
	for i, y := range s.Duals {
		c := &q.Constraints[i]
		cone, _ := c.Cone()
		want := []int{0, 1, len(cone.Rows), c.Order() * c.Order()} // of a DC constraint
		if !c.DC {
			want = []int{0, c.A.Len()}
		}
		if !slices.Contains(want, len(y)) {
			return fmt.Errorf("the result has %d multipliers of constraint %d", len(y), i+1)
		}
	}
	x := record.Floats(s.X)
	if v, _ := q.Violation(x); !(v <= s.MaxViolation.Float()*(1+slack)+set.FeasTol) {
		return fmt.Errorf("the point breaks a constraint by %.3g; the result states %.3g", v, s.MaxViolation.Float())
	}
	if s.Feasible != nil && *s.Feasible && !q.Feasible(x, 2*set.FeasTol) {
		return errors.New("the point is not feasible; the result says that it is")
	}
	if s.Status == ccp.Infeasible.String() || s.Status == ccp.Unbounded.String() {
		return nil
	}
	v, bound := q.Evaluate(x)
	if o := float64(s.Objective); !(math.Abs(v-o) <= 2*bound || v == o || v != v && o != o) {
		return fmt.Errorf("the objective is %.9g; the result states %.9g", v, o)
	}
	return nil
}

// slack is by how much violations of two processors may differ, relatively.
// Source: far above rounding errors, and far below differences that matter.
const slack = 1e-6
