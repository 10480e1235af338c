// Package poll lets a long computation look at its context now and then.
package poll
