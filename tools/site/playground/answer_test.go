//go:build !race

package playground

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// opensSolved: the page opens with an example whose answer is there, and moves, before there is an
// engine; who does not want that sees it stand still.
func opensSolved(t *testing.T, b *browser) {
	p := b.open(t, "", 1280, without("delete globalThis.WebAssembly"))
	p.shows("head", "converged")
	p.until(`document.querySelectorAll("#pictures canvas").length === 1 && window.playground.playing()`)
	frame := func() string { return js[string](p, `document.querySelector("#pictures canvas").toDataURL()`) }
	before := frame()
	p.until(`document.querySelector("#pictures canvas").toDataURL() !== ` + fmt.Sprintf("%q", before))
	p.press("#play")
	if js[bool](p, "window.playground.playing()") {
		t.Error("the picture cannot be stopped")
	}
	q := b.open(t, "", 1280, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}))
	q.shows("head", "converged")
	if js[bool](q, "window.playground.playing()") || q.text("play") != "Play" {
		t.Error("the picture moves")
	}
	r := b.open(t, "#example=gallery/max_cut", 1280)
	r.until(`window.playground.text().includes("maximize") && document.getElementById("examples").value === "gallery/max_cut"`)
	if head := r.text("head"); head != "" {
		t.Errorf("another example has the answer %s", head)
	}
	s := b.open(t, "#example=none", 1280)
	s.shows("message", "There is no example none")
}

// ages: an edit greys an answer until the text is as it was; a solve that fails takes it away.
func ages(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.write(small)
	if old := `document.getElementById("right").classList.contains("stale")`; !js[bool](p, old) || p.text("head") == "" {
		t.Error("the answer to an earlier text is not grey")
	}
	p.press("#solve")
	p.until(`document.getElementById("state").textContent === "converged"`)
	stale := func() bool { return js[bool](p, `!document.getElementById("stale").hidden`) }
	if stale() {
		t.Error("a new answer is grey")
	}
	p.write(small + "# more\n")
	if !stale() {
		t.Error("the answer is not grey after an edit")
	}
	p.write(small)
	if stale() {
		t.Error("the answer is grey although the text is as it was")
	}
	p.write("var x\nminimize foo(x)\n")
	p.press("#solve")
	p.shows("state", "mistakes")
	if left := p.text("head") + p.text("table") + p.text("json"); left != "" || stale() || js[string](p, "window.playground.answer()") != "" {
		t.Errorf("after a solve that failed there is %q", left)
	}
}

// asks: starts, seed, effort and a proof are asked for beside the text.
func asks(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.write(small)
	set := func(id, value string) {
		p.do(chromedp.Evaluate(fmt.Sprintf("document.getElementById(%q).value = %q", id, value), nil))
	}
	set("starts", "3")
	p.press("#solve")
	p.shows("head", "from 3 starts")
	set("starts", "")
	p.press("#prove")
	p.press("#solve")
	p.shows("head", "optimal, proved")
	p.press("#prove")
	set("effort", "normal")
	set("seed", "7")
	p.press("#solve")
	p.until(`document.getElementById("state").textContent === "converged"`)
	p.shows("head", "optimal, proved")
	for id, bad := range map[string]string{"starts": "many", "seed": "-1"} {
		set(id, bad)
		p.press("#solve")
		p.shows("message", bad+": want a whole number")
		set(id, "")
	}
}

// explains: the language and its functions are a key away, and can be searched.
func explains(t *testing.T, b *browser) {
	p := b.open(t, "", 1280)
	p.ready()
	p.do(chromedp.KeyEvent(kb.F1))
	p.until(`document.getElementById("help").open && document.querySelectorAll("#tables tr").length > 80`)
	p.do(chromedp.SendKeys("#find", "norm2"))
	p.until(`[...document.querySelectorAll("#tables tbody tr")].filter((row) => row.offsetParent).length < 6`)
	p.shows("tables", "the Euclidean norm")
	p.press("#close")
	p.until(`!document.getElementById("help").open`)
}
