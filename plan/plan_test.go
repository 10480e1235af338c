package plan_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
	"github.com/dcopt/dcopt/plan"
)

// lines is a problem with a data file, a param and random starts.
const lines = `param b = csv("b.csv")
param w = 0.5
var x[3]  start normal(0, 2)
minimize sumsq(x - b) + w*(norm1(x) - norm2(x)) - abs(x[1] - 1)
option seed = 5
`

// sweepPlan is a sweep of lines, whose data are in a new folder.
func sweepPlan(t *testing.T, q plan.Problem, refer bool) (*plan.Plan, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.csv"), []byte("1\n-0.5\n2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	q.Name = "lines.dc"
	p, err := plan.OfProblem(t.Context(), q, []byte(lines), dir, refer)
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

func grid() plan.Problem {
	return plan.Problem{Params: []string{"w"}, Grid: [][]string{{"0.1", "0.5", "2"}}}
}

// again encodes and decodes a plan.
func again(t *testing.T, p *plan.Plan) *plan.Plan {
	t.Helper()
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	q, err := plan.Read(bytes.NewReader(b), "p.json")
	if err != nil {
		t.Fatal(err)
	}
	if q.ID() != p.ID() {
		t.Errorf("the plan has another name after reading: %s, %s", q.ID(), p.ID())
	}
	return q
}

// TestSweep: shards in any order, in a plan that was read elsewhere, give the points and
// multipliers of solves on one machine, bit for bit.
func TestSweep(t *testing.T) {
	p, dir := sweepPlan(t, grid(), false)
	p = again(t, p)
	r := plan.NewRunner(p, "")
	if err := os.Remove(filepath.Join(dir, "b.csv")); err != nil { // the plan has it
		t.Fatal(err)
	}
	for _, i := range []int{2, 0, 1, 2} {
		got, err := r.Run(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		text, err := got.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got, err = p.DecodeResult(text); err != nil {
			t.Fatal(err)
		}
		prog, err := r.Compile(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		set := ccp.DefaultSettings()
		set.Seed = 5
		want, err := ccp.Multistart(t.Context(), prog.Problem, ccp.Automatic, set)
		if err != nil {
			t.Fatal(err)
		}
		res, err := got.Solved.Result()
		if err != nil {
			t.Fatal(err)
		}
		if math.Float64bits(res.Objective) != math.Float64bits(want.Objective) || !slices.Equal(res.X, want.X) || res.Status != want.Status ||
			!slices.Equal(res.BoundDuals, want.BoundDuals) || len(res.History) != len(want.History) || res.Standing() != want.Standing() {
			t.Errorf("shard %d: %v, want %v", i, res, want)
		}
	}
}

// TestStarts: the best of the shards is the answer of Multistart with starts that do not know of
// each other.
func TestStarts(t *testing.T) {
	p, _ := sweepPlan(t, plan.Problem{Starts: 11}, false)
	if p.Kind() != "starts" || p.Shards != 11 {
		t.Fatalf("%s with %d shards", p.Kind(), p.Shards)
	}
	r := plan.NewRunner(p, "")
	var all []*ccp.Result
	for i := p.Shards - 1; i >= 0; i-- {
		got, err := r.Run(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		res, err := got.Solved.Result()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, res)
	}
	prog, err := r.Compile(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	set := ccp.DefaultSettings()
	set.Seed, set.Heuristics.Search.Vary = 5, false
	want, err := ccp.Multistart(t.Context(), prog.Problem, 11, set)
	if err != nil {
		t.Fatal(err)
	}
	got := ccp.Best(false, all)
	if got.Start != want.Start || !slices.Equal(got.X, want.X) || got.Iterations != want.Iterations || got.Starts != want.Starts {
		t.Errorf("%+v, want %+v", got, want)
	}
	if ccp.Best(false, nil) != nil {
		t.Error("the best of no results is not nil")
	}
	if _, err := ccp.SolveStart(t.Context(), prog.Problem, -1, set); err == nil {
		t.Error("start -1 is taken")
	}
}

// TestStudy: folds as shards give the errors of lder.CrossValidate.
func TestStudy(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "d.csv")
	var b strings.Builder
	b.WriteString("u,v,word,y\n")
	for i := range 60 {
		u, v := float64(i%7)-3, float64(i%11)/3
		b.WriteString(strings.Join([]string{num(u), num(v), []string{"a", "b"}[i%2], num(math.Abs(u) - v + float64(i%5)/9)}, ",") + "\n")
	}
	if err := os.WriteFile(at, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	set := lder.MethodSettings(lder.Refit)
	s := plan.Study{
		Methods:   []plan.Training{plan.TrainingOf(set, ""), plan.TrainingOf(lder.MethodSettings(lder.Auto), "ipm")},
		Selection: plan.Selection{Target: "y", Categorical: "onehot"}, FoldSeed: 3,
	}
	p, err := plan.OfStudy(s, []plan.StudyFile{{Path: at, Folds: 4}}, false)
	if err != nil {
		t.Fatal(err)
	}
	p = again(t, p)
	if p.Kind() != "study" || p.Shards != 8 {
		t.Fatalf("%s with %d shards", p.Kind(), p.Shards)
	}
	r := plan.NewRunner(p, "")
	d, err := r.Data(0)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := dataset.ShuffledKFold(len(d.Y), 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	want, err := lder.CrossValidate(t.Context(), d.X, d.Y, folds, set)
	if err != nil {
		t.Fatal(err)
	}
	for f := range folds {
		got, err := r.Run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if fvu, mse := got.Fold.Values(); fvu != want.FVU[f] || mse != want.MSE[f] {
			t.Errorf("fold %d: %g, %g, want %g, %g", f, fvu, mse, want.FVU[f], want.MSE[f])
		}
	}
	if _, _, err := lder.MeasureFold(t.Context(), d.X, d.Y, []int{60}, set); err == nil || !strings.Contains(err.Error(), "row 60") {
		t.Errorf("a fold with row 60 of 60: %v", err)
	}
}

func num(v float64) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// TestBadPlans: each is refused, by a message that says what is wrong.
func TestBadPlans(t *testing.T) {
	p, _ := sweepPlan(t, grid(), false)
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"{", "", "no plan"},
		{`"dcopt_plan": 1`, `"dcopt_plan": 2`, "version 2"},
		{`"dcopt_plan": 1,`, ``, "no member dcopt_plan"},
		{`"shards": 3`, `"shards": 4`, "says 4 shards and has 3"},
		{`"shards": 3`, `"shards": 0`, "0 shards"},
		{`"shards"`, `"shreds"`, "shreds"},
		{`"sha256": "`, `"sha256": "x`, "no SHA-256"},
		{`"w"`, `"w", "v"`, "2 params"},
		{`"params"`, `"starts": 3, "params"`, "not both"},
		{`"name": "b.csv"`, `"name": ""`, "without a name"},
	} {
		bad := strings.Replace(string(text), c.old, c.new, 1)
		if bad == string(text) {
			t.Errorf("%q does not stand in the plan", c.old)
		}
		if _, err := plan.Read(strings.NewReader(bad), "p.json"); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "p.json: ") {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	if _, err := plan.Decode(text[:len(text)/2]); err == nil {
		t.Error("half a plan is taken")
	}
	for _, q := range []plan.Problem{
		{}, {Starts: -1}, {Params: []string{"w"}}, {Params: []string{"w"}, Grid: [][]string{{}}},
		{Params: []string{"w", "w"}, Grid: [][]string{{"1"}, {"2"}}}, {Params: []string{"w"}, Points: [][]string{{"1", "2"}}},
		{Params: []string{"w"}, Grid: [][]string{{"nought"}}}, {Params: []string{"v"}, Grid: [][]string{{"1"}}},
	} {
		if _, err := plan.OfProblem(t.Context(), q, []byte("param w = 1\nvar x\nminimize abs(x - w)\n"), "", false); err == nil {
			t.Errorf("%+v is taken", q)
		}
	}
}

// TestReference: a file that stays where it is may be elsewhere, but must be the same.
func TestReference(t *testing.T) {
	p, dir := sweepPlan(t, grid(), true)
	p = again(t, p)
	run := func(data string) error {
		_, err := plan.NewRunner(p, data).Run(t.Context(), 1)
		return err
	}
	if err := run(""); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.Rename(filepath.Join(dir, "b.csv"), filepath.Join(other, "b.csv")); err != nil {
		t.Fatal(err)
	}
	if err := run(""); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("a file that is gone: %v", err)
	}
	if err := run(other); err != nil {
		t.Errorf("a file in the folder of data: %v", err)
	}
	if err := os.WriteFile(filepath.Join(other, "b.csv"), []byte("1\n-0.5\n3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(other); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("a file that has changed: %v", err)
	}
}

// TestFolder: results are joined in order, from several folders, once each; missing, cut and
// foreign ones are told.
func TestFolder(t *testing.T) {
	p, _ := sweepPlan(t, grid(), false)
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	r := plan.NewRunner(p, "")
	put := func(dir string, i int) {
		t.Helper()
		f, err := plan.OpenFolder(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Run(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := f.Put(res); err != nil {
				t.Fatal(err)
			}
		}
		if !f.Has(i) {
			t.Errorf("no result of shard %d", i)
		}
	}
	put(dirs[0], 2)
	put(dirs[1], 0)
	put(dirs[1], 2)
	j, err := plan.Join(p, dirs)
	if err != nil || len(j.Results) != 2 || j.Results[0].Shard != 0 || j.Results[1].Shard != 2 || !slices.Equal(j.Missing, []int{1}) || len(j.Damaged) > 0 {
		t.Fatalf("%+v, %v", j, err)
	}
	put(dirs[0], 1)
	at := filepath.Join(dirs[0], "shard-000001.json")
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", string(text[:len(text)/2]), strings.Replace(string(text), `"shard":1`, `"shard":0`, 1), strings.Replace(string(text), p.ID(), "0123", 1)} {
		if err := os.WriteFile(at, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if j, err := plan.Join(p, dirs); err != nil || len(j.Damaged) != 1 || !slices.Equal(j.Missing, []int{1}) {
			t.Errorf("%.40q: %+v, %v", bad, j, err)
		}
	}
	put(dirs[0], 1) // a damaged result is replaced
	if j, err := plan.Join(p, dirs); err != nil || len(j.Results) != 3 || len(j.Missing) > 0 {
		t.Errorf("%+v, %v", j, err)
	}
	bundle := filepath.Join(t.TempDir(), "c")
	f, err := plan.OpenFolder(bundle, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.PutAll(j.Results); err != nil {
		t.Fatal(err)
	}
	if f, err = plan.OpenFolder(bundle, p); err != nil || !f.Has(0) || f.Has(1) || !f.Has(2) {
		t.Errorf("a bundle of shards 0 and 2: %v", err)
	}
	if j, err := plan.Join(p, append(dirs, bundle)); err != nil || len(j.Results) != 3 || len(j.Damaged) > 0 {
		t.Errorf("with a bundle: %+v, %v", j, err)
	}
	left, err := filepath.Glob(filepath.Join(dirs[0], ".dcopt-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	other, _ := sweepPlan(t, plan.Problem{Starts: 2}, false)
	if _, err := plan.OpenFolder(dirs[0], other); err == nil || !strings.Contains(err.Error(), "another plan") {
		t.Errorf("the folder of another plan: %v", err)
	}
	if q, err := plan.PlanIn(dirs[0]); err != nil || q.ID() != p.ID() {
		t.Errorf("the plan in the folder: %v", err)
	}
	if _, err := plan.PlanIn(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the plan in an empty folder: %v", err)
	}
}

// TestRunner: wrong numbers, cancelled contexts and problems that fail at a point leave no
// result.
func TestRunner(t *testing.T) {
	p, _ := sweepPlan(t, plan.Problem{Params: []string{"w"}, Grid: [][]string{{"1", "[1, 2, 3, 4]"}}}, false)
	r := plan.NewRunner(p, "")
	for _, i := range []int{-1, 2} {
		if _, err := r.Run(t.Context(), i); err == nil || !strings.Contains(err.Error(), "0 to 1") {
			t.Errorf("shard %d: %v", i, err)
		}
	}
	var ds lang.Diagnostics
	if res, err := r.Run(t.Context(), 1); res != nil || !errors.As(err, &ds) {
		t.Errorf("a point whose problem is wrong: %v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res, err := r.Run(ctx, 0); res != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", res, err)
	}
	var panicked *plan.PanicError
	broken := plan.NewRunner(&plan.Plan{Format: plan.Version, Shards: 1}, "") // no plan at all
	if res, err := broken.Run(t.Context(), 0); res != nil || !errors.As(err, &panicked) || panicked.Stack == "" {
		t.Errorf("a panic: %v, %v", res, err)
	}
}

// summed is a changed result with its checksum.
func summed(line []byte) []byte {
	body, _, _ := bytes.Cut(line, []byte(`,"sum":"`))
	return fmt.Appendf(nil, "%s,\"sum\":\"%x\"}\n", body, sha256.Sum256(body))
}

// TestNumbers: those that JSON lacks, and minus zero, come back as they were.
func TestNumbers(t *testing.T) {
	p, _ := sweepPlan(t, grid(), false)
	res, err := plan.NewRunner(p, "").Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := res.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want float64
	}{{`"nan"`, math.NaN()}, {`"inf"`, math.Inf(1)}, {`"-inf"`, math.Inf(-1)}, {"-0", math.Copysign(0, -1)}, {"5e-324", 5e-324}} {
		head, tail, _ := strings.Cut(string(text), `"objective":`)
		_, tail, _ = strings.Cut(tail, ",")
		changed := []byte(head + `"objective":` + c.text + "," + tail)
		if _, err := p.DecodeResult(changed); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("a changed result: %v", err)
		}
		back, err := p.DecodeResult(summed(changed))
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(back.Solved.Objective); math.Float64bits(got) != math.Float64bits(c.want) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %g", c.text, got)
		}
		out, err := back.Encode()
		if err != nil || !strings.Contains(string(out), `"objective":`+c.text) {
			t.Errorf("%s is written as %.80s, %v", c.text, out, err)
		}
	}
}

// TestOldNames: what results called otherwise before is read, as are the words for numbers that
// JSON lacks.
func TestOldNames(t *testing.T) {
	p, _ := sweepPlan(t, grid(), false)
	res, err := plan.NewRunner(p, "").Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := res.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old := strings.NewReplacer(`"max_violation":`, `"violation":`, `"iteration":`, `"k":`, `"inf"`, `"+Inf"`, `"nan"`, `"NaN"`).Replace(string(text))
	if old == string(text) || !strings.Contains(old, `"k":1,`) {
		t.Fatalf("%s has no new names", text)
	}
	back, err := p.DecodeResult(summed([]byte(old)))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := back.Encode(); err != nil || string(again) != string(text) {
		t.Errorf("%s, want %s, %v", again, text, err)
	}
}

// TestRanges writes lists of shards short.
func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{"": nil, "4": {4}, "0-2,5,7-8": {0, 1, 2, 5, 7, 8}} {
		if got := plan.Ranges(list); got != want {
			t.Errorf("%v is %s", list, got)
		}
	}
}

// TestJobs: names that a shell or YAML would read otherwise are quoted; wrong jobs are
// refused.
func TestJobs(t *testing.T) {
	p, _ := sweepPlan(t, grid(), false)
	job := plan.Job{Plan: "my plan's.json", Out: "res$(x)", Data: "a b", Tasks: 3, CPUs: 2, Memory: "2G", Time: "1:00:00", Image: "registry/a:1", Claim: "c"}
	text, err := job.Slurm(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"#SBATCH --array=0-2\n", "#SBATCH --mem=2G\n", "#SBATCH --time=1:00:00\n", `dcopt shard run 'my plan'\''s.json' --index "$SLURM_ARRAY_TASK_ID" --of 3 --out 'res$(x)' --data 'a b'` + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the script lacks %s:\n%s", want, text)
		}
	}
	if text, err = job.Kubernetes(p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"completions: 3\n", `- "res$$(x)"` + "\n            - --data\n            - \"a b\"\n          env:", "$(JOB_COMPLETION_INDEX)", `memory: "2G"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the Job lacks %s:\n%s", want, text)
		}
	}
	for name, change := range map[string]func(*plan.Job){
		"0 tasks": func(j *plan.Job) { j.Tasks = 0 }, "4 tasks": func(j *plan.Job) { j.Tasks = 4 }, "0 processors": func(j *plan.Job) { j.CPUs = 0 },
		"a line": func(j *plan.Job) { j.Memory = "1\n#SBATCH" }, "the file": func(j *plan.Job) { j.Plan = "" },
	} {
		bad := job
		change(&bad)
		if _, err := bad.Slurm(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if job.Image = ""; true {
		if _, err := job.Kubernetes(p); err == nil || !strings.Contains(err.Error(), "image") {
			t.Errorf("no image: %v", err)
		}
	}
}

// writeParts writes a table in parts.
func writeParts(t *testing.T, dir string) (paths []string) {
	t.Helper()
	for k := range 3 {
		text := "a,b,y\n"
		for i := range 80 {
			a, b := math.Sin(float64(97*k+i))*4, math.Cos(float64(7*i+k))
			text += fmt.Sprintf("%.17g,%.17g,%.17g\n", a, b, math.Abs(a)-b+.05*math.Sin(float64(i*i)))
		}
		at := filepath.Join(dir, fmt.Sprintf("part-%d.csv", k))
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, at)
	}
	return paths
}

// TestFit: the rounds of a fit, whose parts are computed by runners of their own, give the model of
// shards.Fit; a fit that is broken off goes on; a file that has changed is refused.
func TestFit(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "results")
	paths := writeParts(t, data)
	set := lder.MethodSettings(lder.Refit)
	p, err := plan.OfFit(t.Context(), plan.Fit{Target: "y", Training: plan.TrainingOf(set, ""), Folds: 3}, paths)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = plan.Decode(b); err != nil || p.Kind() != "fit" {
		t.Fatal(p.Kind(), err)
	}
	if _, err := plan.NewRunner(p, "").Run(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "in rounds") {
		t.Error(err)
	}
	broken := errors.New("broken off")
	rounds, computed := 0, 0
	compute := func(ctx context.Context, q *plan.Plan, dir string) error {
		folder, err := plan.OpenFolder(dir, q)
		if err != nil {
			return err
		}
		for i := range q.Shards {
			if folder.Has(i) {
				continue
			}
			if computed++; computed == 8 {
				return broken
			}
			res, err := plan.NewRunner(q, data).Run(ctx, i)
			if err != nil {
				return err
			}
			if err := folder.Put(res); err != nil {
				return err
			}
		}
		rounds++
		return nil
	}
	if _, err := p.Rounds(t.Context(), dir, compute); err != broken {
		t.Fatal(err)
	}
	var missing *plan.MissingError
	if _, err := p.Rounds(t.Context(), dir, nil); !errors.As(err, &missing) || missing.Round != 2 || fmt.Sprint(missing.Missing) != "[1 2]" {
		t.Errorf("%v", err)
	}
	got, err := p.Rounds(t.Context(), dir, compute)
	if err != nil {
		t.Fatal(err)
	}
	if computed != 3*rounds+1 || rounds != got.Rounds {
		t.Errorf("%d shards computed in %d rounds of %d", computed, rounds, got.Rounds)
	}
	want := lder.NewRegressor(set)
	want.Target = "y"
	scores, err := shards.Fit(t.Context(), want, &shards.Files{Paths: paths}, shards.Options{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	var x, y bytes.Buffer
	if _, err := got.Model.WriteTo(&x); err != nil {
		t.Fatal(err)
	}
	if _, err := want.WriteTo(&y); err != nil {
		t.Fatal(err)
	}
	if x.String() != y.String() || fmt.Sprint(got.Scores) != fmt.Sprint(scores) {
		t.Errorf("the models differ:\n%s\n%s", &x, &y)
	}
	again, err := p.Rounds(t.Context(), dir, nil)
	if err != nil || again.Rounds != got.Rounds {
		t.Errorf("of the results: %v", err)
	}
	// A change that leaves the size is seen as the rows are read; where the right one is at the
	// other of the two places, it is taken.
	whole, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(whole)
	at := bytes.LastIndexByte(changed, '\n') - 1
	changed[at] ^= 1
	round := func(part []byte) (*plan.Trained, error) {
		t.Helper()
		if err := os.WriteFile(paths[1], part, 0o666); err != nil {
			t.Fatal(err)
		}
		return p.Rounds(t.Context(), t.TempDir(), compute)
	}
	damaged := bytes.Replace(b, []byte(`"crc": "`), []byte(`"crc": "x`), 1)
	if _, err := plan.Decode(damaged); err == nil || !strings.Contains(err.Error(), "no CRC") {
		t.Errorf("a wrong CRC: %v", err)
	}
	for what, part := range map[string][]byte{"another digit": changed, "another size": []byte("a,b,y\n1,2,3\n")} {
		if _, err := round(part); err == nil || !strings.Contains(err.Error(), "another file than when the plan was made") {
			t.Errorf("a part with %s: %v", what, err)
		}
	}
	data = t.TempDir()
	if err := os.WriteFile(filepath.Join(data, filepath.Base(paths[1])), changed, 0o666); err != nil {
		t.Fatal(err)
	}
	again, err = round(whole)
	if err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	if _, err := again.Model.WriteTo(&z); err != nil || z.String() != x.String() {
		t.Errorf("with another part of the same name: %v", err)
	}
}
