package studyreport

import (
	"fmt"
	"math"
	"slices"

	"github.com/dcopt/dcopt/bench/internal/page"
)

// paperModels are the columns of the paper's table of FVU scores (Oliveira and
// Valle 2023), by the names of package study.
var paperModels = []string{"mlp", "svr", "hlm-elm", "mdn", "maxout", "lder-dca", "lder-ccp"}

// paperScores are its rows, as far as they are printed.
var paperScores = map[string][]Score{
	"485_analcatdata_vehicle": {{2.490, .233}, {1.091, .087}, {.656, .394}, {1.154, .242}, {.299, .199},
		{.315, .185}, {.379, .183}},
	"560_bodyfat": {{1.277, .414}, {.209, .058}, {.225, .103}, {.904, 1.010}, {.043, .030},
		{.028, .029}, {.027, .037}},
	"712_chscase_geyser1": {{26, 4.539}, {.265, .016}, {23, 24}, {1.228, .541}, {.251, .050}, {.236, .032},
		{.234, .034}},
	"210_cloud": {{.235, .182}, {.361, .174}, {1.724, 1.005}, {.307, .124}, {.247, .133},
		{.529, .532}, {.202, .108}},
	"561_cpu": {{1.215, .200}, {1.013, .060}, {75, 110}, {.556, .227}, {.037, .022}, {.166, .300},
		{.099, .062}},
	"228_elusage": {{3.506, .883}, {.703, .233}, {1.896, .754}, {.340, .175}, {.409, .259},
		{.367, .131}, {.344, .133}},
	"230_machine_cpu": {{1.255, .174}, {1.017, .063}, {1.1e4, 1.7e4}, {.511, .191}, {.129, .064},
		{.229, .129}, {.148, .090}},
	"522_pm10": {{.868, .053}, {.724, .033}, {2.544, .572}, {.977, .112}, {.886, .056},
		{.895, .160}, {.854, .040}},
	"229_pwLinear": {{.221, .054}, {.353, .069}, {.421, .093}, {.776, .150}, {.181, .014},
		{.299, .137}, {.237, .055}},
	"663_rabe_266": {{1.477, .279}, {.633, .101}, {.005, .002}, {.524, .339}, {.004, .001},
		{.002, .001}, {.010, .010}},
	"666_rmftsa_ladata": {{.609, .238}, {.511, .096}, {1.459, .704}, {.607, .236}, {.467, .146},
		{.423, .134}, {.483, .170}},
	"706_sleuth_case1202": {{1.945, .238}, {1.074, .176}, {1.746, .968}, {1.126, .366}, {.482, .193},
		{.446, .149}, {.376, .094}},
	"687_sleuth_ex1605": {{53, 30}, {1.025, .118}, {1.295, .510}, {8.230, 7.666}, {1.010, .637},
		{1.504, 1.544}, {.576, .313}},
	"192_vineyard": {{10, 8.189}, {.628, .168}, {1.734, 1.448}, {5.702, 3.840}, {1.961, 3.015},
		{.588, .438}, {.529, .394}},
	"519_vinnie": {{.278, .027}, {.279, .042}, {.352, .043}, {.314, .064}, {.257, .015},
		{.264, .026}, {.254, .022}},
	"678_visualizing_environmental": {{1.576, .407}, {.728, .111}, {4.732, 1.608}, {1.250, .201}, {.716, .065},
		{.690, .033}, {.652, .092}},
	"690_visualizing_galaxy": {{250, 28}, {.513, .015}, {2.6e3, 3.7e3}, {25, 6.141}, {.157, .079}, {.052, .014},
		{.097, .010}},
}

// beside adds the scores of the paper beside those here, if there are both.
func (r *Report) beside(to *page.Report) {
	fvu := r.Measures[0]
	var models, columns []int // ours, and of paperModels
	head := []string{"set"}
	for k, name := range paperModels {
		if j := slices.Index(r.Models, name); j >= 0 {
			models, columns = append(models, j), append(columns, k)
			head = append(head, name, "paper")
		}
	}
	sums := make([]float64, 2*len(models))
	var lines [][]string
	for s, set := range r.Sets {
		paper, ok := paperScores[set]
		if !ok {
			continue
		}
		l := []string{set}
		for k, j := range models {
			here, there := fvu.Scores[s][j], paper[columns[k]]
			l = append(l, page.Best(cell(here), math.Abs(here.Mean-there.Mean) <= 0.01), cell(there))
			sums[2*k] += here.Mean
			sums[2*k+1] += there.Mean
		}
		lines = append(lines, l)
	}
	if len(models) == 0 || len(lines) == 0 {
		return
	}
	average := []string{fmt.Sprintf("average of %d", len(lines))}
	for _, v := range sums {
		average = append(average, number(v/float64(len(lines))))
	}
	to.Heading(2, "Beside the paper")
	to.Text("FVU here and in Oliveira and Valle's table; bold where the means are within 0.01. The paper's folds are " +
		"those of seed 1.")
	to.Table(head...)
	for _, l := range append(lines, average) {
		to.Row(l...)
	}
}
