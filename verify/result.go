package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dcopt/dcopt/verify/internal/safe"
)

// Result has the claims of a result of `dcopt solve --json`.
type Result struct {
	Status                                  string
	Objective, Error, Violation, Bound, Gap *float64
	Feasible, Proved                        *bool
	answer, reason                          *string // in words
	worst, noBound                          string  // the row that the point breaks most, "" if none; in words
	// Proof is the file that solve --proof writes, where the result has it itself.
	Proof []byte
	// Sweep has the values of params that a line of a sweep was solved with, as --set takes them.
	Sweep map[string]string
	// Variables, lets and a ray by name, and the indices of the first two; multipliers of
	// constraints and of bounds.
	variables, lets, ray, indices, duals, boundDuals object
	loose, absent                                    object // tolerance_decides and no_multipliers
	// wrong says why the text is no result as solve writes it.
	wrong []string
}

// object is a JSON object with one value per name.
type object map[string]json.RawMessage

func (o *object) UnmarshalJSON(text []byte) (wrong error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("is no object")
	}
	*o = object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return err
		}
		if _, twice := (*o)[name.(string)]; twice {
			wrong = fmt.Errorf("has two members %s", name)
		}
		(*o)[name.(string)] = v
	}
	return wrong
}

// unchecked are members of results that say nothing about the point or the problem.
var unchecked = []string{
	"iterations", "starts", "start", "backend", "seconds", "history", "message", "nodes", "safe",
}

// statuses of results of .dc files, with the reasons that each may have. Source: docs/messages.md.
var statuses = map[string][]string{
	"converged": {"minimum", "stationary", "no_better_step", "noise", "inexact", "not_attained", "found"},
	"stalled": {
		"not_shown", "constraints_inexact", "constraint_broken", "runs_off", "rounding_errors", "given_up",
		"not_stationary",
	},
	"iteration_limit": {"work_limit", "iteration_limit"},
	"time_limit":      {"time_limit"},
	"infeasible":      {"constraints_conflict", "constraint_out_of_range", "constraints_opposed", "excluded"},
	"unbounded":       {"pole", "ray"},
	"cancelled":       {"recorder", "cancelled"},
	"numerical":       {"bad_start", "not_a_number", "convex_unbounded", "panic", "backend_failed"},
}

// ParseResults reads the output of `dcopt solve --json`: one result, or one per line of a sweep. An
// error says that the text is no such output; other faults are findings of Check.
func ParseResults(text []byte) (rs []*Result, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		switch {
		case err == io.EOF && len(rs) > 0:
			if len(rs) > 1 && slices.ContainsFunc(rs, func(r *Result) bool { return r.Sweep == nil }) {
				rs[0].wrong = append(rs[0].wrong, "there is more than one result, and no sweep")
			}
			return rs, nil
		case err != nil && len(rs) > 0:
			rs[0].wrong = append(rs[0].wrong, "there is text behind the result")
			return rs, nil
		case err != nil:
			return nil, fmt.Errorf("no result of dcopt solve --json: %w", err)
		}
		r, err := parseResult(raw)
		if err != nil {
			return nil, fmt.Errorf("no result of dcopt solve --json: %w", err)
		}
		rs = append(rs, r)
	}
}

func parseResult(raw json.RawMessage) (*Result, error) {
	r := &Result{}
	say := func(format string, args ...any) { r.wrong = append(r.wrong, fmt.Sprintf(format, args...)) }
	var all object
	if err := json.Unmarshal(raw, &all); err != nil {
		say("the result %v", err)
	}
	if all["status"] == nil || json.Unmarshal(all["status"], &r.Status) != nil {
		return nil, errors.New("it has no status")
	}
	var sweep object
	into := map[string]any{
		"status": &r.Status, "objective": &r.Objective, "objective_error": &r.Error, "max_violation": &r.Violation,
		"feasible": &r.Feasible, "bound": &r.Bound, "gap": &r.Gap, "proved": &r.Proved, "sweep": &sweep,
		"variables": &r.variables, "lets": &r.lets, "ray": &r.ray, "duals": &r.duals, "bound_duals": &r.boundDuals,
		"indices": &r.indices, "proof": &r.Proof, "answer": &r.answer, "worst": &r.worst, "no_bound": &r.noBound,
		"reason": &r.reason, "tolerance_decides": &r.loose, "no_multipliers": &r.absent,
	}
	for name, text := range all {
		to, known := into[name]
		switch {
		case known:
			if err := json.Unmarshal(text, to); err != nil {
				say("the member %s: %v", name, err)
			}
		case !slices.Contains(unchecked, name):
			say("the member %s is not known", name)
		}
	}
	if reasons, known := statuses[r.Status]; !known {
		say("the status %s is not known", r.Status)
	} else if r.reason != nil && *r.reason != "unknown" && !slices.Contains(reasons, *r.reason) {
		say("the status %s does not have the reason %s", r.Status, *r.reason)
	}
	if r.Error != nil && *r.Error < 0 {
		say("the objective_error %g is below 0", *r.Error)
	}
	if r.absent != nil && r.duals != nil {
		say("the result has duals, and no_multipliers")
	}
	for name, text := range sweep {
		var v *float64
		switch {
		case name == "feas_tol":
			say("the sweep gives feas_tol, which is no param")
		case json.Unmarshal(text, &v) != nil || v == nil:
			say("the sweep gives %s no number", name)
		default:
			if r.Sweep == nil {
				r.Sweep = map[string]string{}
			}
			r.Sweep[name] = strconv.FormatFloat(*v, 'g', -1, 64)
		}
	}
	slices.Sort(r.wrong)
	return r, nil
}

