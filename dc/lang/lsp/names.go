package lsp

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// occurrence is a name in the text.
type occurrence struct {
	syntax.Span
	name     string
	declared syntax.Span // where the name is declared
	write    bool        // it is the declaration
}

// walker finds the names of a file and their declarations.
type walker struct {
	top   map[string]syntax.Span // declared names
	found []occurrence
}

// occurrences are the names that the statements of a source use and declare, in order.
func occurrences(src string) []occurrence {
	tree, _ := syntax.Parse(src)
	w := &walker{top: map[string]syntax.Span{}}
	for _, s := range tree.Statements {
		if _, twice := w.top[s.Name]; s.Verb <= syntax.Let && !twice {
			w.top[s.Name] = s.At
		}
	}
	for _, s := range tree.Statements {
		w.statement(s)
	}
	slices.SortFunc(w.found, func(a, b occurrence) int { return a.Pos - b.Pos })
	return slices.CompactFunc(w.found, func(a, b occurrence) bool { return a.Span == b.Span })
}

func (w *walker) statement(s *syntax.Statement) {
	switch {
	case s.Verb <= syntax.Let:
		w.add(s.At, s.Name, w.top[s.Name])
	case s.Verb == syntax.Constraint && s.Name != "":
		w.add(s.At, s.Name, s.At)
	case s.Verb == syntax.Option && s.Name == "backend":
		return
	}
	w.declare(s.Binders)
	s.Scoped(w.node)
}

func (w *walker) add(at syntax.Span, name string, declared syntax.Span) {
	w.found = append(w.found, occurrence{at, name, declared, at == declared})
}

// declare adds the indices of binders.
func (w *walker) declare(bs []syntax.Binder) {
	for _, b := range bs {
		for k, name := range b.Names {
			w.add(b.At[k], name, b.At[k])
		}
	}
}

// node adds the names in n, within the binders in.
func (w *walker) node(n *syntax.Node, in []syntax.Binder) {
	w.declare(n.Binders)
	n.Scoped(func(part *syntax.Node, reach []syntax.Binder) { w.node(part, slices.Concat(in, reach)) })
	if n.Op != syntax.OpName {
		return
	}
	for _, b := range slices.Backward(in) {
		if k := slices.Index(b.Names, n.Name); k >= 0 {
			w.add(n.Span, n.Name, b.At[k])
			return
		}
	}
	if at, ok := w.top[n.Name]; ok {
		w.add(n.Span, n.Name, at)
	}
}

// named is the name at a position and all that stand for the same; nil: there is none.
func named(d *document, p position) (at *occurrence, all []occurrence) {
	offset := d.offset(p) - d.bom
	found := occurrences(d.source())
	for k := range found {
		if found[k].Pos <= offset && offset <= found[k].End {
			at = &found[k]
		}
	}
	if at == nil {
		return nil, nil
	}
	for _, o := range found {
		if o.declared == at.declared {
			all = append(all, o)
		}
	}
	return at, all
}

func (s *server) definition(_ context.Context, d *document, p *params) (any, error) {
	at, _ := named(d, p.Position)
	if at == nil {
		return nil, nil
	}
	return location{d.uri, d.span(at.declared)}, nil
}

func (s *server) references(_ context.Context, d *document, p *params) (any, error) {
	_, all := named(d, p.Position)
	out := []location{}
	for _, o := range all {
		if !o.write || p.Context.IncludeDeclaration {
			out = append(out, location{d.uri, d.span(o.Span)})
		}
	}
	return out, nil
}

func (s *server) highlight(_ context.Context, d *document, p *params) (any, error) {
	_, all := named(d, p.Position)
	out := []documentHighlight{}
	for _, o := range all {
		kind := 2
		if o.write {
			kind = 3
		}
		out = append(out, documentHighlight{d.span(o.Span), kind})
	}
	return out, nil
}

func (s *server) prepareRename(_ context.Context, d *document, p *params) (any, error) {
	at, _ := named(d, p.Position)
	if at == nil {
		return nil, nil
	}
	return d.span(at.Span), nil
}

// isWord reports whether a text is a name of the language.
func isWord(name string) bool {
	toks, _ := syntax.Scan("let " + name)
	return len(toks) == 4 && toks[1].Kind == syntax.Name && toks[1].Text == name && name != "pi" && name != "inf"
}

func (s *server) rename(_ context.Context, d *document, p *params) (any, error) {
	at, all := named(d, p.Position)
	switch {
	case at == nil:
		return nil, &responseError{codeFailed, "there is no name to change here"}
	case !isWord(p.NewName):
		return nil, &responseError{codeFailed, "a name has letters, digits and _, begins with no digit, and is no " +
			"word of the language"}
	}
	for _, o := range occurrences(d.source()) {
		if o.name == p.NewName && o.name != at.name {
			return nil, &responseError{codeFailed, "the file has the name " + p.NewName + " already"}
		}
	}
	if _, mistakes := syntax.Parse(d.source()); len(mistakes) > 0 {
		return nil, &responseError{codeFailed, "the file has mistakes in its syntax; names in those lines would stay"}
	}
	edits := []textEdit{}
	for _, o := range all {
		edits = append(edits, textEdit{d.span(o.Span), p.NewName})
	}
	return workspaceEdit{map[string][]textEdit{d.uri: edits}}, nil
}

// kinds of the symbols of statements.
var symbolKinds = map[syntax.Verb]int{
	syntax.Param: symbolConstant, syntax.Set: symbolArray, syntax.Var: symbolVariable, syntax.Let: symbolFunction,
	syntax.Minimize: symbolEvent, syntax.Maximize: symbolEvent, syntax.Find: symbolEvent,
	syntax.Constraint: symbolProperty, syntax.Option: symbolEnum, syntax.Plot: symbolEvent,
}

func (s *server) symbols(_ context.Context, d *document, _ *params) (any, error) {
	tree, _ := syntax.Parse(d.source())
	out := []documentSymbol{}
	for _, st := range tree.Statements {
		kind, ok := symbolKinds[st.Verb]
		if !ok {
			continue
		}
		name, at := st.Name, st.At
		if at.End <= at.Pos || at.Pos < st.Pos || at.End > st.End { // the range has the selection inside
			at = st.Span
		}
		if name == "" {
			name = tree.Short(st.Span)
		}
		out = append(out, documentSymbol{Name: name, Detail: tree.Short(st.Span), Kind: kind, Range: d.span(st.Span),
			SelectionRange: d.span(at)})
	}
	return out, nil
}
