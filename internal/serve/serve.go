package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/internal/wire/decode"
)

// Config is the configuration of a worker.
type Config struct {
	Version string // of the program
	MaxBody uint64 // bytes of a body, and of all frames that wait
	Limits  decode.Limits
}

// DefaultConfig has the limits of docs/protocol.md.
func DefaultConfig() Config { return Config{MaxBody: 2 << 30, Limits: decode.DefaultLimits()} }

// grace is how long the request that runs may go on when the input has ended.
const grace = 250 * time.Millisecond

// Run answers the requests that come from r until it ends. The error says that bytes
// were no frame, that w cannot be written, or that ctx has ended.
func Run(ctx context.Context, r io.Reader, w io.Writer, cfg Config) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{
		cfg: cfg, ctx: ctx, in: bufio.NewReaderSize(r, room), out: &output{w: w, fail: stop},
		held: map[key]any{}, ended: make(chan error, 1), last: make(chan struct{}), lanes: map[key]*lane{},
	}
	s.pending.changed = sync.NewCond(&s.pending.mu)
	context.AfterFunc(ctx, s.pending.close)
	go s.follow()
	var err error
	select {
	case err = <-s.ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	stop()
	select {
	case <-s.last:
	case <-time.After(grace):
	}
	if lost := s.out.lost.Load(); lost != nil {
		return *lost
	}
	return err
}

// room is the size of the buffer of the input, in bytes.
const room = 1 << 16

// server answers requests.
type server struct {
	cfg     Config
	ctx     context.Context // of the whole run
	in      *bufio.Reader
	out     *output
	pending pending
	running sync.WaitGroup // requests
	ended   chan error     // why there are no more requests
	last    chan struct{}  // closed when the last one is answered

	peeked wire.Again[wire.Peeked] // of who reads
	brief  atomic.Bool             // the last request was

	mu    sync.Mutex  // of the maps
	held  map[key]any // the loaded problems, models and batches. Each belongs to the request in its lane
	lanes map[key]*lane
}

// output writes replies.
type output struct {
	mu   sync.Mutex
	w    io.Writer
	lost atomic.Pointer[error] // also while a write goes on that nobody takes
	fail func()
}

func (o *output) send(m wire.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost.Load() != nil {
		return
	}
	if err := wire.Write(o.w, m); err != nil {
		err = fmt.Errorf("the reply cannot be written: %w", err)
		o.lost.Store(&err)
		o.fail()
	}
}

// refuse sends an error.
func (o *output) refuse(id uint64, err error) { o.send(refusal(id, err)) }

// refusal is an error as a reply.
func refusal(id uint64, err error) *wire.Errors {
	out := &wire.Errors{Head: wire.Head{Type: "error", ID: id}}
	var list decode.Errors
	var one *wire.Error
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			out.Errors = append(out.Errors, *e)
		}
	case errors.As(err, &one):
		out.Errors = []wire.Error{*one}
	default:
		out.Errors = []wire.Error{{Kind: wire.ErrProblem, Text: err.Error()}}
	}
	return out
}

// unwound is a panic that ends a request with an error as its reply.
type unwound struct{ err error }

// refuseAs ends the request.
func refuseAs(kind, format string, args ...any) { panic(unwound{wire.Errorf(kind, format, args...)}) }

// ensure ends the request if there is an error.
func ensure(err error) {
	if err != nil {
		panic(unwound{err})
	}
}

// ensureAs is ensure with a kind for the error.
func ensureAs(kind string, err error) {
	if err != nil {
		refuseAs(kind, "%v", err)
	}
}

// must is v, if there is no error.
func must[T any](v T, err error) T {
	ensure(err)
	return v
}

// recovering returns the error that f ended with; a panic is a fault of the program, and an answer.
func recovering(what string, f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case unwound:
			err = v.err
		default:
			err = wire.Errorf(wire.ErrInternal, "%s: %v\n%s", what, v, debug.Stack())
		}
	}()
	f()
	return nil
}

// job is a request that waits or runs.
type job struct {
	head   wire.Head
	frame  wire.Frame
	begin  time.Time
	size   uint64
	ctx    context.Context
	cancel context.CancelFunc
	keys   []key
	lanes  []*lane
	done   chan struct{} // closed when it is answered
}

// pending are the requests that wait or run.
type pending struct {
	mu      sync.Mutex
	changed *sync.Cond
	jobs    []*job
	bytes   uint64
	closed  bool
}

// reserve waits until the frames at hand have at most max bytes with this one, or
// there is no other.
func (q *pending) reserve(size, max uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed && q.bytes > 0 && q.bytes+size > max {
		q.changed.Wait()
	}
	q.bytes += size
}

func (q *pending) add(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.jobs = append(q.jobs, j); q.closed {
		j.cancel()
	}
}

// release gives the bytes of a frame back.
func (q *pending) release(size uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes -= size
	q.changed.Broadcast()
}

