package serve

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/options"
	"github.com/dcopt/dcopt/internal/setting"
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

func put[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

// given are the settings of a request with those of its problem behind them, as takers have them,
// and their backend; nil: the default.
func given(request, problem *wire.Settings, takers setting.Takers) (wire.Settings, qpbackend.Backend) {
	w := wire.Settings{}.Over(request).Over(problem)
	ensureAs(wire.ErrRequest, w.Check(takers))
	return w, backendOf(w.Backend)
}

// backendOf is the backend of a name; nil: none is given.
func backendOf(name *string) qpbackend.Backend {
	if name == nil {
		return nil
	}
	b, err := backends.ByName(*name)
	ensureAs(wire.ErrUnsupported, err)
	return b
}

// settingsOf is the plan of a graph, by the settings of a request and of its problem, either
// of which may be nil.
func settingsOf(request, problem *wire.Settings) *plan {
	w, b := given(request, problem, setting.Request)
	p := &plan{limit: timeLimit(w.TimeLimit)}
	var err error
	if p.ccp, p.starts, err = options.Settings(w); err == nil {
		err = p.ccp.Validate()
	}
	allowed(err, w)
	put(&p.global, w.Global)
	s := &p.ccp
	if b != nil {
		s.Backend = b
	}
	if w.BackendTol != nil {
		if s.Backend == nil {
			s.Backend = ipm.Backend{}
		}
		s.Backend = finer{s.Backend, *w.BackendTol}
	}
	w.Starts, w.TimeLimit, w.Global, w.MaxNodes, w.GapTol = nil, nil, nil, nil, nil
	p.wire = w
	return p
}

// allowed ends the request if there is an error about a field of a Settings, in which it puts the
// name that settings, a struct of package wire, have for it.
func allowed(err error, settings any) {
	if err == nil {
		return
	}
	field := regexp.MustCompile(`\w+: Settings\.(?:\w+\.)*(\w+) =`)
	refuseAs(wire.ErrRequest, "%s", field.ReplaceAllStringFunc(err.Error(), func(text string) string {
		name := field.FindStringSubmatch(text)[1]
		if f, ok := reflect.TypeOf(settings).FieldByName(name); ok {
			name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
		return "the setting " + name + " is"
	}))
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
func timeLimit(v *float64) time.Duration {
	if v == nil || *v > 1e9 {
		return 0
	}
	return max(1, time.Duration(*v*float64(time.Second)))
}

// within is ctx with a limit; 0: none.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
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
	r.send(&wire.Progress{Iteration: it.K, Start: it.Start, Hop: it.Hop, Objective: &obj, MaxViolation: &viol,
		Feasible: &feasible, Best: r.best})
	return nil
}

// send sends a frame of progress.
func (r *reporter) send(p *wire.Progress) {
	p.Seconds = since(r.j)
	wire.Address(p, "progress", r.j.head.ID)
	r.s.out.send(p)
}

// units sends how many units of work are done, if it is time.
func (r *reporter) units(done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.due() {
		r.send(&wire.Progress{Done: &done, Total: &total})
	}
}
