package lang

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/shared"
)

// same writes what a file says, without places.
func same(f *File) string {
	var b strings.Builder
	var write func(n *syntax.Node)
	binders := func(bs []syntax.Binder, cond *syntax.Node) {
		for _, x := range bs {
			fmt.Fprintf(&b, " %v in", x.Names)
			write(x.Set)
		}
		if cond != nil {
			b.WriteString(" if")
			write(cond)
		}
	}
	write = func(n *syntax.Node) {
		if n == nil {
			b.WriteString(" nil")
			return
		}
		fmt.Fprintf(&b, " (%d %q %v %v %v", n.Op, n.Name, n.Num, n.Minus, n.Rels)
		binders(n.Binders, n.Cond)
		for _, a := range n.Args {
			write(a)
		}
		for _, r := range n.Rows {
			b.WriteString(" row")
			for _, a := range r {
				write(a)
			}
		}
		b.WriteString(")")
	}
	for _, s := range f.src.Tree.Statements {
		fmt.Fprintf(&b, "%d %q %v", s.Verb, s.Name, s.Rels)
		binders(s.Binders, s.Cond)
		for _, d := range s.Dims {
			write(d)
		}
		write(s.Value)
		for _, a := range s.Args {
			write(a)
		}
		for _, m := range s.Marks {
			fmt.Fprintf(&b, " %s %q", m.Kind, m.Label)
			for _, a := range m.Args {
				write(a)
			}
		}
		for _, a := range s.Attrs {
			b.WriteString(" " + a.Name)
			for _, x := range a.Args {
				write(x)
			}
		}
		b.WriteByte('\n')
	}
	for _, c := range f.src.Tree.Comments {
		b.WriteString(strings.TrimRight(f.src.Tree.Source[c.Pos:c.End], " \t\r") + "\n")
	}
	return b.String()
}

// checkFormat formats a source without syntax errors: the result says the same,
// has the same comments, and is its own format.
func checkFormat(t *testing.T, name string, src []byte) []byte {
	t.Helper()
	f, err := Parse(name, src)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	once, err := Format(name, src)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	g, err := Parse(name, once)
	if err != nil {
		t.Fatalf("the format of\n%s\nis\n%s\n%v", src, once, err)
	}
	if a, b := same(f), same(g); a != b {
		t.Fatalf("the format of\n%s\nis\n%s\nwhich says\n%s\nnot\n%s", src, once, b, a)
	}
	twice, err := Format(name, once)
	if err != nil || !bytes.Equal(once, twice) {
		t.Fatalf("the format of\n%s\nis\n%s\nand the format of that\n%s\n%v", src, once, twice, err)
	}
	for _, line := range strings.Split(string(once), "\n") {
		if strings.TrimRight(line, " \t") != line {
			t.Errorf("%s: blanks at the end of %q", name, line)
		}
	}
	if bytes.Contains(once, []byte("\n\n\n")) || bytes.HasPrefix(once, []byte("\n")) || bytes.HasSuffix(once, []byte("\n\n")) {
		t.Errorf("%s: too many empty lines in\n%s", name, once)
	}
	return once
}

// TestFormatKeeps: the files of the language's description are in its format,
// but for the labels of one.
func TestFormatKeeps(t *testing.T) {
	files, err := filepath.Glob("testdata/nine/*.dc")
	if err != nil || len(files) != 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.NewBuffer(nil)
		want.WriteString(strings.NewReplacer("re : ", "re:  ", "im : ", "im:  ").Replace(string(src)))
		if out := checkFormat(t, name, src); !bytes.Equal(out, want.Bytes()) {
			t.Errorf("the format of %s is\n%s", name, out)
		}
	}
}

// TestFormatAll: every problem file without syntax errors.
func TestFormatAll(t *testing.T) {
	count := 0
	for _, pattern := range []string{"testdata/*/*.dc", "../../examples/*.dc", "../../examples/gallery/*.dc", "../../cmd/dcopt/testdata/*/*/*.dc"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(name, src); err == nil {
				checkFormat(t, name, src)
				count++
			} else if out, err := Format(name, src); err == nil || out != nil {
				t.Errorf("%s has syntax errors, and its format is\n%s", name, out)
			}
		}
	}
	if count < 80 {
		t.Errorf("only %d files", count)
	}
}

