package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

func TestArrange(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"solve p.dc", "solve -- p.dc"},
		{"solve p.dc --json --set a=1 -q", "solve --json --set=a=1 -q -- p.dc"},
		{"solve --set a=1,2 p.dc --set=b=3", "solve --set=a=1,2 --set=b=3 -- p.dc"},
		{"solve --tol -1 p.dc", "solve --tol=-1 -- p.dc"},
		{"solve -o out.json p.dc", "solve -o=out.json -- p.dc"},
		{"solve --json -- --json", "solve --json -- --json"},
		{"solve - --json", "solve --json -- -"},
		{"solve p.dc -h --tol", "solve --help --"},
		{"cv a.csv b.csv --target y c.csv", "cv --target=y -- a.csv b.csv c.csv"},
		{"help fit", "fit --help"},
		{"--version", "version"},
	} {
		app := newApp(session.Start(context.Background(), nil, nil, io.Discard, io.Discard, nil))
		got, err := flags.Arrange(app, strings.Fields(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if strings.Join(got, " ") != c.want {
			t.Errorf("%s becomes %q, want %q", c.in, strings.Join(got, " "), c.want)
		}
	}
}

// TestUsageErrors: each ends with code 1, a message that says what it should,
// nothing on stdout and no panic.
func TestUsageErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"sovle p.dc", `unknown command "sovle"; did you mean "solve"?`},
		{"xyzzy", `unknown command "xyzzy"; dcopt help lists the commands`},
		{"help xyzzy", `unknown command "xyzzy"`},
		{"--json solve", "--json stands before the command"},
		{"solve", "solve: which file?"},
		{"solve a.dc b.dc", "one file at a time"},
		{"solve --jsn a.dc", `unknown flag "--jsn"; did you mean "--json"?`},
		{"solve a.dc --frobnicate", `unknown flag "--frobnicate"; dcopt solve --help lists the flags`},
		{"solve a.dc --tol", "flag --tol needs a value"},
		{"solve --tol --json a.dc", "flag --tol needs a value"},
		{"solve a.dc --json=7", `flag --json takes no value, and here it has "7"`},
		{"solve a.dc --tol 1 --tol 2", "flag --tol is given twice"},
		{"solve a.dc -o x --out y", "flag --out is given twice"},
		{"solve a.dc --set a=1 --set a=2", "--set gives a two values"},
		{"solve a.dc --tol x", `invalid value "x" for flag --tol`},
		{"solve a.dc --tol NaN", "--tol NaN: want a number > 0"},
		{"solve a.dc --tol 0", "--tol 0: want a number > 0"},
		{"solve a.dc --max-iter 0", "--max-iter 0: want at least 1"},
		{"solve a.dc --max-iter 1e3", `invalid value "1e3" for flag --max-iter`},
		{"solve a.dc --starts 0", "--starts 0: want at least 1"},
		{"solve a.dc --seed -1", `invalid value "-1" for flag --seed`},
		{"solve a.dc --time-limit soon", "--time-limit soon: want a duration > 0"},
		{"solve a.dc --time-limit -3", "--time-limit -3: want a duration > 0"},
		{"solve a.dc --time-limit NaN", "--time-limit NaN: want a duration > 0"},
		{"solve a.dc --backend simplex", `no backend "simplex"`},
		{"solve a.dc -q -v", "-q and -v exclude each other"},
		{"solve missing.dc", "missing.dc: no such file or directory"},
		{"solve missing.qps", "missing.qps: no such file or directory"},
		{"solve testdata", "testdata: is a directory"},
		{"solve a.qps --sweep mu=1,2", "--sweep is for .dc problems"},
		{"solve a.dc --out testdata", "cannot write testdata: it is a directory"},
		{"solve a.dc --out no/such/folder/x", "no such file or directory"},
		{"solve a.dc --out=", "--out: the name of the file is empty"},
		{"solve a.dc --plot p.pdf", "--plot p.pdf: plots are .svg and .png files, not .pdf"},
		{"solve a.dc --plot p", "--plot p: want a name that ends in .svg or .png"},
		{"solve a.dc --plot p.svg --panels both", "--panels both: want all, solution or run"},
		{"solve a.dc --panels run", "--panels goes with --plot"},
		{"solve a.dc --plot=", "--plot: the name of the file is empty"},
		{"solve a.dc --plot no/such/folder/p.svg", "no such file or directory"},
		{"solve a.dc --plot p.svg --sweep mu=1,2", "it does not go with --sweep"},
		{"solve a.qps --plot p.svg", "flag --plot is for .dc problems"},
		{"check", "check: which file?"},
		{"check missing.dc", "missing.dc: no such file or directory"},
		{"fmt", "fmt: which files?"},
		{"fmt -w -l a.dc", "--write and --check exclude each other"},
		{"fmt -w -", "--write: standard input is no file"},
		{"fmt missing.dc", "missing.dc: no such file or directory"},
		{"fit", "fit: which file?"},
		{"fit a.csv", "Give --target NAME"},
		{"fit a.csv --target y", "Give -o MODEL.json"},
		{"fit a.csv --target y -o m.json", "a.csv: no such file or directory"},
		{"fit a.csv --target y --pieces 3 -o m.json", "--pieces 3: want two numbers"},
		{"fit a.csv --target y --pieces 0,2 -o m.json", "--pieces 0,2: want two numbers"},
		{"fit a.csv --target y --pieces 9999,2 -o m.json", "Settings.Pieces"},
		{"fit a.csv --target y --method magic -o m.json", "no method"},
		{"fit a.csv --target y --tol -1 -o m.json", "--tol -1: want a number > 0"},
		{"predict m.json", "want a model and a table, not 1 files"},
		{"predict missing.json a.csv", "missing.json: no such file or directory"},
		{"cv --target y", "cv: which tables?"},
		{"cv a.csv", "Give --target NAME"},
		{"cv a.csv --target y --folds 1", "--folds 1: want at least 2"},
		{"cv a.csv --target y --folds missing.json", "want a number or a file of folds"},
		{"cv a.csv --target y --seed 99999999999", "--seed 99999999999: want at most"},
		{"completion", "for which shell?"},
		{"completion fsh", `unknown shell "fsh"; did you mean "fish"?`},
		{"version 2", "version takes no arguments"},
		{"backends ipm", "backends takes no arguments"},
		{"", "COMMANDS"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(c.args), strings.NewReader(""), &stdout, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), c.want) || stdout.Len() > 0 {
			t.Errorf("dcopt %s: code %d, stderr %q, stdout %q; want code 1 and %q", c.args, code, stderr.String(), stdout.String(), c.want)
		}
	}
}

