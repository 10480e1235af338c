//go:build !race

package cluster_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/plan"
)

// daemon is a program of Slurm, where it is installed.
func daemon(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + name)
	}
	need.That(t, err == nil, need.Slurm, name, "is not installed (Debian: slurm-wlm, munge)")
	return path
}

// slurm is a Slurm of one controller and two nodes on this machine.
type slurm struct {
	t     *testing.T
	dir   string
	nodes map[string]*exec.Cmd
}

// startSlurm starts it and skips the test where its daemons do not run.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	munged, ctld, slurmd := daemon(t, "munged"), daemon(t, "slurmctld"), daemon(t, "slurmd")
	need.That(t, os.Geteuid() == 0, need.Slurm, "its daemons want to be started by root")
	dir, err := os.MkdirTemp("", "slurm") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &slurm{t: t, dir: dir, nodes: map[string]*exec.Cmd{}}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	for _, d := range []string{"munge", "state", "spool-n1", "spool-n2"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var key [1024]byte
	rand.Read(key[:])
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, controller, _ := strings.Cut(freePort(t), ":")
	conf := fmt.Sprintf(`ClusterName=dcopt
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
SlurmctldPort=%[3]s
SlurmctldPidFile=%[2]s/ctld.pid
SlurmdPidFile=%[2]s/slurmd-%%n.pid
SlurmdSpoolDir=%[2]s/spool-%%n
StateSaveLocation=%[2]s/state
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdTimeout=5
SwitchType=switch/none
MpiDefault=none
`, host, dir, controller)
	for _, node := range []string{"n1", "n2"} {
		_, port, _ := strings.Cut(freePort(t), ":")
		conf += fmt.Sprintf("NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%s CPUs=2 RealMemory=100\n", node, host, port)
	}
	conf += "PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP\n"
	for name, text := range map[string]string{"munge/key": string(key[:]), "slurm.conf": conf} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	m := filepath.Join(dir, "munge")
	s.start(munged, "--foreground", "--force", "--key-file="+m+"/key", "--socket="+m+"/socket", "--pid-file="+m+"/pid", "--log-file="+m+"/log", "--seed-file="+m+"/seed")
	s.until("munged", func() bool { _, err := os.Stat(m + "/socket"); return err == nil })
	s.start(ctld, "-D", "-f", filepath.Join(dir, "slurm.conf"))
	for _, node := range []string{"n1", "n2"} {
		s.nodes[node] = s.start(slurmd, "-D", "-N", node, "-f", filepath.Join(dir, "slurm.conf"))
	}
	s.until("slurmctld and slurmd", func() bool {
		out, err := exec.Command("sinfo", "-h", "-N", "-o", "%t").Output()
		return err == nil && string(out) == "idle\nidle\n"
	})
	return s
}

// start starts a daemon, which ends with the test.
func (s *slurm) start(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	log, err := os.Create(filepath.Join(s.dir, fmt.Sprintf("%s-%d.log", filepath.Base(path), len(s.nodes))))
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Start()
	log.Close()
	need.That(s.t, err == nil, need.Slurm, path, "does not start:", err)
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be killed already
		_ = cmd.Wait()
	})
	return cmd
}

// until waits for daemons, at most two minutes, and skips the test where they do not run.
func (s *slurm) until(what string, ready func() bool) {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ready(); time.Sleep(100 * time.Millisecond) {
		if time.Now().Before(end) {
			continue
		}
		logs, _ := filepath.Glob(filepath.Join(s.dir, "*.log"))
		var last []string
		for _, at := range logs {
			if b, err := os.ReadFile(at); err == nil {
				lines := strings.Split(strings.TrimSpace(string(b)), "\n")
				last = append(last, lines[len(lines)-1])
			}
		}
		need.That(s.t, false, need.Slurm, what, "do not run here:", strings.Join(last, "; "))
	}
}

// output is that of a command of Slurm.
func (s *slurm) output(name string, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s %q: %v, %s", name, args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// TestSlurm: an array of 16 tasks on two nodes, of which one's daemon is killed while it computes.
// Its tasks run again on the other, and the results are those of one process, bit for bit. So it is
// with the four tasks of a fit and the four of bags, which share its rounds.
func TestSlurm(t *testing.T) {
	s := startSlurm(t)
	dir := t.TempDir()
	slow := filepath.Join(dir, "slow")
	bin, err := need.Dcopt("..", dir)
	if err != nil {
		t.Fatal(err)
	}
	// Tasks take a while, so that some are under way when the node is lost.
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 1\nexec "+bin+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	submit := func(name string, p *plan.Plan, tasks int) (results string) {
		text, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, name)
		job := plan.Job{Plan: at + ".json", Out: at, Program: slow, Tasks: tasks, CPUs: 1}
		script, err := job.Slurm(p)
		if err != nil {
			t.Fatal(err)
		}
		for ending, text := range map[string]string{".json": string(text), ".sh": script} {
			if err := os.WriteFile(at+ending, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s.output("sbatch", "-o", at+"-%a.log", at+".sh")
		return at
	}
	p := sweep(t, 40)
	fit, model := fitPlan(t, 0)
	fitted := submit("fit", fit, 4)
	bags, mean := fitPlan(t, 3)
	bagged := submit("bags", bags, 4)
	results := submit("sweep", p, 16)
	for s.output("squeue", "-h", "-t", "running", "-w", "n2") == "" {
		time.Sleep(50 * time.Millisecond)
	}
	// What the node computes goes on, but Slurm hears no more of it and runs its tasks again.
	if err := s.nodes["n2"].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for s.output("squeue", "-h") != "" {
		time.Sleep(200 * time.Millisecond)
	}
	same(t, p, results)
	sameModel(t, fit, fitted, model)
	sameModel(t, bags, bagged, mean)
	// Submitted again, there is nothing to compute, and nothing changes.
	out, err := exec.Command(bin, "shard", "merge", results, "--json").Output()
	if err != nil || bytes.Count(out, []byte("\n")) != 40 {
		t.Errorf("%v, %d lines", err, bytes.Count(out, []byte("\n")))
	}
}
