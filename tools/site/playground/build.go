package playground

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// page has the files that are copied as they stand.
//
//go:embed *.html *.css *.js
var page embed.FS

// MostBytes bounds the engine as it is loaded, compressed by gzip: 3 MiB. Source: a size that a
// phone loads in seconds; TestSize prints the size of the engine.
const MostBytes = 3 << 20

// First is the problem that the page opens with, solved when the page is built.
const First = "gallery/multi_robot"

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
	if files["icon.svg"], err = os.ReadFile(filepath.Join(root, "tools", "site", "assets", "mark.svg")); err != nil {
		return err
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
	args := slices.Concat([]string{"build"}, flags, []string{"-o", file, "./tools/wasm"})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("building the engine: %w\n%s", err, text)
	}
	if wasm, err = os.ReadFile(file); err != nil {
		return nil, nil, err
	}
	if wasm, err = smaller(wasm); err != nil {
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

// offline is the script that keeps the page for want of a network: of the two forms of the
// engine, the compressed one.
func offline(files map[string][]byte) []byte {
	var names []string
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		io.WriteString(sum, name)
		sum.Write(files[name])
		if name != "offline.js" && name != "dcopt.wasm" && name != "index.html" { // which is ./
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	version := fmt.Sprintf("%x", sum.Sum(nil)[:8])
	return bytes.Replace(bytes.Replace(files["offline.js"], []byte("-VERSION"), []byte("-"+version), 1),
		[]byte("FILES"), []byte(strings.Join(names, ", ")), 1)
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
