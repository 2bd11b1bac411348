// Command 08_learning shows what learning adds to a feature map: how few features do once they are tuned, and which
// columns matter.
//
//	go run ./examples/08_learning [-seed 1]
//
// The first part makes ripples: rows of eight columns, independent and standard normal, with the target
//
//	y = cos 2r + ½ tanh s + ε,    r = |(p·x, q·x)|,    s = t·x,    ε ~ N(0, 0.1²)
//
// where p, q and t are orthogonal directions that the seed draws, none of them along a column. A wave runs out in rings in
// one plane of the eight dimensions, and the rest of the target is a smooth step. Three machines learn it from 2500 rows
// with one Gaussian kernel, whose bandwidth maximises the marginal likelihood of 512 features (evidence.Maximise). It is
// 1.50 for the seed 1, where the exact machine has its least test error of bandwidths from .7 to 1.8, or nearly so:
//
//	exact     kernel ridge regression on the 2500×2500 Gram matrix (linear.FitKernelRidge)
//	frozen    random features of the kernel as they are drawn, and ridge regression (train.StepFrozen)
//	tuned     the same features, each frequency moved by mini-batches (train.StepAll)
//
// The leave-one-out error chooses λ of both ridge regressions. Frozen features approximate the exact machine and tend to
// its error from above, slowly: the kernel's error falls as 1/√m for m frequencies. Tuned ones approximate no fixed kernel.
// Their frequencies go to where the target has its spectrum, here into the plane, so that few of them have a lower error
// than the exact machine. Many of them, with all their freedom, also fit the noise of 2500 rows: their curve has
// a least error. train.Auto chooses a number of features on rows held out, and train.Tuner the step.
//
// The second part makes a target of 4 of 24 columns:
//
//	y = sin 2x₃ + sin x₈x₁₃ + ½|x₁₉| + ε
//
// train.StepEvidence finds one bandwidth for each column by the marginal likelihood, with no descent, and Model.Relevance
// tells which columns matter.
//
// Both parts print a table in Markdown, with the root mean squared errors on 2000 new rows, and draw it: 08_learning.png
// and 08_columns.png. The program exits with 1 unless 64 tuned features beat 1024 frozen ones and the exact machine, and
// the four columns that matter are the four most relevant ones.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func main() {
	seed := flag.Uint64("seed", 1, "of the rows, the maps and the mini-batches")
	flag.Parse()
	fewFeatures(*seed)
	fewColumns(*seed)
}

// fewFeatures compares the three machines by their number of features.
func fewFeatures(seed uint64) {
	rows, test := ripples(2500, 2000, seed)
	sigma := bandwidth(rows, seed)
	fmt.Printf("Ripples in a plane of %d dimensions, %d rows, bandwidth %.2f by evidence. Test RMSE, and seconds of the fit; the noise alone is %v.\n\n",
		rows.Dims(), rows.Rows(), sigma, noise)

	exact, exactTime := exactMachine(rows, test, sigma)
	fmt.Print("| features | frozen | seconds | tuned | seconds |\n|---|---|---|---|---|\n")
	frozen, tuned, machine := report.Line{Name: "frozen features"}, report.Line{Name: "tuned features"}, report.Line{Name: "exact kernel"}
	for m := 16; m <= 1024; m *= 2 {
		spec := layers.Spec{Map: "gaussian", Params: layers.Values{"sigma": sigma}, Features: m, Seed: seed}
		drawn, drawnTime := learn(rows, spec, train.StepFrozen)
		moved, movedTime := learn(rows, spec, train.StepAll)
		frozen.Add(float64(m), score(drawn, test), 0)
		tuned.Add(float64(m), score(moved, test), 0)
		machine.Add(float64(m), exact, 0)
		i := len(frozen.Y) - 1
		fmt.Printf("| %d | %.3f | %.2f | %.3f | %.2f |\n", m, frozen.Y[i], drawnTime, tuned.Y[i], movedTime)
	}
	fmt.Printf("| exact kernel | %.3f | %.2f | | |\n\n", exact, exactTime)
	draw("08_learning.png", must.Get(report.ScoreCurves([]report.Line{frozen, tuned, machine}, report.WithMetric("RMSE on new rows"),
		report.WithTitle("Ripples in a rotated plane: features as drawn, and tuned"))))

	few, most := tuned.Y[2], frozen.Y[len(frozen.Y)-1]
	if few > most || few > exact {
		log.Fatalf("64 tuned features have the error %.3f, 1024 frozen ones %.3f, the exact machine %.3f", few, most, exact)
	}
}

// learn takes one step of a ladder and returns the model, and the seconds.
func learn(rows *data.Set, spec layers.Spec, step string) (*train.Model, float64) {
	start := time.Now()
	recipe := train.Recipe{Spec: spec, Tuner: &train.Tuner{Steps: []string{step}, Seed: spec.Seed}}
	model, _, err := recipe.Fit(context.Background(), rows)
	must.Do(err)
	return model, time.Since(start).Seconds()
}

// exactMachine is the test error of kernel ridge regression, and the seconds of its fit.
func exactMachine(rows, test *data.Set, sigma float64) (rmse, seconds float64) {
	start, kernel := time.Now(), spectral.Gaussian{Sigma: sigma}
	x := rows.X.(*tensor.Dense)
	fit := must.Get(linear.FitKernelRidge(must.Get(spectral.Gram(kernel, x, nil)), mat.NewDense(rows.Rows(), 1, rows.Y)))
	seconds = time.Since(start).Seconds()
	guess := must.Get(fit.Predict(must.Get(spectral.Gram(kernel, test.X.(*tensor.Dense), x))))
	return must.Get(report.RMSE(guess.RawMatrix().Data, test.Y)), seconds
}

// bandwidth is the σ of the largest marginal likelihood, of 512 features.
func bandwidth(rows *data.Set, seed uint64) float64 {
	spec := layers.Spec{Map: "gaussian", Features: 512, Seed: seed, Tune: layers.Bandwidth.String()}
	m := must.Get(train.Recipe{Spec: spec}.FitMap(context.Background(), rows))
	pairs := data.Pairs{X: must.Get(m.Prepare(rows.X)), Y: mat.NewDense(rows.Rows(), 1, rows.Y)}
	must.Get(evidence.Maximise(context.Background(), m.Map, pairs, evidence.Options{Seed: seed, MaxEvaluations: 30}))
	sigma := m.Spec.Params.Number("sigma") // of the rows, where the search began
	for _, q := range m.Map.Params() {
		if natural := q.Natural(); natural.Name == "bandwidth" {
			sigma *= ops.Float64s(natural.Value)[0]
		}
	}
	return sigma
}

func score(m *train.Model, test *data.Set) float64 {
	return must.Get(report.RMSE(must.Get(m.PredictTargets(test.X)), test.Y))
}
