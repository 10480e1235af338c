package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/need"
)

// TestFormatWrites: -w rewrites what differs and nothing else, keeps links and
// modes, and leaves a wrong file alone.
func TestFormatWrites(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		return path
	}
	crooked := file("crooked.dc", "var x\nminimize x^2+1\n")
	straight := file("straight.dc", "var   x\nminimize  x\n")
	wrong := file("wrong.dc", "var x\nminimize (x\n")
	target := file("target.dc", "param a=1\nfind")
	link := filepath.Join(dir, "link.dc")
	err := os.Symlink("target.dc", link)
	need.That(t, err == nil, need.Links, err)
	before, err := os.Stat(straight)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"fmt", "-w", crooked, wrong, straight, link}
	if code := run(context.Background(), args, nil, &stdout, &stderr); code != exit.File || stdout.Len() > 0 || !strings.Contains(stderr.String(), "wrong.dc:2:10: error: ( is never closed") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
	}
	for path, want := range map[string]string{
		crooked: "var   x\nminimize  x^2 + 1\n", wrong: "var x\nminimize (x\n", target: "param a = 1\nfind\n",
	} {
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is %q, want %q; %v", path, got, want, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	after, err := os.Stat(straight)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("a file that does not differ is written anew, %v", err)
	}
	if info, err := os.Stat(crooked); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 5 {
		t.Errorf("%d files are left, want 5; %v", len(files), err)
	}
	stderr.Reset()
	if code := run(context.Background(), []string{"fmt", "-l", crooked, straight}, nil, &stdout, &stderr); code != exit.OK || stdout.Len() > 0 {
		t.Errorf("after -w, -l has code %d and %q", code, stdout.String())
	}
}
