package serve

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/presolve"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// matrices is a problem of load_data and its solver.
type matrices struct {
	qp       *qpbackend.Problem
	settings *wire.Settings
	conic    bool
	turned   []bool // rows of the conic form that are stated with the other sign
	fixed    []bool // rows of the cone zero
	p, a     []int  // the place of each entry that came in P and A, −1 for one that is left out
	signs    []bool // the entries of A that are stated with the other sign

	solver qpbackend.Solver
	wanted wire.Settings
	res    qpbackend.Result
	solved bool
}

func (d *matrices) close() {
	if d.solver != nil {
		d.solver.Close()
		d.solver = nil
	}
}

func (s *server) loadData(_ *job, m *wire.LoadData) wire.Message {
	s.fresh(key{aProblem, m.Problem})
	d := newMatrices(m, s.cfg.Limits.Entries)
	d.plan(nil)
	s.keep(key{aProblem, m.Problem}, &problem{data: d})
	n, rows := d.qp.Dims()
	return &wire.Loaded{Problem: m.Problem, Entries: n, Multipliers: rows, Columns: n, Rows: rows, Convex: true}
}

func newMatrices(m *wire.LoadData, most int) *matrices {
	if m.Q == nil {
		refuseAs(wire.ErrRequest, "load_data without q")
	}
	n := len(m.Q.V)
	d := &matrices{settings: m.Settings, qp: &qpbackend.Problem{Q: m.Q.V, R: m.R}}
	rows := 0
	switch m.Form {
	case "qp":
		if m.B != nil || m.Cones != nil {
			refuseAs(wire.ErrRequest, "b and cones belong to the form conic")
		}
		if rows = len(values(m.L)); m.L == nil {
			rows = len(values(m.U))
		}
		d.qp.L, d.qp.U = sides(m.L, rows, -1), sides(m.U, rows, 1)
		d.turned, d.fixed = make([]bool, rows), make([]bool, rows)
	case "conic":
		d.conic = true
		if m.L != nil || m.U != nil {
			refuseAs(wire.ErrRequest, "l and u belong to the form qp")
		}
		for _, c := range m.Cones {
			if c.Size < 0 || c.Size > most {
				refuseAs(wire.ErrProblem, "a cone %s of the size %d", c.Kind, c.Size)
			}
			d.cone(c)
			if len(d.turned) > most {
				refuseAs(wire.ErrLimit, "the cones have more than %d rows", most)
			}
		}
		rows = len(d.turned)
		if m.B == nil && rows > 0 || m.B != nil && len(m.B.V) != rows {
			refuseAs(wire.ErrProblem, "the cones have %d rows, b has %d", rows, len(values(m.B)))
		}
		d.qp.L, d.qp.U = make([]float64, rows), make([]float64, rows)
		if m.B != nil {
			d.offsets(d.qp.L, d.qp.U, m.B.V)
		}
	default:
		refuseAs(wire.ErrRequest, "the form is %.40q, want qp or conic", m.Form)
	}
	if m.P != nil {
		d.qp.P, d.p = columns("P", m.P, n, n, func(i, j int) bool { return i <= j })
	}
	if m.A != nil {
		d.qp.A, d.a = columns("A", m.A, rows, n, func(int, int) bool { return true })
		d.signs = make([]bool, len(d.a))
		for k, i := range m.A.Indices.V {
			if d.turned[i] {
				d.signs[k] = true
				d.qp.A.Val[d.a[k]] *= -1
			}
		}
	} else if rows > 0 {
		d.qp.A = sparse.Zero(rows, n)
	}
	if m.Lo != nil || m.Hi != nil {
		if m.Lo != nil && len(m.Lo.V) != n || m.Hi != nil && len(m.Hi.V) != n {
			refuseAs(wire.ErrProblem, "lo and hi have %d and %d numbers, q has %d", len(values(m.Lo)),
				len(values(m.Hi)), n)
		}
		d.qp.Lo, d.qp.Hi = sides(m.Lo, n, -1), sides(m.Hi, n, 1)
	}
	ensureAs(wire.ErrProblem, d.qp.Validate())
	return d
}

