package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dcopt/dcopt/bench/internal/process"
	"github.com/dcopt/dcopt/bench/internal/wire"
	"github.com/dcopt/dcopt/qpbackend"
)

// The statuses that this package adds to the ones of wire.Answer.
const (
	Killed  = "killed"  // it took too long
	Crashed = "crashed" // its process ended, or did not keep to the protocol
)

// startLimit is how long a process may take to say hello; loading Python's
// packages from a cold disk takes seconds.
const startLimit = time.Minute

// Peer is a solver in a process, which runs from its first use until Close. It
// is for one goroutine.
type Peer struct {
	argv []string
	env  []string // added to ours
	dir  string   // for answers
	proc *child   // nil: not running
}

// New describes the process; dir is a folder for files of this peer.
func New(dir string, env []string, argv ...string) *Peer {
	return &Peer{argv: argv, env: env, dir: dir}
}

// Version starts the process, unless it runs, and returns the version that it
// gave.
func (p *Peer) Version(ctx context.Context) (string, error) {
	if p.proc == nil {
		proc, err := start(ctx, p.argv, p.env)
		if err != nil {
			return "", err
		}
		p.proc = proc
	}
	return p.proc.version, nil
}

// Reply is a wire.Answer with the point that was measured, nil if there is none.
type Reply struct {
	wire.Answer
	X, Y, Z []float64
}

// Ask has the request answered. Whatever the process does, there is an Answer;
// an error means that ctx ended or that it could not be started at all.
func (p *Peer) Ask(ctx context.Context, req wire.Request) (wire.Answer, error) {
	if _, err := p.Version(ctx); err != nil {
		return wire.Answer{}, err
	}
	if err := os.Remove(req.Answer); err != nil && !errors.Is(err, os.ErrNotExist) {
		return wire.Answer{}, err
	}
	answer, err := p.proc.ask(ctx, req)
	if ctx.Err() != nil {
		p.Close()
		return wire.Answer{}, ctx.Err()
	}
	if err != nil {
		status := Crashed
		if errors.Is(err, errSlow) {
			status = Killed
		}
		p.Close()
		return wire.Answer{Status: status, Message: process.Short(err.Error())}, nil
	}
	return answer, nil
}

// Pointless says of a status that no point belongs to it.
func Pointless(status string) bool {
	return slices.Contains([]string{Killed, Crashed, "refused", "unsupported"}, status)
}

// Solve has the problem, written before to a file, solved.
func (p *Peer) Solve(ctx context.Context, prob *qpbackend.Problem, req wire.Request) (Reply, error) {
	req.Answer = filepath.Join(p.dir, "answer.bin")
	answer, err := p.Ask(ctx, req)
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Answer: answer}
	if Pointless(r.Status) {
		return r, nil
	}
	if r.X, r.Y, r.Z, err = wire.ReadAnswer(req.Answer, prob); err != nil {
		r.Status, r.Message = Crashed, err.Error()
	}
	return r, nil
}

// Close ends the process. The next use starts another.
func (p *Peer) Close() {
	if p.proc != nil {
		p.proc.end()
		p.proc = nil
	}
}

var (
	errSlow  = errors.New("killed after the time limit")
	errEnded = errors.New("the process ended")
)

// child is a running one that has said hello.
type child struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	lines   chan wire.Line // closed at the end of its output
	stderr  *tail
	quit    chan struct{} // nobody reads lines any more
	version string
}

func start(ctx context.Context, argv, env []string) (*child, error) {
	p := &child{cmd: exec.Command(argv[0], argv[1:]...), lines: make(chan wire.Line), stderr: &tail{},
		quit: make(chan struct{})}
	p.cmd.Env = append(slices.Clone(os.Environ()), env...)
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = time.Second
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", argv[0], err)
	}
	go p.read(stdout)
	hello, err := p.next(ctx, time.After(startLimit))
	if err == nil && hello.Hello == "" {
		err = errors.New("no hello")
	}
	if err != nil {
		p.end()
		return nil, fmt.Errorf("%s: %w; %s", strings.Join(argv, " "), err, p.stderr)
	}
	p.version = hello.Version
	return p, nil
}

// read passes on the lines of the protocol and keeps the others for messages.
func (p *child) read(stdout io.Reader) {
	defer close(p.lines)
	in := bufio.NewScanner(stdout)
	for in.Scan() {
		var l wire.Line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil || !strings.HasPrefix(in.Text(), "{") {
			fmt.Fprintln(p.stderr, in.Text())
			continue
		}
		select {
		case p.lines <- l:
		case <-p.quit:
			return
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(p.stderr, err)
	}
}

func (p *child) next(ctx context.Context, late <-chan time.Time) (wire.Line, error) {
	select {
	case l, ok := <-p.lines:
		if !ok {
			return l, errEnded
		}
		return l, nil
	case <-late:
		return wire.Line{}, errSlow
	case <-ctx.Done():
		return wire.Line{}, ctx.Err()
	}
}

// ask sends a request and waits for its answer. Reading the problem has
// startLimit, each run the limit of the request and a second for what lies
// between the solver's own look at the clock and ours.
func (p *child) ask(ctx context.Context, req wire.Request) (wire.Answer, error) {
	b, err := json.Marshal(req)
	if err != nil {
		return wire.Answer{}, err
	}
	late := time.NewTimer(startLimit)
	defer late.Stop()
	if _, err := p.stdin.Write(append(b, '\n')); err != nil {
		return wire.Answer{}, fmt.Errorf("%w: %s", errEnded, p.ended())
	}
	for runs := 0; ; {
		l, err := p.next(ctx, late.C)
		switch {
		case errors.Is(err, errEnded):
			return wire.Answer{}, fmt.Errorf("%w: %s", err, p.ended())
		case err != nil:
			return wire.Answer{}, err
		case l.Begin && runs == req.Repeat:
			return wire.Answer{}, errors.New("more runs than were asked for")
		case l.Begin:
			runs++
			late.Reset(time.Duration((req.Limit + 1) * float64(time.Second)))
		case l.Status != "":
			return l.Answer, nil
		default:
			return wire.Answer{}, errors.New("a line that is no answer")
		}
	}
}

// ended says how the process ended.
func (p *child) ended() string {
	p.end()
	return strings.TrimSpace(fmt.Sprintf("%v %s", p.cmd.ProcessState, p.stderr))
}

// end kills the process, if it has not ended, and waits for it. A second call
// does nothing.
func (p *child) end() {
	select {
	case <-p.quit:
		return
	default:
	}
	close(p.quit)
	p.stdin.Close()
	// A process that has closed its output is about to end and may say how.
	select {
	case _, open := <-p.lines:
		if !open {
			done := time.AfterFunc(time.Second, func() { p.cmd.Process.Kill() })
			defer done.Stop()
			break
		}
		p.cmd.Process.Kill()
	default:
		p.cmd.Process.Kill()
	}
	p.cmd.Wait() // its error is in ProcessState
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailLen = 500

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if cut := len(t.buf) - tailLen; cut > 0 {
		t.buf = append(t.buf[:0], t.buf[cut:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.buf)), "?")
}
