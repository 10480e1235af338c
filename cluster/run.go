package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/plan"
)

// Options say how a plan is computed by a fleet.
type Options struct {
	Client
	Dir string // folder of results; those that it has are not computed again
	// Progress is told how far the run is, four times a second at most; nil: nobody is.
	Progress func(Progress)
}

// Dead is a shard that has failed too often.
type Dead struct {
	Shard  int
	Reason string
	Worker string
}

// Outcome is the end of a run.
type Outcome struct {
	Done  int    // shards with results in the folder
	Dead  []Dead // in the order of their deaths
	Again int    // tasks that were lost with their workers and given out again
}

// ErrStopped says that Stop has ended a run.
var ErrStopped = errors.New("the run was stopped")

// Source: measured, docs/cluster.md: tasks of about taskSeconds cost the broker little, and few
// shards are lost with a worker. window bounds the tasks in the queue, so that its end is adapted
// to the times of its begin.
const (
	taskSeconds = 0.05
	mostTask    = 256
	window      = 512
	fetch       = 128
)

// run is the state of Run.
type run struct {
	Options
	p      *plan.Plan
	id     string
	nc     *nats.Conn
	store  *store
	folder *plan.Folder
	name   string // of the consumer
	epoch  string
	epochs []string // all so far
	watch  *watch

	has    []bool // shards with a result, or dead
	left   int
	next   int // the first shard that this epoch has not given out
	given  map[int]bool
	queued int // shards given out and not back
	dead   []Dead
	again  int
	mean   float64 // seconds of a shard, 0: not known
	quiet  time.Time
}

// Run gives the shards of p that have no result in the folder to the fleet, and returns when all
// have one or are dead. Where ctx ends, or another process calls Stop, the tasks are taken back,
// and the results so far stay in the folder: Run goes on from there. A full disk is an error at
// once.
//
// Of a fit the rounds are run one after the other, each of which the results of the one before
// decide; the shards of an Outcome are its parts, and Dir has the results of all rounds.
func Run(ctx context.Context, p *plan.Plan, set Options) (*Outcome, error) {
	if p.Kind() == "fit" {
		return runFit(ctx, p, set)
	}
	nc, err := set.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	r := &run{Options: set, p: p, id: p.ID(), nc: nc, has: make([]bool, p.Shards), left: p.Shards,
		given: map[int]bool{}}
	if r.folder, err = plan.OpenFolder(set.Dir, p); err != nil {
		return nil, err
	}
	joined, err := plan.Join(p, []string{set.Dir})
	if err != nil {
		return nil, err
	}
	r.watch = newWatch(p, r.id)
	for _, res := range joined.Results {
		r.count(res)
	}
	ctx, end, err := stoppable(ctx, nc, r.id)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := r.watch.listen(nc); err != nil {
		return nil, err
	}
	if p.Kind() == "starts" || p.Kind() == "sweep" {
		prog, err := plan.NewRunner(p, "").Compile(ctx, 0)
		r.watch.begin(err == nil && prog.Problem.Program().Maximize) // the data may be elsewhere: then no best is shown
	}
	err = r.all(ctx)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	r.clean(err)
	done := 0
	for _, has := range r.has {
		if has {
			done++
		}
	}
	return &Outcome{Done: done - len(r.dead), Dead: r.dead, Again: r.again}, err
}

// stoppable is a context that Stop ends.
func stoppable(ctx context.Context, nc *nats.Conn, id string) (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop, err := nc.Subscribe(stopSubject(id), func(msg *nats.Msg) {
		_ = msg.Respond(nil)
		cancel(ErrStopped)
	})
	if err != nil {
		cancel(nil)
		return nil, nil, err
	}
	return ctx, func() { _ = stop.Unsubscribe(); cancel(nil) }, nil
}

// errDead ends a fit of which parts are dead.
var errDead = errors.New("parts have no sums")

// runFit is Run of a fit.
func runFit(ctx context.Context, p *plan.Plan, set Options) (*Outcome, error) {
	nc, err := set.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	ctx, end, err := stoppable(ctx, nc, p.ID())
	if err != nil {
		return nil, err
	}
	defer end()
	all := &Outcome{}
	_, err = p.Rounds(ctx, set.Dir, func(ctx context.Context, q *plan.Plan, dir string) error {
		one := set
		one.Dir = dir
		if set.Progress != nil {
			one.Progress = func(now Progress) {
				now.Plan, now.Kind, now.Round = p.ID(), "fit", q.Fit.Round.Number+1
				set.Progress(now)
			}
		}
		out, err := Run(ctx, q, one)
		if out != nil {
			all.Done, all.Dead, all.Again = out.Done, out.Dead, all.Again+out.Again
		}
		if err == nil && len(all.Dead) > 0 {
			err = errDead
		}
		return err
	})
	switch {
	case ctx.Err() != nil:
		return all, context.Cause(ctx)
	case err == errDead:
		err = nil
	case err == nil:
		all.Done = p.Shards
	}
	return all, err
}

