//go:build !race

package site

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dcopt/dcopt/internal/need"
)

// complaints are what pages write to the console, throw, or ask of other hosts.
type complaints struct {
	mu   sync.Mutex
	host string
	list []string
}

func (c *complaints) add(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, s)
}

// take is the list, which is empty afterwards.
func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	return list
}

// listen collects the complaints of a tab.
func (c *complaints) listen(ctx context.Context) {
	chromedp.ListenTarget(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u, err := url.Parse(ev.Request.URL); err != nil || u.Host != c.host && u.Scheme != "data" && u.Scheme != "blob" {
				c.add("request to " + ev.Request.URL)
			}
		case *network.EventResponseReceived:
			if ev.Response.Status >= 400 {
				c.add("no " + ev.Response.URL)
			}
		case *runtime.EventExceptionThrown:
			c.add("exception: " + ev.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if ev.Type == runtime.APITypeError || ev.Type == runtime.APITypeWarning {
				text, _ := json.Marshal(ev.Args)
				c.add("console: " + string(text))
			}
		case *log.EventEntryAdded:
			if ev.Entry.Level == log.LevelError {
				c.add("log: " + ev.Entry.Text)
			}
		}
	})
}

// tab opens a tab of a browser of its own, which ends with the test.
func tab(t *testing.T, host string) (context.Context, *complaints) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(need.Program(t, need.Chromium)), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(60*time.Second))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // events that this version does not know
	t.Cleanup(stop)
	c := &complaints{host: host}
	if err := chromedp.Run(ctx, network.Enable(), log.Enable()); err != nil {
		t.Fatal(err)
	}
	c.listen(ctx)
	return ctx, c
}

// faults looks at the page as it stands: what is wider than it, text that is hard to
// read, what has no name for those who cannot see it.
const faults = `(() => {
  const bad = [];
  const shown = (e) => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && getComputedStyle(e).visibility !== "hidden"; };
  const tell = (e) => e.outerHTML.slice(0, 120);
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) {
    bad.push("the page is " + document.documentElement.scrollWidth + " wide, the screen " + wide);
    for (const e of document.querySelectorAll("article *"))
      if (e.getBoundingClientRect().right > wide + 1 && !e.closest("pre, .md-typeset__scrollwrap")) { bad.push("too wide: " + tell(e)); break; }
  }
  if (!document.documentElement.lang) bad.push("no language");
  if (!document.title) bad.push("no title");
  if (document.querySelectorAll("h1").length !== 1) bad.push(document.querySelectorAll("h1").length + " headings of the first order");
  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) { if (ids.has(e.id)) bad.push("twice the id " + e.id); ids.add(e.id); }
  for (const e of document.querySelectorAll("img")) {
    if (!e.alt) bad.push("no alt: " + tell(e));
    if (e.complete && e.naturalWidth === 0) bad.push("no picture: " + tell(e));
  }
  for (const e of document.querySelectorAll("thead")) if (shown(e) && !e.innerText.trim()) bad.push("empty titles of columns: " + tell(e));
  for (const e of document.querySelectorAll("svg[role=img]")) if (!e.getAttribute("aria-label")) bad.push("no label: " + tell(e));
  for (const e of document.querySelectorAll("a[href], button, input:not([type=hidden]):not(.md-toggle), select, textarea")) {
    if (!shown(e) || e.closest("[aria-hidden=true]")) continue;
    const name = (e.innerText || e.textContent || "").trim() || e.getAttribute("aria-label") || e.title || e.placeholder || (e.labels && e.labels.length && "x") || [...e.querySelectorAll("img")].map((i) => i.alt).join("");
    if (!name) bad.push("no name: " + tell(e));
  }
  // Contrast: text against the nearest opaque background, as WCAG 2 computes it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1); const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const over = (a, b) => [0, 1, 2].map((k) => a[k] * a[3] + b[k] * (1 - a[3])).concat(1);
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const colours = new Map(), known = new Map();
  const colour = (css) => { if (!colours.has(css)) colours.set(css, rgba(css)); return colours.get(css); };
  const around = (e) => { // what is behind the text of an element, and how opaque it is
    if (!e) return { under: [255, 255, 255, 1], opacity: 1 };
    if (!known.has(e)) {
      const style = getComputedStyle(e), outer = around(e.parentElement);
      known.set(e, { under: over(colour(style.backgroundColor), outer.under), opacity: outer.opacity * style.opacity });
    }
    return known.get(e);
  };
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || !shown(e) || e.closest("script, style, svg, [aria-hidden=true], .md-search, .headerlink")) continue;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const { under, opacity } = around(e);
    if (opacity < 0.1) continue;
    const ink = colour(style.color).slice(); ink[3] *= opacity;
    const l = [light(over(ink, under)), light(under)].sort((a, b) => b - a), ratio = (l[0] + 0.05) / (l[1] + 0.05);
    const need = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5;
    const what = "contrast " + ratio.toFixed(2) + ": " + style.color + " on " + under.map(Math.round) + " in " + e.tagName + "." + e.className;
    if (ratio < need - 0.005 && !seen.has(what)) { seen.add(what); bad.push(what + ": " + n.data.trim().slice(0, 40)); }
  }
  // By the keyboard: what scrolls can be reached.
  for (const e of document.querySelectorAll("article pre > code, article .md-typeset__scrollwrap"))
    if (e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0) bad.push("scrolls, but not by keys: " + tell(e));
  return bad;
})()`

