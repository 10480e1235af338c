//go:build !race

package house

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Limits of the documents. Source: derived from pages that people read to the end; 25 words are two
// lines of print.
const (
	longReadme   = 80   // lines of README.md: two screens
	longPage     = 2500 // words of a page of the manual, without generated tables
	longSentence = 25.0 // words of a sentence, in the mean of a page
)

// dialect are forms that documents do not use, outside of code.
var dialect = map[string]*regexp.Regexp{
	`"that of", "those of"`: regexp.MustCompile(`(?i)\b(that|those) of\b`),
	`"is none"`:             regexp.MustCompile(`(?i)\b(is|are) none\b`),
	`"but for"`:             regexp.MustCompile(`(?i)\bbut for\b`),
	"a decimal without 0":   regexp.MustCompile(`(?:^|[^\w.])\.\d`),
}

// generated are pages that a test writes from comments of the code.
var generated = map[string]bool{"docs/atoms.md": true}

// remaining counts what pages still have, of each form: counts may fall and not rise.
var remaining = map[string]map[string]int{
	"docs/atoms.md":          {`"that of", "those of"`: 5},
	"docs/lab/bench.md":      {`"that of", "those of"`: 22, `"is none"`: 1, `"but for"`: 1},
	"docs/lab/ccp.md":        {`"that of", "those of"`: 15, `"is none"`: 2},
	"docs/lab/large.md":      {`"that of", "those of"`: 11, `"but for"`: 3},
	"docs/lab/lder.md":       {`"that of", "those of"`: 7, `"is none"`: 1},
	"docs/lab/regression.md": {`"that of", "those of"`: 7},
	"python/README.md":       {`"that of", "those of"`: 1},
}

var (
	fencedCode  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)\n]*\)`)
	madeTable   = regexp.MustCompile(`(?ms)^<!-- [a-z ]+ -->\n.*?^<!-- end -->$`)
	noProse     = regexp.MustCompile(`(?m)^(\||#|<|!).*$`)
	beginOfItem = regexp.MustCompile(`(?m)^ *([-*]|\d+\.) `)
	paragraphs  = regexp.MustCompile(`\n\s*\n`)
	sentences   = regexp.MustCompile(`[.!?][*)"]*\s`)
)

// proseOf is a page without code and targets of links.
func proseOf(text string) string {
	return linkTarget.ReplaceAllString(inlineCode.ReplaceAllString(fencedCode.ReplaceAllString(text, "\n\n"), "x"), "]")
}

// meanSentence is the mean number of words of the sentences of a page; headings, tables and
// single words are left out.
func meanSentence(text string) float64 {
	text = beginOfItem.ReplaceAllString(noProse.ReplaceAllString(proseOf(text), "\n"), "\n\n")
	words, count := 0, 0
	for _, p := range paragraphs.Split(text, -1) {
		for _, s := range sentences.Split(p+" ", -1) {
			if n := len(strings.Fields(s)); n > 1 {
				words, count = words+n, count+1
			}
		}
	}
	return float64(words) / float64(max(1, count))
}

// pageWords counts the words of a page without its generated tables.
func pageWords(text string) int { return len(strings.Fields(madeTable.ReplaceAllString(text, ""))) }

// TestDocumentsAreShort holds the pages that people read to their limits.
func TestDocumentsAreShort(t *testing.T) {
	if m := meanSentence("# A b c\n\nOne two. Three four five!\n\n- six seven\n\n| a | b |\n\n```sh\nx y z\n```\n"); m != 7.0/3 {
		t.Errorf("the mean of a sample is %g", m)
	}
	if n := pageWords("a b\n<!-- flags of x -->\n| c |\n<!-- end -->\nd\n"); n != 3 {
		t.Errorf("a sample has %d words", n)
	}
	for _, s := range []string{"the size is that of x", "There are none here.", "all but for one", "about .5 of it"} {
		found := false
		for _, pattern := range dialect {
			found = found || pattern.MatchString(s)
		}
		if !found {
			t.Errorf("no form is found in %q", s)
		}
	}
	pages := 0
	walk(t, func(name string, _ bool) {
		folder := path.Dir(name)
		if path.Ext(name) != ".md" || strings.Contains(name, "testdata") || strings.HasPrefix(name, ".") {
			return
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		text := string(raw)
		if n := strings.Count(text, "\n"); name == "README.md" && n > longReadme {
			t.Errorf("%s has %d lines, at most %d", name, n, longReadme)
		}
		if folder == "docs" && !generated[name] {
			if n := pageWords(text); n > longPage {
				t.Errorf("%s has %d words, at most %d: cut it, or move what a reader does not need to docs/lab", name, n, longPage)
			}
		}
		if mean := meanSentence(text); folder != "docs/lab" && mean > longSentence {
			t.Errorf("%s has %.1f words in a sentence, at most %g in the mean", name, mean, longSentence)
		}
		for form, pattern := range dialect {
			found, most := pattern.FindAllString(proseOf(text), -1), remaining[name][form]
			if len(found) > most {
				t.Errorf("%s has %s %d times, at most %d", name, form, len(found), most)
			}
			if len(found) < most {
				t.Errorf("%s has %s %d times and no longer %d: lower the count", name, form, len(found), most)
			}
		}
	})
	if pages < 40 {
		t.Errorf("%d pages", pages)
	}
}
