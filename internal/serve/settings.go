package serve

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/backends"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// plan is how a problem is solved.
type plan struct {
	ccp    ccp.Settings
	wire   wire.Settings // the part of it that belongs to a session
	starts int
	limit  time.Duration
	global bool
}

// merged is the settings of a problem with the settings of a request before them.
func merged(lists ...*wire.Settings) wire.Settings {
	var out wire.Settings
	to := reflect.ValueOf(&out).Elem()
	for _, l := range lists {
		if l == nil {
			continue
		}
		from := reflect.ValueOf(l).Elem()
		for k := range from.NumField() {
			if !from.Field(k).IsNil() {
				to.Field(k).Set(from.Field(k))
			}
		}
	}
	return out
}

func put[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

// settingsOf is the plan of a graph; later settings go before earlier ones.
func settingsOf(lists ...*wire.Settings) (*plan, error) {
	w := merged(lists...)
	p := &plan{ccp: ccp.DefaultSettings(), starts: ccp.Automatic}
	if w.Presolve != nil || w.InfeasTol != nil {
		return nil, errorf(wire.ErrRequest, "the settings presolve and infeas_tol belong to problems of load_data")
	}
	s := &p.ccp
	put(&s.Tau0, w.Tau0)
	put(&s.TauMax, w.TauMax)
	put(&s.TauRelative, w.TauRelative)
	put(&s.Mu, w.Mu)
	put(&s.MaxIter, w.MaxIter)
	put(&s.Tol, w.Tol)
	put(&s.Scale, w.Scale)
	put(&s.FeasTol, w.FeasTol)
	put(&s.Damping, w.Damping)
	put(&s.Proximal, w.Proximal)
	put(&s.WorkingSet, w.WorkingSet)
	put(&s.Seed, w.Seed)
	put(&s.Acceleration.LineSearch, w.LineSearch)
	put(&s.Search.Coordinates, w.Coordinates)
	put(&s.Search.Decisions, w.Decisions)
	put(&s.Search.Descents, w.Descents)
	put(&s.Search.Hops, w.Hops)
	put(&s.Search.Vary, w.Vary)
	put(&s.Global.MaxNodes, w.MaxNodes)
	put(&s.Global.GapTol, w.GapTol)
	put(&p.starts, w.Starts)
	put(&p.global, w.Global)
	if w.Starts != nil && p.starts < 1 {
		return nil, errorf(wire.ErrRequest, "the setting starts is %d, want at least 1", p.starts)
	}
	var err error
	if w.Effort != nil {
		if s.Effort, err = ccp.ParseEffort(*w.Effort); err != nil {
			return nil, errorf(wire.ErrRequest, "the setting effort: %v", err)
		}
	}
	if p.limit, err = timeLimit(w.TimeLimit); err != nil {
		return nil, err
	}
	if w.Backend != nil {
		if s.Backend, err = backends.ByName(*w.Backend); err != nil {
			return nil, errorf(wire.ErrUnsupported, "%v", err)
		}
	}
	if err := s.Validate(); err != nil {
		return nil, errorf(wire.ErrRequest, "%s", inTheirWords(err, w))
	}
	switch {
	case w.BackendTol != nil && !(*w.BackendTol > 0 && *w.BackendTol < 1):
		return nil, errorf(wire.ErrRequest, "the setting backend_tol is %g, want a number between 0 and 1",
			*w.BackendTol)
	case w.BackendTol != nil && s.Backend == nil:
		s.Backend = finer{ipm.Backend{}, *w.BackendTol}
	case w.BackendTol != nil:
		s.Backend = finer{s.Backend, *w.BackendTol}
	}
	w.Starts, w.Effort, w.TimeLimit, w.Global, w.MaxNodes, w.GapTol = nil, nil, nil, nil, nil, nil
	p.wire = w
	return p, nil
}

// inTheirWords is an error about a field of a Settings with the name that settings, a struct of
// package wire, have for it.
func inTheirWords(err error, settings any) string {
	field := regexp.MustCompile(`\w+: Settings\.(?:\w+\.)*(\w+) =`)
	return field.ReplaceAllStringFunc(err.Error(), func(text string) string {
		name := field.FindStringSubmatch(text)[1]
		if f, ok := reflect.TypeOf(settings).FieldByName(name); ok {
			name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
		return "the setting " + name + " is"
	})
}

// finer is a backend with a smaller tolerance.
type finer struct {
	qpbackend.Backend
	tol float64
}

// New asks the backend for that tolerance, or a smaller one.
func (b finer) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	set.Tol = min(set.Tol, b.tol)
	return b.Backend.New(ctx, p, set)
}

// timeLimit is a limit in seconds; 0: none.
func timeLimit(v *float64) (time.Duration, error) {
	switch {
	case v == nil:
		return 0, nil
	case !(*v > 0):
		return 0, errorf(wire.ErrRequest, "the setting time_limit is %g, want a number of seconds > 0", *v)
	case *v > 1e9:
		return 0, nil
	}
	return max(1, time.Duration(*v*float64(time.Second))), nil
}

func since(j *job) float64 { return time.Since(j.begin).Seconds() }

// often is the least time between two frames of progress.
const often = 100 * time.Millisecond

// reporter sends progress.
type reporter struct {
	mu   sync.Mutex
	s    *server
	j    *job
	want bool
	last time.Time
	best *wire.Number // of the feasible points so far
	most bool         // the best is the largest
}

func (r *reporter) start(s *server, j *job, want, most bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.s, r.j, r.want, r.last, r.best, r.most = s, j, want, j.begin, nil, most
}

// due reports whether it is time for another frame.
func (r *reporter) due() bool {
	if !r.want || time.Since(r.last) < often {
		return false
	}
	r.last = time.Now()
	return true
}

// Record sends the iteration if it is time.
func (r *reporter) Record(it ccp.Iteration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if better := r.best == nil || (it.Objective > float64(*r.best)) == r.most; it.Feasible && better {
		best := wire.Number(it.Objective)
		r.best = &best
	}
	if !r.due() {
		return nil
	}
	obj, viol, feasible := wire.Number(it.Objective), wire.Number(it.Violation), it.Feasible
	r.s.out.send(&wire.Progress{
		Head: wire.Head{Type: "progress", ID: r.j.head.ID}, Seconds: since(r.j),
		Iteration: it.K, Start: it.Start, Hop: it.Hop, Objective: &obj, MaxViolation: &viol, Feasible: &feasible,
		Best: r.best,
	})
	return nil
}

// units sends how many units of work are done, if it is time.
func (r *reporter) units(done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.due() {
		return
	}
	r.s.out.send(&wire.Progress{Head: wire.Head{Type: "progress", ID: r.j.head.ID}, Seconds: since(r.j), Done: &done,
		Total: &total})
}
