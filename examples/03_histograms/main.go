// Command 03_histograms classifies bags of words by the kernels that were made for histograms.
//
//	go run ./examples/03_histograms
//
// Rows of counts are compared bin by bin. An additive kernel is a sum over the bins,
//
//	chi2             Σ 2xz/(x+z)
//	intersection     Σ min(x, z)
//	jensen-shannon   Σ ½x log₂((x+z)/x) + ½z log₂((x+z)/z)
//
// and its feature map needs no chance: 2n+1 numbers for each bin, samples of the spectrum of a function of one variable
// (layers.HomogeneousLayer). Kernels that compare the bins together have random features: the exponentiated ones,
// exp(-D²/2σ²) with the metric D of an additive kernel (layers.ExponentiatedLayer), and the kernel of the semigroup of
// histograms, exp(-β Σ √(x+z)), an expectation of exp(-w·x) exp(-w·z) whose features are Laplace's
// (layers.NewRandomLaplaceLayer).
//
// The program makes 5000 documents of 80 words each, from a vocabulary of 60. The classes come in pairs: a document of
// one is about one of two topics, a document of the other about both. The mean histograms of a pair are equal, so that
// no linear function of the counts tells them apart. Every map is a layers.Spec in a train.Recipe, a name, whose
// parameters come from the training rows. The classifier is ridge regression on the features, with λ by leave-one-out.
//
// It exits with 1 unless every map for histograms beats the linear model, and the exponentiated χ² kernel the additive
// one.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/bochner-go/bochner/examples/internal/must"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
)

func main() {
	plot := flag.String("plot", "03_histograms.png", "where the picture goes")
	flag.Parse()

	set := data.SyntheticHistograms(1)
	half, other := data.Split(set.Rows(), .5, 1)
	trainSet, testSet := set.Take(half), set.Take(other)

	fmt.Println("map                  features  accuracy")
	best := map[string]float64{}
	var curves []report.Line
	for _, name := range []string{"linear", "chi2", "intersection", "jensen-shannon", "exp-semigroup", "exp-chi2"} {
		curve := report.Line{Name: name}
		for _, features := range []int{64, 128, 256, 512, 1024} {
			recipe := train.Recipe{
				Scale:  "l1", // each row divided by its sum
				Spec:   layers.Spec{Map: name, Seed: 1},
				Fitter: linear.RidgeOptions{Lambdas: []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10}, Select: linear.SelectLOO},
			}
			sized := must.Get(layers.Lookup(name)).HasFeatures()
			if sized {
				recipe.Spec.Features = features
			}
			model, _, err := recipe.Fit(context.Background(), trainSet)
			must.Do(err)
			a := must.Get(report.Accuracy(must.Get(model.Predict(testSet.X)), must.Get(model.Classes.Index(testSet.Labels))))
			fmt.Printf("%-20s %8d  %.3f\n", name, model.Map.Features(), a)
			best[name] = a
			curve.Add(float64(model.Map.Features()), a, 0)
			if !sized {
				break // the input says how many there are
			}
		}
		curves = append(curves, curve)
	}
	must.Do(report.SavePNG(*plot, must.Get(report.ScoreCurves(curves, report.WithTitle("Bags of words: accuracy by number of features")))))
	fmt.Println("\ndrawn:", *plot)

	for name, a := range best {
		if name != "linear" && a < best["linear"]+.05 {
			log.Fatalf("%s classifies %.3f, the linear model %.3f", name, a, best["linear"])
		}
	}
	if best["exp-chi2"] <= best["chi2"] {
		log.Fatalf("exp-chi2 classifies %.3f, chi2 %.3f", best["exp-chi2"], best["chi2"])
	}
}
