// Package exit has the exit codes of the program and the errors that end a command with one.
package exit
