package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gorgonia.org/tensor"
)

// entrant is a recipe in the race. The rounds give it more and more features, rows and steps.
type entrant struct {
	scale  string
	spec   layers.Spec
	factor float64 // of the parameter that comes from the data
	layers.Traits
	lambda float64 // of the last frozen fit, by row; 0: not known yet
	score  float64 // of the last frozen trial; +Inf: none was fitted
}

// look describes the rows and returns the recipes that suit them, the more promising ones first.
func (a *race) look() (kind string, all []*entrant) {
	add := func(scale, name string, factor float64) {
		e, err := layers.Lookup(name)
		same := func(c *entrant) bool { return c.scale == scale && c.spec.Map == name && c.factor == factor }
		if err != nil || slices.ContainsFunc(all, same) {
			return
		}
		c := &entrant{scale: scale, factor: factor, score: math.Inf(1), Traits: e.Traits,
			spec: layers.Spec{Map: name, Name: name, Seed: a.Seed, Dtype: a.Dtype}}
		if c.Signed && a.classes != nil || name == "laplacian" {
			// a softmax head knows no signs, and the largest of Cauchy frequencies outweighs all others
			c.Tunable = false
		}
		all = append(all, c)
	}
	rows, columns := a.set.Rows(), a.set.Dims()
	if _, bags := a.set.X.(*ops.Bags); bags {
		for _, c := range [][2]string{{"standard", "mean-map"}, {"cube", "hdd-js"}, {"cube", "hdd-hellinger"},
			{"none", "mean-map"}, {"cube", "l2-density"}, {"cube", "hdd-tv"}} {
			add(c[0], c[1], 1)
		}
		add("standard", "mean-map", .5)
		add("standard", "mean-map", 2)
		return "sets of samples", all
	}
	positive := ops.CheckRows(domain.NonNegative(), "", a.set.X) == nil
	unit := ops.CheckRows(domain.UnitSphere(1e-6), "", a.set.X) == nil
	standard := "standard"
	if a.set.Columns != nil {
		standard = "auto" // which leaves the columns of categories as they are
	}
	_, sparse := a.set.X.(*ops.CSR)
	kind = map[bool]string{true: "sparse", false: "dense"}[sparse]
	if sparse && float64(rows)*float64(columns) > 1e7 {
		standard = "" // it would make them dense
	}
	if positive {
		kind += ", not negative"
	}
	length := "l2"
	if unit {
		kind, length = kind+", of length 1", "none"
	}
	scales := []string{standard, "none"}
	switch {
	case standard == "":
		scales = []string{length, "none"}
	case !unit && !sparse && standardised(a.set.X):
		scales, kind = []string{"none"}, kind+", standardised"
	case sparse && positive:
		scales = []string{"none", standard}
	}
	scales = slices.Compact(scales)
	add(scales[0], "gaussian", 1)
	add(scales[0], "linear", 1)
	if positive {
		add("l1", "exp-chi2", 1)
		add("l1", "exp-semigroup", 1)
	}
	for _, s := range scales[1:] {
		add(s, "gaussian", 1)
	}
	if !slices.Contains(scales, length) {
		add(length, "gaussian", 1)
	}
	if length == "l2" && scales[0] != "none" && scales[0] != "l2" {
		length = scales[0] + ",l2"
	}
	if positive {
		add("l1", "exp-hellinger", 1)
		add("l1", "hellinger", 1)
		add("cube", "exp-chi2", 1)
		add("cube", "exp-hellinger", 1)
	}
	add(length, "arc-cosine", 1)
	if sparse {
		add("l2", "linear", 1)
	}
	add(scales[0], "laplacian", 1)
	add(scales[0], "gaussian", .5)
	add(scales[0], "gaussian", 2)
	return fmt.Sprintf("%d rows of %d columns, %s", rows, columns, kind), all
}

// standardised says whether each column of dense rows has a mean of about 0 and a standard deviation of about 1.
func standardised(m ops.Matrix) bool {
	x := data.RowRange(m, 0, min(2000, m.Shape()[0])).(*tensor.Dense)
	n, d := x.Shape()[0], x.Shape()[1]
	for j := range d {
		sum, squares := 0., 0.
		for i := range n {
			v := given.Cell(x, i*d+j)
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / float64(n)
		if dev := math.Sqrt(max(0, squares/float64(n)-mean*mean)); math.Abs(mean) > .2 || dev < .8 || dev > 1.25 {
			return false
		}
	}
	return true
}