// values are the numbers of an array, nil where there is none.
func values(a *wire.Floats) []float64 {
	if a == nil {
		return nil
	}
	return a.V
}

// dataPlan is how a problem of load_data is solved.
type dataPlan struct {
	wire    wire.Settings
	backend qpbackend.Backend
	set     qpbackend.Settings
	limit   time.Duration
}

// plan is that of the problem's settings with others before them.
func (d *matrices) plan(request *wire.Settings) *dataPlan {
	w, b := given(request, d.settings, setting.Data)
	p := &dataPlan{backend: b, limit: timeLimit(w.TimeLimit)}
	if b == nil {
		p.backend = ipm.Backend{}
	}
	if w.Presolve != nil && *w.Presolve {
		p.backend = presolve.Backend{Inner: p.backend}
	}
	p.set = p.backend.DefaultSettings()
	put(&p.set.Tol, w.Tol)
	put(&p.set.InfeasTol, w.InfeasTol)
	put(&p.set.MaxIter, w.MaxIter)
	allowed(p.set.Validate(), w)
	w.TimeLimit = nil
	p.wire = w
	return p
}

func (s *server) update(_ *job, m *wire.Update) wire.Message {
	p := known[*problem](s, key{aProblem, m.Problem})
	if p.data == nil {
		refuseAs(wire.ErrHandle, "problem %d is not one of load_data; set gives parameters other values",
			m.Problem)
	}
	p.data.update(&m.NewValues)
	return &wire.Ok{}
}

// update overwrites values: all or none.
func (d *matrices) update(v *wire.NewValues) {
	var u qpbackend.Update
	switch {
	case d.conic && (v.L != nil || v.U != nil):
		refuseAs(wire.ErrRequest, "l and u belong to the form qp")
	case !d.conic && v.B != nil:
		refuseAs(wire.ErrRequest, "b belongs to the form conic")
	case v.B != nil && len(v.B.V) != len(d.turned):
		refuseAs(wire.ErrProblem, "b has %d numbers, want %d", len(v.B.V), len(d.turned))
	case v.P != nil && len(v.P.V) != len(d.p):
		refuseAs(wire.ErrProblem, "P has %d numbers, want %d", len(v.P.V), len(d.p))
	case v.A != nil && len(v.A.V) != len(d.a):
		refuseAs(wire.ErrProblem, "A has %d numbers, want %d", len(v.A.V), len(d.a))
	}
	u.Q, u.L, u.U, u.Lo, u.Hi = values(v.Q), values(v.L), values(v.U), values(v.Lo), values(v.Hi)
	if v.B != nil {
		u.L, u.U = make([]float64, len(d.turned)), make([]float64, len(d.turned))
		d.offsets(u.L, u.U, v.B.V)
	}
	if v.P != nil && d.qp.P != nil {
		u.P = make([]float64, d.qp.P.NNZ())
		for k, at := range d.p {
			if at >= 0 {
				u.P[at] = v.P.V[k]
			}
		}
	}
	if v.A != nil && d.qp.A != nil {
		u.A = make([]float64, d.qp.A.NNZ())
		for k, at := range d.a {
			if u.A[at] = v.A.V[k]; d.signs[k] {
				u.A[at] = -u.A[at]
			}
		}
	}
	if (u.Lo != nil || u.Hi != nil) && d.qp.Lo == nil && d.qp.Hi == nil {
		n, _ := d.qp.Dims()
		d.qp.Lo, d.qp.Hi = sides(nil, n, -1), sides(nil, n, 1)
	}
	if d.solver != nil {
		ensureAs(wire.ErrProblem, d.solver.Update(u))
	}
	ensureAs(wire.ErrProblem, d.qp.Apply(u))
}

