// Package pages makes the sources of the site: it copies docs/ and the READMEs with links
// that hold there, makes the front page of README.md and of a recorded run, and draws the
// graphs of atoms. docs/ stays the single source; the composed files are made anew by
// every build.
package pages
