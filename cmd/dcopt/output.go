package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// output is where a result goes: a stream, or a file that appears whole or not
// at all.
type output struct {
	w    io.Writer    // where path is empty
	path string       // of the file
	buf  bytes.Buffer // what goes there
}

// openOutput returns the stream if path is empty. For a file it finds out now,
// before the work, whether it can be written.
func openOutput(path string, stream io.Writer) (*output, error) {
	if path == "" {
		return &output{w: stream}, nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, usagef("cannot write %s: it is a directory", path)
	case err == nil && !info.Mode().IsRegular(): // a pipe, /dev/null
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, usagef("cannot write: %w", err)
		}
		return &output{w: f}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, usagef("cannot write: %w", err)
	}
	if err == nil { // the file behind a link, not the link, is replaced
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, usagef("cannot write: %w", err)
		}
	}
	probe, err := temporary(path)
	if err != nil {
		return nil, usagef("cannot write %s: %w", path, reason(err))
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return nil, usagef("cannot write %s: %w", path, err)
	}
	return &output{path: path}, nil
}

// toFile reports whether the output goes to a file.
func (o *output) toFile() bool { return o.path != "" }

func (o *output) Write(p []byte) (int, error) {
	if o.path == "" {
		return o.w.Write(p)
	}
	return o.buf.Write(p)
}

// commit ends the output: a file is now on the disk under its name.
func (o *output) commit() error {
	if o.path == "" {
		return nil
	}
	if err := replaceFile(o.path, o.buf.Bytes()); err != nil {
		return usagef("cannot write %s: %w", o.path, reason(err))
	}
	return nil
}

// reason is err without the name of the temporary file.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// replaceFile writes beside the file and renames, so that a reader sees the
// old contents or the new.
func replaceFile(path string, data []byte) (err error) {
	f, err := temporary(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if old, err := os.Stat(path); err == nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// temporary makes a new file in the folder of path. os.CreateTemp would make
// it unreadable for others.
func temporary(path string) (*os.File, error) {
	for k := 0; ; k++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%d.tmp", filepath.Base(path), os.Getpid(), k))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && k < 1000 {
			continue
		}
		return f, err
	}
}
