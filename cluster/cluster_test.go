package cluster_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cluster"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/shards"
	"github.com/dcopt/dcopt/plan"
)

// lines is a problem of a few variables, solved in a millisecond.
const lines = `param a = 0
var x[4] in [-2, 3]  start normal(0, 1)
minimize norm1(x) - 0.1*sumsq(x - 1) + a*x[1]
option starts = 1
`

// sweep is a plan of so many shards.
func sweep(t *testing.T, shards int) *plan.Plan {
	t.Helper()
	values := make([]string, shards)
	for i := range values {
		b, _ := json.Marshal(float64(i) / float64(shards))
		values[i] = string(b)
	}
	p, err := plan.OfProblem(t.Context(), plan.Problem{Name: "lines.dc", Params: []string{"a"}, Grid: [][]string{values}}, []byte(lines), "", false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// broker starts one on this machine.
func broker(t *testing.T, b cluster.Broker) cluster.Client {
	t.Helper()
	if b.Listen == "" {
		b.Listen = "127.0.0.1:0"
	}
	b.Store = t.TempDir()
	s, err := cluster.Serve(b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return cluster.Client{URL: s.URL(), Wait: 10 * time.Second}
}

// work starts a worker, and ends it with the test.
func work(t *testing.T, w cluster.Worker) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- cluster.Work(ctx, w) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a worker: %v", err)
		}
	})
}

// same fails unless the folder holds the results of one process, bit for bit, once each.
func same(t *testing.T, p *plan.Plan, dir string, without ...int) {
	t.Helper()
	j, err := plan.Join(p, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(j.Missing, without) || len(j.Damaged) > 0 {
		t.Fatalf("missing %v, want %v; damaged %v", j.Missing, without, j.Damaged)
	}
	r := plan.NewRunner(p, "")
	for _, got := range j.Results {
		want, err := r.Run(t.Context(), got.Shard)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := got.Encode()
		b, _ := want.Encode()
		if string(a) != string(b) {
			t.Fatalf("shard %d:\n%s\nwant\n%s", got.Shard, a, b)
		}
	}
}

// TestRun: a fleet of two workers computes a sweep; a second run of it has nothing to do, and
// the progress says all of it.
func TestRun(t *testing.T) {
	c := broker(t, cluster.Broker{})
	work(t, cluster.Worker{Client: c, Jobs: 2})
	work(t, cluster.Worker{Client: c, Jobs: 1})
	p, dir := sweep(t, 90), t.TempDir()
	var last cluster.Progress
	out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir, Progress: func(now cluster.Progress) { last = now }})
	if err != nil || out.Done != 90 || len(out.Dead) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	same(t, p, dir)
	if last.Done != 90 || last.Shards != 90 || last.Best == nil || last.Left != nil || !strings.Contains(last.String(), "90 of 90 done") {
		t.Errorf("%+v: %v", last, last)
	}
	if out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir}); err != nil || out.Done != 90 {
		t.Errorf("again: %+v, %v", out, err)
	}
	// Some results are lost: those alone are computed again, under subjects of their own.
	if err := os.Remove(anyFile(t, dir)); err != nil {
		t.Fatal(err)
	}
	if out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir}); err != nil || out.Done != 90 {
		t.Errorf("with a file less: %+v, %v", out, err)
	}
	same(t, p, dir)
}

// anyFile is a file with results.
func anyFile(t *testing.T, dir string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "[bs]*-*.json"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no results: %v", err)
	}
	return list[0]
}

