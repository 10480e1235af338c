package ccp_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/heuristic"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

func solve(t *testing.T, p *dc.Problem, x0 []float64, change func(*ccp.Settings)) *ccp.Result {
	t.Helper()
	set := ccp.DefaultSettings()
	if change != nil {
		change(&set)
	}
	res, err := ccp.Solve(context.Background(), p, x0, set)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, p, res)
	return res
}

// checkResult recomputes what a result says of its point.
func checkResult(t *testing.T, p *dc.Problem, res *ccp.Result) {
	t.Helper()
	if len(res.X) != p.NumVars() {
		t.Fatalf("%v with a point of length %d", res.Status, len(res.X))
	}
	v, worst := p.Violation(res.X)
	if v != res.Violation || worst != res.Worst {
		t.Errorf("violation %g in %q, recomputed %g in %q", res.Violation, res.Worst, v, worst)
	}
	if f := p.Value(res.X); f != res.Objective && res.Status != ccp.Unbounded && res.Status != ccp.Infeasible {
		t.Errorf("objective %g, recomputed %g", res.Objective, f)
	}
	if res.Status == ccp.Converged && !res.Feasible {
		t.Errorf("converged at a point that is not feasible, violation %g", v)
	}
	if res.Iterations < len(res.History) {
		t.Errorf("%d iterations but %d in the history", res.Iterations, len(res.History))
	}
}

func TestPackingFromManyStarts(t *testing.T) {
	p := packing(t, radii(10, 1))
	for seed := range uint64(10) {
		res := solve(t, p, nil, func(s *ccp.Settings) { s.Seed = seed })
		// The area of the circles alone asks for a half-width of 3.9.
		if res.Status != ccp.Converged || res.Objective < 3.9 || res.Objective > 6 {
			t.Errorf("seed %d: %v with objective %g", seed, res.Status, res.Objective)
		}
	}
}

func TestControlReachesItsBoundFromAnyStart(t *testing.T) {
	p := control(t)
	for seed := range uint64(4) {
		res := solve(t, p, nil, func(s *ccp.Settings) { s.Seed = seed })
		if res.Status != ccp.Converged || math.Abs(res.Objective-45.147471) > 1e-4 {
			t.Errorf("seed %d: %v with objective %g", seed, res.Status, res.Objective)
		}
	}
}

func TestBooleanLeastSquaresFindsTheBits(t *testing.T) {
	for seed := range uint64(5) {
		p, truth := boxLS(t, 30, seed)
		res := solve(t, p, nil, nil)
		if res.Status != ccp.Converged || res.Objective > truth+1e-6 {
			t.Errorf("seed %d: %v with objective %g, the truth has %g", seed, res.Status, res.Objective, truth)
		}
		for _, v := range res.X {
			if math.Abs(math.Abs(v)-1) > 1e-5 {
				t.Fatalf("entry %g is no bit", v)
			}
		}
	}
}

func TestSparseRecoveryByL1MinusL2(t *testing.T) {
	p, truth := l1l2(t, 80, 1)
	res := solve(t, p, nil, nil)
	for j, v := range truth {
		if math.Abs(res.X[j]-v) > 0.05 {
			t.Errorf("x[%d] = %g, want %g", j, res.X[j], v)
		}
	}
	if len(res.History) < 2 {
		t.Fatal("one iteration only: the h of the objective was not linearised again")
	}
	for k := 1; k < len(res.History) && res.History[k].Hop == 0; k++ {
		before, now := res.History[k-1].Objective, res.History[k].Objective
		if now > before+1e-7*(1+math.Abs(before)) {
			t.Errorf("objective rises from %g to %g without a constraint", before, now)
		}
	}
}

// TestKinksAreNoTrap: at 0, the kink of |x|, the procedure still leaves.
func TestKinksAreNoTrap(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-2), dc.AtMost(3), dc.StartAt(0))
	m.Minimize(dc.Abs(x).Neg())
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Converged || res.Objective > -2 {
		t.Errorf("%v with objective %g", res.Status, res.Objective)
	}
}

