// Package report writes results of solving as tables for people, as JSON and as CSV.
package report
