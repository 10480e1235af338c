//go:build !race

package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// forgery makes something false of a result; false where it does not apply.
type forgery func(d *rand.Rand, r map[string]any) bool

// far is a factor that is clearly not 1.
func far(d *rand.Rand) float64 {
	return math.Copysign(math.Pow(10, 3*d.Float64()-1), d.Float64()-0.5)
}

// change changes some numbers below a value, each by a part of the largest of them or of 1.
func change(d *rand.Rand, v any, by float64) any {
	switch v := v.(type) {
	case float64:
		return v + by*far(d)
	case []any:
		out := slices.Clone(v)
		k := d.IntN(len(out))
		out[k] = change(d, out[k], by)
		return out
	case map[string]any:
		out := maps.Clone(v)
		names := slices.Sorted(maps.Keys(out))
		name := names[d.IntN(len(names))]
		out[name] = change(d, out[name], by)
		return out
	}
	return v
}

func member(name string, by func(r map[string]any) float64) forgery {
	return func(d *rand.Rand, r map[string]any) bool {
		v, ok := r[name]
		if m, object := v.(map[string]any); !ok || object && len(m) == 0 {
			return false
		}
		r[name] = change(d, v, by(r))
		return fmt.Sprint(r[name]) != fmt.Sprint(v)
	}
}

func one(map[string]any) float64 { return 1 }

// slightly makes all multipliers of a kind larger or smaller by a hundredth.
func slightly(name string) forgery {
	return func(d *rand.Rand, r map[string]any) bool {
		if r["status"] == "infeasible" || !(largestIn(name)(r) > 1e-3*valueOf(r)) {
			return false
		}
		factor := 1 + math.Copysign(0.01, d.Float64()-0.5)
		var times func(v any) any
		times = func(v any) any {
			switch v := v.(type) {
			case float64:
				return v * factor
			case []any:
				for k := range v {
					v[k] = times(v[k])
				}
			case map[string]any:
				for k := range v {
					v[k] = times(v[k])
				}
			}
			return v
		}
		r[name] = times(r[name])
		return true
	}
}

// valueOf is the size of the objective.
func valueOf(r map[string]any) float64 {
	v, _ := r["objective"].(float64)
	return max(1e-12, math.Abs(v))
}

// largestIn is the largest number in a member.
func largestIn(name string) func(r map[string]any) float64 {
	var most func(v any) float64
	most = func(v any) (m float64) {
		switch v := v.(type) {
		case float64:
			return math.Abs(v)
		case []any:
			for _, e := range v {
				m = max(m, most(e))
			}
		case map[string]any:
			for _, e := range v {
				m = max(m, most(e))
			}
		}
		return m
	}
	return func(r map[string]any) float64 { return most(r[name]) }
}

func set(members ...any) forgery {
	return func(_ *rand.Rand, r map[string]any) bool {
		changed := false
		for k := 0; k < len(members); k += 2 {
			name := members[k].(string)
			changed = changed || fmt.Sprint(r[name]) != fmt.Sprint(members[k+1])
			if r[name] = members[k+1]; members[k+1] == nil {
				delete(r, name)
			}
		}
		return changed
	}
}

