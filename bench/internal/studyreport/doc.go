// Package studyreport makes tables, tests and pictures of the rows of package
// study: one HTML page that needs no other file, and the same tables in Markdown
// and LaTeX.
package studyreport
