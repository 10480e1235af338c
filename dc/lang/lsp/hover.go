package lsp

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/setting"
)

// keywords say what each statement is.
var keywords = map[string]string{
	"param":    "data: a number, an array, or a file; `--set` gives it another value",
	"set":      "names indices: numbers, words, or pairs",
	"var":      "variables, with their shape, bounds and start",
	"let":      "names an expression",
	"minimize": "the objective, to be made small",
	"maximize": "the objective, to be made large",
	"find":     "asks for any point that meets the constraints",
	"subject":  "`subject to` begins the constraints, a line each",
	"option":   "settings of the solver",
	"plot":     "a picture of the solution: marks such as `points(p)`, `circles(p, r)`, `path(q)`, with commas between",
	"in":       "the set that an index runs over, or the bounds of a variable",
	"if":       "a condition on data, or a choice: `if(condition, a, b)`",
	"and":      "both conditions hold",
	"or":       "one of the conditions holds",
	"not":      "the condition does not hold",
}

// attributes of variables.
var attributes = map[string]string{
	"start":     "where the variable begins: values, or `normal(mean, sd)`, `uniform(l, u)`",
	"symmetric": "the matrix is its transpose",
	"complex":   "the entries are complex numbers: a pair of real variables each, re(x) and im(x)",
	"hermitian": "the matrix is complex and its own conjugate transpose",
	"psd":       "the matrix is symmetric and positive semidefinite",
}

// marks say what the kinds of marks of a plot draw.
var marks = map[string]string{
	"points": "a dot at each place", "circles": "a circle around each place", "path": "lines from place to place",
	"links":  "lines between pairs of places",
	"rects":  "rectangles by their lower left corners and sizes",
	"labels": "texts at places: a set, a string, or numbers", "motion": "discs that move along paths",
	"decibels": "20 log10 of a vector, relative to its greatest entry", "heatmap": "a matrix as a picture",
	"signal": "a vector over its indices", "bars": "a bar for each entry of a vector",
	"matrix": "a matrix as a picture", "fit": "data and a function over it",
}

// optionTexts say what each option is.
func optionTexts() map[string]string {
	texts := map[string]string{}
	for _, r := range setting.For(setting.File) {
		texts[r.Name()] = r.Text
	}
	return texts
}

// tokenAt is the token around an offset of the source, a word rather than the token behind it.
func tokenAt(toks []syntax.Token, offset int) (k int, ok bool) {
	for i := range toks {
		if t := &toks[i]; t.Pos <= offset && offset <= t.End && t.End > t.Pos && t.Kind != syntax.Newline {
			if !ok || toks[k].Kind != syntax.Name {
				k, ok = i, true
			}
		}
	}
	return k, ok
}

func functionNamed(name string) (lang.Function, bool) {
	for _, f := range lang.Functions() {
		if f.Name == name {
			return f, true
		}
	}
	return lang.Function{}, false
}

func (s *server) hover(ctx context.Context, d *document, p *params) (any, error) {
	offset := d.offset(p.Position) - d.bom
	toks, comments := syntax.Scan(d.source())
	for _, c := range comments {
		if c.Pos <= offset && offset < c.End {
			return nil, nil
		}
	}
	k, ok := tokenAt(toks, offset)
	if !ok {
		return nil, nil
	}
	t := &toks[k]
	var text strings.Builder
	at := t.Span
	if t.Kind == syntax.Keyword || t.Kind >= syntax.In {
		fmt.Fprintf(&text, "**%s**: %s\n", t.Text, keywords[t.Text])
		return s.hovering(d, text.String(), at), nil
	}
	call := k+1 < len(toks) && toks[k+1].Kind == syntax.LParen
	if f, isFunction := functionNamed(t.Text); isFunction && t.Kind == syntax.Name && call {
		text.WriteString("`" + f.Form + "`: " + f.Meaning + ".\n")
		if !f.Data {
			fmt.Fprintf(&text, "\n%s", strings.ToUpper(f.Curvature.String()[:1])+f.Curvature.String()[1:])
			if f.Domain != "" {
				text.WriteString(" for " + f.Domain)
			}
			fmt.Fprintf(&text, "; takes arguments: %s.\n", f.Takes)
		}
	}
	f, _ := lang.Parse(d.name(), []byte(d.text))
	e, err := lang.Explain(ctx, f, d.options(), offset)
	if err != nil {
		return nil, err
	}
	if e != nil {
		if text.Len() > 0 {
			text.WriteString("\n---\n\n")
		}
		describe(&text, e)
		at = syntax.Span{Pos: e.Start, End: e.End}
	}
	if e == nil && text.Len() == 0 && t.Kind == syntax.Name {
		switch {
		case marks[t.Text] != "" && call:
			fmt.Fprintf(&text, "**plot %s**: %s\n", t.Text, marks[t.Text])
		case attributes[t.Text] != "":
			fmt.Fprintf(&text, "**%s**: %s\n", t.Text, attributes[t.Text])
		case optionTexts()[t.Text] != "":
			fmt.Fprintf(&text, "**option %s**: %s\n", t.Text, optionTexts()[t.Text])
		}
	}
	if text.Len() == 0 {
		return nil, nil
	}
	return s.hovering(d, text.String(), at), nil
}

