package lsp

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/setting"
)

// wordBefore is where the word that ends at an offset begins.
func wordBefore(src string, offset int) int {
	for offset > 0 {
		r, n := utf8.DecodeLastRuneInString(src[:offset])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		offset -= n
	}
	return offset
}

// completion collects items that replace the word before the cursor.
type completion struct {
	at    textRange
	items []completionItem
}

func (c *completion) add(kind int, label, detail, doc, order string) {
	c.items = append(c.items, completionItem{Label: label, Kind: kind, Detail: detail, Documentation: doc,
		SortText: order + label, TextEdit: &textEdit{c.at, label}})
}

// table adds the entries of a table, sorted by name.
func (c *completion) table(kind int, order string, texts map[string]string) {
	for name, text := range texts {
		c.add(kind, name, "", strings.ReplaceAll(text, "`", ""), order)
	}
}

// complete lists the words that may stand at a place: by the keyword of its statement and the
// tokens before.
func (s *server) complete(ctx context.Context, d *document, p *params) (any, error) {
	src, offset := d.source(), max(0, d.offset(p.Position)-d.bom)
	before, comments := syntax.Scan(src[:offset])
	if n := len(comments); n > 0 && comments[n-1].End == offset {
		return []completionItem{}, nil
	}
	for n := len(before); n > 0 && (before[n-1].Pos == before[n-1].End ||
		before[n-1].Kind == syntax.Newline && before[n-1].Pos == offset); n-- {
		before = before[:n-1] // the end of what is written
	}
	// A string that is open ends with its line.
	if n := len(before); n > 0 && before[n-1].Kind == syntax.String &&
		(before[n-1].End-before[n-1].Pos < 2 || src[before[n-1].End-1] != '"') {
		return s.files(d, src[before[n-1].Pos+1:offset], offset), nil
	}
	from := wordBefore(src, offset)
	c := &completion{at: d.span(syntax.Span{Pos: from, End: offset})}
	if n := len(before); n > 0 && before[n-1].Pos >= from && before[n-1].End == offset && from < offset {
		before = before[:n-1] // the word itself
	}
	line := statement(before)
	var option *setting.Row // whose value is due
	if len(line) > 2 && line[0].Text == "option" {
		option, _ = setting.Named(setting.File, line[len(line)-2].Text)
	}
	switch {
	case len(line) == 0 && !constraints(before):
		c.words(true, "0")
	case len(line) > 0 && line[0].Text == "option" && isStart(line, syntax.Comma):
		c.table(itemProperty, "1", optionTexts())
	case len(line) > 0 && line[0].Text == "plot" && isStart(line, syntax.Comma):
		c.table(itemFunction, "1", marks)
	case len(line) > 2 && line[0].Text == "option" && line[len(line)-2].Text == "backend":
		for _, b := range append([]string{"auto"}, s.opt.Backends...) {
			c.add(itemValue, b, "solver of the convex problems", "", "1")
		}
	case option != nil:
		for _, w := range option.Words {
			c.add(itemValue, w.Name, "", w.Text, "1")
		}
	case len(line) > 0 && isStart(line, syntax.Comma) &&
		(line[0].Text == "var" || line[0].Text == "param" || line[0].Text == "set" || line[0].Text == "let"):
		// a new name
	default:
		if len(line) == 0 {
			c.words(true, "0")
		}
		c.expression(src, before, line)
	}
	slices.SortFunc(c.items, func(a, b completionItem) int { return strings.Compare(a.SortText, b.SortText) })
	return append([]completionItem{}, c.items...), ctx.Err()
}

// statement are the tokens of the statement that the last token belongs to.
func statement(toks []syntax.Token) []syntax.Token {
	for k := len(toks) - 1; k >= 0; k-- {
		switch toks[k].Kind {
		case syntax.Newline:
			return toks[k+1:]
		case syntax.Keyword:
			return toks[k:]
		}
	}
	return toks
}

// constraints reports whether a line without a keyword is a constraint.
func constraints(toks []syntax.Token) bool {
	for k := len(toks) - 1; k >= 0; k-- {
		if toks[k].Kind == syntax.Keyword {
			return toks[k].Text == "subject"
		}
	}
	return false
}

// isStart reports whether a name is due: after the keyword, or a separator outside of brackets.
func isStart(line []syntax.Token, separator syntax.Kind) bool {
	depth := 0
	for _, t := range line {
		depth += t.Kind.Depth()
	}
	last := line[len(line)-1].Kind
	return len(line) == 1 || depth == 0 && last == separator
}

// words adds the words of the language: those that begin a statement, or all others.
func (c *completion) words(begin bool, order string) {
	texts := map[string]string{}
	for name, text := range keywords {
		if (syntax.Words[name] == syntax.Keyword) == begin {
			texts[strings.Replace(name, "subject", "subject to", 1)] = text
		}
	}
	c.table(itemKeyword, order, texts)
}

