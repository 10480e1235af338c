package template

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// files holds NAME.dc and the data NAME_*.csv of each template.
//
//go:embed files
var files embed.FS

// Template is a problem file and its data.
type Template struct {
	Name  string
	About string // its first line, without the comment's sign
	files []string
}

// File is a file to be written.
type File struct {
	Name string // relative to the folder of the problem
	Data []byte
}

// order of the list: from the simplest on.
var order = []string{"start", "sparse", "packing", "path", "piecewise", "clusters", "svm", "portfolio", "signs",
	"equations"}

// All are the templates in the order in which they are listed.
func All() []Template {
	out := make([]Template, len(order))
	for k, name := range order {
		t := Template{Name: name, files: []string{name + ".dc"}}
		text := read(name + ".dc")
		first, _, _ := strings.Cut(text, "\n")
		t.About = strings.TrimSpace(strings.TrimPrefix(first, "#"))
		data, _ := fs.Glob(files, "files/"+name+"_*")
		for _, d := range data {
			t.files = append(t.files, path.Base(d))
		}
		out[k] = t
	}
	return out
}

// read is the contents of a file; those that are named exist.
func read(name string) string {
	b, _ := files.ReadFile("files/" + name)
	return string(b)
}

// Files are the template's files under another name: the name of the problem file, and the
// beginning of the names of its data, which the problem then uses.
func (t Template) Files(name string) []File {
	var out []File
	for _, f := range t.files {
		text := read(f)
		if strings.HasSuffix(f, ".dc") {
			text = strings.ReplaceAll(text, `"`+t.Name+"_", `"`+name+"_")
		}
		out = append(out, File{name + strings.TrimPrefix(f, t.Name), []byte(text)})
	}
	return out
}