// fitPlan is the plan of a fit over five files, and the model that one process makes of them.
func fitPlan(t *testing.T, bags int) (*plan.Plan, string) {
	t.Helper()
	data := t.TempDir()
	var paths []string
	for k := range 5 {
		var text strings.Builder
		text.WriteString("a,b,y\n")
		for i := range 60 {
			a, b := math.Sin(float64(97*k+i))*4, math.Cos(float64(7*i+k))
			fmt.Fprintf(&text, "%.17g,%.17g,%.17g\n", a, b, math.Abs(a)-b+.05*math.Sin(float64(i*i)))
		}
		at := filepath.Join(data, fmt.Sprintf("part-%d.csv", k))
		if err := os.WriteFile(at, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, at)
	}
	set := lder.MethodSettings(lder.Refit)
	p, err := plan.OfFit(t.Context(), plan.Fit{Target: "y", Training: plan.TrainingOf(set, ""), Bags: bags}, paths)
	if err != nil {
		t.Fatal(err)
	}
	r := lder.NewRegressor(set)
	r.Target = "y"
	if _, err := shards.Fit(t.Context(), r, &shards.Files{Paths: paths}, shards.Options{Bags: bags}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return p, b.String()
}

// sameModel fails unless the folder holds the rounds of a fit that end in a model.
func sameModel(t *testing.T, p *plan.Plan, dir, want string) {
	t.Helper()
	got, err := p.Rounds(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := got.Model.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("the models differ:\n%s\n%s", &b, want)
	}
}

// TestFit: a fleet goes through the rounds of a fit; a worker that is lost and a run that was
// stopped change nothing; a part that cannot be read is dead with its reason.
func TestFit(t *testing.T) {
	p, want := fitPlan(t, 0)
	c := broker(t, cluster.Broker{})
	work(t, cluster.Worker{Client: c, Jobs: 1})
	work(t, cluster.Worker{Client: c, Jobs: 2})
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	out, err := cluster.Run(ctx, p, cluster.Options{Client: c, Dir: dir, Progress: func(now cluster.Progress) {
		if now.Round == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v, %v", out, err)
	}
	var last cluster.Progress
	out, err = cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir, Progress: func(now cluster.Progress) { last = now }})
	if err != nil || out.Done != 5 || last.Kind != "fit" || last.Plan != p.ID() || !strings.Contains(last.String(), "round ") {
		t.Fatalf("%+v, %v, %v", out, err, last)
	}
	sameModel(t, p, dir, want)
	if err := os.Remove(filepath.FromSlash(p.Files[2].Path)); err != nil {
		t.Fatal(err)
	}
	out, err = cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: t.TempDir()})
	if err != nil || len(out.Dead) != 1 || out.Dead[0].Shard != 2 || !strings.Contains(out.Dead[0].Reason, "part-2.csv") {
		t.Errorf("a part is gone: %+v, %v", out, err)
	}
}

// TestFailures: shards that panic, fail, or have results that are too large are dead letters after
// five attempts each, with the reason; one that fails twice, and results beyond a
// message, are not; the others go on.
func TestFailures(t *testing.T) {
	c := broker(t, cluster.Broker{})
	var tries [12]atomic.Int32
	big := strings.Repeat("x", 3<<19)
	work(t, cluster.Worker{Client: c, Jobs: 3, MostResult: 2 << 20, Compute: func(ctx context.Context, r *plan.Runner, i int) (*plan.Result, error) {
		n := tries[i].Add(1)
		res, err := r.Run(ctx, i)
		switch {
		case i == 3:
			panic("the sky falls")
		case i == 5, i == 6 && n <= 2:
			return nil, errors.New("no luck")
		case i == 7:
			res.Solved.Message = big
		case i == 8:
			res.Solved.Message = strings.Repeat("x", 2<<20)
		}
		return res, err
	}})
	p, dir := sweep(t, 12), t.TempDir()
	out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir})
	if err != nil || out.Done != 9 || len(out.Dead) != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	want := map[int]string{3: "the sky falls", 5: "no luck", 8: "at most"}
	for _, d := range out.Dead {
		if !strings.Contains(d.Reason, want[d.Shard]) || want[d.Shard] == "" || d.Worker == "" || tries[d.Shard].Load() != cluster.MostFailures {
			t.Errorf("%+v after %d attempts", d, tries[d.Shard].Load())
		}
	}
	j, err := plan.Join(p, []string{dir})
	if err != nil || !slices.Equal(j.Missing, []int{3, 5, 8}) {
		t.Fatalf("%v, %v", j.Missing, err)
	}
	if got := j.Results[slices.IndexFunc(j.Results, func(r *plan.Result) bool { return r.Shard == 7 })]; got.Solved.Message != big {
		t.Errorf("a large result has %d bytes of message", len(got.Solved.Message))
	}
	// Another run tries the dead ones again.
	if out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir}); err != nil || len(out.Dead) != 3 || tries[3].Load() != 2*cluster.MostFailures {
		t.Errorf("again: %+v, %v, %d attempts", out, err, tries[3].Load())
	}
}