func (d *matrices) solve(j *job, m *wire.Solve) wire.Message {
	switch {
	case len(m.Parameters) > 0:
		refuseAs(wire.ErrRequest, "a problem of load_data has no parameters; update gives it other numbers")
	case m.Progress:
		m.Progress = false // a backend tells nothing
	}
	plan := d.plan(m.Settings)
	if m.Update != nil {
		d.update(m.Update)
	}
	ctx, stop := within(j.ctx, plan.limit)
	defer stop()
	if d.solver == nil || !reflect.DeepEqual(d.wanted, plan.wire) {
		solver, err := plan.backend.New(ctx, d.qp, plan.set)
		d.refuse(ctx, j, err)
		d.close()
		d.solver, d.wanted = solver, plan.wire
	}
	x, y, z := d.start(m)
	if x != nil || y != nil || z != nil {
		ensureAs(wire.ErrProblem, d.solver.WarmStart(x, y, z))
	}
	begin := time.Now()
	d.solved = false
	if err := d.solver.Solve(ctx, &d.res); err != nil && d.res.Status != qpbackend.Cancelled &&
		d.res.Status != qpbackend.TimeLimit {
		d.refuse(ctx, j, err)
	}
	switch d.res.Status {
	case qpbackend.Solved, qpbackend.AlmostSolved, qpbackend.IterationLimit:
		d.solved = true
	}
	return d.result(j, plan.backend.Name(), time.Since(begin).Seconds())
}

// refuse ends a request whose backend ended with an error.
func (d *matrices) refuse(ctx context.Context, j *job, err error) {
	var curved *qpbackend.NonconvexError
	switch {
	case err == nil:
	case j.ctx.Err() != nil:
		ensure(context.Canceled)
	case ctx.Err() != nil:
		refuseAs(wire.ErrCancelled, "the time limit passed before there was a point")
	case errors.As(err, &curved):
		e := wire.Errorf(wire.ErrCurvature, "%v", err)
		e.Help = "load it as a graph: a difference of convex functions need not be convex"
		ensure(e)
	default:
		ensure(refused(err))
	}
}

// start is the point that a solve begins with.
func (d *matrices) start(m *wire.Solve) (x, y, z []float64) {
	for name, v := range m.Start {
		if v == nil {
			refuseAs(wire.ErrRequest, "the start %s has no buffer", name)
		}
		switch name {
		case "x":
			x = v.V
		case "y":
			if len(v.V) != len(d.turned) {
				refuseAs(wire.ErrProblem, "the start y has %d numbers, want %d", len(v.V),
					len(d.turned))
			}
			y = d.turn(v.V)
		case "z":
			z = v.V
		default:
			refuseAs(wire.ErrRequest, "a start %.40q; want x, y, z", name)
		}
	}
	if len(m.Start) == 0 && d.solved && (m.Warm == nil || *m.Warm) {
		x, y, z = d.res.X, d.res.Y, d.res.Z
	}
	return x, y, z
}

// turn is y in the signs of the other form.
func (d *matrices) turn(y []float64) []float64 {
	out := append([]float64(nil), y...)
	for i, t := range d.turned {
		if t && i < len(out) {
			out[i] = -out[i]
		}
	}
	return out
}

func (d *matrices) result(j *job, backend string, seconds float64) *wire.Result {
	r := &d.res
	out := &wire.Result{Record: report.FactsOfQP(r, backend, seconds)}
	out.Seconds.Total = since(j)
	switch r.Status {
	case qpbackend.PrimalInfeasible, qpbackend.DualInfeasible:
		out.Certificate = r.Status.String()
	}
	for _, part := range []struct {
		to **wire.Floats
		v  []float64
	}{{&out.X, r.X}, {&out.Y, d.turn(r.Y)}, {&out.Z, r.Z}} {
		if part.v != nil {
			*part.to = wire.F(part.v)
		}
	}
	return out
}
