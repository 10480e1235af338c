// Package search finds better points beside those at which a local search has
// converged. Until composes kinds of search; each knows the local search as a
// function, and a budget:
//
//   - Coordinates: lower values along the coordinates, a positive spanning set
//     (Aragón Artacho, Campoy and Vuong 2020).
//   - BasinHopping: descents from points further away, monotonic basin hopping (Leary
//     2000), an iterated local search (Lourenço, Martin and Stützle 2003); for
//     packings of circles Grosso, Jamali, Locatelli and Schoen 2010.
//   - PatternSearch: whether a point is at rest, by values along the coordinates: a generating
//     set search (Kolda, Lewis and Torczon 2003).
//   - GradientSampling: the same between the coordinates, by gradients at the point and beside it:
//     sequential quadratic programming with gradient sampling (Curtis and Overton 2012).
package search
