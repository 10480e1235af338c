// Package result is the table of measurements, a CSV file that grows by a row a
// measurement.
package result
