package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/input"
)

// Session is one run of the program: the state that its commands share.
type Session struct {
	Begin  time.Time
	Ctx    context.Context // ends at a signal
	Args   []string        // of the command line, without the program's name
	Stdin  io.Reader
	Stdout *Stream
	Log    *Messages
	Run    func(*Session) int // the program; watch runs it again
	files  files
}

// Start begins a session of the program, which run is.
func Start(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer,
	run func(*Session) int) *Session {
	s := &Session{
		Begin: time.Now(), Ctx: ctx, Args: args, Stdin: stdin, Run: run,
		Stdout: &Stream{ctx: ctx, w: stdout},
		Log:    &Messages{w: stderr, JSON: wantsJSON(args)},
	}
	if f, ok := stdout.(*os.File); ok { // it may be a file that is read
		s.files.opened = append(s.files.opened, &Output{files: &s.files, name: "the file behind standard output",
			file: f})
	}
	return s
}

// Again makes a session that runs the program once more, with the same outputs, until shut
// is called: later writes are dropped.
func (s *Session) Again(ctx context.Context, args []string) (inner *Session, shut func()) {
	out, log := &gate{w: s.Stdout}, &gate{w: s.Log.w}
	inner = Start(ctx, args, nil, out, log, s.Run)
	inner.files.opened = append(inner.files.opened, s.files.opened...)
	return inner, func() {
		out.close()
		log.close()
	}
}

// Inputs are the files that were read, by name.
func (s *Session) Inputs() map[string]os.FileInfo {
	read := map[string]os.FileInfo{}
	for _, r := range s.files.read {
		if _, twice := read[r.name]; !twice {
			read[r.name] = r.info
		}
	}
	return read
}

// ReadsPath records a file that was read and is closed. It refuses one that an output replaces.
func (s *Session) ReadsPath(path string) error { return s.files.readsPath(path) }

// OnTerminal reports whether results and messages go to a terminal.
func (s *Session) OnTerminal() bool { return isTerminal(s.Stdout.w) && isTerminal(s.Log.w) }

// Of returns the session of a command.
func Of(c *cli.Context) *Session { return c.App.Metadata["session"].(*Session) }

// graceTime is how long a step without a context of its own may go on after a
// signal or time limit. It and the exit together take less than half a second.
const graceTime = 250 * time.Millisecond

// Within returns the result of f. If ctx ends, f has graceTime to finish; then it is
// left to itself, which is safe only because the program ends soon, and The error
// is ctx.Err(). f must not write to variables that its caller uses afterwards.
func Within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	return withGrace(ctx, graceTime, f)
}

// briefTime is graceTime of work that looks at its context, where that is cancelled and has no
// deadline that passed: it goes on longer where a step of it is long, and has nothing better to
// give then. Source: a limit of time: with the result written less than .2 s.
const briefTime = 100 * time.Millisecond

// Briefly is Within with less time after a signal: where the caller has an answer of its own, or
// none is lost.
func Briefly[T any](ctx context.Context, f func() (T, error)) (T, error) {
	return await(ctx, func() time.Duration {
		if errors.Is(ctx.Err(), context.Canceled) {
			return briefTime
		}
		return graceTime
	}, f)
}

func withGrace[T any](ctx context.Context, grace time.Duration, f func() (T, error)) (T, error) {
	return await(ctx, func() time.Duration { return grace }, f)
}

// await is Within with the time that it is told when ctx has ended.
func await[T any](ctx context.Context, grace func() time.Duration, f func() (T, error)) (T, error) {
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
	case <-time.After(grace()):
		var none T
		return none, ctx.Err()
	}
}

// Open opens a file that the run reads; "-" is standard input. Neither opening
// nor reading outlasts ctx, also where nothing comes from a pipe.
func (s *Session) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	if path == "-" {
		if f, ok := s.Stdin.(*os.File); ok {
			if err := s.files.reads(f, "standard input"); err != nil {
				return nil, err
			}
		}
		return &patientReader{ctx: ctx, Closer: io.NopCloser(nil), r: s.Stdin}, nil // a pipe may never give anything
	}
	f, err := Within(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, Unreadable(err)
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

// ReadAll is the text of a file, plain or compressed by gzip; "-" is standard input. It may have
// most bytes more than the file itself.
func (s *Session) ReadAll(ctx context.Context, path string, most int64) ([]byte, error) {
	f, err := s.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := input.New(f)
	if err != nil {
		return nil, exit.Usagef("%s: %w", path, err)
	}
	text, err := in.All()
	if most += in.Stored(); err == nil && int64(len(text)) > most {
		err = &input.LimitError{Most: most}
	}
	var long *input.LimitError
	switch {
	case errors.As(err, &long):
		return nil, exit.BadFile(fmt.Errorf("%s: %w", path, err))
	case err != nil:
		return nil, Unreadable(err)
	}
	return text, nil
}

// Unreadable is the failure for a file that cannot be read.
func Unreadable(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe // without the text around it: it names the file itself
	}
	return exit.Usagef("%w", err)
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
	if exit.IsContext(err) {
		p.err = err
	}
	return n, err
}

// files are those that a run reads and writes. None that it reads is written,
// whatever the names: files are compared, not names.
type files struct {
	read   []readFile
	opened []*Output
}

type readFile struct {
	info os.FileInfo
	name string
}

// reads records a file that is read. It refuses one that an output replaces.
func (f *files) reads(file *os.File, name string) error {
	info, err := file.Stat()
	if err != nil {
		return exit.Usagef("%w", err)
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
func (f *files) check(o *Output) error {
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
			return exit.Usagef("%s is also read%s, and would be overwritten; give the output another name", o.name, as)
		}
	}
	return nil
}
