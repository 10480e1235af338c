// Package wire is the protocol of dcopt serve as data: frames, the buffers in
// them, and the messages that the worker and its clients exchange. docs/protocol.md
// describes it.
package wire
