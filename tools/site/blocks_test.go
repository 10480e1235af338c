//go:build !race

package site

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
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
			if _, ok := languages[language]; !ok {
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
