// Package studyreport makes tables, tests and pictures of the rows of package
// study.
package studyreport
