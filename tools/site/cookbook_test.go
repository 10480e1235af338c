//go:build !race

package site

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/tools/site/internal/pages"
)

// pattern is a section of docs/cookbook.md: its heading, the problem, the objective and whether it
// is proved.
var pattern = regexp.MustCompile("(?m)^### (.*)\n\n(?:[^`#].*\n|`[^`].*\n)+\n```dc\n((?:[^`].*\n)+)```\n\nObjective (\\S+?)(, proved)?\\.\n")

// TestCookbook solves each pattern, compares the objective with the one that the page states, and
// finds each problem in the layout of "dcopt fmt".
func TestCookbook(t *testing.T) {
	t.Parallel()
	const (
		patterns = 25 // as the page says
		most     = 8  // lines of a pattern
	)
	found := pattern.FindAllStringSubmatch(read(t, "docs/cookbook.md"), -1)
	if len(found) != patterns {
		t.Fatalf("%d patterns, want %d", len(found), patterns)
	}
	dir := t.TempDir()
	for _, m := range found {
		name, code, proved := m[1], m[2], m[4] != ""
		if lines := len(regexp.MustCompile(`\n`).FindAllString(code, -1)); lines > most {
			t.Errorf("%s: %d lines, want at most %d", name, lines, most)
		}
		if err := os.WriteFile(filepath.Join(dir, "pattern.dc"), []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := shell(t, dir, "dcopt fmt pattern.dc"); err != nil || out != code {
			t.Errorf("%s: %v, the layout is\n%s", name, err, out)
		}
		out, err := shell(t, dir, "dcopt solve --json pattern.dc")
		var r struct {
			Status    string
			Objective float64
			Feasible  bool
			Proved    bool
		}
		if err != nil || json.Unmarshal([]byte(out), &r) != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		want, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		// The page has seven digits at least, or the number is exact.
		if r.Status != "converged" || !r.Feasible || math.Abs(r.Objective-want) > 1e-6*max(1, math.Abs(want)) || proved && !r.Proved {
			t.Errorf("%s: %+v, want %s%s", name, r, m[3], m[4])
		}
	}
}

// TestOpenInPlayground: each pattern of the built cookbook has a link with its problem, in the form
// that the playground reads.
func TestOpenInPlayground(t *testing.T) {
	dir, _ := builtSite(t)
	page, err := os.ReadFile(filepath.Join(dir, "cookbook.html"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range regexp.MustCompile(`href="?playground/index\.html#dc0=([\w-]+)`).FindAllStringSubmatch(string(page), -1) {
		raw, err := base64.RawURLEncoding.DecodeString(m[1])
		var problem struct{ Text string }
		if err != nil || json.Unmarshal(raw, &problem) != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		texts = append(texts, problem.Text)
	}
	found := pattern.FindAllStringSubmatch(read(t, "docs/cookbook.md"), -1)
	if len(texts) != len(found) {
		t.Fatalf("%d links for %d patterns", len(texts), len(found))
	}
	for k, m := range found {
		if texts[k] != m[2] {
			t.Errorf("%s: the link has\n%s", m[1], texts[k])
		}
	}
}

// TestGalleryPages: each problem of the gallery can be opened in the playground, from the grid of
// pictures and from its section.
func TestGalleryPages(t *testing.T) {
	dir, _ := builtSite(t)
	opened := map[string]int{}
	for _, name := range []string{"gallery.html", "gallery-data.html"} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`href="?playground/index\.html#example=([\w/]+)`).FindAllStringSubmatch(string(page), -1) {
			opened[m[1]]++
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "examples", "gallery", "*.dc"))
	if err != nil || len(files) != len(opened) {
		t.Errorf("%d files, %d problems on the pages (%v)", len(files), len(opened), err)
	}
	for _, file := range files {
		if name := "gallery/" + strings.TrimSuffix(filepath.Base(file), ".dc"); opened[name] != 2 {
			t.Errorf("%s has %d links", name, opened[name])
		}
	}
}

// TestHead: pages say to others what they are, and name the repository and the version.
func TestHead(t *testing.T) {
	dir, _ := builtSite(t)
	for name, wanted := range map[string][]string{
		"index.html": {`og:title" content="dcopt"`, `/assets/card.png`, `#dc0=`}, "faq.html": {`og:title" content="Questions"`, `og:url`},
	} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range append(wanted, "og:description", "assets/mark.svg", pages.Repository, "GitHub · ") {
			if !strings.Contains(string(page), part) {
				t.Errorf("%s does not have %s", name, part)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "messages.html"))
	if twice := regexp.MustCompile(`</details>\s*<details`); err != nil || twice.Match(page) || !strings.Contains(string(page), "<details") {
		t.Errorf("messages.html has two lists in a topic, or none (%v)", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "assets", "card.png")); err != nil || info.Size() > 300_000 {
		t.Errorf("the picture for other sites: %v", err)
	}
}
