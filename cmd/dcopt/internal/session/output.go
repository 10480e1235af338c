package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// Output is where a result goes: standard output, a device or pipe, or a file
// that appears whole or not at all. It keeps the first error of what is done to
// it; commit returns it, so that writers in between may ignore theirs.
type Output struct {
	files   *files
	name    string   // for messages
	stream  *Stream  // standard output; nil: there is a path
	target  string   // the file to be replaced, "" where it is written straight
	inPlace bool     // it may replace its input
	file    *os.File // the file that is written: the device, or the file that will take target's place
	buf     *bufio.Writer
	err     error
}

// Create returns standard output if path is empty. For a file it finds out now,
// before the work, whether it can be written, and that it is none that is read
// or written already.
func (s *Session) Create(path string) (*Output, error) {
	if path == "" {
		return &Output{files: &s.files, name: "standard output", stream: s.Stdout}, nil
	}
	o := &Output{files: &s.files, name: path}
	if err := o.locate(s.Ctx, path); err != nil {
		if exit.IsContext(err) {
			return nil, err
		}
		return nil, exit.Usagef("cannot write %s: %w", path, Reason(err))
	}
	if err := s.files.check(o); err != nil {
		return nil, err
	}
	for _, other := range s.files.opened {
		if o.target != "" && sameTarget(o.target, other.target) {
			return nil, exit.Usagef("%s would hold two results; give one another name", path)
		}
	}
	s.files.opened = append(s.files.opened, o)
	return o, nil
}

// locate finds the file that path names and how it is to be written.
func (o *Output) locate(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.target = behind(path)
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular() || isDescriptor(path):
		// Opening a pipe waits for its reader.
		o.file, err = Within(ctx, func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0) })
		return err
	default: // the file behind a link, not the link, is replaced
		if o.target, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		// A file that is protected stays as it is, although its folder lets others
		// take its name.
		f, err := os.OpenFile(o.target, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
	}
	trial, err := Temporary(o.target)
	if err != nil {
		return err
	}
	trial.Close()
	return os.Remove(trial.Name())
}

