package qptest

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// solving checks every problem that has a solution, and infeasible the certificates of the others.
func (s suite) solving() []Check {
	return append(s.outcomes("solve/", func(c Case) bool { return c.Want == qpbackend.Solved }),
		Check{"solve/rounding in P is no negative curvature", s.roundedP},
		Check{"solve/as much negative curvature as rounding makes", s.slightlyNonconvex},
		Check{"result/slices are reused", func(t TB) { s.reused(t, boxedSample()) }},
		Check{"result/two runs agree bit for bit", func(t TB) {
			s.deterministic(t, sample(), boxedSample(), problems.Infeasible()[1])
		}},
		Check{"result/the problem is copied", func(t TB) { s.copied(t, boxedSample()) }},
		Check{"result/solvers side by side", func(t TB) { s.sideBySide(t, sample()) }},
	)
}

// outcomes are the checks of the problems without cones that which names.
func (s suite) outcomes(prefix string, which func(c Case) bool) (out []Check) {
	for _, c := range Problems() {
		if which(c) {
			out = append(out, Check{prefix + c.Name, func(t TB) { s.settled(t, c) }})
		}
	}
	return out
}

// settled solves a case whose outcome is known.
func (s suite) settled(t TB, c Case) {
	t.Helper()
	s.ended(t, c, s.solve(t, c.Problem, s.settings()))
}

// ended compares a result with the outcome of a case.
func (s suite) ended(t TB, c Case, res *qpbackend.Result) {
	t.Helper()
	switch {
	case res.Status != c.Want:
		fail(t, "the status is %v (%s), want %v; residuals %+v", res.Status, res.Message, c.Want, res.Res)
	case c.Want != qpbackend.Solved:
		certificate(t, c.Problem, res, s.settings().InfeasTol)
	case c.X == nil:
		s.certified(t, c.Problem, res)
	default:
		s.optimal(t, c, res)
	}
}

// stage is an update, and the outcome after it.
type stage struct {
	u    qpbackend.Update
	want Case
}

// walk goes with one solver of p through updates.
func (s suite) walk(t TB, p *qpbackend.Problem, stages []stage) {
	t.Helper()
	solver := s.make(t, p, s.settings())
	defer solver.Close()
	for _, st := range stages {
		must(t, "Update", solver.Update(st.u))
		s.ended(t, st.want, run(t, solver))
	}
}

// abort is the panic of fail.
type abort struct{}

// fail reports a failure after which a check has nothing to look at, and ends it.
func fail(t TB, format string, args ...any) {
	t.Helper()
	t.Errorf(format, args...)
	panic(abort{})
}

// must ends a check at an error.
func must(t TB, what string, err error) {
	t.Helper()
	if err != nil {
		fail(t, "%s: %v", what, err)
	}
}

// solve runs New and Solve and closes.
func (s suite) solve(t TB, p *qpbackend.Problem, set qpbackend.Settings) *qpbackend.Result {
	t.Helper()
	solver := s.make(t, p, set)
	defer solver.Close()
	return run(t, solver)
}

func (s suite) make(t TB, p *qpbackend.Problem, set qpbackend.Settings) qpbackend.Solver {
	t.Helper()
	solver, err := s.b.New(context.Background(), p, set)
	must(t, "New", err)
	return solver
}

// run is Solve without a limit.
func run(t TB, solver qpbackend.Solver) *qpbackend.Result {
	t.Helper()
	res := new(qpbackend.Result)
	must(t, "Solve", solver.Solve(context.Background(), res))
	return res
}

// optimal compares a result with a known optimum.
func (s suite) optimal(t TB, c Case, res *qpbackend.Result) {
	t.Helper()
	s.certified(t, c.Problem, res)
	if !agree(res.Objective, c.Objective, grades[s.g].objTol) {
		t.Errorf("the objective is %.10g, want %.10g", res.Objective, c.Objective)
	}
	if c.UniqueX {
		s.samePoint(t, "X", res.X, c.X)
	}
	if c.UniqueY {
		s.samePoint(t, "Y", res.Y, c.Y)
		s.samePoint(t, "Z", res.Z, c.Z)
	}
}

// certified checks that the result claims to be solved and is, by a
// computation of its own.
func (s suite) certified(t TB, p *qpbackend.Problem, res *qpbackend.Result) {
	t.Helper()
	shaped(t, p, res)
	if res.Status != qpbackend.Solved {
		fail(t, "the status is %v (%s), want solved; residuals %+v", res.Status, res.Message, res.Res)
	}
	s.honest(t, p, res)
	if r := res.Res.Max(); !(r <= grades[s.g].tol) {
		fail(t, "solved, says the status, at residuals %+v; want at most %g", res.Res, grades[s.g].tol)
	}
	problems.CheckConewise(t, p, res.X, res.Y, grades[s.g].tol)
}

// honest checks the numbers beside an iterate, which may be no solution.
func (s suite) honest(t TB, p *qpbackend.Problem, res *qpbackend.Result) {
	t.Helper()
	shaped(t, p, res)
	if got := qpbackend.Certify(p, res.X, res.Y, res.Z); got != res.Res {
		fail(t, "Res is %+v, Certify has %+v", res.Res, got)
	}
	if want := p.Objective(res.X); !agree(res.Objective, want, 1e-12) {
		fail(t, "Objective is %.15g; at X it is %.15g", res.Objective, want)
	}
}

