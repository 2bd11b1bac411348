package service

import (
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/linear"
)

// sureModel is a fitted model that has learned its uncertainty from 24 held-out rows, of so many targets, or of three
// classes where that is 0. A map's name may end in /float32.
func sureModel(mapName string, targets int, f fits.Fitter, laplace bool) *train.Model {
	const n = 120
	x := randomRows(n, 11)
	noise := randomRows(n, 12).Float64s()
	set := &data.Set{X: x}
	for i := range n {
		row := x.Float64s()[i*dims:]
		v := math.Sin(4*row[0]) + row[1] + .3*noise[i*dims]
		for t := range targets {
			set.Y = append(set.Y, v+float64(t)*row[2])
		}
		if targets == 0 {
			set.Labels = append(set.Labels, []string{"low", "middle", "high"}[min(2, max(0, int(1.5*v)))])
		}
	}
	for t := range targets {
		set.LabelNames = append(set.LabelNames, fmt.Sprint("y", t))
	}
	sure := &train.UncertaintyOptions{Laplace: laplace}
	return fitted(train.Recipe{Spec: specOf(mapName, 32), Fitter: f, Uncertainty: sure}, set)
}

// sureModels are models of all kinds.
func sureModels() map[string]*train.Model {
	return map[string]*train.Model{
		"target":      sureModel("gaussian", 1, nil, false),
		"two targets": sureModel("exp-semigroup/float32", 2, nil, false),
		"indefinite":  sureModel("delta-gaussian", 1, nil, false),
		"softmax":     sureModel("gaussian", 0, linear.LogisticOptions{}, false),
		"float32":     sureModel("gaussian/float32", 0, linear.LogisticOptions{}, false),
		"ridge":       sureModel("gaussian", 0, linear.RidgeOptions{}, false),
		"laplace":     sureModel("gaussian", 0, linear.LogisticOptions{}, true),
	}
}

// wantSure is the distribution of rows by the functions of the model.
func wantSure(m *train.Model, rows ops.Matrix, level float64) map[string]any {
	want := map[string]any{"level": level}
	if m.Classes != nil {
		sets := [][]string{}
		for _, set := range must(m.PredictSets(rows, level)) {
			names := []string{}
			for _, c := range set {
				names = append(names, m.Classes[c])
			}
			sets = append(sets, names)
		}
		want["probabilities"], want["sets"] = appendRows(nil, must(m.Probabilities(rows))), sets
		return want
	}
	lower, upper, err := m.PredictIntervals(rows, level)
	do(err)
	want["lower"], want["upper"] = appendRows(nil, lower), appendRows(nil, upper)
	if m.Uncertainty.Posterior != nil {
		of := must(m.PredictDistribution(rows))
		want["std"], want["function_std"] = appendRows(nil, of.Std), appendRows(nil, of.FunctionStd)
	}
	return want
}

// checkUncertaintyCard: /model describes where the uncertainty comes from, and its largest level is answered.
func checkUncertaintyCard(t *testing.T, name string, r *running, m *train.Model) {
	t.Helper()
	c, text := r.readCard(t)
	u, classes := c.Uncertainty, m.Classes != nil
	if u == nil || u.HeldOut != 120 || u.MostLevel != 120./121 ||
		u.Posterior != (m.Uncertainty.Posterior != nil) || (u.Noise != nil) != u.Posterior ||
		(u.Sets == "least-ambiguous") != classes || (u.Calibration != "") != classes ||
		(u.Laplace == "exact") != (name == "laplace") {
		t.Errorf("%s: %s", name, text)
	}
	level := fmt.Sprint("?distribution=true&level=", u.MostLevel)
	if status, ob := r.post(t, level, typeJSON, asJSON(randomRows(2, 1))); status != http.StatusOK {
		t.Errorf("%s: %s: %d %v", name, level, status, ob)
	}
}

// TestDigits: a level is shown with as many digits as tell how far below 1 it is.
func TestDigits(t *testing.T) {
	for level, want := range map[float64]string{.9: "0.9", 120. / 121: "0.99173", 4. / 5: "0.8", .9999: "0.9999"} {
		if got := digits(level); got != want {
			t.Errorf("%v: %s, want %s", level, got, want)
		}
	}
}

