package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dcopt/dcopt/dc/lang"
)

// handler answers a request about a document.
type handler func(s *server, ctx context.Context, d *document, p *params) (any, error)

// handlers by method.
var handlers = map[string]handler{
	"textDocument/hover":             (*server).hover,
	"textDocument/completion":        (*server).complete,
	"textDocument/signatureHelp":     (*server).signature,
	"textDocument/definition":        (*server).definition,
	"textDocument/references":        (*server).references,
	"textDocument/documentHighlight": (*server).highlight,
	"textDocument/prepareRename":     (*server).prepareRename,
	"textDocument/rename":            (*server).rename,
	"textDocument/documentSymbol":    (*server).symbols,
	"textDocument/formatting":        (*server).format,
	"textDocument/codeAction":        (*server).codeActions,

	"textDocument/semanticTokens/full": (*server).semanticTokens,
}

// request answers beside the loop, about the state that the document has now.
func (s *server) request(m *message) {
	h, ok := handlers[m.Method]
	if !ok {
		s.refuse(m.ID, codeMethod, "no method %q", m.Method)
		return
	}
	var p params
	if err := json.Unmarshal(m.Params, &p); err != nil {
		s.refuse(m.ID, codeParams, "%s: %s", m.Method, err)
		return
	}
	doc := s.docs[p.TextDocument.URI]
	if doc == nil {
		s.refuse(m.ID, codeParams, "the document %q is not open", p.TextDocument.URI)
		return
	}
	d := doc.document
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.running[string(m.ID)] = cancel
	s.mu.Unlock()
	s.idle.Go(func() {
		defer func() {
			cancel()
			s.mu.Lock()
			delete(s.running, string(m.ID))
			s.mu.Unlock()
		}()
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
		case <-ctx.Done():
			s.refuse(m.ID, codeCancelled, "cancelled")
			return
		}
		s.guarded(m.ID, func() {
			out, err := h(s, ctx, d, &p)
			var refusal *responseError
			switch {
			case ctx.Err() != nil:
				s.refuse(m.ID, codeCancelled, "cancelled")
			case errors.As(err, &refusal):
				s.refuse(m.ID, refusal.Code, "%s", refusal.Message)
			case err != nil:
				s.refuse(m.ID, codeFailed, "%s", err)
			default:
				s.answer(m.ID, out)
			}
		})
	})
}

// guarded runs f; a panic in it, which would be a mistake of the compiler, ends the
// request and not the session.
func (s *server) guarded(id json.RawMessage, f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.mu.Lock()
			s.panics++
			s.mu.Unlock()
			if id != nil {
				s.refuse(id, codeInternal, "internal error: %v", r)
			}
		}
	}()
	f()
}

func (s *server) send(v object) {
	v["jsonrpc"] = "2.0"
	b, err := json.Marshal(v)
	if err != nil {
		b = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, codeInternal, err)
	}
	s.out.write(b)
}

func (s *server) answer(id json.RawMessage, result any) { s.send(object{"id": id, "result": result}) }

// refuse answers with an error; a nil id belongs to a message that has none to be read.
func (s *server) refuse(id json.RawMessage, code int, format string, args ...any) {
	s.send(object{"id": id, "error": &responseError{code, fmt.Sprintf(format, args...)}})
}

func (s *server) tell(method string, params any) { s.send(object{"method": method, "params": params}) }

// options are those with which a document is compiled.
func (d *document) options() lang.Options { return lang.Options{Dir: d.dir()} }

// diagnostics compiles a document. The error comes from the context.
func (s *server) diagnostics(ctx context.Context, d *document) ([]diagnostic, error) {
	f, _ := lang.Parse(d.name(), []byte(d.text)) // Compile tells its mistakes, too
	prog, err := lang.Compile(ctx, f, d.options())
	var found lang.Diagnostics
	switch {
	case err == nil:
		found = prog.Warnings
	case !errors.As(err, &found):
		return nil, err
	}
	out := []diagnostic{}
	for _, m := range found {
		x := diagnostic{Range: d.place(m.Place), Severity: 1, Source: "dcopt", Message: m.Message}
		if m.Severity == lang.Warning {
			x.Severity = 2
		}
		if m.Help != "" {
			x.Message += "\nhelp: " + m.Help
		}
		for _, n := range m.Notes {
			if at := d.place(n.Place); s.related {
				x.Related = append(x.Related, relatedInformation{location{d.uri, at}, n.Text})
			} else {
				x.Message += fmt.Sprintf("\n%s: %s", d.text[d.offset(at.Start):d.offset(at.End)], n.Text)
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// format lays a document out; one with mistakes in its syntax stays as it is.
func (s *server) format(_ context.Context, d *document, _ *params) (any, error) {
	out, err := lang.Format(d.name(), []byte(d.text))
	if err != nil {
		return nil, nil
	}
	if string(out) == d.text {
		return []textEdit{}, nil
	}
	return []textEdit{{textRange{position{}, d.position(len(d.text))}, string(out)}}, nil
}
