// Package lsp is a language server for .dc files: editors speak to it by the Language
// Server Protocol, version 3.17, over a pair of streams.
//
// It has diagnostics as one types, hover with the curvature, the range and the split of
// the expression under the cursor, completion, signature help, go to definition,
// references, highlights, rename, document symbols and formatting. Documents are
// synchronised whole or by changes; positions count UTF-16 code units unless the client
// prefers UTF-8 or UTF-32.
//
// The input is not trusted: a frame that is too large is skipped, one that is
// no JSON is answered by an error, and a stream that is out of step is searched for the
// next header. Work on a state of a document ends when a newer one comes.
package lsp
