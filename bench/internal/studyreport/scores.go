package studyreport

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/page"
	"github.com/dcopt/dcopt/bench/internal/stats"
	"github.com/dcopt/dcopt/bench/internal/study"
	"github.com/dcopt/dcopt/bench/internal/trial"
)

// Score is the mean over folds, and the standard deviation with divisor one less
// than their number.
type Score struct{ Mean, Std float64 }

// Measure is a number by which models are compared; less is better.
type Measure struct {
	Name   string
	Unit   string
	of     func(study.Row) float64
	Scores [][]Score // by set and model; NaN unless all folds were trained
}

// Report is all that the pages show.
type Report struct {
	Sets, Models []string
	Measures     []*Measure // FVU, MSE, training time
	Failures     []study.Row
	Significance float64
}

// New sorts the rows; of several at one place the last counts.
func New(rows []study.Row) *Report {
	r := &Report{Significance: 0.05, Measures: []*Measure{
		{Name: "FVU", of: func(r study.Row) float64 { return r.FVU }},
		{Name: "MSE", of: func(r study.Row) float64 { return r.MSE }},
		{Name: "training time", Unit: "s", of: func(r study.Row) float64 { return r.Seconds }},
	}}
	type place struct{ set, model string }
	parts := map[place][]study.Row{}
	folds := 0
	for _, row := range csvtable.Latest(rows) {
		r.Sets, r.Models = page.AddOnce(r.Sets, row.Set), page.AddOnce(r.Models, row.Model)
		folds = max(folds, row.Folds)
		if row.Status != trial.Trained {
			r.Failures = append(r.Failures, row)
			continue
		}
		p := place{row.Set, row.Model}
		parts[p] = append(parts[p], row)
	}
	for _, m := range r.Measures {
		for _, set := range r.Sets {
			var line []Score
			for _, model := range r.Models {
				line = append(line, m.score(parts[place{set, model}], folds))
			}
			m.Scores = append(m.Scores, line)
		}
	}
	return r
}

func (m *Measure) score(rows []study.Row, folds int) Score {
	if len(rows) != folds {
		return Score{math.NaN(), math.NaN()}
	}
	var values []float64
	for _, r := range rows {
		values = append(values, m.of(r))
	}
	return score(values)
}

// score of values; the deviation of one is 0.
func score(values []float64) Score {
	mean, std := stat.MeanStdDev(values, nil)
	if len(values) == 1 {
		std = 0
	}
	return Score{mean, std}
}

// best is the least mean of a set; NaN if there is none.
func (m *Measure) best(set int) float64 {
	least := math.NaN()
	for _, s := range m.Scores[set] {
		if !(s.Mean >= least) && !math.IsNaN(s.Mean) {
			least = s.Mean
		}
	}
	return least
}

// column has the means of a model on the sets.
func (m *Measure) column(model int) []float64 {
	var all []float64
	for _, line := range m.Scores {
		all = append(all, line[model].Mean)
	}
	return all
}

// Average is the mean and standard deviation of a model's means over the sets;
// NaN if it lacks one.
func (m *Measure) Average(model int) Score { return score(m.column(model)) }

// Tests returns the probabilities of Wilcoxon's signed-rank test that a's means
// are less than b's by chance alone, p[a][b], over the sets that both have; NaN
// where there are none.
func (r *Report) Tests(m *Measure) ([][]float64, error) {
	p := make([][]float64, len(r.Models))
	for a := range p {
		p[a] = make([]float64, len(r.Models))
		for b := range p[a] {
			var x, y []float64
			for set := range r.Sets {
				u, v := m.Scores[set][a].Mean, m.Scores[set][b].Mean
				if !math.IsNaN(u) && !math.IsNaN(v) {
					x, y = append(x, u), append(y, v)
				}
			}
			p[a][b] = math.NaN()
			if len(x) == 0 || a == b {
				continue
			}
			t, err := stats.Wilcoxon(x, y)
			if err != nil {
				return nil, err
			}
			p[a][b] = t.Less
		}
	}
	return p, nil
}

// Hasse is the diagram of who is significantly better than whom.
func (r *Report) Hasse(p [][]float64) stats.Diagram {
	above := make([][]bool, len(p))
	for a := range p {
		above[a] = make([]bool, len(p))
		for b := range p {
			above[a][b] = p[a][b] < r.Significance
		}
	}
	return stats.Hasse(above)
}
