package playground

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/options"
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
	var t text
	t.object(func() {
		if out, err := lang.Format(Name, []byte(src)); err != nil {
			t.failed(err)
		} else {
			t.key("text")
			t.string(string(out))
		}
	})
	return t
}

// Check finds the mistakes of a problem, or says how it is split: an object with
// diagnostics and, where these are no errors, with summary.
func (e *Engine) Check(ctx context.Context, src string) []byte {
	var t text
	t.object(func() {
		p, err := e.compile(ctx, src)
		if err != nil {
			t.failed(err)
			return
		}
		if _, _, err = settings(p.Options); err != nil {
			t.failed(err)
			return
		}
		t.diagnostics(p.Warnings)
		t.key("summary")
		t.summary(p)
	})
	return t
}

// failed writes an error as diagnostics, or as a message where it has no place.
func (t *text) failed(err error) {
	var ds lang.Diagnostics
	if errors.As(err, &ds) {
		t.diagnostics(ds)
		return
	}
	t.diagnostics(lang.Diagnostics{{File: Name, Message: err.Error()}})
}

func (t *text) diagnostics(ds lang.Diagnostics) {
	t.key("diagnostics")
	t.array(func() {
		for _, d := range ds {
			t.object(func() {
				t.key("severity")
				t.string(d.Severity.String())
				if d.File != Name {
					t.key("file")
					t.string(d.File)
				}
				t.place(d.Place)
				t.key("message")
				t.string(d.Message)
				if d.Help != "" {
					t.key("help")
					t.string(d.Help)
				}
				if len(d.Notes) > 0 {
					t.key("notes")
					t.array(func() {
						for _, n := range d.Notes {
							t.object(func() {
								t.place(n.Place)
								t.key("message")
								t.string(n.Text)
							})
						}
					})
				}
			})
		}
	})
}

func (t *text) place(p lang.Place) {
	if p.Line == 0 {
		return
	}
	t.key("line")
	t.int(p.Line)
	t.key("column")
	t.int(p.Col)
	t.key("end_column")
	t.int(p.EndCol)
}

// summary writes how a problem is split: variables, objective, constraints and data.
func (t *text) summary(p *lang.Program) {
	sense := "minimise"
	switch {
	case p.Find:
		sense = "find a feasible point"
	case p.Problem.Maximize:
		sense = "maximise"
	}
	t.object(func() {
		t.key("variables")
		t.int(p.Problem.NumVars())
		t.key("shapes")
		t.object(func() {
			for _, v := range p.Problem.Vars {
				t.key(v.Name)
				t.array(func() {
					for _, n := range v.Shape {
						t.int(n)
					}
				})
			}
		})
		t.key("objective")
		t.object(func() {
			t.key("sense")
			t.string(sense)
			t.part(&p.Objective)
		})
		t.key("constraints")
		t.array(func() {
			for k := range p.Families {
				f := &p.Families[k]
				t.object(func() {
					t.key("name")
					t.string(f.Name)
					t.key("count")
					t.int(f.Members)
					t.part(&f.Part)
				})
			}
		})
		t.key("data")
		t.array(func() {
			for _, d := range p.Data {
				t.object(func() {
					t.key("name")
					t.string(d.Name)
					t.key("rows")
					t.int(d.Rows)
					t.key("columns")
					t.int(d.Cols)
				})
			}
		})
	})
}

func (t *text) part(p *lang.Part) {
	t.key("curvature")
	t.string(p.Curvature.String())
	t.key("text")
	t.string(p.Text)
	t.place(p.Place)
	t.key("linearised")
	t.strings(p.Linearised)
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
