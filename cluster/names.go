package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dcopt/dcopt/plan"
)

// AckWait is how long a task stays with a worker that gives no sign of life, unless
// Client.AckWait says otherwise.
// Source: a limit of waiting: heartbeats come four times in it.
const AckWait = 8 * time.Second

// MostFailures is how often a shard may fail before it is a dead letter; mostDeliveries how often a
// task may be lost with its worker. Source: limits; a task is lost where a process is killed or a
// network fails, which says little of the shard.
const (
	MostFailures   = 5
	mostDeliveries = 20
)

// The limits of messages, in bytes. Source: NATS refuses messages above 1 MB unless a server says
// otherwise; the others are limits of memory.
const (
	mostMessage = 1 << 20
	mostInline  = 512 << 10 // results beyond it go through the object store
	MostResult  = 64 << 20  // of one shard, unless Worker.MostResult says otherwise
	mostReason  = 4 << 10
)

// The names in the broker.
const (
	workStream   = "DCOPT_WORK"
	resultStream = "DCOPT_RESULTS"
	plans        = "dcopt-plans"
	large        = "dcopt-large"
	consumer     = "workers"
)

// Headers of result messages.
const (
	headSeconds = "Dcopt-Seconds" // that the shards took
	headAgain   = "Dcopt-Again"   // how often the task was lost before
	headObject  = "Dcopt-Object"  // the results are in this object
)

// task is a run of shards, From to To − 1, that a worker computes.
type task struct {
	Plan   string `json:"plan"`
	Epoch  string `json:"epoch"` // of the Run that gave it out
	From   int    `json:"from"`
	To     int    `json:"to"`
	Failed int    `json:"failed,omitempty"` // how often it has failed
}

func (t *task) subject() string {
	return fmt.Sprintf("dcopt.work.%s.%s.%d.%d", t.Plan, t.Epoch, t.From, t.Failed)
}

// run is the epoch in which Run gave the task out, before it was split.
func (t *task) run() string { return strings.TrimRight(t.Epoch, splitMark) }

// splitMark ends the epochs of tasks that are parts of others. Epochs are hexadecimal.
const splitMark = "s"

// id is the id of the task's message, and of a part of its results.
func (t *task) id(what string) string {
	return fmt.Sprintf("%s.%s.%s.%d.%d.%d", what, t.Plan, t.Epoch, t.From, t.To, t.Failed)
}

// dead is a dead letter.
type dead struct {
	Shard  int    `json:"shard"`
	Reason string `json:"reason"`
	Worker string `json:"worker"`
}

// presence is the sign of life of a worker.
type presence struct {
	Worker string         `json:"worker"`
	Jobs   int            `json:"jobs"`
	Busy   map[string]int `json:"busy"` // shards in work by plan
	// Full says that the broker had no room for the results of its last task.
	Full bool `json:"full,omitempty"`
}

func workSubjects(plan string) string   { return "dcopt.work." + plan + ".>" }
func resultSubjects(plan string) string { return "dcopt.result." + plan + ".>" }
func deadSubjects(plan string) string   { return "dcopt.dead." + plan + ".>" }
func cancelSubject(plan string) string  { return "dcopt.cancel." + plan }
func stopSubject(plan string) string    { return "dcopt.stop." + plan }

const presenceSubject = "dcopt.worker"

// store are the streams and buckets of a broker.
type store struct {
	js           jetstream.JetStream
	work, result jetstream.Stream
	plans, large jetstream.ObjectStore
	wait         time.Duration // AckWait of the workers
}