// count takes note of a result that is in the folder.
func (r *run) count(res *plan.Result) {
	if r.has[res.Shard] {
		return
	}
	r.has[res.Shard] = true
	r.left--
	r.watch.result(res)
	r.settle(res.Shard)
}

// settle takes a shard off those that are out.
func (r *run) settle(i int) {
	if r.given[i] {
		delete(r.given, i)
		r.queued--
	}
}

// begin makes the streams, the plan and the consumer of results where the broker lacks them.
func (r *run) begin(ctx context.Context) (jetstream.Consumer, error) {
	text, err := r.p.Encode()
	if err != nil {
		return nil, err
	}
	var cons jetstream.Consumer
	name := "run-" + r.id + "-" + r.name
	err = patiently(ctx, func(ctx context.Context) error {
		s, err := openStore(ctx, r.nc, r.ackWait())
		if err == nil {
			r.store = s
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := patiently(ctx, func(ctx context.Context) error {
		if info, err := r.store.plans.GetInfo(ctx, r.id); err == nil && info.Size == uint64(len(text)) {
			return nil
		}
		_, err := r.store.plans.PutBytes(ctx, r.id, text)
		return err
	}); err != nil {
		return nil, err
	}
	err = patiently(ctx, func(ctx context.Context) (err error) {
		cons, err = r.store.js.CreateOrUpdateConsumer(ctx, resultStream, jetstream.ConsumerConfig{
			Durable: name, FilterSubjects: []string{resultSubjects(r.id), deadSubjects(r.id)},
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.ackWait(), MaxAckPending: 4 * fetch,
			InactiveThreshold: 10 * time.Minute,
		})
		return err
	})
	return cons, err
}

// newEpoch is a name of its own for the tasks that are given out from now on.
func newEpoch() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// renew begins an epoch.
func (r *run) renew() {
	r.epoch = newEpoch()
	r.epochs = append(r.epochs, r.epoch)
}

// all gives out tasks and takes results until there is nothing left.
func (r *run) all(ctx context.Context) error {
	if r.left == 0 {
		return ctx.Err()
	}
	r.name = newEpoch()
	r.renew()
	cons, err := r.begin(ctx)
	if err != nil {
		return err
	}
	// Tasks of a run before, which was killed.
	if err := patiently(ctx, func(ctx context.Context) error {
		return r.store.work.Purge(ctx, jetstream.WithPurgeSubject(workSubjects(r.id)))
	}); err != nil {
		return err
	}
	name := cons.CachedInfo().Name
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = r.store.js.DeleteConsumer(end, resultStream, name) // else the broker does after ten minutes
	}()
	r.quiet = time.Now()
	for r.left > 0 {
		if err := r.giveOut(ctx); err != nil {
			return err
		}
		got, err := r.take(ctx, cons)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.Is(err, nats.ErrTimeout):
			var disk *diskError
			if errors.As(err, &disk) {
				return disk.error
			}
			if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrAuthorization) {
				return err
			}
			// The broker is away, or was, and has forgotten the consumer.
			if cons, err = r.begin(ctx); err != nil {
				return err
			}
		}
		if got > 0 {
			r.quiet = time.Now()
		}
		if got == 0 && r.watch.full() {
			return errFull
		}
		if err := r.reconcile(ctx); err != nil {
			return err
		}
		r.tell()
	}
	return nil
}

// giveOut fills the queue.
func (r *run) giveOut(ctx context.Context) error {
	size := 1
	if r.mean > 0 {
		size = int(min(mostTask, max(1, taskSeconds/r.mean)))
	}
	// At the end tasks are small, so that no worker is last with many shards.
	size = max(1, min(size, (r.left-r.queued)/(4*max(1, r.watch.jobs()))))
	if r.mean == 0 && r.queued >= 16 && r.watch.jobs() <= 4 {
		return nil // the times of the first shards say how large tasks are
	}
	for r.next < r.p.Shards && r.queued < window*size {
		if r.has[r.next] || r.given[r.next] {
			r.next++
			continue
		}
		t := &task{Plan: r.id, Epoch: r.epoch, From: r.next, To: r.next}
		for t.To < r.p.Shards && t.To < t.From+size && !r.has[t.To] && !r.given[t.To] {
			t.To++
		}
		if err := r.store.publishTask(ctx, t); err != nil {
			return err
		}
		for i := t.From; i < t.To; i++ {
			r.given[i] = true
		}
		r.queued += t.To - t.From
		r.next = t.To
		if r.mean == 0 && r.queued >= 16 && r.watch.jobs() <= 4 {
			return nil
		}
	}
	return nil
}

// diskError says that results cannot be written.
type diskError struct{ error }

// take takes results from the broker and returns how many messages there were.
func (r *run) take(ctx context.Context, cons jetstream.Consumer) (got int, err error) {
	batch, err := cons.Fetch(fetch, jetstream.FetchMaxWait(250*time.Millisecond))
	if err != nil {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
		return 0, err
	}
	for msg := range batch.Messages() {
		got++
		if err := r.message(ctx, msg); err != nil {
			return got, err
		}
		_ = msg.Ack() // else it comes again, and its shards are known
		if r.left == 0 {
			return got, nil
		}
	}
	return got, batch.Error()
}

