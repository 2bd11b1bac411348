// Command 02_freeze_or_tune fine-tunes the frequencies of a feature map under a softmax head, and draws where they
// went.
//
//	go run ./examples/02_freeze_or_tune
//
// The frequencies of a random feature map are drawn from a law that the kernel prescribes, with no look at the data.
// They can stay that way, or learn with the head by gradient descent, as the weights of a network do. How much of them
// learns is a policy and not another layer:
//
//	layers.Frozen                      nothing
//	layers.Tune(layers.Bandwidth)      one number, a scale of all frequencies
//	layers.Tune(layers.BandwidthEach)  one number a dimension
//	layers.Tune(layers.All)            every frequency
//
// Here the class of a row is the sign of sin 7x₁, in stripes along the first of four dimensions; the others say
// nothing. A Gaussian kernel of bandwidth 1 is too smooth for the stripes, and its frequencies are as large in one
// direction as in another. A common scale makes the kernel sharper in all directions. A scale for each dimension finds
// the one that matters: the spectrum becomes long along the first axis and flat across it. With all frequencies free
// they also fit what is noise. The picture shows two of the four coordinates of each frequency, as it was drawn and as
// it was tuned.
//
// It exits with 1 unless frozen frequencies classify less than 70 % of new rows and a scale for each dimension more
// than 95 %, with a spectrum five times as long along the first axis as along the others.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"log"
	"math"
	"math/rand/v2"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

const rows, dims, features = 2000, 4, 128

func main() {
	plot := flag.String("plot", "02_freeze_or_tune.png", "where the picture goes")
	flag.Parse()

	accuracy, spectrum := map[layers.Policy]float64{}, map[layers.Policy]*mat.Dense{}
	fmt.Println("policy          accuracy  root mean square frequency along each axis")
	for _, p := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All} {
		rff := must.Get(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, dims, features, layers.Tune(p), layers.WithSeed(1)))
		accuracy[p] = learn(rff)
		spectrum[p] = frequencies(rff)
		fmt.Printf("%-14v %9.3f  %.2f\n", p, accuracy[p], lengths(spectrum[p]))
	}

	drawn := cloud("as drawn", spectrum[layers.Frozen])
	must.Do(report.SavePNG(*plot, must.Get(report.Grid(2, picture("A scale for each dimension", drawn, cloud("tuned", spectrum[layers.BandwidthEach])),
		picture("All frequencies", drawn, cloud("tuned", spectrum[layers.All]))))))
	fmt.Println("\ndrawn:", *plot)

	if accuracy[layers.Frozen] > .7 || accuracy[layers.BandwidthEach] < .95 {
		log.Fatalf("frozen frequencies classify %.3f, tuned ones %.3f", accuracy[layers.Frozen], accuracy[layers.BandwidthEach])
	}
	long := lengths(spectrum[layers.BandwidthEach])
	for _, other := range long[1:] {
		if long[0] < 5*other {
			log.Fatalf("the spectrum has the lengths %.2f", long)
		}
	}
}

// learn fits the map and a head to stripes and returns the accuracy on others.
func learn(rff *layers.RandomLayer) float64 {
	x, y := stripes(1)
	head := must.Get(layers.NewSoftmaxHead(features, 2, layers.WithName("head")))
	must.Get(sgd.Fit(context.Background(), rff, head, data.Pairs{X: x, Y: must.Get(data.OneVersusRest(y, 2))},
		sgd.FitOptions{Epochs: 30, Batch: 100, LearnRate: .1, MapRate: .05, Seed: 1}))
	x, y = stripes(2)
	p := must.Get(must.Get(layers.NewSequential(rff, head)).Transform(nil, x))
	return must.Get(report.Accuracy(train.ArgMax(mat.NewDense(rows, 2, p.Float64s())), y))
}

// stripes are rows in [-1, 1)^4 and their classes.
func stripes(seed uint64) (*tensor.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := make([]float64, rows*dims), make([]int, rows)
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	for i := range y {
		if math.Sin(7*x[i*dims]) > 0 {
			y[i] = 1
		}
	}
	return tensor.New(tensor.WithShape(rows, dims), tensor.WithBacking(x)), y
}

// frequencies are the map's frequencies now, [dims, m]: W, or W exp(-log_bandwidth) with one bandwidth for all or one a
// dimension.
func frequencies(rff *layers.RandomLayer) *mat.Dense {
	w := mat.NewDense(dims, features/2, nil)
	var scale []float64
	for _, p := range rff.Params() {
		switch p.Name {
		case "W":
			copy(w.RawMatrix().Data, p.Value.Float64s())
		case "log_bandwidth":
			scale = p.Value.Float64s()
		}
	}
	if scale != nil {
		for i := range dims {
			floats.Scale(math.Exp(-scale[min(i, len(scale)-1)]), w.RawRowView(i))
		}
	}
	return w
}

// lengths are the root mean squares of the rows.
func lengths(w *mat.Dense) []float64 {
	out := make([]float64, dims)
	for i := range out {
		out[i] = mat.Norm(w.RowView(i), 2) / math.Sqrt(features/2)
	}
	return out
}

func picture(title string, clouds ...report.Line) image.Image {
	return must.Get(report.Lines("w₁", "w₂", clouds, report.WithEqualAxes(), report.WithSize(900, 900), report.WithTitle(title)))
}

// cloud are the frequencies in the plane of the first two dimensions, each with its opposite, which is the same
// feature.
func cloud(name string, w *mat.Dense) report.Line {
	l := report.Line{Name: name, Points: true}
	for _, sign := range []float64{1, -1} {
		for j := range features / 2 {
			l.X, l.Y = append(l.X, sign*w.At(0, j)), append(l.Y, sign*w.At(1, j))
		}
	}
	return l
}
