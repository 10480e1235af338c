package wire

// Fit trains a regressor or classifier.
type Fit struct {
	Head
	Model    uint64       `json:"model"`
	Kind     string       `json:"kind"`
	Shape    []int        `json:"shape"`
	X        *Floats      `json:"X"`
	Y        *Floats      `json:"y,omitempty"`
	Labels   *Ints        `json:"labels,omitempty"`
	Classes  []string     `json:"classes,omitempty"`
	Weights  *Floats      `json:"weights,omitempty"`
	Features []string     `json:"features,omitempty"`
	Target   string       `json:"target,omitempty"`
	Settings *FitSettings `json:"settings,omitempty"`
	Progress bool         `json:"progress,omitempty"`
}

// FitSettings govern training; nil is the default of the method.
type FitSettings struct {
	Method     *string  `json:"method,omitempty"`
	Pieces     []int    `json:"pieces,omitempty"`
	MaxIter    *int     `json:"max_iter,omitempty"`
	Tol        *float64 `json:"tol,omitempty"`
	Ridge      *float64 `json:"ridge,omitempty"`
	Seed       *uint64  `json:"seed,omitempty"`
	Imputation *string  `json:"imputation,omitempty"`
	FillValue  *float64 `json:"fill_value,omitempty"`
	Backend    *string  `json:"backend,omitempty"`
	TimeLimit  *float64 `json:"time_limit,omitempty"`
	// MaxFeatures and FormulaSize bound the features and the terms of the methods that
	// choose them; 0 is no bound.
	MaxFeatures *int `json:"max_features,omitempty"`
	FormulaSize *int `json:"formula_size,omitempty"`
}

// LoadModel takes a model file.
type LoadModel struct {
	Head
	Model uint64 `json:"model"`
	File  *Text  `json:"file"`
}

// Training says how a model came about.
type Training struct {
	Method     string  `json:"method"`
	Rows       int     `json:"rows"`
	Iterations int     `json:"iterations"`
	Status     string  `json:"status"`
	StartMSE   *Number `json:"start_mse,omitempty"`
	MSE        *Number `json:"mse,omitempty"`
	FVU        *Number `json:"fvu,omitempty"`
	Accuracy   *Number `json:"accuracy,omitempty"`
	OOB        *Number `json:"oob,omitempty"`
}

// Fitted is the reply to fit and load_model.
type Fitted struct {
	Head
	Model    uint64   `json:"model"`
	Kind     string   `json:"kind"`
	Features []string `json:"features"`
	Target   string   `json:"target"`
	Classes  []string `json:"classes,omitempty"`
	// Used are the numbers of the features that the model depends on, ascending; Terms is
	// the number of slopes and constants that are not 0.
	Used     []int    `json:"used_features"`
	Terms    int      `json:"terms"`
	Training Training `json:"training"`
}

// Predict applies a model to a table.
type Predict struct {
	Head
	Model uint64  `json:"model"`
	Shape []int   `json:"shape"`
	X     *Floats `json:"X"`
}

// Predicted is the reply.
type Predicted struct {
	Head
	Y        *Floats `json:"y,omitempty"`
	Labels   *Ints32 `json:"labels,omitempty"`
	Decision *Floats `json:"decision,omitempty"`
	Proba    *Floats `json:"proba,omitempty"`
}

// Export asks for a model as text.
type Export struct {
	Head
	Model  uint64 `json:"model"`
	Format string `json:"format"`
}

// Words are the labels of a classifier by name, one for each of the rows.
func (m *Fit) Words(rows int) ([]string, error) {
	switch {
	case m.Labels == nil || m.Y != nil:
		return nil, Errorf(ErrRequest, "a classifier is trained on labels; y belongs to regressors")
	case len(m.Labels.V) != rows:
		return nil, Errorf(ErrData, "%d labels for %d rows", len(m.Labels.V), rows)
	}
	seen := map[string]bool{}
	for _, c := range m.Classes {
		if c == "" || seen[c] {
			return nil, Errorf(ErrData, "the class %.40q is empty or there twice", c)
		}
		seen[c] = true
	}
	out := make([]string, rows)
	for i, k := range m.Labels.V {
		if k < 0 || k >= len(m.Classes) {
			return nil, Errorf(ErrData, "row %d has the label %d of %d classes", i, k, len(m.Classes))
		}
		out[i] = m.Classes[k]
	}
	return out, nil
}
