package train_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
)

// centroids is a Fitter of one's own: the class of the nearest mean.
type centroids struct{}

func (centroids) Cost(fits.Problem) fits.Cost { return fits.Cost{} }
func (centroids) HeadKind() string            { return "linear" }
func (centroids) Frozen() bool                { return true }

func (centroids) Fit(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples) (*fits.Report, error) {
	k := head.Features()
	w, b, n := make([]float64, head.Dims()*k), make([]float64, k), make([]float64, k)
	for block, err := range rows.Blocks(ctx, 0) {
		if err != nil {
			return nil, err
		}
		z, err := layers.Transform(m, nil, block.X)
		if err != nil {
			return nil, err
		}
		for i, c := range train.ArgMax(block.Y) {
			n[c]++
			for j, v := range ops.Float64s(z)[i*head.Dims() : (i+1)*head.Dims()] {
				w[j*k+c] += (v - w[j*k+c]) / n[c]
			}
		}
	}
	for i, v := range w {
		b[i%k] -= v * v / 2
	}
	return &fits.Report{}, head.SetWeights(w, b)
}

// A Fitter of one's own is fitted, cross-validated, tuned and raced by Auto like those of this module.
func Example_fitter() {
	ctx := context.Background()
	rows, _ := ringSets(240)
	recipe := train.Recipe{Scale: "standard", Spec: layers.Spec{Map: "gaussian", Features: 256, Seed: 1},
		Fitter: centroids{}}

	model, _, err := recipe.Fit(ctx, rows)
	fmt.Println("fitted:", right(model, rows) > .9, err)

	scores, err := recipe.CrossValidate(ctx, rows, nil, train.CVOptions{Factors: []float64{.5, 1, 2}})
	fmt.Println("cross-validated:", scores.All[scores.Chosen].Error < .1, err)

	recipe.Tuner = &train.Tuner{Steps: []string{train.StepFrozen, train.StepEvidence}}
	_, report, err := recipe.Fit(ctx, rows)
	fmt.Println("tuned:", len(report.Steps) == 2, err)

	model, race, err := train.Auto(ctx, rows, train.AutoOptions{Trials: 6, MaxFeatures: 64, Fitter: centroids{}})
	fmt.Println("raced:", right(model, rows) > .9, race.Trials[race.Best].Recipe.Fitter, err)
	// Output:
	// fitted: true <nil>
	// cross-validated: true <nil>
	// tuned: true <nil>
	// raced: true {} <nil>
}
