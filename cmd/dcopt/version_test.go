package main

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// TestOrigin reads build information as the go command writes it.
func TestOrigin(t *testing.T) {
	settings := func(kv ...string) (out []debug.BuildSetting) {
		for k := 0; k < len(kv); k += 2 {
			out = append(out, debug.BuildSetting{Key: kv[k], Value: kv[k+1]})
		}
		return out
	}
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"(devel)", nil, "unknown commit"},
		{"v1.2.3", nil, "unknown commit"},
		{"v1.2.3", settings("vcs.revision", commit, "vcs.time", "2026-01-02T03:04:05Z", "vcs.modified", "false"), "commit " + commit + " of 2026-01-02T03:04:05Z"},
		{"v1.2.3+dirty", settings("vcs.revision", commit, "vcs.time", "2026-01-02T05:04:05+02:00", "vcs.modified", "true"), "commit " + commit + " of 2026-01-02T03:04:05Z, with changes"},
		{"v0.0.0-20260102030405-0123456789ab", nil, "commit 0123456789ab of 2026-01-02T03:04:05Z"},
		{"v1.2.4-0.20260102030405-0123456789ab", nil, "commit 0123456789ab of 2026-01-02T03:04:05Z"},
		{"v1.2.4-rc.1.0.20260102030405-0123456789ab+dirty", nil, "commit 0123456789ab of 2026-01-02T03:04:05Z"},
		{"v0.0.0-20269902030405-0123456789ab", nil, "unknown commit"},
	} {
		info := &debug.BuildInfo{Settings: c.settings}
		info.Main.Version = c.version
		if got := originOf(info).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.version, got, c.want)
		}
	}
}

func TestVersionCommand(t *testing.T) {
	var text, object, stderr bytes.Buffer
	if code := run(context.Background(), []string{"version"}, nil, &text, &stderr); code != exit.OK || stderr.Len() > 0 {
		t.Fatalf("code %d, %s", code, stderr.String())
	}
	if lines := strings.Split(text.String(), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "dcopt "+version()+" (go") || !strings.Contains(lines[1], "commit") {
		t.Errorf("version prints %q", text.String())
	}
	run(context.Background(), []string{"version", "--json"}, nil, &object, &stderr)
	var got struct {
		Version, Commit, Date, Go, OS, Arch *string
		Modified                            *bool
		Backends                            []string
	}
	if err := json.Unmarshal(object.Bytes(), &got); err != nil || got.Version == nil || *got.Version != version() || got.Commit == nil || got.Date == nil || got.Modified == nil || got.Go == nil || got.OS == nil || got.Arch == nil || len(got.Backends) == 0 {
		t.Errorf("version --json prints %s (%v)", object.String(), err)
	}
}
