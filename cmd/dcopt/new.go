package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/template"
)

func newCommand() *cli.Command {
	return &cli.Command{
		Name:      "new",
		Usage:     "write a problem file to begin with",
		ArgsUsage: "[TEMPLATE [NAME]]",
		Description: "Writes NAME.dc and its data NAME_*.csv, all of them or none, and never over a file; NAME may " +
			"have a folder, and is\n" +
			"TEMPLATE if left out. Without TEMPLATE it lists those that there are:\n\n" + templateList("    "),
		Action: writeNew,
	}
}

// templateList has a line for each template.
func templateList(indent string) string {
	var b strings.Builder
	for _, t := range template.All() {
		fmt.Fprintf(&b, "%s%-11s%s\n", indent, t.Name, t.About)
	}
	return strings.TrimRight(b.String(), "\n")
}

func writeNew(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) == 0 {
		_, err := fmt.Fprintln(c.App.Writer, templateList(""))
		return err
	}
	if len(args) > 2 {
		return exit.Usagef("new: one template and one name. Usage: %s", c.Command.UsageText)
	}
	var chosen *template.Template
	var names []string
	for _, t := range template.All() {
		if t.Name == args[0] {
			chosen = &t
		}
		names = append(names, t.Name)
	}
	if chosen == nil {
		return flags.Unknown("template", args[0], names, "; dcopt new lists them")
	}
	dir, name := filepath.Split(append(args, args[0])[1])
	if name = strings.TrimSuffix(name, ".dc"); name == "" || strings.ContainsAny(name, "\"\n\r\x00") {
		return exit.Usagef("new: %q is no name for a file that a problem can name", args[len(args)-1])
	}
	files := chosen.Files(name)
	if err := createAll(dir, files); err != nil {
		return err
	}
	for _, f := range files {
		if _, err := fmt.Fprintln(c.App.Writer, filepath.Join(dir, f.Name)); err != nil {
			return err
		}
	}
	session.Of(c).Log.Note("solve it by dcopt solve %s", filepath.Join(dir, files[0].Name))
	return nil
}

// createAll writes new files, all of them or none. Each appears whole: it is written under
// another name and linked, which fails where there is a file.
func createAll(dir string, files []template.File) (err error) {
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, f.Name)); err == nil {
			return exit.Usagef("%s exists; give another name: dcopt new TEMPLATE NAME", filepath.Join(dir, f.Name))
		}
	}
	var made []string
	defer func() {
		if err != nil {
			for _, name := range made {
				os.Remove(name)
			}
		}
	}()
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		err := create(name, f.Data)
		switch {
		case errors.Is(err, fs.ErrExist):
			return exit.Usagef("%s exists; give another name: dcopt new TEMPLATE NAME", name)
		case err != nil:
			return exit.Usagef("cannot write %s: %w", name, session.Reason(err))
		}
		made = append(made, name)
	}
	return nil
}

// create writes one new file.
func create(name string, data []byte) error {
	tmp, err := session.Temporary(name)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err = os.Link(tmp.Name(), name); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: the name is taken first.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	f.Close()
	return os.Rename(tmp.Name(), name)
}