// shaped checks lengths and that X and Y are numbers.
func shaped(t TB, p *qpbackend.Problem, res *qpbackend.Result) {
	t.Helper()
	n, m := p.Dims()
	if len(res.X) != n || len(res.Y) != m || len(res.Z) != n {
		fail(t, "X, Y and Z have lengths %d, %d and %d, want %d, %d and %d (status %v)", len(res.X), len(res.Y),
			len(res.Z), n, m, n, res.Status)
	}
	if num.FirstNotFinite(slices.Concat(res.X, res.Y, res.Z)) >= 0 {
		fail(t, "X, Y or Z is not finite (status %v)", res.Status)
	}
}

func agree(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*max(1, math.Abs(want))
}

func (s suite) samePoint(t TB, name string, got, want []float64) {
	t.Helper()
	scale := max(1, num.NormInf(want))
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= grades[s.g].pointTol*scale) {
			t.Errorf("%s[%d] = %.8g, want %.8g", name, i, got[i], v)
			return
		}
	}
}

// sample is a problem of middling size, with cones of the kinds given, that takes several
// iterations.
func sample(kinds ...qpbackend.ConeKind) Case {
	of := ConeSpec{
		Want: qpbackend.Solved, Kinds: kinds, Cones: max(4, len(kinds)), Rows: 6, Order: 3,
		Vars: 12, Intervals: 6, Rank: 12, Density: 0.4,
	}
	if len(kinds) == 0 {
		of.Cones, of.Intervals = 0, 24
	}
	return of.Case(3)
}

// boxedSample is like sample, with bounds of variables.
func boxedSample() Case {
	c, _ := problems.Boxed(problems.RandomCases()[3])
	return c
}

// roundedP solves with P = vvᵀ, whose stored entries have eigenvalues of about
// −1e-16 beside the positive one.
func (s suite) roundedP(t TB) {
	v := []float64{1. / 3, 0.1, 0.7, -0.3}
	rows := make([][]float64, len(v))
	for i := range v {
		for j := range v {
			rows[i] = append(rows[i], v[i]*v[j])
		}
	}
	p := &qpbackend.Problem{P: problems.Upper(rows...), Q: problems.Filled(4, 1), A: problems.Diagonal(1, 1, 1, 1),
		L: problems.Filled(4, -1), U: problems.Filled(4, 1)}
	s.certified(t, p, s.solve(t, p, s.settings()))
}

// slightlyNonconvex solves with an eigenvalue of −3e-5 beside entries of one: a
// point that is stationary.
func (s suite) slightlyNonconvex(t TB) {
	p := &qpbackend.Problem{P: problems.Upper([]float64{1, 1 + 3e-5}, []float64{1 + 3e-5, 1}), Q: []float64{1, -1},
		Lo: problems.Filled(2, -1), Hi: problems.Filled(2, 1)}
	s.certified(t, p, s.solve(t, p, s.settings()))
}

func (s suite) reused(t TB, c Case) {
	solver := s.make(t, c.Problem, s.settings())
	defer solver.Close()
	n, m := c.Problem.Dims()
	res := &qpbackend.Result{X: make([]float64, n+3), Y: make([]float64, m, m+5), Z: make([]float64, n),
		Message: "stale"}
	x, y, z := &res.X[0], &res.Y[0], &res.Z[0]
	for range 2 {
		must(t, "Solve", solver.Solve(context.Background(), res))
		s.optimal(t, c, res)
		if len(res.X) == 0 || len(res.Y) == 0 || len(res.Z) == 0 || &res.X[0] != x || &res.Y[0] != y || &res.Z[0] != z {
			t.Errorf("X, Y or Z was long enough and is another slice now")
		}
		if res.Message == "stale" {
			t.Errorf("Message is that of an earlier solve")
		}
	}
}

func (s suite) deterministic(t TB, cases ...Case) {
	for _, c := range cases {
		a, b := s.solve(t, c.Problem, s.settings()), s.solve(t, c.Problem, s.settings())
		if !slices.Equal(a.X, b.X) || !slices.Equal(a.Y, b.Y) || !slices.Equal(a.Z, b.Z) ||
			a.Iterations != b.Iterations {
			t.Errorf("%s: two runs differ: %d and %d iterations, objectives %.17g and %.17g", c.Name, a.Iterations,
				b.Iterations, a.Objective, b.Objective)
		}
	}
}

// copied changes the problem and an update after they were handed over.
func (s suite) copied(t TB, c Case) {
	p := c.Problem.Clone()
	solver := s.make(t, p, s.settings())
	defer solver.Close()
	spoil(p.Q, p.Lo, p.Hi, p.L, p.U, p.P.Val, p.A.Val)
	s.optimal(t, c, run(t, solver))
	u := everything(c.Problem.Clone())
	must(t, "Update", solver.Update(u))
	spoil(u.Q, u.Lo, u.Hi, u.L, u.U, u.P, u.A)
	s.optimal(t, c, run(t, solver))
}

func spoil(vs ...[]float64) {
	for _, v := range vs {
		for i := range v {
			v[i] = math.NaN()
		}
	}
}

// sideBySide has two solvers of one problem work at the same time.
func (s suite) sideBySide(t TB, c Case) {
	var res [2]*qpbackend.Result
	var log [2]problems.Recorder
	done := make(chan int)
	for k := range res {
		go func() {
			defer func() { done <- k }()
			defer reportPanic(&log[k])
			res[k] = s.solve(&log[k], c.Problem, s.settings())
		}()
	}
	for range res {
		<-done
	}
	for k := range res {
		for _, f := range log[k].Failures {
			t.Errorf("%s", f)
		}
		if res[k] != nil {
			s.optimal(t, c, res[k])
		}
	}
}
