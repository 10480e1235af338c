// Package studyreport makes tables, tests and pictures of the rows of package
// study: what a page shows that needs no other file, and the tables in Markdown
// and LaTeX.
package studyreport
