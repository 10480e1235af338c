package playground

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/options"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// Name is the name of the problem in messages.
const Name = "problem.dc"

// Engine has the data files of a problem. It is for one goroutine. The zero value is ready.
type Engine struct {
	files files
	cache *lang.Cache // of the files as they are
}

// Put gives the problem a data file; it replaces the one of that name. The engine keeps data.
func (e *Engine) Put(name string, data []byte) {
	if e.files == nil {
		e.files = files{}
	}
	e.files[name] = data
	e.cache = nil
}

// Drop takes a data file away; one that is not there is no error.
func (e *Engine) Drop(name string) {
	delete(e.files, name)
	e.cache = nil
}

// compile is the problem with the files of the engine.
func (e *Engine) compile(ctx context.Context, src string) (*lang.Program, error) {
	if e.cache == nil {
		e.cache = &lang.Cache{}
	}
	f, err := lang.Parse(Name, []byte(src))
	// Compile finds the mistakes of other statements, too.
	p, all := lang.Compile(ctx, f, lang.Options{FS: e.files, Cache: e.cache})
	if all == nil {
		all = err
	}
	return p, all
}

// Format is the problem in the layout of the language: an object with text, or with
// diagnostics where it has mistakes.
func Format(src string) []byte {
	out, err := lang.Format(Name, []byte(src))
	if err != nil {
		return text(failed(err))
	}
	return text(report.Object{{Name: "text", Value: string(out)}})
}

// Check finds the mistakes of a problem, or says how it is split: an object with
// diagnostics and, where these are no errors, with summary.
func (e *Engine) Check(ctx context.Context, src string) []byte {
	p, err := e.compile(ctx, src)
	if err == nil {
		_, _, err = settings(p.Options)
	}
	if err != nil {
		return text(failed(err))
	}
	return text(report.Object{diagnostics(p.Warnings), {Name: "summary", Value: summary(p)}})
}

// text is an object as JSON; one that has none is a mistake of this package.
func text(o report.Object) []byte {
	b, err := report.AppendJSON(nil, o)
	if err != nil {
		b, _ = report.AppendJSON(nil, failed(err))
	}
	return b
}

// failed is an error as diagnostics, or as a message where it has no place.
func failed(err error) report.Object {
	var ds lang.Diagnostics
	if !errors.As(err, &ds) {
		ds = lang.Diagnostics{{File: Name, Message: err.Error()}}
	}
	return report.Object{diagnostics(ds)}
}

func diagnostics(ds lang.Diagnostics) report.Member {
	list := make([]report.Object, len(ds))
	for k, d := range ds {
		if d.File == Name {
			d.File = ""
		}
		list[k] = report.Diagnostic(d)
	}
	return report.Member{Name: "diagnostics", Value: list}
}

// split is how a function is split, beside the name and the number of members of a constraint, or
// the sense of the objective.
type split struct {
	Sense      string   `json:"sense,omitempty"`
	Name       string   `json:"name,omitempty"`
	Count      int      `json:"count,omitempty"`
	Curvature  string   `json:"curvature"`
	Text       string   `json:"text"`
	Line       int      `json:"line,omitempty"`
	Column     int      `json:"column,omitempty"`
	EndColumn  int      `json:"end_column,omitempty"`
	Linearised []string `json:"linearised"`
}

func splitOf(p *lang.Part) split {
	return split{
		Curvature: p.Curvature.String(), Text: p.Text,
		Line: p.Place.Line, Column: p.Place.Col, EndColumn: p.Place.EndCol,
		Linearised: append([]string{}, p.Linearised...),
	}
}

// source is a data file of a problem.
type source struct {
	Name    string `json:"name"`
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
}

// summary is how a problem is split: variables, objective, constraints and data.
func summary(p *lang.Program) report.Object {
	objective, sense := splitOf(&p.Objective), "minimise"
	switch {
	case p.Find:
		sense = "find a feasible point"
	case p.Problem.Program().Maximize:
		sense = "maximise"
	}
	objective.Sense = sense
	shapes, constraints, data := report.Object{}, []split{}, []source{}
	for _, v := range p.Problem.Program().Vars {
		shapes = append(shapes, report.Member{Name: v.Name, Value: append([]int{}, v.Shape...)})
	}
	for k := range p.Families {
		f := &p.Families[k]
		part := splitOf(&f.Part)
		part.Name, part.Count = f.Name, f.Members
		constraints = append(constraints, part)
	}
	for _, d := range p.Data {
		data = append(data, source{d.Name, d.Rows, d.Cols})
	}
	return report.Object{
		{Name: "variables", Value: p.Problem.NumVars()}, {Name: "shapes", Value: shapes},
		{Name: "objective", Value: objective}, {Name: "constraints", Value: constraints}, {Name: "data", Value: data},
	}
}

// settings follow the problem's options, with the number of starts: as the
// command has them with --effort quick, as WebAssembly takes some seconds for a second of work.
func settings(o lang.ProblemOptions) (ccp.Settings, int, error) {
	set, starts, err := options.Settings(o)
	if err != nil {
		return set, starts, err
	}
	if o.Effort == nil {
		set.Effort = ccp.Quick
	}
	if b := o.Backend; b != nil && *b != "auto" && *b != (ipm.Backend{}).Name() {
		return set, starts, fmt.Errorf("option backend: %s is not part of this engine, which has %s alone; leave "+
			"the option out", *b, ipm.Backend{}.Name())
	}
	return set, starts, set.Validate()
}

// seconds is a number of seconds as a duration, cut where that holds no more.
func seconds(v float64) time.Duration {
	return time.Duration(min(v, 1e9) * float64(time.Second))
}