// behind is the path that links to nowhere lead to.
func behind(path string) string {
	for range mostLinks {
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return path
}

// mostLinks is how many links in a row Linux follows. Source: path_resolution(7).
const mostLinks = 40

// isDescriptor reports whether path leads to an open file of a process, such as
// /dev/stdout: the file behind it has another owner and is not replaced.
func isDescriptor(path string) bool {
	for range mostLinks {
		abs, err := filepath.Abs(path)
		if err != nil {
			return false
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
		if err != nil {
			return false
		}
		if dir = filepath.ToSlash(dir) + "/"; strings.HasPrefix(dir, "/proc/") || strings.HasPrefix(dir, "/dev/fd/") {
			return true
		}
		link, err := os.Readlink(abs)
		if err != nil {
			return false
		}
		if path = link; !filepath.IsAbs(link) {
			path = filepath.Join(dir, link)
		}
	}
	return false
}

// sameTarget reports whether two paths, of files that may not exist, name one.
func sameTarget(a, b string) bool {
	if b == "" || filepath.Base(a) != filepath.Base(b) {
		return false
	}
	x, err := os.Stat(filepath.Dir(a))
	y, err2 := os.Stat(filepath.Dir(b))
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// stat describes the file that the output would change.
func (o *Output) stat() (os.FileInfo, error) {
	switch {
	case o.target != "":
		return os.Stat(o.target)
	case o.file != nil:
		return o.file.Stat()
	}
	return nil, fs.ErrNotExist
}

// Colours reports whether the output shows colours, and the user wants them.
func (o *Output) Colours() bool { return o.stream != nil && o.stream.Colours() }

// ToFile reports whether the output goes to a file of its own.
func (o *Output) ToFile() bool { return o.target != "" }

func (o *Output) Write(p []byte) (n int, err error) {
	switch {
	case o.err != nil:
		return 0, o.err
	case o.stream != nil:
		n, err = o.stream.Write(p)
	case o.file == nil:
		if o.file, err = Temporary(o.target); err == nil {
			return o.Write(p)
		}
	default:
		if o.buf == nil {
			o.buf = bufio.NewWriterSize(o.file, 1<<16)
		}
		n, err = o.buf.Write(p)
	}
	o.err = err
	return n, err
}

// Failed reports whether something was not written.
func (o *Output) Failed() bool {
	return o.err != nil || o.stream != nil && o.stream.Failed()
}

// Commit ends the output: all of it has arrived, and a file is on the disk under
// its name.
func (o *Output) Commit() error {
	if o.stream != nil {
		return nil // run looks after its errors
	}
	if o.err == nil && o.target != "" {
		if err := o.files.check(o); err != nil { // the guarantee; create only looked early
			o.Discard()
			return err
		}
	}
	if o.err == nil {
		_, o.err = o.Write(nil) // there is a file now
	}
	if o.err == nil {
		o.err = o.finish()
	}
	if o.err != nil {
		err := o.err
		o.Discard()
		return exit.Usagef("cannot write %s: %w", o.name, Reason(err))
	}
	return nil
}

// finish flushes, closes and renames.
func (o *Output) finish() error {
	if err := o.buf.Flush(); err != nil {
		return err
	}
	if o.target == "" {
		f := o.file
		o.file = nil
		return f.Close()
	}
	if old, err := os.Stat(o.target); err == nil {
		const bits = os.ModePerm | os.ModeSetuid | os.ModeSetgid | os.ModeSticky
		if err := o.file.Chmod(old.Mode() & bits); err != nil {
			return err
		}
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	if err := o.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(o.file.Name(), o.target); err != nil {
		return err
	}
	o.file = nil
	return nil
}

// Discard gives up output that was not committed.
func (o *Output) Discard() {
	if o == nil || o.file == nil {
		return
	}
	o.file.Close()
	if o.target != "" {
		os.Remove(o.file.Name())
	}
	o.file, o.err = nil, errors.New("given up")
}

// Reason is err without the name of the temporary file.
func Reason(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// Temporary makes a new file in the folder of path. os.CreateTemp would make
// it unreadable for others.
func Temporary(path string) (*os.File, error) {
	for k := 0; ; k++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".dcopt-%d-%d.tmp", os.Getpid(), k))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && k < 1000 {
			continue
		}
		return f, err
	}
}

// Stream is standard output. It remembers its first error and writes nothing
// after it. A write that nobody takes up ends with ctx.
type Stream struct {
	ctx     context.Context
	w       io.Writer
	written bool
	err     error
}

func (s *Stream) Write(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	s.written = true
	n, s.err = Within(s.ctx, func() (int, error) { return s.w.Write(p) })
	return n, s.err
}

// Colours reports whether the stream shows colours, and the user wants them.
func (s *Stream) Colours() bool { return colours(s.w) }

// Raw is the writer behind the stream.
func (s *Stream) Raw() io.Writer { return s.w }

// Failed reports whether something was not written.
func (s *Stream) Failed() bool { return s.err != nil }

// Close returns the first error. A file without output may be closed already.
func (s *Stream) Close() error {
	if c, ok := s.w.(io.Closer); ok && s.written && s.err == nil {
		s.err = c.Close()
	}
	return s.err
}

// Rewrite replaces a file that was read; behind a link, the file and not the
// link.
func (s *Session) Rewrite(path string, data []byte) error {
	o := &Output{files: &s.files, name: path, inPlace: true}
	if err := o.locate(s.Ctx, path); err != nil {
		return exit.Usagef("cannot write %s: %w", path, Reason(err))
	}
	defer o.Discard()
	if !o.ToFile() {
		return exit.Usagef("cannot write %s: it is no regular file", path)
	}
	o.Write(data) // commit has the error
	return o.Commit()
}