func TestConvexProblemTakesOneIteration(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(0))
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{3, -1}))))
	m.SubjectTo(dc.LE(dc.Norm1(x), dc.Num(2)).Named("budget"))
	res := solve(t, build(t, m), []float64{5, 5}, nil)
	if res.Status != ccp.Converged || res.Iterations != 1 || math.Abs(res.Objective-2) > 1e-7 {
		t.Errorf("%v after %d iterations with objective %g", res.Status, res.Iterations, res.Objective)
	}
	if len(res.Duals) != 1 || math.Abs(res.Duals[0][0]-2) > 1e-6 {
		t.Errorf("multipliers %v, want 2 for the budget", res.Duals)
	}
}

func TestMaximize(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(2), dc.StartAt(0.3, 0.1))
	m.Maximize(dc.SumSquares(x))
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Converged || math.Abs(res.Objective-8) > 1e-6 {
		t.Errorf("%v with objective %g, want 8", res.Status, res.Objective)
	}
}

func TestFeasibilityProblem(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	m.SubjectTo(dc.GE(dc.Norm2(x), dc.Num(3)).Named("far"), dc.LE(dc.NormInf(x), dc.Num(2.5)).Named("box"))
	for seed := range uint64(20) {
		res := solve(t, build(t, m), nil, func(s *ccp.Settings) { s.Seed = seed })
		if res.Status != ccp.Converged {
			t.Errorf("seed %d: %v, violation %g", seed, res.Status, res.Violation)
		}
	}
}

// TestNonaffineEquation: a circle met by a line, as two DC constraints. The
// half that is convex needs a second-order cone, so the norm is the polyhedral
// one here.
func TestNonaffineEquation(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{3})
	m.Minimize(x.Sum())
	m.SubjectTo(dc.EQ(dc.Norm1(x), dc.Num(2)).Named("sphere"), dc.GE(x.At(0), x.At(1)).Named("order"))
	res := solve(t, build(t, m), []float64{1, 1, -1}, nil)
	if res.Status != ccp.Converged || math.Abs(res.Objective+2) > 1e-6 {
		t.Errorf("%v with objective %g, want −2", res.Status, res.Objective)
	}
}

func TestInfeasibleConvexPartIsToldWithNames(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtMost(1))
	m.Minimize(dc.Norm2(x).Neg())
	m.SubjectTo(
		dc.GE(x.Sum(), dc.Num(3)).Named("much"),
		dc.GE(x.At(0), dc.Num(-5)).Named("innocent"),
	)
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Infeasible || !strings.Contains(res.Message, "much") || !strings.Contains(res.Message, "bounds of x") ||
		strings.Contains(res.Message, "innocent") || !math.IsInf(res.Objective, 1) {
		t.Errorf("%v, objective %g: %s", res.Status, res.Objective, res.Message)
	}
}

// TestInfeasibleDCConstraint: outside a ball of radius 1.2 within the 1-norm's ball of radius 1, in
// a box that reaches further than both. No proof is possible, the status must not claim one.
func TestInfeasibleDCConstraint(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(1))
	m.Minimize(x.At(0).Scale(2).Add(x.At(1)))
	m.SubjectTo(dc.LE(dc.Norm1(x), dc.Num(1)), dc.GE(dc.Norm2(x), dc.Num(1.2)).Named("far"))
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Stalled || res.Worst != "far" || math.Abs(res.Violation-0.2) > 1e-6 {
		t.Errorf("%v with violation %g in %q: %s", res.Status, res.Violation, res.Worst, res.Message)
	}
}

func TestUnboundedIsTold(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	m.Minimize(x.At(1).Sub(x.At(0)))
	m.SubjectTo(dc.GE(dc.Norm2(x), dc.Num(1)).Named("out"))
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Unbounded || !math.IsInf(res.Objective, -1) {
		t.Errorf("%v, objective %g: %s", res.Status, res.Objective, res.Message)
	}
}

