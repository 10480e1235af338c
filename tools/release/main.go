// Command release builds all that a release of dcopt has, from the checkout that it
// stands in: for each platform an archive with the static program, its manual pages,
// completion scripts and the licences of all that is linked in, and a bill of materials;
// Debian packages; and the SHA-256 sums of them.
//
//	go run . -out ../../build/release
//
// The same commit, with the same version of Go, gives the same bytes on every machine and
// in every folder. Times come from the commit, or of SOURCE_DATE_EPOCH.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platforms of a release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	r := &release{}
	flag.StringVar(&r.root, "root", "../..", "the checkout of dcopt")
	flag.StringVar(&r.out, "out", "../../build/release", "where the files go; what is there is replaced")
	only := flag.String("platforms", strings.Join(platforms, ","), "platforms, as GOOS/GOARCH with commas between")
	flag.BoolVar(&r.plain, "plain", false, "archives and sums alone: no Debian packages, no bills of materials")
	flag.Parse()
	err := r.make(strings.Split(*only, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one release under construction.
type release struct {
	root, out string
	plain     bool
	version   string    // of the program, as the go command records it
	time      time.Time // of all files
	work      string    // a temporary folder
	own       string    // the program of this machine
	files     []string  // in out
}

func (r *release) make(list []string) (err error) {
	for _, p := range list {
		if !slices.Contains(platforms, p) {
			return fmt.Errorf("no platform %q; there are %s", p, strings.Join(platforms, ", "))
		}
	}
	if r.root, err = filepath.Abs(r.root); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if r.time, err = r.timeOf(); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "dcopt-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	// The program of this machine prints the pages and scripts.
	r.own = filepath.Join(r.work, "own")
	if err := r.build(runtime.GOOS, runtime.GOARCH, r.own); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(r.own)
	if err != nil {
		return err
	}
	if r.version = strings.TrimPrefix(info.Main.Version, "v"); r.version == "(devel)" || r.version == "" {
		r.version = "0.0.0-" + r.time.Format("20060102150405")
	}
	common, err := r.common(r.own)
	if err != nil {
		return err
	}
	if err := r.clear(); err != nil {
		return err
	}
	for _, p := range list {
		if err := r.platform(p, common); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return r.sums()
}

// timeOf is the time of all files: the time of the commit, unless the environment says another.
func (r *release) timeOf() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := r.command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("the time of the commit: %w; outside of a checkout set SOURCE_DATE_EPOCH",
				err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	// Source: ZIP and tar have no times before 1980 and after 2107 that all programs read.
	if err != nil || seconds < 315532800 || seconds > 4354819198 {
		return time.Time{}, fmt.Errorf("the time %q: want seconds since 1970, from 1980 to 2107", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// command runs in the checkout.
func (r *release) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	cmd.Stderr = os.Stderr
	return cmd
}

// environment is the environment of the process with some variables set.
func environment(set ...string) []string {
	var out []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") }) {
			out = append(out, kv)
		}
	}
	return append(out, set...)
}

// fixed are the settings of the go command on which the bytes of a program depend.
var fixed = []string{"CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off",
	"GOFIPS140=off"}

const tags = "urfave_cli_no_docs"

// build makes the program of a platform. The commit is in it where root is a checkout.
func (r *release) build(goos, goarch, out string) error {
	cmd := r.command("go", "build", "-trimpath", "-buildvcs=auto", "-tags="+tags, "-ldflags=-s -w -buildid=", "-o", out,
		"./cmd/dcopt")
	cmd.Env = environment(append(slices.Clone(fixed), "GOOS="+goos, "GOARCH="+goarch)...)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

// clear makes an empty folder of out. One that has files of another kind is left alone.
func (r *release) clear() error {
	entries, err := os.ReadDir(r.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "dcopt_") && e.Name() != "SHA256SUMS" {
			return fmt.Errorf("%s is no folder of a release: it has %s", r.out, e.Name())
		}
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(r.out, e.Name())); err != nil {
			return err
		}
	}
	return os.MkdirAll(r.out, 0o777)
}

// platform makes the files of one platform.
func (r *release) platform(p string, common []entry) error {
	goos, goarch, _ := strings.Cut(p, "/")
	program := "dcopt"
	if goos == "windows" {
		program += ".exe"
	}
	binary := filepath.Join(r.work, goos+"-"+goarch, program)
	if err := os.MkdirAll(filepath.Dir(binary), 0o777); err != nil {
		return err
	}
	if p == runtime.GOOS+"/"+runtime.GOARCH {
		if err := os.Rename(r.own, binary); err != nil {
			return err
		}
	} else if err := r.build(goos, goarch, binary); err != nil {
		return err
	}
	raw, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	all := append([]entry{{program, raw, 0o755}}, common...)
	base := fmt.Sprintf("dcopt_%s_%s_%s", r.version, goos, goarch)
	var packed []byte
	name := base + ".tar.gz"
	if goos == "windows" {
		name = base + ".zip"
		packed, err = zipped(base, all, r.time)
	} else {
		packed, err = tarred(base, all, r.time)
	}
	if err != nil {
		return err
	}
	if err := r.add(name, packed); err != nil {
		return err
	}
	if r.plain {
		return nil
	}
	if err := r.bill(base+".cdx.json", binary); err != nil {
		return err
	}
	if goos == "linux" {
		return r.debian(goarch, binary, common)
	}
	return nil
}

// add writes a file of the release.
func (r *release) add(name string, data []byte) error {
	r.files = append(r.files, name)
	return os.WriteFile(filepath.Join(r.out, name), data, 0o666)
}

// sums writes the SHA-256 sums of all files, as sha256sum(1) checks them.
func (r *release) sums() error {
	slices.Sort(r.files)
	var b strings.Builder
	for _, name := range r.files {
		raw, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(raw), name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(b.String()), 0o666)
}
