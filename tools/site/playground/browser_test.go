//go:build !race

package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/dcopt/dcopt/internal/need"
)

const root = "../../.."

// built is the playground, made once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return "", err
	}
	return dir, Build(context.Background(), root, dir)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func folder(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSize holds the engine to its budget.
func TestSize(t *testing.T) {
	info, err := os.Stat(filepath.Join(folder(t), "dcopt.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > MostBytes {
		t.Errorf("the engine has %d bytes, at most %d may be", info.Size(), MostBytes)
	}
	t.Logf("%d bytes", info.Size())
	doc, err := os.ReadFile(filepath.Join(root, "docs", "playground.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := "go build"
	for _, f := range flags {
		if name, value, ok := strings.Cut(f, "="); ok && strings.Contains(value, " ") {
			f = fmt.Sprintf("%s=%q", name, value)
		}
		command += " " + f
	}
	if !strings.Contains(string(doc), command) {
		t.Errorf("docs/playground.md has not the command %s", command)
	}
}

// browser is one for all tabs of a test.
type browser struct{ ctx context.Context }

// start begins a browser with a profile of its own.
func start(t *testing.T) *browser {
	t.Helper()
	program := need.Program(t, need.Chromium)
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(profile) }) // the browser may still write there
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
		chromedp.Flag("disable-background-networking", true), chromedp.NoFirstRun, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(3*time.Minute)) // of a machine under load
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log(err)
		}
		end()
	})
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return &browser{ctx}
}

// tab is the page, open; it notes complaints and foreign requests.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// open opens the page in a tab, in a window of that width, behind scripts that run first. Each tab
// has a server of its own, which is another origin: it shares no storage and no service worker with
// a tab before.
func (b *browser) open(t *testing.T, fragment string, width int64, before ...chromedp.Action) *tab {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(folder(t))))
	t.Cleanup(server.Close)
	url := server.URL + "/"
	ctx, end := chromedp.NewContext(b.ctx)
	t.Cleanup(end)
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(stop)
	p := &tab{T: t, ctx: ctx}
	note := func(format string, args ...any) {
		p.mu.Lock()
		p.problems = append(p.problems, fmt.Sprintf(format, args...))
		p.mu.Unlock()
	}
	chromedp.ListenTarget(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			note("exception: %s", ev.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if ev.Type == runtime.APITypeError || ev.Type == runtime.APITypeWarning {
				note("console: %s", ev.Args[0].Value)
			}
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, url) && !strings.HasPrefix(u, "blob:"+url) && !strings.HasPrefix(u, "data:") {
				note("a request leaves the page: %s", u)
			}
		case *network.EventResponseReceived:
			if ev.Response.Status >= 400 {
				note("%d: %s", ev.Response.Status, ev.Response.URL)
			}
		}
	})
	p.do(network.Enable(), emulation.SetDeviceMetricsOverride(width, 844, 1, width < 500))
	p.do(before...)
	p.do(chromedp.Navigate(url + fragment))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, problem := range p.problems {
			t.Error(problem)
		}
	})
	return p
}

