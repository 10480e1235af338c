package studyreport_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/page/pagetest"
	"github.com/dcopt/dcopt/bench/internal/stats"
	"github.com/dcopt/dcopt/bench/internal/study"
	"github.com/dcopt/dcopt/bench/internal/studyreport"
	"github.com/dcopt/dcopt/bench/internal/trial"
)

// rows: model "a_1" is better than "b" on all eight sets, "c" is like "b" but for
// a failure on one, and <d> has not been trained on most.
func rows() []study.Row {
	var all []study.Row
	add := func(set, model string, fold int, fvu float64) {
		r := study.Row{Set: set, Model: model, Fold: fold, Folds: 2, Status: trial.Trained, FVU: fvu, MSE: 1000 * fvu, Seconds: 0.01 * (1 + fvu)}
		if math.IsNaN(fvu) {
			r.Status, r.MSE, r.Message = trial.Failed, fvu, "a | b"
		}
		all = append(all, r)
	}
	for k := range 8 {
		set := fmt.Sprintf("set_%d", k)
		for fold := range 2 {
			base := 0.2 + 0.05*float64(k) + 0.1*float64(fold)
			add(set, "a_1", fold, base)
			add(set, "b", fold, base+0.01*float64(k+1))
			c := base + 0.01*float64(k+1) + 0.001*float64(k%2*2-1)*float64(k+1)
			if k == 7 && fold == 1 {
				c = math.NaN()
			}
			add(set, "c", fold, c)
		}
	}
	add("set_0", "<d>", 0, 0.1)
	return all
}

func write(t *testing.T, rows []study.Row) *page.Report {
	t.Helper()
	r := &page.Report{}
	if err := studyreport.New(rows).Write(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTables(t *testing.T) {
	r := write(t, rows())
	text, tex := r.Markdown(), r.LaTeX()
	for _, want := range []string{
		"| set | a_1 | b | c | <d> |", "| set_0 | **0.250 ± 0.071** | 0.260 ± 0.071 | 0.259 ± 0.071 | - |\n",
		"| set_7 | **0.600 ± 0.071** | 0.680 ± 0.071 | - | - |\n", "| average | 0.425 ± 0.122 |",
		"| a_1 | | **.004** | **.008** | |\n", "- a_1 over b\n- a_1 over c\n",
		"| set_7 | c | 2 | failed | a / b |", "| set_0 | **250 ± 70.7** |", "## Training time, s",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the Markdown lacks %q", want)
		}
	}
	for _, want := range []string{`set & a\_1 & b`, `set\_0 & \textbf{0.250 $\pm$ 0.071} & 0.260`, `\bottomrule`} {
		if !strings.Contains(tex, want) {
			t.Errorf("the LaTeX lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(text, tex)
	}
}

// TestPage: the page asks for no other file, escapes names, and its pictures are
// well-formed.
func TestPage(t *testing.T) {
	pictures, err := studyreport.New(rows()).Pictures()
	if err != nil {
		t.Fatal(err)
	}
	body, err := write(t, rows()).HTML(func(name string) ([]byte, error) { return pictures[name], nil })
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	for _, want := range []string{"&lt;d&gt;", "set_0", `class="best"`, "a / b"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "<d>") {
		t.Error("a name is not escaped")
	}
	pagetest.Check(t, text, 6)
}

// TestHasseSVG: no line of the diagram crosses a box.
func TestHasseSVG(t *testing.T) {
	r := studyreport.New(nil)
	rng := rand.New(rand.NewPCG(1, 5))
	number := regexp.MustCompile(`-?\d+`)
	figures := func(line string) (v []int) {
		line, _, _ = strings.Cut(line, "rx=")
		line, _, _ = strings.Cut(line, "stroke")
		for _, word := range number.FindAllString(strings.NewReplacer("x1", "", "x2", "", "y1", "", "y2", "").Replace(line), -1) {
			n, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, n)
		}
		return v
	}
	for range 100 {
		n := 1 + rng.IntN(10)
		r.Models = nil
		above := make([][]bool, n)
		for a := range above {
			r.Models = append(r.Models, strings.Repeat("m", 1+rng.IntN(12)))
			above[a] = make([]bool, n)
			for b := range n {
				above[a][b] = a < b && rng.IntN(3) == 0
			}
		}
		var lines, boxes [][]int
		for line := range strings.Lines(string(r.HasseSVG(stats.Hasse(above)))) {
			switch {
			case strings.HasPrefix(line, "<line"):
				lines = append(lines, figures(line)) // x1 y1 x2 y2
			case strings.HasPrefix(line, "<rect"):
				boxes = append(boxes, figures(line)) // x y width height
			}
		}
		if len(boxes) != n {
			t.Fatalf("%d boxes of %d models", len(boxes), n)
		}
		for _, l := range lines {
			for _, b := range boxes {
				// Lines run down from level to level; within a level they are
				// upright.
				within := l[0] > b[0] && l[0] < b[0]+b[2]
				if l[1] < b[1]+b[3] && l[3] > b[1] && (l[0] != l[2] || within) {
					t.Fatalf("line %v crosses box %v", l, b)
				}
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	write(t, nil)
	if _, err := studyreport.New(nil).Pictures(); err == nil || !strings.Contains(err.Error(), "no models") {
		t.Errorf("pictures of nothing: %v", err)
	}
}

// TestBeside: sets and models of the paper stand beside its table, others do not.
func TestBeside(t *testing.T) {
	var all []study.Row
	for _, set := range []string{"192_vineyard", "229_pwLinear", "other"} {
		for _, model := range []string{"ridge", "mdn", "svr"} {
			for fold := range 2 {
				all = append(all, study.Row{Set: set, Model: model, Fold: fold, Folds: 2, Status: trial.Trained, FVU: 0.3 + 0.1*float64(fold)})
			}
		}
	}
	_, beside, _ := strings.Cut(write(t, all).Markdown(), "## Beside the paper")
	for _, want := range []string{
		"| set | svr | paper | mdn | paper |\n|---|---|---|---|---|\n",
		"| 192_vineyard | 0.350 ± 0.071 | 0.628 ± 0.168 | 0.350 ± 0.071 | 5.702 ± 3.840 |\n",
		"| 229_pwLinear | **0.350 ± 0.071** | 0.353 ± 0.069 |", "| average of 2 | 0.350 | 0.490 | 0.350 | 3.239 |\n",
	} {
		if !strings.Contains(beside, want) {
			t.Errorf("%q is not in %s", want, beside)
		}
	}
	if strings.Contains(beside, "| other") {
		t.Errorf("%s", beside)
	}
	if strings.Contains(write(t, rows()).Markdown(), "Beside") {
		t.Error("sets that the paper does not have stand beside it")
	}
}
