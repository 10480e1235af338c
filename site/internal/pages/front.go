package pages

import (
	"context"
	"fmt"
	"strings"
)

// front is the front page: the head of README.md beside the picture of a run, in the place of the
// picture there, then the rest of it as it stands, tables included.
func front(ctx context.Context, root, docs, readme string) (string, error) {
	_, body, ok := strings.Cut(readme, "# dcopt\n")
	if !ok {
		return "", fmt.Errorf("README.md does not begin with its heading")
	}
	lead, rest, ok := strings.Cut(strings.TrimLeft(body, "\n"), "\n\n![")
	if !ok {
		return "", fmt.Errorf("README.md has no picture after its first paragraphs")
	}
	_, rest, _ = strings.Cut(rest, "\n") // the run that is drawn here takes the picture's place
	run, err := Record(ctx, root)
	if err != nil {
		return "", err
	}
	commands, err := firstCommands(readme)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("---\ntitle: dcopt\ndescription: Difference-of-convex optimisation for Go, one library and one static program\nhide:\n  - toc\n---\n\n# dcopt\n\n")
	b.WriteString("<div class=\"front\" markdown>\n<div class=\"front-words\" markdown>\n\n")
	b.WriteString(lead + "\n\n")
	b.WriteString("```sh\n" + commands + "```\n\n")
	b.WriteString("[Install](docs/install.md){ .md-button .md-button--primary }\n[First problem in five minutes](docs/tutorial-first.md){ .md-button }\n\n</div>\n<figure class=\"front-picture\">\n")
	b.WriteString(run.SVG())
	fmt.Fprintf(&b, "\n<figcaption>%d circles pack themselves: %d points of the run of <code>dcopt solve</code> from one start of <code>examples/circle_packing.dc</code>, the first descent and each better point after it. "+
		"<button type=\"button\" id=\"again\" hidden>Play again</button></figcaption>\n</figure>\n</div>\n\n", len(run.Radii), len(run.Frames))
	b.WriteString(strings.TrimLeft(rest, "\n"))
	return b.String(), nil
}

// firstCommands is the block of README.md that makes a problem in an empty folder and solves it.
func firstCommands(readme string) (string, error) {
	const begin = "```sh\ndcopt new "
	_, rest, ok := strings.Cut(readme, begin)
	if !ok {
		return "", fmt.Errorf("README.md has no block %q", begin)
	}
	block, _, _ := strings.Cut(rest, "```")
	return "dcopt new " + block, nil
}
