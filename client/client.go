package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"sync"
	"time"

	"github.com/dcopt/dcopt/internal/wire"
)

// Client speaks to one worker. Its methods may be called by several goroutines; the worker answers
// requests about one problem or model in order, and others side by side. When the context of a
// request ends, the request is cancelled: a solve then returns its best point.
type Client struct {
	w    io.WriteCloser
	cmd  *exec.Cmd
	send sync.Mutex

	mu     sync.Mutex
	next   uint64 // the last id, and the last handle
	wait   map[uint64]*call
	broken error
	ended  chan struct{}
}

// call is a request without its reply yet.
type call struct {
	reply    wire.Message
	progress func(Progress)
	done     chan error
}

// Start runs a worker: the program at path, dcopt, with the argument serve and those
// given.
func Start(path string, args ...string) (*Client, error) {
	cmd := exec.Command(path, append([]string{"serve"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := New(out, in)
	c.cmd = cmd
	return c, nil
}

// New speaks to a worker that reads the bytes written to w and writes those read from
// r. Close closes w.
func New(r io.Reader, w io.WriteCloser) *Client {
	c := &Client{w: w, wait: map[uint64]*call{}, ended: make(chan struct{})}
	go c.read(r)
	return c
}

// closing is how long Close waits for the worker to end before it kills it.
const closing = 2 * time.Second

// Close ends the worker: after two seconds it is killed. Requests under way return an
// error. The error of Close is the error of the process, nil if it ended well.
func (c *Client) Close() error {
	err := c.w.Close()
	select {
	case <-c.ended:
	case <-time.After(closing):
		if c.cmd != nil {
			c.cmd.Process.Kill()
		}
	}
	if c.cmd != nil {
		if exit := c.cmd.Wait(); err == nil {
			err = exit
		}
	}
	return err
}

// errEnded is the error of requests that a worker has not answered.
var errEnded = errors.New("client: the worker has ended")

// read hands replies to who waits for them.
func (c *Client) read(r io.Reader) {
	defer close(c.ended)
	err := c.replies(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = errEnded
	if err != nil && !errors.Is(err, io.EOF) {
		c.broken = fmt.Errorf("%w: %w", errEnded, err)
	}
	for id, w := range c.wait {
		delete(c.wait, id)
		w.done <- c.broken
	}
}

func (c *Client) replies(r io.Reader) error {
	for {
		f, err := wire.ReadFrame(r, math.MaxInt64, nil)
		if err != nil {
			return err
		}
		head, err := wire.Peek(f)
		if err != nil {
			return err
		}
		c.mu.Lock()
		w := c.wait[head.ID]
		if head.Type != "progress" {
			delete(c.wait, head.ID)
		}
		c.mu.Unlock()
		switch {
		case head.Type == "error":
			var e wire.Errors
			if err := wire.Parse(f, &e, false); err != nil || len(e.Errors) == 0 {
				return errors.Join(errors.New("an error without its text"), err)
			}
			if w == nil { // of no request: the worker gives up
				return Errors(e.Errors)
			}
			w.done <- Errors(e.Errors)
		case w == nil:
		case head.Type == "progress":
			var p Progress
			if err := wire.Parse(f, &p, false); err != nil {
				return err
			}
			if w.progress != nil {
				w.progress(p)
			}
		default:
			w.done <- wire.Parse(f, w.reply, false)
		}
	}
}

// handle is a number that no problem or model has.
func (c *Client) handle() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	return c.next
}

// do sends a request and waits for its reply.
func (c *Client) do(ctx context.Context, kind string, m, reply wire.Message, progress func(Progress)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &call{reply, progress, make(chan error, 1)}
	c.mu.Lock()
	if c.broken != nil {
		defer c.mu.Unlock()
		return c.broken
	}
	c.next++
	id := c.next
	c.wait[id] = w
	c.mu.Unlock()
	wire.Address(m, kind, id)
	if err := c.write(m); err != nil {
		c.mu.Lock()
		delete(c.wait, id)
		c.mu.Unlock()
		return fmt.Errorf("client: the worker takes no requests: %w", err)
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
	}
	stop := &wire.Cancel{Target: id}
	wire.Address(stop, "cancel", c.handle())
	if err := c.write(stop); err != nil {
		return fmt.Errorf("client: the worker takes no requests: %w", err)
	}
	return <-w.done
}

// ask sends a request whose reply is an R.
func ask[R any, P interface {
	*R
	wire.Message
}](ctx context.Context, c *Client, kind string, m wire.Message, progress func(Progress)) (*R, error) {
	out := new(R)
	if err := c.do(ctx, kind, m, P(out), progress); err != nil {
		return nil, err
	}
	return out, nil
}

// text asks for a text.
func (c *Client) text(ctx context.Context, kind string, m wire.Message) (string, error) {
	reply, err := ask[wire.TextReply](ctx, c, kind, m, nil)
	if err != nil {
		return "", err
	}
	return string(reply.Text.V), nil
}

func (c *Client) write(m wire.Message) error {
	c.send.Lock()
	defer c.send.Unlock()
	return wire.Write(c.w, m)
}

// Hello asks the worker for its version, its protocol and its limits. The error is of
// type Errors where it does not speak the protocol of this package.
func (c *Client) Hello(ctx context.Context) (*Hello, error) {
	var out Hello
	return &out, c.do(ctx, "hello", &wire.Hello{Protocol: Ptr(wire.Version)}, &out, nil)
}

// Problem is one that the worker holds.
type Problem struct {
	Loaded
	c      *Client
	handle uint64
}

// Load gives a graph to the worker, with settings for all its solves; nil: none.
func (c *Client) Load(ctx context.Context, g *Graph, set *Settings) (*Problem, error) {
	p := &Problem{c: c, handle: c.handle()}
	return p, c.do(ctx, "load", &wire.Load{Problem: p.handle, Graph: *g, Settings: set}, &p.Loaded, nil)
}

// LoadData gives a problem as matrices to the worker, in the form of Data.
// The worker's number is set in d. The error is of type Errors where it refuses them.
func (c *Client) LoadData(ctx context.Context, d *Data) (*Problem, error) {
	p := &Problem{c: c, handle: c.handle()}
	d.Problem = p.handle
	return p, c.do(ctx, "load_data", d, &p.Loaded, nil)
}

// Options say how to solve; the zero value is the default.
type Options struct {
	Settings   *Settings
	Parameters map[string]*Floats // of a graph: other values, which stay
	Update     *NewValues         // of matrices: other numbers, which stay
	Start      map[string]*Floats
	Cold       bool // do not go on from the last point
	Progress   func(Progress)
}

// Solve solves the problem. An outcome such as infeasible, or the end of a limit, is the
// status of the result and no error; one of type Errors says which field is wrong. Where
// ctx ends, the result has the best point and the status cancelled.
func (p *Problem) Solve(ctx context.Context, o Options) (*Result, error) {
	m := &wire.Solve{
		Problem: p.handle, Settings: o.Settings, Parameters: o.Parameters, Update: o.Update, Start: o.Start,
		Progress: o.Progress != nil,
	}
	if o.Cold {
		m.Warm = Ptr(false)
	}
	return ask[Result](ctx, p.c, "solve", m, o.Progress)
}

// Set gives parameters of a graph other values, by name and with the shapes that they were
// declared with. They count from the next Solve on.
func (p *Problem) Set(ctx context.Context, values map[string]*Floats) error {
	return p.c.do(ctx, "set", &wire.Set{Problem: p.handle, Parameters: values}, &wire.Ok{}, nil)
}

// Derivative is the change of the solution of the last Solve of a graph along changes of its
// parameters, by name; those that are not named stay.
func (p *Problem) Derivative(ctx context.Context, change map[string]*Floats) (*Tangent, error) {
	return ask[Tangent](ctx, p.c, "derivative", &wire.Derivative{Problem: p.handle, Parameters: change}, nil)
}

// OneSided is Derivative where the parameters move that way alone: it exists at kinks, too, at
// which a constraint is about to let go or to take hold.
func (p *Problem) OneSided(ctx context.Context, change map[string]*Floats) (*Tangent, error) {
	m := &wire.Derivative{Problem: p.handle, Parameters: change, OneSided: true}
	return ask[Tangent](ctx, p.c, "derivative", m, nil)
}

// Adjoint is the gradient, with respect to the parameters of those names or to all, of a function
// of the solution of the last Solve of a graph; x is its gradient with respect to the solution, in
// the order of Result.X.
func (p *Problem) Adjoint(ctx context.Context, x []float64, parameters ...string) (*Gradient, error) {
	return p.AdjointAlong(ctx, x, nil, parameters...)
}

// AdjointAlong is Adjoint where the entries of parameters do not all move by themselves, as those
// of a symmetric matrix: along is a change that they can take, at random among these, and the
// gradient counts for such changes alone. Adjoint refuses a point that does not follow all others.
func (p *Problem) AdjointAlong(ctx context.Context, x []float64, along map[string]*Floats,
	parameters ...string) (*Gradient, error) {
	m := &wire.Adjoint{Problem: p.handle, X: wire.F(x), Along: along, Parameters: parameters}
	return ask[Gradient](ctx, p.c, "adjoint", m, nil)
}

// Batch has the solutions of a graph for several sets of values of its parameters, one after
// another in each array.
type Batch struct {
	Solutions
	c             *Client
	problem, held uint64
}

// Batch solves the graph for count sets of values of its parameters, by name: of all sets one
// after another, or of one for all; parameters that are not named have the values that they have,
// and keep them. The sets are solved on all processors. Of the options Settings and Start count.
// The worker keeps the solutions until Free of the batch or of the problem. The error of one set,
// of type Errors, is the error of the batch.
func (p *Problem) Batch(ctx context.Context, count int, values map[string]*Floats, o Options) (*Batch, error) {
	b := &Batch{c: p.c, problem: p.handle, held: p.c.handle()}
	m := &wire.Batch{Problem: p.handle, Batch: b.held, Count: count, Parameters: values, Settings: o.Settings,
		Start: o.Start}
	if m.Parameters == nil {
		m.Parameters = map[string]*Floats{}
	}
	if err := p.c.do(ctx, "batch", m, &b.Solutions, nil); err != nil {
		return nil, err
	}
	return b, nil
}

// Adjoint is Problem.Adjoint at each of the solutions: x has a gradient for each set, one after
// another, as has each array of the result.
func (b *Batch) Adjoint(ctx context.Context, x []float64, parameters ...string) (*Gradient, error) {
	return b.AdjointAlong(ctx, x, nil, parameters...)
}

// AdjointAlong is Problem.AdjointAlong at each of the solutions; along has a change for all sets,
// or one for each.
func (b *Batch) AdjointAlong(ctx context.Context, x []float64, along map[string]*Floats,
	parameters ...string) (*Gradient, error) {
	m := &wire.Adjoint{Problem: b.problem, Batch: &b.held, X: wire.F(x), Along: along, Parameters: parameters}
	return ask[Gradient](ctx, b.c, "adjoint", m, nil)
}

// Free lets the worker forget the solutions. Adjoint then fails.
func (b *Batch) Free(ctx context.Context) error {
	return b.c.do(ctx, "free", &wire.Free{Batch: &b.held}, &wire.Ok{}, nil)
}

// Update gives matrices other numbers in the same places: as many as the pattern has.
// They count from the next Solve on.
func (p *Problem) Update(ctx context.Context, v NewValues) error {
	return p.c.do(ctx, "update", &wire.Update{Problem: p.handle, NewValues: v}, &wire.Ok{}, nil)
}

// Check says how the problem is split, which terms are linearised, and which backends can solve
// it, without solving it.
func (p *Problem) Check(ctx context.Context) (*Checked, error) {
	var out Checked
	return &out, p.c.do(ctx, "check", &wire.Check{Problem: p.handle}, &out, nil)
}

// Evaluate gives the values of nodes at x, the entries of all variables; nil: at the
// last result.
func (p *Problem) Evaluate(ctx context.Context, x []float64, nodes ...int) ([][]float64, error) {
	m := &wire.Evaluate{Problem: p.handle, Nodes: nodes}
	if x != nil {
		m.X = F(x...)
	}
	reply, err := ask[wire.Values](ctx, p.c, "evaluate", m, nil)
	if err != nil {
		return nil, err
	}
	var out [][]float64
	for _, v := range reply.Values {
		out = append(out, v.V)
	}
	return out, nil
}

// DC is the problem as the text of a .dc file, in the layout of dcopt fmt. The error is
// of type Errors where the language cannot say it.
func (p *Problem) DC(ctx context.Context) (string, error) {
	return p.c.text(ctx, "to_dc", &wire.Check{Problem: p.handle})
}

// Free lets the worker forget the problem, and its memory. Other methods then fail.
func (p *Problem) Free(ctx context.Context) error {
	return p.c.do(ctx, "free", &wire.Free{Problem: &p.handle}, &wire.Ok{}, nil)
}
