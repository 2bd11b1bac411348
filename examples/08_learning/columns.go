package main

import (
	"fmt"
	"image"
	"log"
	"slices"

	"github.com/bochner-go/bochner/examples/internal/must"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/floats"
)

// fewColumns finds the columns that matter.
func fewColumns(seed uint64) {
	rows, test := irrelevant(2000, 2000, seed)
	const features = 512
	spec := layers.Spec{Map: "gaussian", Features: features, Seed: seed}
	frozen, frozenTime := learn(rows, spec, train.StepFrozen)
	each, eachTime := learn(rows, spec, train.StepEvidence)
	spec.Params = layers.Values{"sigma": bandwidth(rows, seed)}
	one, _ := learn(rows, spec, train.StepFrozen)

	fmt.Printf("%d of %d columns matter, %d rows, %d features.\n\n", len(relevant), rows.Dims(), rows.Rows(), features)
	fmt.Print("| bandwidth | test RMSE | seconds |\n|---|---|---|\n")
	fmt.Printf("| the default, of the rows | %.3f | %.2f |\n", score(frozen, test), frozenTime)
	fmt.Printf("| one, by evidence | %.3f | |\n", score(one, test))
	fmt.Printf("| one a column, by evidence | %.3f | %.2f |\n", score(each, test), eachTime)
	fmt.Printf("| the noise alone | %.3f | |\n\n", noise)

	draw("08_columns.png", columns(each.Relevance))
	for _, j := range mostRelevant(each.Relevance, len(relevant)) {
		if !slices.Contains(relevant, j) {
			log.Fatalf("column %d is among the most relevant ones: %.3g", j+1, each.Relevance)
		}
	}
}

// mostRelevant are the n most relevant columns, the most relevant first.
func mostRelevant(relevance []float64, n int) []int {
	order := make([]int, len(relevance))
	floats.ArgsortStable(slices.Clone(relevance), order)
	slices.Reverse(order)
	return order[:n]
}

// columns draws the relevance of each column.
func columns(relevance []float64) image.Image {
	var bars []report.Bar
	for j, v := range relevance {
		name := fmt.Sprint("column ", j+1)
		if slices.Contains(relevant, j) {
			name += ", in the target"
		}
		bars = append(bars, report.Bar{Name: name, Value: v})
	}
	return must.Get(report.Bars("relevance", bars, report.WithTitle("One bandwidth a column, found by evidence")))
}

func draw(path string, picture image.Image) {
	must.Do(report.SavePNG(path, picture))
	fmt.Printf("drawn: %s\n\n", path)
}
