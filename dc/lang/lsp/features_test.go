package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// fileURI is the URI of a path on this system.
func fileURI(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs
	}
	return "file://" + strings.ReplaceAll(abs, " ", "%20")
}

// TestDiagnostics: an editor gets what lang.Compile says of every wrong file of its
// tests, with the same places.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("../testdata/bad/*.dc")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	dir, err := filepath.Abs("../testdata/bad")
	if err != nil {
		t.Fatal(err)
	}
	c := start(t)
	c.initialize(object{"textDocument": object{"publishDiagnostics": object{"relatedInformation": true}}})
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := lang.Parse(filepath.Base(name), src)
		_, err = lang.Compile(context.Background(), f, lang.Options{Dir: dir})
		var want lang.Diagnostics
		if !errors.As(err, &want) {
			t.Fatalf("%s: %v", name, err)
		}
		c.notify("textDocument/didOpen", object{"textDocument": object{"uri": fileURI(t, name), "version": 7, "text": string(src)}})
		got := c.published(7)
		c.notify("textDocument/didClose", object{"textDocument": object{"uri": fileURI(t, name)}})
		if cleared := c.published(7); len(cleared) != 0 {
			t.Errorf("%s: closed, it has %v", name, cleared)
		}
		if !strings.ContainsRune(string(src), '\ufffd') && !slices.Equal([]byte(strings.ToValidUTF8(string(src), "\ufffd")), src) {
			continue // bytes that no editor sends
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d diagnostics, want %d: %+v", name, len(got), len(want), got)
			continue
		}
		for k, d := range want {
			message := d.Message
			if d.Help != "" {
				message += "\nhelp: " + d.Help
			}
			if got[k].Message != message || got[k].Severity != 1 || len(got[k].Related) != len(d.Notes) {
				t.Errorf("%s: %+v, want %+v", name, got[k], d)
			}
			if r := got[k].Range; !strings.Contains(string(src), "\r") && (r.Start.Line != d.Line-1 || r.End == r.Start && len(src) > 0) {
				t.Errorf("%s: at %+v, want %+v", name, r, d.Place)
			}
		}
	}
	c.stop()
}

// TestWarningsAndNotes: a warning is one; without related information the notes are in
// the message.
func TestWarningsAndNotes(t *testing.T) {
	c := start(t)
	c.initialize(object{})
	c.open("var x\nminimize x\nsubject to\n  a[i in 1..0]: x >= 1\n")
	if got := c.published(1); len(got) != 1 || got[0].Severity != 2 || got[0].Source != "dcopt" || got[0].Range.Start.Line != 3 {
		t.Errorf("%+v, want a warning", got)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 2}, "contentChanges": []object{{"text": "var x[2]\nminimize sqrt(abs(x[1]))\n"}}})
	got := c.published(2)
	if len(got) != 1 || got[0].Severity != 1 || !strings.Contains(got[0].Message, "abs(x[1]): convex, ≥ 0") {
		t.Errorf("%+v, want an error with notes", got)
	}
	c.stop()
}

// TestPositions: characters beyond the first plane count twice in UTF-16, once in UTF-32.
func TestPositions(t *testing.T) {
	const text = "\ufeffa\r\nb😀c é\rd\n\nlast"
	for _, enc := range []encoding{inUTF16, inUTF8, inUTF32} {
		d := newDocument(uri, 1, text, enc)
		for offset, r := range text {
			if r == '\n' && offset > 0 && text[offset-1] == '\r' {
				continue // inside of the end of a line
			}
			if p := d.position(offset); d.offset(p) != offset {
				t.Errorf("encoding %d: offset %d is %+v, which is offset %d", enc, offset, p, d.offset(p))
			}
		}
		want := map[encoding]position{inUTF16: {1, 3}, inUTF8: {1, 5}, inUTF32: {1, 2}}[enc]
		if got := d.position(strings.Index(text, "c")); got != want {
			t.Errorf("encoding %d: c is at %+v, want %+v", enc, got, want)
		}
		for _, p := range []position{{-1, 0}, {0, -5}, {0, 1000}, {99, 0}, {1, 1 << 30}, {4, 4}, {5, 0}} {
			if k := d.offset(p); k < 0 || k > len(text) {
				t.Errorf("%+v is offset %d", p, k)
			}
		}
	}
	if k := newDocument(uri, 1, text, inUTF16).offset(position{1, 2}); text[k:k+4] != "😀" {
		t.Errorf("the middle of a pair is at %q", text[k:])
	}
	c := start(t)
	c.initialize(object{})
	c.open("\ufeff# 😀\nparam 😀 = 1\nvar é\nminimize é + \"😀\" + y\n")
	got := c.published(1)
	if len(got) == 0 || got[0].Range != (textRange{position{1, 6}, position{1, 8}}) {
		t.Errorf("%+v, want a message at the two units of an emoji", got)
	}
	c.stop()
}

