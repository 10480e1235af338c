// Package flags orders the arguments of a command before they are parsed, and has the flags that
// several commands share, with the meaning of their values.
package flags
