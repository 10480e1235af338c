package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// section is a problem of the gallery: its heading, its picture, and the text up to its file.
	section = regexp.MustCompile(`(?ms)^## ([^\n]+)\n\n!\[[^\n]*\]\((gallery/\w+)\.svg\)\n(.*?^The file: [^\n]*\n)`)
	// index is the table of all problems of the gallery, a row per problem, on its first page.
	index    = regexp.MustCompile(`(?m)^\| problem \| what is not convex \|\n\|---\|---\|\n((?:\| .*\n)+)`)
	indexRow = regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(([^)]*)\) \| (.*) \|$`)
)

// withGallery is a page of the gallery with links to the playground, and its table as a grid of
// pictures.
func withGallery(root, text string) (string, error) {
	pictures := map[string]string{} // by heading
	for _, name := range []string{"gallery.md", "gallery-data.md"} {
		raw, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			return "", err
		}
		for _, m := range section.FindAllStringSubmatch(string(raw), -1) {
			pictures[m[1]] = m[2]
		}
	}
	if !section.MatchString(text) {
		return "", fmt.Errorf("there is no problem with a picture and a file")
	}
	text = section.ReplaceAllStringFunc(text, func(part string) string {
		return part + openLink("example="+section.FindStringSubmatch(part)[2])
	})
	var wrong error
	text = index.ReplaceAllStringFunc(text, func(table string) string {
		var b strings.Builder
		b.WriteString("<div class=\"grid-pictures\" markdown>\n")
		for _, m := range indexRow.FindAllStringSubmatch(table, -1) {
			picture, ok := pictures[m[1]]
			if !ok {
				wrong = fmt.Errorf("there is no section %s with a picture", m[1])
			}
			fmt.Fprintf(&b, "<div markdown>\n[![%s](%s.svg)](%s)\n\n**[%[1]s](%[3]s)**<br>%[4]s\n%[5]s</div>\n",
				m[1], picture, m[2], m[3], openLink("example="+picture))
		}
		b.WriteString("</div>\n")
		return b.String()
	})
	return text, wrong
}
