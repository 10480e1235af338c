package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/urfave/cli/v2"
)

// session is one run of the program: the state that its commands share.
type session struct {
	begin  time.Time
	ctx    context.Context // ends at a signal
	args   []string        // of the command line, without the program's name
	stdin  io.Reader
	stdout *stream
	files  files
	log    *messages
}

// sessionOf returns the session that newApp stored.
func sessionOf(c *cli.Context) *session { return c.App.Metadata["session"].(*session) }

// graceTime is how long a step without a context of its own may go on after a
// signal or time limit. It and the exit together take less than half a second.
const graceTime = 250 * time.Millisecond

// within returns the result of f. If ctx ends, f has graceTime to finish; then it is
// left to itself, which is safe only because the program ends soon, and the error
// is that of ctx. f must not write to variables that its caller uses afterwards.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	return withGrace(ctx, graceTime, f)
}

func withGrace[T any](ctx context.Context, grace time.Duration, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.v, r.err
	case <-time.After(grace):
		var none T
		return none, ctx.Err()
	}
}

// open opens a file that the run reads; "-" is standard input. Neither opening
// nor reading outlasts ctx, also where nothing comes from a pipe.
func (s *session) open(ctx context.Context, path string) (io.ReadCloser, error) {
	if path == "-" {
		if f, ok := s.stdin.(*os.File); ok {
			if err := s.files.reads(f, "standard input"); err != nil {
				return nil, err
			}
		}
		return &patientReader{ctx: ctx, Closer: io.NopCloser(nil), r: s.stdin}, nil // a pipe may never give anything
	}
	f, err := within(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, unreadable(err)
	}
	if err := s.files.reads(f, path); err != nil {
		f.Close()
		return nil, err
	}
	r := &patientReader{ctx: ctx, Closer: f, r: f}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		r.grace = graceTime
	}
	return r, nil
}

// unreadable is the failure for a file that cannot be read.
func unreadable(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe // without the text around it: it names the file itself
	}
	return usagef("%w", err)
}

// patientReader reads until its context ends.
type patientReader struct {
	io.Closer
	ctx   context.Context
	grace time.Duration // of a read
	r     io.Reader
	buf   []byte // of the read under way
	err   error  // of a read that was left to itself, which still has buf
}

func (p *patientReader) Read(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	if len(p.buf) < len(b) {
		p.buf = make([]byte, len(b))
	}
	buf := p.buf[:len(b)]
	n, err := withGrace(p.ctx, p.grace, func() (int, error) { return p.r.Read(buf) })
	copy(b, buf[:n])
	if isContextError(err) {
		p.err = err
	}
	return n, err
}

// files are those that a run reads and writes. None that it reads is written,
// whatever the names: files are compared, not names.
type files struct {
	read   []readFile
	opened []*output
}

type readFile struct {
	info os.FileInfo
	name string
}

// reads records a file that is read. It refuses one that an output replaces.
func (f *files) reads(file *os.File, name string) error {
	info, err := file.Stat()
	if err != nil {
		return usagef("%w", err)
	}
	return f.add(info, name)
}

// readsPath is reads for a file that was read and is closed.
func (f *files) readsPath(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // gone since, so nothing can replace it
	}
	return f.add(info, path)
}

func (f *files) add(info os.FileInfo, name string) error {
	if !info.Mode().IsRegular() {
		return nil // pipes and terminals may be both
	}
	f.read = append(f.read, readFile{info, name})
	for _, o := range f.opened {
		if err := f.check(o); err != nil {
			return err
		}
	}
	return nil
}

// check refuses an output that would replace a file that was read.
func (f *files) check(o *output) error {
	if o.inPlace {
		return nil
	}
	info, err := o.stat()
	if err != nil {
		return nil // not there yet
	}
	for _, r := range f.read {
		if os.SameFile(info, r.info) {
			as := ""
			if r.name != o.name {
				as = ", as " + r.name
			}
			return usagef("%s is also read%s, and would be overwritten; give the output another name", o.name, as)
		}
	}
	return nil
}
