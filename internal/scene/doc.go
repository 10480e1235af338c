// Package scene says what a picture of a solution shows: points, circles, lines, bars and
// maps of colours on axes, as data that any program can draw. It draws nothing itself.
//
// A scene is made by the plot statements of a problem file or, where it has none, by the
// names and shapes of its variables (docs/language.md, Pictures). All numbers are finite but
// for the values of cells, which may be NaN and are null in JSON then. The same problem and
// point give the same scene.
package scene
