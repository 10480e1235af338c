package studyreport

import (
	"fmt"
	"io"
	"math"
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

// Markdown writes the tables.
func (r *Report) Markdown(w io.Writer) error {
	p := &page.Printer{W: w}
	for _, m := range r.Measures {
		p.Printf("\n## %s\n\nMean over the folds and its standard deviation; the least of each set is bold.\n\n",
			title(m))
		p.Printf("| set | %s |\n|---|%s\n", strings.Join(r.Models, " | "), strings.Repeat("---|", len(r.Models)))
		for s, set := range r.Sets {
			p.Printf("| %s |", set)
			for _, score := range m.Scores[s] {
				p.Printf(" %s |", bold(cell(score, "±"), score.Mean == m.best(s), "**", "**"))
			}
			p.Printf("\n")
		}
		p.Printf("| average |")
		for k := range r.Models {
			p.Printf(" %s |", cell(m.Average(k), "±"))
		}
		p.Printf("\n")
		if err := r.markdownTests(p, m); err != nil {
			return err
		}
	}
	r.beside().markdown(p)
	p.Printf("\n## Failures\n\n")
	if len(r.Failures) == 0 {
		p.Printf("None.\n")
	} else {
		p.Printf("| set | model | fold | status | message |\n|---|---|---|---|---|\n")
	}
	for _, f := range r.Failures {
		p.Printf("| %s | %s | %d | %s | %s |\n", f.Set, f.Model, f.Fold+1, f.Status,
			strings.ReplaceAll(f.Message, "|", "/"))
	}
	return p.Err
}

func (r *Report) markdownTests(p *page.Printer, m *Measure) error {
	probabilities, err := r.Tests(m)
	if err != nil {
		return err
	}
	p.Printf("\nProbability that the model of the row is better than that of the column by chance (Wilcoxon's "+
		"signed-rank test over the sets, one-sided; "+
		"bold below %g):\n\n| | %s |\n|---|%s\n", r.Significance, strings.Join(r.Models, " | "),
		strings.Repeat("---|", len(r.Models)))
	for a, name := range r.Models {
		p.Printf("| %s |", name)
		for _, v := range probabilities[a] {
			p.Printf(" %s |", bold(probability(v), v < r.Significance, "**", "**"))
		}
		p.Printf("\n")
	}
	d := r.Hasse(probabilities)
	p.Printf("\nWho is significantly better, without what follows from the rest:\n\n")
	if len(d.Edges) == 0 {
		p.Printf("- nobody\n")
	}
	for _, e := range d.Edges {
		p.Printf("- %s over %s\n", r.group(d.Groups[e[0]]), r.group(d.Groups[e[1]]))
	}
	return nil
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

func cell(s Score, sign string) string {
	if math.IsNaN(s.Mean) {
		return "-"
	}
	return number(s.Mean) + " " + sign + " " + number(s.Std)
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

func bold(text string, is bool, open, end string) string {
	if is {
		return open + text + end
	}
	return text
}

// LaTeX writes a table for each measure, for the package booktabs.
func (r *Report) LaTeX(w io.Writer) error {
	p := &page.Printer{W: w}
	escape := strings.NewReplacer("_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`)
	for _, m := range r.Measures {
		p.Printf("\\begin{tabular}{l%s}\n\\toprule\n%s", strings.Repeat("c", len(r.Models)), escape.Replace(title(m)))
		for _, name := range r.Models {
			p.Printf(" & %s", escape.Replace(name))
		}
		p.Printf(" \\\\\n\\midrule\n")
		for s, set := range r.Sets {
			p.Printf("%s", escape.Replace(set))
			for _, score := range m.Scores[s] {
				p.Printf(" & %s", bold(cell(score, `$\pm$`), score.Mean == m.best(s), `\textbf{`, "}"))
			}
			p.Printf(" \\\\\n")
		}
		p.Printf("\\midrule\naverage")
		for k := range r.Models {
			p.Printf(" & %s", cell(m.Average(k), `$\pm$`))
		}
		p.Printf(" \\\\\n\\bottomrule\n\\end{tabular}\n\n")
	}
	return p.Err
}
