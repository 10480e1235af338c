package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"reflect"
	"strings"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
)

// timeLimit is what a problem may take: all have at most seven variables, and the
// slowest takes some two seconds on an idle processor, forty with the race
// detector on a busy one.
const timeLimit = 2 * time.Minute

// outcome is an answer with what was wrong on the way to it.
type outcome struct {
	answer Answer
	kind   Kind // of an answer that there is not
	text   string
	ran    bool
}

// findings is all that is wrong.
func (o *outcome) findings(p *Problem, a *Arith) []Finding {
	if !o.ran {
		return []Finding{{o.kind, o.text}}
	}
	return p.Judge(a, o.answer)
}

// solve compiles and solves a file as the program does, by the library.
func solve(text string) (o outcome) {
	defer func() {
		if r := recover(); r != nil {
			o = outcome{kind: Panic, text: fmt.Sprint(r)}
		}
	}()
	f, err := lang.Parse("problem.dc", []byte(text))
	if err != nil {
		return outcome{kind: Refused, text: err.Error()}
	}
	prog, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		return outcome{kind: Refused, text: err.Error()}
	}
	set := ccp.DefaultSettings() // of which MaxIter bounds the work
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	begin := time.Now()
	res, err := ccp.Solve(ctx, prog.Problem, nil, set)
	if took := time.Since(begin); took > timeLimit-time.Second {
		return outcome{kind: OverTime, text: took.String()}
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return outcome{kind: Failed, text: err.Error()}
	}
	ans := Answer{Status: res.Status.String(), X: res.X, Objective: res.Objective, Violation: res.Violation, FeasTol: set.FeasTol}
	ans.ObjectiveError = stated(res)
	return outcome{answer: ans, ran: true}
}

// stated is the field ObjectiveError of a result; NaN as long as there is none.
func stated(res *ccp.Result) float64 {
	if f := reflect.ValueOf(res).Elem().FieldByName("ObjectiveError"); f.IsValid() {
		return f.Float()
	}
	return math.NaN()
}

// solveByProgram runs the program on the text, from the one start that the library makes.
func solveByProgram(path, text string) outcome {
	cmd := exec.Command(path, "solve", "-", "--json", "--starts", "1")
	cmd.Stdin = strings.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch code := cmd.ProcessState.ExitCode(); {
	case strings.Contains(stderr.String(), "panic:"):
		return outcome{kind: Panic, text: stderr.String()}
	case code == 2:
		return outcome{kind: Refused, text: stderr.String()}
	case code != 0 && code != 3:
		return outcome{kind: Failed, text: fmt.Sprint(err, stderr.String())}
	}
	r := struct {
		Status         string
		Objective      *float64
		MaxViolation   *float64 `json:"max_violation"`
		ObjectiveError *float64 `json:"objective_error"`
		Variables      struct{ X []float64 }
	}{}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return outcome{kind: Failed, text: fmt.Sprintf("%v: %s", err, stdout.String())}
	}
	ans := Answer{Status: r.Status, X: r.Variables.X, Objective: orNaN(r.Objective), Violation: orNaN(r.MaxViolation),
		ObjectiveError: orNaN(r.ObjectiveError), FeasTol: ccp.DefaultSettings().FeasTol}
	return outcome{answer: ans, ran: true}
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// same compares what library and program say.
func same(a, b *outcome) string {
	if a.ran != b.ran || a.kind != b.kind {
		return fmt.Sprintf("library %q %s, program %q %s", a.kind, a.text, b.kind, b.text)
	}
	if a.answer.Status != b.answer.Status {
		return fmt.Sprintf("library %s, program %s", a.answer.Status, b.answer.Status)
	}
	if u, v := a.answer.Objective, b.answer.Objective; u != v && !math.IsNaN(v) {
		return fmt.Sprintf("objective: library %.17g, program %.17g", u, v)
	}
	for k := range a.answer.X {
		if k < len(b.answer.X) && a.answer.X[k] != b.answer.X[k] {
			return fmt.Sprintf("x[%d]: library %.17g, program %.17g", k+1, a.answer.X[k], b.answer.X[k])
		}
	}
	return ""
}
