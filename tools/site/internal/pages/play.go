package pages

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
)

var (
	// problems are the blocks of a page of the site with whole problems; blocks with titles are
	// files of its commands.
	problems = regexp.MustCompile("(?ms)^```ampl\n(.*?)^```\n")
	// titledProblems are the problems of the front page, all of which are files.
	titledProblems = regexp.MustCompile("(?ms)^```ampl title=\"[^\"]*\"\n(.*?)^```\n")
)

// withPlayground is a page with a link below each problem, which opens it in the playground. The
// link has the problem behind the #, in the form that tools/site/playground/share.js reads.
func withPlayground(text string, problems *regexp.Regexp) (string, error) {
	var wrong error
	text = problems.ReplaceAllStringFunc(text, func(block string) string {
		raw, err := json.Marshal(map[string]string{"text": problems.FindStringSubmatch(block)[1]})
		if err != nil {
			wrong = err
		}
		return block + openLink("dc0="+base64.RawURLEncoding.EncodeToString(raw))
	})
	return text, wrong
}

// openLink is a link to the playground.
func openLink(fragment string) string {
	return fmt.Sprintf("\n<a class=\"open\" href=\"%s/index.html#%s\">Open in the playground</a>\n", Playground,
		fragment)
}
