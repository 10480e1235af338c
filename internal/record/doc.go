// Package record is the answer of a solve in the one form of the report of the command, the reply
// of the worker, the client and the results of shards. A fact has its name in JSON here, and
// nowhere else but in the reader of package verify.
package record
