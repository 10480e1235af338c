package cluster

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dcopt/dcopt/plan"
)

// Progress is how far a run is. The page of a run shows it, as JSON.
type Progress struct {
	Plan    string   `json:"plan"`
	Kind    string   `json:"kind"`
	Round   int      `json:"round,omitempty"` // of a fit, from 1
	Shards  int      `json:"shards"`
	Done    int      `json:"done"`
	Dead    int      `json:"dead"`
	Running int      `json:"running"` // shards that workers have in work
	Workers int      `json:"workers"` // that were heard of in the last seconds
	Lost    int      `json:"lost"`    // tasks given out again because their worker was gone
	Best    *float64 `json:"best"`    // objective of the best feasible result; null: none yet
	Shard   int      `json:"best_shard"`
	Elapsed float64  `json:"elapsed"` // seconds
	Left    *float64 `json:"left"`    // seconds, as the shards so far took; null: not known
}

// String is a line for a terminal.
func (p Progress) String() string {
	s := ""
	if p.Round > 0 {
		s = fmt.Sprintf("round %d, ", p.Round)
	}
	s += fmt.Sprintf("%d of %d done, %d running at %d workers", p.Done, p.Shards, p.Running, p.Workers)
	if p.Lost > 0 {
		s += fmt.Sprintf(", %d lost", p.Lost)
	}
	if p.Dead > 0 {
		s += fmt.Sprintf(", %d dead", p.Dead)
	}
	if p.Best != nil {
		s += fmt.Sprintf(", best %.6g", *p.Best)
	}
	if p.Left != nil {
		s += fmt.Sprintf(", %v left", time.Duration(*p.Left*float64(time.Second)).Round(time.Second))
	}
	return s
}

// silence is how long a worker that gives no sign of life counts.
const silence = 4 * time.Second

// watch keeps the progress of a run.
type watch struct {
	mu      sync.Mutex
	is      Progress
	solves  bool // shards have objectives
	maximum bool
	began   time.Time
	before  int // shards that were done when the run began
	told    time.Time
	workers map[string]seen
}

type seen struct {
	at time.Time
	presence
}

func newWatch(p *plan.Plan, id string) *watch {
	return &watch{
		is: Progress{Plan: id, Kind: p.Kind(), Shards: p.Shards}, began: time.Now(), workers: map[string]seen{},
		solves: p.Kind() != "study",
	}
}

// begin says which sense objectives have, before which results are not compared, and where
// the time begins.
func (w *watch) begin(maximum bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if maximum && w.is.Best != nil {
		w.is.Best = nil // of results of an earlier run, the least: the next ones say
	}
	w.maximum, w.began, w.before = maximum, time.Now(), w.is.Done
}

// listen hears the signs of life of workers.
func (w *watch) listen(nc *nats.Conn) error {
	_, err := nc.Subscribe(presenceSubject, func(msg *nats.Msg) {
		var p presence
		if json.Unmarshal(msg.Data, &p) != nil || p.Worker == "" {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.workers[p.Worker] = seen{time.Now(), p}
	})
	return err
}

// result takes note of one.
func (w *watch) result(res *plan.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.is.Done++
	if res.Solved == nil || res.Solved.Feasible == nil || !*res.Solved.Feasible {
		return
	}
	v := float64(res.Solved.Objective)
	if v-v != 0 {
		return
	}
	if w.is.Best == nil || (v < *w.is.Best) != w.maximum && v != *w.is.Best {
		w.is.Best, w.is.Shard = &v, res.Shard
	}
}

func (w *watch) died()      { w.mu.Lock(); w.is.Dead++; w.mu.Unlock() }
func (w *watch) lost(n int) { w.mu.Lock(); w.is.Lost += n; w.mu.Unlock() }

// jobs is how many tasks the workers compute at a time.
func (w *watch) jobs() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.workers {
		if time.Since(s.at) < silence {
			n += s.Jobs
		}
	}
	return n
}

// full reports whether the broker had no room for the results of a worker.
func (w *watch) full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.workers {
		if s.Full && time.Since(s.at) < silence {
			return true
		}
	}
	return false
}