// TestCheapSlackIsNotUnbounded: with the first τ the objective wins over the
// slack for ever; the constraint bounds it all the same.
func TestCheapSlackIsNotUnbounded(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil)
	m.Minimize(x.Neg())
	// x ≤ 1 in the guise of a DC constraint: 2|x| + x − 2|x| ≤ 1 would cancel,
	// so one |·| is of 2x.
	m.SubjectTo(dc.LE(dc.Norm1(x.Scale(2)).Add(x).Sub(dc.Abs(x).Scale(2)), dc.Num(1)).Named("cap"))
	res := solve(t, build(t, m), []float64{0.5}, nil)
	if res.Status != ccp.Converged || math.Abs(res.Objective+1) > 1e-6 {
		t.Errorf("%v with objective %g, want −1: %s", res.Status, res.Objective, res.Message)
	}
}

func TestDomains(t *testing.T) {
	t.Run("sqrt stops at zero", func(t *testing.T) {
		m := dc.NewModel()
		x := m.Var("x", nil, dc.AtLeast(-1))
		m.Minimize(dc.Sqrt(x))
		for _, start := range []float64{-1, 0, 4} {
			res := solve(t, build(t, m), []float64{start}, nil)
			if res.Status != ccp.Converged || !(math.Abs(res.Objective) < 1e-3) || !(res.X[0] > -1e-6) {
				t.Errorf("from %g: %v with objective %g at %g", start, res.Status, res.Objective, res.X[0])
			}
		}
	})
	t.Run("the sparsest solution", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		a := mat.NewDense(15, 40, nil)
		truth, y := make([]float64, 40), make([]float64, 15)
		for _, j := range []int{3, 17, 29, 30} {
			truth[j] = 1 + rng.Float64()
		}
		for i := range 15 {
			for j := range 40 {
				a.Set(i, j, rng.NormFloat64())
				y[i] += a.At(i, j) * truth[j]
			}
		}
		m := dc.NewModel()
		x := m.Var("x", []int{40}, dc.AtLeast(0), dc.StartAt(1))
		var roots []dc.Expr
		for j := range 40 {
			roots = append(roots, dc.Sqrt(x.At(j)))
		}
		m.Minimize(dc.Sum(roots...))
		m.SubjectTo(dc.EQ(dc.MatMul(dc.Mat(a), x), dc.Vec(y)).Named("data"))
		res := solve(t, build(t, m), nil, nil)
		for j, v := range truth {
			if math.Abs(res.X[j]-v) > 1e-4 {
				t.Errorf("x[%d] = %g, want %g", j, res.X[j], v)
			}
		}
	})
}

// hat is a user's function of two numbers: (u₀² + u₁²)².
type hat struct{}

func (hat) Value(u []float64) float64 { q := u[0]*u[0] + u[1]*u[1]; return q * q }
func (hat) AddSubgrad(dst []float64, scale float64, u []float64) {
	q := u[0]*u[0] + u[1]*u[1]
	dst[0] += scale * 4 * q * u[0]
	dst[1] += scale * 4 * q * u[1]
}

func TestBlackBox(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1, -2), dc.AtMost(1, 2), dc.StartAt(0.2, 0.1))
	m.Minimize(dc.SumSquares(x).Sub(dc.BlackBox("hat", hat{}, x)))
	m.SubjectTo(dc.GE(dc.BlackBox("hat", hat{}, x), dc.Num(1)).Named("ring"))
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Converged || math.Abs(res.Objective+20) > 1e-6 {
		t.Errorf("%v with objective %g, want −20 at a corner", res.Status, res.Objective)
	}
}

// broken turns into NaN away from the start.
type broken struct{ hat }

func (broken) Value(u []float64) float64 {
	if u[0] > 0.5 {
		return math.NaN()
	}
	return u[0]
}

func TestFunctionWithoutANumber(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.AtLeast(-1), dc.AtMost(1), dc.StartAt(0.2))
	m.Minimize(dc.BlackBox("broken", broken{}, x).Neg())
	res := solve(t, build(t, m), nil, nil)
	if !(res.X[0] >= 0.2 && res.X[0] <= 0.5) || math.IsNaN(res.Objective) || res.Status == ccp.Converged && res.X[0] < 0.5-1e-6 || res.Status != ccp.Converged && res.Message == "" {
		t.Errorf("%v at %v: %s", res.Status, res.X, res.Message)
	}
}

