package study_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/study"
	"github.com/dcopt/dcopt/internal/shared"
)

// TestFetch: an interrupted download goes on, a damaged file is fetched anew, a
// wrong one refused, and nothing is asked for twice.
func TestFetch(t *testing.T) {
	source := shared.Path(t, "data", "pmlb")
	asked, limit, wrong := 0, 5, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		parts := strings.Split(r.URL.Path, "/") // /base/set/set.tsv.gz
		data, err := os.ReadFile(filepath.Join(source, parts[3]))
		if asked > limit || err != nil || parts[3] != parts[2]+".tsv.gz" {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		if parts[2] == wrong {
			data[20] ^= 1
		}
		w.Write(data)
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "new", "cache")
	fetch := func() error { return study.Fetch(context.Background(), server.URL+"/base", dir, nil) }
	if err := fetch(); err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a server that gives up: %v", err)
	}
	asked, limit = 0, 100
	if err := fetch(); err != nil || asked != 12 {
		t.Errorf("asked for %d of the 12 others, %v", asked, err)
	}
	asked = 0
	if err := os.WriteFile(filepath.Join(dir, "561_cpu.tsv.gz"), []byte("half a file"), 0o666); err != nil {
		t.Fatal(err)
	}
	wrong = "561_cpu"
	if err := fetch(); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("another file: %v", err)
	}
	wrong = ""
	if err := fetch(); err != nil || asked != 2 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	server.Close()
	if err := fetch(); err != nil {
		t.Errorf("without a server: %v", err)
	}
	sets, err := study.ReadSets(dir, 5, 1)
	if err != nil || len(sets) != 17 || sets[0].Name != "485_analcatdata_vehicle" {
		t.Errorf("%d sets, %v", len(sets), err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 17 {
		t.Errorf("%d files are left", len(files))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := study.Fetch(ctx, server.URL, t.TempDir(), nil); err == nil {
		t.Error("a cancelled context is no error")
	}
}