// TestDistribution: JSON and .npy of all kinds of models give what the functions of the model give, to the bit, and the
// same classes, targets and scores as without.
func TestDistribution(t *testing.T) {
	x := randomRows(29, 5)
	for name, m := range sureModels() {
		r := runServer(t, m, nil)
		if name == "indefinite" && m.Uncertainty.Posterior != nil || name == "laplace" && m.Uncertainty.Laplace == nil {
			t.Fatalf("%s: the uncertainty is %+v", name, m.Uncertainty)
		}
		checkUncertaintyCard(t, name, r, m)
		for query, level := range map[string]float64{"?distribution=true": .9, "?distribution=1&level=.55": .55, "?distribution=true&level=&scores=true": .9} {
			_, want := r.post(t, "?scores="+fmt.Sprint(strings.Contains(query, "scores")), typeJSON, asJSON(x))
			want["distribution"] = wantSure(m, x, level)
			for kind, body := range map[string]string{typeJSON: asJSON(x), typeNPY: asNPY(29, dims, x.Float64s())} {
				r.answers(t, query, kind, body, want)
			}
		}
	}
}

// TestDistributionTable: the rows of a table, by name, with notes, of a column with gaps.
func TestDistributionTable(t *testing.T) {
	recipe := tableRecipe(data.ColumnOptions{})
	recipe.Uncertainty = &train.UncertaintyOptions{}
	m := fitted(recipe, fates(120))
	r := runServer(t, m, nil)
	some := passengers(29, 7)
	x := must(m.Rows(frameOf(passengerNames, some))).X
	want := wantSure(m, x, .75)
	body := objects(passengerNames, some, map[string]any{"z": 1})
	status, ob := r.post(t, "?distribution=true&level=.75", typeJSON, body)
	if status != http.StatusOK || !reflect.DeepEqual(ob["distribution"], parsed(want)) || fmt.Sprint(ob["classes"]) != fmt.Sprint(must(m.PredictClasses(x))) || ob["notes"] == nil {
		t.Errorf("%d %v, want %v", status, ob, want)
	}
}

// TestDistributionRefusals: a query that is wrong or that the model cannot answer is a 4xx with the remedy.
func TestDistributionRefusals(t *testing.T) {
	plain, target, classes := newModel("gaussian", 3, 1), sureModel("gaussian", 1, nil, false), sureModel("gaussian", 0, linear.RidgeOptions{}, false)
	body := asJSON(randomRows(2, 1))
	for _, tc := range []struct {
		model  *train.Model
		query  string
		status int
		texts  []string
	}{
		{plain, "?distribution=true", 400, []string{"the model has no uncertainty", "bochner fit --distribution"}},
		{plain, "?level=.9", 400, []string{"?level does nothing without ?distribution=true"}},
		{target, "?level=.9&distribution=false", 400, []string{"?level does nothing"}},
		{target, "?distribution=a%0Ab", 400, []string{`?distribution="a\nb": want true or false`}},
		{target, "?distribution=%zz", 400, []string{"the query", "%zz"}},
		{target, "?distribution=true&level=high", 400, []string{`?level="high": want a probability between 0 and 1`}},
		{target, "?distribution=true&level=1", 400, []string{"between 0 and 1"}},
		{target, "?distribution=true&level=NaN", 400, []string{"between 0 and 1"}},
		{target, "?distribution=true&level=0", 400, []string{"between 0 and 1, such as 0.9"}},
		{target, "?distribution=true&level=.9999", 422, []string{"train: Intervals: the level 0.9999 needs the scores of 9999 rows at least, and there are", "lower the level"}},
		{classes, "?distribution=true&level=.9999", 422, []string{"train: Sets: the level 0.9999 needs the scores of 9999 rows", "lower the level"}},
	} {
		r := runServer(t, tc.model, nil)
		r.refuses(t, tc.query, typeJSON, body, tc.status, tc.texts...)
		if status, ob := r.post(t, "", typeJSON, body); status != http.StatusOK || ob["distribution"] != nil {
			t.Errorf("afterwards: %d %v", status, ob)
		}
	}
}

// TestOverflow: a row that takes the output of a linear map out of float64 is refused by its number.
func TestOverflow(t *testing.T) {
	for query, m := range map[string]*train.Model{
		"": newModel("linear", 1, 1), "?distribution=true": sureModel("linear", 1, nil, false),
	} {
		r := runServer(t, m, nil)
		const body = `{"rows": [[1,2,3,4,5],[1e308,-1e308,1e308,1e308,-1e308],[1,2,3,4,5]]}`
		r.refuses(t, query, typeJSON, body, 422, "row 1", "scale")
	}
}
