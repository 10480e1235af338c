package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/bench/internal/wire"
	"github.com/dcopt/dcopt/internal/garbage"
	"github.com/dcopt/dcopt/qpbackend"
)

// Serve answers requests from r until it ends. Version is told once.
func Serve(r io.Reader, w io.Writer, b qpbackend.Backend, version string) error {
	out := json.NewEncoder(w)
	if err := out.Encode(wire.Line{Hello: b.Name(), Version: version}); err != nil {
		return err
	}
	s := session{backend: b, out: out}
	in := bufio.NewScanner(r)
	for in.Scan() {
		var req wire.Request
		if err := json.Unmarshal(in.Bytes(), &req); err != nil {
			return fmt.Errorf("worker: request %q: %w", in.Text(), err)
		}
		answer, err := s.answer(req)
		if err != nil {
			return err
		}
		if err := out.Encode(wire.Line{Answer: answer}); err != nil {
			return err
		}
	}
	return in.Err()
}

// session is the state kept from one request to the next.
type session struct {
	backend qpbackend.Backend
	out     *json.Encoder
	solver  qpbackend.Solver // of the last request
	res     qpbackend.Result
}

// answer solves the problem of a request, and minds garbage as the program dcopt does. Its error
// says that the protocol broke.
func (s *session) answer(req wire.Request) (wire.Answer, error) {
	p, err := wire.ReadProblem(req.Problem)
	if err != nil {
		return wire.Answer{}, err
	}
	if req.Mode != wire.Fresh && s.solver == nil {
		return wire.Answer{Status: "refused", Message: "there is no solver to update"}, nil
	}
	defer garbage.Mind(garbage.Numbers(p))()
	var least wire.Answer
	spent := 0.0
	for k := 0; k < req.Repeat && spent <= wire.Long; k++ {
		if req.Mode == wire.Fresh {
			s.close()
		}
		runtime.GC() // garbage from before is not this run's
		if err := s.out.Encode(wire.Line{Begin: true}); err != nil {
			return wire.Answer{}, err
		}
		wall, cpu := time.Now(), clock.CPU()
		err := s.prepare(p, req)
		setup := clock.CPU() - cpu
		if err == nil {
			err = s.solve(req)
		}
		if err != nil {
			s.close()
			return wire.Answer{Status: "refused", Message: err.Error()}, nil
		}
		w, c := time.Since(wall).Seconds(), clock.CPU()-cpu
		spent += w
		if k == 0 {
			least.Wall, least.CPU, least.Setup = w, c, setup
		}
		least.Wall, least.CPU, least.Setup = min(least.Wall, w), min(least.CPU, c), min(least.Setup, setup)
	}
	least.Status, least.Iterations, least.Message = s.res.Status.String(), s.res.Iterations, s.res.Message
	return least, wire.WriteAnswer(req.Answer, p, fit(s.res.X, len(p.Q)), fit(s.res.Y, len(p.L)),
		fit(s.res.Z, len(p.Q)))
}

// prepare makes the solver or gives it new values.
func (s *session) prepare(p *qpbackend.Problem, req wire.Request) (err error) {
	if req.Mode == wire.Fresh {
		set := s.backend.DefaultSettings()
		if req.Tol > 0 {
			set.Tol = req.Tol
		}
		s.solver, err = s.backend.New(context.Background(), p, set)
		return err
	}
	if req.Mode == wire.Warm {
		err = s.solver.WarmStart(s.res.X, s.res.Y, s.res.Z)
	}
	return errors.Join(err, s.solver.Update(qpbackend.Update{Q: p.Q, Lo: p.Lo, Hi: p.Hi, L: p.L, U: p.U, P: p.P.Val,
		A: p.A.Val}))
}

func (s *session) solve(req wire.Request) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(req.Limit*float64(time.Second)))
	defer cancel()
	err := s.solver.Solve(ctx, &s.res)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil // the status says it
	}
	return err
}

func (s *session) close() {
	if s.solver != nil {
		s.solver.Close()
		s.solver = nil
	}
}

// fit returns v if it has length n, else zeros: a status without a point.
func fit(v []float64, n int) []float64 {
	if len(v) != n {
		return make([]float64, n)
	}
	return v
}
