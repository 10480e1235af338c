package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Options of a server.
type Options struct {
	// Version is told to the client.
	Version string
	// Backends are the names that "option backend" takes.
	Backends []string
	// Debounce is how long a document must rest before it is compiled; 0: not at all.
	Debounce time.Duration
}

// Rest is the rest of a document that a server for people waits for.
// Source: between two strokes of a key pass some 100 to 200 ms.
const Rest = 150 * time.Millisecond

// ErrNoShutdown says that the client ended without asking for a shutdown.
var ErrNoShutdown = errors.New("lsp: the client ended without a shutdown")

// Serve answers a client until it exits, its stream ends or ctx does. The error is nil after
// a shutdown, ErrNoShutdown without one, ctx.Err(), or the error of a stream.
func Serve(ctx context.Context, r io.Reader, w io.Writer, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	s := newServer(ctx, w, opt)
	defer s.idle.Wait()
	defer cancel()
	return s.serve(newFrames(r))
}

func newServer(ctx context.Context, w io.Writer, opt Options) *server {
	return &server{ctx: ctx, opt: opt, out: frameWriter{w: w}, docs: map[string]*opened{},
		running: map[string]context.CancelFunc{}, places: make(chan struct{}, mostRequests),
		looking: make(chan struct{}, 1)}
}

func newFrames(r io.Reader) *frames {
	return &frames{r: bufio.NewReaderSize(r, maxHeader), most: maxBody}
}

// mostRequests is how many requests are answered at a time.
// Source: a limit of memory; a person asks for one or two things at a time.
const mostRequests = 4

// server is the state of a session. The loop of serve alone changes the documents.
type server struct {
	ctx  context.Context
	opt  Options
	out  frameWriter
	idle sync.WaitGroup

	initialized, down bool
	enc               encoding
	markdown, related bool
	docs              map[string]*opened

	places  chan struct{} // of requests under way
	looking chan struct{} // for mistakes: one document at a time, as its data may be large
	mu      sync.Mutex
	running map[string]context.CancelFunc // by the id of the request
	panics  int                           // recovered; a mistake of this package
}

// opened is a document that the client has open.
type opened struct {
	*document
	stale context.CancelFunc // ends the work on its last state
}

// received is a frame, or the error in its place.
type received struct {
	body []byte
	err  error
}

func (s *server) serve(in *frames) error {
	incoming := make(chan received)
	go func() { // it may wait for input when the server ends
		for {
			body, err := in.next()
			select {
			case incoming <- received{body, err}:
			case <-s.ctx.Done():
				return
			}
			if err != nil && err != errTooLarge && err != errHeader {
				return
			}
		}
	}()
	skipped := false // errors in a row are told once
	for {
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case m := <-incoming:
			switch {
			case m.err == nil:
				skipped = false
				if s.receive(m.body) {
					return s.ended()
				}
			case m.err == errTooLarge || m.err == errHeader:
				if !skipped {
					s.refuse(nil, codeRequest, "%s", m.err)
				}
				skipped = true
			case m.err == io.EOF:
				return s.ended()
			default:
				return fmt.Errorf("lsp: %w", m.err)
			}
			if err := s.out.failed(); err != nil {
				return fmt.Errorf("lsp: %w", err)
			}
		}
	}
}

func (s *server) ended() error {
	if !s.down {
		return ErrNoShutdown
	}
	return nil
}

// receive treats a message, and reports whether it was the last one.
func (s *server) receive(body []byte) (exit bool) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || !json.Valid(body) {
			s.refuse(nil, codeParse, "the message is no JSON: %s", err)
		} else {
			s.refuse(nil, codeRequest, "the message is no object of the protocol")
		}
		return false
	}
	if m.Method == "" { // a reply: the server asks for nothing
		if len(m.ID) == 0 {
			s.refuse(nil, codeRequest, "the message has no method")
		}
		return false
	}
	if m.Method == "exit" {
		return true
	}
	if len(m.ID) == 0 || bytes.Equal(m.ID, []byte("null")) {
		s.notified(m.Method, m.Params)
		return false
	}
	if c := m.ID[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		s.refuse(nil, codeRequest, "the id of a request is a number or a string")
		return false
	}
	switch {
	case m.Method == "initialize":
		if s.initialized {
			s.refuse(m.ID, codeRequest, "the server is initialized")
			return false
		}
		var p initializeParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			s.refuse(m.ID, codeParams, "initialize: %s", err)
			return false
		}
		s.answer(m.ID, s.initialize(&p))
	case !s.initialized:
		s.refuse(m.ID, codeNotInitialized, "the first request is initialize")
	case s.down:
		s.refuse(m.ID, codeRequest, "the server is shut down")
	case m.Method == "shutdown":
		s.down = true
		s.answer(m.ID, nil)
	default:
		s.request(&m)
	}
	return false
}

