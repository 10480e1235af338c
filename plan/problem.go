package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/options"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// Problem is a .dc problem at points of its params, or from many starts.
type Problem struct {
	Name     string            `json:"name"` // the file, for messages
	Text     string            `json:"text"`
	Set      map[string]string `json:"set,omitempty"` // other values of params, as --set has them
	Settings Overrides         `json:"settings"`
	// Params are the params that a sweep varies. A shard is one point: of Points, rows with
	// one value per param, if there are any, else of the product of Grid, which has the values of
	// each param; the last param varies fastest.
	Params []string   `json:"params,omitempty"`
	Grid   [][]string `json:"grid,omitempty"`
	Points [][]string `json:"points,omitempty"`
	// Starts is how many starts there are, of which a shard is one; 0: this is a sweep.
	Starts int `json:"starts,omitempty"`
}

// Overrides are settings that go before the options of a problem file, by their names in files:
// Backend, Starts (of each solve), MaxIter, Tol, Seed and Effort are pointers; nil: the file or the
// default says.
type Overrides = setting.Given

// Settings are the settings of a compiled file with o before its options, and the number of
// starts, which may be ccp.Automatic.
func Settings(o Overrides, file lang.ProblemOptions) (ccp.Settings, int, error) {
	if err := o.Check(setting.File); err != nil {
		return ccp.Settings{}, 0, err
	}
	if o.Effort != nil {
		file.Starts = nil
	}
	given := o.Over(&file)
	set, starts, err := options.Settings(given)
	if err != nil {
		return set, 0, err
	}
	if b := given.Backend; b != nil && *b != "auto" {
		if set.Backend, err = backends.ByName(*b); err != nil && o.Backend == nil {
			err = fmt.Errorf("option backend: %w", err)
		}
		if err != nil {
			return set, 0, err
		}
	}
	return set, starts, set.Validate()
}

// shards counts them.
func (q *Problem) shards() (int, error) {
	switch {
	case q.Starts < 0 || q.Settings.Starts != nil && *q.Settings.Starts < 1:
		return 0, errors.New("starts must be at least 1")
	case q.Starts > 0 && len(q.Params)+len(q.Grid)+len(q.Points) > 0:
		return 0, errors.New("it is a sweep or it has starts, not both")
	case q.Starts > 0:
		return q.Starts, nil
	case len(q.Params) == 0:
		return 0, errors.New("it has neither params nor starts")
	}
	for k, name := range q.Params {
		if _, set := q.Set[name]; set || slices.Contains(q.Params[:k], name) {
			return 0, fmt.Errorf("param %s has two values", name)
		}
	}
	if q.Points != nil {
		for k, row := range q.Points {
			if len(row) != len(q.Params) || q.Grid != nil {
				return 0, fmt.Errorf("point %d does not go with the %d params", k, len(q.Params))
			}
		}
		return len(q.Points), nil
	}
	if len(q.Grid) != len(q.Params) {
		return 0, fmt.Errorf("%d params and values of %d", len(q.Params), len(q.Grid))
	}
	count := 1
	for k, values := range q.Grid {
		if len(values) == 0 {
			return 0, fmt.Errorf("param %s has no values", q.Params[k])
		}
		if count *= len(values); count > MostShards {
			return 0, fmt.Errorf("the grid has more than %d points", MostShards)
		}
	}
	return count, nil
}

// Point is the value of each of Params at shard i of a sweep.
func (q *Problem) Point(i int) []string {
	if q.Points != nil {
		return q.Points[i]
	}
	at := make([]string, len(q.Params))
	for k := len(q.Grid) - 1; k >= 0; k-- {
		n := len(q.Grid[k])
		at[k], i = q.Grid[k][i%n], i/n
	}
	return at
}

