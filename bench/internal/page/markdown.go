package page

import (
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"
)

// block is a heading, a table, a picture, a list or a paragraph.
type block struct {
	kind  kind
	level int        // of a heading
	text  string     // of a heading or paragraph, in place of a picture
	file  string     // of a picture
	rows  [][]string // of a table, its head first
	items []string   // of a list
}

type kind int

const (
	paragraph kind = iota
	heading
	table
	picture
	list
)

// parse reads the Markdown that the reports write: headings, tables, pictures,
// lists and paragraphs, each line or run of lines for itself.
func parse(text string) []block {
	var all []block
	fresh := true // the next line does not go on with the last block
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			fresh = true
			continue
		}
		b := parseLine(line)
		if last := len(all) - 1; !fresh && all[last].kind == b.kind {
			switch b.kind {
			case table:
				if !isRule(b.rows[0]) {
					all[last].rows = append(all[last].rows, b.rows[0])
				}
				continue
			case list:
				all[last].items = append(all[last].items, b.items[0])
				continue
			case paragraph:
				all[last].text += " " + b.text
				continue
			}
		}
		all, fresh = append(all, b), false
	}
	return all
}

func parseLine(line string) block {
	switch {
	case strings.HasPrefix(line, "#"):
		rest := strings.TrimLeft(line, "#")
		return block{kind: heading, level: min(6, len(line)-len(rest)), text: strings.TrimSpace(rest)}
	case strings.HasPrefix(line, "|"):
		cells := strings.Split(strings.TrimSuffix(line[1:], "|"), "|")
		for k, c := range cells {
			cells[k] = strings.TrimSpace(c)
		}
		return block{kind: table, rows: [][]string{cells}}
	case strings.HasPrefix(line, "- "):
		return block{kind: list, items: []string{line[2:]}}
	case strings.HasPrefix(line, "![") && strings.HasSuffix(line, ")"):
		if alt, file, ok := strings.Cut(line[2:len(line)-1], "]("); ok {
			return block{kind: picture, text: alt, file: file}
		}
	}
	return block{kind: paragraph, text: line}
}

// isRule tells the line below the head of a table from its rows.
func isRule(cells []string) bool {
	for _, c := range cells {
		if len(c) < 3 || strings.Trim(c, "-:") != "" {
			return false
		}
	}
	return true
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

// Body makes HTML of a report; svg returns the picture of that name.
func Body(markdown string, svg func(name string) ([]byte, error)) (template.HTML, error) {
	var b strings.Builder
	for _, bl := range parse(markdown) {
		switch bl.kind {
		case heading:
			fmt.Fprintf(&b, "<h%d>%s</h%[1]d>\n", bl.level, html.EscapeString(bl.text))
		case table:
			writeTable(&b, bl.rows)
		case picture:
			data, err := svg(bl.file)
			if err == nil {
				data, err = Inline(data)
			}
			if err != nil {
				return "", fmt.Errorf("%s: %w", bl.file, err)
			}
			fmt.Fprintf(&b, "<div class=\"wide picture\" role=\"img\" aria-label=\"%s\">%s</div>\n",
				html.EscapeString(bl.text), data)
		case list:
			b.WriteString("<ul>\n")
			for _, item := range bl.items {
				fmt.Fprintf(&b, "<li>%s</li>\n", html.EscapeString(item))
			}
			b.WriteString("</ul>\n")
		default:
			fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(bl.text))
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

// LaTeX writes the tables of a report, for the package booktabs, each behind
// the heading above it as a comment.
func LaTeX(w io.Writer, markdown string) error {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "{",
		`\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "|", `$|$`, "±", `$\pm$`, "≤",
		`$\le$`)
	above := ""
	for _, bl := range parse(markdown) {
		if bl.kind == heading {
			above = bl.text
		}
		if bl.kind != table {
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
			for k, c := range row {
				if k > 0 {
					b.WriteString(" & ")
				}
				if c, is := best(c); is {
					fmt.Fprintf(&b, `\textbf{%s}`, escape.Replace(c))
				} else {
					b.WriteString(escape.Replace(c))
				}
			}
			b.WriteString(" \\\\\n")
			if r == 0 {
				b.WriteString("\\midrule\n")
			}
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
