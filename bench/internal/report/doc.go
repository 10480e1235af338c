// Package report makes tables and performance profiles of rows.
package report