// TestPages opens every page at the widths of a screen and of a phone, in light and dark.
func TestPages(t *testing.T) {
	t.Parallel()
	dir, names := builtSite(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	shots := os.Getenv("DCOPT_SCREENSHOTS") // a folder for pictures of the pages, to look at
	for _, screen := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"wide", 1280, 900, "light"}, {"phone", 390, 844, "dark"}} {
		// A browser of its own: the theme keeps the scheme that it has begun with.
		ctx, c := tab(t, strings.TrimPrefix(server.URL, "http://"))
		err := chromedp.Run(ctx, chromedp.EmulateViewport(screen.width, screen.height),
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: screen.scheme}}))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasPrefix(name, "playground/") || name == "404.html" {
				continue
			}
			var bad []string
			if err := chromedp.Run(ctx, chromedp.Navigate(server.URL+"/"+name), chromedp.Evaluate(faults, &bad)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var scheme string
			if err := chromedp.Run(ctx, chromedp.Evaluate(`document.body.dataset.mdColorScheme`, &scheme)); err != nil || (scheme == "slate") != (screen.scheme == "dark") {
				t.Errorf("%s, %s: the scheme is %s (%v)", name, screen.name, scheme, err)
			}
			for _, b := range append(bad, c.take()...) {
				t.Errorf("%s, %s: %s", name, screen.name, b)
			}
			if shots != "" {
				var png []byte
				if err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&png)); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(shots, strings.TrimSuffix(name, ".html")+"-"+screen.name+".png"), png, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// questions are texts that readers type into the search, each with the page and the heading that
