package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// images classifies the first images of each file, and their mirror images, as sets of pixels: figure 5.
func (o *options) images(ctx context.Context) {
	trainSets := asLabelled(try.Get(data.ReadImageBags(o.in, true, slices.Max(o.sets))))
	if n, least := trainSets.Len(), o.sets[0]; n < least {
		try.Fail("%s: %d images are fewer than the least number of -sets, %d", o.in, n, least)
	}
	testSets := asLabelled(try.Get(data.ReadImageBags(o.testFile, true, o.test)))
	p := o.newProblem(trainSets, testSets)
	printHead("wrong, %")
	o.Add(errorByTime(o.compare(ctx, p), "Images as sets of pixels", "wrong, %"))
}

// asLabelled are the sets of a file in float32, and +1 for the label that is first in the order of letters and -1 for
// the other.
func asLabelled(set *data.Set) labelled {
	classes := data.NewClasses(set.Labels)
	if len(classes) != 2 {
		try.Fail("%s: the classes are %s, want two", set.Source, strings.Join(classes, ", "))
	}
	x := try.Get(set.As(tensor.Float32))
	sign := map[string]float64{classes[0]: 1, classes[1]: -1}
	return labelled{x.(*ops.Bags), frame.Each(set.Labels, func(l string) float64 { return sign[l] })}
}

// folds is how many parts a file without a test file is cut into, each of which is tested on.
const folds = 10

// bags classifies the sets of a CSV file, each coordinate by its own density, by cross-validation.
func (o *options) bags(ctx context.Context) {
	set := try.Get(data.ReadBags(o.in, data.Options{}))
	frame.Scale("cube", set)
	sets := asLabelled(set)
	if sets.Len() < 2*folds {
		try.Fail("%s: %d sets are too few for %d parts", o.in, sets.Len(), folds)
	}
	printHead("wrong, %")
	for _, m := range o.chosen {
		if strings.HasPrefix(m.name, "histogram") && sets.Axes() > 3 {
			continue // a grid of so many dimensions has too many cells
		}
		try.In(m.name, func() { show(o.crossValidate(ctx, m, sets)) })
	}
}

// crossValidate is the share of sets that a method gets wrong when it has learnt on the other parts, with the choices
// made on those.
func (o *options) crossValidate(ctx context.Context, m method, sets labelled) result {
	order := rand.New(spectral.Stream(o.Seed, "folds")).Perm(sets.Len())
	total := result{method: m.name, sets: sets.Len(), samples: sets.Samples().Shape()[0] / sets.Len()}
	for f := range folds {
		var in, out []int
		for k, i := range order {
			if k%folds == f {
				out = append(out, i)
			} else {
				in = append(in, i)
			}
		}
		p := o.newProblem(sets.take(in), sets.take(out))
		r := o.measure(ctx, m, p, o.tune(ctx, m, p))
		total.err += r.err * float64(len(out)) / float64(sets.Len())
		total.features += r.features / folds
		total.fit += r.fit / folds
	}
	total.stdErr = math.Sqrt(total.err * (100 - total.err) / float64(sets.Len()))
	return total
}
