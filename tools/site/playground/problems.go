package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/tools/playground"
)

// Problem is an example as the page has it.
type Problem struct {
	Name  string            `json:"name"`  // its path below examples, without .dc
	Title string            `json:"title"` // in the list
	Group string            `json:"group"` // its heading there
	About string            `json:"about"`
	Text  string            `json:"text"`
	Files map[string]string `json:"files"` // the data that it reads
}

var (
	// row is an example in the table of examples/README.md.
	row = regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)\\.dc` \\| (.+?) \\|$")
	// picture is a section of a page of the gallery.
	picture = regexp.MustCompile(`(?m)^## (.+)\n\n!\[.*\]\((gallery/\w+)\.svg\)\n\n(.+)$`)
	// clause is the first part of a description.
	clause = regexp.MustCompile(`^[^:,]+`)
)

// Problems are the examples with their data: the ones of the gallery, in the order of its pages,
// and behind them the ones of examples/README.md.
func Problems(ctx context.Context, root string) ([]Problem, error) {
	var out []Problem
	for _, page := range []struct{ file, group string }{
		{"docs/gallery.md", "Geometry and signals"}, {"docs/gallery-data.md", "Data, costs, decisions"},
		{"examples/README.md", "Examples"},
	} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page.file)))
		if err != nil {
			return nil, err
		}
		for _, m := range picture.FindAllSubmatch(text, -1) {
			out = append(out, Problem{Name: string(m[2]), Title: string(m[1]), Group: page.group, About: string(m[3])})
		}
		for _, m := range row.FindAllSubmatch(text, -1) {
			title := string(clause.Find(m[2]))
			title = strings.ToUpper(title[:1]) + title[1:]
			out = append(out, Problem{Name: string(m[1]), Title: title, Group: page.group, About: string(m[2])})
		}
	}
	for k := range out {
		if err := out[k].read(ctx, filepath.Join(root, "examples", filepath.FromSlash(out[k].Name)+".dc")); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// read reads the file of an example and the files that it reads.
func (p *Problem) read(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p.Text, p.Files = string(text), map[string]string{}
	f, err := lang.Parse(file, text)
	if err != nil {
		return err
	}
	prog, err := lang.Compile(ctx, f, lang.Options{Dir: filepath.Dir(file)})
	if err != nil {
		return err
	}
	for _, d := range prog.Data {
		content, err := os.ReadFile(d.Path)
		if err != nil {
			return err
		}
		p.Files[d.Name] = string(content)
	}
	return nil
}

// firstAnswer is the answer of the engine to a problem, without its times, which differ from run to
// run.
func firstAnswer(ctx context.Context, p Problem) (json.RawMessage, error) {
	var e playground.Engine
	for name, content := range p.Files {
		e.Put(name, []byte(content))
	}
	var out struct {
		Result map[string]json.RawMessage `json:"result"`
		Scene  json.RawMessage            `json:"scene"`
	}
	if err := json.Unmarshal(e.Solve(ctx, p.Text, playground.Request{}, nil), &out); err != nil {
		return nil, err
	}
	if !bytes.Equal(out.Result["status"], []byte(`"converged"`)) {
		return nil, fmt.Errorf("%s: the status is %s", p.Name, out.Result["status"])
	}
	delete(out.Result, "seconds")
	return json.Marshal(out)
}

// table is a table of a document: rows of cells in Markdown.
type table [][]string

// link is a link in Markdown, of which the text is kept.
var link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// tables are the tables of a document.
func tables(text string) (out []table) {
	open := false
	for _, line := range strings.Split(text, "\n") {
		cells, ok := strings.CutPrefix(line, "| ")
		if !ok {
			open = strings.HasPrefix(line, "|-")
			continue
		}
		if !open {
			out, open = append(out, nil), true
		}
		list := strings.Split(strings.TrimSuffix(link.ReplaceAllString(cells, "$1"), "|"), "|")
		for k, cell := range list {
			list[k] = strings.TrimSpace(cell)
		}
		out[len(out)-1] = append(out[len(out)-1], list)
	}
	return out
}

// help are the tables of the language card and of the functions.
func help(root string) (out []table, err error) {
	card, err := os.ReadFile(filepath.Join(root, "docs", "card.md"))
	if err != nil {
		return nil, err
	}
	language, err := os.ReadFile(filepath.Join(root, "docs", "language.md"))
	if err != nil {
		return nil, err
	}
	for _, t := range tables(string(card)) {
		if t[0][0] != "command" { // the page has no commands
			out = append(out, t)
		}
	}
	_, functions, ok := strings.Cut(string(language), "<!-- functions -->")
	if !ok {
		return nil, fmt.Errorf("docs/language.md has no table of functions")
	}
	return append(out, tables(functions)[0]), nil
}

// data is the file of the page with the examples, the first one with its answer, the tables of help
// and the grammar of the language.
func data(ctx context.Context, root string) ([]byte, error) {
	problems, err := Problems(ctx, root)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(problems, func(p Problem) bool { return p.Name == First })
	if at < 0 {
		return nil, fmt.Errorf("no example %s", First)
	}
	solved, err := firstAnswer(ctx, problems[at])
	if err != nil {
		return nil, err
	}
	card, err := help(root)
	if err != nil {
		return nil, err
	}
	grammar, err := os.ReadFile(filepath.Join(root, "tools", "editors", "vscode", "syntaxes", "dc.tmLanguage.json"))
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Grammar  json.RawMessage `json:"grammar"`
		Problems []Problem       `json:"problems"`
		First    string          `json:"first"`
		Answer   json.RawMessage `json:"answer"`
		Help     []table         `json:"help"`
	}{grammar, problems, First, solved, card})
}
