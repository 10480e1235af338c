package verify_test

import (
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/internal/need"
)

var scip = flag.String("scip", "", "Python that has PySCIPOpt, for BenchmarkBoundsBesideSCIP")

// BenchmarkBoundsBesideSCIP: random problems that SCIP can state and solve have the optima that it
// finds, to the tolerances of both, and no bound is above them: -scip PYTHON -soundness 300 -first
// 50000 -benchtime 1x.
func BenchmarkBoundsBesideSCIP(b *testing.B) {
	need.That(b, *scip != "", need.SCIP)
	file := filepath.Join(b.TempDir(), "tree.json")
	compared, refused, open := 0, 0, 0
	for k := range uint64(*soundness) {
		src := drawProblem(*first+k, false)
		p := compiled(b, src)
		if p == nil {
			continue
		}
		out, err := os.Create(file)
		if err != nil {
			b.Fatal(err)
		}
		err = read(b, src).WriteTree(out)
		if out.Close(); err != nil {
			refused++
			continue
		}
		text, err := exec.CommandContext(b.Context(), *scip, filepath.Join("..", "bench", "peers", "python", "scip_global.py"), "10", file).Output()
		var peer struct {
			Status           string
			Objective, Bound *float64
		}
		if err != nil || json.Unmarshal(text, &peer) != nil {
			b.Fatalf("seed %d: SCIP: %v, %s", *first+k, err, text)
		}
		set := ccp.DefaultSettings()
		set.Global.MaxNodes, set.Heuristics.Search.Hops = 3000, 2
		set.Global.Proof = true
		res, err := global.Solve(context.Background(), p, nil, 1, set)
		if err != nil {
			b.Fatalf("seed %d: %v", *first+k, err)
		}
		const tol = 1e-4 // points of SCIP may break constraints by 1e-6
		sign := 1.0
		if p.Program().Maximize {
			sign = -1
		}
		switch {
		case peer.Status == "refused":
			refused++
		case peer.Status == "infeasible" && res.Proved:
			if compared++; res.Status != ccp.Infeasible && res.Violation == 0 {
				b.Errorf("seed %d: SCIP finds no point, but there is one\n%s", *first+k, src)
			}
		case (peer.Status == "optimal" || peer.Status == "gaplimit") && peer.Objective != nil && res.Proved:
			compared++
			v := *peer.Objective
			if !(sign*(res.Bound-v) <= tol*max(1, math.Abs(v))) || res.Status != ccp.Infeasible && !(math.Abs(res.Objective-v) <= tol*max(1, math.Abs(v))) {
				b.Errorf("seed %d: %v, %.9g, bound %.9g; SCIP has %.9g\n%s", *first+k, res.Status, res.Objective, res.Bound, v, src)
			}
		default:
			open++
		}
	}
	b.ReportMetric(float64(compared), "agree")
	b.ReportMetric(float64(open), "open")
	b.Logf("%d optima are those of SCIP; %d are open in one of the two, %d cannot be stated", compared, open, refused)
}
