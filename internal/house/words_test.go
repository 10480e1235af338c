//go:build !race

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// word is a word or phrase that comments and documents do not use, and the one of
// the field that they use in its place.
type word struct {
	pattern   *regexp.Regexp
	use       string
	bad, good string // samples
}

// banned are the words of an own dialect that this code has had.
func banned() []word {
	return []word{
		{regexp.MustCompile(`(?i)\bone an? (entry|row|column|variable|worker|goroutine|line|iteration|dimension|mode|sample|step|problem)\b`),
			"per: one per entry", "// values, one an entry", "// values, one per entry"},
		{regexp.MustCompile(`(?i)\bline an? (iteration|entry|row)\b`), "per: one line per iteration", "// prints one line an iteration", "// prints a line per iteration"},
		{regexp.MustCompile(`(?i)\b(rescues?|rescued)\b`), "recovery from a failure", "// the rescue of a run", "// recovery from a failure of the backend"},
		{regexp.MustCompile(`(?i)\btwins?\b`), "scaled copies, counterparts", "// blocks that are twins", "// blocks that are scaled copies"},
		{regexp.MustCompile(`(?i)\bculprits?\b`), "names by weight, constraints of a conflict", "// the culprits", "// the constraints that exclude each other"},
		{regexp.MustCompile(`(?i)\bhopeless\b`), "given up, far behind", "// a hopeless run", "// a run that is given up"},
		{regexp.MustCompile(`(?i)\barbitrary and fixed\b`), "the name of the stream", "// the second word is arbitrary and fixed", "// stream \"st\""},
		{regexp.MustCompile(`(?i)\bbecame? of (it|this|a solve|the)\b`), "outcome", "// Status says what became of a solve", "// Status is the outcome of a solve"},
	}
}

// whatIs finds "what" as a relative pronoun, "X is what Y does"; not the question
// word after verbs of saying and knowing.
var whatIs = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bwhat\b`),
	regexp.MustCompile(`(?i)\b(says?|said|saying|tells?|told|shows?|shown|knows?|known|decides?|sees?|asks?|see|explains?|records?|choose|depends on|about|describes?|on|of|for) what\b`),
}

// isWhat reports whether a line has it; titles of sections of documents may.
func isWhat(line string) bool {
	return whatIs[0].MatchString(line) && !whatIs[1].MatchString(line) && !strings.Contains(line, "docs/")
}

// pronouns stand for a noun that the reader then looks for, and may be in so many percent of the
// comments, counted by lines. Source: a choice; the count of the day is 1.2.
var pronouns = regexp.MustCompile(`(?i)\b(that|those) of\b`)

const mostPronouns = 1.5

// TestWords: comments outside of tests, and the documents, use none of the banned words, and
// comments few pronouns.
func TestWords(t *testing.T) {
	for _, w := range banned() {
		if !w.pattern.MatchString(w.bad) || w.pattern.MatchString(w.good) {
			t.Errorf("%v does not tell %q from %q", w.pattern, w.bad, w.good)
		}
	}
	if !isWhat("// Status is what became of it") || isWhat("// says what is wrong") || isWhat("// whatever") {
		t.Error("the rule about what does not tell a pronoun from a question")
	}
	check := func(place, line string) {
		for _, w := range banned() {
			if w.pattern.MatchString(line) {
				t.Errorf("%s: %q; write %s", place, strings.TrimSpace(line), w.use)
			}
		}
	}
	comments, vague := 0, 0
	walk(t, func(name string, _ bool) {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "CHANGELOG.md") || filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md" || strings.Contains(name, "testdata/") {
			return
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if filepath.Ext(name) == ".go" {
				_, comment, ok := strings.Cut(line, "//")
				if !ok {
					continue
				}
				comments++
				if pronouns.MatchString(comment) {
					vague++
				}
				if line = comment; isWhat(line) {
					t.Errorf("%s: %q has \"what\" as a pronoun: name the thing", name, strings.TrimSpace(line))
				}
			}
			check(name, line)
		}
	})
	if share := 100 * float64(vague) / float64(comments); share > mostPronouns {
		t.Errorf("%.2f %% of %d lines of comments have %v, at most %g %% may: name the noun again", share, comments, pronouns, mostPronouns)
	} else {
		t.Logf("%.2f %% of %d lines of comments have %v", share, comments, pronouns)
	}
}

// withoutSource are the numeric constants of a file whose comments, or those of their group, do not
// say "Source:": a paper, a derivation, a table and its command, or that the value is a limit on
// which no answer depends. Constants by iota, and numbers of one digit, need none.
func withoutSource(f *ast.File) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		g, ok := n.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			return true
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if strings.Contains(g.Doc.Text()+v.Doc.Text()+v.Comment.Text(), "Source:") {
				continue
			}
			for k, e := range v.Values {
				if number, ok := e.(*ast.BasicLit); ok && (number.Kind == token.INT || number.Kind == token.FLOAT) && len(number.Value) > 1 {
					names = append(names, v.Names[k].Name)
				}
			}
		}
		return true
	})
	return names
}

// TestConstantsHaveSources finds the constants without one.
func TestConstantsHaveSources(t *testing.T) {
	sample := parse(t, sample{"dc/x.go", "const a = 0.3\n// Source: a paper.\nconst b = 0.4\n// Source: all of them.\nconst (\nc = 12\nd = 1e-5\n)\nconst e = iota\nconst f = 2"})
	if names := withoutSource(sample.file); len(names) != 1 || names[0] != "a" {
		t.Errorf("constants without a source: %q", names)
	}
	walk(t, func(name string, inModule bool) {
		if !inModule || strings.HasSuffix(name, "_test.go") || filepath.Ext(name) != ".go" || strings.HasPrefix(name, "internal/judge/") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, constant := range withoutSource(f) {
			t.Errorf("%s: the comment of constant %s gives no source (Source: ...)", name, constant)
		}
	})
}
