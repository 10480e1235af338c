// Package graph has functions of a model's variables as nodes of arrays: a node is the values of N
// members with W entries each. Numbers that differ between members stand in columns, so that a node
// costs the same for one member as for a million.
//
// A column is a list with a number for each member, or with a single one that holds for all.
package graph
