package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Command is a program to run.
type Command struct {
	Argv []string
	Env  []string // added to ours
	// Wall is the time after which the program is killed. CPU is the processor time after which
	// it is interrupted, and killed a minute later. 0 is no limit.
	Wall, CPU time.Duration
}

// Outcome has the output of a program, its time and its memory.
type Outcome struct {
	Stdout    []byte
	Stderr    string
	State     *os.ProcessState
	Wall, CPU float64 // seconds
	Memory    float64 // the largest resident size in MB, 0 where the system does not tell it
	Late      bool    // killed after Command.Wall
}

// Run runs the program to its end. An error means that ctx ended or that the program could not be
// started.
func (c Command) Run(ctx context.Context) (out Outcome, err error) {
	limited := ctx
	if c.Wall > 0 {
		var cancel func()
		limited, cancel = context.WithTimeout(ctx, c.Wall)
		defer cancel()
	}
	cmd := exec.CommandContext(limited, c.Argv[0], c.Argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.WaitDelay = time.Second
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return out, err
	}
	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if c.CPU > 0 {
			watch(cmd.Process, c.CPU, over)
		}
	}()
	_ = cmd.Wait() // its output and State tell of failures
	out.Wall = time.Since(begin).Seconds()
	close(over)
	<-watched
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	out.Stdout, out.Stderr, out.State = stdout.Bytes(), stderr.String(), cmd.ProcessState
	out.CPU = (out.State.UserTime() + out.State.SystemTime()).Seconds()
	out.Memory = peak(out.State.SysUsage())
	out.Late = limited.Err() != nil
	return out, nil
}

// peak is the largest resident size in MB.
func peak(usage any) float64 {
	u, ok := usage.(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // in bytes, elsewhere in KiB
		return float64(u.Maxrss) / 1e6
	}
	return float64(u.Maxrss) * 1024 / 1e6
}

// mostPatience is how long an interrupted program may write its result.
// Source: a limit of time.
const mostPatience = time.Minute

// watch interrupts a process at the limit.
func watch(p *os.Process, limit time.Duration, over <-chan struct{}) {
	begin := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var since time.Time // the interruption
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		switch used, ok := processorTime(p.Pid); {
		case !since.IsZero():
			if time.Since(since) > mostPatience {
				_ = p.Kill() // it may have ended by now
				return
			}
		case ok && used >= limit, !ok && time.Since(begin) >= limit:
			_ = p.Signal(os.Interrupt) // it may have ended by now
			since = time.Now()
		}
	}
}

// ticks are the units of /proc/PID/stat in a second.
// Source: proc(5); Linux has 100 on all processors of today.
const ticks = 100

// processorTime is the time that a process has used; false where the system does not tell it.
func processorTime(pid int) (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	words := strings.Fields(rest)
	if len(words) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(words[11], 10, 64)
	system, err2 := strconv.ParseInt(words[12], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, false
	}
	return time.Duration(user+system) * time.Second / ticks, true
}

// Answer is the output of dcopt solve --json and of the scripts of peers. A number that they leave
// out is NaN.
type Answer struct {
	Status     string         `json:"status"`
	Objective  float64        `json:"objective"`
	Violation  float64        `json:"max_violation"`
	Bound      float64        `json:"bound"`
	Feasible   bool           `json:"feasible"`
	Iterations int            `json:"iterations"`
	Nodes      int            `json:"nodes"`
	Message    string         `json:"message"`
	Variables  map[string]any `json:"variables"`
	History    []struct {
		Objective *float64 `json:"objective"`
		Violation *float64 `json:"max_violation"`
	} `json:"history"`
}

// Decode reads an answer. A null changes nothing in a number.
func Decode(data []byte) (Answer, error) {
	nan := math.NaN()
	a := Answer{Objective: nan, Violation: nan, Bound: nan}
	err := json.Unmarshal(data, &a)
	if err == nil && a.Status == "" {
		err = errors.New("no status")
	}
	return a, err
}

// Blame is the message of a program without an answer: its standard error, or else the error in
// the answer.
func (o Outcome) Blame(bad error) string {
	if text := Short(o.Stderr); text != "" {
		return text
	}
	return Short(bad.Error())
}

// Short is s on one line, fit for a table.
func Short(s string) string {
	const most = 240
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return s
}
