//go:build !race

package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	// runsOff would take hours, in short steps; longStep has a step that takes minutes.
	runsOff = "var x[60] in [-1, 1]\n" +
		"minimize sum(i in 1..60, j in 1..60) (x[i]*x[j]*(i - j)^2 - abs(x[i] - x[j]))\noption starts = 1000000\n"
	longStep = "param n = 500\nvar x[n] in [-1, 1]\nminimize sum(i in 1..n, j in 1..n, k in 1..3) abs(x[i] - k*x[j])\n"
	small    = "var x in [-2, 3] start 2\nminimize abs(x) - 2*abs(x - 1)\n"
)

func TestPage(t *testing.T) {
	b := start(t)
	for _, test := range []struct {
		name string
		run  func(t *testing.T, b *browser)
	}{
		{"first", opensSolved}, {"answer", ages}, {"request", asks}, {"language", explains}, {"stop", stops}, {"checks", givesUp}, {"diagnostics", diagnoses}, {"files", takesFiles}, {"pasted", refusesPaste}, {"keyboard", byKeyboard},
		{"phone", onPhone}, {"link", byLink}, {"kept", keeps}, {"without WebAssembly", withoutEngine}, {"offline", offlineToo}, {"damaged", survives},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, b) })
	}
}

// stops: a solve that runs off ends with its best point; one that does not listen is ended.
func stops(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.write(runsOff)
	p.press("#solve")
	p.until(`document.querySelector("#head dd")?.textContent === "solving" && document.querySelectorAll("#pictures canvas").length > 0`)
	begin := time.Now()
	p.press("#stop")
	p.until(`document.getElementById("state").textContent === "cancelled"`)
	t.Logf("stopped after %v", time.Since(begin))
	var a answer
	if err := json.Unmarshal([]byte(js[string](p, "window.playground.answer()")), &a); err != nil || a.Status != "cancelled" || !a.Feasible || len(a.Variables) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	p.write(longStep)
	p.press("#solve")
	time.Sleep(300 * time.Millisecond)
	p.press("#stop")
	p.shows("message", "Stopped before there was a point")
	// The next engine, which is not ready at once, hears a stop, too.
	p.do(chromedp.Evaluate(`(() => {
		window.playground.solver().worker.dispatchEvent(new MessageEvent("message", { data: { kind: "died", reason: "to begin anew" } }));
		document.getElementById("message").textContent = "";
		document.getElementById("solve").click();
		document.getElementById("stop").click();
	})()`, nil))
	p.shows("message", "Stopped before there was a point")
	p.write(small)
	p.press("#solve")
	p.until(`document.getElementById("state").textContent === "converged"`)
	if got := p.text("head"); !strings.Contains(got, "-4") {
		t.Errorf("after a stop: %s", got)
	}
}

// diagnoses: mistakes are shown as one types, under the cursor, and go with them.
func diagnoses(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.write("var x in [0, 1]\nminimize foo(x)\n")
	p.shows("diagnostics", "line 2: error: unknown function")
	p.press("#diagnostics button")
	p.shows("hint", "unknown function")
	if n := js[int](p, `document.querySelectorAll("#shade .wrong").length`); n == 0 {
		t.Error("nothing is underlined")
	}
	p.press("#solve")
	p.shows("state", "mistakes")
	p.write("var x in [0, 1]\nminimize x^2\n")
	p.until(`document.getElementById("diagnostics").textContent === "" && document.getElementById("hint").textContent === ""`)
	p.shows("split", "convex")
	p.press("#format")
	p.until(`window.playground.text() === "var   x in [0, 1]\nminimize  x^2\n"`)
	if n := js[int](p, `document.querySelectorAll("#shade .keyword").length`); n < 2 {
		t.Errorf("%d keywords have a colour", n)
	}
}

// takesFiles: data by name, and messages for files of other kinds.
func takesFiles(t *testing.T, b *browser) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	image := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), bytes.Repeat([]byte{0, 255, 7}, 1000)...)
	p := b.open(t, "", 1280)
	p.ready()
	p.write("param a = csv(\"some/numbers.csv\")\nvar x[len(a)]\nminimize sumsq(x - a)\n")
	p.shows("diagnostics", "numbers.csv")
	p.do(chromedp.SetUploadFiles("#picker", []string{file("numbers.csv", []byte("1\n2\n3\n"))}))
	p.until(`document.getElementById("diagnostics").textContent === ""`)
	p.press("#solve")
	p.until(`document.getElementById("state").textContent === "converged"`)
	if a := js[string](p, "window.playground.answer()"); !strings.Contains(a, `"x":[1,2,3]`) && !strings.Contains(a, `"x":[0.99`) && !strings.Contains(a, `"x":[1.0`) {
		t.Errorf("the answer is %.300s", a)
	}
	p.do(chromedp.SetUploadFiles("#picker", []string{file("picture.png", image)}))
	p.shows("message", "picture.png is of a kind that problems do not read")
	p.do(chromedp.SetUploadFiles("#picker", []string{file("numbers.csv", image)}))
	p.shows("diagnostics", "numbers.csv")
	p.do(chromedp.SetUploadFiles("#picker", []string{file("picture.dc", image)}))
	p.shows("message", "no problem file")
	big, err := os.Create(filepath.Join(dir, "big.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(100 << 20); err != nil {
		t.Fatal(err)
	}
	big.Close()
	p.do(chromedp.SetUploadFiles("#picker", []string{big.Name()}))
	p.shows("message", "at most 64 MB")
	p.press(`#files button[aria-label="Remove numbers.csv"]`)
	p.shows("diagnostics", "numbers.csv")
	p.do(chromedp.SetUploadFiles("#picker", []string{file("small.dc", []byte(small))}))
	p.until(`window.playground.text().startsWith("var x in [-2, 3]")`)
}

