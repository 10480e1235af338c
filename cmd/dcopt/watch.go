package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
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

// gate passes on what is written until it is shut.
type gate struct {
	w    io.Writer
	mu   sync.Mutex
	shut bool
	any  bool // something was written
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return len(p), nil
	}
	g.any = g.any || len(p) > 0
	return g.w.Write(p)
}

// close shuts the gate for good, and wipes out a progress line that is left on a terminal.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut = true; g.any && isTerminal(g.w) {
		io.WriteString(g.w, "\r\x1b[K")
	}
}

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
		if (a == nil) != (b == nil) || a != nil && (a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) || !os.SameFile(a, b)) {
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

// unwatched are the arguments without the flag.
func unwatched(args []string) (out []string) {
	for k, a := range args {
		if a == "--" {
			return append(out, args[k:]...)
		}
		if name, _, _ := splitFlag(a); name != "w" && name != "watch" {
			out = append(out, a)
		}
	}
	return out
}

// watch solves, and solves again when the problem or a file that it read changes. A solve
// under way ends, unseen, when a file changes. It ends with the context alone.
func watch(c *cli.Context) error {
	path, err := oneFile(c)
	if err != nil {
		return err
	}
	if path == "-" {
		return usagef("--watch: standard input is read once; give a file")
	}
	if _, err := os.Stat(path); err != nil {
		return unreadable(err)
	}
	s := sessionOf(c)
	args := unwatched(s.args)
	known := states{} // by the last round that read them
	for round := 0; c.Context.Err() == nil; round++ {
		if round > 0 && !s.log.json {
			if isTerminal(s.stdout.w) && isTerminal(s.log.w) {
				if _, err := io.WriteString(s.stdout, clearScreen); err != nil {
					return usagef("cannot write to standard output: %w", err)
				}
			}
			s.log.note("solving again: %s or its data have changed", path)
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
		out, log := &gate{w: s.stdout}, &gate{w: s.log.w}
		inner := startSession(ctx, args, nil, out, log)
		inner.files.opened = append(inner.files.opened, s.files.opened...)
		var again bool
		var idle sync.WaitGroup
		idle.Go(func() {
			if again = changed(ctx, known); again {
				out.close()
				log.close()
				cancel()
			}
		})
		inner.run()
		cancel()
		idle.Wait()
		if s.stdout.err != nil {
			return nil // run tells it
		}
		if again || c.Context.Err() != nil {
			continue
		}
		for _, r := range inner.files.read { // such as data that --set names
			if _, watched := known[r.name]; !watched {
				known[r.name] = r.info
			}
		}
		if !s.log.json {
			s.log.note("waiting for changes; Ctrl-C ends")
		}
		if !changed(c.Context, known) {
			break
		}
	}
	return ended(exitInterrupted)
}

// dataNames are the data files that a problem names, also one with mistakes.
func dataNames(path string) (names []string) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) > mostSource {
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