// TestChanges: the document after changes in pieces is the one that the editor has.
func TestChanges(t *testing.T) {
	c := start(t)
	c.initialize(object{})
	c.open("var x\nminimize é\n")
	c.published(1)
	edit := func(l1, c1, l2, c2 int, text string) object {
		return object{"range": textRange{position{l1, c1}, position{l2, c2}}, "text": text}
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 2}, "contentChanges": []object{
		edit(1, 9, 1, 10, "x +  y"), edit(0, 5, 0, 5, ", y"), edit(99, 0, 99, 0, "subject   to\n x>=1\n"), edit(1, 12, 1, 14, " "),
	}})
	if got := c.published(2); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	var edits []textEdit
	c.must("textDocument/formatting", object{"textDocument": object{"uri": uri}, "options": object{"tabSize": 4}}, &edits)
	const want = "var   x, y\nminimize  x + y\nsubject to\n  x >= 1\n"
	if out, err := lang.Format("", []byte(want)); err != nil || len(edits) != 1 || edits[0].NewText != string(out) || edits[0].Range.Start != (position{}) || edits[0].Range.End != (position{4, 0}) {
		t.Errorf("%+v, want %q (%v)", edits, out, err)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 3}, "contentChanges": []object{{"text": edits[0].NewText}}})
	c.must("textDocument/formatting", object{"textDocument": object{"uri": uri}}, &edits)
	if len(edits) != 0 {
		t.Errorf("a formatted document is changed: %+v", edits)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 4}, "contentChanges": []object{{"text": "var (("}}})
	edits = []textEdit{{}}
	c.must("textDocument/formatting", object{"textDocument": object{"uri": uri}}, &edits)
	if edits != nil {
		t.Errorf("a document with mistakes is changed: %+v", edits)
	}
	c.stop()
}