// refusesPaste: of 100 MB pasted there is a message, and the text stays.
func refusesPaste(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.write(small)
	begin := time.Now()
	js[bool](p, `(() => {
		const data = new DataTransfer();
		data.setData("text/plain", "1,2,3,4,5\n".repeat(10_000_000));
		const e = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
		return document.getElementById("text").dispatchEvent(e);
	})()`)
	p.shows("message", "the editor takes 1,000,000")
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("the page was busy for %v", took)
	}
	p.write(strings.Repeat("# a line of a comment\n", 60_000)) // by a way that asks nobody
	p.until(`window.playground.text().startsWith("var x in")`)
	p.press("#solve")
	p.until(`document.getElementById("state").textContent === "converged"`)
}

// byKeyboard: all of it works without a mouse.
func byKeyboard(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.do(chromedp.Focus("#text"), chromedp.KeyEvent("a", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent("var x in [0, 1]\rminimize -x\r"))
	p.until(`window.playground.text() === "var x in [0, 1]\nminimize -x\n"`)
	p.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(input.ModifierCtrl)))
	p.until(`document.getElementById("state").textContent === "converged"`)
	p.write(runsOff)
	p.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(input.ModifierCtrl)))
	p.until(`!document.getElementById("stop").disabled && document.getElementById("head").textContent.includes("solving")`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until(`document.getElementById("state").textContent === "cancelled"`)
	p.do(chromedp.Focus("#tab-table"), chromedp.KeyEvent(kb.ArrowRight))
	p.until(`!document.getElementById("json").hidden && document.getElementById("table").hidden && document.activeElement.id === "tab-json"`)
	// Tab reaches everything that a mouse does, and leaves the editor again.
	p.do(chromedp.Focus("#examples"))
	seen := map[string]bool{}
	for range 24 {
		seen[js[string](p, "document.activeElement.id")] = true
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	for _, id := range []string{"examples", "upload", "format", "share", "card", "text", "solve", "starts", "seed", "effort", "prove", "tab-json", "save", "json"} {
		if !seen[id] {
			t.Errorf("Tab does not reach %s, but %v", id, seen)
		}
	}
	if bare := js[string](p, `[...document.querySelectorAll("button, select, textarea, input, canvas")].filter((n) => !(n.textContent.trim() || n.getAttribute("aria-label") || (n.labels && n.labels.length))).map((n) => n.outerHTML).join(" ")`); bare != "" {
		t.Errorf("without a label: %s", bare)
	}
}

// onPhone: at 390 px nothing is wider than the screen, and what is pressed is large enough.
func onPhone(t *testing.T, b *browser) {
	p := b.open(t, "", 390)
	p.ready()
	for _, name := range []string{"circle_packing", "low_rank", "sparse_lder"} {
		p.do(chromedp.Evaluate(fmt.Sprintf(`(() => { const e = document.getElementById("examples"); e.value = %q; e.dispatchEvent(new Event("change")); })()`, name), nil))
		p.until(`document.getElementById("split").textContent.includes("How the procedure sees")`)
		p.press("#solve")
		p.until(`!document.getElementById("solve").disabled && document.getElementById("state").textContent === "converged"`)
		for _, tab := range []string{"json", "split", "table"} {
			p.press("#tab-" + tab)
			if wide := js[int](p, "document.documentElement.scrollWidth"); wide > 390 {
				t.Errorf("%s, %s: the page is %d px wide", name, tab, wide)
			}
		}
	}
	if low := js[string](p, `[...document.querySelectorAll("button, select")].filter((n) => n.offsetParent && n.getBoundingClientRect().height < 32).map((n) => n.id || n.textContent).join(" ")`); low != "" {
		t.Errorf("hard to press: %s", low)
	}
}

// byLink: a link holds the text and the data, a damaged one has a message.
func byLink(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	text := "# é∂😀\nparam a = csv(\"a.csv\")\nvar x[len(a)]\nminimize sumsq(x - a)\n"
	p.write(text)
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("1\n2\n3\n4\n5\n6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles("#picker", []string{path}))
	p.until(`document.getElementById("files").textContent.includes("a.csv")`)
	p.press("#share")
	p.shows("message", "The link is")
	fragment := js[string](p, "location.hash")
	if !strings.HasPrefix(fragment, "#dc1=") || len(fragment) > 500 {
		t.Errorf("the link is %s", fragment)
	}
	q := b.open(t, fragment, 1280)
	q.ready()
	q.press("#solve")
	q.until(`document.getElementById("state").textContent === "converged"`)
	if got := js[string](q, "window.playground.text()"); got != text {
		t.Errorf("the text is %q", got)
	}
	r := b.open(t, fragment[:len(fragment)/2], 1280)
	r.ready()
	r.shows("message", "The link is damaged")
}

// keeps: the text and the data are there after a tab was closed.
func keeps(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.write("param a = csv(\"kept.csv\")\nvar x in [0, 1]\nminimize sum(a)*x\n")
	path := filepath.Join(t.TempDir(), "kept.csv")
	if err := os.WriteFile(path, []byte("1\n2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles("#picker", []string{path}))
	p.until(`document.getElementById("files").textContent.includes("kept.csv") && (localStorage.getItem("dcopt.playground") || "").includes("kept.csv")`)
	p.do(chromedp.Reload())
	p.ready()
	if got := js[string](p, "window.playground.text()"); !strings.HasPrefix(got, `param a = csv("kept.csv")`) || !strings.Contains(p.text("files"), "kept.csv") {
		t.Errorf("the text is %q, the files %q", got, p.text("files"))
	}
	p.until(`document.getElementById("diagnostics").textContent === "" && document.getElementById("split").textContent.includes("kept.csv")`)
}

// without runs a script before those of the page.
func without(script string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := cdp.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	})
}

// withoutEngine: where there is no WebAssembly, or where the engine cannot be loaded, there
// is a message, and the editor works.
func withoutEngine(t *testing.T, b *browser) {
	p := b.open(t, "", 1280, without("delete globalThis.WebAssembly"))
	p.shows("message", "no WebAssembly")
	p.write(small)
	p.until(`(localStorage.getItem("dcopt.playground") || "").includes("abs(x)")`)
	if !js[bool](p, `document.getElementById("solve").disabled`) {
		t.Error("one can solve without an engine")
	}
	q := b.open(t, "", 1280, without("delete globalThis.DecompressionStream; delete globalThis.CompressionStream; delete WebAssembly.compileStreaming; Object.defineProperty(window, 'localStorage', { get() { throw new Error('none') } })"))
	q.ready()
	q.write(small)
	q.shows("message", "keeps nothing")
	q.press("#solve")
	q.until(`document.getElementById("state").textContent === "converged"`)
	q.press("#share")
	q.until(`location.hash.startsWith("#dc0=")`)
}

// offlineToo: after a visit the page opens and solves without a network.
func offlineToo(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.until(`navigator.serviceWorker.ready.then(async () => (await caches.keys()).length === 1 && (await (await caches.open((await caches.keys())[0])).keys()).length > 11 && Boolean(navigator.serviceWorker.controller))`)
	// The server answers index.html by a redirection.
	p.do(chromedp.Navigate(js[string](p, `location.origin + "/index.html"`)))
	p.ready()
	p.do(network.EmulateNetworkConditions(true, 0, 0, 0), chromedp.Reload())
	p.ready()
	p.press("#solve")
	p.until(`document.getElementById("state").textContent === "converged"`)
	p.do(network.EmulateNetworkConditions(false, 0, -1, -1))
}

// survives: an engine that dies is told, and the next one solves.
func survives(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.write(small)
	js[bool](p, `(() => { window.playground.solver().worker.dispatchEvent(new MessageEvent("message", { data: { kind: "died", reason: "fatal error: runtime: out of memory\nmore" } })); return true; })()`)
	p.press("#solve")
	p.until(`document.getElementById("state").textContent === "converged"`)
	p.write(runsOff)
	p.press("#solve")
	p.until(`document.getElementById("head").textContent.includes("solving")`)
	js[bool](p, `(() => { window.playground.solver().worker.dispatchEvent(new MessageEvent("message", { data: { kind: "died", reason: "fatal error: runtime: out of memory\nmore" } })); return true; })()`)
	p.shows("message", "ran out of memory")
	p.until(`!document.getElementById("solve").disabled`)
}

// givesUp: where checks take long, and the same text is to be checked again meanwhile,
// it is checked in the end.
func givesUp(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	const text = "var x[600,300] in [0,1]\nminimize sumsq(x)\n"
	p.do(chromedp.Evaluate(`(() => { // an hour passes at each look at the clock
		const now = performance.now.bind(performance);
		let hours = 0;
		performance.now = () => now() + 3.6e6*hours++;
	})()`, nil))
	for range 8 {
		p.write(text)
		time.Sleep(300 * time.Millisecond) // the page waits 250 before it checks
	}
	raw, _ := json.Marshal(text)
	p.until("window.playground.checked() === " + string(raw))
}
