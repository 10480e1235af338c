//go:build js && wasm

package main

import (
	"context"
	"syscall/js"
	"time"

	"github.com/dcopt/dcopt/tools/playground"
)

// yield is the time between two looks at the messages of the page while a solve runs.
// Source: a tenth of the half second within which a stop has to act; a look costs
// about 4 ms, the least delay of timers in browsers.
const yield = 50 * time.Millisecond

// program is the engine with the solve that runs on it.
type program struct {
	engine playground.Engine
	cancel context.CancelFunc // of the solve that runs; nil: none does
}

func main() {
	var p program
	api := js.Global().Get("Object").New()
	for name, f := range map[string]func(args []js.Value) any{
		"put": p.put, "drop": p.drop, "check": p.check, "format": p.format, "solve": p.solve, "stop": p.stop,
	} {
		api.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args) }))
	}
	js.Global().Set("dcopt", api)
	if ready := js.Global().Get("dcoptReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}

// text is an argument that is a string; "" where it is not there.
func text(args []js.Value, k int) string {
	if k < len(args) && args[k].Type() == js.TypeString {
		return args[k].String()
	}
	return ""
}

// put(name, bytes) gives the problem a data file, a Uint8Array.
func (p *program) put(args []js.Value) any {
	if len(args) < 2 || !args[1].InstanceOf(js.Global().Get("Uint8Array")) {
		return false
	}
	data := make([]byte, args[1].Length())
	js.CopyBytesToGo(data, args[1])
	p.engine.Put(text(args, 0), data)
	return true
}

// drop(name) takes a data file away.
func (p *program) drop(args []js.Value) any {
	p.engine.Drop(text(args, 0))
	return true
}

// check(text) returns JSON: diagnostics, summary.
func (p *program) check(args []js.Value) any {
	return string(p.engine.Check(context.Background(), text(args, 0)))
}

// format(text) returns JSON: text or diagnostics.
func (p *program) format(args []js.Value) any {
	return string(playground.Format(text(args, 0)))
}

// solve(text, done, news, request) starts to solve; false: a solve runs already. done gets the
// answer as JSON, news JSON while it solves; request is an object of starts, seed, effort and
// global. The last two may be missing.
func (p *program) solve(args []js.Value) any {
	if p.cancel != nil || len(args) < 2 || args[1].Type() != js.TypeFunction {
		return false
	}
	src, done := text(args, 0), args[1]
	var news func([]byte)
	if len(args) > 2 && args[2].Type() == js.TypeFunction {
		news = func(json []byte) { args[2].Invoke(string(json)) }
	}
	var ask playground.Request
	if len(args) > 3 && args[3].Type() == js.TypeObject {
		ask = request(args[3])
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		answer := p.engine.Solve(playground.Yielding(ctx, yield), src, ask, news)
		cancel()
		p.cancel = nil
		done.Invoke(string(answer))
	}()
	return true
}

// request is an object of a page; members of other types are left out.
func request(o js.Value) (r playground.Request) {
	if v := o.Get("starts"); v.Type() == js.TypeNumber {
		r.Starts = v.Int()
	}
	if v := o.Get("seed"); v.Type() == js.TypeString {
		r.Seed = v.String()
	}
	if v := o.Get("effort"); v.Type() == js.TypeString {
		r.Effort = v.String()
	}
	r.Global = o.Get("global").Truthy()
	return r
}

// stop() ends the solve that runs, with its best point; false: none does.
func (p *program) stop([]js.Value) any {
	if p.cancel == nil {
		return false
	}
	p.cancel()
	return true
}