// TestHover: what stands under the cursor ‸, in words.
func TestHover(t *testing.T) {
	const head = "param r = [1, 2, 3], n = len(r)\nset S = {\"a\", \"b\"}\nvar c[n,2] in [-5, 5], y >= 0, w[S]\n"
	for _, s := range []struct{ text, want string }{
		{"‸param r = [1, 2]\n", "param: data"},
		{head + "minimize sq‸uare(y)", "square(x): x^2.|Convex; takes arguments: any.|square(y)|convex, scalar, ≥ 0"},
		{head + "minimize abs(c[1,1]) ‸- c[1,1]^2", "abs(c[1,1]) - c[1,1]^2|DC (a difference of convex functions), scalar|convex parts, kept in <= and when minimised:|- abs(c[1,1])|concave parts, linearised there:|- c[1,1]^2"},
		{head + "minimize sum(i in 1..n) ( norm‸inf(c[i,:]) + r[i] )", "norminf(c[i,:]) at i = 1|convex, scalar, from 0 to 5"},
		{head + "minimize sum(i in 1..n) ( norminf(c[i,:]) + r‸[i] )", "data, 3, from 1 to 3: 1 2 3"},
		{head + "minimize sum(‸i in 1..n) norminf(c[i,:])", "norminf"},
		{head + "minimize y\nsubject to\n  apart[i in 1..n, j in i+1..n]: norm2(c[i,:] ‸- c[j,:]) >= r[i] + r[j]", "c[i,:] - c[j,:] at i = 1, j = 2|affine, 2, from -10 to 10"},
		{head + "minimize y\nsubject to\n  apart[i in 1..n, j in i+1..n if i ‸> 1]: norm2(c[i,:] - c[j,:]) >= r[i]", "i > 1 at i = 1, j = 2|data: false"},
		{head + "minimize y\nsubject to\n  apart[i in 1..n, j in i+1..n if i > 1]: norm2(c[‸i,:] - c[j,:]) >= r[i]", "i at i = 2, j = 3|data: 2"},
		{head + "minimize y\nsubject to\n  a[k in S]: w[‸k] >= 1", "k at k = \"a\"|data: \"a\""},
		{head + "minimize y + sum(‸S)", "S|data: {\"a\", \"b\"}"},
		{"param r = [1, 2, 3], n = len(r)\nvar c‸[n,2] in [-5, 5]\nminimize c[1,1]", "c|affine, 3 × 2, from -5 to 5"},
		{"var x[3,2]\nminimize norm1(x)\nplot points(‸x), path(x) \"way\"", "x|affine, 3 × 2"},
		{"var x[3,2]\nminimize norm1(x)\nplot points(x), pa‸th(x) \"way\"", "plot path: lines"},
		{"var y >= 0\nminimize y\noption ma‸x_iter = 3", "option max_iter: at most"},
		{"var y >= 0 st‸art 3\nminimize y", "start: where the variable begins"},
		{"param A = c‸sv(\"none.csv\")", "csv(file, column, ...): a table, or columns of it; with not"},
		{head + "minimize norm1(c) * norm‸1(c)", "norm1(x): the sum|norm1(c)|convex, scalar, from 0 to 30"},
		{"var y[3] in [0, 2]\nminimize sum(y)\nsubject to\n  ne‸ar[i in 1..3]: y[i]^2 <= 1", "convex constraint near, members: 3|scalar, from -1 to 3"},
		{"var y[3] in [0, 2]\nminimize sum(y)\nsubject to\n  y[1]^2 + y[2]^2 >‸= 1", "DC (a difference of convex functions) constraint c1, members: 1|linearised:|- y[1]^2"},
		{"var y[3] in [0, 2]\nminimize sum(y)\nsubject to\n  1 <= y[1]*y[2] ‸<= 3", "DC|constraint c1|scalar, from 0 to 4"},
		{head + "minimize y + unkn‸own", ""},
		{head + "# a comm‸ent\nminimize y", ""},
		{head + "minimize ‸", ""},
		{"‸", ""},
	} {
		text, p := at(s.text)
		c := start(t)
		c.initialize(object{})
		c.open(text)
		var h *hover
		c.must("textDocument/hover", placed(p), &h)
		c.stop()
		if h == nil {
			if s.want != "" {
				t.Errorf("%q: nothing, want %q", s.text, s.want)
			}
			continue
		}
		for _, want := range strings.Split(s.want, "|") {
			if want == "" || !strings.Contains(h.Contents.Value, want) {
				t.Errorf("%q: %q, want %q", s.text, h.Contents.Value, want)
			}
		}
		if h.Contents.Kind != "plaintext" || strings.ContainsAny(h.Contents.Value, "*`") && !strings.Contains(text, "*") {
			t.Errorf("%q: plain text is %q", s.text, h.Contents.Value)
		}
	}
	c := start(t)
	c.initialize(object{"textDocument": object{"hover": object{"contentFormat": []string{"markdown", "plaintext"}}}})
	text, p := at("var x\nminimize ab‸s(x)")
	c.open(text)
	var h hover
	c.must("textDocument/hover", placed(p), &h)
	if h.Contents.Kind != "markdown" || !strings.Contains(h.Contents.Value, "**convex**") || h.Range == nil || *h.Range != (textRange{position{1, 9}, position{1, 15}}) {
		t.Errorf("%+v", h)
	}
	c.stop()
}

