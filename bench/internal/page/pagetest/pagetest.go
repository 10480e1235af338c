package pagetest

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// Check tells t of what the page asks for besides itself, of links to nowhere,
// of pictures that are not well-formed, and if there are more or fewer pictures.
func Check(t *testing.T, text string, pictures int) {
	t.Helper()
	for _, bad := range []string{"src=", "@import", "url(", "<link", "<script"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if id, ok := strings.CutPrefix(m[1], "#"); !ok || !strings.Contains(text, `id="`+id+`"`) {
			t.Errorf("a link to %q", m[1])
		}
	}
	all := strings.Split(text, "<svg")[1:]
	if len(all) != pictures {
		t.Errorf("%d pictures, want %d", len(all), pictures)
	}
	for _, p := range all {
		p, _, ok := strings.Cut(p, "</svg>")
		if !ok {
			t.Error("a picture has no end")
		}
		d := xml.NewDecoder(strings.NewReader("<svg" + p + "</svg>"))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("a picture: %v", err)
				break
			}
		}
	}
}
