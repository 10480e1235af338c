package lsp

import (
	"context"
	"strings"
	"unicode"

	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// codeAction is a repair that an editor offers.
type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics"`
	Edit        workspaceEdit `json:"edit"`
}

// codeActions are the repairs of the diagnostics that the editor names.
func (s *server) codeActions(_ context.Context, d *document, p *params) (any, error) {
	out := []codeAction{}
	for _, m := range p.Context.Diagnostics {
		if edit, ok := d.repair(&m); ok {
			title := "replace it by " + edit.NewText
			if edit.NewText == "" {
				title = "leave it out"
			}
			changes := map[string][]textEdit{d.uri: {edit}}
			out = append(out, codeAction{title, "quickfix", []diagnostic{m}, workspaceEdit{changes}})
		}
	}
	return out, nil
}

// repair carries a message out that says `did you mean "word"?`, `write sign` or `leave it out`;
// ok is false for other messages.
func (d *document) repair(m *diagnostic) (edit textEdit, ok bool) {
	message, help, _ := strings.Cut(m.Message, "\nhelp: ")
	help, _, _ = strings.Cut(help, "\n")
	from := d.offset(m.Range.Start)
	old := d.text[from:max(from, d.offset(m.Range.End))]
	end := strings.IndexFunc(old, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(old)
	}
	word := textEdit{Range: textRange{m.Range.Start, d.position(from + end)}}
	if _, guess, found := strings.Cut(message, `did you mean "`); found {
		guess, _, _ = strings.Cut(guess, `"?`)
		if strings.HasPrefix(old, `"`) {
			return textEdit{m.Range, syntax.Quoted(guess)}, true
		}
		word.NewText = guess
		return word, end > 0
	}
	if help == "leave it out" {
		return textEdit{m.Range, ""}, true
	}
	sign, writes := strings.CutPrefix(help, "write ")
	return textEdit{m.Range, sign}, writes && !strings.ContainsAny(sign+old, " (")
}
