// Package studyreport makes tables, tests and pictures of the rows of package
// study: the contents of a page that needs no other file, and the tables in Markdown
// and LaTeX.
package studyreport