// initialize takes over what the client can and says what the server can.
func (s *server) initialize(p *initializeParams) any {
	s.initialized = true
	name := "utf-16"
	for _, e := range p.Capabilities.General.PositionEncodings {
		if k := slices.Index([]string{"utf-16", "utf-8", "utf-32"}, e); k >= 0 {
			s.enc, name = encoding(k), e
			break
		}
	}
	s.markdown = slices.Contains(p.Capabilities.TextDocument.Hover.ContentFormat, "markdown")
	s.related = p.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation
	return object{
		"serverInfo": object{"name": "dcopt", "version": s.opt.Version},
		"capabilities": object{
			"positionEncoding":           name,
			"textDocumentSync":           object{"openClose": true, "change": 2, "save": object{}},
			"hoverProvider":              true,
			"definitionProvider":         true,
			"referencesProvider":         true,
			"documentHighlightProvider":  true,
			"documentSymbolProvider":     true,
			"documentFormattingProvider": true,
			"renameProvider":             object{"prepareProvider": true},
			"completionProvider":         object{"triggerCharacters": []string{`"`, "/"}},
			"codeActionProvider":         object{"codeActionKinds": []string{"quickfix"}},
			"semanticTokensProvider": object{"full": true,
				"legend": object{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}},
			"signatureHelpProvider": object{"triggerCharacters": []string{"(", ","}},
		},
	}
}

// notified treats messages without an answer; unknown and malformed ones are passed over.
func (s *server) notified(method string, raw json.RawMessage) {
	var p params
	if json.Unmarshal(raw, &p) != nil {
		return
	}
	if method == "$/cancelRequest" {
		s.mu.Lock()
		if cancel, ok := s.running[string(p.ID)]; ok {
			cancel()
		}
		s.mu.Unlock()
		return
	}
	if !s.initialized || s.down {
		return
	}
	uri, version := p.TextDocument.URI, p.TextDocument.Version
	old := s.docs[uri]
	switch {
	case method == "textDocument/didOpen":
		s.open(newDocument(uri, version, p.TextDocument.Text, s.enc))
	case old == nil:
	case method == "textDocument/didChange":
		d := old.document
		for _, c := range p.ContentChanges {
			text := c.Text
			if c.Range != nil {
				from, to := d.offset(c.Range.Start), d.offset(c.Range.End)
				text = d.text[:from] + c.Text + d.text[max(from, to):]
			}
			d = newDocument(d.uri, version, text, s.enc)
		}
		s.open(d)
	case method == "textDocument/didSave": // data files may have changed, too
		s.open(old.document)
	case method == "textDocument/didClose":
		old.stale()
		delete(s.docs, uri)
		s.tell("textDocument/publishDiagnostics", publishParams{uri, old.version, []diagnostic{}})
	}
}

// open takes over a state of a document, ends the work on the one before and begins
// to look for mistakes.
func (s *server) open(d *document) {
	if old := s.docs[d.uri]; old != nil {
		old.stale()
	}
	ctx, stale := context.WithCancel(s.ctx)
	s.docs[d.uri] = &opened{d, stale}
	s.idle.Go(func() {
		select {
		case <-time.After(s.opt.Debounce):
		case <-ctx.Done():
			return
		}
		select {
		case s.looking <- struct{}{}:
			defer func() { <-s.looking }()
		case <-ctx.Done():
			return
		}
		s.guarded(nil, func() {
			list, err := s.diagnostics(ctx, d)
			if err == nil && ctx.Err() == nil {
				s.tell("textDocument/publishDiagnostics", publishParams{d.uri, d.version, list})
			}
		})
	})
}
