// Package enum gives the values of an enumeration their names: String and Parse
// of every such type read one table, so that each is the inverse of the other.
package enum
