package models

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/shards"
)

// Summary prints the facts about a training. scores are the scores of its folds, if there are any;
// a time below 0 is not known.
func Summary(c *cli.Context, r *lder.Regressor, scores shards.Scores, spent time.Duration) error {
	if c.Bool("json") {
		return fitJSON(c, r, scores, spent)
	}
	if c.Bool("quiet") {
		return nil
	}
	t := r.Training
	var b bytes.Buffer
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-13s"+format+"\n", append([]any{name}, args...)...)
	}
	row("status", "%s", trainingStatus(c, t.Status))
	row("rows", "%d, target %s, features %s", t.Rows, report.Label(r.Target), report.Brief(report.Labels(r.Features)))
	used := r.Used()
	switch {
	case len(used) == 0:
		row("used", "none of %d features: the model is a constant", len(r.Features))
	case len(used) < len(r.Features):
		row("used", "%d of %d features: %s", len(used), len(r.Features),
			report.Brief(report.Labels(pick(r.Features, used))))
	}
	if r.Model != nil {
		row("method", "%s, pieces %d and %d", t.Method, len(r.Model.W), len(r.Model.M))
	} else {
		models, pieces := r.Ensemble.Size()
		row("method", "%s, %d models with %d pieces in all", t.Method, models, pieces)
	}
	row("mse", "%s at the start, now %s", report.Show(t.StartMSE, 6), report.Show(t.MSE, 6))
	row("fvu", "%s on the training rows, %s", report.Show(t.FVU, 4), onNewRows(t.OOB, t.Method))
	if scores.FVU != nil {
		mean, deviation := (&lder.CVResult{FVU: scores.FVU}).MeanFVU()
		row("folds", "%d, fvu %s ± %s", len(scores.FVU), report.Show(mean, 4), report.Show(deviation, 2))
	}
	if spent >= 0 {
		row("iterations", "%d, %s s", t.Iterations, report.Show(spent.Seconds(), 3))
	} else {
		row("iterations", "%d", t.Iterations)
	}
	row("model", "%s", c.String("out"))
	if r.Model != nil {
		if err := pieceTable(&b, r); err != nil {
			return err
		}
	}
	_, err := c.App.Writer.Write(b.Bytes())
	return err
}

// onNewRows says what is known of the error on new rows.
func onNewRows(oob float64, method lder.Method) string {
	switch {
	case oob >= 0:
		return report.Show(oob, 4) + " out of bag"
	case method.Chooses():
		return "unknown on new rows: there are too few to tell"
	}
	return "unknown on new rows: none were held out (see dcopt cv)"
}

// pieceTable has a line for each piece: how many rows it is largest for, and
// its coefficients in the data's own units.
func pieceTable(w io.Writer, r *lder.Regressor) error {
	m, err := r.Unstandardised()
	if err != nil {
		return err
	}
	share, minus := r.Shares()
	const most = 12 // features. Source: the layout, half of a terminal of 24 lines
	used := r.Used()
	all := len(used)
	used = used[:min(all, most)]
	names := report.Labels(pick(r.Features, used))
	head := append([]string{"piece", "rows"}, names...)
	if len(names) < all {
		head = append(head, "...")
	}
	lines := [][]string{append(head, "constant")}
	add := func(sign string, slopes [][]float64, constants, share []float64) {
		for k, row := range slopes {
			rows := "?" // of a training that was broken off
			if share != nil {
				rows = percent(share[k])
			}
			line := []string{fmt.Sprintf("%s%d", sign, k+1), rows}
			for _, j := range used {
				line = append(line, report.Show(row[j], 4))
			}
			if len(names) < all {
				line = append(line, "...")
			}
			lines = append(lines, append(line, report.Show(constants[k], 4)))
		}
	}
	add("+", m.W, m.A, share)
	add("-", m.M, m.B, minus)
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for j, s := range line {
			width[j] = max(width[j], utf8.RuneCountInString(s))
		}
	}
	fmt.Fprintln(w)
	for _, line := range lines {
		var b strings.Builder
		for j, s := range line {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(s))
			if j == 0 {
				b.WriteString(s + pad)
			} else {
				b.WriteString("  " + pad + s)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	return nil
}

// pick are the names with these numbers.
func pick(names []string, numbers []int) []string {
	out := make([]string, len(numbers))
	for k, j := range numbers {
		out[k] = names[j]
	}
	return out
}

// percent is a share in whole percents; only 0 is 0%.
func percent(share float64) string {
	if share > 0 && share < .005 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

func fitJSON(c *cli.Context, r *lder.Regressor, scores shards.Scores, spent time.Duration) error {
	t := r.Training
	o := report.Object{{Name: "status", Value: t.Status.String()}, {Name: "method", Value: t.Method.String()},
		{Name: "pieces", Value: piecesOf(r)},
		{Name: "rows", Value: t.Rows}, {Name: "target", Value: r.Target}, {Name: "features", Value: r.Features},
		{Name: "used_features", Value: pick(r.Features, r.Used())}, {Name: "terms", Value: r.Terms()},
		{Name: "iterations", Value: t.Iterations},
		{Name: "start_mse", Value: report.Number(t.StartMSE)}, {Name: "mse", Value: report.Number(t.MSE)},
		{Name: "fvu", Value: report.Number(t.FVU)}}
	o = append(o, report.Member{Name: "oob_fvu", Value: known(t.OOB)})
	if scores.FVU != nil {
		o = append(o, report.Member{Name: "folds", Value: foldsOf(scores)})
	}
	if spent >= 0 {
		o = append(o, report.Member{Name: "seconds", Value: report.Number(spent.Seconds())})
	}
	return report.Print(c.App.Writer, append(o, report.Member{Name: "model", Value: c.String("out")}))
}

// known is an error on new rows, null where it is not known.
func known(oob float64) report.Number {
	if oob < 0 {
		return report.Number(math.NaN())
	}
	return report.Number(oob)
}

// foldsOf are the errors of folds.
func foldsOf(scores shards.Scores) (list []report.Object) {
	for k, fvu := range scores.FVU {
		list = append(list, report.Object{{Name: "fvu", Value: report.Number(fvu)},
			{Name: "mse", Value: report.Number(scores.MSE[k])}})
	}
	return list
}

// piecesOf are the numbers of pieces of a model; nil of an ensemble.
func piecesOf(r *lder.Regressor) any {
	if r.Model == nil {
		return nil
	}
	return [2]int{len(r.Model.W), len(r.Model.M)}
}

// trainingStatus is a status, in its colour where standard output shows colours. The model
// of a training that has not converged is of use.
func trainingStatus(c *cli.Context, status ccp.Status) string {
	if !session.Of(c).Stdout.Colours() {
		return status.String()
	}
	return report.Painted(status.String(), status == ccp.Converged, true)
}
