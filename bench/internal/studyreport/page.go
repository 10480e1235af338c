package studyreport

import (
	_ "embed"
	"html/template"
	"strings"
)

//go:embed page.html
var pageText string

// section is the part of the page on a measure.
type section struct {
	Title  string
	Head   []string
	Rows   []line
	Tests  []line
	Boxes  template.HTML
	Hasse  template.HTML
	Levels bool // someone is significantly better
}

type line struct {
	Name  string
	Cells []pageCell
}

type pageCell struct {
	Text string
	Best bool
}

// Body is the contents of a page; about says in a line which measurements
// these are, and on which data.
func (r *Report) Body(about string) (template.HTML, error) {
	body, err := template.New("page").Parse(pageText)
	if err != nil {
		return "", err
	}
	data := struct {
		About    string
		Sections []section
		Beside   comparison
		Text     string // of it
		Failures []line
	}{About: about, Beside: r.beside(), Text: besideText}
	for _, m := range r.Measures {
		s, err := r.section(m)
		if err != nil {
			return "", err
		}
		data.Sections = append(data.Sections, s)
	}
	for _, f := range r.Failures {
		data.Failures = append(data.Failures, line{f.Set,
			[]pageCell{{Text: f.Model}, {Text: f.Status}, {Text: f.Message}}})
	}
	var b strings.Builder
	err = body.Execute(&b, data)
	return template.HTML(b.String()), err
}

func (r *Report) section(m *Measure) (section, error) {
	s := section{Title: title(m), Head: r.Models}
	for k, set := range r.Sets {
		l := line{Name: set}
		for _, score := range m.Scores[k] {
			l.Cells = append(l.Cells, pageCell{cell(score, "±"), score.Mean == m.best(k)})
		}
		s.Rows = append(s.Rows, l)
	}
	average := line{Name: "average"}
	for k := range r.Models {
		average.Cells = append(average.Cells, pageCell{Text: cell(m.Average(k), "±")})
	}
	s.Rows = append(s.Rows, average)
	p, err := r.Tests(m)
	if err != nil {
		return s, err
	}
	for a, name := range r.Models {
		l := line{Name: name}
		for _, v := range p[a] {
			l.Cells = append(l.Cells, pageCell{probability(v), v < r.Significance})
		}
		s.Tests = append(s.Tests, l)
	}
	d := r.Hasse(p)
	s.Levels = len(d.Edges) > 0
	// Both pictures are made here and escape their texts.
	s.Hasse = template.HTML(r.HasseSVG(d))
	boxes, err := r.Boxes(m)
	s.Boxes = template.HTML(boxes)
	return s, err
}