// TestFull: a broker without room ends the run with a message that says so; the results so far
// stay.
func TestFull(t *testing.T) {
	c := broker(t, cluster.Broker{MostStore: 40_000})
	work(t, cluster.Worker{Client: c, Jobs: 1})
	p, dir := sweep(t, 400), t.TempDir()
	out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "the broker has no room") {
		t.Fatalf("%+v, %v", out, err)
	}
	roomy := broker(t, cluster.Broker{})
	work(t, cluster.Worker{Client: roomy, Jobs: 1})
	if out, err := cluster.Run(t.Context(), p, cluster.Options{Client: roomy, Dir: dir}); err != nil || out.Done != 400 {
		t.Errorf("with room: %+v, %v", out, err)
	}
	same(t, p, dir)
}

// TestStop: another process ends a run; workers leave their shards, and the run goes on from
// there later.
func TestStop(t *testing.T) {
	c := broker(t, cluster.Broker{})
	p, dir := sweep(t, 8), t.TempDir()
	var slow atomic.Bool
	slow.Store(true)
	begun := make(chan bool, 8)
	work(t, cluster.Worker{Client: c, Jobs: 2, Compute: func(ctx context.Context, r *plan.Runner, i int) (*plan.Result, error) {
		if i > 1 && slow.Load() {
			begun <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return r.Run(ctx, i)
	}})
	two := make(chan bool)
	var once sync.Once
	go func() {
		<-begun
		<-begun
		<-two
		if err := cluster.Stop(context.Background(), c, p.ID()); err != nil {
			t.Errorf("stop: %v", err)
		}
	}()
	seen := func(now cluster.Progress) {
		if now.Done == 2 {
			once.Do(func() { close(two) })
		}
	}
	if out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir, Progress: seen}); !errors.Is(err, cluster.ErrStopped) || out.Done != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	if err := cluster.Stop(t.Context(), c, p.ID()); err == nil || !strings.Contains(err.Error(), "no run of plan") {
		t.Errorf("stop of no run: %v", err)
	}
	slow.Store(false)
	if out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir}); err != nil || out.Done != 8 {
		t.Errorf("%+v, %v", out, err)
	}
	same(t, p, dir)
}

// TestFolderGone: results that cannot be written end a run with a message.
func TestFolderGone(t *testing.T) {
	c := broker(t, cluster.Broker{})
	p, dir := sweep(t, 40), filepath.Join(t.TempDir(), "r")
	var gone atomic.Bool
	work(t, cluster.Worker{Client: c, Jobs: 1, Compute: func(ctx context.Context, r *plan.Runner, i int) (*plan.Result, error) {
		if !gone.Swap(true) {
			os.RemoveAll(dir)
		}
		return r.Run(ctx, i)
	}})
	if _, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir}); err == nil || !strings.Contains(err.Error(), "cannot write") {
		t.Errorf("%v", err)
	}
}

