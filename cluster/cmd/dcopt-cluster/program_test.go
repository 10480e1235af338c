package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cluster"
	"github.com/dcopt/dcopt/plan"
)

// The size of TestKills; its long form is -kills=50 -shards=2000.
var (
	kills  = flag.Int("kills", 4, "processes that TestKills kills")
	shards = flag.Int("shards", 160, "shards of the sweep of TestKills")
)

const asProgram = "DCOPT_CLUSTER_AS_PROGRAM"

// TestMain makes the program of the test binary where the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "1" {
		main()
	}
	os.Exit(m.Run())
}

// sweep writes a plan of so many shards.
func sweep(t *testing.T, n int) (*plan.Plan, string) {
	t.Helper()
	const text = "param a = 0\nvar x[12] in [-2, 3]  start normal(0, 1)\nminimize norm1(x) - 0.1*sumsq(x - 1) + a*x[1]\noption starts = 1\n"
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(float64(i) / float64(n))
	}
	p, err := plan.OfProblem(t.Context(), plan.Problem{Name: "lines.dc", Params: []string{"a"}, Grid: [][]string{values}}, []byte(text), "", false)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return p, path
}

// same fails unless the folder holds the results of one process, bit for bit.
func same(t *testing.T, p *plan.Plan, dir string) {
	t.Helper()
	j, err := plan.Join(p, []string{dir})
	if err != nil || len(j.Missing) > 0 || len(j.Damaged) > 0 {
		t.Fatalf("%v, missing %v, damaged %v", err, j.Missing, j.Damaged)
	}
	r := plan.NewRunner(p, "")
	for _, got := range j.Results {
		want, err := r.Run(t.Context(), got.Shard)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := got.Encode()
		b, _ := want.Encode()
		if !bytes.Equal(a, b) {
			t.Fatalf("shard %d:\n%s\nwant\n%s", got.Shard, a, b)
		}
	}
}

// child is a process of the program that is killed and started again.
type child struct {
	t    *testing.T
	args []string
	cmd  *exec.Cmd
	in   io.Closer
}

func (c *child) start() {
	self, err := os.Executable()
	if err != nil {
		c.t.Error(err)
		return
	}
	c.cmd = exec.Command(self, c.args...)
	c.cmd.Env = append(os.Environ(), asProgram+"=1")
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		c.t.Error(err)
	}
}

func (c *child) kill() {
	if c.cmd.Process != nil {
		_ = c.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
		_ = c.cmd.Wait()                          // killed
		c.in.Close()
	}
}

// freePort is a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// TestKills: the broker and two workers are killed at random moments of a sweep and started
// again. The results are those of one process, bit for bit, each once.
func TestKills(t *testing.T) {
	p, _ := sweep(t, *shards)
	at, store := freePort(t), t.TempDir()
	url := "nats://" + at
	children := []*child{
		{t: t, args: []string{"serve", "--listen", at, "--store", store}},
		{t: t, args: []string{"work", "--server", url, "--jobs", "1", "--deadline", "1s", "--wait", "1m", "--with-parent"}},
		{t: t, args: []string{"work", "--server", url, "--jobs", "2", "--deadline", "1s", "--wait", "1m", "--with-parent"}},
	}
	for _, c := range children {
		c.start()
		defer func() { c.kill() }()
	}
	dir := t.TempDir()
	// The first kill comes when there are results, the others at random moments.
	first := make(chan bool)
	over := make(chan bool)
	var once sync.Once
	var killer sync.WaitGroup
	killed := 0
	killer.Go(func() {
		rng := rand.New(rand.NewPCG(1, uint64(*kills)))
		pause := func() {
			select {
			case <-over:
			case <-time.After(time.Duration(rng.IntN(150)) * time.Millisecond):
			}
		}
		select {
		case <-over:
			return
		case <-first:
		}
		for ; killed < *kills; killed++ {
			select {
			case <-over:
				return
			default:
			}
			c := children[killed%3]
			if killed%3 > 0 {
				c = children[1+rng.IntN(2)]
			}
			c.kill()
			pause()
			c.start()
			pause()
		}
	})
	out, err := cluster.Run(t.Context(), p, cluster.Options{
		Client: cluster.Client{URL: url, Wait: time.Minute, AckWait: time.Second}, Dir: dir,
		Progress: func(now cluster.Progress) {
			if now.Done > 0 {
				once.Do(func() { close(first) })
			}
		},
	})
	close(over)
	killer.Wait()
	if err != nil || out.Done != *shards || len(out.Dead) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	t.Logf("%d killed, %d tasks lost and given out again", killed, out.Again)
	if killed == 0 {
		t.Error("none was killed")
	}
	same(t, p, dir)
}