func TestBestIterateSurvivesCancellation(t *testing.T) {
	p := packing(t, radii(10, 1))
	for name, c := range map[string]struct {
		ctx  func() (context.Context, context.CancelFunc)
		want ccp.Status
		err  error
	}{
		"cancel":   {func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }, ccp.Cancelled, context.Canceled},
		"deadline": {func() (context.Context, context.CancelFunc) { return expiring(context.Background()) }, ccp.TimeLimit, context.DeadlineExceeded},
	} {
		ctx, cancel := c.ctx()
		set := ccp.DefaultSettings()
		var best float64
		set.Recorder = ccp.RecorderFunc(func(it ccp.Iteration) error {
			if it.Violation <= set.FeasTol {
				best = it.Objective
				cancel()
			}
			return nil
		})
		res, err := ccp.Solve(ctx, p, nil, set)
		cancel()
		if !errors.Is(err, c.err) || res == nil || res.Status != c.want || res.Objective != best {
			t.Fatalf("%s: error %v, result %+v, want objective %g", name, err, res, best)
		}
		checkResult(t, p, res)
	}
}

// expiring is a context whose cancel makes its deadline pass.
func expiring(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	e := &expired{Context: ctx}
	return e, func() { cancel(context.DeadlineExceeded) }
}

type expired struct{ context.Context }

func (e *expired) Err() error {
	if e.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func TestDeadlineInThePast(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	res, err := ccp.Solve(ctx, packing(t, radii(5, 1)), nil, ccp.DefaultSettings())
	if !errors.Is(err, context.DeadlineExceeded) || res == nil || res.Status != ccp.TimeLimit || len(res.X) != 10 {
		t.Errorf("error %v, result %+v", err, res)
	}
	res, err = ccp.Multistart(ctx, packing(t, radii(5, 1)), 3, ccp.DefaultSettings())
	if !errors.Is(err, context.DeadlineExceeded) || res == nil || res.Status != ccp.TimeLimit {
		t.Errorf("multistart: error %v, result %+v", err, res)
	}
}

// TestCancelledBeforeTheFirstStep: also while a random start is projected.
func TestCancelledBeforeTheFirstStep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := control(t)
	res, err := ccp.Solve(ctx, p, nil, ccp.DefaultSettings())
	if !errors.Is(err, context.Canceled) || res == nil || res.Status != ccp.Cancelled || len(res.X) != p.NumVars() {
		t.Errorf("error %v, result %+v", err, res)
	}
}

func TestRecorder(t *testing.T) {
	p := packing(t, radii(6, 1))
	var trace ccp.Trace
	res := solve(t, p, nil, func(s *ccp.Settings) { s.Recorder = &trace })
	if len(trace.Iterations) != len(res.History) || len(res.History) < 2 {
		t.Fatalf("%d recorded, %d in the history", len(trace.Iterations), len(res.History))
	}
	for k, it := range trace.Iterations {
		if v, _ := p.Violation(it.X); it.K != k+1 || v != it.Violation || p.Value(it.X) != it.Objective {
			t.Errorf("iteration %d is not what its point says", k)
		}
	}
	boom := errors.New("boom")
	for _, c := range []struct{ say, want error }{{ccp.ErrStop, nil}, {boom, boom}} {
		set := ccp.DefaultSettings()
		set.Recorder = ccp.RecorderFunc(func(ccp.Iteration) error { return c.say })
		res, err := ccp.Solve(context.Background(), p, nil, set)
		if !errors.Is(err, c.want) || res.Status != ccp.Cancelled || res.Iterations != 1 {
			t.Errorf("recorder says %v: error %v, %v after %d iterations", c.say, err, res.Status, res.Iterations)
		}
	}
	var text, logged bytes.Buffer
	solve(t, p, nil, func(s *ccp.Settings) { s.Recorder = ccp.Printer(&text) })
	if n := strings.Count(text.String(), "\n"); n != len(res.History)+1 {
		t.Errorf("%d lines for %d iterations:\n%s", n, len(res.History), text.String())
	}
	solve(t, p, nil, func(s *ccp.Settings) { s.Recorder = ccp.Slog(slog.New(slog.NewTextHandler(&logged, nil))) })
	if n := strings.Count(logged.String(), "violation="); n != len(res.History) {
		t.Errorf("%d log lines for %d iterations", n, len(res.History))
	}
}

