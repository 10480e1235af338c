package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/need"
)

const tinyProblem = `param c = csv("c.txt")
param d = json("d.json")
var x[2] >= 0
minimize c*x + d*sum(i in 1..2) x[i]
subject to
  r: x[1] + x[2] >= 1
`

const tinyTable = "a,b,y\n1,2,3\n2,1,4\n3,5,1\n4,4,2\n5,0,9\n6,1,7\n7,3,3\n8,2,4\n"

// workspace is a folder with one file of each kind; the test runs in it.
func workspace(t *testing.T) {
	t.Helper()
	hs21, err := os.ReadFile("testdata/script/qp/hs21.qps")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"p.dc": tinyProblem, "c.txt": "1,2\n", "d.json": "3\n", "t.csv": tinyTable, "q.qps": string(hs21), "f.json": `{"t":[[0,1,2,3],[4,5,6,7]]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := dcopt(nil, "fit t.csv -t y --pieces 1,1 -o m.json -q"); code != exit.OK {
		t.Fatalf("fit: code %d, %s", code, stderr)
	}
}

// dcopt runs a command line.
func dcopt(stdin io.Reader, args string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), strings.Fields(args), stdin, &out, &errs)
	return code, out.String(), errs.String()
}

// TestNoInputIsOverwritten: a file that is read is not replaced, however it is
// spelled; and no file changes.
func TestNoInputIsOverwritten(t *testing.T) {
	workspace(t)
	before := contents(t)
	for _, c := range []struct{ args, reads string }{
		{"solve p.dc -o", "p.dc c.txt d.json"},
		{"solve p.dc --sweep d=1:2:3 -o", "p.dc c.txt"},
		{"solve p.dc --set c=t2.csv -o", "p.dc t2.csv d.json"},
		{"solve q.qps -o", "q.qps"},
		{"fit t.csv -t y --pieces 1,1 -o", "t.csv"},
		{"predict m.json t.csv -o", "m.json t.csv"},
		{"show m.json -o", "m.json"},
	} {
		os.WriteFile("t2.csv", []byte("3,4\n"), 0o666)
		before["t2.csv"] = "3,4\n"
		for _, name := range strings.Fields(c.reads) {
			for _, spelling := range spellings(t, name) {
				code, stdout, stderr := dcopt(nil, c.args+" "+spelling)
				if code != exit.Usage || stdout != "" || !strings.Contains(stderr, "is also read") {
					t.Errorf("dcopt %s %s: code %d, %s%s", c.args, spelling, code, stdout, stderr)
				}
			}
		}
	}
	os.Remove("t2.csv")
	delete(before, "t2.csv")
	after := contents(t)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s has changed to %q", name, after[name])
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			t.Errorf("%s was left behind", name)
		}
	}
}

// TestPlotsOverwriteNothing: plots are outputs, too, and two outputs are two files.
func TestPlotsOverwriteNothing(t *testing.T) {
	workspace(t)
	err := os.Link("p.dc", "p.svg")
	need.That(t, err == nil, need.Links, err)
	for args, want := range map[string]string{
		"solve p.dc --plot p.svg":                                         "p.svg is also read, as p.dc",
		"solve p.dc --plot r.svg -o r.svg":                                "r.svg would hold two results",
		"solve p.dc --plot sub/../r.svg -o r.svg":                         "would hold two results",
		"fit t.csv -t y --pieces 1,1 -o x.svg --plot ./x.svg":             "would hold two results",
		"show m.json --plot p.svg --data p.svg":                           "p.svg is also read",
		"cv t.csv -t y --pieces 1,1 --method refit --folds no-such-folds": "no-such-folds",
	} {
		if code, _, stderr := dcopt(nil, args); code != exit.Usage || !strings.Contains(stderr, want) {
			t.Errorf("dcopt %s: code %d, %s; want %q", args, code, stderr, want)
		}
	}
}

// TestStandardInputIsKept: what stands behind standard input is a file, too, and
// so is what stands behind standard output.
func TestStandardInputIsKept(t *testing.T) {
	workspace(t)
	for args, name := range map[string]string{"solve - -o p.dc": "p.dc", "fit - -t y --pieces 1,1 -o t.csv": "t.csv", "predict m.json - -o t.csv": "t.csv"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := dcopt(f, args); code != exit.Usage || !strings.Contains(stderr, "is also read, as standard input") {
			t.Errorf("dcopt %s < %s: code %d, %s", args, name, code, stderr)
		}
		f.Close()
	}
	f, err := os.OpenFile("t.csv", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"predict", "m.json", "t.csv"}, nil, f, &stderr); code != exit.Usage || !strings.Contains(stderr.String(), "the file behind standard output is also read") {
		t.Errorf("dcopt predict m.json t.csv >> t.csv: code %d, %s", code, stderr.String())
	}
	if got, _ := os.ReadFile("t.csv"); string(got) != tinyTable {
		t.Errorf("the table is now %q", got)
	}
}

// spellings are names of one file; those that make links make them anew.
func spellings(t *testing.T, name string) []string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	soft, hard, chain := "soft_"+name, "hard_"+name, "chain_"+name
	for _, l := range []string{soft, hard, chain} {
		os.Remove(l)
		t.Cleanup(func() { os.Remove(l) })
	}
	for _, err := range []error{os.Symlink(name, soft), os.Link(name, hard), os.Symlink(soft, chain)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return []string{name, "./" + name, "sub/../" + name, abs, soft, hard, chain}
}

func contents(t *testing.T) map[string]string {
	t.Helper()
	m := map[string]string{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.Contains(e.Name(), "_") {
			b, err := os.ReadFile(e.Name())
			if err != nil {
				t.Fatal(err)
			}
			m[e.Name()] = string(b)
		}
	}
	return m
}

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "full", Err: io.ErrShortWrite}
}

// late takes everything and loses it when it is closed.
type late struct{ bytes.Buffer }

func (*late) Close() error { return io.ErrUnexpectedEOF }

// TestWriteErrors: whatever a command writes, and wherever, what does not arrive
// is told by the exit code.
func TestWriteErrors(t *testing.T) {
	workspace(t)
	commands := []string{
		"solve p.dc", "solve p.dc --json", "solve p.dc --sweep d=1:2:3", "solve p.dc --sweep d=1:2:3 --json", "solve q.qps", "solve q.qps --json",
		"check p.dc", "check p.dc --json", "check q.qps", "fmt p.dc", "fmt --check bad.dc", "predict m.json t.csv", "show m.json", "show m.json --format python",
		"fit t.csv -t y --pieces 1,1 -o n.json", "fit t.csv -t y --pieces 1,1 -o n.json --json", "cv t.csv -t y --folds 2", "cv t.csv -t y --folds f.json --json",
		"backends", "backends --json", "version", "completion bash", "completion zsh", "completion fish", "completion powershell", "man", "man solve", "new", "help", "help solve",
	}
	if err := os.WriteFile("bad.dc", []byte("var   x\nminimize   x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range commands {
		for _, w := range []io.Writer{full{}, &late{}} {
			var stderr bytes.Buffer
			if code := run(context.Background(), strings.Fields(args), nil, w, &stderr); code != exit.Usage || !strings.Contains(stderr.String(), "cannot write to standard output") {
				t.Errorf("dcopt %s into %T: code %d, %s", args, w, code, stderr.String())
			}
		}
	}
	_, err := os.Stat("/dev/full")
	need.That(t, err == nil, need.Linux, err)
	if err := os.Symlink("/dev/full", "full.svg"); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"solve p.dc -o /dev/full", "solve p.dc --json -o /dev/full", "solve p.dc --sweep d=1:2:3 -o /dev/full", "solve q.qps -o /dev/full", "solve p.dc --plot full.svg",
		"fit t.csv -t y --pieces 1,1 -o /dev/full", "fit t.csv -t y --pieces 1,1 -o n.json --plot full.svg", "predict m.json t.csv -o /dev/full",
		"show m.json -o /dev/full", "show m.json --plot full.svg --data t.csv",
	} {
		if code, _, stderr := dcopt(nil, args); code != exit.Usage || !strings.Contains(stderr, "no space left") {
			t.Errorf("dcopt %s: code %d, %s", args, code, stderr)
		}
	}
}

// TestSpecialFiles: pipes and descriptors are written straight.
func TestSpecialFiles(t *testing.T) {
	workspace(t)
	_, err := os.Stat("/dev/stdout")
	need.That(t, err == nil, need.Unix, err)
	log, err := os.OpenFile("log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.WriteString("before\n")
	path := "/dev/fd/" + strconv.Itoa(int(log.Fd()))
	if err := os.Symlink(path, "link"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, "link"} {
		if code, _, stderr := dcopt(nil, "solve p.dc --json -o "+name); code != exit.OK {
			t.Errorf("-o %s: code %d, %s", name, code, stderr)
		}
	}
	log.WriteString("after\n")
	got, _ := os.ReadFile("log")
	if lines := strings.Split(string(got), "\n"); len(lines) != 5 || lines[0] != "before" || lines[3] != "after" || !strings.HasPrefix(lines[2], "{") {
		t.Errorf("the log is now %q", got)
	}
}
