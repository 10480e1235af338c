package house

import (
	"path"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/page"
)

// TestNamed: pages name all that they are about.
func TestNamed(t *testing.T) {
	var importable, removed, rooms []string
	for pkg := range mayImport {
		top, _, _ := strings.Cut(pkg, "/")
		inside := strings.Contains("/"+pkg, "/internal/")
		if !inside && top != "." && top != "cmd" && top != "tools" {
			importable = append(importable, "`"+pkg+"`")
		}
		if top != "." && top != "examples" && !strings.Contains(pkg, "/internal/") {
			rooms = append(rooms, path.Base(pkg))
		}
	}
	for _, l := range readLines(t, "tools/api/removed.txt") {
		_, line, _ := strings.Cut(l, ": ")
		removed = append(removed, "`"+nameIn(line)+"`")
	}
	for _, c := range []struct {
		page  string
		words []string
	}{
		{"docs/compatibility.md", importable}, // promised, or said to be not
		{"docs/compatibility.md", removed},
		{"ARCHITECTURE.md", rooms},
	} {
		page.Names(t, c.page, read(t, c.page), c.words...)
	}
}
