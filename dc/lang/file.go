package lang

import "github.com/dcopt/dcopt/dc/lang/internal/syntax"

// File is a parsed problem file. It is for one goroutine: Compile makes notes in
// it. It may be compiled again and again.
type File struct {
	// Name is the name of the file in diagnostics.
	Name string

	src    *source
	syntax Diagnostics
}

func newFile(name string, t *syntax.Tree) *File { return &File{Name: name, src: newSource(t)} }

// Parse reads a problem file; diagnostics use name as its name. On error, of type
// Diagnostics, the File holds the statements that could be read; Compile then
// finds the other mistakes, too, and reports all together.
func Parse(name string, src []byte) (*File, error) {
	t, wrong := syntax.Parse(string(src))
	f := newFile(name, t)
	if f.syntax = f.diagnostics(wrong); len(f.syntax) > 0 {
		return f, f.syntax
	}
	return f, nil
}

// Format returns a problem file in the one layout of the language: keywords
// padded, constraints indented and their bodies aligned, one blank or none
// between tokens. Comments and line breaks stay, of several empty lines one.
// The result says the same as src, and formatting it again changes nothing.
// A file with syntax errors is refused with Diagnostics, which use name as the
// name of the file.
func Format(name string, src []byte) ([]byte, error) {
	out, wrong := syntax.Format(string(src))
	if len(wrong) > 0 {
		return nil, newFile(name, syntax.NewTree(string(src))).diagnostics(wrong)
	}
	return out, nil
}

// Source is the text that was parsed, without a byte order mark.
func (f *File) Source() string { return f.src.tree.Source }

// place is the place of a piece of the source.
func (f *File) place(s syntax.Span) (at Place) {
	at.Line, at.Col, at.EndCol = f.src.tree.Place(s)
	return at
}

// diagnostics are mistakes in the syntax, sorted by place.
func (f *File) diagnostics(wrong []syntax.Mistake) Diagnostics {
	c := collector{f: f}
	for _, w := range wrong {
		c.mistake(w, false)
	}
	return c.sorted()
}
