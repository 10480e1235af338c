//go:build !race

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// clone is a copy of the last commit in a folder of its own, or of the files where there
// is no repository.
func clone(t *testing.T, dir string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if exec.Command("git", "-C", root, "rev-parse", "HEAD").Run() == nil {
		if out, err := exec.Command("git", "clone", "-q", "--shared", root, dir).CombinedOutput(); err != nil {
			t.Fatalf("git clone: %v\n%s", err, out)
		}
		return dir
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	for _, part := range []string{"cmd", "dc", "ccp", "lder", "plan", "qpbackend", "internal", "third_party"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(root, part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), raw, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReproducible builds the archive of this platform twice, from two folders.
func TestReproducible(t *testing.T) {
	work := t.TempDir()
	var outs []string
	var last *release
	for _, dir := range []string{"one", "another/folder"} {
		r := &release{root: clone(t, filepath.Join(work, dir)), out: filepath.Join(work, "out", dir), plain: true}
		if err := r.make([]string{runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
			t.Fatal(err)
		}
		outs, last = append(outs, r.out), r
	}
	if len(last.files) != 1 {
		t.Fatalf("files %q", last.files)
	}
	for _, name := range append(last.files, "SHA256SUMS") {
		a, err := os.ReadFile(filepath.Join(outs[0], name))
		b, err2 := os.ReadFile(filepath.Join(outs[1], name))
		if err != nil || err2 != nil || len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("two builds of %s differ: %d and %d bytes (%v, %v)", name, len(a), len(b), err, err2)
		}
	}
	raw, err := os.ReadFile(filepath.Join(outs[0], last.files[0]))
	if err != nil {
		t.Fatal(err)
	}
	if sums, _ := os.ReadFile(filepath.Join(outs[0], "SHA256SUMS")); string(sums) != fmt.Sprintf("%x  %s\n", sha256.Sum256(raw), last.files[0]) {
		t.Errorf("the sums are %s", sums)
	}
	if runtime.GOOS == "windows" {
		return // its archives are of another kind
	}
	files := untar(t, raw)
	for _, name := range []string{"dcopt", "LICENSE", "NOTICES", "README.md", "CHANGELOG.md", "CITATION.cff", "man/dcopt.1", "man/dcopt-solve.1", "completions/_dcopt", "completions/dcopt.bash", "completions/dcopt.fish", "completions/dcopt.ps1"} {
		if f := files[name]; f == nil || len(f.data) == 0 || !f.at.Equal(last.time) || f.mode != map[bool]int64{true: 0o755, false: 0o644}[name == "dcopt"] {
			t.Errorf("%s in the archive: %+v", name, f)
		}
	}
	for _, want := range []string{"Go, the language and its standard library: LICENSE", "gonum.org/v1/gonum v", "github.com/urfave/cli/v2 v"} {
		if !bytes.Contains(files["NOTICES"].data, []byte(want)) {
			t.Errorf("NOTICES lacks %q", want)
		}
	}
	// The program runs, and has no path of this machine.
	program := filepath.Join(work, "dcopt")
	if err := os.WriteFile(program, files["dcopt"].data, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "dcopt ") {
		t.Errorf("version: %v, %s", err, out)
	}
	if bytes.Contains(files["dcopt"].data, []byte(work)) {
		t.Error("the program holds the path of its sources")
	}
	// What is there is replaced, but nothing of another kind.
	if err := last.clear(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(last.out, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := last.clear(); err == nil {
		t.Error("a folder with other files is cleared")
	}
}

// unpacked is a file of an archive.
type unpacked struct {
	data []byte
	mode int64
	at   time.Time
}

func untar(t *testing.T, raw []byte) map[string]*unpacked {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*unpacked{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s: %v, owner %d %q", h.Name, err, h.Uid, h.Uname)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		out[name] = &unpacked{data, h.Mode, h.ModTime}
	}
}

// TestArchives: entries in any order give the same bytes, and read back.
func TestArchives(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	list := []entry{{"b/c", []byte("text"), 0o644}, {"a.exe", []byte{0, 1, 2}, 0o755}}
	turned := slices.Clone(list)
	slices.Reverse(turned)
	for name, pack := range map[string]func(string, []entry, time.Time) ([]byte, error){"tar": tarred, "zip": zipped} {
		one, err := pack("x", list, at)
		two, err2 := pack("x", turned, at)
		if err != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Errorf("%s: %v, %v", name, err, err2)
		}
		if name == "tar" {
			files := untar(t, one)
			if len(files) != 2 || string(files["b/c"].data) != "text" || files["a.exe"].mode != 0o755 || !files["b/c"].at.Equal(at) {
				t.Errorf("%s holds %v", name, files)
			}
			continue
		}
		z, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
		if err != nil || len(z.File) != 2 || z.File[0].Name != "x/a.exe" || z.File[0].Mode() != 0o755 || !z.File[1].Modified.Equal(at) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefuses: wrong platforms, times, and folders that are no checkout.
func TestRefuses(t *testing.T) {
	if err := (&release{root: "../..", out: t.TempDir()}).make([]string{"plan9/mips"}); err == nil {
		t.Error("a platform that is none is built")
	}
	for _, bad := range []string{"x", "-1", "0", "99999999999"} {
		t.Setenv("SOURCE_DATE_EPOCH", bad)
		if at, err := (&release{root: "../.."}).timeOf(); err == nil {
			t.Errorf("SOURCE_DATE_EPOCH=%s is %v", bad, at)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if at, err := (&release{root: "../.."}).timeOf(); err != nil || at.Unix() != 1700000000 {
		t.Errorf("%v, %v", at, err)
	}
	if got := environment("A=1", "HOME=x"); !slices.Contains(got, "A=1") || !slices.Contains(got, "HOME=x") || slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "HOME=") && s != "HOME=x" }) {
		t.Errorf("the environment is %q", got)
	}
	for v, want := range map[string]string{"1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3~rc.1", "0.0.0-20260102030405-0123456789ab+dirty": "0.0.0~20260102030405.0123456789ab.dirty"} {
		if got := debianVersion(v); got != want {
			t.Errorf("%s is %s for Debian, want %s", v, got, want)
		}
	}
}

// TestNormalised: a bill has the release's time, no hashes of the tool, and licences.
func TestNormalised(t *testing.T) {
	at := time.Unix(1700000000, 0).UTC()
	bill := `{"metadata":{"timestamp":"2026-01-01T00:00:00Z","tools":[{"name":"t","hashes":[{"alg":"MD5"}]}],"component":{"name":"dcopt"}},"components":[{"name":"std"},{"name":"m","version":"1"}],"n":12345678901234567890}`
	out, err := normalised([]byte(bill), at)
	var got struct {
		Metadata struct {
			Timestamp string
			Tools     []map[string]any
			Component map[string]any
		}
		Components []map[string]any
	}
	if err != nil || json.Unmarshal(out, &got) != nil || got.Metadata.Timestamp != "2023-11-14T22:13:20Z" || got.Metadata.Tools[0]["hashes"] != nil ||
		got.Metadata.Component["licenses"] == nil || got.Components[0]["licenses"] == nil || got.Components[1]["licenses"] != nil || !bytes.Contains(out, []byte("12345678901234567890")) {
		t.Errorf("%s, %v", out, err)
	}
	for _, bad := range []string{"", "{}", `{"metadata":{}}`, `{"metadata":{"component":{}},"components":[]}`} {
		if _, err := normalised([]byte(bad), at); err == nil {
			t.Errorf("%q is a bill", bad)
		}
	}
}

// TestContainer: the container has the program and its licences, of files that an archive
// has, and nothing else.
func TestContainer(t *testing.T) {
	raw, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(string(raw), "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			lines = append(lines, l)
		}
	}
	want := []string{"FROM scratch", "COPY dcopt /dcopt", "COPY LICENSE NOTICES /licenses/", "USER 65532:65532", "WORKDIR /work", `ENTRYPOINT ["/dcopt"]`}
	if !slices.Equal(lines, want) {
		t.Errorf("%s says %q", path.Base("Containerfile"), lines)
	}
}