func (p *tab) do(actions ...chromedp.Action) {
	p.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// js is the value of an expression, which may be a promise.
func js[T any](p *tab, expression string) (v T) {
	p.Helper()
	p.do(chromedp.Evaluate(expression, &v, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
	return v
}

// until waits for an expression to be true.
func (p *tab) until(expression string) {
	p.Helper()
	ctx, stop := context.WithTimeout(p.ctx, 5*time.Minute)
	defer stop()
	for !js[bool](p, expression) {
		select {
		case <-ctx.Done():
			p.Fatalf("%s did not become true; the page says %q, %q", expression, p.text("state"), p.text("message"))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (p *tab) text(id string) string {
	p.Helper()
	return js[string](p, fmt.Sprintf("document.getElementById(%q).textContent", id))
}

// press clicks an element. Where the page moved it meanwhile, as what is above it came or went, the
// click is repeated, as a person would.
func (p *tab) press(selector string) {
	p.Helper()
	raw, _ := json.Marshal(selector)
	p.do(chromedp.WaitEnabled(selector))
	for pressed := false; !pressed; {
		p.do(chromedp.Evaluate(`window.pressed = false; document.querySelector(`+string(raw)+`).addEventListener("click", () => { window.pressed = true; }, { once: true, capture: true })`, nil),
			chromedp.Click(selector), chromedp.Evaluate("window.pressed", &pressed))
		if !pressed {
			p.Logf("%s moved as it was clicked", selector)
		}
	}
}

func (p *tab) ready() {
	p.Helper()
	p.until("document.getElementById('state').textContent === 'ready'")
}

// write replaces the text as typing does.
func (p *tab) write(text string) {
	p.Helper()
	raw, _ := json.Marshal(text)
	p.do(chromedp.Evaluate(`(() => { const t = document.getElementById("text"); t.value = `+string(raw)+`; t.dispatchEvent(new Event("input")); })()`, nil))
}

// shows waits until an element has a text.
func (p *tab) shows(id, part string) {
	p.Helper()
	raw, _ := json.Marshal(part)
	p.until(fmt.Sprintf("document.getElementById(%q).textContent.includes(%s)", id, raw))
}

// command is the program of the repository.
var command = sync.OnceValues(func() (string, error) {
	dir, err := built()
	if err != nil {
		return "", err
	}
	return need.Dcopt(root, dir)
})

// answer is what solve --json prints, and what the page saves.
type answer struct {
	Status       string
	Objective    float64
	MaxViolation float64 `json:"max_violation"`
	Feasible     bool
	Iterations   int
	Variables    map[string]json.RawMessage
	Members      []string
}

func (a *answer) UnmarshalJSON(text []byte) error {
	type plain answer
	if err := json.Unmarshal(text, (*plain)(a)); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	depth := 0
	for name := true; ; {
		token, err := dec.Token()
		if err != nil {
			break
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			continue
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth == 1 {
				name = true
			}
			continue
		}
		if depth == 1 {
			if name {
				a.Members = append(a.Members, token.(string))
			}
			name = !name
		}
	}
	return nil
}

// same are the examples whose objectives agree in the ten digits that the command prints. The
// engine in the browser has no kernels in assembler, which fuse multiplications with additions: of
// low_rank and sparse_recovery, which end where the objective changes by less than the tolerance of
// 1e-6, other rounding errors choose another iteration.
var same = []string{"quickstart", "circle_packing", "control", "boolean_box_ls", "l1_l2", "ramp_svm", "dma_fit", "sparse_lder"}

// solvedToo are the problems of the gallery that are solved in the page: the quick ones. All
// are checked there.
var solvedToo = []string{"gallery/max_cut", "gallery/sparse_recovery", "gallery/trust_region"}

// near is the relative difference of objectives that is accepted of the others.
const near = 1e-5

// TestExamples: no example has mistakes in the page, and all but slow ones of the gallery are
// solved there and by the command.
func TestExamples(t *testing.T) {
	p := start(t).open(t, "", 1280)
	program, err := command()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := Problems(context.Background(), root)
	if err != nil || len(problems) < 10 {
		t.Fatalf("%d examples, %v", len(problems), err)
	}
	p.ready()
	for _, e := range problems {
		p.do(chromedp.SetValue("#examples", e.Name), chromedp.Evaluate(`document.getElementById("examples").dispatchEvent(new Event("change"))`, nil))
		raw, _ := json.Marshal(e.Text)
		p.until(`window.playground.text() === ` + string(raw) + ` && window.playground.checked() === ` + string(raw))
		if wrong := p.text("diagnostics"); wrong != "" && !strings.Contains(wrong, "warning") {
			t.Errorf("%s: %s", e.Name, wrong)
		}
		if strings.HasPrefix(e.Name, "gallery/") && !slices.Contains(solvedToo, e.Name) {
			continue
		}
		want := solved(t, program, filepath.Join(root, "examples", e.Name+".dc"))
		p.until(`document.getElementById("split").textContent.includes("How the procedure sees")`)
		p.press("#solve")
		p.until(`document.getElementById("solve").disabled === false`)
		var got answer
		if err := json.Unmarshal([]byte(js[string](p, "window.playground.answer()")), &got); err != nil {
			t.Errorf("%s: %v; the page says %q, %q", e.Name, err, p.text("state"), p.text("message"))
			continue
		}
		t.Logf("%s: %.10g (%.10g) after %d (%d) iterations", e.Name, got.Objective, want.Objective, got.Iterations, want.Iterations)
		agrees := math.Abs(got.Objective-want.Objective) <= near*math.Abs(want.Objective)
		if slices.Contains(same, e.Name) {
			agrees = fmt.Sprintf("%.10g", got.Objective) == fmt.Sprintf("%.10g", want.Objective)
		}
		if got.Status != want.Status || got.Feasible != want.Feasible || !agrees {
			t.Errorf("%s: the page has %s, %.12g, the command %s, %.12g", e.Name, got.Status, got.Objective, want.Status, want.Objective)
		}
		if fmt.Sprint(got.Members) != fmt.Sprint(want.Members) || len(got.Variables) != len(want.Variables) {
			t.Errorf("%s: the page has the members %v, the command %v", e.Name, got.Members, want.Members)
		}
		if n := js[int](p, `document.querySelectorAll("#pictures canvas").length`); n == 0 && e.Name != "quickstart" {
			t.Errorf("%s: no picture", e.Name)
		}
	}
}

// solved is the answer of the command.
func solved(t *testing.T, program, file string) (a answer) {
	t.Helper()
	var stderr bytes.Buffer
	args := []string{"solve", "--json", file}
	if text, err := os.ReadFile(file); err != nil || !bytes.Contains(text, []byte("starts")) {
		args = append(args, "--effort", "quick") // as the page has it
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%s: %v %s", file, err, stderr.String())
	}
	return a
}
