package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dcopt/dcopt/plan"
)

// Worker says how a worker works.
type Worker struct {
	Client
	Jobs       int    // tasks at a time, at least 1
	Data       string // folder with data that are not in plans; "": none
	MostResult int    // bytes that a result may have; 0: MostResult
	// Note is told of failures; nil: nobody is.
	Note func(format string, args ...any)
	// Compute computes a shard; nil: the runner does. Tests replace it.
	Compute func(ctx context.Context, r *plan.Runner, i int) (*plan.Result, error)
}

// worker is the state of Work.
type worker struct {
	Worker
	nc    *nats.Conn
	store *store

	mu      sync.Mutex
	plans   map[string]*plan.Plan
	active  map[*active]bool
	over    map[string]bool // epochs of runs that were cancelled
	full    bool            // the broker had no room for the last results
	sources plan.Sources
}

// active is a task in work.
type active struct {
	task   task
	cancel context.CancelCauseFunc
}

var errCancelled = errors.New("the run was cancelled")

// Work computes tasks of all plans that the broker has until ctx ends, whose error it returns.
// Where the broker goes away it waits until it is back. Tasks under way when ctx ends go back to
// the queue.
func Work(ctx context.Context, set Worker) error {
	if set.Jobs < 1 {
		return fmt.Errorf("%d jobs, want at least 1", set.Jobs)
	}
	if set.MostResult == 0 {
		set.MostResult = MostResult
	}
	if set.Note == nil {
		set.Note = func(string, ...any) {}
	}
	if set.Compute == nil {
		set.Compute = func(ctx context.Context, r *plan.Runner, i int) (*plan.Result, error) { return r.Run(ctx, i) }
	}
	nc, err := set.connect(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	w := &worker{Worker: set, nc: nc, plans: map[string]*plan.Plan{},
		active: map[*active]bool{}, over: map[string]bool{}}
	if w.Name == "" {
		host, _ := os.Hostname()
		w.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	w.sources.Open = OpenPart
	if err := patiently(ctx, func(ctx context.Context) (err error) {
		w.store, err = openStore(ctx, nc, w.ackWait())
		return err
	}); err != nil {
		return err
	}
	if err := w.listen(); err != nil {
		return err
	}
	var wait sync.WaitGroup
	for range set.Jobs {
		wait.Go(func() { w.job(ctx) })
	}
	wait.Go(func() { w.live(ctx) })
	wait.Wait()
	return ctx.Err()
}

// listen hears of cancelled runs and of the best objectives.
func (w *worker) listen() error {
	if _, err := w.nc.Subscribe("dcopt.cancel.*", func(msg *nats.Msg) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.over) > mostEpochs {
			clear(w.over)
		}
		for _, epoch := range strings.Fields(string(msg.Data)) {
			w.over[epoch] = true
		}
		for a := range w.active {
			if w.over[a.task.run()] {
				a.cancel(errCancelled)
			}
		}
	}); err != nil {
		return err
	}
	return nil
}