// TestCompletion: what is offered at the cursor ‸, and what is not.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"points.csv", "other.txt", "model.go", ".hidden.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct{ text, has, lacks string }{
		{"‸", "param var minimize subject_to option", "abs x"},
		{"var x\nmi‸", "minimize maximize", "abs"},
		{"var x, ‸", "", "abs param x"},
		{"var x >= 0 ‸", "start symmetric psd", "minimize"},
		{"param n = 3\nvar x[n]\nminimize no‸", "norm2 abs x n pi", "minimize after start"},
		{"var x\nminimize x\nsubject to\n  ‸", "x abs option", ""},
		{"param n = 3\nvar x[n]\nminimize sum(i in 1..n) x[‸", "i n x", "minimize"},
		{"var x\nminimize x\nsubject to\n  a[(i, j) in E, k in 1..3]: x >= ‸", "i j k x abs", "a"},
		{"var x\nminimize x\noption ‸", "tau0 starts backend", "abs x"},
		{"var x\nminimize x\noption tau0 = 2, ‸", "mu starts", "abs x"},
		{"var x\nminimize x\noption backend = ‸", "auto ipm admm", "abs"},
		{"var x\nminimize x\noption effort = ‸", "quick normal thorough", "abs"},
		{"var x\nminimize x\nplot ‸", "points circles path", "abs x"},
		{"var x[3,2]\nminimize x[1,1]\nplot points(x), ‸", "points circles path", "abs x"},
		{"var x[3,2]\nminimize x[1,1]\nplot points(‸", "x", "points"},
		{"param A = csv(\"‸", "points.csv other.txt sub/", "model.go .hidden.csv abs"},
		{"param A = csv(\"sub/‸\")", "", "points.csv abs"},
		{"param A = csv(\"../no/such/‸\")", "", "abs"},
		{"var x # a‸", "", "abs"},
		{"var 😀x\nminimize é + ‸", "abs", ""},
	} {
		text, p := at(s.text)
		c := start(t)
		c.initialize(object{})
		file := fileURI(t, filepath.Join(dir, "p.dc"))
		c.notify("textDocument/didOpen", object{"textDocument": object{"uri": file, "version": 1, "text": text}})
		var items []completionItem
		c.must("textDocument/completion", object{"textDocument": object{"uri": file}, "position": p}, &items)
		labels := map[string]bool{}
		for _, i := range items {
			labels[strings.ReplaceAll(i.Label, " ", "_")] = true
			if i.TextEdit == nil || i.TextEdit.Range.End != p {
				t.Errorf("%q: %+v does not end at the cursor", s.text, i)
			}
		}
		for _, want := range strings.Fields(s.has) {
			if !labels[want] {
				t.Errorf("%q does not offer %s", s.text, want)
			}
		}
		for _, no := range strings.Fields(s.lacks) {
			if labels[no] {
				t.Errorf("%q offers %s", s.text, no)
			}
		}
		c.stop()
	}
}

func TestSignature(t *testing.T) {
	for _, s := range []struct {
		text, label string
		active      int
	}{
		{"minimize huber(‸", "huber(x, m)", 0},
		{"minimize huber(abs(y), ‸2)", "huber(x, m)", 1},
		{"minimize huber(abs(‸y), 2)", "abs(x)", 0},
		{"minimize huber([1, 2, ‸3], 2)", "huber(x, m)", 0},
		{"minimize huber(x[1,2], 3, 4,‸", "huber(x, m)", 1},
		{"minimize (‸x)", "", 0},
		{"minimize abs(x)‸", "", 0},
		{"‸", "", 0},
	} {
		text, p := at(s.text)
		c := start(t)
		c.initialize(object{})
		c.open(text)
		var h *signatureHelp
		c.must("textDocument/signatureHelp", placed(p), &h)
		switch {
		case h == nil && s.label == "":
		case h == nil || len(h.Signatures) != 1 || h.Signatures[0].Label != s.label || h.ActiveParameter != s.active:
			t.Errorf("%q: %+v, want %s, %d", s.text, h, s.label, s.active)
		}
		c.stop()
	}
}

