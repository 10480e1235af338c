package site

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of code of a document.
type block struct {
	document string
	line     int    // of the fence, from 1
	end      int    // the line of the fence at its end
	language string // the first word behind the fence
	title    string // title="..." behind the fence
	code     string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.document, b.line) }

// languages are those that blocks may be in, and where they are tested. "text" is what is
// neither run nor read by a program: output, formulas, commands of hours or of other
// programs.
var languages = map[string]string{
	"text":    "nothing",
	"sh":      "TestShellBlocks runs it",
	"console": "TestShellBlocks runs its commands and compares what they print",
	"dc":      "TestProblemBlocks solves it",
	"go":      "TestGoBlocks builds and runs it, or finds it in a program that is run",
	"python":  "python/tests runs it",
	"json":    "TestJSONBlocks reads it",
	"diff":    "the tests of the worked examples apply it",
}

var titled = regexp.MustCompile(`title="([^"]*)"`)

// blocks are those of a document; wrong has what is no block that can be tested.
func blocks(document, text string) (out []block, wrong []string) {
	var b *block
	last := ""
	for k, line := range strings.Split(text, "\n") {
		fence, opens := strings.CutPrefix(strings.TrimLeft(line, " "), "```")
		switch {
		case opens && b == nil:
			language, rest, _ := strings.Cut(fence, " ")
			b = &block{document: document, line: k + 1, language: language}
			if m := titled.FindStringSubmatch(rest); m != nil {
				b.title = m[1]
			}
			if languages[language] == "" {
				wrong = append(wrong, fmt.Sprintf("%v: a block in %q; name its language, or text where it is not to be run", b, language))
			}
		case opens:
			b.end = k + 1
			out = append(out, *b)
			b = nil
		case b != nil:
			b.code += line + "\n"
		case strings.HasPrefix(line, "    ") && strings.TrimSpace(line) != "" && last == "":
			wrong = append(wrong, fmt.Sprintf("%s:%d: a block by indentation; put it between ``` and name its language", document, k+1))
		}
		last = strings.TrimSpace(line)
	}
	if b != nil {
		wrong = append(wrong, fmt.Sprintf("%v: the block does not end", *b))
	}
	return out, wrong
}

// allBlocks are those of all documents.
func allBlocks(t *testing.T) []block {
	t.Helper()
	var all []block
	for _, name := range documents(t) {
		list, _ := blocks(name, read(t, name))
		all = append(all, list...)
	}
	return all
}

// TestBlocksAreMarked: every block of code says in which language it is.
func TestBlocksAreMarked(t *testing.T) {
	if _, wrong := blocks("x", "a\n\n    b\n\n```\nc\n```\n```sh\nd\n```\n```go\n"); len(wrong) != 3 {
		t.Fatalf("found wrong: %q", wrong)
	}
	count := map[string]int{}
	for _, name := range documents(t) {
		list, wrong := blocks(name, read(t, name))
		for _, w := range wrong {
			t.Error(w)
		}
		for _, b := range list {
			count[b.language]++
		}
	}
	t.Log(count)
	if count["sh"] < 10 || count["go"] < 5 || count["dc"] < 3 || count["python"] < 3 {
		t.Errorf("blocks by language: %v", count)
	}
}

// TestPythonBlocks: python/tests runs every block of Python, by the names of documents.
func TestPythonBlocks(t *testing.T) {
	run := read(t, "python/tests/test_readme.py")
	for _, b := range allBlocks(t) {
		if b.language == "python" && !strings.Contains(run, filepath.Base(b.document)) {
			t.Errorf("%v: python/tests/test_readme.py does not run the blocks of this document", b)
		}
	}
}

// TestJSONBlocks reads every block of JSON.
func TestJSONBlocks(t *testing.T) {
	for _, b := range allBlocks(t) {
		if b.language == "json" && !json.Valid([]byte(b.code)) {
			t.Errorf("%v: this is no JSON", b)
		}
	}
}

// parts are the code of a block as lines without the blanks at their ends, in parts
// between lines "...".
func parts(code string) (out [][]string) {
	part := []string{}
	for _, line := range strings.Split(code, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "...":
			out = append(out, part)
			part = []string{}
		case line != "":
			part = append(part, line)
		}
	}
	return append(out, part)
}

// contains reports whether the lines stand in the file, one behind the other.
func contains(file, lines []string) bool {
	for k := range file {
		if k+len(lines) <= len(file) && slices.Equal(file[k:k+len(lines)], lines) {
			return true
		}
	}
	return false
}
