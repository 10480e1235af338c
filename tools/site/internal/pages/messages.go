package pages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Message is a text that the code has for users.
type Message struct {
	Package string // its folder, from the root of the repository
	Text    string // with the verbs of fmt
	Help    string // the way out that stands beside it; often none
}

// Topic is a heading of docs/messages.md with the messages below it.
type Topic struct {
	Heading  string
	Packages []string       // of the messages; "x/..." is x and all below
	Pattern  *regexp.Regexp // matches their texts; of several topics the first has a message
	Messages []Message
}

// silent are folders whose messages no user meets: test suites, tests of the house,
// programs for measurements.
var silent = []string{"bench", "examples", "python", "qpbackend/qptest", "internal/judge", "internal/classes",
	"internal/shared", "third_party"}

// makers are the functions that make messages, by name, with the place of the text among
// the arguments, and the place of the help, or -1.
var makers = map[string][2]int{
	"Errorf": {0, -1}, "New": {0, -1}, "errorf": {1, -1}, "usagef": {0, -1}, "Usagef": {0, -1}, "failed": {0, -1},
	"newError": {1, -1}, "refuseAs": {1, -1}, "note": {0, -1}, "warn": {2, -1},
	"fail": {2, 1}, "failWith": {3, 1}, "failDomain": {1, -1}, "conclude": {1, -1}, "giveUp": {1, -1}, "Fail": {2, 1},
	"FailWith": {3, 1}, "FailDomain": {1, -1},
}

// Messages are the messages of the code of the repository.
func Messages(root string) ([]Message, error) {
	var out []Message
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			base := d.Name()
			_, module := os.Stat(filepath.Join(name, "go.mod"))
			if rel != "." && (module == nil || base == "testdata" || base == "build" || strings.HasPrefix(base, ".") ||
				slices.Contains(silent, rel)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, m := range messagesIn(f) {
			m.Package = path.Dir(rel)
			out = append(out, m)
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Message) int {
		return strings.Compare(a.Package+"\x00"+a.Text, b.Package+"\x00"+b.Text)
	})
	return slices.CompactFunc(out, func(a, b Message) bool { return a.Package == b.Package && a.Text == b.Text }), err
}

// words is a string literal of several words; of a call, such as fmt.Sprintf("..."),
// its first argument.
func words(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) > 0 {
		return words(call.Args[0])
	}
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return words(sum.X) + words(sum.Y)
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}

// messagesIn are the messages of a file: arguments of the makers, and members "message" of
// structs, and the texts of constants called format and of the table called plainEnds.
func messagesIn(f *ast.File) (out []Message) {
	add := func(text, help string) {
		plain := regexp.MustCompile(`%[-+# 0-9.]*[a-z]`).ReplaceAllString(text, " ")
		letters := regexp.MustCompile(`[a-z]{2,}`).FindAllString(plain, -1)
		if len(letters) >= 2 {
			out = append(out, Message{Text: text, Help: help})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			switch n.Names[0].Name {
			case "format":
				add(words(n.Values[0]), "")
			case "plainEnds":
				for _, e := range n.Values[0].(*ast.CompositeLit).Elts {
					add(words(e.(*ast.KeyValueExpr).Value.(*ast.CompositeLit).Elts[1]), "")
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "message" || key.Name == "Msg") {
				add(words(n.Value), "")
			}
		case *ast.CallExpr:
			name := ""
			switch fun := n.Fun.(type) {
			case *ast.Ident:
				name = fun.Name
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			}
			at, ok := makers[name]
			if !ok || len(n.Args) <= at[0] {
				return true
			}
			help := ""
			if at[1] >= 0 {
				help = words(n.Args[at[1]])
			}
			add(words(n.Args[at[0]]), help)
		}
		return true
	})
	return out
}

// mark is the line of docs/messages.md at which the messages of a topic are put:
// <!-- messages PACKAGE PACKAGE: PATTERN -->, the pattern a regular expression.
var mark = regexp.MustCompile(`(?m)^<!-- messages ([^:\n]+):(.*) -->\n`)

// marks are the lines of one topic, which has one list.
var marks = regexp.MustCompile(`(?m)(?:^<!-- messages .* -->\n)+`)

// Topics are the topics of docs/messages.md, each with its messages; left are the messages that
// belong to none.
func Topics(text string, messages []Message) (topics []Topic, left []Message, err error) {
	at := mark.FindAllStringSubmatchIndex(text, -1)
	for _, m := range at {
		head := text[:m[0]]
		head = head[strings.LastIndex(head, "\n## ")+len("\n## "):]
		heading, _, _ := strings.Cut(head, "\n")
		pattern, err := regexp.Compile(strings.TrimSpace(text[m[4]:m[5]]))
		if err != nil {
			return nil, nil, fmt.Errorf("docs/messages.md: %s: %w", heading, err)
		}
		topics = append(topics, Topic{Heading: heading, Packages: strings.Fields(text[m[2]:m[3]]), Pattern: pattern})
	}
next:
	for _, m := range messages {
		for k := range topics {
			if of(m.Package, topics[k].Packages) && topics[k].Pattern.MatchString(m.Text) {
				topics[k].Messages = append(topics[k].Messages, m)
				continue next
			}
		}
		left = append(left, m)
	}
	return topics, left, nil
}

func of(pkg string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		below, all := strings.CutSuffix(p, "...")
		return p == pkg || all && strings.HasPrefix(pkg+"/", below)
	})
}

// verb is a verb of fmt.
var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)

// plain is a text for readers, with … in the place of a verb.
func plain(text string) string {
	text = strings.ReplaceAll(verb.ReplaceAllString(strings.ReplaceAll(text, "%%", "%"), "…"), "\n", " ")
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, "&", "&amp;"), "<",
		"&lt;"), ">", "&gt;"), "|", "&#124;")
}

// withMessages is docs/messages.md with the messages of the code.
func withMessages(root, text string) (string, error) {
	messages, err := Messages(root)
	if err != nil {
		return "", err
	}
	topics, left, err := Topics(text, messages)
	if err != nil {
		return "", err
	}
	if len(left) > 0 {
		return "", fmt.Errorf("no topic has the message %q of %s; add a line <!-- messages %s: --> to docs/messages.md",
			left[0].Text, left[0].Package, left[0].Package)
	}
	return marks.ReplaceAllStringFunc(text, func(lines string) string {
		var list []Message
		for range strings.Count(lines, "\n") {
			list, topics = append(list, topics[0].Messages...), topics[1:]
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<details markdown=\"0\" class=\"messages\"><summary>The %d messages</summary>\n<ul>\n",
			len(list))
		for _, m := range list {
			fmt.Fprintf(&b, "<li><code>%s</code>", plain(m.Text))
			if m.Help != "" {
				fmt.Fprintf(&b, "<br>%s", plain(m.Help))
			}
			b.WriteString("</li>\n")
		}
		b.WriteString("</ul>\n</details>\n")
		return b.String()
	}), nil
}