func (s *server) hovering(d *document, text string, at syntax.Span) hover {
	r := d.span(at)
	if s.markdown {
		return hover{markup{"markdown", text}, &r}
	}
	return hover{markup{"plaintext", strings.NewReplacer("**", "", "`", "", "\n---\n", "\n", "```dc\n", "", "```\n",
		"").Replace(text)}, &r}
}

// describe writes curvature, range and split.
func describe(w *strings.Builder, e *lang.Explanation) {
	code := func(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }
	w.WriteString(code(e.Text))
	if e.Indices != "" {
		w.WriteString(" at " + e.Indices)
	}
	w.WriteString("\n\n")
	shape := "scalar"
	if len(e.Shape) > 0 {
		parts := make([]string, len(e.Shape))
		for k, n := range e.Shape {
			parts[k] = strconv.Itoa(n)
		}
		shape = strings.Join(parts, " × ")
	}
	switch {
	case e.Other != "":
		fmt.Fprintf(w, "data: %s\n", e.Other)
		return
	case e.Data && len(e.Shape) == 0:
		fmt.Fprintf(w, "data: %s\n", number(e.Lo))
		return
	case e.Data:
		values := make([]string, len(e.Values))
		for k, v := range e.Values {
			values[k] = number(v)
		}
		total := 1
		for _, n := range e.Shape {
			total *= n
		}
		if total > len(values) {
			values = append(values, "...")
		}
		fmt.Fprintf(w, "data, %s, from %s to %s: %s\n", shape, number(e.Lo), number(e.Hi), strings.Join(values, " "))
		return
	}
	fmt.Fprintf(w, "**%s**", e.Curvature)
	if e.Curvature == lang.DC {
		w.WriteString(" (a difference of convex functions)")
	}
	list := func(head string, parts []string) {
		if len(parts) > 0 {
			fmt.Fprintf(w, "\n%s:\n", head)
			for _, p := range parts {
				w.WriteString("- " + code(p) + "\n")
			}
		}
	}
	if f := e.Family; f != nil {
		fmt.Fprintf(w, " constraint %s, members: %d\n", code(f.Name), f.Members)
		if !math.IsNaN(e.Lo) {
			fmt.Fprintf(w, "\nleft minus right, the middle of `l <= e <= u`: %s%s\n", shape, sign(e.Lo, e.Hi))
		}
		list("linearised", f.Linearised)
		return
	}
	fmt.Fprintf(w, ", %s%s\n", shape, sign(e.Lo, e.Hi))
	if e.Curvature == lang.DC {
		list("convex parts, kept in `<=` and when minimised", e.Convex)
		list("concave parts, linearised there", e.Concave)
	}
}

// sign says what the range of an expression proves.
func sign(lo, hi float64) string {
	switch {
	case math.IsNaN(lo), math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return ", of any sign"
	case math.IsInf(hi, 1):
		return ", ≥ " + number(lo)
	case math.IsInf(lo, -1):
		return ", ≤ " + number(hi)
	}
	return fmt.Sprintf(", from %s to %s", number(lo), number(hi))
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
