// Package printer writes a dc.Problem as statements of the language: functions as they
// were written, numbers to the last bit, and members of sums and of constraints that
// differ in numbers alone as families with their data.
package printer
