package instance_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

func make1(t *testing.T, in instance.Instance) *qpbackend.Problem {
	t.Helper()
	all, err := in.Make()
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %d problems, %v", in.Name, len(all), err)
	}
	if err := all[0].Validate(); err != nil {
		t.Fatalf("%s: %v", in.Name, err)
	}
	return all[0]
}

func solve(t *testing.T, name string, p *qpbackend.Problem) {
	t.Helper()
	b := ipm.Backend{}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.Solved {
		t.Errorf("%s: %v, %v", name, res.Status, err)
	}
}

// wholeNNZ counts A and both triangles of P.
func wholeNNZ(p *qpbackend.Problem) int {
	diagonal := 0
	for j := range p.P.Cols {
		for _, i := range p.P.RowIdx[p.P.ColPtr[j]:p.P.ColPtr[j+1]] {
			if i == j {
				diagonal++
			}
		}
	}
	return p.A.NNZ() + 2*p.P.NNZ() - diagonal
}

// TestSizesOfTheClasses compares with the sizes that others measured at.
func TestSizesOfTheClasses(t *testing.T) {
	for _, c := range []struct {
		class     string
		size      string
		n, m, nnz int // nnz in thousands
	}{
		{"eqqp", "300", 300, 150, 97}, {"random", "150", 150, 1500, 56}, {"portfolio", "25", 2525, 2526, 39}, {"lasso", "40", 4080, 4080, 32},
		{"svm", "40", 4040, 8000, 32}, {"huber", "40", 12040, 12000, 48}, {"control", "60", 960, 1620, 60},
	} {
		all, err := instance.Classes([]string{c.class}, []string{c.size})
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d, %v", c.class, len(all), err)
		}
		if want := c.class + "-" + c.size; all[0].Name != want || all[0].Group != "classes" {
			t.Errorf("%+v, want %s", all[0], want)
		}
		p, _ := make1(t, all[0]).BoundsAsRows() // as they counted
		n, m := p.Dims()
		if nnz := float64(wholeNNZ(p)) / 1000; n != c.n || m != c.m || nnz < float64(c.nnz)-1.5 || nnz > float64(c.nnz)+1.5 {
			t.Errorf("%s: n %d, m %d, %.1f thousand entries; want %d, %d, %d", all[0].Name, n, m, nnz, c.n, c.m, c.nnz)
		}
	}
}

// TestSmallOnesAreSolvable: all of size 10, each time the same numbers, those of
// another size others.
func TestSmallOnesAreSolvable(t *testing.T) {
	all, err := instance.Classes([]string{"all"}, []string{"10", "small"})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2*len(strings.Split(instance.ClassNames(), ",")) {
		t.Errorf("%d problems of %s", len(all), instance.ClassNames())
	}
	for _, in := range all {
		p := make1(t, in)
		if !reflect.DeepEqual(p, make1(t, in)) {
			t.Errorf("%s differs the second time", in.Name)
		}
		solve(t, in.Name, p)
	}
}

