package pages

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Repository is where files stand that are no pages.
const Repository = "https://github.com/dcopt/dcopt"

// Page is a page of the site.
type Page struct {
	Title  string // in the navigation
	Source string // its Markdown, from the root of the repository
	Name   string // of the page, from the root of the site
}

// Section is a heading of the navigation with its pages.
type Section struct {
	Title string
	Pages []Page
}

// optional are pages that other parts of the repository bring: they appear when they exist.
var optional = []string{"docs/gallery.md"}

// Playground is the folder of the playground in the site; it has no Markdown.
const Playground = "playground"

// lab is the folder of laboratory pages, which stay out of the site: links to them lead to the
// repository.
const lab = "docs/lab"

// Navigation is the order of the pages. Other files of docs/ follow in the section
// Reference, see Existing.
func Navigation() []Section {
	doc := func(title, name string) Page { return Page{title, "docs/" + name, name} }
	return []Section{
		{"Start", []Page{
			{"dcopt", Front, "index.md"},
			doc("Install", "install.md"),
			doc("What is a DC problem", "dc.md"),
			doc("First problem in five minutes", "tutorial-first.md"),
			doc("A Go program", "tutorial-go.md"),
			doc("From CVXPY and DCCP", "tutorial-cvxpy.md"),
			doc("Questions", "faq.md"),
		}},
		{"Problems", []Page{
			doc("Cookbook", "cookbook.md"),
			doc("Gallery", "gallery.md"),
			doc("Gallery: data, costs, decisions", "gallery-data.md"),
			{"Examples", "examples/README.md", "examples.md"},
		}},
		{"Guides", []Page{
			doc("How it works, what an answer means", "how.md"),
			doc("Modelling", "modelling.md"),
			doc("Choosing a solver", "solvers.md"),
			doc("Large problems", "large.md"),
			doc("Derivatives of solutions", "derivatives.md"),
			doc("Piecewise linear regression", "lder.md"),
			doc("Messages", "messages.md"),
			doc("Comparison", "comparison.md"),
			doc("Measurements", "measured.md"),
			doc("Beside CVXPY and DCCP", "python.md"),
			doc("CVXPY's functions", "python-atoms.md"),
		}},
		{"Reference", []Page{
			doc("Language card", "card.md"),
			doc("The language", "language.md"),
			doc("Data, tables, complex numbers", "data.md"),
			doc("How functions are split", "splits.md"),
			doc("Atoms", "atoms.md"),
			doc("The command line", "cli.md"),
			doc("Solving from the command line", "solve.md"),
			doc("Results as JSON", "json.md"),
			doc("Regression from the command line", "fit.md"),
			doc("Plans and shards", "plan.md"),
			doc("Checking answers", "guarantees.md"),
			doc("From Go", "go.md"),
			{"From Python", "python/README.md", "python-package.md"},
			doc("Editors", "editors.md"),
			doc("The procedure in detail", "ccp.md"),
			doc("The worker's protocol", "protocol.md"),
			doc("Requests of the protocol", "protocol-requests.md"),
			doc("JSON schemas", "schemas.md"),
			doc("Several machines", "cluster.md"),
			doc("The playground", "playground.md"),
		}},
		{"Design", []Page{
			{"Contributing", "CONTRIBUTING.md", "contributing.md"},
			doc("The graph of arrays", "design-graph.md"),
			doc("How to add an atom", "design-atom.md"),
			doc("How to add a backend", "design-backend.md"),
			doc("How to add a command", "design-command.md"),
			doc("What stays compatible", "compatibility.md"),
			{"Changes", "CHANGELOG.md", "changelog.md"},
		}},
	}
}

// Existing is Navigation without the optional pages that are not there, and with the files
// of docs/ that it does not list, under their headings.
func Existing(root string) ([]Section, error) {
	sections := Navigation()
	listed := map[string]bool{}
	for k := range sections {
		sections[k].Pages = slices.DeleteFunc(sections[k].Pages, func(p Page) bool {
			listed[p.Source] = true
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(p.Source)))
			return err != nil && slices.Contains(optional, p.Source)
		})
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if listed["docs/"+name] {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(raw), "# "), "\n")
		at := slices.IndexFunc(sections, func(s Section) bool { return s.Title == "Reference" })
		sections[at].Pages = append(sections[at].Pages, Page{strings.Trim(title, "` "), "docs/" + name, name})
	}
	return sections, nil
}

// Compose writes the sources of the site into dst, a folder that it makes: the folder
// docs and overrides, and zensical.toml. root is the folder of the repository. A folder playground
// is to be beside the pages.
func Compose(ctx context.Context, root, dst string) error {
	sections, err := Existing(root)
	if err != nil {
		return err
	}
	docs := filepath.Join(dst, "docs")
	if err := os.RemoveAll(docs); err != nil {
		return err
	}
	if err := copyTree(filepath.Join(root, "docs"), docs); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dst, filepath.FromSlash(lab))); err != nil {
		return err
	}
	site := filepath.Join(root, "tools", "site")
	if err := copyTree(filepath.Join(site, "assets"), filepath.Join(docs, "assets")); err != nil {
		return err
	}
	if err := copyTree(filepath.Join(site, "overrides"), filepath.Join(dst, "overrides")); err != nil {
		return err
	}
	names := map[string]string{"README.md": "index.md"} // page by source
	for _, s := range sections {
		for _, p := range s.Pages {
			names[p.Source] = p.Name
		}
	}
	for _, s := range sections {
		for _, p := range s.Pages {
			raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.Source)))
			if err != nil {
				return err
			}
			text, err := dressed(ctx, root, docs, p, string(raw))
			if err != nil {
				return fmt.Errorf("%s: %w", p.Source, err)
			}
			if text, err = relinked(root, p, text, names); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(docs, p.Name), []byte(text), 0o666); err != nil {
				return err
			}
		}
	}
	return configure(root, dst, sections)
}

