// Dcopt-cluster computes a plan of dcopt by a fleet of workers around a NATS broker.
// docs/cluster.md is its manual.
package main
