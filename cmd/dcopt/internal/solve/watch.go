package solve

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
)

// The polls of watch.
const (
	// pollEvery is the time between two looks at the files.
	// Source: a person does not see a fifth of a second; a look costs some microseconds.
	pollEvery = 200 * time.Millisecond
	// clearScreen goes to the first column of the first line and clears from there.
	// Source: ECMA-48, CUP and ED.
	clearScreen = "\x1b[H\x1b[2J"
)

// states of files: size, time and identity of those that exist.
type states map[string]os.FileInfo

func statesOf(paths []string) states {
	out := states{}
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			out[p] = info
		} else {
			out[p] = nil
		}
	}
	return out
}

// same reports whether nothing has changed of the files that both know.
func (s states) same(t states) bool {
	for p, a := range s {
		b, known := t[p]
		if !known {
			continue
		}
		if (a == nil) != (b == nil) || a != nil &&
			(a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) || !os.SameFile(a, b)) {
			return false
		}
	}
	return true
}

// changed waits until files differ from their old states and then rest for one look, so
// that a file which is being written is read as a whole. It reports false where ctx ends.
func changed(ctx context.Context, old states) bool {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var last states
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		var paths []string
		for p := range old {
			paths = append(paths, p)
		}
		now := statesOf(paths)
		if last != nil && last.same(now) && !old.same(now) {
			return true
		}
		last = now
	}
}

// watch solves, and solves again when the problem or a file that it read changes. A solve
// under way ends, unseen, when a file changes. It ends with the context alone.
func watch(c *cli.Context) error {
	path, err := flags.OneFile(c)
	if err != nil {
		return err
	}
	if path == "-" {
		return exit.Usagef("--watch: standard input is read once; give a file")
	}
	if _, err := os.Stat(path); err != nil {
		return session.Unreadable(err)
	}
	s := session.Of(c)
	args := flags.Without(s.Args, "w", "watch")
	known := states{} // by the last round that read them
	for round := 0; c.Context.Err() == nil; round++ {
		if round > 0 && !s.Log.JSON {
			if s.OnTerminal() {
				if _, err := io.WriteString(s.Stdout, clearScreen); err != nil {
					return exit.Usagef("cannot write to standard output: %w", err)
				}
			}
			s.Log.Note("solving again: %s or its data have changed", path)
		}
		names := append([]string{path}, dataNames(path)...)
		for p := range known {
			names = append(names, p)
		}
		if from := c.String("start"); from != "" {
			names = append(names, from)
		}
		known = statesOf(names)
		ctx, cancel := context.WithCancel(c.Context)
		inner, shut := s.Again(ctx, args)
		var again bool
		var idle sync.WaitGroup
		idle.Go(func() {
			if again = changed(ctx, known); again {
				shut()
				cancel()
			}
		})
		inner.Run(inner)
		cancel()
		idle.Wait()
		if s.Stdout.Failed() {
			return nil // run tells it
		}
		if again || c.Context.Err() != nil {
			continue
		}
		for name, info := range inner.Inputs() { // such as data that --set names
			if _, watched := known[name]; !watched {
				known[name] = info
			}
		}
		if !s.Log.JSON {
			s.Log.Note("waiting for changes; Ctrl-C ends")
		}
		if !changed(c.Context, known) {
			break
		}
	}
	return exit.With(exit.Interrupted)
}

// dataNames are the data files that a problem names, also one with mistakes.
func dataNames(path string) (names []string) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) > problem.MostText {
		return nil
	}
	for _, m := range regexp.MustCompile(`\b(?:csv|json|npy|npz|mtx)\s*\(\s*"([^"\n]+)"`).FindAllSubmatch(text, -1) {
		name := filepath.FromSlash(string(m[1]))
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		names = append(names, name)
	}
	return names
}