// certificate is one for 127.0.0.1 that signs itself, with its key, in files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, text, text, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	pkcs, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestSecurity: off this machine nothing goes without TLS and credentials, and wrong ones are
// refused at once, with the reason.
func TestSecurity(t *testing.T) {
	cert, key := certificate(t)
	users := []string{"a:secret", "b:other"}
	for _, b := range []cluster.Broker{
		{Listen: "0.0.0.0:0"}, {Listen: ":0"}, {Listen: "0.0.0.0:0", Credentials: users}, {Listen: "0.0.0.0:0", Cert: cert, Key: key},
		{Listen: "broker.example:4222", Credentials: users},
	} {
		b.Store = t.TempDir()
		if s, err := cluster.Serve(b); err == nil || !strings.Contains(err.Error(), "needs TLS and credentials") {
			t.Errorf("%+v: %v", b, err)
			if s != nil {
				s.Close()
			}
		}
	}
	for _, b := range []cluster.Broker{{Listen: "127.0.0.1"}, {Listen: "127.0.0.1:x"}, {Listen: "127.0.0.1:0", Cert: cert}, {Listen: "127.0.0.1:0", Cert: key, Key: cert}, {Listen: "127.0.0.1:0", Credentials: []string{"a"}}} {
		b.Store = t.TempDir()
		if _, err := cluster.Serve(b); err == nil {
			t.Errorf("%+v is taken", b)
		}
	}
	c := broker(t, cluster.Broker{Listen: "0.0.0.0:0", Cert: cert, Key: key, Credentials: users})
	_, port, err := net.SplitHostPort(c.URL[strings.LastIndex(c.URL, "/")+1:])
	if err != nil {
		t.Fatal(err)
	}
	c.URL, c.CA, c.Credentials = "tls://127.0.0.1:"+port, cert, "b:other"
	work(t, cluster.Worker{Client: c, Jobs: 1})
	p, dir := sweep(t, 5), t.TempDir()
	if out, err := cluster.Run(t.Context(), p, cluster.Options{Client: c, Dir: dir}); err != nil || out.Done != 5 {
		t.Fatalf("by TLS: %+v, %v", out, err)
	}
	for want, change := range map[string]func(*cluster.Client){
		"refuses the credentials":  func(c *cluster.Client) { c.Credentials = "a:wrong" },
		"refuses the credentials ": func(c *cluster.Client) { c.Credentials = "" },
		"certificate":              func(c *cluster.Client) { c.CA = "" },
		"no connection":            func(c *cluster.Client) { c.URL = "nats://127.0.0.1:" + port },
		"need TLS":                 func(c *cluster.Client) { c.URL = "nats://broker.example:4222" },
		"need credentials":         func(c *cluster.Client) { c.URL, c.Credentials = "tls://broker.example:4222", "" },
		"begins with nats://":      func(c *cluster.Client) { c.URL = "http://127.0.0.1:1" },
		"no address":               func(c *cluster.Client) { c.URL = "broker" },
		"do not stand":             func(c *cluster.Client) { c.URL = "nats://a:b@127.0.0.1:1" },
		"too short":                func(c *cluster.Client) { c.AckWait = 1 },
		"no broker answers": func(c *cluster.Client) {
			c.URL, c.Wait = "nats://127.0.0.1:1", time.Millisecond
		},
	} {
		bad := c
		change(&bad)
		_, err := cluster.Run(t.Context(), p, cluster.Options{Client: bad, Dir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s: %v", want, err)
		}
		if err := cluster.Work(t.Context(), cluster.Worker{Client: bad, Jobs: 1}); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("worker, %s: %v", want, err)
		}
	}
}

// TestCredentials reads files of them.
func TestCredentials(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	for text, want := range map[string]string{"# people\n a:b \n\nc:d:e\n": "a:b c:d:e", "a\n": "", "a:\n": "", "": "", "#\n": ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := cluster.ReadCredentials(path)
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// TestPage serves the progress to this machine alone.
func TestPage(t *testing.T) {
	for _, bad := range []string{"0.0.0.0:0", ":8080", "127.0.0.1"} {
		if _, err := cluster.OpenPage(bad); err == nil {
			t.Errorf("a page at %s", bad)
		}
	}
	page, err := cluster.OpenPage("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	best := -1.5
	page.Show(cluster.Progress{Plan: "p", Shards: 7, Done: 3, Best: &best})
	get := func(path string) (int, string) {
		resp, err := http.Get(page.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	var now cluster.Progress
	if code, text := get("progress"); code != 200 || json.Unmarshal([]byte(text), &now) != nil || now.Done != 3 || *now.Best != -1.5 {
		t.Errorf("%d %s", code, text)
	}
	if code, text := get(""); code != 200 || !strings.Contains(text, "<progress") {
		t.Errorf("%d %.60s", code, text)
	}
	if code, _ := get("other"); code != 404 {
		t.Errorf("another page: %d", code)
	}
}

// freePort is a place to listen that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