// dressed is the text of a page with all that the build adds to it.
func dressed(ctx context.Context, root, docs string, p Page, text string) (string, error) {
	text = highlighted(text)
	switch p.Source {
	case "CHANGELOG.md": // not in the search
		return "---\nsearch:\n  exclude: true\n---\n\n" + text, nil
	case "docs/comparison.md": // a table of many columns
		return "---\nhide:\n  - toc\n---\n\n" + text, nil
	case Front:
		return front(ctx, root, docs, text)
	case "docs/cookbook.md":
		return withPlayground(text, problems)
	case "docs/gallery.md", "docs/gallery-data.md":
		return withGallery(root, text)
	case "docs/messages.md":
		return withMessages(root, text)
	case "docs/atoms.md":
		return withGraphs(docs, text)
	}
	return text, nil
}

// fences are the opening lines of blocks in the language of problem files, for which the
// highlighter knows a relative, AMPL.
var fences = regexp.MustCompile("(?m)^```dc\\b")

func highlighted(text string) string { return fences.ReplaceAllString(text, "```ampl") }

// link is the end of a link or picture in Markdown, ](target).
var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// relinked has the links of a page as they hold in the site: to pages by their names, to
// other files in the repository.
func relinked(root string, p Page, text string, names map[string]string) (string, error) {
	var wrong error
	out := OutsideCode(text, func(part string) string {
		return link.ReplaceAllStringFunc(part, func(m string) string {
			target := m[2 : len(m)-1]
			if strings.Contains(target, ":") || strings.HasPrefix(target, "#") {
				return m
			}
			file, anchor, hash := strings.Cut(target, "#")
			source := path.Join(path.Dir(p.Source), file)
			if strings.HasPrefix(file, "/") {
				wrong = fmt.Errorf("%s: link %s begins at the root", p.Source, target)
			}
			info, err := os.Stat(filepath.Join(root, filepath.FromSlash(source)))
			name, isPage := names[source]
			switch {
			case isPage:
				file = name
			case err != nil && strings.HasPrefix(source, "docs/graphs/"):
				file = strings.TrimPrefix(source, "docs/") // made by the build
			case err != nil: // TestDocuments says so; the site is built all the same
				file = Repository + "/blob/main/" + source
			case strings.HasPrefix(source, "docs/") && !strings.HasPrefix(source, lab+"/") && !info.IsDir():
				file = strings.TrimPrefix(source, "docs/")
			case info.IsDir():
				file = Repository + "/tree/main/" + source
			default:
				file = Repository + "/blob/main/" + source
			}
			if hash {
				file += "#" + anchor
			}
			return "](" + file + ")"
		})
	})
	return out, wrong
}

// OutsideCode applies f to the parts of a Markdown text that are no fenced blocks.
func OutsideCode(text string, f func(string) string) string {
	var out, part strings.Builder
	inside := false
	for _, line := range strings.SplitAfter(text, "\n") {
		fence := strings.HasPrefix(strings.TrimLeft(line, " "), "```")
		if fence && !inside {
			out.WriteString(f(part.String()))
			part.Reset()
		}
		if inside || fence {
			out.WriteString(line)
		} else {
			part.WriteString(line)
		}
		if fence {
			inside = !inside
		}
	}
	out.WriteString(f(part.String()))
	return out.String()
}

// configure writes the configuration of the generator: tools/site/zensical.toml with the
// navigation.
func configure(root, dst string, sections []Section) error {
	raw, err := os.ReadFile(filepath.Join(root, "tools", "site", "zensical.toml"))
	if err != nil {
		return err
	}
	const mark = "# nav\n"
	head, tail, ok := strings.Cut(string(raw), mark)
	if !ok {
		return fmt.Errorf("tools/site/zensical.toml has no line %q", mark)
	}
	var nav strings.Builder
	nav.WriteString("nav = [\n")
	for k, s := range sections {
		fmt.Fprintf(&nav, "  { %q = [\n", s.Title)
		for _, p := range s.Pages {
			fmt.Fprintf(&nav, "    { %q = %q },\n", p.Title, p.Name)
		}
		if k == 0 {
			fmt.Fprintf(&nav, "    { %q = %q },\n", "Playground", Playground+"/index.html")
		}
		nav.WriteString("  ] },\n")
	}
	nav.WriteString("]\n")
	number, err := version(root)
	if err != nil {
		return err
	}
	text := strings.ReplaceAll(head+nav.String()+tail, "VERSION", number)
	return os.WriteFile(filepath.Join(dst, "zensical.toml"), []byte(text), 0o666)
}

// versionLine is the line of CHANGELOG.md that names the newest version, or the first one before it
// is published.
var versionLine = regexp.MustCompile(`(?m)^(## |The first version, )(\d+\.\d+\.\d+)`)

// version is the newest version that CHANGELOG.md names, with -dev behind it if it is not
// published.
func version(root string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	m := versionLine.FindSubmatch(raw)
	if m == nil {
		return "", fmt.Errorf("CHANGELOG.md names no version")
	}
	if string(m[1]) != "## " {
		return string(m[2]) + "-dev", nil
	}
	return string(m[2]), nil
}

// copyTree copies the files of a folder.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o666)
	})
}
