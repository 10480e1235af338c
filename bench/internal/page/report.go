package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Report is a list of headings, paragraphs, tables, pictures and lists.
type Report struct{ blocks []block }

// block has a text, which is a heading if it has a level, and stands in place of a picture if it
// has a file; or it is a table, its head first, or a list.
type block struct {
	text  string
	level int
	file  string
	rows  [][]string
	items []string
}

// Heading adds a heading of a level from 1 to 6.
func (r *Report) Heading(level int, text string) {
	r.blocks = append(r.blocks, block{text: text, level: level})
}

// Text adds a paragraph.
func (r *Report) Text(format string, args ...any) {
	r.blocks = append(r.blocks, block{text: fmt.Sprintf(format, args...)})
}

// Picture adds a picture; the text is for those who cannot see it.
func (r *Report) Picture(text, file string) {
	r.blocks = append(r.blocks, block{text: text, file: file})
}

// Table adds a table with a head.
func (r *Report) Table(head ...string) {
	r.blocks = append(r.blocks, block{})
	r.Row(head...)
}

// Row adds a row to the table that was added last.
func (r *Report) Row(cells ...string) {
	b := &r.blocks[len(r.blocks)-1]
	for k, c := range cells {
		cells[k] = strings.ReplaceAll(c, "|", "/") // the sign that ends cells in Markdown
	}
	b.rows = append(b.rows, cells)
}

// List adds a list.
func (r *Report) List(items ...string) { r.blocks = append(r.blocks, block{items: items}) }

// Best is the text of a cell that is set off where is is true.
func Best(text string, is bool) string {
	if is {
		return "**" + text + "**"
	}
	return text
}

// best takes the stars off a cell that has them.
func best(cell string) (text string, is bool) {
	if len(cell) > 4 && strings.HasPrefix(cell, "**") && strings.HasSuffix(cell, "**") {
		return cell[2 : len(cell)-2], true
	}
	return cell, false
}

// isText tells columns of words from columns of numbers, by the cells below the
// head.
func isText(rows [][]string, column int) bool {
	for _, row := range rows[1:] {
		if column >= len(row) {
			continue
		}
		if c, _ := best(row[column]); c != "" && !strings.ContainsAny(c[:1], "0123456789(-.<+") {
			return true
		}
	}
	return false
}

// Markdown is the report as Markdown, a blank line between two blocks.
func (r *Report) Markdown() string {
	var all []string
	for _, b := range r.blocks {
		text := b.text
		switch {
		case b.level > 0:
			text = strings.Repeat("#", b.level) + " " + text
		case b.file != "":
			text = "![" + text + "](" + b.file + ")"
		case b.items != nil:
			text = "- " + strings.Join(b.items, "\n- ")
		case b.rows != nil:
			lines := []string{line(b.rows[0]), "|" + strings.Repeat("---|", len(b.rows[0]))}
			for _, row := range b.rows[1:] {
				lines = append(lines, line(row))
			}
			text = strings.Join(lines, "\n")
		}
		all = append(all, text+"\n")
	}
	return strings.Join(all, "\n")
}

// line is a row of a table in Markdown.
func line(cells []string) string {
	text := "|"
	for _, c := range cells {
		text += strings.TrimRight(" "+c, " ") + " |"
	}
	return text
}

// HTML is the report as a part of a page; svg returns the picture of that name.
func (r *Report) HTML(svg func(name string) ([]byte, error)) (template.HTML, error) {
	var b strings.Builder
	for _, bl := range r.blocks {
		text := html.EscapeString(bl.text)
		switch {
		case bl.level > 0:
			fmt.Fprintf(&b, "<h%d>%s</h%[1]d>\n", bl.level, text)
		case bl.file != "":
			data, err := svg(bl.file)
			if err == nil {
				data, err = Inline(data)
			}
			if err != nil {
				return "", fmt.Errorf("%s: %w", bl.file, err)
			}
			fmt.Fprintf(&b, "<div class=\"wide picture\" role=\"img\" aria-label=\"%s\">%s</div>\n", text, data)
		case bl.items != nil:
			b.WriteString("<ul>\n")
			for _, item := range bl.items {
				fmt.Fprintf(&b, "<li>%s</li>\n", html.EscapeString(item))
			}
			b.WriteString("</ul>\n")
		case bl.rows != nil:
			writeTable(&b, bl.rows)
		default:
			fmt.Fprintf(&b, "<p>%s</p>\n", text)
		}
	}
	return template.HTML(b.String()), nil
}

func writeTable(b *strings.Builder, rows [][]string) {
	b.WriteString("<div class=\"wide\"><table>\n")
	for r, row := range rows {
		tag := "td"
		if r == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for k, c := range row {
			var classes []string
			if isText(rows, k) {
				classes = append(classes, "text")
			}
			c, is := best(c)
			if is {
				classes = append(classes, "best")
			}
			class := ""
			if len(classes) > 0 {
				class = fmt.Sprintf(" class=%q", strings.Join(classes, " "))
			}
			fmt.Fprintf(b, "<%s%s>%s</%[1]s>", tag, class, html.EscapeString(c))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>\n")
}

// LaTeX has the tables of the report, for the package booktabs, each behind the heading above it as
// a comment.
func (r *Report) LaTeX() string {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "{",
		`\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "|", `$|$`, "±", `$\pm$`, "≤",
		`$\le$`)
	above := ""
	for _, bl := range r.blocks {
		if bl.level > 0 {
			above = bl.text
		}
		if bl.rows == nil {
			continue
		}
		fmt.Fprintf(&b, "%% %s\n\\begin{tabular}{", above)
		for k := range bl.rows[0] {
			if k == 0 || isText(bl.rows, k) {
				b.WriteString("l")
			} else {
				b.WriteString("r")
			}
		}
		b.WriteString("}\n\\toprule\n")
		for r, row := range bl.rows {
			var cells []string
			for _, c := range row {
				c, is := best(c)
				if c = escape.Replace(c); is {
					c = `\textbf{` + c + "}"
				}
				cells = append(cells, c)
			}
			b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
			if r == 0 {
				b.WriteString("\\midrule\n")
			}
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n\n")
	}
	return b.String()
}

// Digits prints v > 0 with three digits, at most so many of them decimals.
func Digits(v float64, decimals int) string {
	if math.IsNaN(v) {
		return "NaN"
	}
	whole := math.Floor(math.Log10(v))
	return fmt.Sprintf("%.*f", int(min(max(2-whole, 0), float64(decimals))), v)
}

// AddOnce appends s unless it is there.
func AddOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
