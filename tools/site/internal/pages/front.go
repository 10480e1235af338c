package pages

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Front is the source of the front page.
const Front = "tools/site/front.md"

// front is the front page: tools/site/front.md with the picture of a run in the place of its mark.
// The picture of the site for others comes into docs.
func front(ctx context.Context, root, docs, text string) (string, error) {
	const mark = "<!-- picture -->\n"
	before, after, ok := strings.Cut(text, mark)
	if !ok {
		return "", fmt.Errorf("there is no line %q", mark)
	}
	run, err := Record(ctx, root)
	if err != nil {
		return "", err
	}
	if err := run.card(filepath.Join(docs, "assets", "card.png")); err != nil {
		return "", err
	}
	if before, err = withPlayground(before, titledProblems); err != nil {
		return "", err
	}
	if after, err = withPlayground(after, titledProblems); err != nil {
		return "", err
	}
	head := "---\ntitle: dcopt\nhide:\n  - navigation\n  - toc\n---\n\n"
	caption := fmt.Sprintf("\n<figcaption>%d circles pack themselves: a run of <code>dcopt solve</code> on "+
		"<code>examples/circle_packing.dc</code>. "+
		"<button type=\"button\" id=\"again\" hidden>Play again</button></figcaption>\n", len(run.Radii))
	return head + before + "<figure class=\"hero-picture\">\n" + run.SVG() + caption + "</figure>\n" + after, nil
}
