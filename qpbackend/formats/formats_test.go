package formats_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/formats"
)

// files have one variable x ≥ 1, each in its format.
var files = map[string]string{
	"a.qps":   "NAME a\nROWS\n N c\n G r\nCOLUMNS\n x c 1\n x r 1\nRHS\n R r 1\nENDATA\n",
	"b.cbf":   "VER\n1\nOBJSENSE\nMIN\nVAR\n1 1\nF 1\nCON\n1 1\nL+ 1\nOBJACOORD\n1\n0 1\nACOORD\n1\n0 0 1\nBCOORD\n1\n0 -1\n",
	"c.dat-s": "1\n1\n-1\n1\n0 1 1 1 1\n1 1 1 1 1\n",
}

// TestFormats: each is read plain and compressed, under its name in either case.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	for name, text := range files {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write([]byte(text))
		w.Close()
		for path, data := range map[string][]byte{name: []byte(text), strings.ToUpper(name): []byte(text), name + ".gz": z.Bytes()} {
			path = filepath.Join(dir, path)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := formats.ReadFile(path)
			if err != nil {
				t.Error(err)
				continue
			}
			if n, m := f.Problem.Dims(); n != 1 || m != 1 || f.Problem.L[0] != 1 || f.Problem.Q[0] != 1 {
				t.Errorf("%s: %d variables, %d rows, side %v", path, n, m, f.Problem.L)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	_, err := formats.ReadNamed(strings.NewReader("1\n1\n2\n1\n1 1 3 1 1\n"), "dir/a.dat-s")
	var e *formats.Error
	if !errors.As(err, &e) || e.File != "dir/a.dat-s" || e.Line != 5 {
		t.Errorf("%v, want a place", err)
	}
	for path, want := range map[string]string{
		"a.txt": ".qps, .mps, .sif, .cbf, .dat-s, .npz", "a.cbf.gz": "a.cbf.gz: line 1",
		"a.npz": "a.npz: this is no .npz file", "a.cbf": "a.cbf: line 1",
	} {
		if _, err := formats.ReadNamed(strings.NewReader("x"), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	for path, want := range map[string]bool{"a.dat-s": true, "A.CBF.GZ": true, "x.npz": true, "x.sif.gz": true, "x.dc": false, "dat-s": false, ".gz": false} {
		if formats.Is(path) != want {
			t.Errorf("Is(%q) = %v", path, !want)
		}
	}
}