// live tells once a second that the worker is there.
func (w *worker) live(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		p := presence{Worker: w.Name, Jobs: w.Jobs, Busy: map[string]int{}}
		w.mu.Lock()
		for a := range w.active {
			p.Busy[a.task.Plan] += a.task.To - a.task.From
		}
		p.Full = w.full
		w.mu.Unlock()
		if b, err := json.Marshal(p); err == nil {
			_ = w.nc.Publish(presenceSubject, b) // the next one comes in a second
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// fetch waits for a task for a while. Without heartbeats of the broker, which a machine with
// much other work takes for lost: then a message that is on its way would be lost for AckWait.
func (w *worker) fetch(ctx context.Context, cons jetstream.Consumer) (batch jetstream.MessageBatch, err error) {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	batch, err = cons.Fetch(1, jetstream.FetchContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	return ending{batch, cancel}, nil
}

// ending is a batch whose context ends when its error is asked for.
type ending struct {
	jetstream.MessageBatch
	cancel context.CancelFunc
}

func (e ending) Error() error {
	e.cancel()
	return e.MessageBatch.Error()
}

// job takes task after task.
func (w *worker) job(ctx context.Context) {
	runners := map[string]*plan.Runner{}
	var cons jetstream.Consumer
	for ctx.Err() == nil {
		err := patiently(ctx, func(ctx context.Context) (err error) {
			if cons == nil {
				cons, err = w.store.consumer(ctx)
			}
			return err
		})
		if err != nil {
			w.Note("no tasks: %v", err)
			return
		}
		batch, err := w.fetch(ctx, cons)
		if err == nil {
			for msg := range batch.Messages() {
				w.task(ctx, msg, runners)
			}
			err = batch.Error()
		}
		if err != nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, context.DeadlineExceeded) &&
			ctx.Err() == nil {
			cons = nil // it may be gone with its broker
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

// task computes the shards of a message, publishes the results and acknowledges.
func (w *worker) task(ctx context.Context, msg jetstream.Msg, runners map[string]*plan.Runner) {
	var t task
	meta, err := msg.Metadata()
	if err == nil {
		err = json.Unmarshal(msg.Data(), &t)
	}
	if err != nil {
		_ = msg.TermWithReason("no task") // a message of someone else
		return
	}
	lost := int(meta.NumDelivered) - 1
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &active{t, cancel}
	w.mu.Lock()
	w.active[a] = true
	if w.over[t.run()] { // the broker had given it out before it was taken back
		cancel(errCancelled)
	}
	w.mu.Unlock()
	beats := make(chan struct{})
	go beat(work, msg, w.ackWait()/4, beats)
	err = w.compute(work, &t, lost, runners)
	cancel(nil)
	<-beats
	w.mu.Lock()
	delete(w.active, a)
	w.full = errors.Is(err, errFull)
	w.mu.Unlock()
	switch {
	case err == nil, context.Cause(work) == errCancelled && ctx.Err() == nil:
		// The broker forgets the task. Where it does not hear of that, another worker
		// computes the same results, which it has already.
		err = msg.Ack()
	case ctx.Err() != nil:
		err = msg.Nak() // another worker takes it at once
		_ = w.nc.FlushTimeout(time.Second)
	default:
		w.Note("shards %d to %d of plan %s go back to the queue: %v", t.From, t.To-1, t.Plan, err)
		err = msg.NakWithDelay(time.Second)
	}
	if err != nil && ctx.Err() == nil {
		w.Note("the broker has not heard of shards %d to %d of plan %s: %v", t.From, t.To-1, t.Plan, err)
	}
}

// beat keeps the task of a worker that lives.
func beat(ctx context.Context, msg jetstream.Msg, every time.Duration, done chan<- struct{}) {
	defer close(done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = msg.InProgress() // the next one comes soon
		}
	}
}

// compute computes the shards of a task. An error means that the task is not done.
func (w *worker) compute(ctx context.Context, t *task, lost int, runners map[string]*plan.Runner) error {
	if lost > mostDeliveries && t.To == t.From+1 {
		return w.bury(ctx, t, t.From, fmt.Errorf("it was lost with its worker %d times: the process was killed, or "+
			"ran out of memory", lost))
	}
	if lost > mostDeliveries/2 && t.To > t.From+1 {
		return w.split(ctx, t)
	}
	r, err := w.runner(ctx, t, runners)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil // the run is over, and its plan gone
	}
	if err != nil {
		return err
	}
	p := parcel{w: w, t: t, lost: lost}
	begin := time.Now()
	for i := t.From; i < t.To; i++ {
		b, err := w.shard(ctx, r, i)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			err = p.add(ctx, b)
		} else {
			w.Note("shard %d of plan %s: %v", i, t.Plan, err)
			err = w.failed(ctx, t, i, err)
		}
		if err != nil {
			return err
		}
	}
	p.seconds = time.Since(begin).Seconds()
	return p.send(ctx, true)
}

// shard computes one shard; a panic is an error.
func (w *worker) shard(ctx context.Context, r *plan.Runner, i int) (b []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			b, err = nil, fmt.Errorf("shard %d has panicked: %v", i, v)
		}
	}()
	res, err := w.Compute(ctx, r, i)
	if err != nil {
		return nil, err
	}
	if b, err = res.Encode(); err == nil && len(b) > w.MostResult {
		err = fmt.Errorf("the result has %d bytes, and at most %d go through the broker", len(b), w.MostResult)
	}
	return b, err
}

