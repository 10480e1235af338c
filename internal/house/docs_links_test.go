//go:build !race

package house

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	// named is a page that code names, with the section behind it if there is one.
	named = regexp.MustCompile(`\bdocs/([a-z/-]+\.md)(?:, "?([A-Z][A-Za-z -]+))?`)
	// nextLine is the end of a line of a comment and the beginning of the next one.
	nextLine = regexp.MustCompile(`\n\s*(//|#)\s?`)
	headline = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// missingPlace is the page or the section that a reference leads to and that is not there; "" if
// all is there. pages has the texts of docs.
func missingPlace(reference []string, pages map[string]string) string {
	text, ok := pages[reference[1]]
	if !ok {
		return "docs/" + reference[1]
	}
	if reference[2] == "" {
		return ""
	}
	for _, m := range headline.FindAllStringSubmatch(text, -1) {
		title := strings.ReplaceAll(m[1], "`", "")
		if strings.HasPrefix(reference[2], title) || strings.HasPrefix(title, strings.TrimSpace(reference[2])) {
			return ""
		}
	}
	// Sections begin with a bold word, too.
	if first, _, _ := strings.Cut(reference[2], " "); strings.Contains(text, "**"+first+"**") || strings.Contains(text, "**"+first+".**") {
		return ""
	}
	return "docs/" + reference[1] + ", " + strings.TrimSpace(reference[2])
}

// TestPagesOfComments: pages of the documentation that code names exist, with the sections.
func TestPagesOfComments(t *testing.T) {
	sample := map[string]string{"a.md": "# A\n\n## Some things\n\n**Others.** Text.\n"}
	for text, missing := range map[string]bool{
		"docs/a.md": false, "docs/a.md, Some things.": false, "docs/a.md, Others say": false, "docs/b.md": true, "docs/a.md, Nothing of it": true,
		"docs/a.md, which is a page": false, `docs/a.md, "Some things"`: false,
	} {
		if got := missingPlace(named.FindStringSubmatch(text), sample); (got != "") != missing {
			t.Errorf("%q: %q is missing", text, got)
		}
	}
	pages := map[string]string{}
	texts := map[string]string{}
	walk(t, func(name string, _ bool) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch ext := path.Ext(name); {
		case ext == ".md" && strings.HasPrefix(name, "docs/"):
			pages[strings.TrimPrefix(name, "docs/")] = string(raw)
		case ext == ".go" || ext == ".py" || ext == ".sh" || ext == ".dc":
			texts[name] = nextLine.ReplaceAllString(string(raw), " ")
		}
	})
	count := 0
	for name, text := range texts {
		if name == "internal/house/docs_links_test.go" || name == "tools/site/documents_test.go" {
			continue // have samples
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			count++
			if missing := missingPlace(m, pages); missing != "" {
				t.Errorf("%s names %s, which is not there", name, missing)
			}
		}
	}
	if count < 150 {
		t.Errorf("%d references to pages", count)
	}
}
