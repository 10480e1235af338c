package session

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newSession() *Session {
	return &Session{Ctx: context.Background(), Log: &Messages{w: io.Discard}, Stdout: &Stream{ctx: context.Background(), w: io.Discard}}
}

func TestOutputIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("result", link); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(dir, "nowhere")
	if err := os.Symlink("later", nowhere); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, nowhere} {
		o, err := newSession().Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(o, "new")
		if got, _ := os.ReadFile(path); name == link && string(got) != "old" {
			t.Errorf("before commit the file holds %q", got)
		}
		if err := o.Commit(); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(name); string(got) != "new" {
			t.Errorf("after commit the file holds %q", got)
		}
		if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Error("the link was replaced instead of the file behind it")
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is %v, %v, want it kept", info.Mode(), err)
	}
	o, err := newSession().Create(path)
	if err != nil {
		t.Fatal(err)
	}
	o.Write(make([]byte, 1<<20))
	o.Discard()
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Errorf("given up, the file holds %d bytes", len(got))
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("something was left behind: %v", entries)
	}
	if o, err := newSession().Create(os.DevNull); err != nil || o.Commit() != nil {
		t.Errorf("%s is refused: %v", os.DevNull, err)
	}
}

func TestUnwritablePath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "x"), filepath.Join(file+"s", "x"), filepath.Dir(file), strings.Repeat("x", 5000)} {
		if _, err := newSession().Create(path); err == nil || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%.80s: %v", path, err)
		}
	}
	// The folder vanishes while the result is computed.
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	o, err := newSession().Create(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); err == nil {
		t.Error("commit into a folder that is gone succeeds")
	}
}
