// Package fleet has the commands of work on many machines: plan and shard.
package fleet