// forgers are by kind. Those of points come with the values and violations that the points have.
var forgers = map[string]forgery{
	"objective": member("objective", valueOf),
	"objective with a large error": func(d *rand.Rand, r map[string]any) bool {
		r["objective_error"] = 1e6
		return member("objective", valueOf)(d, r)
	},
	"violation": set("max_violation", 0.25),
	"feasible":  set("feasible", false),
	"lets":      member("lets", one),
	"point":     member("variables", func(r map[string]any) float64 { return max(1, largestIn("variables")(r)) }),
	"multipliers": func(d *rand.Rand, r map[string]any) bool {
		return r["status"] != "infeasible" && // there others are certificates, too
			largestIn("duals")(r) > 1e-3*valueOf(r) && member("duals", largestIn("duals"))(d, r)
	},
	"multipliers of bounds": func(d *rand.Rand, r map[string]any) bool {
		if r["status"] == "infeasible" { // a certificate is of rows
			return false
		}
		return largestIn("bound_duals")(r) > 1e-3*valueOf(r) && member("bound_duals", largestIn("bound_duals"))(d, r)
	},
	"objective by a hundredth": func(_ *rand.Rand, r map[string]any) bool {
		v, ok := r["objective"].(float64)
		r["objective"] = 1.01 * v
		return ok && v != 0
	},
	"multipliers by a hundredth":           slightly("duals"),
	"multipliers of bounds by a hundredth": slightly("bound_duals"),
	"other point": func(d *rand.Rand, r map[string]any) bool {
		r["moved"] = true
		return member("variables", one)(d, r)
	},
	"other point nearby": func(d *rand.Rand, r map[string]any) bool {
		r["moved"] = true
		return member("variables", func(map[string]any) float64 { return 0.1 })(d, r)
	},
	"other point without multipliers": func(d *rand.Rand, r map[string]any) bool {
		r["moved"] = true
		delete(r, "duals")
		delete(r, "bound_duals")
		return member("variables", one)(d, r)
	},
	"no solution": func(_ *rand.Rand, r map[string]any) bool {
		was := r["status"]
		r["status"] = "infeasible"
		return was != "infeasible"
	},
	"no end": func(d *rand.Rand, r map[string]any) bool {
		ray := r["variables"]
		for range 4 {
			ray = change(d, ray, 1)
		}
		r["status"], r["ray"] = "unbounded", ray
		return r["proved"] != nil || d.IntN(2) == 0
	},
	"a small ray": func(d *rand.Rand, r map[string]any) bool {
		return r["ray"] == nil && set("status", "unbounded", "ray", map[string]any{"x": 1e-15, "y": 0.})(d, r)
	},
	"a bound": func(d *rand.Rand, r map[string]any) bool { return r["bound"] == nil && boundNear(d, r) },
	"proved": func(d *rand.Rand, r map[string]any) bool {
		r["moved"] = true
		return member("variables", one)(d, r) && set("proved", true, "gap", 0.)(d, r)
	},
	"better bound": func(d *rand.Rand, r map[string]any) bool { return r["bound"] != nil && boundNear(d, r) },
	"gap": func(d *rand.Rand, r map[string]any) bool {
		v, ok := r["gap"].(float64)
		r["gap"] = v + 0.1 + math.Abs(far(d))
		return ok
	},
	"objective within a small error": func(_ *rand.Rand, r map[string]any) bool {
		v, ok := r["objective"].(float64)
		r["objective"], r["objective_error"] = v+1e-3*valueOf(r), 1e-2*valueOf(r)
		return ok && v != 0
	},
	"answer":     set("answer", "optimal, proved with 3 nodes", "proved", nil, "bound", nil, "gap", nil),
	"status":     set("status", "globally_optimal"),
	"other case": set("Objective", 1.),
	// claims in words, and of other kinds
	"reason": func(d *rand.Rand, r map[string]any) bool {
		others := []any{"constraint_broken", "panic", "time_limit", "runs_off", "Stationary", 1., []any{"minimum"}}
		r["reason"] = others[d.IntN(len(others))]
		return true
	},
	"a row whose tolerance decides": func(d *rand.Rand, r map[string]any) bool {
		o := []map[string]any{
			{"row": "c", "objective": 1e9}, {"row": "c", "objective": -1.}, {"row": "nonesuch", "objective": 1.},
			{"row": "c"}, {"Row": "c", "objective": 1.},
		}
		r["tolerance_decides"] = o[d.IntN(len(o))]
		return r["status"] == "converged"
	},
	"no multipliers": func(d *rand.Rand, r map[string]any) bool {
		r["no_multipliers"] = []map[string]any{{}, {"constraint": "c"}, {"constraint": "nonesuch"}}[d.IntN(3)]
		return r["duals"] != nil
	},
	"a bound in words": func(d *rand.Rand, r map[string]any) bool {
		v, ok := r["objective"].(float64)
		const words = "local minimum; at most %s %% better is possible (bound %v, 3 nodes)"
		r["answer"] = fmt.Sprintf(words, "0.001", v-1e-5*math.Abs(v))
		if b, known := r["bound"].(float64); known {
			r["answer"] = fmt.Sprintf(words, "1e-09", b)
			return ok && math.Abs(v-b) > 1e-10*math.Abs(v)
		}
		return ok
	},
	"an error below 0": set("objective_error", -1e-3),
	"another kind of value": func(d *rand.Rand, r map[string]any) bool {
		silent := func(name string) bool { return slices.Contains(noClaims, name) }
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(r)), silent)
		name := names[d.IntN(len(names))]
		v := r[name]
		r[name] = []any{"NaN", "Infinity", "1", []any{v}, map[string]any{"re": v, "im": 0.}, fmt.Sprint(v)}[d.IntN(6)]
		return fmt.Sprintf("%T %v", v, v) != fmt.Sprintf("%T %v", r[name], r[name])
	},
	// numbers that are nearly right
	"a bound just beyond the objective": func(d *rand.Rand, r map[string]any) bool {
		v, ok := r["objective"].(float64)
		sense := 1.0
		if r["maximize"] == true {
			sense = -1
		}
		r["bound"], r["gap"] = v+sense*math.Pow(10, -3-3*d.Float64())*unitOf(r), 0.
		return ok
	},
	"a gap in another unit": func(d *rand.Rand, r map[string]any) bool {
		v, ok := r["gap"].(float64)
		r["gap"] = v * []float64{1e-3, 100, 1e3, 1e9}[d.IntN(4)]
		return ok && v > 0
	},
	"a multiplier of the other sign": func(d *rand.Rand, r map[string]any) bool {
		duals, _ := r["duals"].(map[string]any)
		names := slices.Sorted(maps.Keys(duals))
		if r["status"] != "converged" || len(names) == 0 {
			return false
		}
		name := names[d.IntN(len(names))]
		y, ok := duals[name].(float64)
		duals[name] = -y
		return ok && math.Abs(y) > 1e-2*valueOf(r)
	},
	"values of another variable": func(d *rand.Rand, r map[string]any) bool {
		vars, _ := r["variables"].(map[string]any)
		names := slices.Sorted(maps.Keys(vars))
		if len(names) < 2 {
			return false
		}
		a, b := names[0], names[1]
		vars[a], vars[b] = vars[b], vars[a]
		r["moved"] = true
		return fmt.Sprintf("%T", vars[a]) == fmt.Sprintf("%T", vars[b]) && fmt.Sprint(vars[a]) != fmt.Sprint(vars[b])
	},
	"a worse point, proved": func(d *rand.Rand, r map[string]any) bool {
		r["moved"] = true
		by := func(map[string]any) float64 { return math.Pow(10, -4*d.Float64()) * largestIn("variables")(r) }
		return member("variables", by)(d, r) && set("proved", true, "gap", 0.)(d, r)
	},
}

// noClaims are members that say nothing of the problem or the point.
var noClaims = []string{
	"iterations", "starts", "backend", "seconds", "history", "message", "nodes", "safe", "proof", "maximize", "moved",
}

// unitOf is the size by which differences of the objective count, by the stated gap where there is
// one.
func unitOf(r map[string]any) float64 {
	v, _ := r["objective"].(float64)
	b, _ := r["bound"].(float64)
	if g, ok := r["gap"].(float64); ok && g > 0 {
		return math.Abs(v-b) / g
	}
	return max(1, math.Abs(v))
}

// boundNear is a bound better than the objective, by a little or much, with a gap that fits.
func boundNear(d *rand.Rand, r map[string]any) bool {
	v, ok := r["objective"].(float64)
	if !ok {
		return false
	}
	sense := 1.0
	if r["maximize"] == true {
		sense = -1
	}
	b := v + sense*math.Abs(far(d))*1e-3*valueOf(r)
	r["bound"], r["gap"], r["proved"] = b, math.Abs(v-b)/valueOf(r), false
	return true
}