// now is the progress; due says whether the last one was told long enough ago.
func (w *watch) now(left int) (p Progress, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p = w.is
	for _, s := range w.workers {
		if time.Since(s.at) < silence {
			p.Workers++
			p.Running += s.Busy[p.Plan]
		}
	}
	p.Running = min(p.Running, left)
	elapsed := time.Since(w.began)
	p.Elapsed = elapsed.Seconds()
	if n := p.Done - w.before; n > 0 && left > 0 {
		v := p.Elapsed / float64(n) * float64(left)
		p.Left = &v
	}
	if due = time.Since(w.told) >= 250*time.Millisecond; due {
		w.told = time.Now()
	}
	return p, due
}

// Page shows the progress of a run to browsers on this machine.
type Page struct {
	mu  sync.Mutex
	now Progress
	ln  net.Listener
	srv *http.Server
}

// OpenPage listens at HOST:PORT, a host that is this machine: the page asks for no
// credentials.
func OpenPage(listen string) (*Page, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("%q is no place for a page: want HOST:PORT: %w", listen, err)
	}
	if !isLocal(host) {
		return nil, fmt.Errorf("the page has no credentials and shows itself on this machine alone: want "+
			"127.0.0.1:PORT, not %s; ssh -L brings it to others", listen)
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("no page: %w", err)
	}
	p := &Page{ln: ln}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src "+
			"'unsafe-inline'; connect-src 'self'")
		_, _ = w.Write([]byte(pageText)) // the browser is gone
	})
	mux.HandleFunc("GET /progress", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		b, err := json.Marshal(p.now)
		p.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(b) // the browser is gone
	})
	p.srv = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go p.srv.Serve(ln)
	return p, nil
}

// URL is where the page is.
func (p *Page) URL() string { return "http://" + p.ln.Addr().String() + "/" }

// Show shows a progress.
func (p *Page) Show(now Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = now
}

// Close ends the page.
func (p *Page) Close() { p.srv.Close() }

const pageText = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>dcopt</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em;
  color: #222; background: #fff }
progress { width: 100%; height: 1.2em }
td { padding: .1em 1.5em .1em 0 } td + td { font-variant-numeric: tabular-nums }
#gone { color: #a00 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111 } #gone { color: #f88 } }
</style></head><body>
<h1>Plan <span id="plan"></span></h1>
<progress id="bar" max="1" value="0"></progress>
<table>
<tr id="fit" hidden><td>round</td><td id="round"></td></tr>
<tr><td>done</td><td id="done"></td></tr>
<tr><td>running</td><td id="running"></td></tr>
<tr><td>workers</td><td id="workers"></td></tr>
<tr><td>lost and given out again</td><td id="lost"></td></tr>
<tr><td>dead</td><td id="dead"></td></tr>
<tr><td>best objective</td><td id="best"></td></tr>
<tr><td>time so far</td><td id="elapsed"></td></tr>
<tr><td>time left</td><td id="left"></td></tr>
</table>
<p id="gone" hidden>The run does not answer any more.</p>
<script>
const at = id => document.getElementById(id);
const time = s => s === null ? "unknown" : s < 90 ? s.toFixed(0) + " s" :
  s < 5400 ? (s / 60).toFixed(1) + " min" : (s / 3600).toFixed(1) + " h";
async function look() {
  try {
    const p = await (await fetch("progress")).json();
    at("plan").textContent = p.plan + ", " + p.kind;
    at("bar").value = p.shards ? (p.done + p.dead) / p.shards : 0;
    at("fit").hidden = !p.round;
    at("round").textContent = p.round || "";
    at("done").textContent = p.done + " of " + p.shards;
    for (const id of ["running", "workers", "lost", "dead"]) at(id).textContent = p[id];
    at("best").textContent = p.best === null ? "none yet" : p.best.toPrecision(8) + ", shard " + p.best_shard;
    at("elapsed").textContent = time(p.elapsed);
    at("left").textContent = p.done + p.dead === p.shards ? "none" : time(p.left);
    at("gone").hidden = true;
  } catch { at("gone").hidden = false; }
  setTimeout(look, 1000);
}
look();
</script>
</body></html>
`
