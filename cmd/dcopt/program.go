package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/plan"
)

// source is a parsed .dc file with the values that the command line sets. It may be
// compiled more than once.
type source struct {
	path  string
	file  *lang.File
	text  []byte
	opt   lang.Options
	s     *session
	quiet bool
	read  float64 // seconds
}

// program is a compiled source.
type program struct {
	*lang.Program
	path          string
	read, compile float64 // seconds
}

// openSource reads and parses a .dc file; "-" is standard input.
func openSource(ctx context.Context, c *cli.Context, path string) (*source, error) {
	s := &source{path: path, s: sessionOf(c), quiet: c.Bool("quiet")}
	s.opt = lang.Options{Set: map[string]string{}, Cache: &lang.Cache{}}
	for _, kv := range c.StringSlice("set") {
		name, value, ok := keyValue(kv)
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return nil, usagef("--set %s: want NAME=VALUE", kv)
		}
		if old, twice := s.opt.Set[name]; twice {
			return nil, usagef("--set gives %s two values, %s and %s", name, old, value)
		}
		s.opt.Set[name] = value
	}
	if path == "-" {
		s.path = "standard input"
	} else {
		s.opt.Dir = filepath.Dir(path)
	}
	begin := time.Now()
	var err error
	if from := c.String("start"); from != "" {
		if s.opt.Start, err = s.s.readStart(ctx, from); err != nil {
			return nil, err
		}
	}
	if s.text, err = s.s.readProblem(ctx, path); err != nil {
		return nil, err
	}
	s.file, err = within(ctx, func() (*lang.File, error) { return lang.Parse(s.path, s.text) })
	switch {
	case isContextError(err):
		return nil, err
	case err != nil: // Compile finds the mistakes of other statements, too
		_, all := within(ctx, func() (*lang.Program, error) { return lang.Compile(ctx, s.file, s.opt) })
		if all == nil || isContextError(all) {
			all = err
		}
		return nil, s.diagnose(all)
	}
	s.read = time.Since(begin).Seconds()
	return s, nil
}

// program compiles the source, with the swept parameter at its value if there
// is one.
func (s *source) program(ctx context.Context, sweep *report.Member) (*program, error) {
	opt := s.opt
	if sweep != nil {
		if old, twice := opt.Set[sweep.Name]; twice {
			return nil, usagef("--set gives %s the value %s, and --sweep gives it others", sweep.Name, old)
		}
		opt.Set = map[string]string{sweep.Name: sweep.Value.(string)}
		for k, v := range s.opt.Set {
			opt.Set[k] = v
		}
	}
	begin := time.Now()
	prog, err := within(ctx, func() (*lang.Program, error) { return lang.Compile(ctx, s.file, opt) })
	if isContextError(err) {
		return nil, err
	}
	if err != nil {
		return nil, s.diagnose(err)
	}
	for _, d := range prog.Data {
		if err := s.s.files.readsPath(d.Path); err != nil {
			return nil, err
		}
	}
	if err := s.startsSomething(prog.Problem); err != nil {
		return nil, err
	}
	if !s.quiet {
		if err := s.s.log.diagnose(prog.Warnings, exitOK, s.textOf); err != nil {
			return nil, err
		}
		s.quiet = true // once, not for each value of a sweep
	}
	return &program{prog, s.path, s.read, time.Since(begin).Seconds()}, nil
}

// diagnose prints the mistakes of the file. Mistakes of --set alone
// are wrong usage.
func (s *source) diagnose(err error) error {
	var ds lang.Diagnostics
	if !errors.As(err, &ds) {
		return badFile(fmt.Errorf("%s: %w", s.path, err))
	}
	code := exitUsage
	for _, d := range ds {
		if d.Set == "" {
			code = exitFile
		}
	}
	if err := s.s.log.diagnose(ds, code, s.textOf); err != nil {
		return err
	}
	return &failure{code: code}
}

// textOf is the text whose lines messages show: the problem, not its data files.
func (s *source) textOf(file string) []byte {
	if file == s.path {
		return s.text
	}
	return nil
}

// settings are those of the file, with the flags before them, and the number
// of starts.
func (j *job) settings(prog *program) (ccp.Settings, int, error) {
	o := overridesOf(j.c)
	set, starts, err := o.Settings(prog.Options)
	if err != nil {
		return set, 0, badFile(fmt.Errorf("%s: %w", prog.path, err))
	}
	if j.c.IsSet("start") && o.Starts == nil && prog.Options.Restarts == nil {
		starts = 1
	}
	if j.c.IsSet("max-nodes") {
		set.Global.MaxNodes = j.c.Int("max-nodes")
	}
	set.Global.Proof = j.proof != nil
	if j.c.Bool("independent") && !j.c.IsSet("sweep") {
		set.Search.Vary, set.Search.GiveUp = false, false
	}
	return set, starts, nil
}

// overridesOf are the flags that go before the options of a file.
func overridesOf(c *cli.Context) (o plan.Overrides) {
	o.Backend = given(c, "backend", c.String)
	o.Starts, o.MaxIter = given(c, "starts", c.Int), given(c, "max-iter", c.Int)
	o.Tol, o.Seed = given(c, "tol", c.Float64), given(c, "seed", c.Uint64)
	return o
}

// given is the value of a flag, nil where it is not given.
func given[T any](c *cli.Context, name string, value func(string) T) *T {
	if !c.IsSet(name) {
		return nil
	}
	v := value(name)
	return &v
}

// mostSource bounds the size of a problem file; its data files are not part of
// it.
const mostSource = 64 << 20

// readProblem returns the text of a .dc file; "-" is standard input.
func (s *session) readProblem(ctx context.Context, path string) ([]byte, error) {
	r, err := s.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var buf bytes.Buffer
	if _, err := io.Copy(&buf, io.LimitReader(r, mostSource+1)); err != nil {
		return nil, usagef("%w", err)
	}
	if buf.Len() > mostSource {
		return nil, badFile(fmt.Errorf("%s: larger than %d bytes; is this a problem file?", path, mostSource))
	}
	return buf.Bytes(), nil
}
