package site

import (
	"context"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/tools/site/internal/pages"
)

// root is the repository.
const root = "../.."

// read is the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// documents are the Markdown files that users read, from the root of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/lab/*.md", "examples/*.md", "examples/*/*.md", "python/*.md", "tools/*/*.md", "tools/editors/*/*.md", ".github/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			rel, err := filepath.Rel(root, n)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, filepath.ToSlash(rel))
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d documents", len(out))
	}
	return out
}

var (
	target    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	code      = regexp.MustCompile("`[^`\n]+`")
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	fileTitle = regexp.MustCompile(`\[[\w./-]+\.md\]\([^)]+`)
	notSlug   = regexp.MustCompile(`[^\p{L}\p{N}\-_ ]`)
)

// anchors are the headings of a Markdown text as links name them.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	pages.OutsideCode(text, func(part string) string {
		for _, m := range heading.FindAllStringSubmatch(part, -1) {
			slug := strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(strings.ReplaceAll(m[1], "`", "")), ""), " ", "-")
			for k, s := 1, slug; ; k++ {
				if !out[s] {
					out[s] = true
					break
				}
				s = fmt.Sprintf("%s-%d", slug, k)
			}
		}
		return part
	})
	return out
}

// broken are the links of a document that lead nowhere in the repository.
func broken(t *testing.T, name, text string) (wrong []string) {
	pages.OutsideCode(text, func(part string) string {
		for _, m := range target.FindAllStringSubmatch(code.ReplaceAllString(part, ""), -1) {
			to := m[1]
			if file, ok := strings.CutPrefix(to, pages.Repository+"/blob/main/"); ok {
				to = strings.Repeat("../", strings.Count(name, "/")) + file
			}
			if strings.HasPrefix(to, "https://") {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			other, in := path.Join(path.Dir(name), file), text
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(other))); file == "" {
				// a heading of its own
			} else if err != nil || strings.Contains(to, ":") || strings.HasPrefix(other, "..") {
				wrong = append(wrong, to)
				continue
			} else if strings.HasSuffix(other, ".md") {
				in = read(t, other)
			}
			if anchor != "" && !anchors(in)[anchor] {
				wrong = append(wrong, to)
			}
		}
		return part
	})
	return wrong
}

// TestNavigation: every document of docs/ is a page, once; those of docs/lab are none.
func TestNavigation(t *testing.T) {
	seen := map[string]bool{}
	sections, err := pages.Existing(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		for _, p := range s.Pages {
			if seen[p.Source] || seen["="+p.Name] {
				t.Errorf("%s or %s stands there twice", p.Source, p.Name)
			}
			seen[p.Source], seen["="+p.Name] = true, true
		}
	}
	for _, name := range documents(t) {
		if strings.HasPrefix(name, "docs/") {
			for _, link := range fileTitle.FindAllString(read(t, name), -1) {
				t.Errorf("%s: the link %s) has a file name for a title", name, link)
			}
		}
		if lab := strings.HasPrefix(name, "docs/lab/"); strings.HasPrefix(name, "docs/") && seen[name] == lab {
			t.Errorf("%s: a page of the site is %v, a laboratory page is none", name, seen[name])
		}
	}
}

// TestPicture: the recorded run has the circles of the file, ends with a packing and is
// the same again.
func TestPicture(t *testing.T) {
	run, err := pages.Record(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Radii) != 40 || len(run.Frames) < 8 {
		t.Fatalf("%d circles, %d points", len(run.Radii), len(run.Frames))
	}
	first, last := run.Frames[0], run.Frames[len(run.Frames)-1]
	if over, apart := overlap(run.Radii, last), overlap(run.Radii, first); over > 1e-5 || apart < 0.1 {
		t.Errorf("circles overlap by %g at the end, by %g at the start", over, apart)
	}
	if last.Half > 7 || last.Half < 6.5 {
		t.Errorf("half the side is %g", last.Half)
	}
	again, err := pages.Record(context.Background(), root)
	if err != nil || again.SVG() != run.SVG() {
		t.Errorf("another run is another picture (%v)", err)
	}
}

// overlap is the largest one of two circles.
func overlap(radii []float64, f pages.Frame) float64 {
	most := 0.0
	for i, a := range f.Centres {
		for j, b := range f.Centres[:i] {
			most = max(most, radii[i]+radii[j]-math.Hypot(a[0]-b[0], a[1]-b[1]))
		}
	}
	return most
}

// TestGraphs: every atom of docs/atoms.md has a graph or a reason for none.
func TestGraphs(t *testing.T) {
	curves := pages.Curves()
	atoms := 0
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(read(t, "docs/atoms.md"), -1) {
		atoms++
		if (curves[m[1]] == nil) != pages.WithoutGraph[m[1]] {
			t.Errorf("the atom %s needs a graph in pages.Curves, or stands in pages.WithoutGraph: one of both", m[1])
		}
	}
	if atoms != len(curves)+len(pages.WithoutGraph) {
		t.Errorf("%d atoms, %d graphs and %d without", atoms, len(curves), len(pages.WithoutGraph))
	}
}

// TestMessages: every message of the code has a topic in docs/messages.md, and every topic
// has messages.
func TestMessages(t *testing.T) {
	messages, err := pages.Messages(root)
	if err != nil {
		t.Fatal(err)
	}
	topics, left, err := pages.Topics(read(t, "docs/messages.md"), messages)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range left {
		t.Errorf("no topic of docs/messages.md has %q of %s", m.Text, m.Package)
	}
	for _, topic := range topics {
		t.Logf("%4d %s", len(topic.Messages), topic.Heading)
		if len(topic.Messages) == 0 && topic.Heading != "Other messages" {
			t.Errorf("%s has no messages", topic.Heading)
		}
	}
	if len(messages) < 600 {
		t.Errorf("%d messages", len(messages))
	}
	for _, known := range []string{"no DC split for %s: %s", "the points have ceased to change although a constraint is broken; try other starting points", "unknown name %q%s", "--tol %g: want a number > 0"} {
		if !slices.ContainsFunc(messages, func(m pages.Message) bool { return m.Text == known }) {
			t.Errorf("%q is not among the messages", known)
		}
	}
}