// point is the numbers of the variables, by their names.
func (p *Problem) point(from object) (x []float64, err error) {
	defer safe.Catch(&err)
	x = make([]float64, p.n)
	for _, v := range p.vars {
		name := v.whole()
		raw, ok := from[name]
		if !ok {
			safe.Fail("the result has no variable %s", name)
		}
		if v.of != "" {
			parts := partsOf(raw)
			if len(parts) != 2 {
				safe.Fail("the variable %s: it is no complex number with re and im", name)
			}
			raw = parts[map[bool]string{false: "re", true: "im"}[v.imaginary]]
		}
		v.give(x, numbersOf("the variable "+name, raw, v.shape))
	}
	for name := range from {
		if !slices.ContainsFunc(p.vars, func(v variable) bool { return v.whole() == name }) {
			safe.Fail("the problem has no variable %s", name)
		}
	}
	return x, nil
}

// whole is the name that results have: a part of a complex variable has the name of the variable.
func (v *variable) whole() string {
	if v.of != "" {
		return v.of
	}
	return v.name
}

// give puts the numbers of a variable, or of a part of it, into a point.
func (v *variable) give(x, flat []float64) {
	for k, j := range v.at {
		if j >= 0 {
			x[j] = flat[k]
		}
	}
	for k, j := range v.at {
		switch {
		case j >= 0 && x[j] != flat[k]:
			safe.Fail("%s is not symmetric", v.whole())
		case j < 0 && flat[k] != -flat[k%v.shape[0]*v.shape[0]+k/v.shape[0]]:
			safe.Fail("%s is not Hermitian", v.whole())
		}
	}
}

// partsOf is the parts of a complex array, nil of others.
func partsOf(raw json.RawMessage) object {
	var parts object
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	return parts
}

// numbersOf is the numbers of an array. A fault begins with its name.
func numbersOf(name string, raw json.RawMessage, shape []int) []float64 {
	flat, err := arrayOf(raw, shape)
	if err == nil && slices.ContainsFunc(flat, math.IsNaN) {
		err = errors.New("it has entries without a number")
	}
	if err != nil {
		safe.Fail("%s: %w", name, err)
	}
	return flat
}

// anyShape is the shape of arrays whose shape is not looked at.
var anyShape = []int{-1}

// arrayOf is the entries of an array of a shape, NaN for null.
func arrayOf(raw json.RawMessage, shape []int) (flat []float64, err error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	var add func(v any, shape []int) bool
	add = func(v any, shape []int) bool {
		free := slices.Equal(shape, anyShape)
		switch v := v.(type) {
		case []any:
			if !free {
				if len(shape) == 0 || shape[0] != len(v) {
					return false
				}
				shape = shape[1:]
			}
			return !slices.ContainsFunc(v, func(e any) bool { return !add(e, shape) })
		case float64:
			flat = append(flat, v)
		case nil:
			flat = append(flat, math.NaN())
		default:
			return false
		}
		return free || len(shape) == 0
	}
	if !add(v, shape) {
		return nil, fmt.Errorf("it is no array of numbers of the shape %v that the problem declares", shape)
	}
	return flat, nil
}

// letsOf: the stated values of named expressions are ones that float64 arithmetic may have, or none
// where it has none.
func (c *checking) letsOf() {
	rough := newValues(c.x, true)
	for name, raw := range c.r.lets {
		v, ok := c.lets[name]
		if !ok {
			c.add("lets", Refused, "the problem has no let %s", name)
			continue
		}
		check := func(part func(*expr) *expr, flat []float64, err error) {
			if err != nil {
				c.add("lets", Refused, "%s: %v", name, err)
				return
			}
			for k, e := range v.e {
				b, outside, err := enclose(part(e), rough)
				switch {
				case outside != "" && math.IsNaN(flat[k]):
				case err != nil || outside != "":
					c.add("lets", Incomplete, "entry %d of %s has no value that is known", k+1, name)
				default:
					lo, hi := b.Floats()
					if none := math.IsNaN(flat[k]) && math.IsInf(hi-lo, 1); !none && !(flat[k] >= lo && flat[k] <= hi) {
						c.add("lets", Refused, "entry %d of %s is between %.17g and %.17g; the result states %.17g",
							k+1, name, lo, hi, flat[k])
					}
				}
			}
		}
		if parts := partsOf(raw); parts != nil {
			u, err := arrayOf(parts["re"], v.shape)
			check(re, u, err)
			w, err := arrayOf(parts["im"], v.shape)
			check(im, w, err)
		} else {
			u, err := arrayOf(raw, v.shape)
			check(re, u, err)
			check(im, make([]float64, len(v.e)), nil)
		}
	}
}

// indices: the stated members of dimensions are those of the file.
func (c *checking) indices() {
	for name, raw := range c.r.indices {
		of, ok := c.lets[name]
		for _, v := range c.vars {
			if v.whole() == name {
				of, ok = value{shape: v.shape, axes: v.axes}, true
			}
		}
		var dims [][]any
		ok = ok && json.Unmarshal(raw, &dims) == nil && len(dims) == len(of.axes)
		for d := 0; ok && d < len(dims); d++ {
			ok = dims[d] == nil || len(dims[d]) == of.shape[d]
			for k := 0; ok && k < len(dims[d]); k++ {
				want, _ := json.Marshal(of.axes[d].label(k))
				got, _ := json.Marshal(dims[d][k])
				ok = bytes.Equal(want, got)
			}
		}
		if !ok {
			c.add("indices", Refused, "%s has other indices", name)
		}
	}
}
