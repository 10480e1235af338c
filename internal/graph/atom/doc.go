// Package atom is a table of functions of one number: their values, first and second derivatives,
// and ranges of all three over intervals, rounded outwards. From the range of the second
// derivative follows if a function is convex on an interval, and how much of a square makes it
// convex. All that evaluates, splits, bounds or prints functions reads this table.
package atom
