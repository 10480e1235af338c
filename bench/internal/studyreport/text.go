package studyreport

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/page"
)

// number prints v with three decimals or, where it is large or tiny, three
// digits.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case a >= 1e5 || a > 0 && a < 0.001:
		return fmt.Sprintf("%.2e", v)
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// Write adds the tables to a report, and the pictures by their files.
func (r *Report) Write(to *page.Report) error {
	for _, m := range r.Measures {
		to.Heading(2, title(m))
		to.Text("Mean over the folds and its standard deviation; the least of each set is bold.")
		to.Table(append([]string{"set"}, r.Models...)...)
		for k, set := range r.Sets {
			line := []string{set}
			for _, score := range m.Scores[k] {
				line = append(line, page.Best(cell(score), score.Mean == m.best(k)))
			}
			to.Row(line...)
		}
		average := []string{"average"}
		for k := range r.Models {
			average = append(average, cell(m.Average(k)))
		}
		to.Row(average...)
		to.Picture("Means of the sets", m.file("boxes"))
		if err := r.writeTests(to, m); err != nil {
			return err
		}
	}
	r.beside(to)
	to.Heading(2, "Failures")
	if len(r.Failures) == 0 {
		to.Text("None.")
		return nil
	}
	to.Table("set", "model", "fold", "status", "message")
	for _, f := range r.Failures {
		to.Row(f.Set, f.Model, strconv.Itoa(f.Fold+1), f.Status, f.Message)
	}
	return nil
}

func (r *Report) writeTests(to *page.Report, m *Measure) error {
	probabilities, err := r.Tests(m)
	if err != nil {
		return err
	}
	to.Text("Probability that the model of the row is better than that of the column by chance (Wilcoxon's "+
		"signed-rank test over the sets, one-sided; bold below %g):", r.Significance)
	to.Table(append([]string{""}, r.Models...)...)
	for a, name := range r.Models {
		line := []string{name}
		for _, v := range probabilities[a] {
			line = append(line, page.Best(probability(v), v < r.Significance))
		}
		to.Row(line...)
	}
	d := r.Hasse(probabilities)
	to.Text("Who is significantly better, without what follows from the rest:")
	who := []string{"nobody"}
	for k, e := range d.Edges {
		who = append(who[:k], r.group(d.Groups[e[0]])+" over "+r.group(d.Groups[e[1]]))
	}
	to.List(who...)
	to.Picture("Lines lead down from the significantly better", m.file("hasse"))
	return nil
}

// file is the name of a picture of the measure.
func (m *Measure) file(kind string) string {
	return "regression-" + strings.ReplaceAll(strings.ToLower(m.Name), " ", "-") + "-" + kind + ".svg"
}

// group names the models of a group of a diagram.
func (r *Report) group(members []int) string {
	var names []string
	for _, k := range members {
		names = append(names, r.Models[k])
	}
	return strings.Join(names, " = ")
}

func title(m *Measure) string {
	name := strings.ToUpper(m.Name[:1]) + m.Name[1:]
	if m.Unit != "" {
		name += ", " + m.Unit
	}
	return name
}

func cell(s Score) string {
	if math.IsNaN(s.Mean) {
		return "-"
	}
	return number(s.Mean) + " ± " + number(s.Std)
}

func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return ""
	case p < 0.001:
		return "< .001"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", p), "0")
}
