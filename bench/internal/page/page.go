package page

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io"
)

//go:embed shell.html
var shell string

// Section is a report on a page.
type Section struct {
	Name string        // where several are listed at the top
	Body template.HTML // escaped by whoever made it
}

// Write writes the page; of more than one section it has a list of links.
func Write(w io.Writer, title string, sections ...Section) error {
	t, err := template.New("page").Parse(shell)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		Title    string
		Sections []Section
	}{title, sections})
}

// Inline returns the part of an SVG file that a page has: without the text before
// the picture.
func Inline(svg []byte) ([]byte, error) {
	k := bytes.Index(svg, []byte("<svg"))
	if k < 0 {
		return nil, errors.New("the picture is no SVG")
	}
	return svg[k:], nil
}