// OfProblem makes the plan of a problem, with q but its text: that is read from the file at a path,
// whose data files go into the plan with their content unless refer is set or they have more than
// Keep bytes. The problem is compiled at its first point: an error of the problem is of type
// lang.Diagnostics.
func OfProblem(ctx context.Context, q Problem, text []byte, dir string, refer bool) (*Plan, error) {
	q.Text = string(text)
	p := &Plan{Format: Version, Problem: &q}
	var err error
	if p.Shards, err = q.shards(); err != nil {
		return nil, err
	}
	file, err := lang.Parse(q.Name, text)
	if err != nil {
		return nil, err
	}
	prog, err := lang.Compile(ctx, file, lang.Options{Dir: dir, Set: q.set(0)})
	if err != nil {
		return nil, err
	}
	if _, _, err := Settings(q.Settings, prog.Options); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, d := range prog.Data {
		seen[d.Name] = true
		if err := p.add(d.Name, d.Path); err != nil {
			return nil, err
		}
	}
	// Files of --set at other points are relative to the current folder.
	for i := range p.Shards {
		if q.Starts > 0 {
			break
		}
		for k, v := range q.Point(i) {
			if _, number := table.Float(v); number || seen[v] || !isFile(v) {
				continue
			}
			seen[v] = true
			if err := p.add(v, v); err != nil {
				return nil, fmt.Errorf("param %s: %w", q.Params[k], err)
			}
		}
	}
	if !refer {
		if err := p.hold(); err != nil {
			return nil, err
		}
	}
	return p, p.validate()
}

// isFile reports whether the value of a param names a data file.
func isFile(v string) bool {
	return slices.Contains([]string{".csv", ".npy", ".npz", ".mtx"}, path.Ext(trimGzip(v)))
}

func trimGzip(v string) string {
	if path.Ext(v) == ".gz" {
		return v[:len(v)-len(".gz")]
	}
	return v
}

// add lists a file, once.
func (p *Plan) add(name, at string) error {
	f, _, err := NewFile(name, at)
	if err != nil {
		return err
	}
	for _, old := range p.Files {
		if path.Clean(old.Name) == path.Clean(name) {
			if old.SHA256 != f.SHA256 {
				return fmt.Errorf("%s is two files, %s and %s: one relative to the problem, one to the current "+
					"folder; rename one", name, old.Path, f.Path)
			}
			return nil
		}
	}
	p.Files = append(p.Files, f)
	return nil
}

// hold puts the content of the files into the plan unless they are too large together.
func (p *Plan) hold() error {
	sum := int64(0)
	for k := range p.Files {
		sum += p.Files[k].Bytes
	}
	if sum > Keep {
		return nil
	}
	for k := range p.Files {
		f := &p.Files[k]
		again, b, err := NewFile(f.Name, filepath.FromSlash(f.Path))
		if err != nil {
			return err
		}
		if again.SHA256 != f.SHA256 {
			return fmt.Errorf("%s changes while the plan is made", f.Path)
		}
		if err := f.hold(b); err != nil {
			return err
		}
	}
	return nil
}

// set are the values of params for shard i.
func (q *Problem) set(i int) map[string]string {
	if q.Starts > 0 {
		return q.Set
	}
	set := maps.Clone(q.Set)
	if set == nil {
		set = map[string]string{}
	}
	for k, v := range q.Point(i) {
		set[q.Params[k]] = v
	}
	return set
}

// Compile compiles the problem as shard i has it.
func (r *Runner) Compile(ctx context.Context, i int) (*lang.Program, error) {
	q := r.plan.Problem
	if r.file == nil {
		var err error
		if r.file, err = lang.Parse(q.Name, []byte(q.Text)); err != nil {
			return nil, err
		}
	}
	if q.Starts > 0 && r.prog != nil {
		return r.prog, nil
	}
	prog, err := lang.Compile(ctx, r.file, lang.Options{FS: files{r.plan, r.dir}, Set: q.set(i), Cache: &r.cache})
	if err != nil {
		return nil, err
	}
	r.prog = prog
	return prog, nil
}

// solve computes a shard of a problem.
func (r *Runner) solve(ctx context.Context, i int) (*Solved, error) {
	q := r.plan.Problem
	prog, err := r.Compile(ctx, i)
	if err != nil {
		return nil, err
	}
	set, starts, err := Settings(q.Settings, prog.Options)
	if err != nil {
		return nil, err
	}
	if q.Settings.Effort == nil && prog.Options.Effort == nil { // one of many
		set.Effort = ccp.Quick
	}
	within := ctx
	if t := prog.Options.TimeLimit; t != nil {
		limited, end := context.WithTimeout(ctx, time.Duration(min(*t, 1e9)*float64(time.Second)))
		defer end()
		within = limited
	}
	var res *ccp.Result
	switch {
	case q.Starts > 0:
		res, err = ccp.SolveStart(within, prog.Problem, i, set)
	case starts == 1:
		res, err = ccp.Solve(within, prog.Problem, nil, set)
	default:
		res, err = ccp.Multistart(within, prog.Problem, starts, set)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // half a shard is none
	case res == nil:
		return nil, err
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, err
	}
	return solvedOf(res), nil
}
