package problem

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/plan"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// Source is a parsed .dc file with the values that the command line sets. It may be
// compiled more than once.
type Source struct {
	Path    string
	file    *lang.File
	Text    []byte
	Options lang.Options
	s       *session.Session
	quiet   bool
	read    float64 // seconds
}

// Program is a compiled source.
type Program struct {
	*lang.Program
	Path                        string
	Title                       string  // the first sentence of the file, if a comment, or its name
	ReadSeconds, CompileSeconds float64 // seconds
}

// Open reads and parses a .dc file; "-" is standard input.
func Open(ctx context.Context, c *cli.Context, path string) (*Source, error) {
	s := &Source{Path: path, s: session.Of(c), quiet: c.Bool("quiet")}
	s.Options = lang.Options{Set: map[string]string{}, Cache: &lang.Cache{}}
	for _, kv := range c.StringSlice("set") {
		name, value, ok := strings.Cut(kv, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return nil, exit.Usagef("--set %s: want NAME=VALUE", kv)
		}
		if old, twice := s.Options.Set[name]; twice {
			return nil, exit.Usagef("--set gives %s two values, %s and %s", name, old, value)
		}
		s.Options.Set[name] = value
	}
	if path == "-" {
		s.Path = "standard input"
	} else {
		s.Options.Dir = filepath.Dir(path)
	}
	begin := time.Now()
	var err error
	if from := c.String("start"); from != "" {
		if s.Options.Start, err = readStart(ctx, s.s, from); err != nil {
			return nil, err
		}
	}
	if s.Text, err = Read(ctx, s.s, path); err != nil {
		return nil, err
	}
	s.file, err = session.Within(ctx, func() (*lang.File, error) { return lang.Parse(s.Path, s.Text) })
	switch {
	case exit.IsContext(err):
		return nil, err
	case err != nil && foreign(path) != "":
		return nil, exit.BadFile(fmt.Errorf("%s: %s is not read: state the problem in the language of .dc files "+
			"(docs/language.md), or write a convex program as one of %s",
			path, foreign(path), strings.Join(formats.Endings(), " ")))
	case err != nil: // Compile finds the mistakes of other statements, too
		_, all := session.Within(ctx, func() (*lang.Program, error) { return lang.Compile(ctx, s.file, s.Options) })
		if all == nil || exit.IsContext(all) {
			all = err
		}
		return nil, s.Diagnose(all)
	}
	s.read = time.Since(begin).Seconds()
	return s, nil
}

// foreign is the format of a file of another modelling system, by the end of its name; "" for other
// files.
func foreign(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".nl":
		return "the .nl format of AMPL and Pyomo"
	case ".mod":
		return "AMPL"
	case ".gms":
		return "GAMS"
	case ".lp":
		return "the .lp format"
	case ".json":
		return "JSON"
	case ".py", ".jl":
		return "a program"
	}
	return ""
}

// Compile is the program of the source, with the swept parameter at its value if there
// is one.
func (s *Source) Compile(ctx context.Context, sweep *report.Member) (*Program, error) {
	opt := s.Options
	if sweep != nil {
		if old, twice := opt.Set[sweep.Name]; twice {
			return nil, exit.Usagef("--set gives %s the value %s, and --sweep gives it others", sweep.Name, old)
		}
		opt.Set = map[string]string{sweep.Name: sweep.Value.(string)}
		for k, v := range s.Options.Set {
			opt.Set[k] = v
		}
	}
	begin := time.Now()
	prog, err := session.Briefly(ctx, func() (*lang.Program, error) { return lang.Compile(ctx, s.file, opt) })
	if exit.IsContext(err) {
		return nil, err
	}
	if err != nil {
		return nil, s.Diagnose(err)
	}
	for _, d := range prog.Data {
		if err := s.s.ReadsPath(d.Path); err != nil {
			return nil, err
		}
	}
	if err := s.startsSomething(prog.Problem); err != nil {
		return nil, err
	}
	if !s.quiet {
		if err := s.s.Log.Diagnose(prog.Warnings, exit.OK, textOf(s.Path, s.Text)); err != nil {
			return nil, err
		}
		s.quiet = true // once, not for each value of a sweep
	}
	return &Program{prog, s.Path, s.title(), s.read, time.Since(begin).Seconds()}, nil
}

// title is the first sentence of the comment that the file begins with, or the name of the file. Of
// a sentence of several lines it is the part of the first line up to its last colon or comma.
func (s *Source) title() string {
	line, rest, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(s.Text), "\ufeff")), "\n")
	comment, ok := strings.CutPrefix(line, "#")
	sentence, _, ended := strings.Cut(strings.TrimSpace(comment)+" ", ". ")
	sentence = strings.TrimSpace(sentence)
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "# "))
	if at := strings.LastIndexAny(sentence, ":,"); !ended && rest != "" && rest[0] == '#' && unicode.IsLower(next) &&
		at > 0 {
		sentence = sentence[:at]
	}
	if ok && sentence != "" {
		first, size := utf8.DecodeRuneInString(sentence)
		return string(unicode.ToUpper(first)) + sentence[size:]
	}
	return filepath.Base(s.Path)
}

// Diagnose prints the mistakes of the file.
func (s *Source) Diagnose(err error) error { return Diagnose(s.s, s.Path, s.Text, err) }

// Diagnose prints the mistakes of a problem file with this text. Mistakes of --set alone are
// wrong usage.
func Diagnose(s *session.Session, path string, text []byte, err error) error {
	var ds lang.Diagnostics
	if !errors.As(err, &ds) {
		return exit.BadFile(fmt.Errorf("%s: %w", path, err))
	}
	code := exit.Usage
	for _, d := range ds {
		if d.Set == "" {
			code = exit.File
		}
	}
	if err := s.Log.Diagnose(ds, code, textOf(path, text)); err != nil {
		return err
	}
	return exit.With(code)
}

// textOf gives messages the lines that they show: the lines of the problem, not of its data files.
func textOf(path string, text []byte) func(file string) []byte {
	return func(file string) []byte {
		if file == path {
			return text
		}
		return nil
	}
}

// Overrides are the flags that go before the options of a file: all but a time limit, which is of
// the whole run.
func Overrides(c *cli.Context) (o plan.Overrides) {
	for _, r := range setting.For(setting.File) {
		if name := strings.ReplaceAll(r.Name(), "_", "-"); r.Field != "TimeLimit" && c.IsSet(name) {
			r.Set(&o, c.Value(name))
		}
	}
	return o
}

// MostText bounds the size of a problem file; its data files are not part of
// it.
const MostText = 64 << 20

// Read returns the text of a .dc file; "-" is standard input.
func Read(ctx context.Context, s *session.Session, path string) ([]byte, error) {
	text, err := s.ReadAll(ctx, path, MostText)
	if err == nil && len(text) > MostText {
		err = exit.BadFile(fmt.Errorf("%s: larger than %d bytes; is this a problem file?", path, MostText))
	}
	return text, err
}

// Parts explains the expressions of the file.
func (s *Source) Parts(ctx context.Context) ([]lang.Explained, error) {
	return session.Briefly(ctx, func() ([]lang.Explained, error) { return lang.ExplainAll(ctx, s.file, s.Options) })
}
