// Package plan divides a computation among many machines, with the answer of one.
//
// A [Plan] is a file. It holds a problem whole, its text and data, or a study of tables, and
// lists its parts as shards with numbers from 0. A shard depends on the plan
// and its number alone: seeds derive from the seed of the plan as on one machine. So a
// [Runner] on any machine computes it, once or twice, with the same [Result] to the last
// bit (processors with and without AVX2 differ in the last bits), and [Folder] keeps
// results in a directory, each written whole by a rename.
//
// The kinds of plans:
//
//   - sweep: a shard is the solve of a .dc problem at one point of a grid or of a list;
//   - starts: a shard is one start of a problem; the best of them is the answer of
//     ccp.Multistart whose starts do not know of each other;
//   - study: a shard is one fold of a cross-validation of one method on one table;
//   - fit: a shard is a file with a part of a table. A fit is a sequence of rounds, each a plan of
//     its own (Plan.Rounds): a shard of it is the sums that the round needs of a part.
//
// Results hold no times, for these differ from run to run.
package plan
