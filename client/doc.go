// Package client speaks to a worker, dcopt serve, by the protocol of
// docs/protocol.md: it loads problems as expression graphs or matrices, solves them
// again and again in a process of its own, and trains regressors there.
//
// A Go program that can link package ccp needs no worker. A worker is a process that
// can be killed, and against which clients in other languages are tested.
package client
