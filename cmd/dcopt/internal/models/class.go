package models

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// mostClasses bounds the classes of a target: more are numbers or names. Source: a limit; a target
// with more is refused with that reason.
const mostClasses = 100

// fitClasses is fit --classify.
func fitClasses(c *cli.Context, path string, set lder.Settings, limit time.Duration, out *session.Output) error {
	var labels []string
	d, err := trainingData(c, path, func(t *dataset.Table, target string, sel dataset.Selection) (*dataset.Data,
		error) {
		classes, err := codeTarget(t, target)
		if err != nil {
			return nil, err
		}
		d, err := t.Supervised(target, sel)
		if err != nil {
			return nil, err
		}
		for _, v := range d.Y {
			labels = append(labels, classes[int(v)])
		}
		return d, nil
	})
	if err != nil {
		return err
	}
	p := trainingProgress(c, &set)
	begin := time.Now()
	training, end := limited(c.Context, limit)
	defer end()
	r, err := session.Within(c.Context, func() (*lder.Classifier, error) {
		r := lder.NewClassifier(set)
		r.Features, r.Target, r.Categories = d.Features, d.Target, d.Categories
		return r, r.FitWeighted(training, d.X, labels, d.weights)
	})
	p.Stop()
	spent := time.Since(begin)
	switch {
	case exit.IsContext(err):
		return noModel(err, "a classifier")
	case err != nil:
		return exit.BadFile(fmt.Errorf("%s: %w", path, err))
	}
	if _, err := r.WriteTo(out); err != nil && !out.Failed() {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if err := classSummary(c, r, labels, spent); err != nil {
		return err
	}
	if r.Training.Status != ccp.Converged {
		return exit.With(exit.NotSolved)
	}
	return nil
}

// codeTarget replaces the values of the target by the numbers of their classes,
// which it returns in order: words, or numbers in their shortest form. Missing
// values stay so.
func codeTarget(t *dataset.Table, target string) ([]string, error) {
	col, err := t.Column(target)
	if err != nil {
		return nil, err
	}
	words := col.IsText()
	if !words {
		if _, err := t.Numbers(target); err != nil { // infinite ones
			return nil, err
		}
	}
	labels := make([]string, len(col.Values)) // "": missing
	for i, v := range col.Values {
		switch {
		case !words && !math.IsNaN(v):
			labels[i] = strconv.FormatFloat(v, 'g', -1, 64)
		case words && !table.IsMissing(col.Cells[i]):
			labels[i] = col.Cells[i]
		}
	}
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(classes) > 0 && classes[0] == "" {
		classes = classes[1:]
	}
	if len(classes) > mostClasses {
		return nil,
			&dataset.Error{File: t.Name,
				Msg: fmt.Sprintf("the target %q has %d different values, more than %d classes; to predict a number "+
					"leave --classify out", target, len(classes), mostClasses)}
	}
	col.Text, col.FirstText, col.Missing = 0, nil, 0
	for i, l := range labels {
		k, ok := slices.BinarySearch(classes, l)
		if ok {
			col.Values[i] = float64(k)
		} else {
			col.Values[i] = math.NaN()
			col.Missing++
		}
	}
	return classes, nil
}

// classSummary prints a classifier's size and accuracy.
func classSummary(c *cli.Context, r *lder.Classifier, labels []string, spent time.Duration) error {
	t := r.Training
	var b bytes.Buffer
	switch {
	case c.Bool("json"):
		o := report.Object{{Name: "status", Value: t.Status.String()}, {Name: "method", Value: t.Method.String()},
			{Name: "rows", Value: t.Rows}, {Name: "target", Value: r.Target},
			{Name: "features", Value: r.Features}, {Name: "classes", Value: r.Classes},
			{Name: "iterations", Value: t.Iterations}, {Name: "accuracy", Value: report.Number(t.Accuracy)}}
		return report.Print(c.App.Writer, append(o, report.Object{{Name: "oob_accuracy", Value: known(t.OOB)},
			{Name: "seconds", Value: report.Number(spent.Seconds())}, {Name: "model", Value: c.String("out")}}...))
	case c.Bool("quiet"):
		return nil
	default:
		row := func(name, format string, args ...any) {
			fmt.Fprintf(&b, "%-13s"+format+"\n", append([]any{name}, args...)...)
		}
		row("status", "%s", trainingStatus(c, t.Status))
		row("rows", "%d, target %s, features %s", t.Rows, r.Target, report.Brief(r.Features))
		row("classes", "%s", classCounts(r.Classes, labels))
		row("method", "%s", t.Method)
		row("accuracy", "%s on the training rows, %s", report.Show(t.Accuracy, 4), onNewRows(t.OOB, t.Method))
		row("iterations", "%d, %s s", t.Iterations, report.Show(spent.Seconds(), 3))
		row("model", "%s", c.String("out"))
	}
	_, err := c.App.Writer.Write(b.Bytes())
	return err
}

// classCounts lists the first classes with their numbers of rows.
func classCounts(classes, labels []string) string {
	count := map[string]int{}
	for _, l := range labels {
		count[l]++
	}
	const most = 8
	var parts []string
	for _, l := range classes[:min(len(classes), most)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", l, count[l]))
	}
	if len(classes) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(classes)-most))
	}
	return strings.Join(parts, ", ")
}