func (q *pending) done(j *job) {
	j.cancel()
	q.mu.Lock()
	q.jobs = slices.DeleteFunc(q.jobs, func(i *job) bool { return i == j })
	q.mu.Unlock()
	q.release(j.size)
}

// cancel ends a request; it reports whether there is one with that id.
func (q *pending) cancel(id uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	found := false
	for _, j := range q.jobs {
		if j.head.ID == id {
			j.cancel()
			found = true
		}
	}
	return found
}

// close ends all.
func (q *pending) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, j := range q.jobs {
		j.cancel()
	}
	q.changed.Broadcast()
}

// read is the next request, nil where there are no more. Cancels are answered here.
func (s *server) read() (*job, error) {
	for {
		var size uint64
		f, err := wire.ReadFrame(s.in, s.cfg.MaxBody, func(n uint64) { size = n; s.pending.reserve(n, s.cfg.MaxBody) })
		var bad *wire.Error
		switch {
		case errors.As(err, &bad):
			head, _ := wire.Peek(f)
			s.out.refuse(head.ID, bad)
			if bad.Kind == wire.ErrLimit {
				continue
			}
			return nil, err
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		}
		peeked, err := wire.PeekAgain(&s.peeked, f)
		head := peeked.Head
		switch {
		case err != nil:
			s.out.refuse(head.ID, wire.Errorf(wire.ErrRequest, "%v", err))
		case head.Type == "cancel":
			s.out.send(s.cancel(f, head.ID))
		default:
			j := &job{head: head, frame: f, begin: time.Now(), size: size, keys: keys(peeked),
				done: make(chan struct{})}
			j.ctx, j.cancel = context.WithCancel(s.ctx)
			s.pending.add(j)
			return j, nil
		}
		s.pending.release(size)
	}
}

func (s *server) cancel(f wire.Frame, id uint64) wire.Message {
	var m wire.Cancel
	if err := wire.Parse(f, &m, true); err != nil {
		return refusal(id, wire.Errorf(wire.ErrRequest, "%v", err))
	}
	found := s.pending.cancel(m.Target)
	return &wire.Ok{Head: wire.Head{Type: "ok", ID: id}, Found: &found}
}

// work answers a request.
func (s *server) work(j *job) {
	err := recovering(j.head.Type, func() {
		ensure(j.ctx.Err())
		r, ok := requests[j.head.Type]
		if !ok {
			refuseAs(wire.ErrRequest, "no request is of the type %.40q", j.head.Type)
		}
		reply := r.answer(s, j)
		wire.Address(reply, r.reply, j.head.ID)
		s.out.send(reply)
	})
	if errors.Is(err, context.Canceled) {
		err = wire.Errorf(wire.ErrCancelled, "%s was cancelled before it had anything to return", j.head.Type)
	}
	if err != nil {
		s.out.refuse(j.head.ID, err)
	}
}

// requests are the requests but cancel.
var requests = map[string]request{
	"hello":      {"hello", on((*server).hello)},
	"load":       {"loaded", on((*server).load)},
	"load_data":  {"loaded", on((*server).loadData)},
	"set":        {"ok", on((*server).set)},
	"update":     {"ok", on((*server).update)},
	"solve":      {"result", (*server).solveAgain},
	"derivative": {"tangent", on((*server).derivative)},
	"adjoint":    {"gradient", on((*server).adjoint)},
	"batch":      {"solutions", on((*server).batch)},
	"check":      {"checked", on((*server).check)},
	"evaluate":   {"values", on((*server).evaluate)},
	"to_dc":      {"text", on((*server).toDC)},
	"fit":        {"fitted", on((*server).fit)},
	"load_model": {"fitted", on((*server).loadModel)},
	"predict":    {"predicted", on((*server).predict)},
	"export":     {"text", on((*server).export)},
	"free":       {"ok", on((*server).free)},
}

// request is how a request is answered, by a message of a type.
type request struct {
	reply  string
	answer func(s *server, j *job) wire.Message
}

// on reads a request and answers it.
func on[M any, P interface {
	*M
	wire.Message
}](f func(s *server, j *job, m P) wire.Message) func(s *server, j *job) wire.Message {
	return func(s *server, j *job) wire.Message {
		m := P(new(M))
		if err := wire.Parse(j.frame, m, true); err != nil {
			refuseAs(wire.ErrRequest, "%s: %v", j.head.Type, err)
		}
		j.frame = wire.Frame{} // its arrays are copies
		return f(s, j, m)
	}
}

// solveAgain is on of solve, for loops.
func (s *server) solveAgain(j *job) wire.Message {
	parsed := new(wire.Again[*wire.Solve]) // of one that is refused: a solve names a problem and nothing else
	if len(j.lanes) == 1 {
		parsed = &j.lanes[0].parsed
	}
	m, err := wire.SolveAgain(parsed, j.frame)
	if err != nil {
		refuseAs(wire.ErrRequest, "%s: %v", j.head.Type, err)
	}
	j.frame = wire.Frame{}
	return s.solve(j, m)
}
