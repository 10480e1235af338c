//go:build !race

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/internal/need"
)

// probe puts into the page's title what the browser made of it: the pictures of
// some size, the height in pixels of the smallest text in them, what was asked
// for besides the page, and how much wider than the window the page is.
const probe = `<script>
addEventListener("load", () => {
	const shown = [...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().width > 100 && s.getBoundingClientRect().height > 20);
	const texts = [...document.querySelectorAll("svg text")].map(t => t.getBBox().height * t.ownerSVGElement.getScreenCTM().a);
	document.title = "pictures " + shown.length + " text " + Math.floor(Math.min(...texts)) +
		" requests " + performance.getEntriesByType("resource").length +
		" over " + Math.max(0, document.documentElement.scrollWidth - innerWidth) + " end";
});
</script>`

// TestBrowser opens the page of all reports in Chromium, as wide as a screen and
// as a phone.
func TestBrowser(t *testing.T) {
	browser := need.Program(t, need.Chromium)
	out := t.TempDir()
	page, err := os.ReadFile(makeAll(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(out, "probe.html")
	if err := os.WriteFile(file, []byte(strings.Replace(string(page), "</head>", probe+"</head>", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(fmt.Sprintf(`pictures %d text (\d\d) requests 0 over 0 end`, allPictures))
	for _, width := range []int{1280, 390} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(out, "profile"),
			fmt.Sprintf("--window-size=%d,900", width), "--virtual-time-budget=5000", "--dump-dom", "file://"+file)
		cmd.WaitDelay = 10 * time.Second
		dom, err := cmd.Output()
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", browser, err)
		}
		title := regexp.MustCompile(`<title>[^<]*`).FindString(string(dom))
		if !want.MatchString(title) {
			t.Errorf("%d pixels wide: %q, want %v", width, title, want)
		}
	}
}
