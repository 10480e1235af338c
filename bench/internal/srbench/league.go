package srbench

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/stats"
	"github.com/dcopt/dcopt/bench/internal/trial"
)

// Published is a published median over the trials of a table.
type Published struct {
	Set       string  `csv:"dataset"`
	Algorithm string  `csv:"algorithm"`
	Friedman  string  `csv:"friedman"` // "True": one of the 62 synthetic tables
	Rows      int     `csv:"nsamples"`
	Features  int     `csv:"nfeatures"`
	R2        float64 `csv:"r2_test,6"`
	Size      float64 `csv:"model_size,6"`
	Seconds   float64 `csv:"seconds,6"`
}

// ReadPublished reads a file of published medians.
func ReadPublished(path string) ([]Published, error) {
	return csvtable.Read[Published](path)
}

// Median is the score of a method on a table: the medians over its trials.
type Median struct {
	R2, Size, Seconds float64
	Trials            int // 0 of published medians
}

// Scores are medians by table and method.
type Scores map[string]map[string]Median

func (s Scores) put(set, method string, m Median) {
	if s[set] == nil {
		s[set] = map[string]Median{}
	}
	s[set][method] = m
}

// Medians are the medians of rows, of tables and methods with rows for at least fewest of the
// seeds; a trial that failed counts as R² of minus infinity.
func Medians(rows []Row, seeds []uint32, fewest int) Scores {
	type key struct{ set, method string }
	by := map[key][]Row{}
	for _, r := range csvtable.Latest(rows) {
		if slices.Contains(seeds, r.Seed) {
			by[key{r.Set, r.Method}] = append(by[key{r.Set, r.Method}], r)
		}
	}
	out := Scores{}
	for k, trials := range by {
		if len(trials) < fewest {
			continue
		}
		var r2, size, seconds []float64
		for _, t := range trials {
			v := t.R2
			if t.Status != trial.Trained || math.IsNaN(v) {
				v = math.Inf(-1)
			}
			r2, size, seconds = append(r2, v), append(size, float64(t.Size)), append(seconds, t.Seconds)
		}
		out.put(k.set, k.method, Median{stats.Median(r2), stats.Median(size), stats.Median(seconds), len(trials)})
	}
	return out
}

// Line is a method in the league.
type Line struct {
	Method    string
	Published bool
	Sets      int     // with a median
	Rank      float64 // the mean over the sets; 1 is best
	Error     float64 // the standard error of Rank
	R2        float64 // the mean over the sets of max(0, median R²)
	Size      float64 // the median over the sets
	Seconds   float64 // the median over the sets
	Longest   float64 // the largest over the sets
	Trials    [2]int  // fewest and most of a set; 0 of published medians
}

// League ranks methods on the sets that keep accepts and that have published rows: on
// each set, one of ours at a time among all published methods, by the median R². Equal
// ones share the mean of their places. The ranks of published methods are among
// themselves and the method `beside`.
func League(ours Scores, published []Published, beside string, keep func(Published) bool) []Line {
	all := map[string]*tally{}
	sets := map[string][]Published{}
	for _, p := range published {
		if keep(p) {
			sets[p.Set] = append(sets[p.Set], p)
		}
	}
	mine := map[string]bool{}
	for set, rows := range sets {
		theirs := make([]float64, len(rows))
		for k, p := range rows {
			theirs[k] = p.R2
		}
		add := func(name string, m Median, others []float64) {
			if all[name] == nil {
				all[name] = &tally{}
			}
			all[name].add(m, others)
		}
		for name, m := range ours[set] {
			add(name, m, theirs)
			mine[name] = true
		}
		next, has := ours[set][beside]
		if !has {
			continue
		}
		for k, p := range rows {
			others := append(slices.Delete(slices.Clone(theirs), k, k+1), next.R2)
			add(p.Algorithm, Median{R2: p.R2, Size: p.Size, Seconds: p.Seconds}, others)
		}
	}
	var out []Line
	for name, t := range all {
		l := t.line(name)
		l.Published = !mine[name]
		out = append(out, l)
	}
	slices.SortFunc(out, byRank)
	return out
}

// tally has the medians of a method on the sets, and its ranks there.
type tally struct {
	medians []Median
	ranks   []float64
}

func (t *tally) add(m Median, others []float64) {
	t.medians, t.ranks = append(t.medians, m), append(t.ranks, place(m.R2, others))
}

