// Package page makes of reports a page that needs no other file, and their
// tables in LaTeX.
package page