// TestFormatLayout: what becomes of crooked sources.
func TestFormatLayout(t *testing.T) {
	tests := []struct{ src, want string }{
		{"", ""},
		{"\n\n  # only a comment  \r\n\n\n", "# only a comment\n"},
		{"\ufeffparam a=1\r\nfind", "param a = 1\nfind\n"},
		{"param a=1,b = [1,2;3,4] ,c=[1 ;2]", "param a = 1, b = [1, 2;  3, 4],  c = [1; 2]\n"},
		{"param long=1#one\nparam b=2   #  two\n\n\nparam c=3", "param long = 1  #one\nparam b    = 2  #  two\n\nparam c = 3\n"},
		{"set I={i in 1 .. n-1 if i!=2 and not(i>3)}", "set   I = {i in 1..n-1 if i != 2 and not (i > 3)}\n"},
		{"var x [ 3 ]>=0 start[1 2 3],y\nvar z", "var   x[3] >= 0  start [1 2 3], y\nvar   z\n"},
		{"var x[n] in[0,1] start normal( 0,1 )\nvar yy symmetric start - 1", "var   x[n] in [0, 1]  start normal(0, 1)\nvar   yy symmetric    start -1\n"},
		{"var X[0 .. n,2],Y[n,2]", "var   X[0..n, 2], Y[n,2]\n"},
		{"minimize\nx+1", "minimize\n    x + 1\n"},
		{"minimize x+\n  # why\n\n\n  y", "minimize  x +\n    # why\n\n    y\n"},
		{"minimize(x-y)^ 2*( f(x)-z )-x[i - 1 , 2 ]'", "minimize  (x-y)^2*(f(x) - z) - x[i-1,2]'\n"},
		{"minimize a * b*c* d/ 2 .* e", "minimize  a * b*c*d/2 .* e\n"},
		{"minimize max(i in 1..n-1)(x[i]*2 +1 )", "minimize  max(i in 1..n-1) (x[i]*2 + 1)\n"},
		{"minimize max(i in 1..n-1) ( x[i]*2 +1 )", "minimize  max(i in 1..n-1) ( x[i]*2 + 1 )\n"},
		{"minimize max(i in I) (i + 1)", "minimize  max(i in I) (i+1)\n"},
		{"param a=[1 -2  3 - 4\n- 5 (2)*[3 4]  x [1]]", "param a = [1 -2 3-4\n    - 5 (2)*[3 4] x [1]]\n"},
		{"find\nsubject to x<=1#c\nlong[i in 1..2,j in I]:x==- 1\nb:0<=\ny<=1\n# last of them\n\n#end\noption mu=2",
			"find\nsubject to\n  x <= 1  #c\n  long[i in 1..2, j in I]:  x == -1\n  b:                        0 <=\n      y <= 1\n# last of them\n\n#end\noption mu = 2\n"},
		{"find\nsubject to # these\n c:x<=1\n  # still\n", "find\nsubject to  # these\n  c:  x <= 1\n  # still\n"},
		{"find\nsubject to\n c:x<=1\n# out\n", "find\nsubject to\n  c:  x <= 1\n# out\n"},
		{"find\nsubject to\n x<=1\nplot points( x,y )\"a\",path([ 0 0;1 1 ])title\"T\"xlabel \"t\"#p\nplot\tcircles(c,r)", "find\nsubject to\n  x <= 1\nplot  points(x, y) \"a\", path([0 0;  1 1])  title \"T\" xlabel \"t\"  #p\nplot  circles(c, r)\n"},
		{"let f[i in 1..3]=x[i]\nlet gg=2", "let   f[i in 1..3] = x[i]\nlet   gg = 2\n"},
	}
	for _, tt := range tests {
		if got := checkFormat(t, "test.dc", []byte(tt.src)); string(got) != tt.want {
			t.Errorf("the format of %q is\n%q, want\n%q", tt.src, got, tt.want)
		}
	}
}

// TestFormatMutants formats sources whose tokens and blanks were changed at
// random, where they still have no syntax errors.
func TestFormatMutants(t *testing.T) {
	sources, pool := pieces(t)
	r := rand.New(rand.NewPCG(21, 22))
	spaces := []string{"", " ", "  ", "\n", " # c\n", "\n\n\n", "\t", "\r\n#d\n\n  "}
	formatted := 0
	for range shared.Times(6000, 8) {
		parts := append([]string(nil), sources[r.IntN(len(sources))]...)
		for range r.IntN(3) {
			parts[r.IntN(len(parts))] = pool[r.IntN(len(pool))]
		}
		for range r.IntN(8) {
			k := r.IntN(len(parts))
			parts[k] = spaces[r.IntN(len(spaces))] + strings.TrimLeft(parts[k], " ")
		}
		src := []byte(strings.Join(parts, ""))
		if _, err := Parse("mutant.dc", src); err == nil {
			checkFormat(t, "mutant.dc", src)
			formatted++
		}
	}
	if formatted < shared.Times(1000, 8) {
		t.Errorf("only %d sources could be formatted", formatted)
	}
}