// expression adds names, functions and words.
func (c *completion) expression(src string, before, line []syntax.Token) {
	for k, t := range line { // indices of the unfinished statement, too
		if t.Kind == syntax.Name && k+1 < len(line) &&
			(line[k+1].Kind == syntax.In || line[k+1].Kind == syntax.Comma || line[k+1].Kind == syntax.RParen) &&
			runs(line[k:]) {
			c.add(itemVariable, t.Text, "index", "", "1")
		}
	}
	end := 0
	if len(before) > 0 {
		end = before[len(before)-1].End
	}
	tree, _ := syntax.Parse(src[:end])
	seen := map[string]bool{}
	declare := func(name, text string) {
		if !seen[name] {
			seen[name] = true
			c.add(itemVariable, name, text, "", "2")
		}
	}
	for _, s := range tree.Statements {
		if s.Verb <= syntax.Let {
			declare(s.Name, tree.Short(s.Span))
		}
	}
	for _, f := range lang.Functions() {
		doc := f.Meaning
		if !f.Data {
			doc += "; " + f.Curvature.String()
		}
		c.add(itemFunction, f.Name, f.Form, doc, "3")
	}
	c.add(itemConstant, "pi", "3.14159...", "", "4")
	c.add(itemConstant, "inf", "infinity", "", "4")
	c.words(false, "5")
	if len(line) > 0 && line[0].Text == "var" {
		c.table(itemProperty, "0", attributes)
	}
}

// runs reports whether the names that a list begins with, with commas and brackets between,
// are indices: the word in follows.
func runs(line []syntax.Token) bool {
	for _, t := range line {
		switch t.Kind {
		case syntax.In:
			return true
		case syntax.Name, syntax.Comma, syntax.RParen:
		default:
			return false
		}
	}
	return false
}

// mostFiles bounds the entries of a folder that are listed.
// Source: a limit of the length of a menu.
const mostFiles = 500

// dataEndings of data files.
var dataEndings = []string{".csv", ".tsv", ".json", ".npy", ".npz", ".mtx", ".gz", ".txt"}

// files lists the data files whose names may complete an open string.
func (s *server) files(d *document, typed string, offset int) any {
	out := []completionItem{}
	dir, base := path.Split(typed)
	root := d.dir()
	if root == "" {
		return out
	}
	folder := filepath.Join(root, filepath.FromSlash(dir))
	if filepath.IsAbs(filepath.FromSlash(dir)) {
		folder = filepath.FromSlash(dir)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return out
	}
	c := &completion{at: d.span(syntax.Span{Pos: offset - len(base), End: offset})}
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case e.IsDir():
			c.add(itemFile, name+"/", "folder", "", "1")
		case slices.Contains(dataEndings, strings.ToLower(filepath.Ext(name))):
			c.add(itemFile, name, "", "", "0")
		}
		if len(c.items) == mostFiles {
			break
		}
	}
	return append(out, c.items...)
}

// signature says how the function around the cursor is called.
func (s *server) signature(_ context.Context, d *document, p *params) (any, error) {
	toks, _ := syntax.Scan(d.source()[:max(0, d.offset(p.Position)-d.bom)])
	depth, commas := 0, 0
	for k := len(toks) - 1; k > 0; k-- {
		switch toks[k].Kind {
		case syntax.RParen, syntax.RBracket, syntax.RBrace:
			depth++
		case syntax.Comma:
			if depth == 0 {
				commas++
			}
		case syntax.Keyword:
			return nil, nil
		case syntax.LBracket, syntax.LBrace:
			if depth--; depth < 0 {
				depth, commas = 0, 0 // commas inside of this bracket are none of the call's
			}
		case syntax.LParen:
			if depth--; depth >= 0 {
				continue
			}
			depth = 0
			f, ok := functionNamed(toks[k-1].Text)
			if !ok || toks[k-1].Kind != syntax.Name {
				commas = 0
				continue
			}
			return signatureHelp{Signatures: []signature{signatureOf(f)},
				ActiveParameter: min(commas, max(0, len(signatureOf(f).Parameters)-1))}, nil
		}
	}
	return nil, nil
}

func signatureOf(f lang.Function) signature {
	inner := strings.TrimSuffix(strings.TrimPrefix(f.Form, f.Name+"("), ")")
	out := signature{Label: f.Form, Documentation: f.Meaning, Parameters: []parameter{}}
	for _, p := range strings.Split(inner, ",") {
		out.Parameters = append(out.Parameters, parameter{strings.TrimSpace(p)})
	}
	return out
}
