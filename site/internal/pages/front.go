package pages

import (
	"context"
	"fmt"
	"strings"
)

// front is the front page: the picture and the head of README.md, then the rest of it as
// it stands, tables included.
func front(ctx context.Context, root, docs, readme string) (string, error) {
	_, body, ok := strings.Cut(readme, "# dcopt\n")
	if !ok {
		return "", fmt.Errorf("README.md does not begin with its heading")
	}
	lead, rest, ok := strings.Cut(strings.TrimLeft(body, "\n"), "\n\n")
	if !ok {
		return "", fmt.Errorf("README.md has no first paragraph")
	}
	run, err := Record(ctx, root)
	if err != nil {
		return "", err
	}
	commands, err := twoCommands(readme)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("---\ntitle: dcopt\ndescription: Difference-of-convex optimisation for Go, one library and one static program\nhide:\n  - toc\n---\n\n# dcopt\n\n")
	b.WriteString("<div class=\"front\" markdown>\n<div class=\"front-words\" markdown>\n\n")
	b.WriteString(lead + "\n\n")
	b.WriteString("```sh\n" + strings.Join(commands, "\n") + "\n```\n\n")
	b.WriteString("[First problem in five minutes](docs/tutorial-first.md){ .md-button .md-button--primary }\n[The language](docs/language.md){ .md-button }\n\n</div>\n<figure class=\"front-picture\">\n")
	b.WriteString(run.SVG())
	fmt.Fprintf(&b, "\n<figcaption>%d circles pack themselves: %d points of the run of <code>dcopt solve</code> from one start of <code>examples/circle_packing.dc</code>, the first descent and each better point after it. "+
		"<button type=\"button\" id=\"again\" hidden>Play again</button></figcaption>\n</figure>\n</div>\n\n", len(run.Radii), len(run.Frames))
	b.WriteString(strings.TrimLeft(rest, "\n"))
	return b.String(), nil
}

// twoCommands are those that README.md gives to install the program and to solve a first
// problem, in this order.
func twoCommands(readme string) ([]string, error) {
	var out []string
	for _, begin := range []string{"go install github.com/dcopt/dcopt/", "go run ./cmd/dcopt solve "} {
		_, rest, ok := strings.Cut(readme, begin)
		if !ok {
			return nil, fmt.Errorf("README.md has no command %q", begin)
		}
		line, _, _ := strings.Cut(rest, "\n")
		out = append(out, strings.Replace(begin, "go run ./cmd/dcopt", "dcopt", 1)+line)
	}
	return out, nil
}