// TestNames: the cursor ‸ is on a name; its uses are counted, its declaration found.
func TestNames(t *testing.T) {
	for _, s := range []struct {
		text    string
		declare position // of the declaration
		uses    int      // with the declaration
	}{
		{"param n = 3\nvar x[‸n]\nminimize n*x[n]", position{0, 6}, 4},
		{"var x[3]\nminimize sum(i in 1..3) x[‸i] + sum(i in 1..2) x[i]", position{1, 13}, 2},
		{"var x[3]\nminimize sum(i in 1..3) x[i] + sum(‸i in 1..2) x[i]*i", position{1, 35}, 3},
		{"var x[3]\nlet h[k in 1..3] = ‸x[k]\nminimize h[1]", position{0, 4}, 2},
		{"var x\nminimize x\nsubject to\n  ‸a[i in 1..2, j in i..2 if j > 1]: x >= i", position{3, 2}, 1},
		{"var x\nminimize x\nsubject to\n  a[i in 1..2, j in i..2 if ‸j > 1]: x >= i", position{3, 15}, 2},
		{"set E = {(1,2)}\nvar x\nminimize sum((i, j) in E) ‸j*x", position{1 + 1, 17}, 2},
		{"set E = {‸i in 1..3 if i > 1}\nvar x\nminimize x", position{0, 9}, 2},
		{"var é2, é\nminimize ‸é2", position{}, 2},
	} {
		text, p := at(s.text)
		c := start(t)
		c.initialize(object{})
		c.open(text)
		var where *location
		c.must("textDocument/definition", placed(p), &where)
		if where == nil || s.declare != (position{}) && where.Range.Start != s.declare {
			t.Errorf("%q is declared at %+v, want %+v", s.text, where, s.declare)
		}
		var all []location
		c.must("textDocument/references", object{"textDocument": object{"uri": uri}, "position": p, "context": object{"includeDeclaration": true}}, &all)
		var marks []documentHighlight
		c.must("textDocument/documentHighlight", placed(p), &marks)
		var fewer []location
		c.must("textDocument/references", placed(p), &fewer)
		if len(all) != s.uses || len(marks) != s.uses || len(fewer) != s.uses-1 {
			t.Errorf("%q has %d uses, %d marks, %d without the declaration, want %d", s.text, len(all), len(marks), len(fewer), s.uses)
		}
		c.stop()
	}
	text, p := at("var x\nminimize ab‸s(x)")
	c := start(t)
	c.initialize(object{})
	c.open(text)
	var none *location
	c.must("textDocument/definition", placed(p), &none)
	if none != nil {
		t.Errorf("abs is declared at %+v", none)
	}
	c.stop()
}

// TestRename: a renamed problem says the same; names that would clash are refused.
func TestRename(t *testing.T) {
	const src = "param n = 3\nvar   x[n]  start normal(0, n)\nminimize  sum(i in 1..n) x[i]^2 + n*x[1]\nsubject to\n  a[i in 1..n]:  x[i] + sum(j in 1..n if j != i) x[j] >= n\noption starts = n\n"
	_, p := at(strings.Replace(src, "x[n]", "x[‸n]", 1))
	c := start(t)
	c.initialize(object{})
	c.open(src)
	var r *textRange
	c.must("textDocument/prepareRename", placed(p), &r)
	if r == nil || *r != (textRange{position{1, 8}, position{1, 9}}) {
		t.Errorf("%+v can be renamed", r)
	}
	rename := func(p position, name string) (*workspaceEdit, *responseError) {
		var out workspaceEdit
		q := placed(p)
		q["newName"] = name
		err := c.ask("textDocument/rename", q, &out)
		return &out, err
	}
	for _, bad := range []string{"", "x", "i", "j", "a", "2n", "var", "in", "pi", "m n", "a-b", "n;"} {
		if _, err := rename(p, bad); err == nil || err.Code != codeFailed {
			t.Errorf("n is renamed to %q: %v", bad, err)
		}
	}
	if _, err := rename(position{2, 0}, "m"); err == nil {
		t.Error("a keyword is renamed")
	}
	out, err := rename(p, "size_ä")
	if err != nil {
		t.Fatal(err)
	}
	d := newDocument(uri, 1, src, inUTF16)
	edits := out.Changes[uri]
	text := src
	for k := len(edits) - 1; k >= 0; k-- {
		text = text[:d.offset(edits[k].Range.Start)] + edits[k].NewText + text[d.offset(edits[k].Range.End):]
	}
	want := strings.NewReplacer("param n", "param size_ä", "x[n]", "x[size_ä]", ", n)", ", size_ä)", "..n", "..size_ä", "n*x", "size_ä*x", ">= n", ">= size_ä", "= n\n", "= size_ä\n").Replace(src)
	if text != want {
		t.Errorf("renamed:\n%s\nwant\n%s", text, want)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 2}, "contentChanges": []object{{"text": text}}})
	if got := c.published(2); len(got) != 0 {
		t.Errorf("the renamed problem has mistakes: %+v", got)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 3}, "contentChanges": []object{{"text": src + "option ((\n"}}})
	if _, err := rename(p, "m"); err == nil {
		t.Error("a name is changed in a file that cannot be read as a whole")
	}
	c.stop()
}

