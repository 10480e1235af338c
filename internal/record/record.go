package record

// Record is the answer of a solve without its arrays. A nil pointer or an empty text does not
// belong to this kind of answer: docs/json.md says which has which.
type Record struct {
	Status         string   `json:"status"`
	Objective      Number   `json:"objective"`
	ObjectiveError *Number  `json:"objective_error,omitempty"`
	MaxViolation   *Number  `json:"max_violation,omitempty"`
	Worst          string   `json:"worst,omitempty"` // the constraint or variable of it
	Feasible       *bool    `json:"feasible,omitempty"`
	Iterations     int      `json:"iterations"`
	Starts         int      `json:"starts,omitempty"`
	Start          int      `json:"start,omitempty"` // that gave the point, from 0
	Backend        string   `json:"backend"`
	Seconds        *Seconds `json:"seconds,omitempty"`
	PrimalResidual *Number  `json:"primal_residual,omitempty"`
	DualResidual   *Number  `json:"dual_residual,omitempty"`
	Bound          *Number  `json:"bound,omitempty"`
	Gap            *Number  `json:"gap,omitempty"`
	Nodes          *int     `json:"nodes,omitempty"`
	Proved         *bool    `json:"proved,omitempty"`
	Safe           *bool    `json:"safe,omitempty"`
	NoBound        string   `json:"no_bound,omitempty"`
	NoMultipliers  *Absence `json:"no_multipliers,omitempty"`
	Loose          *Loose   `json:"tolerance_decides,omitempty"`
	Message        string   `json:"message"`
	Reason         string   `json:"reason,omitempty"`
}

// Seconds are wall-clock times; Backend is the backend's share of Solve, Total is from the request
// to the reply.
type Seconds struct {
	Read    *float64 `json:"read,omitempty"`
	Compile float64  `json:"compile"`
	Solve   float64  `json:"solve"`
	Backend float64  `json:"backend"`
	Total   float64  `json:"total,omitempty"`
}

// Absence is a ccp.Absence.
type Absence struct {
	Constraint string `json:"constraint,omitempty"`
}

// Loose is a ccp.Loose.
type Loose struct {
	Constraint string  `json:"row"`
	Change     float64 `json:"objective"`
}

// Iteration is one of the start that gave the point.
type Iteration struct {
	K         int    `json:"iteration"`
	Hop       int    `json:"hop"`
	Objective Number `json:"objective"`
	Violation Number `json:"max_violation"`
	Step      Number `json:"step"`
	Tau       Number `json:"tau"`
}
