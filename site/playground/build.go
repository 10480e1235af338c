package playground

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang"
)

// page has the files that are copied as they stand.
//
//go:embed *.html *.css *.js *.svg
var page embed.FS

// MostBytes bounds the engine as it is loaded, compressed by gzip: 3 MiB. Source: a size
// that a phone loads in seconds; TestSize prints that of the engine.
const MostBytes = 3 << 20

// flags make the engine small: without inlining it has a seventh less code and takes about
// 1.4 times as long; with the tag lean it has no LAPACK, see internal/dense.
var flags = []string{"-trimpath", "-tags=lean", "-gcflags=all=-l", "-ldflags=-s -w"}

// Build makes the playground in the folder out, of the repository at root. It needs the go
// command. The same sources and Go give the same bytes.
func Build(ctx context.Context, root, out string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	files := map[string][]byte{}
	names, err := page.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range names {
		if files[e.Name()], err = page.ReadFile(e.Name()); err != nil {
			return err
		}
	}
	if files["dcopt.wasm"], files["wasm_exec.js"], err = engine(ctx, root); err != nil {
		return err
	}
	if files["dcopt.wasm.gz"], err = compressed(files["dcopt.wasm"]); err != nil {
		return err
	}
	if files["data.json"], err = data(ctx, root); err != nil {
		return err
	}
	files["offline.js"] = offline(files)
	for name, content := range files {
		if err := write(filepath.Join(out, name), content); err != nil {
			return err
		}
	}
	return nil
}

// engine compiles the engine and finds the script that starts it, which comes with Go.
func engine(ctx context.Context, root string) (wasm, script []byte, err error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "dcopt.wasm")
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, flags, []string{"-o", file, "./wasm"})...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("building the engine: %w\n%s", err, text)
	}
	if wasm, err = os.ReadFile(file); err != nil {
		return nil, nil, err
	}
	if wasm, err = mergeSegments(wasm); err != nil {
		return nil, nil, err
	}
	home, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, err
	}
	script, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(home)), "lib", "wasm", "wasm_exec.js"))
	return wasm, script, err
}

func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Problem is an example as the page has it.
type Problem struct {
	Name  string            `json:"name"`
	Title string            `json:"title"`
	Group string            `json:"group"` // "Gallery" of examples/gallery
	About string            `json:"about"`
	Text  string            `json:"text"`
	Files map[string]string `json:"files"` // the data that it reads
}

// row is an example in the table of examples/README.md.
var row = regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)\\.dc` \\| (.+?) \\|$")

// Problems are the examples with their data, in the order of examples/README.md, and behind
// them those of examples/gallery.
func Problems(ctx context.Context, root string) ([]Problem, error) {
	dir := filepath.Join(root, "examples")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return nil, err
	}
	place, about := map[string]int{}, map[string]string{}
	for k, m := range row.FindAllStringSubmatch(string(readme), -1) {
		place[m[1]], about[m[1]] = k-1000, m[2]
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.dc"))
	if err != nil {
		return nil, err
	}
	var out []Problem
	for _, file := range paths {
		p, err := problem(ctx, file)
		if err != nil {
			return nil, err
		}
		p.About = about[p.Name]
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(place[a.Name], place[b.Name]) })
	if paths, err = filepath.Glob(filepath.Join(dir, "gallery", "*.dc")); err != nil {
		return nil, err
	}
	for _, file := range paths {
		p, err := problem(ctx, file)
		if err != nil {
			return nil, err
		}
		p.Name, p.Group = "gallery/"+p.Name, "Gallery"
		out = append(out, p)
	}
	return out, nil
}

// problem reads an example and the files that it reads.
func problem(ctx context.Context, file string) (Problem, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Problem{}, err
	}
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(file)), ".dc")
	title := strings.ReplaceAll(name, "_", " ")
	p := Problem{Name: name, Title: strings.ToUpper(title[:1]) + title[1:], Text: string(text), Files: map[string]string{}}
	f, err := lang.Parse(file, text)
	if err != nil {
		return p, err
	}
	prog, err := lang.Compile(ctx, f, lang.Options{Dir: filepath.Dir(file)})
	if err != nil {
		return p, err
	}
	for _, d := range prog.Data {
		content, err := os.ReadFile(d.Path)
		if err != nil {
			return p, err
		}
		p.Files[d.Name] = string(content)
	}
	return p, nil
}

// data is the file of the page with the examples and the grammar of the language.
func data(ctx context.Context, root string) ([]byte, error) {
	problems, err := Problems(ctx, root)
	if err != nil {
		return nil, err
	}
	grammar, err := os.ReadFile(filepath.Join(root, "editors", "vscode", "syntaxes", "dc.tmLanguage.json"))
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Grammar  json.RawMessage `json:"grammar"`
		Problems []Problem       `json:"problems"`
	}{grammar, problems})
}

// offline is the script that keeps the page for want of a network: of the two forms of the
// engine, the compressed one.
func offline(files map[string][]byte) []byte {
	var names []string
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		io.WriteString(sum, name)
		sum.Write(files[name])
		if name != "offline.js" && name != "dcopt.wasm" {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	version := fmt.Sprintf("%x", sum.Sum(nil)[:8])
	return bytes.Replace(bytes.Replace(files["offline.js"], []byte("-VERSION"), []byte("-"+version), 1), []byte("FILES"), []byte(strings.Join(names, ", ")), 1)
}

// write writes a file whole or not at all.
func write(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