func TestRegression(t *testing.T) {
	in, err := instance.Regression(60, 4)
	if err != nil {
		t.Fatal(err)
	}
	p := make1(t, in)
	if n, m := p.Dims(); n != 60+5*5 || m != 60*5 || p.A.NNZ() > m*(1+2*5) {
		t.Errorf("n %d, m %d, %d entries", n, m, p.A.NNZ())
	}
	solve(t, in.Name, p)
	for _, bad := range [][2]int{{0, 1}, {1, 0}, {1 << 20, 2}, {-1, 3}} {
		if _, err := instance.Regression(bad[0], bad[1]); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// TestSequence: 700 variables, 698 rows; only A and l change, and not their
// pattern; each problem is solvable.
func TestSequence(t *testing.T) {
	in := instance.Sequence()
	all, err := in.Make()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("%d problems", len(all))
	}
	first := all[0]
	if n, m := first.Dims(); n != 700 || m != 698 {
		t.Errorf("n %d, m %d", n, m)
	}
	for k, p := range all[1:] {
		before := all[k]
		if !reflect.DeepEqual(p.A.RowIdx, first.A.RowIdx) || !reflect.DeepEqual(p.A.ColPtr, first.A.ColPtr) || !reflect.DeepEqual(p.P, first.P) ||
			!reflect.DeepEqual(p.U, first.U) || !reflect.DeepEqual(p.Q, first.Q) {
			t.Errorf("problem %d: more than values of A and l changed", k+1)
		}
		if reflect.DeepEqual(p.A.Val, before.A.Val) || reflect.DeepEqual(p.L, before.L) {
			t.Errorf("problem %d: A or l are those of the one before", k+1)
		}
		solve(t, fmt.Sprint("problem ", k+1), p)
	}
}

func TestWrongNames(t *testing.T) {
	for _, c := range []struct{ class, size, want string }{
		{"nonsense", "10", "eqqp,random"}, {"lasso", "huge", "small, medium, large"}, {"lasso", "1", "from 2"},
		{"control", "11", "even"}, {"eqqp", "1000000", "2000"},
	} {
		if _, err := instance.Classes([]string{c.class}, []string{c.size}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want one with %q", c.class, c.size, err, c.want)
		}
	}
}

// TestOptima: published values and outcomes come with the files, with the error of their
// digits.
func TestOptima(t *testing.T) {
	dir := t.TempDir()
	const text = "1\n1\n-1\n1\n0 1 1 1 1\n1 1 1 1 1\n"
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		write(name+".dat-s", text)
	}
	write("optima.csv", "problem,n,optimum\na,1,1.25e+02\nb,1,primal infeasible\nc,1,dual infeasible\nd,1,-3.1415926535\n")
	all, err := instance.Files(dir)
	if err != nil || len(all) != 5 {
		t.Fatalf("%v, %v", all, err)
	}
	if a, d := all[0], all[3]; a.Optimum != 125 || a.Error != 1 || d.Optimum != -3.1415926535 || math.Abs(d.Error-3.1415926535e-5) > 1e-18 {
		t.Errorf("%+v, %+v", a, d)
	}
	if all[1].Want != qpbackend.PrimalInfeasible || all[2].Want != qpbackend.DualInfeasible || all[4].Error != 0 || all[4].Want != qpbackend.Unknown {
		t.Errorf("%+v", all)
	}
	for text, want := range map[string]string{"": "empty", "a,b\n": "no columns", "problem,optimum\na,x\n": "line 2", "problem,optimum\na\n": "fields"} {
		write("optima.csv", text)
		if _, err := instance.Files(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := instance.Files(dir); err == nil || !strings.Contains(err.Error(), ".sif") {
		t.Errorf("an empty folder: %v", err)
	}
	const text = "NAME tiny\nROWS\n N obj\n G c\nCOLUMNS\n x obj 1 c 1\nRHS\n RHS c 2\nENDATA\n"
	for name, text := range map[string]string{"B.qps": text, "A.mps": text, "bad.QPS": "NAME\nNONSENSE\n", "README": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := instance.Files(dir)
	if err != nil || len(all) != 3 || all[0].Name != "A" || all[1].Name != "B" {
		t.Fatalf("%v, %v", all, err)
	}
	if n, m := make1(t, all[0]).Dims(); n != 1 || m != 1 {
		t.Errorf("n %d, m %d", n, m)
	}
	if _, err := all[2].Make(); err == nil || !strings.Contains(err.Error(), "bad.QPS") {
		t.Errorf("a broken file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "B.SIF"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.Files(dir); err == nil || !strings.Contains(err.Error(), "two files") {
		t.Errorf("two files of one name: %v", err)
	}
	if _, err := instance.Files(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing folder is accepted")
	}
}

// TestCones: the classes have the cones they are named for, in all outcomes, and
// one name is one problem.
func TestCones(t *testing.T) {
	names := strings.Split(instance.ConeClassNames(), ",")
	for _, class := range names {
		all, err := instance.Cones([]string{class}, 10)
		if err != nil || len(all) != 10 {
			t.Fatalf("%s: %d problems, %v", class, len(all), err)
		}
		count := map[qpbackend.Status]int{}
		for _, in := range all {
			p := make1(t, in)
			count[in.Want]++
			if len(p.Cones) == 0 || in.Group != "cones-"+class {
				t.Errorf("%s of %s has %d cones", in.Name, in.Group, len(p.Cones))
			}
			if !reflect.DeepEqual(p.A, make1(t, in).A) {
				t.Errorf("%s differs the second time", in.Name)
			}
			for prefix, kind := range map[string]string{"soc": "second-order", "exp": "exponential", "pow": "power", "psd": "semidefinite", "groups": "second-order", "logistic": "exponential", "maxcut": "semidefinite"} {
				other := func(c qpbackend.Cone) bool { return c.Kind.String() != kind }
				if strings.HasPrefix(class, prefix) && slices.ContainsFunc(p.Cones, other) {
					t.Errorf("%s has cones: %v", in.Name, p.Cones)
				}
			}
			want := map[qpbackend.Status]string{qpbackend.PrimalInfeasible: "-infeasible", qpbackend.DualInfeasible: "-unbounded"}[in.Want]
			if want != "" && !strings.HasSuffix(in.Name, want) || want == "" && strings.Count(in.Name[len(class):], "-") > 1 {
				t.Errorf("%s: its outcome is %v", in.Name, in.Want)
			}
		}
		if count[qpbackend.Unknown] == 10 && slices.Contains([]string{"groups", "logistic", "maxcut"}, class) {
			solve(t, all[0].Name, make1(t, all[0]))
			continue
		}
		if count[qpbackend.Solved] != 6 || count[qpbackend.PrimalInfeasible] != 2 || count[qpbackend.DualInfeasible] != 2 {
			t.Errorf("%s: outcomes %v", class, count)
		}
	}
	all, err := instance.Cones([]string{"all"}, 1)
	if err != nil || len(all) != len(names)-1 {
		t.Errorf("all: %d problems, %v", len(all), err)
	}
	if _, err := instance.Cones([]string{"cube"}, 1); err == nil || !strings.Contains(err.Error(), "soc-small") {
		t.Errorf("an unknown class: %v", err)
	}
}