// TestOneCommand: run without a broker is a cluster on this machine; a worker that is killed is
// replaced, and again the answer is that of one process.
func TestOneCommand(t *testing.T) {
	t.Setenv(asProgram, "1") // of the workers
	p, path := sweep(t, 60)
	dir := filepath.Join(t.TempDir(), "r")
	var stdout, stderr bytes.Buffer
	code := program(context.Background(), []string{"run", "--workers", "2", "--page", "127.0.0.1:0", "--out", dir, path}, strings.NewReader(""), &stdout, &stderr)
	if code != 0 || !strings.Contains(stderr.String(), "60 shards have results; dcopt shard merge "+dir) || !strings.Contains(stderr.String(), "the progress is at http://127.0.0.1:") {
		t.Fatalf("exit %d, %s", code, stderr.String())
	}
	same(t, p, dir)
}

// TestMessages: wrong usage and wrong files have codes and messages of their own.
func TestMessages(t *testing.T) {
	_, path := sweep(t, 2)
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"dcopt_plan": 1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "COMMANDS"},
		{[]string{"rum"}, exitUsage, "unknown command"},
		{[]string{"run", path}, exitUsage, "Give --out DIR"},
		{[]string{"run", "--out", folder}, exitUsage, "of which plan"},
		{[]string{"run", "--out", folder, bad}, exitFile, "a wrong plan"},
		{[]string{"run", "--out", "/dev/full", path}, exitUsage, "cannot make the folder"},
		{[]string{"run", "--out", filepath.Join(folder, "a"), "--page", "0.0.0.0:1", path}, exitUsage, "this machine alone"},
		{[]string{"run", "--out", filepath.Join(folder, "a"), "--workers", "0", path}, exitUsage, "at least 1"},
		{[]string{"run", "--out", filepath.Join(folder, "a"), "--server", "nats://127.0.0.1:1", "--wait", "1ms", path}, exitUsage, "no broker answers"},
		{[]string{"run", "--nonsense"}, exitUsage, "nonsense"},
		{[]string{"serve"}, exitUsage, "Give --store DIR"},
		{[]string{"serve", "--store", folder, "--listen", "0.0.0.0:4222"}, exitUsage, "needs TLS and credentials"},
		{[]string{"serve", "--store", folder, "--credentials", filepath.Join(folder, "none")}, exitUsage, "no such file"},
		{[]string{"work"}, exitUsage, "Give --server URL"},
		{[]string{"work", "--server", "nats://elsewhere:1"}, exitUsage, "need TLS"},
		{[]string{"work", "--server", "nats://127.0.0.1:1", "--jobs", "0"}, exitUsage, "at least 1"},
		{[]string{"cancel", "--server", "nats://127.0.0.1:1", "--wait", "1ms", path}, exitUsage, "no broker answers"},
	} {
		var stdout, stderr bytes.Buffer
		if code := program(context.Background(), c.args, strings.NewReader(""), &stdout, &stderr); code != c.code || !strings.Contains(stderr.String(), c.want) || stdout.Len() > 0 {
			t.Errorf("%q: exit %d, %s%s\nwant %d, %s", c.args, code, stdout.String(), stderr.String(), c.code, c.want)
		}
	}
}

// TestServeWork: broker, worker and run, as processes, end at once by a signal, and the run by
// cancel.
func TestServeWork(t *testing.T) {
	at := freePort(t)
	_, path := sweep(t, 3)
	client := cluster.Client{URL: "nats://" + at, Wait: time.Minute}
	begin := func(args ...string) *child {
		c := &child{t: t, args: args}
		c.start()
		return c
	}
	wait := func(c *child, code int) {
		t.Helper()
		if _ = c.cmd.Wait(); c.cmd.ProcessState.ExitCode() != code { // the code says it
			t.Errorf("%q: exit %d, want %d", c.args, c.cmd.ProcessState.ExitCode(), code)
		}
	}
	serve := begin("serve", "--listen", at, "--store", t.TempDir())
	for range 2 { // without workers a run waits
		run := begin("run", "--server", client.URL, "--wait", "1m", "--out", filepath.Join(t.TempDir(), "r"), path)
		for cluster.Stop(t.Context(), client, planID(t, path)) != nil {
			time.Sleep(10 * time.Millisecond)
		}
		wait(run, exitInterrupted)
	}
	work := begin("work", "--server", client.URL, "--jobs", "1", "--wait", "1m")
	run := begin("run", "--server", client.URL, "--out", filepath.Join(t.TempDir(), "r"), path)
	wait(run, 0) // so the worker is at work
	for _, c := range []*child{work, serve} {
		if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		wait(c, 0)
	}
}

func planID(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := plan.Read(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID()
}