// TestWordsAreDescribed: every word of the language has a text, and no other.
func TestWordsAreDescribed(t *testing.T) {
	for w := range syntax.Words {
		if keywords[w] == "" {
			t.Errorf("%s has no text", w)
		}
	}
	if len(keywords) != len(syntax.Words) {
		t.Errorf("%d words are described, there are %d", len(keywords), len(syntax.Words))
	}
	for name := range optionTexts() {
		f, err := lang.Parse("a.dc", []byte("var x\nminimize x\noption "+name+" = 3\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lang.Compile(context.Background(), f, lang.Options{}); err != nil && strings.Contains(err.Error(), "unknown option") {
			t.Error(err)
		}
	}
	for kind := range marks {
		f, err := lang.Parse("a.dc", []byte("var x[2,2]\nminimize sum(x)\nplot "+kind+"(x)\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lang.Compile(context.Background(), f, lang.Options{}); err != nil && strings.Contains(err.Error(), "unknown") {
			t.Error(err)
		}
	}
}

func TestSymbols(t *testing.T) {
	c := start(t)
	c.initialize(object{})
	c.open("param n = 3, m = 4\nset S = {1, 2}\nvar x[n]\nlet h = x[1]\nminimize h\nsubject to\n  a: x >= 1\n  x <= 2\noption seed = 1\n")
	var list []documentSymbol
	c.must("textDocument/documentSymbol", object{"textDocument": object{"uri": uri}}, &list)
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
		if s.SelectionRange.Start.Line < s.Range.Start.Line || s.SelectionRange.End.Line > s.Range.End.Line || s.Kind == 0 || s.Detail == "" {
			t.Errorf("%+v", s)
		}
	}
	if got, want := strings.Join(names, "|"), "n|m|S|x|h|minimize h|a|x <= 2|seed"; got != want {
		t.Errorf("symbols %s, want %s", got, want)
	}
	c.stop()
}

// endless is a problem that takes many seconds to compile.
const endless = "param n = 3000\nvar x[n]\nminimize sum(i in 1..n, j in 1..n) abs(x[i] - x[j])\n"

// TestStale: work on a state ends when a newer one comes or the document is closed; a
// request ends when it is cancelled.
func TestStale(t *testing.T) {
	c := start(t)
	c.initialize(object{})
	begin := time.Now()
	for version := 1; version <= 20; version++ {
		c.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": version, "text": endless}})
	}
	_, p := at("\n\nminimize s‸um")
	q := placed(p)
	c.send(object{"jsonrpc": "2.0", "id": "long", "method": "textDocument/hover", "params": q})
	c.notify("$/cancelRequest", object{"id": "long"})
	m := c.read()
	var e responseError
	if err := json.Unmarshal(m["error"], &e); err != nil || e.Code != codeCancelled || string(m["id"]) != `"long"` {
		t.Errorf("want a cancelled request and no diagnostics of a stale state, got %v", m)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 21}, "contentChanges": []object{{"text": "var x\nminimize x\n"}}})
	if got := c.published(21); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	c.stop()
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestTooLarge: a frame beyond the limit is skipped without being kept.
func TestTooLarge(t *testing.T) {
	in := &frames{r: bufio.NewReaderSize(io.MultiReader(
		strings.NewReader("Content-Length: 100000000\r\n\r\n"), io.LimitReader(zeros{}, 100000000), strings.NewReader("Content-Length: 2\r\n\r\n{}Content-Length: 50000000\r\n\r\nshort")), maxHeader), most: 1 << 20}
	if _, err := in.next(); err != errTooLarge {
		t.Errorf("%v, want too large", err)
	}
	if body, err := in.next(); string(body) != "{}" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	in.most = maxBody
	if n := testing.AllocsPerRun(1, func() { in.next() }); n > 100 {
		t.Errorf("%g allocations for a frame that does not come", n)
	}
	if _, err := in.next(); err != io.EOF {
		t.Errorf("%v at the end", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestContext: the end of the context ends the server.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, r, io.Discard, Options{}) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Serve(context.Background(), strings.NewReader("Content-Length: 46\r\n\r\n"+`{"jsonrpc":"2.0","id":1,"method":"initialize"}`), failing{}, Options{}); err == nil || errors.Is(err, ErrNoShutdown) {
		t.Errorf("a broken output ends with %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }
