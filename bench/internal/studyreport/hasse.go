package studyreport

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/stats"
)

// Sizes of the diagram, in pixels.
const (
	boxHeight, levelHeight = 30, 84
	letterWidth, gapWidth  = 8, 24
	margin                 = 10
)

// node has a place in the diagram: a group, or a point that a line passes on its
// way through a level.
type node struct {
	text  string // "": a point
	level int
	width int
	x     int   // of its middle
	above []int // nodes
}

// layout places groups by level. An edge over several levels gets a point in
// each of those between, so that it leads past the groups there.
func (r *Report) layout(d stats.Diagram) (nodes []node, width, levels int) {
	for k, members := range d.Groups {
		text := r.group(members)
		nodes = append(nodes, node{text: text, level: d.Level[k], width: letterWidth*len(text) + 20})
		levels = max(levels, d.Level[k]+1)
	}
	for _, e := range d.Edges {
		from := e[0]
		for l := d.Level[e[0]] + 1; l < d.Level[e[1]]; l++ {
			nodes = append(nodes, node{level: l, above: []int{from}})
			from = len(nodes) - 1
		}
		nodes[e[1]].above = append(nodes[e[1]].above, from)
	}
	rows := make([][]int, levels)
	for k, n := range nodes {
		rows[n.level] = append(rows[n.level], k)
	}
	rowWidth := func(row []int) (w int) {
		for _, k := range row {
			w += nodes[k].width + gapWidth
		}
		return w
	}
	for _, row := range rows {
		width = max(width, rowWidth(row))
	}
	for _, row := range rows {
		// Below the middle of what is above.
		slices.SortStableFunc(row, func(a, b int) int { return middle(nodes, a) - middle(nodes, b) })
		at := (width - rowWidth(row)) / 2
		for _, k := range row {
			nodes[k].x = margin + at + (nodes[k].width+gapWidth)/2
			at += nodes[k].width + gapWidth
		}
	}
	return nodes, width + 2*margin, levels
}

// middle of the nodes above k, which have their place; 0 if there are none.
func middle(nodes []node, k int) int {
	sum := 0
	for _, a := range nodes[k].above {
		sum += nodes[a].x
	}
	return sum / max(1, len(nodes[k].above))
}

// HasseSVG draws the diagram: a group above another, with a line between them, is
// significantly better.
func (r *Report) HasseSVG(d stats.Diagram) []byte {
	nodes, width, levels := r.layout(d)
	top := func(n node) int { return margin + n.level*levelHeight }
	height := max(1, levels)*levelHeight - (levelHeight - boxHeight) + 2*margin
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" `+
			`font-size="14">`+"\n", width, height, width, height)
	line := func(x1, y1, x2, y2 int) {
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#555" stroke-width="1.3"/>`+"\n", x1, y1, x2, y2)
	}
	for _, n := range nodes {
		for _, a := range n.above {
			line(nodes[a].x, top(nodes[a])+boxHeight, n.x, top(n))
		}
		if n.text == "" {
			line(n.x, top(n), n.x, top(n)+boxHeight)
		}
	}
	for _, n := range nodes {
		if n.text == "" {
			continue
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="#eef3fb" stroke="#4a6fa5"/>`+"\n",
			n.x-n.width/2, top(n), n.width, boxHeight)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", n.x, top(n)+20,
			html.EscapeString(n.text))
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
