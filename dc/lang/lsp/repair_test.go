package lsp

import (
	"fmt"
	"strings"
	"testing"
)

// TestCodeActions: what messages propose can be done by the editor, and the text is right then.
func TestCodeActions(t *testing.T) {
	for _, c := range []struct{ wrong, right string }{
		{"var x >= 1\nminimize noorm1(x)\n", "var x >= 1\nminimize norm1(x)\n"},
		{"var x >= 1\nminimum x\n", ""},
		{"var price >= 1\nminimize prise + 1\n", "var price >= 1\nminimize price + 1\n"},
		{"var x ≥ 1\nminimize x\n", "var x >= 1\nminimize x\n"},
		{"var x\nminimize x\nsubject to\n  x > 1\n", "var x\nminimize x\nsubject to\n  x >= 1\n"},
		{"var x >= 1;\nminimize x\n", "var x >= 1\nminimize x\n"},
		{"var X[2,2] semidefinite\nminimize X[1,1]\n", "var X[2,2] psd\nminimize X[1,1]\n"},
		{"var x >= 1\nminimize x\noption effrt = quick\n", "var x >= 1\nminimize x\noption effort = quick\n"},
		{"var é >= 1\nminimize é + summ(é)\n", "var é >= 1\nminimize é + sum(é)\n"},
		{"var x >= 1\nminimize x + transpose(x)\n", ""},
	} {
		client := start(t)
		client.initialize(object{})
		client.open(c.wrong)
		list := client.published(1)
		var actions []codeAction
		client.must("textDocument/codeAction", object{"textDocument": object{"uri": uri}, "context": object{"diagnostics": list}}, &actions)
		switch {
		case c.right == "" && len(actions) == 0:
		case len(actions) != 1 || len(list) != 1:
			t.Errorf("%q: %d repairs of %v", c.wrong, len(actions), list)
		default:
			d := newDocument(uri, 1, c.wrong, inUTF16)
			e := actions[0].Edit.Changes[uri][0]
			got := c.wrong[:d.offset(e.Range.Start)] + e.NewText + c.wrong[d.offset(e.Range.End):]
			if got != c.right || actions[0].Kind != "quickfix" || !strings.Contains(actions[0].Title, e.NewText) {
				t.Errorf("%q is repaired to %q by %+v", c.wrong, got, actions[0])
			}
		}
		client.stop()
	}
}

// TestSemanticTokens: each name by what it stands for.
func TestSemanticTokens(t *testing.T) {
	const text = "param n = 2\nset S = 1..n\nvar é[S], y\nlet h = sum(i in S) é[i]\nminimize abs(h) + y\nsubject to\n  low[i in S]: é[i] >= i\n"
	client := start(t)
	client.initialize(object{})
	client.open(text)
	var out struct{ Data []int }
	client.must("textDocument/semanticTokens/full", object{"textDocument": object{"uri": uri}}, &out)
	lines := strings.Split(text, "\n")
	var words []string
	line, column := 0, 0
	for k := 0; k+4 < len(out.Data); k += 5 {
		d := out.Data[k : k+5]
		if line += d[0]; d[0] > 0 {
			column = 0
		}
		column += d[1]
		word := string([]rune(lines[line])[column : column+d[2]])
		words = append(words, fmt.Sprintf("%s:%s%d", word, tokenTypes[d[3]], d[4]))
	}
	const want = "n:variable3 S:type1 n:variable2 é:variable1 S:type0 y:variable1 h:macro1 sum:function4 i:parameter1 S:type0 é:variable0 i:parameter0 " +
		"abs:function4 h:macro0 y:variable0 low:property1 i:parameter1 S:type0 é:variable0 i:parameter0 i:parameter0"
	if got := strings.Join(words, " "); got != want {
		t.Errorf("tokens\n%s, want\n%s", got, want)
	}
	client.stop()
}