// TestBrokenStdout: a result that cannot be written is an error.
func TestBrokenStdout(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	need.That(t, err == nil, need.Linux, err)
	defer full.Close()
	for _, args := range []string{"help", "version", "backends", "backends --json", "completion zsh", "solve -", "solve - --json", "check -"} {
		var stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(args), strings.NewReader("var x in [0,1]\nminimize x\n"), full, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), "cannot write") {
			t.Errorf("dcopt %s > /dev/full: code %d, %q", args, code, stderr.String())
		}
	}
}

// TestCommandsAlone: a run of a command makes that one alone, and what tells of all has all.
func TestCommandsAlone(t *testing.T) {
	all := commands("")
	for _, c := range all {
		want := 1
		if c.Name == "completion" || c.Name == "man" {
			want = len(all)
		}
		if got := commands(c.Name); len(got) != want || want == 1 && got[0].Name != c.Name {
			t.Errorf("%s: %d commands, the first is %s, want %d", c.Name, len(got), got[0].Name, want)
		}
	}
}

// BenchmarkSmall runs the program on a problem that is solved in no time.
func BenchmarkSmall(b *testing.B) {
	for b.Loop() {
		var stderr bytes.Buffer
		if code := run(context.Background(), []string{"solve", "-"}, strings.NewReader("var x in [0,1]\nminimize (x-.5)^2\n"), io.Discard, &stderr); code != exit.OK {
			b.Fatal(stderr.String())
		}
	}
}

// TestHelp: every command explains itself and its flags, and asking is no
// error.
func TestHelp(t *testing.T) {
	app := newApp(session.Start(context.Background(), nil, nil, io.Discard, io.Discard, nil))
	for _, cmd := range app.Commands {
		for _, args := range [][]string{{cmd.Name, "--help"}, {"help", cmd.Name}, {cmd.Name, "x", "-h"}} {
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), args, nil, &stdout, &stderr)
			if code != exit.OK || stderr.Len() > 0 || !strings.Contains(stdout.String(), cmd.Usage) {
				t.Errorf("%v: code %d, stdout %q, stderr %q", args, code, stdout.String(), stderr.String())
			}
			for _, f := range cmd.Flags {
				if !strings.Contains(stdout.String(), flags.Dashed(f.Names()[0])) {
					t.Errorf("%v does not explain %s", args, f.Names()[0])
				}
			}
		}
	}
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), args, nil, &stdout, &stderr); code != exit.OK || !strings.Contains(stdout.String(), "predict") {
			t.Errorf("%v: code %d, stdout %q", args, code, stdout.String())
		}
	}
}

// TestBackends: every backend there is, is listed, with the way to get it.
func TestBackends(t *testing.T) {
	for _, args := range [][]string{{"backends"}, {"backends", "--json"}} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), args, nil, &stdout, &stderr); code != exit.OK || stderr.Len() > 0 {
			t.Errorf("%v: code %d, %s", args, code, stderr.String())
		}
		for _, b := range backends.Known() {
			if !strings.Contains(stdout.String(), b.Name) || !strings.Contains(stdout.String(), b.About) || !strings.Contains(stdout.String(), b.Get) {
				t.Errorf("%v prints %q, and nothing of %+v", args, stdout.String(), b)
			}
		}
	}
}
