package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/page"
)

func report() *page.Report {
	r := &page.Report{}
	r.Heading(1, "Title")
	r.Text("A line of <%s>, gone on with.", "text")
	r.Heading(2, "Part_1")
	r.Table("problem", "a & b", "message")
	r.Row("x_1", page.Best("2.0", true), "")
	r.Row("y", "(3)", "half | {it}")
	r.Picture(`Profile of "x"`, "profile.svg")
	r.List("one: 1", "two")
	return r
}

func TestMarkdown(t *testing.T) {
	const want = `# Title

A line of <text>, gone on with.

## Part_1

| problem | a & b | message |
|---|---|---|
| x_1 | **2.0** | |
| y | (3) | half / {it} |

![Profile of "x"](profile.svg)

- one: 1
- two
`
	if got := report().Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func svg(name string) ([]byte, error) {
	if name != "profile.svg" {
		return nil, errors.New("no picture " + name)
	}
	return []byte("<?xml version=\"1.0\"?>\n<svg width=\"9\"><text style=\"font-family:Liberation Serif;x:y\">p</text></svg>\n"), nil
}

func TestHTML(t *testing.T) {
	body, err := report().HTML(svg)
	if err != nil {
		t.Fatal(err)
	}
	want := `<h1>Title</h1>
<p>A line of &lt;text&gt;, gone on with.</p>
<h2>Part_1</h2>
<div class="wide"><table>
<tr><th class="text">problem</th><th>a &amp; b</th><th class="text">message</th></tr>
<tr><td class="text">x_1</td><td class="best">2.0</td><td class="text"></td></tr>
<tr><td class="text">y</td><td>(3)</td><td class="text">half / {it}</td></tr>
</table></div>
<div class="wide picture" role="img" aria-label="Profile of &#34;x&#34;"><svg width="9"><text style="font-family:Liberation Serif;x:y">p</text></svg>
</div>
<ul>
<li>one: 1</li>
<li>two</li>
</ul>
`
	if string(body) != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	for _, bad := range []string{"other.svg", "profile.svg"} {
		none := func(name string) ([]byte, error) {
			if name == "profile.svg" {
				return []byte("nothing"), nil
			}
			return svg(name)
		}
		r := &page.Report{}
		r.Picture("x", bad)
		if _, err := r.HTML(none); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

func TestLaTeX(t *testing.T) {
	want := `% Part_1
\begin{tabular}{lrl}
\toprule
problem & a \& b & message \\
\midrule
x\_1 & \textbf{2.0} &  \\
y & (3) & half / \{it\} \\
\bottomrule
\end{tabular}

`
	if got := report().LaTeX(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWrite: the page is well-formed, and links to its sections where there are
// several.
func TestWrite(t *testing.T) {
	body, err := report().HTML(svg)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		sections := []page.Section{{Name: "one <1>", Body: body}, {Name: "two", Body: "<p>2</p>"}}[:n]
		var b strings.Builder
		if err := page.Write(&b, "a & b", sections...); err != nil {
			t.Fatal(err)
		}
		in := xml.NewDecoder(strings.NewReader(b.String()))
		in.Strict, in.AutoClose, in.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		for {
			if _, err := in.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(b.String(), "<title>a &amp; b</title>") {
			t.Error("the title is missing")
		}
		if got := strings.Count(b.String(), `<a href="#part`); got != 2*(n-1) {
			t.Errorf("%d sections, %d links", n, got)
		}
	}
}
