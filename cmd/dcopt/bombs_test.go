//go:build !race

package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// bombsAt writes files of each kind that are made to exhaust memory: a line without an end, lines
// without an end, and, of the formats that state them, counts of what is not there. It returns the
// names with the text of the message that is wanted.
func bombsAt(t *testing.T, dir string) map[string]string {
	t.Helper()
	gz := func(name, head, unit string, n int) {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		part := []byte(strings.Repeat(unit, 1<<20/len(unit)))
		if _, err := w.Write([]byte(head)); err != nil {
			t.Fatal(err)
		}
		for ; n > 0; n -= len(part) {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "cut-"+name), b.Bytes()[:b.Len()/2], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plain := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const line, text = 40 << 20, 140 << 20 // more than a line, and a text, may have
	want := map[string]string{}
	const long, much, many = "more than 33554432 bytes", "more than 13", "more than 20971"
	for _, ending := range []string{"qps.gz", "mps.gz", "sif.gz", "cbf.gz", "dat-s.gz", "csv.gz", "json.gz", "mtx.gz",
		"npy.gz", "npz.gz", "dc", "proof", "result", "model"} {
		gz("line."+ending, "", " 1", line)
		want["cut-line."+ending] = "damaged gzip file: unexpected EOF"
		switch kind := strings.TrimSuffix(ending, ".gz"); kind {
		case "qps", "mps", "sif", "cbf", "dat-s", "csv":
			want["line."+ending] = long
		case "json", "npz", "dc", "result", "model": // one of each reader
			gz("lines."+ending, "", "\n", text)
			want["lines."+ending] = much
		}
	}
	gz("lines.cbf.gz", "", "\n", text)
	gz("lines.csv.gz", "", "\n", line)
	want["lines.cbf.gz"], want["lines.csv.gz"] = much, long // blank lines before the first row
	want["line.proof"], want["line.dc"], want["cut-line.result"] = long, "words, numbers and signs", "unexpected EOF"
	gz("rows.qps.gz", "NAME\nROWS\n N o\n", " E abcdefgh\n", 1<<20)
	want["rows.qps.gz"] = "the file ends without ENDATA"
	gz("many.csv.gz", "a,b\n", "1,2\n", 80<<20)
	want["many.csv.gz"] = "more than 16"
	plain("wide.csv", "a"+strings.Repeat(",", 1<<20)+"\n")
	want["wide.csv"] = "the first row has more than 1048576 fields"
	gz("many.json.gz", "[0", ",0", 36<<20)
	want["many.json.gz"] = "more than 16777216 numbers"
	const cbf = "VER\n3\nOBJSENSE\nMIN\n"
	for name, body := range map[string]string{
		"var.cbf": cbf + "VAR\n1000000000 1\nF 1000000000\n", "cone.cbf": cbf + "VAR\n2000000 1\nQ 2000000\n",
		"psd.cbf":  cbf + "PSDVAR\n1\n8000\n",
		"rows.cbf": cbf + "VAR\n1 1\nF 1\nCON\n30000000 1\nL+ 30000000\n", "m.dat-s": "30000000\n1\n1\n",
		"block.dat-s": "1\n1\n8000\n1\n", "diagonal.dat-s": "1\n1\n-30000000\n1\n",
	} {
		plain(name, body)
		want[name] = many
	}
	plain("head.mtx", "%%MatrixMarket matrix coordinate real general\n16000000 16000000 1000000000\n")
	plain("array.mtx", "%%MatrixMarket matrix array real general\n4000000 4000000\n")
	want["head.mtx"], want["array.mtx"] = "is larger than", "more than 16777216 numbers"
	header := func(shape string) string {
		h := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(h)), 0}) + h
	}
	plain("head.npy", header("(1000000000,)"))
	plain("short.npy", header("(16000000,)")+"1234567812345678")
	want["head.npy"], want["short.npy"] = "more than 16777216 numbers", "the file ends too early"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"q.npy", "P.npy"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(header("(30000000,)") + strings.Repeat("\x00", 1<<20))); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	plain("head.npz", b.String())
	want["head.npz"] = "more than 20" // of the bytes of the file some
	for name, body := range map[string]string{
		"one.dc":    "var x[1000000000]\nminimize sum(x)\n",
		"sum.dc":    "var x\nminimize x" + strings.Repeat("+x", 1<<20) + "\n",
		"nested.dc": "var x\nminimize " + strings.Repeat("(", 1<<19),
	} {
		plain(name, body)
	}
	want["one.dc"], want["sum.dc"], want["nested.dc"] = "too ", "words, numbers and signs", "is never closed"
	plain("lists.model", `{"format":"dcopt model","features":[`+strings.Repeat("[],", 1<<20)+"1]}")
	want["lists.model"] = "more than 1048576 lists and objects"
	return want
}

// TestBombs: no file takes much memory, and its message says where and what. Each is a file of at
// most 4 MB.
func TestBombs(t *testing.T) {
	dir := t.TempDir()
	wants := bombsAt(t, dir)
	t.Chdir(dir)
	for name, text := range map[string]string{
		"p.dc":     "var x in [0, 1]\nminimize x^2\n",
		"p.result": `{"status":"converged","objective":0,"variables":{"x":0}}`, "t.csv": "a\n1\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const most = 1 << 31 // as docs/cli.md says
	// so that what is collected late does not count
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(most / 2))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		want := wants[name]
		if info, err := os.Stat(name); err != nil || info.Size() > 4<<20 {
			t.Fatalf("%s: %v, %v", name, info, err)
		}
		var commands [][]string
		switch parts := strings.Split(strings.TrimSuffix(name, ".gz"), "."); parts[len(parts)-1] {
		case "csv":
			commands = [][]string{{"fit", name, "-t", "a", "-o", "m.json"}}
			fallthrough
		case "json", "mtx", "npy":
			source := fmt.Sprintf("param A = %s(%q)\nvar x\nminimize x^2 + sum(A)*x\n", parts[len(parts)-1], name)
			if err := os.WriteFile("data.dc", []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			commands = append(commands, []string{"check", "data.dc"}, []string{"verify", "data.dc", "p.result"})
		case "dc":
			if name == "one.dc" {
				commands = [][]string{{"solve", name}, {"check", name}, {"verify", name, "p.result"}}
				break
			}
			commands = [][]string{{"solve", name}, {"check", name}, {"fmt", name, "--check"},
				{"verify", name, "p.result"}}
		case "proof":
			commands = [][]string{{"verify", "p.dc", "p.result", "--proof", name}}
		case "result":
			commands = [][]string{{"verify", "p.dc", name}, {"solve", "p.dc", "--start", name}}
		case "model":
			commands = [][]string{{"predict", name, "t.csv"}, {"shard", "run", name}}
		default:
			commands = [][]string{{"solve", name}}
		}
		for _, args := range commands {
			code, stdout, stderr := runDcopt(args...)
			if said := stdout + stderr; code == exit.OK || !strings.Contains(said, want) || len(said) > 4<<10 {
				t.Errorf("dcopt %q: exit %d, %.400s, want %q", args, code, said, want)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && used > most {
		t.Errorf("the heap has grown by %d bytes", used)
	}
}
