package client

import "github.com/dcopt/dcopt/internal/wire"

// The parts of a graph, of matrices and of replies, as docs/protocol.md has them.
// Arrays are flat, in column-major order.
type (
	Graph      = wire.Graph
	Variable   = wire.Variable
	Parameter  = wire.Parameter
	Node       = wire.Node
	Attrs      = wire.Attrs
	Sparse     = wire.Sparse
	Objective  = wire.Objective
	Constraint = wire.Constraint
	Floats     = wire.Floats
	Ints       = wire.Ints
	Number     = wire.Number

	Settings    = wire.Settings
	Result      = wire.Result
	Progress    = wire.Progress
	Tangent     = wire.Tangent
	Gradient    = wire.Gradient
	Solutions   = wire.Solutions
	Checked     = wire.Checked
	Loaded      = wire.Loaded
	Hello       = wire.HelloReply
	Data        = wire.LoadData
	Cone        = wire.Cone
	NewValues   = wire.NewValues
	Fit         = wire.Fit
	FitSettings = wire.FitSettings
	Fitted      = wire.Fitted
	Predicted   = wire.Predicted

	Error = wire.Error
	Note  = wire.Note
)

// F is an array of numbers; it keeps v.
func F(v ...float64) *Floats { return wire.F(v) }

// I is an array of integers; it keeps v.
func I(v ...int) *Ints { return wire.I(v) }

// Ptr is a pointer to v, as settings want it.
func Ptr[T any](v T) *T { return &v }

// Errors are the reasons for which a worker refuses a request: one Error at least.
type Errors []Error

// Error is the first of them.
func (e Errors) Error() string { return e[0].Kind + ": " + e[0].Error() }