// failed gives a shard out again, alone, or buries it.
func (w *worker) failed(ctx context.Context, t *task, i int, err error) error {
	one := *t
	one.From, one.To, one.Failed = i, i+1, t.Failed+1
	if one.Failed >= MostFailures {
		return w.bury(ctx, &one, i, err)
	}
	return w.store.publishTask(ctx, &one)
}

// bury makes a dead letter of a shard.
func (w *worker) bury(ctx context.Context, t *task, i int, err error) error {
	reason := err.Error()
	b, err := json.Marshal(dead{i, reason[:min(len(reason), mostReason)], w.Name})
	if err != nil {
		return err
	}
	msg := &nats.Msg{Subject: fmt.Sprintf("dcopt.dead.%s.%s.%d", t.Plan, t.Epoch, i), Data: b}
	return w.store.publish(ctx, msg, t.id("dead"))
}

// split gives the shards of a task out one by one.
func (w *worker) split(ctx context.Context, t *task) error {
	for i := t.From; i < t.To; i++ {
		one := *t
		one.From, one.To = i, i+1
		one.Epoch += splitMark // the first of them has the subject of the task
		if err := w.store.publishTask(ctx, &one); err != nil {
			return err
		}
	}
	return nil
}

// mostEpochs bounds the cancelled epochs that a worker knows.
// Source: a limit of memory; tasks of a cancelled run are on their way for moments.
const mostEpochs = 1000

// mostPlans bounds the plans that a worker keeps.
// Source: a limit of memory.
const mostPlans = 4

// runner of a job for the plan of a task.
func (w *worker) runner(ctx context.Context, t *task, runners map[string]*plan.Runner) (*plan.Runner, error) {
	r := runners[t.Plan]
	if r == nil {
		p, err := w.plan(ctx, t.Plan)
		if err != nil {
			return nil, err
		}
		if len(runners) >= mostPlans {
			clear(runners)
		}
		r = plan.NewRunner(p, w.Data)
		r.Sources = &w.sources
		runners[t.Plan] = r
	}
	return r, nil
}

// plan reads a plan from the broker.
func (w *worker) plan(ctx context.Context, id string) (*plan.Plan, error) {
	w.mu.Lock()
	p := w.plans[id]
	w.mu.Unlock()
	if p != nil {
		return p, nil
	}
	err := patiently(ctx, func(ctx context.Context) error {
		b, err := object(ctx, w.store.plans, id, mostObject)
		if err == nil {
			p, err = plan.Decode(b)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.plans) >= mostPlans {
		clear(w.plans)
	}
	w.plans[id] = p
	return p, nil
}

// parcel gathers results of a task into messages.
type parcel struct {
	w       *worker
	t       *task
	lost    int
	seconds float64
	part    int
	buf     bytes.Buffer
}

// add takes a result, a line.
func (p *parcel) add(ctx context.Context, b []byte) error {
	if p.buf.Len() > 0 && p.buf.Len()+len(b) > mostInline {
		if err := p.send(ctx, false); err != nil {
			return err
		}
	}
	p.buf.Write(b)
	return nil
}

// send publishes the results gathered; the last message has the times.
func (p *parcel) send(ctx context.Context, last bool) error {
	if p.buf.Len() == 0 && !last {
		return nil
	}
	name := fmt.Sprintf("%s.%s.%d.%d.%d.%d", p.t.Plan, p.t.Epoch, p.t.From, p.t.To, p.t.Failed, p.part)
	msg := &nats.Msg{Subject: "dcopt.result." + name, Data: p.buf.Bytes(), Header: nats.Header{}}
	if last {
		msg.Header.Set(headSeconds, strconv.FormatFloat(p.seconds, 'g', 6, 64))
		msg.Header.Set(headAgain, strconv.Itoa(p.lost))
	}
	if p.buf.Len() > mostInline {
		if err := patiently(ctx, func(ctx context.Context) error {
			_, err := p.w.store.large.PutBytes(ctx, name, p.buf.Bytes())
			return err
		}); err != nil {
			return err
		}
		msg.Data = nil
		msg.Header.Set(headObject, name)
	}
	err := p.w.store.publish(ctx, msg, "result."+name)
	p.buf.Reset()
	p.part++
	return err
}
