//go:build !race

package main

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/need"
)

// TestMan: every command has a page with all its flags, and groff, where it is, has
// nothing to say against the pages.
func TestMan(t *testing.T) {
	groff := need.Look(t, need.Groff)
	check := func(name, page string) {
		t.Helper()
		for _, l := range strings.Split(page, "\n") {
			if strings.HasPrefix(l, "'") || strings.HasPrefix(l, ".") && !strings.Contains(" .TH .SH .TP .B .BR .I .PP .nf .fi ", " "+strings.Fields(l)[0]+" ") {
				t.Errorf("%s has the line %q", name, l)
			}
		}
		if groff == "" {
			return
		}
		cmd := exec.Command(groff, "-ww", "-man", "-Kutf8", "-Tutf8")
		cmd.Stdin = strings.NewReader(page)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if out, err := cmd.Output(); err != nil || stderr.Len() > 0 || len(out) == 0 {
			t.Errorf("%s: %v\n%s", name, err, stderr.String())
		}
	}
	_, page, _ := tell(t, "man")
	check("dcopt", page)
	for _, cmd := range newApp(session.Start(context.Background(), nil, nil, io.Discard, io.Discard, nil)).Commands {
		if cmd.Name == "help" {
			continue
		}
		if !strings.Contains(page, ".B "+cmd.Name+"\n") {
			t.Errorf("dcopt(1) lacks %s", cmd.Name)
		}
		code, own, log := tell(t, "man", cmd.Name)
		if code != exit.OK || log != "" {
			t.Errorf("man %s: code %d, %s", cmd.Name, code, log)
		}
		check(cmd.Name, own)
		for _, f := range cmd.Flags {
			for _, n := range f.Names() {
				if !strings.Contains(own, `\fB`+roff(flags.Dashed(n))+`\fR`) {
					t.Errorf("the page of %s lacks %s", cmd.Name, flags.Dashed(n))
				}
			}
			if d := f.(cli.DocGenerationFlag); d.TakesValue() && strings.Contains(own, roff(flags.Dashed(f.Names()[0]))+`\fR \fIVALUE`) {
				t.Errorf("the page of %s has no word for the value of %s", cmd.Name, f.Names()[0])
			}
		}
	}
	for _, args := range [][]string{{"man", "none"}, {"man", "help"}, {"man", "solve", "check"}} {
		if code, out, log := tell(t, args...); code != exit.Usage || out != "" || log == "" {
			t.Errorf("%q: code %d, %s", args, code, log)
		}
	}
	if got := roff(".a 'b' \\n -x"); got != `\&.a \(aqb\(aq \en \-x` {
		t.Errorf("roff makes %q", got)
	}
}
