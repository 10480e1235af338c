package serve

import (
	"context"
	"sync"
	"time"

	"github.com/dcopt/dcopt/internal/wire"
)

// key is a handle of a kind.
type key struct {
	kind   string
	handle uint64
}

// The kinds of handles.
const aProblem, aModel, aBatch = "problem", "model", "batch"

// fresh refuses a handle in use.
func (s *server) fresh(k key) {
	if k.handle == 0 || k.handle > wire.MaxID {
		refuseAs(wire.ErrRequest, "the handle of a %s is %d, want a number from 1 to %d", k.kind, k.handle,
			uint64(wire.MaxID))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[k] != nil {
		refuseAs(wire.ErrHandle, "the %s %d is loaded already; free it first", k.kind, k.handle)
	}
}

// keep puts a value under a handle.
func (s *server) keep(k key, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[k] = v
}

// known finds the value of a handle.
func known[T any](s *server, k key) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.held[k].(T)
	if !ok {
		refuseAs(wire.ErrHandle, "there is no %s %d", k.kind, k.handle)
	}
	return v
}

func (s *server) free(_ *job, m *wire.Free) wire.Message {
	var named []key
	for _, h := range []struct {
		kind   string
		handle *uint64
	}{{aProblem, m.Problem}, {aModel, m.Model}, {aBatch, m.Batch}} {
		if h.handle != nil {
			named = append(named, key{h.kind, *h.handle})
		}
	}
	if len(named) != 1 {
		refuseAs(wire.ErrRequest, "free wants problem, model or batch")
	}
	v := known[any](s, named[0])
	p, isProblem := v.(*problem)
	if isProblem {
		p.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, named[0])
	for k, v := range s.held {
		if b, ok := v.(*batch); ok && isProblem && b.p == p {
			delete(s.held, k)
			s.tidy(k)
		}
	}
	return &wire.Ok{}
}

// close ends all problems. No request runs.
func (s *server) close() {
	for _, v := range s.held {
		if p, ok := v.(*problem); ok {
			p.close()
		}
	}
}

// lane is the order of the requests about one handle. Requests in different lanes run side by side.
type lane struct {
	jobs   int                     // that wait or run
	last   <-chan struct{}         // closed when the last of them is done
	parsed wire.Again[*wire.Solve] // of the solve that runs
}

// keys are the handles that a request names.
func keys(p wire.Peeked) []key {
	var out []key
	for _, k := range []key{{aProblem, p.Problem}, {aModel, p.Model}, {aBatch, p.Batch}} {
		if k.handle != 0 {
			out = append(out, k)
		}
	}
	return out
}

// enter puts a request at the end of its lanes. The request may begin when the channels are
// closed, and leaves when it is done.
func (s *server) enter(j *job) (before []<-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running.Add(1)
	for _, k := range j.keys {
		l := s.lanes[k]
		if l == nil {
			l = &lane{}
			s.lanes[k] = l
		}
		if l.last != nil {
			before = append(before, l.last)
		}
		l.jobs, l.last = l.jobs+1, j.done
		j.lanes = append(j.lanes, l)
	}
	return before
}

// leave lets the next request of each lane begin, and forgets lanes of handles that are not in
// use.
func (s *server) leave(j *job) {
	s.mu.Lock()
	for i, k := range j.keys {
		j.lanes[i].jobs--
		s.tidy(k)
	}
	s.mu.Unlock()
	close(j.done)
	s.running.Done()
}

// tidy forgets a lane without requests whose handle is not in use. The caller has s.mu.
func (s *server) tidy(k key) {
	if l := s.lanes[k]; l != nil && l.jobs == 0 && s.held[k] == nil {
		delete(s.lanes, k)
	}
}

// follow reads requests and answers them. The goroutine that has read a request works on it when
// the requests before it in its lanes are done; another goroutine goes on reading meanwhile. If
// the last request was brief, that one begins when this request is not: see patient.
func (s *server) follow() {
	for {
		j, err := s.read()
		if j == nil {
			s.ended <- err
			s.running.Wait()
			s.close()
			close(s.last)
			return
		}
		other := &reader{read: func() { go s.follow() }}
		for _, done := range s.enter(j) {
			select {
			case <-done:
			default:
				other.begin()
				<-done
			}
		}
		if s.brief.Load() && j.size <= small {
			j.ctx = &patient{Context: j.ctx, since: j.begin, other: other}
		} else {
			other.begin()
		}
		s.work(j)
		s.pending.done(j)
		s.brief.Store(time.Since(j.begin) < brief)
		s.leave(j)
		if other.begun() {
			return
		}
	}
}

// brief is the time that a request takes at most which another goroutine need not wait for: waking
// one that reads costs a request of a tenth of it a fifth of its time. The promise is that a cancel
// ends a request within half a second.
const brief = time.Millisecond

// small is the size of a frame up to which a request may be brief: a larger one takes longer to
// parse, and parsing does not look for a cancel. Source: the buffer of the input.
const small = room

// reader is the goroutine that reads on while a request is worked on.
type reader struct {
	once sync.Once
	read func()
}

func (r *reader) begin() { r.once.Do(r.read) }

// begun reports whether it has begun; from now on it cannot.
func (r *reader) begun() bool {
	first := false
	r.once.Do(func() { first = true })
	return !first
}

// patient is the context of a request that may be brief. The next request, which may be a cancel,
// is read from when this one has asked whether it was cancelled and was not brief, or waits for
// that.
type patient struct {
	context.Context
	since time.Time
	other *reader
}

// Err is the error of the context.
func (p *patient) Err() error {
	if time.Since(p.since) > brief {
		p.other.begin()
	}
	return p.Context.Err()
}

// Done is the channel of the context.
func (p *patient) Done() <-chan struct{} {
	p.other.begin()
	return p.Context.Done()
}
