// Package serve is the worker of dcopt serve: it answers the requests of
// docs/protocol.md, over a reader and a writer.
package serve
