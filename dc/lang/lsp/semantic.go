package lsp

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// The kinds of names. Source: the Language Server Protocol 3.17, SemanticTokenTypes.
const (
	tokenVariable  = iota // var, and param with the modifier readonly
	tokenType             // set
	tokenMacro            // let
	tokenParameter        // an index
	tokenProperty         // the name of a constraint
	tokenFunction
)

// The modifiers, as bits.
const (
	modifierDeclaration = 1 << iota
	modifierReadonly
	modifierLibrary
)

var (
	tokenTypes     = []string{"variable", "type", "macro", "parameter", "property", "function"}
	tokenModifiers = []string{"declaration", "readonly", "defaultLibrary"}
)

// semanticToken is a name and its kind.
type semanticToken struct {
	syntax.Span
	kind, modifiers int
}

// semanticTokens are the names of a document by their kinds; the grammar of an editor knows the
// rest.
func (s *server) semanticTokens(_ context.Context, d *document, _ *params) (any, error) {
	src := d.source()
	tree, _ := syntax.Parse(src)
	declared := map[syntax.Span]semanticToken{}
	for _, st := range tree.Statements {
		t := semanticToken{Span: st.At}
		switch st.Verb {
		case syntax.Param:
			t.modifiers = modifierReadonly
		case syntax.Set:
			t.kind = tokenType
		case syntax.Let:
			t.kind = tokenMacro
		case syntax.Constraint:
			t.kind = tokenProperty
		}
		declared[st.At] = t
	}
	var found []semanticToken
	for _, o := range occurrences(src) {
		t, ok := declared[o.declared]
		if !ok {
			t.kind = tokenParameter
		}
		if t.Span = o.Span; o.write {
			t.modifiers |= modifierDeclaration
		}
		found = append(found, t)
	}
	toks, _ := syntax.Scan(src)
	for k := range toks {
		if t := &toks[k]; t.Kind == syntax.Name && k+1 < len(toks) && toks[k+1].Kind == syntax.LParen {
			if _, ok := functionNamed(t.Text); ok {
				found = append(found, semanticToken{t.Span, tokenFunction, modifierLibrary})
			}
		}
	}
	slices.SortFunc(found, func(a, b semanticToken) int { return a.Pos - b.Pos })
	data, last := []int{}, position{}
	for _, t := range found {
		at := d.span(t.Span)
		column := at.Start.Character
		if at.Start.Line == last.Line {
			column -= last.Character
		}
		data = append(data, at.Start.Line-last.Line, column, at.End.Character-at.Start.Character, t.kind, t.modifiers)
		last = at.Start
	}
	return map[string][]int{"data": data}, nil
}
