package scene

import (
	"bytes"
	"strconv"
)

// Scene is the panels of a picture, none where there is nothing to draw.
type Scene struct {
	Panels []Panel `json:"panels"`
}

// Panel is a pair of axes with all that is drawn on them, in this order.
type Panel struct {
	Title  string `json:"title,omitempty"`
	XLabel string `json:"xlabel,omitempty"`
	YLabel string `json:"ylabel,omitempty"`
	// Equal: both axes have the same unit. A drawing widens one of the ranges.
	Equal bool `json:"equal,omitempty"`
	// Down: the second axis runs downwards, as the rows of a matrix do.
	Down   bool   `json:"down,omitempty"`
	X      Range  `json:"x"` // of the axes; it holds all marks
	Y      Range  `json:"y"`
	XTicks []Tick `json:"xticks,omitempty"` // nil: the drawing chooses them
	YTicks []Tick `json:"yticks,omitempty"` // likewise
	Marks  []Mark `json:"marks"`
}

// Range is an interval of an axis, Lo < Hi.
type Range struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Tick is a labelled place on an axis.
type Tick struct {
	At    float64 `json:"at"`
	Label string  `json:"label"`
}

// Kind is the kind of a mark, which says which of its fields count.
type Kind string

// The kinds.
const (
	Points  Kind = "points"  // at X, Y; V and Stops are their values and colours, if any
	Circles Kind = "circles" // around X, Y with the radii R
	Lines   Kind = "lines"   // the polylines of Lines
	// a disc with the radius R[0] that moves along the points of Lines[0], in equal steps of time
	Motion Kind = "motion"
	Rects  Kind = "rects"  // with the lower left corners X, Y, W wide and H high
	Labels Kind = "labels" // Texts at X, Y
	Bars   Kind = "bars"   // at X, of the width Width, from Base to Y
	// Rows x Cols values V, row by row, the first at Y[0]; they fill X[0] to X[1] and Y[0] to Y[1]
	Cells Kind = "cells"
)

// Mark is something drawn in one colour, or in the colours of its values.
type Mark struct {
	Kind  Kind      `json:"kind"`
	Label string    `json:"label,omitempty"` // in the legend
	Color string    `json:"color,omitempty"` // as #rrggbb
	X     []float64 `json:"x,omitempty"`
	Y     []float64 `json:"y,omitempty"`
	R     []float64 `json:"r,omitempty"`
	W     []float64 `json:"w,omitempty"`
	H     []float64 `json:"h,omitempty"`
	Texts []string  `json:"texts,omitempty"`
	Above bool      `json:"above,omitempty"` // of texts: there are points at the places
	Base  []float64 `json:"base,omitempty"`
	Width float64   `json:"width,omitempty"`
	Lines []Line    `json:"lines,omitempty"`
	Rows  int       `json:"rows,omitempty"`
	Cols  int       `json:"cols,omitempty"`
	V     Values    `json:"v,omitempty"`
	// Stops are colours at equal distances for values from Scale.Lo to Scale.Hi; see ColorOf.
	Stops []string `json:"stops,omitempty"`
	Scale *Range   `json:"scale,omitempty"`
}

// Line is a polyline of at least two points.
type Line struct {
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
	// Strength is in (0, 1]: how wide it is beside the others.
	Strength float64 `json:"strength"`
	Dashed   bool    `json:"dashed,omitempty"`
}

// Values are numbers that may be NaN, which is null in JSON.
type Values []float64

// MarshalJSON writes numbers and null.
func (v Values) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for k, x := range v {
		if k > 0 {
			b.WriteByte(',')
		}
		if x-x != 0 {
			b.WriteString("null")
		} else {
			b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}
