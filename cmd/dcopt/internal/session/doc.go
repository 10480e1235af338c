// Package session is one run of the program: its streams, its messages and the line of its
// progress, and the files that it reads and writes. No input is ever overwritten, and an output
// appears whole or not at all.
package session
