package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cluster"
	"github.com/dcopt/dcopt/plan"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "compute a plan by the workers of a broker, or by those of this machine", ArgsUsage: "PLAN",
		UsageText: "dcopt-cluster run [FLAGS] --out DIR PLAN",
		Flags: append(clientFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "the folder `DIR` of results; dcopt shard merge DIR joins them"},
			&cli.IntFlag{Name: "workers", Value: runtime.NumCPU(),
				Usage: "without --server: `N` workers on this machine"},
			&cli.StringFlag{Name: "data",
				Usage: "without --server: look in the folder `DIR` for data that are not in the plan"},
			&cli.StringFlag{Name: "page",
				Usage: "show the progress as a page at `HOST:PORT` of this machine, such as 127.0.0.1:8080"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress, no summary"},
		),
		Action: runPlan,
	}
}

func runPlan(c *cli.Context) error {
	p, err := planOf(c)
	if err != nil {
		return err
	}
	dir := c.String("out")
	if dir == "" {
		return usagef("run: where do the results go? Give --out DIR")
	}
	if _, err := plan.OpenFolder(dir, p); err != nil {
		return usagef("%w", err)
	}
	screen := newScreen(c)
	defer screen.close()
	show := []func(cluster.Progress){screen.show}
	if at := c.String("page"); at != "" {
		page, err := cluster.OpenPage(at)
		if err != nil {
			return usagef("%w", err)
		}
		defer page.Close()
		screen.note("the progress is at %s", page.URL())
		show = append(show, page.Show)
	}
	var client cluster.Client
	if c.String("server") == "" {
		fleet, err := startFleet(c, screen)
		if err != nil {
			return usagef("%w", err)
		}
		defer fleet.close()
		client = fleet.client
	} else if client, err = clientOf(c); err != nil {
		return err
	}
	out, err := cluster.Run(c.Context, p, cluster.Options{
		Client: client, Dir: dir,
		Progress: func(now cluster.Progress) {
			for _, f := range show {
				f(now)
			}
		},
	})
	screen.close()
	return ended(c, p, dir, out, err, screen)
}

// ended says how a run has ended.
func ended(c *cli.Context, p *plan.Plan, dir string, out *cluster.Outcome, err error, screen *screen) error {
	switch {
	case errors.Is(err, cluster.ErrStopped), c.Context.Err() != nil:
		done := 0
		if out != nil {
			done = out.Done
		}
		return &failure{exitInterrupted, fmt.Errorf("stopped; %d of %d shards have results in %s, run it again for "+
			"the others", done, p.Shards, dir)}
	case err != nil:
		return usagef("%w", err)
	}
	for _, d := range out.Dead {
		screen.note("shard %d is given up after %d failures, the last at %s: %s", d.Shard, cluster.MostFailures,
			d.Worker, d.Reason)
	}
	if n := len(out.Dead); n > 0 {
		return &failure{exitMissing, fmt.Errorf("%d of %d shards have no result", n, p.Shards)}
	}
	if p.Kind() == "fit" {
		screen.note("the fit is complete; dcopt shard merge %s -o MODEL.json writes the model", dir)
		return nil
	}
	screen.note("%d shards have results; dcopt shard merge %s joins them", out.Done, dir)
	return nil
}

// screen is standard error: a line of progress on a terminal, and notes.
type screen struct {
	w     io.Writer
	quiet bool
	line  bool // it is a terminal

	mu    sync.Mutex
	shown bool
}

func newScreen(c *cli.Context) *screen {
	s := &screen{w: c.App.ErrWriter, quiet: c.Bool("quiet")}
	if f, ok := s.w.(*os.File); ok {
		info, err := f.Stat()
		s.line = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	return s
}

func (s *screen) show(now cluster.Progress) {
	if s.quiet || !s.line {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.w, "\r\x1b[K%.79s", now)
	s.shown = true
}

func (s *screen) note(format string, args ...any) {
	if s.quiet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	fmt.Fprintf(s.w, "dcopt-cluster: "+format+"\n", args...)
}

func (s *screen) wipe() {
	if s.shown {
		io.WriteString(s.w, "\r\x1b[K")
		s.shown = false
	}
}

func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
}

// fleet is a broker in this process and workers in processes of their own, so that one
// that is killed takes no other with it.
type fleet struct {
	client cluster.Client
	broker *cluster.Server
	store  string
	cancel context.CancelFunc
	wait   sync.WaitGroup
}

func startFleet(c *cli.Context, screen *screen) (*fleet, error) {
	workers := c.Int("workers")
	if workers < 1 {
		return nil, fmt.Errorf("--workers %d: want at least 1", workers)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	store, err := os.MkdirTemp("", "dcopt-cluster-")
	if err != nil {
		return nil, err
	}
	var secret [24]byte
	rand.Read(secret[:])
	credentials := "fleet:" + hex.EncodeToString(secret[:])
	broker, err := cluster.Serve(cluster.Broker{Listen: "127.0.0.1:0", Store: store,
		Credentials: []string{credentials}})
	if err != nil {
		os.RemoveAll(store)
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context))
	f := &fleet{cluster.Client{URL: broker.URL(), Credentials: credentials, Wait: 10 * time.Second,
		AckWait: c.Duration("deadline")}, broker, store, cancel, sync.WaitGroup{}}
	for range workers {
		f.wait.Go(func() { f.keep(ctx, self, c.String("data"), screen) })
	}
	return f, nil
}

// keep starts a worker again whenever it dies.
func (f *fleet) keep(ctx context.Context, self, data string, screen *screen) {
	for ctx.Err() == nil {
		begin := time.Now()
		cmd := exec.CommandContext(ctx, self, "work", "--server", f.client.URL, "--jobs", "1", "--deadline",
			f.client.AckWait.String(), "--data", data, "--with-parent")
		cmd.Env = append(os.Environ(), credentialsVariable+"="+f.client.Credentials, "GOMAXPROCS=1")
		cmd.Stderr = notes{screen}
		in, err := cmd.StdinPipe() // its end tells the worker that this process is gone
		if err == nil {
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
			cmd.WaitDelay = 2 * time.Second
			err = cmd.Run()
			in.Close()
		}
		if ctx.Err() != nil {
			return
		}
		screen.note("a worker has ended (%v) and is started again", err)
		select {
		case <-ctx.Done():
		case <-time.After(max(0, time.Second-time.Since(begin))):
		}
	}
}

// notes passes on the messages of workers.
type notes struct{ screen *screen }

func (n notes) Write(b []byte) (int, error) {
	if n.screen.quiet {
		return len(b), nil
	}
	n.screen.mu.Lock()
	defer n.screen.mu.Unlock()
	n.screen.wipe()
	return n.screen.w.Write(b)
}

func (f *fleet) close() {
	f.cancel()
	f.wait.Wait()
	f.broker.Close()
	os.RemoveAll(f.store)
}
