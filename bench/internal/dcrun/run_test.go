package dcrun_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/dcrun"
	"github.com/dcopt/dcopt/bench/internal/dcset"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// mode makes this test behave as the program dcopt.
const mode = "DCRUN_TEST_MODE"

func TestMain(m *testing.M) {
	switch os.Getenv(mode) {
	case "":
		os.Exit(m.Run())
	case "answers":
		file := os.Args[len(os.Args)-1]
		if _, err := os.ReadFile(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(`{"status":"converged","objective":-1,"iterations":7,"variables":{"x":[[1,2],[3,4]],"b":0.5},` +
			`"history":[{"iteration":1,"objective":3,"max_violation":0.25},{"iteration":2,"objective":-1.5,"max_violation":null}]}`)
	case "stalls":
		fmt.Println(`{"status":"stalled","objective":null,"iterations":2,"variables":{"x":[1,2,null,4],"b":0}}`)
		os.Exit(3)
	case "refuses":
		fmt.Fprintln(os.Stderr, os.Args[len(os.Args)-1]+":1:1: error: no such thing")
		os.Exit(2)
	case "prints":
		fmt.Println("nonsense")
	case "crashes":
		panic("crash")
	case "hangs":
		time.Sleep(time.Minute)
	}
	os.Exit(0)
}

// square is a problem whose variables are x, of four entries, and b.
func square() dcset.Instance {
	return dcset.Instance{Group: "g", Problem: "square", Part: "p", Make: func() (*dcset.Program, error) {
		return &dcset.Program{
			Source: "find\n", Model: "square", Files: map[string][][]float64{"a": {{1, 2.5}}},
			Measure: func(p dcset.Point) (dcset.Measured, error) {
				if len(p["x"]) != 4 || math.IsNaN(p["x"][2]) {
					return dcset.Measured{}, errors.New("x is no point")
				}
				return dcset.Measured{Objective: p["x"][3], Violation: p["b"][0], Missed: math.NaN()}, nil
			},
		}, nil
	}}
}

func measure(t *testing.T, how string, limit float64) dcrun.Row {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	table, err := csvtable.Open[dcrun.Row](filepath.Join(t.TempDir(), "dc.csv"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	path := filepath.Join(t.TempDir(), "histories.csv")
	histories, err := csvtable.Open[dcrun.History](path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer histories.Close()
	c := &dcrun.Campaign{
		Instances: []dcset.Instance{square()}, Limit: limit, Repeat: 2, Dir: t.TempDir(), Histories: histories,
		Solvers: []dcrun.Solver{&dcrun.Program{Label: "dcopt", Path: self, Env: []string{mode + "=" + how}, ID: "1"}},
	}
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 1 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	want := "[]"
	if how == "answers" {
		want = "[{g square p dcopt 1 [3 -1.5] [0.25 NaN]}]"
	}
	if all, err := dcrun.ReadHistories(path); err != nil || fmt.Sprint(all) != want {
		t.Errorf("%s: histories %v, %v, want %s", how, all, err, want)
	}
	return table.Rows[0]
}

func TestProgram(t *testing.T) {
	r := measure(t, "answers", 60)
	if r.Status != "converged" || r.Iterations != 7 || r.Objective != 4 || r.Violation != 0.5 || !math.IsNaN(r.Missed) || !(r.Wall > 0 && r.CPU > 0) {
		t.Errorf("%+v", r)
	}
	if r.Feasible(0.4) || !r.Feasible(0.5) {
		t.Error("feasible up to another violation")
	}
	for _, c := range []struct{ how, status, message string }{
		{"stalls", "stalled", "no point"},
		{"refuses", "refused", "problem.dc:1:1: error: no such thing"},
		{"prints", "crashed", "invalid character"},
		{"crashes", "crashed", "panic: crash"},
		{"hangs", "killed", "time limit"},
	} {
		limit := 60.0
		if c.how == "hangs" {
			limit = 0.5
		}
		r := measure(t, c.how, limit)
		if r.Status != c.status || !strings.Contains(r.Message, c.message) || !math.IsNaN(r.Objective) || r.Feasible(1) {
			t.Errorf("%s: %+v", c.how, r)
		}
	}
}

// counter is a solver that counts its calls, and cancels in one of them.
type counter struct {
	name    string
	calls   int
	at      int
	cancel  func()
	version string
}

func (c *counter) Name() string                            { return c.name }
func (c *counter) Version(context.Context) (string, error) { return c.version, nil }
func (c *counter) Close()                                  {}
func (c *counter) Solve(ctx context.Context, req dcrun.Request) (dcrun.Outcome, error) {
	c.calls++
	if c.calls == c.at {
		c.cancel()
		return dcrun.Outcome{}, ctx.Err()
	}
	return dcrun.Outcome{Status: "converged", Wall: 1, CPU: 1, Point: dcset.Point{"x": {1, 2, 3, 4}, "b": {0}}}, nil
}

// TestResume: whenever a run ends, the next goes on behind what was measured,
// also behind half a line.
func TestResume(t *testing.T) {
	var instances []dcset.Instance
	for k := range 3 {
		in := square()
		in.Part = fmt.Sprint(k)
		instances = append(instances, in)
	}
	for at := 1; at <= 7; at++ {
		path := filepath.Join(t.TempDir(), "dc.csv")
		ctx, cancel := context.WithCancel(context.Background())
		a, b := &counter{name: "a", version: "1"}, &counter{name: "b", version: "1", at: (at + 1) / 2, cancel: cancel}
		c := &dcrun.Campaign{Instances: instances, Solvers: []dcrun.Solver{a, b}, Limit: 1, Repeat: 1, Dir: t.TempDir()}
		run := func(ctx context.Context) error {
			table, err := csvtable.Open[dcrun.Row](path, false)
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			return c.Run(ctx, table, nil)
		}
		err := run(ctx)
		if at <= 6 && !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, "g,square,0,a,1")
		f.Close()
		b.at = 0
		if err := run(context.Background()); err != nil {
			t.Fatal(err)
		}
		rows, err := csvtable.Read[dcrun.Row](path)
		if err != nil || len(rows) != 6 || len(csvtable.Latest(rows)) != 6 || a.calls != 3 {
			t.Errorf("%d rows, %v, a asked %d times", len(rows), err, a.calls)
		}
		// Another version of a is measured again, b is not.
		a.version, a.calls, b.calls = "2", 0, 0
		c.Only = regexp.MustCompile(":[12]")
		if err := run(context.Background()); err != nil || a.calls != 2 || b.calls != 0 {
			t.Errorf("another version: %v, %d and %d calls", err, a.calls, b.calls)
		}
		rows, err = csvtable.Read[dcrun.Row](path)
		if err != nil || len(rows) != 8 || len(csvtable.Latest(rows)) != 6 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
		cancel()
	}
}

func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dc.csv")
	table, err := csvtable.Open[dcrun.Row](path, false)
	if err != nil {
		t.Fatal(err)
	}
	row := dcrun.Row{
		Group: "g", Problem: "p,q", Part: "1", Solver: "s", Limit: 60, Repeat: 3, Version: `1, "x"`, Status: "converged", Iterations: 4, Wall: 0.25, CPU: 0.5,
		Objective: 1.25, Violation: 0, Missed: 1e-3, Message: "two words",
	}
	if err := table.Add(row); err != nil {
		t.Fatal(err)
	}
	table.Close()
	rows, err := csvtable.Read[dcrun.Row](path)
	if err != nil || !reflect.DeepEqual(rows, []dcrun.Row{row}) {
		t.Errorf("%+v, %v", rows, err)
	}
	if err := os.WriteFile(path, []byte("another,table\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := csvtable.Open[dcrun.Row](path, false); err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("another table: %v", err)
	}
	if table, err = csvtable.Open[dcrun.Row](path, true); err != nil || len(table.Rows) != 0 {
		t.Errorf("afresh: %v", err)
	}
}

// TestHistories: the last of a place counts, and fields that are no numbers are
// refused.
func TestHistories(t *testing.T) {
	path := filepath.Join(t.TempDir(), "histories.csv")
	table, err := csvtable.Open[dcrun.History](path, false)
	if err != nil {
		t.Fatal(err)
	}
	a := dcrun.History{Group: "g", Problem: "p", Part: "1", Solver: "s", Version: "1", Objectives: []float64{1}, Violations: []float64{2}}
	b := a
	b.Version, b.Objectives, b.Violations = "2", []float64{-1e-12, math.Inf(1)}, []float64{0, 3}
	if err := errors.Join(table.Add(a), table.Add(b), table.Close()); err != nil {
		t.Fatal(err)
	}
	if all, err := dcrun.ReadHistories(path); err != nil || !reflect.DeepEqual(all, []dcrun.History{b}) {
		t.Errorf("%+v, %v", all, err)
	}
	head, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"g,p,1,s,1,x,1", "g,p,1,s,1,1,x"} {
		if err := os.WriteFile(path, append(head[:len(head):len(head)], line+"\n"...), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := dcrun.ReadHistories(path); err == nil || !strings.Contains(err.Error(), "line 4") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