func TestMultistartIsDeterministic(t *testing.T) {
	p := packing(t, radii(8, 1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first *ccp.Result
	for _, procs := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(procs)
		set := ccp.DefaultSettings()
		set.Seed = 3
		res, err := ccp.Multistart(context.Background(), p, 7, set)
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, p, res)
		if res.Starts != 7 || res.Status != ccp.Converged {
			t.Fatalf("%v after %d starts", res.Status, res.Starts)
		}
		if first == nil {
			first = res
		}
		if !reflect.DeepEqual(res.X, first.X) || res.Start != first.Start || res.Iterations != first.Iterations {
			t.Errorf("GOMAXPROCS %d: start %d with %g, before start %d with %g", procs, res.Start, res.Objective, first.Start, first.Objective)
		}
	}
	for start := range 7 {
		// The best of seven is no worse than the first alone.
		if start == 0 {
			one := solve(t, p, nil, func(s *ccp.Settings) { s.Seed = 3 })
			if first.Objective > one.Objective {
				t.Errorf("best of 7 starts %g, of one %g", first.Objective, one.Objective)
			}
		}
	}
	set := ccp.DefaultSettings()
	if _, err := ccp.Multistart(context.Background(), p, -1, set); err == nil {
		t.Error("-1 starts are accepted")
	}
}

// TestFixedStartsAreVaried: starts after the first are others although the
// problem gives one, so a trap of the first is left.
func TestFixedStartsAreVaried(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", nil, dc.AtLeast(-2), dc.AtMost(3), dc.StartAt(2))
	m.Minimize(dc.Abs(x).Sub(dc.Square(x.Sub(dc.Num(1)))))
	p := build(t, m)
	set := ccp.DefaultSettings()
	set.Heuristics.Search = heuristic.Search{}
	one := solve(t, p, nil, func(s *ccp.Settings) { *s = set })
	res, err := ccp.Multistart(context.Background(), p, 10, set)
	if err != nil || res.Starts != 10 || math.Abs(one.Objective+1) > 1e-6 || math.Abs(res.Objective+7) > 1e-6 {
		t.Errorf("%d starts, objective %g after %g from the first, error %v", res.Starts, res.Objective, one.Objective, err)
	}
}

func TestIterationLimit(t *testing.T) {
	p := packing(t, radii(8, 1))
	res := solve(t, p, nil, func(s *ccp.Settings) { s.MaxIter = 1 })
	if res.Status != ccp.IterationLimit || res.Iterations != 1 {
		t.Errorf("%v after %d", res.Status, res.Iterations)
	}
}

func TestRefusals(t *testing.T) {
	p := packing(t, radii(3, 1))
	for _, x0 := range [][]float64{{1}, {1, 2, 3, 4, 5, math.NaN()}, {1, 2, 3, 4, math.Inf(1), 6}} {
		if _, err := ccp.Solve(context.Background(), p, x0, ccp.DefaultSettings()); err == nil || !strings.Contains(err.Error(), "starting point") {
			t.Errorf("start %v: error %v", x0, err)
		}
	}
	m := dc.NewModel()
	x := m.Var("x", []int{2})
	m.Minimize(dc.Norm2(x))
	var cone *qpbackend.UnsupportedConeError
	set := ccp.DefaultSettings()
	set.Backend = flat{}
	if _, err := ccp.Solve(context.Background(), build(t, m), nil, set); !errors.As(err, &cone) || cone.Backend != "flat" {
		t.Errorf("norm2 in g: error %v", err)
	}
}

// flat is a backend without cones.
type flat struct{ ipm.Backend }

