package lang

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/internal/function"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/setting"
)

// grammarFile is the grammar for editors, from this folder.
const grammarFile = "../../tools/editors/vscode/syntaxes/dc.tmLanguage.json"

// grammar is what the tests read of it.
type grammar struct {
	ScopeName string
	Patterns  []struct{ Include string }

	Repository map[string]struct{ Name, Match string }
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestEditorLists: the grammar has the words of the language, and no others. -update rewrites the
// functions.
func TestEditorLists(t *testing.T) {
	var g grammar
	readJSON(t, grammarFile, &g)
	var statements, others, atoms []string
	for w, k := range syntax.Words {
		switch {
		case w == "subject":
		case k == syntax.Keyword:
			statements = append(statements, w)
		default:
			others = append(others, w)
		}
	}
	for name := range function.Table {
		atoms = append(atoms, name)
	}
	list := regexp.MustCompile(`\((\w+(?:\|\w+)*)\)`)
	for name, want := range map[string][]string{
		"statements": statements, "words": others, "attributes": {"start", "symmetric", "psd", "complex", "hermitian", "title", "xlabel", "ylabel"},
		"functions": atoms, "options": setting.Names(setting.File), "constants": {"pi", "inf"}, "plots": slices.Clone(plotKinds),
	} {
		m := list.FindStringSubmatch(g.Repository[name].Match)
		if m == nil {
			t.Errorf("%s: no list in %q", name, g.Repository[name].Match)
			continue
		}
		got := strings.Split(m[1], "|")
		slices.Sort(got)
		slices.Sort(want)
		if *update && name == "functions" {
			raw, err := os.ReadFile(grammarFile)
			if err != nil {
				t.Fatal(err)
			}
			raw = bytes.Replace(raw, []byte(m[1]), []byte(strings.Join(want, "|")), 1)
			if err := os.WriteFile(grammarFile, raw, 0o666); err != nil {
				t.Fatal(err)
			}
		} else if !slices.Equal(got, want) {
			t.Errorf("the %s of the grammar are\n%s\nwant\n%s", name, m[1], strings.Join(want, "|"))
		}
	}
	for _, p := range g.Patterns {
		if _, ok := g.Repository[strings.TrimPrefix(p.Include, "#")]; !ok {
			t.Errorf("%s is not in the repository", p.Include)
		}
	}
	if len(g.Patterns) != len(g.Repository) {
		t.Errorf("%d patterns are included, %d exist", len(g.Patterns), len(g.Repository))
	}
}

// TestEditorTokens: on the test files, the patterns find what the scanner finds.
func TestEditorTokens(t *testing.T) {
	var g grammar
	readJSON(t, grammarFile, &g)
	patterns := map[string]*regexp.Regexp{}
	for name, p := range g.Repository {
		if name != "labels" { // looks ahead, as Go's expressions cannot
			patterns[name] = regexp.MustCompile("(?m)" + p.Match)
		}
	}
	// Editors take what begins first: the .. of a range before a number.
	patterns["numbers"] = regexp.MustCompile("(?:" + g.Repository["operators"].Match + ")|(" + g.Repository["numbers"].Match + ")")
	// spans of the matches, or of what they capture first.
	spans := func(name, src string) map[syntax.Span]bool {
		out := map[syntax.Span]bool{}
		for _, m := range patterns[name].FindAllStringSubmatchIndex(src, -1) {
			at := syntax.Span{Pos: m[0], End: m[1]}
			for k := 2; k < len(m); k += 2 {
				if m[k] >= 0 {
					at = syntax.Span{Pos: m[k], End: m[k+1]}
					break
				}
			}
			out[at] = true
		}
		return out
	}
	files, err := filepath.Glob("testdata/[nt]*/*.dc")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src := string(raw)
		toks, comments := syntax.Scan(src)
		found := map[string]map[syntax.Span]bool{}
		for name := range patterns {
			found[name] = spans(name, src)
		}
		demand := func(s syntax.Span, name string) {
			if !found[name][s] {
				t.Errorf("%s: %q is not among the %s of the grammar", path, src[s.Pos:s.End], name)
			}
		}
		for _, c := range comments {
			demand(c, "comments")
		}
		for k, tok := range toks {
			switch {
			case tok.Kind == syntax.Keyword:
				demand(tok.Span, "statements")
			case tok.Kind == syntax.Number:
				demand(tok.Span, "numbers")
			case tok.Kind == syntax.String:
				demand(tok.Span, "strings")
			case tok.Kind >= syntax.In:
				demand(tok.Span, "words")
			case tok.Kind == syntax.Name && function.Table[tok.Text] != nil && toks[k+1].Kind == syntax.LParen:
				demand(tok.Span, "functions")
			case tok.Kind >= syntax.Plus && tok.Kind <= syntax.NE:
				demand(tok.Span, "operators")
			}
		}
	}
}

// TestEditorPackage: the files that the extension names exist.
func TestEditorPackage(t *testing.T) {
	var p struct {
		Main         string
		Dependencies map[string]string
		Contributes  struct {
			Commands  []struct{ Command string }
			Languages []struct {
				ID            string
				Extensions    []string
				Configuration string
			}
			Grammars []struct{ Language, ScopeName, Path string }
		}
	}
	const dir = "../../tools/editors/vscode/"
	readJSON(t, dir+"package.json", &p)
	c := p.Contributes
	code, err := os.ReadFile(dir + p.Main)
	if err != nil || len(p.Dependencies) != 1 || p.Dependencies["vscode-languageclient"] == "" || !strings.Contains(string(code), "vscode-languageclient/node") || !strings.Contains(string(code), `args: ["lsp"]`) {
		t.Errorf("the extension starts no language server: %v, %+v", err, p)
	}
	for _, command := range c.Commands {
		if !strings.Contains(string(code), `registerCommand("`+command.Command+`"`) {
			t.Errorf("the extension does not have its command %s", command.Command)
		}
	}
	if len(c.Languages) != 1 || len(c.Grammars) != 1 || !slices.Equal(c.Languages[0].Extensions, []string{".dc"}) {
		t.Fatalf("the extension contributes %+v", c)
	}
	var g grammar
	readJSON(t, dir+c.Grammars[0].Path, &g)
	var configuration struct{ Comments struct{ LineComment string } }
	readJSON(t, dir+c.Languages[0].Configuration, &configuration)
	if g.ScopeName != c.Grammars[0].ScopeName || c.Grammars[0].Language != c.Languages[0].ID || configuration.Comments.LineComment != "#" {
		t.Errorf("grammar %q for %+v, comments %q", g.ScopeName, c.Grammars[0], configuration.Comments.LineComment)
	}
}