// openStore opens the streams and buckets, and makes those that are not there.
func openStore(ctx context.Context, nc *nats.Conn, wait time.Duration) (*store, error) {
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(256))
	if err != nil {
		return nil, err
	}
	s := &store{js: js, wait: wait}
	if s.work, err = stream(ctx, js, jetstream.StreamConfig{
		Name: workStream, Subjects: []string{"dcopt.work.>"}, Retention: jetstream.WorkQueuePolicy,
		Storage:    jetstream.FileStorage,
		MaxMsgSize: mostMessage, Duplicates: 10 * time.Minute,
	}); err != nil {
		return nil, err
	}
	if s.result, err = stream(ctx, js, jetstream.StreamConfig{
		Name: resultStream, Subjects: []string{"dcopt.result.>", "dcopt.dead.>"}, Storage: jetstream.FileStorage,
		MaxMsgSize:        mostMessage,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, Duplicates: 10 * time.Minute,
	}); err != nil {
		return nil, err
	}
	for name, bucket := range map[string]*jetstream.ObjectStore{plans: &s.plans, large: &s.large} {
		*bucket, err = js.ObjectStore(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
			*bucket, err = js.CreateObjectStore(ctx,
				jetstream.ObjectStoreConfig{Bucket: name, Storage: jetstream.FileStorage})
		}
		if errors.Is(err, jetstream.ErrBucketExists) { // with other settings, since the look
			*bucket, err = js.ObjectStore(ctx, name)
		}
		if err != nil {
			return nil, err
		}
	}
	_, err = s.consumer(ctx)
	return s, err
}

// stream opens a stream, and makes it where there is none. Several may do so at once: to make a
// stream that is there with the same settings is to open it. Nothing is updated: the server reads
// the settings of all streams, without a lock on them, whenever one is made.
func stream(ctx context.Context, js jetstream.JetStream, conf jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := js.Stream(ctx, conf.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = js.CreateStream(ctx, conf)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // with other settings, since the look
		s, err = js.Stream(ctx, conf.Name)
	}
	return s, err
}

// consumer of all workers.
func (s *store) consumer(ctx context.Context) (jetstream.Consumer, error) {
	c, err := s.js.Consumer(ctx, workStream, consumer)
	if err == nil && c.CachedInfo().Config.AckWait == s.wait {
		return c, nil
	}
	return s.js.CreateOrUpdateConsumer(ctx, workStream, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.wait, MaxDeliver: -1, MaxAckPending: -1,
	})
}

// tooLargeError says that an object is larger than any plan or result.
type tooLargeError struct {
	name string
	most int
}

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the object %q at the broker has more than %d bytes", e.name, e.most)
}

// mostObject bounds an object, which is a plan or the results of one shard.
const mostObject = plan.MostBytes

// object is the content of an object of a broker. Its size is not believed.
func object(ctx context.Context, from jetstream.ObjectStore, name string, most int) ([]byte, error) {
	o, err := from.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	b, err := io.ReadAll(io.LimitReader(o, int64(most)+1))
	if err == nil && len(b) > most {
		return nil, &tooLargeError{name, most}
	}
	return b, err
}

// patiently calls f until it succeeds, ctx ends, or it fails in a way that another attempt
// does not mend. A broker that is being started again is waited for.
func patiently(ctx context.Context, f func(ctx context.Context) error) error {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		attempt, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := f(attempt)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isFull(err):
			return errFull
		case final(err):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// errFull says that the broker cannot store messages.
var errFull = errors.New("the broker has no room: the disk of its store is full, or its limit is reached; make room " +
	"and start the broker again")

// isFull reports whether a broker has no room: insufficient resources, insufficient storage
// resources, a message that could not be stored.
func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == 10023 || api.ErrorCode == 10047 || api.ErrorCode == 10077)
}

// final reports whether an error stays where an attempt is repeated.
func final(err error) bool {
	var api *jetstream.APIError
	var large *tooLargeError
	switch {
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrAuthorization),
		errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrMaxPayload):
		return true
	case errors.Is(err, jetstream.ErrObjectNotFound), errors.As(err, &large):
		return true
	case errors.As(err, &api):
		return api.Code >= 400 && api.Code < 500 && api.ErrorCode != jetstream.JSErrCodeConsumerNotFound &&
			api.ErrorCode != jetstream.JSErrCodeStreamNotFound
	}
	return false
}

// publish publishes a message once: a duplicate, which the broker refuses, is none.
func (s *store) publish(ctx context.Context, msg *nats.Msg, id string) error {
	return patiently(ctx, func(ctx context.Context) error {
		_, err := s.js.PublishMsg(ctx, msg, jetstream.WithMsgID(id))
		if err != nil && strings.Contains(err.Error(), "maximum messages per subject") {
			return nil
		}
		return err
	})
}

// publishTask publishes a task.
func (s *store) publishTask(ctx context.Context, t *task) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return s.publish(ctx, &nats.Msg{Subject: t.subject(), Data: b}, t.id("work"))
}
