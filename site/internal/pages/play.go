package pages

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
)

// problems are the blocks of a page of the site with whole problems; blocks with titles are files of
// its commands.
var problems = regexp.MustCompile("(?ms)^```ampl\n(.*?)^```\n")

// withPlayground is a page with a link below each problem, which opens it in the playground. The link
// has the problem behind the #, in the form that site/playground/share.js reads.
func withPlayground(text string) (string, error) {
	var wrong error
	text = problems.ReplaceAllStringFunc(text, func(block string) string {
		raw, err := json.Marshal(map[string]string{"text": problems.FindStringSubmatch(block)[1]})
		if err != nil {
			wrong = err
		}
		address := Playground + "/index.html#dc0=" + base64.RawURLEncoding.EncodeToString(raw)
		return fmt.Sprintf("%s\n<a class=\"open\" href=\"%s\">Open in the playground</a>\n", block, address)
	})
	return text, wrong
}