// answer it. Those before the word of a function are asked by a reader with the site alone, who
// looks at the first results; further down all results count.
var questions = []struct{ text, page, heading string }{
	// Ten questions, each in three wordings.
	{"at most three assets", "faq", "How do I state at most three assets"},
	{"cardinality constraint", "faq", "How do I state at most three assets"},
	{"limit the number of nonzeros", "faq", "How do I state at most three assets"},
	{"stalled", "faq", "What does stalled mean"},
	{"what does stalled mean", "faq", "What does stalled mean"},
	{"why did it not converge", "faq", "What does stalled mean"},
	{"which solver", "faq", "Which solver should I choose"},
	{"choose backend", "faq", "Which solver should I choose"},
	{"which backend should I use", "faq", "Which solver should I choose"},
	{"how good is the answer", "faq", "How good is the answer"},
	{"is the result optimal", "faq", "How good is the answer"},
	{"global optimum", "faq", "How good is the answer"},
	{"call from Python", "faq", "How do I call it from Python"},
	{"use in Python", "faq", "How do I call it from Python"},
	{"CVXPY", "tutorial-cvxpy", "From CVXPY and DCCP"},
	{"integer", "faq", "Can variables be integers"},
	{"binary variables", "faq", "Can variables be integers"},
	{"can variables be integers", "faq", "Can variables be integers"},
	{"starting point", "faq", "How do I give a starting point"},
	{"initial guess", "faq", "How do I give a starting point"},
	{"how to set the start", "faq", "How do I give a starting point"},
	{"infeasible", "faq", "What does infeasible mean"},
	{"no feasible point", "faq", "What does infeasible mean"},
	{"constraints cannot be satisfied", "faq", "What does infeasible mean"},
	{"QP file", "faq", "How do I solve a QP file"},
	{"quadratic program MPS", "faq", "How do I solve a QP file"},
	{"solve qps file", "faq", "How do I solve a QP file"},
	{"sine", "faq", "How do I write a sine"},
	{"sin of a variable", "faq", "How do I write a sine"},
	{"trigonometric functions", "faq", "How do I write a sine"},
	{function, "card", "Language card"},
	{"fixed cost", "cookbook", "A fixed cost"},
	{"battery", "cookbook", "Never both"},
	{"docker", "install", "Archives, packages and a container"},
	{"exit codes", "cli", "Exit codes"},
	{"SCIP", "comparison", "SCIP"},
}

// function is the first of the questions that are answered further down, too.
const function = "lambda_sumlargest"

// firstResults is among how many results of a search the answer has to be. Source: as many as are
// seen without scrolling.
const firstResults = 8

// TestSearch: the search answers questions within its first results, by keys alone, from a server
// and from a folder without one; the first Tab leads past the navigation.
func TestSearch(t *testing.T) {
	dir, _ := builtSite(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	// Results have the words in their addresses, behind h=.
	const links = `const all = (top) => [...top.querySelectorAll("*")].flatMap((e) => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
		const links = all(document).filter((e) => e.tagName === "A" && /[?&]h=/.test(e.href));`
	for _, base := range []string{server.URL, "file://" + filepath.ToSlash(dir)} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		ctx, c := tab(t, u.Host)
		var skip string
		if err := chromedp.Run(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(base+"/schemas.html"), chromedp.KeyEvent(kb.Tab),
			chromedp.Evaluate(`document.activeElement.getAttribute("href") || document.activeElement.outerHTML`, &skip),
			chromedp.KeyEvent("/"), chromedp.Sleep(500*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(skip, "#") {
			t.Errorf("%s: the first Tab leads to %s", base, skip)
		}
		asked := questions
		if u.Host == "" {
			asked = questions[:1]
		}
		most := firstResults
		for k, q := range asked {
			if q.text == function {
				most = 1000
			}
			write := chromedp.KeyEvent(q.text)
			if k > 0 { // all at once: each key of the first question was a search
				write = input.InsertText(q.text)
			}
			// The results of the question before go as its text goes.
			if err := chromedp.Run(ctx, chromedp.KeyEvent("a", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.KeyEvent(kb.Backspace),
				chromedp.Poll(`(() => {`+links+`return links.length === 0; })()`, nil, chromedp.WithPollingTimeout(30*time.Second))); err != nil {
				t.Fatalf("%s: results of no question before %q: %v", base, q.text, err)
			}
			var found string
			script := fmt.Sprintf(`(() => {%s
				const results = links.slice(0, %d).filter((e) => e.href.includes(%q));
				return results.map((e) => e.innerText).find((s) => s.includes(%q)) || "";
			})()`, links, most, "/"+q.page+".html", q.heading)
			if err := chromedp.Run(ctx, write, chromedp.Poll(script, &found, chromedp.WithPollingTimeout(30*time.Second))); err != nil {
				t.Errorf("%s: the search for %q does not find %q of %s: %v", base, q.text, q.heading, q.page, err)
			}
		}
		for _, b := range c.take() {
			t.Errorf("%s: %s", base, b)
		}
	}
}