// message takes the results of a message, or a dead letter.
func (r *run) message(ctx context.Context, msg jetstream.Msg) error {
	if strings.HasPrefix(msg.Subject(), "dcopt.dead.") {
		var d dead
		if json.Unmarshal(msg.Data(), &d) != nil || r.p.CheckShard(d.Shard) != nil || r.has[d.Shard] {
			return nil
		}
		// A dead letter of a run before is no reason not to try again.
		if strings.TrimRight(strings.Split(msg.Subject(), ".")[3], splitMark) != r.epoch {
			return nil
		}
		r.has[d.Shard] = true
		r.left--
		r.settle(d.Shard)
		r.dead = append(r.dead, Dead{d.Shard, input.Visible(d.Reason), input.Visible(d.Worker)})
		r.watch.died()
		return nil
	}
	data := msg.Data()
	if name := msg.Headers().Get(headObject); name != "" {
		err := patiently(ctx, func(ctx context.Context) (err error) {
			data, err = object(ctx, r.store.large, name, mostObject)
			return err
		})
		if err != nil {
			var large *tooLargeError
			if errors.Is(err, jetstream.ErrObjectNotFound) || errors.As(err, &large) {
				return nil // its shards are given out again
			}
			return err
		}
	}
	count := 0
	var fresh []*plan.Result
	for line := range bytes.Lines(data) {
		res, err := r.p.DecodeResult(line)
		if err != nil {
			continue // no result of this plan: its shard is given out again
		}
		count++
		if !r.has[res.Shard] {
			fresh = append(fresh, res)
		}
	}
	put := r.folder.PutAll
	if len(fresh) == 1 {
		put = func(one []*plan.Result) error { return r.folder.Put(one[0]) }
	}
	if err := put(fresh); err != nil {
		return &diskError{err}
	}
	for _, res := range fresh {
		r.count(res)
	}
	if seconds, err := strconv.ParseFloat(msg.Headers().Get(headSeconds), 64); err == nil && count > 0 && seconds >= 0 {
		each := max(seconds/float64(count), 1e-7)
		if r.mean == 0 {
			r.mean = each
		}
		r.mean += (each - r.mean) / 8
	}
	if n, err := strconv.Atoi(msg.Headers().Get(headAgain)); err == nil && n > 0 {
		r.again += n
		r.watch.lost(n)
	}
	return nil
}

// reconcile gives shards out again that are neither in the queue nor have come back: nothing
// of that kind should be, but a broker may lose its disk.
func (r *run) reconcile(ctx context.Context) error {
	if r.next < r.p.Shards || r.queued == 0 || time.Since(r.quiet) < 2*r.ackWait() {
		return nil
	}
	r.quiet = time.Now()
	waiting := 0
	err := patiently(ctx, func(ctx context.Context) error {
		info, err := r.store.work.Info(ctx, jetstream.WithSubjectFilter(workSubjects(r.id)))
		if err == nil {
			waiting = len(info.State.Subjects)
		}
		return err
	})
	if err != nil || waiting > 0 {
		return err
	}
	clear(r.given)
	r.queued, r.next = 0, 0
	r.renew() // the broker takes the subjects of an epoch once
	return nil
}

// tell tells the progress.
func (r *run) tell() {
	if now, due := r.watch.now(r.left); due && r.Progress != nil {
		r.Progress(now)
	}
}

// clean takes back the tasks and removes the data of the run from the broker. Where the run
// is over because of err, workers end their tasks of it.
func (r *run) clean(err error) {
	if r.Progress != nil {
		now, _ := r.watch.now(r.left)
		r.Progress(now)
	}
	if r.store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	// The broker may be gone for good: then there is nothing to remove.
	_ = r.store.work.Purge(ctx, jetstream.WithPurgeSubject(workSubjects(r.id)))
	if err != nil {
		_ = r.nc.Publish(cancelSubject(r.id), []byte(strings.Join(r.epochs, " ")))
	}
	_ = r.store.plans.Delete(ctx, r.id)
	for _, s := range []string{resultSubjects(r.id), deadSubjects(r.id)} {
		_ = r.store.result.Purge(ctx, jetstream.WithPurgeSubject(s))
	}
	if list, err := r.store.large.List(ctx); err == nil {
		for _, o := range list {
			if strings.HasPrefix(o.Name, r.id+".") {
				_ = r.store.large.Delete(ctx, o.Name)
			}
		}
	}
	_ = r.nc.FlushTimeout(time.Second)
}

// Stop ends the run of a plan, by whatever process; an error says that there is none.
func Stop(ctx context.Context, c Client, id string) error {
	nc, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	ask, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if _, err := nc.RequestWithContext(ask, stopSubject(id), nil); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("no run of plan %s at this broker: %w", id, err)
	}
	return nil
}
