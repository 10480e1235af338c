// Package page has the form of all reports, a list of blocks, and writes it as Markdown, as a page
// of HTML that needs no other file, and its tables in LaTeX.
package page
