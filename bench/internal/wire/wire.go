package wire

// Modes of a Request.
const (
	Fresh  = "fresh"  // a new solver
	Update = "update" // the last one, with new values on the same pattern
	Warm   = "warm"   // so, and started from its last solution
)

// Long is the time in seconds after which a run is not repeated.
const Long = 1.0

// Request asks for one problem to be solved.
type Request struct {
	Problem string `json:"problem"` // the file that holds it
	Answer  string `json:"answer"`  // the file that x and y go to
	Mode    string `json:"mode"`
	// Tol is the tolerance to ask the solver for; 0 stands for its defaults.
	Tol float64 `json:"tol"`
	// Limit is the wall-clock time in seconds that the solver may take; a run that
	// does not obey is killed.
	Limit float64 `json:"limit"`
	// Repeat is the largest number of runs; the least times count. Runs end
	// when they took more than Long together.
	Repeat int `json:"repeat"`
}

// Line is any line that a process writes.
type Line struct {
	Hello   string `json:"hello,omitempty"` // name of the solver
	Version string `json:"version,omitempty"`
	Begin   bool   `json:"begin,omitempty"`
	Answer
}

// Answer ends a Request.
type Answer struct {
	// Status is in the words of the solver but for "solved",
	// "primal_infeasible", "dual_infeasible", "refused" (the message says why)
	// and "unsupported" (the mode).
	Status     string  `json:"status,omitempty"`
	Iterations int     `json:"iterations,omitempty"`
	Wall       float64 `json:"wall,omitempty"` // seconds of set-up and solution
	CPU        float64 `json:"cpu,omitempty"`  // of the whole process meanwhile
	// Setup is the part of CPU before the first iteration: a new solver, or
	// new values.
	Setup   float64 `json:"setup,omitempty"`
	Message string  `json:"message,omitempty"`
}
