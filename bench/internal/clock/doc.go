// Package clock has the clocks by which measurements are timed.
package clock