func (t *tally) line(method string) Line {
	var r2, size, seconds []float64
	var trials []int
	for _, m := range t.medians {
		r2, size, seconds = append(r2, max(0, m.R2)), append(size, m.Size), append(seconds, m.Seconds)
		trials = append(trials, m.Trials)
	}
	l := Line{Method: method, Sets: len(r2), Rank: stat.Mean(t.ranks, nil), R2: stat.Mean(r2, nil),
		Error: stat.StdErr(stat.StdDev(t.ranks, nil), float64(len(r2))), Size: stats.Median(size),
		Seconds: stats.Median(seconds)}
	if len(r2) > 0 {
		l.Longest, l.Trials = slices.Max(seconds), [2]int{slices.Min(trials), slices.Max(trials)}
	}
	return l
}

func byRank(a, b Line) int {
	return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(a.Method, b.Method))
}

// Test is a comparison of two methods on the same sets.
type Test struct {
	A, B string
	// Wins, Losses and Ties count the sets where the median R² of A is larger, less and
	// equal.
	Wins, Losses, Ties int
	// P is the two-sided probability of Wilcoxon's signed-rank test of the ranks on the
	// sets, times the factor for so many pairs of Holm 1979, A simple sequentially rejective
	// multiple test procedure; at most 1.
	P float64
}

// Live ranks methods among themselves on the sets of rows that keep accepts, by the median R² of
// the trials that all of them have there; sets without such a trial are left out. trials
// are the fewest and most trials of a set. The tests are of all pairs, in the order of
// the league.
func Live(rows []Row, seeds []uint32, keep func(set string) bool) (lines []Line, tests []Test, trials [2]int) {
	methods, bySet := map[string]bool{}, map[string]map[string]map[uint32]Row{}
	for _, r := range csvtable.Latest(rows) {
		if !keep(r.Set) || !slices.Contains(seeds, r.Seed) {
			continue
		}
		methods[r.Method] = true
		if bySet[r.Set] == nil {
			bySet[r.Set] = map[string]map[uint32]Row{}
		}
		if bySet[r.Set][r.Method] == nil {
			bySet[r.Set][r.Method] = map[uint32]Row{}
		}
		bySet[r.Set][r.Method][r.Seed] = r
	}
	names := slices.Sorted(maps.Keys(methods))
	all := map[string]*tally{}
	for _, m := range names {
		all[m] = &tally{}
	}
	for _, set := range slices.Sorted(maps.Keys(bySet)) {
		var common []uint32
		for _, seed := range seeds {
			if !slices.ContainsFunc(names, func(m string) bool { _, has := bySet[set][m][seed]; return !has }) {
				common = append(common, seed)
			}
		}
		if len(common) == 0 {
			continue
		}
		if trials[0] == 0 {
			trials[0] = len(common)
		}
		trials = [2]int{min(trials[0], len(common)), max(trials[1], len(common))}
		var some []Row
		for _, m := range names {
			for _, seed := range common {
				some = append(some, bySet[set][m][seed])
			}
		}
		scores := Medians(some, common, len(common))[set]
		for _, m := range names {
			var others []float64
			for _, o := range names {
				if o != m {
					others = append(others, scores[o].R2)
				}
			}
			all[m].add(scores[m], others)
		}
	}
	for _, m := range names {
		lines = append(lines, all[m].line(m))
	}
	slices.SortFunc(lines, byRank)
	for k, a := range lines {
		for _, b := range lines[k+1:] {
			t := Test{A: a.Method, B: b.Method, P: 1}
			for i, v := range all[a.Method].medians {
				switch o := all[b.Method].medians[i]; {
				case v.R2 > o.R2:
					t.Wins++
				case v.R2 < o.R2:
					t.Losses++
				default:
					t.Ties++
				}
			}
			if w, err := stats.Wilcoxon(all[a.Method].ranks, all[b.Method].ranks); err == nil {
				t.P = w.TwoSided
			}
			tests = append(tests, t)
		}
	}
	holm(tests)
	return lines, tests, trials
}

// holm multiplies the k-th least probability by the number of those not less, and keeps
// their order.
func holm(tests []Test) {
	order := make([]int, len(tests))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tests[a].P, tests[b].P) })
	last := 0.0
	for k, at := range order {
		last = min(1, max(last, tests[at].P*float64(len(tests)-k)))
		tests[at].P = last
	}
}

// place is the rank of v among others, 1 for the largest; equal ones share theirs.
func place(v float64, others []float64) float64 {
	rank := 1.0
	for _, o := range others {
		switch {
		case o > v:
			rank++
		case o == v:
			rank += .5
		}
	}
	return rank
}