func (flat) Name() string                     { return "flat" }
func (flat) Supports(qpbackend.ConeKind) bool { return false }
func (f flat) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	if err := qpbackend.CheckCones(f, p); err != nil {
		return nil, err
	}
	return f.Backend.New(ctx, p, set)
}

func TestSettingsAreCheckedByName(t *testing.T) {
	checked := 0
	var look func(typ reflect.Type, name string, index []int)
	look = func(typ reflect.Type, name string, index []int) {
		for i := range typ.NumField() {
			field, at := typ.Field(i), append(index[:len(index):len(index)], i)
			if field.Type.Kind() == reflect.Struct {
				look(field.Type, name+"."+field.Name, at)
				continue
			}
			for _, bad := range []float64{math.NaN(), -1} {
				set := ccp.DefaultSettings()
				f := reflect.ValueOf(&set).Elem().FieldByIndex(at)
				switch f.Kind() {
				case reflect.Float64:
					f.SetFloat(bad)
				case reflect.Int:
					f.SetInt(-1)
				default:
					continue
				}
				checked++
				if err := set.Validate(); err == nil || !strings.Contains(err.Error(), name+"."+field.Name) {
					t.Errorf("%s.%s = %g: error %v", name, field.Name, bad, err)
				}
			}
		}
	}
	look(reflect.TypeOf(ccp.Settings{}), "Settings", nil)
	if checked != 2*14 {
		t.Errorf("%d checks of numeric fields, want 28: a field was added or lost", checked)
	}
}

func TestStatusText(t *testing.T) {
	seen := map[string]bool{}
	for s := ccp.Unknown; s <= ccp.Numerical; s++ {
		text := s.String()
		if text == "" || strings.Contains(text, "Status(") || seen[text] {
			t.Errorf("status %d is called %q", s, text)
		}
		seen[text] = true
	}
	if got := ccp.Status(200).String(); got != "Status(200)" {
		t.Errorf("a stray status is called %q", got)
	}
}

func TestInspect(t *testing.T) {
	s, err := ccp.Inspect(context.Background(), packing(t, radii(5, 1)))
	if err != nil {
		t.Fatal(err)
	}
	// 10 coordinates, the objective's t, a slack for each of 10 pairs; 4 rows
	// for each circle, one for each pair; bounds are no rows.
	if s.Variables != 10 || s.Columns != 21 || s.Rows != 20+10 || s.Slacks != 10 || s.Linearised != 10 || len(s.Cones) != 0 {
		t.Errorf("summary %+v", s)
	}
	if !s.Supported(ipm.Backend{}) {
		t.Error("a linear program is not supported")
	}
	m := dc.NewModel()
	m.Minimize(dc.Norm2(m.Var("x", []int{2})))
	s, err = ccp.Inspect(context.Background(), build(t, m))
	if err != nil || len(s.Cones) != 1 || s.Cones[0] != "second-order" || s.Supported(flat{}) {
		t.Errorf("summary %+v, error %v", s, err)
	}
}

// TestBoxAloneIsLookedAt: a convex problem without rows has no entries. Its solution, to
// 1e-8 in the units of x, is off the bound by a thousandth of the box.
func TestBoxAloneIsLookedAt(t *testing.T) {
	m := dc.NewModel()
	x := m.Var("x", []int{4}, dc.AtLeast(440200, 52577.3, -0.0134337, 0), dc.AtMost(440200, 52602.7, -0.0133863, 0.003948))
	affine := func(c float64, w ...float64) dc.Expr { return x.Dot(w).Add(dc.Num(c)) }
	three := []dc.Expr{affine(1.08, -1.78, 0, 0.03, 1), affine(-1.48, -2.05, 1.36, 0, 0), dc.Abs(affine(-0.14, 0.09, -0.64, -0.21, 1.55))}
	m.Minimize(dc.SumLargest(dc.Stack(three...), 2).Scale(-0.33))
	res := solve(t, build(t, m), nil, nil)
	if res.Status != ccp.Converged || res.X[1] != 52577.3 {
		t.Errorf("%v at %v", res.Status, res.X)
	}
}
