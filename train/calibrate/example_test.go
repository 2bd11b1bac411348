package calibrate_test

import (
	"encoding/json"
	"fmt"

	"github.com/bochner-go/bochner/train/calibrate"
	"gonum.org/v1/gonum/mat"
)

// heldOut are the scores of ten held-out rows of two classes and their classes: a head that is too sure of itself.
func heldOut() (scores *mat.Dense, labels []int) {
	return mat.NewDense(10, 2, []float64{5, -5, 4, -4, 6, -6, 5, -5, 3, -3, -5, 5, -4, 4, -6, 6, -5, 5, -3, 3}), []int{0, 0, 0, 1, 0, 1, 1, 1, 0, 1}
}

func ExampleFit() {
	scores, labels := heldOut()
	c, err := calibrate.Fit(calibrate.Temperature, scores, labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := c.Probabilities(mat.NewDense(1, 2, []float64{4, -4}))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(c)
	fmt.Printf("T = %.2f, p = %.2f\n%.42s... %v\n", c.T(), p.RawRowView(0), text, err)
	// Output:
	// T = 9.35, p = [0.70 0.30]
	// {"method":"temperature","classes":2,"inver... <nil>
}

func ExampleLogProbabilities() {
	l, err := calibrate.LogProbabilities(mat.NewDense(1, 2, []float64{1, 0}))
	fmt.Printf("%.1f %v\n", l.RawRowView(0), err)
	// Output:
	// [0.0 -87.3] <nil>
}

func ExampleECE() {
	p, labels := mat.NewDense(4, 2, []float64{.9, .1, .9, .1, .2, .8, .2, .8}), []int{0, 1, 1, 1}
	ece, err := calibrate.ECE(p, labels, 0)
	fmt.Printf("%.2f %v\n", ece, err)
	nll, err := calibrate.NLL(p, labels)
	fmt.Printf("%.2f %v\n", nll, err)
	brier, err := calibrate.Brier(p, labels)
	fmt.Printf("%.2f %v\n", brier, err)
	// Output:
	// 0.30 <nil>
	// 0.71 <nil>
	// 0.45 <nil>
}

func ExampleReliability() {
	p, labels := mat.NewDense(4, 2, []float64{.9, .1, .9, .1, .2, .8, .2, .8}), []int{0, 1, 1, 1}
	bins, err := calibrate.Reliability(p, labels, 10)
	for _, b := range bins {
		fmt.Printf("of %d rows that are %.1f sure, in (%.1f, %.1f], %.1f are right %v\n", b.Count, b.Confidence, b.Low,
			b.High, b.Accuracy, err)
	}
	// Output:
	// of 2 rows that are 0.8 sure, in (0.7, 0.8], 1.0 are right <nil>
	// of 2 rows that are 0.9 sure, in (0.8, 0.9], 0.5 are right <nil>
}

// Nineteen held-out rows are enough for intervals that cover 95 of 100 new rows.
func ExampleFitIntervals() {
	residuals := mat.NewDense(19, 1, nil)
	for i := range 19 {
		residuals.Set(i, 0, float64(i*7%19)/10-.9)
	}
	v, err := calibrate.FitIntervals(residuals, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	lower, upper, err := v.Bounds(.95, mat.NewDense(1, 1, []float64{30}), nil)
	fmt.Printf("%.1f to %.1f %v\n", lower.At(0, 0), upper.At(0, 0), err)
	_, err = v.Radius(.99)
	fmt.Println(err)
	// Output:
	// 29.1 to 30.9 <nil>
	// train: Intervals: the level 0.99 needs the scores of 99 rows at least, and there are 19; hold more rows out, or lower the level: shape does not fit
}

func ExampleFitSets() {
	p, labels := mat.NewDense(9, 3, nil), make([]int, 9)
	for i := range 9 {
		p.SetRow(i, []float64{.5 + .05*float64(i), .3 - .03*float64(i), .2 - .02*float64(i)})
		labels[i] = (8 - i) / 7 // the two rows of the least confidence are of class 1
	}
	v, err := calibrate.FitSets(calibrate.LeastAmbiguous, p, labels, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	sets, err := v.All(.8, mat.NewDense(2, 3, []float64{.9, .08, .02, .4, .35, .25}))
	fmt.Println(sets, err)
	share, size, err := calibrate.SetCoverage(sets, []int{0, 1})
	fmt.Println(share, size, err)
	// Output:
	// [[0] [0 1]] <nil>
	// 1 1.5 <nil>
}

func ExampleCoverage() {
	y, lower, upper := mat.NewDense(2, 1, []float64{1, 5}), mat.NewDense(2, 1, []float64{0, 1}), mat.NewDense(2, 1, []float64{2, 4})
	fmt.Println(calibrate.Coverage(y, lower, upper))
	// Output: [0.5] <nil>
}
