// Package cluster computes the shards of a plan by a fleet of workers around a broker,
// NATS with JetStream.
//
// [Serve] is a broker, [Work] a worker, [Run] the process that gives a plan to the fleet and
// gathers the results in a folder of package plan. All three may be killed and started
// again at any moment:
//
//   - a task, a run of shards, stays in the broker's queue until a worker acknowledges it, and is
//     given to another one where heartbeats fail for [AckWait];
//   - a worker publishes the results before it acknowledges. A result has a subject and
//     a message id of its own, of which the broker takes one, and the folder has one file per
//     shard, so that none counts twice;
//   - Run publishes shards that are neither in its folder nor in the queue once more.
//
// A shard whose computation fails [MostFailures] times goes to a subject of dead letters,
// with the last reason. Off the local machine a broker takes only connections by TLS with
// credentials. No message is larger than a limit: plans and large results go through an object
// store, in pieces.
package cluster
