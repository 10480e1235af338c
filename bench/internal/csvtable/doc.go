// Package csvtable keeps rows in a CSV file that only grows: each row is written
// at once, a line that was being written when a run was killed is cut off, and
// the rows before it are there for the next run, which makes the measurements
// that are missing.
package csvtable
