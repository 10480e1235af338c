//go:build !race

package site

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/tools/site/internal/pages"
)

// site is the built one.
type site struct {
	dir    string // the folder of its pages
	skip   string // why there is none
	err    error
	output string
}

// scratch is the folder of the built site, which TestMain removes.
var scratch string

// build is the site, built once for all tests.
var build = sync.OnceValue(func() site {
	dir, err := os.MkdirTemp("", "dcopt-site-")
	if err != nil {
		return site{err: err}
	}
	scratch = dir
	out, err := exec.Command("bash", "build.sh", dir).CombinedOutput()
	s := site{dir: filepath.Join(dir, "html"), err: err, output: string(out)}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 {
		lines := strings.Split(strings.TrimSpace(s.output), "\n")
		s.skip = strings.TrimPrefix(lines[len(lines)-1], "skip ")
	}
	return s
})

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range []string{scratch, programs} {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// builtSite is the folder of the built pages, and their names.
func builtSite(t *testing.T) (dir string, names []string) {
	t.Helper()
	s := build()
	need.That(t, s.skip == "", need.Python, s.skip)
	if s.err != nil {
		t.Fatalf("%v\n%s", s.err, s.output)
	}
	err := filepath.WalkDir(s.dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".html") {
			rel, _ := filepath.Rel(s.dir, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil || len(names) < 15 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	return s.dir, names
}

// document is a page: its links, those that a browser follows by itself, and the places
// to which links lead.
type document struct {
	links, loads []string
	ids          map[string]bool
	text         string
}

func parsed(t *testing.T, name string) *document {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	top, err := html.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	d := &document{ids: map[string]bool{}}
	var text strings.Builder
	for n := range top.Descendants() {
		if n.Type == html.TextNode {
			if p := n.Parent.Data; p != "script" && p != "style" && !within(n, "code") && !within(n, "pre") {
				text.WriteString(n.Data)
			}
			continue
		}
		rel := attribute(n, "rel")
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" || a.Key == "name" && n.Data == "a":
				d.ids[a.Val] = true
			case a.Key == "href" && n.Data == "link" && (rel == "canonical" || rel == "prev" || rel == "next"):
			case a.Key == "src", a.Key == "srcset", a.Key == "href" && n.Data == "link", a.Key == "data" && n.Data == "object":
				d.loads = append(d.loads, a.Val)
			case a.Key == "href":
				d.links = append(d.links, a.Val)
			}
		}
	}
	d.text = text.String()
	return d
}

func within(n *html.Node, tag string) bool {
	for p := range n.Ancestors() {
		if p.Data == tag {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestBuiltLinks: every link of the site leads to a page, a file, a heading of them, or a
// file of the repository; what a page loads is its own; no Markdown is left as text.
func TestBuiltLinks(t *testing.T) {
	dir, names := builtSite(t)
	docs := map[string]*document{}
	for _, name := range names {
		docs[name] = parsed(t, filepath.Join(dir, filepath.FromSlash(name)))
	}
	count := 0
	for _, name := range names {
		if strings.HasPrefix(name, "playground/") {
			continue // has tests of its own
		}
		d := docs[name]
		for _, link := range slices.Concat(d.links, d.loads) {
			count++
			u, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if file, ok := strings.CutPrefix(link, "https://github.com/dcopt/dcopt/"); ok && !slices.Contains(d.loads, link) {
				file, _, _ = strings.Cut(file, "#")
				if _, rest, blob := strings.Cut(file, "/main/"); blob {
					if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(rest))); err != nil {
						t.Errorf("%s: %s is not in the repository", name, link)
					}
				}
				continue
			}
			if u.Scheme != "" || u.Host != "" {
				if u.Scheme != "https" || slices.Contains(d.loads, link) {
					t.Errorf("%s: %s is of another place", name, link)
				}
				continue
			}
			to := path.Join(path.Dir(name), u.Path)
			if u.Path == "" {
				to = name
			}
			if name == "404.html" || strings.HasPrefix(u.Path, "/") {
				to = strings.TrimPrefix(strings.TrimPrefix(u.Path, "/dcopt"), "/")
			}
			if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(to))); err == nil && info.IsDir() {
				to = path.Join(to, "index.html")
			}
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: %s leads to %s, which is not there", name, link, to)
			} else if u.Fragment != "" && docs[to] != nil && !docs[to].ids[u.Fragment] && u.Fragment != "__skip" && !strings.HasPrefix(link, pages.Playground+"/index.html#") {
				t.Errorf("%s: %s: no such place in %s", name, link, to)
			}
		}
		for _, left := range []string{"|---", "](", "```", "{ .", "\n## "} {
			if strings.Contains(d.text, left) {
				_, after, _ := strings.Cut(d.text, left)
				t.Errorf("%s: Markdown is left as text: %q %.60q", name, left, after)
			}
		}
	}
	if count < 1000 {
		t.Errorf("%d links", count)
	}
}
