// Command 09_uncertainty asks models how sure they are, and checks what they say where the answer is known.
//
//	go run ./examples/09_uncertainty
//
// Ridge regression on random features is the mean of a posterior, and linear.RidgeStats knows all of it from its sums:
//
//	best, err := stats.Evidence(ctx, nil)       // the penalty of the largest marginal likelihood
//	p, err := stats.Posterior(best.Lambda)      // p.Fit the mean, p.Noise the variance of the noise
//	v, err := p.Variance(nil, z)                // √(p.Noise[0]·v) is the standard deviation of the function
//	head, err := p.Draw(seed)                   // a function from the posterior
//	err = stats.Forget(.9)                      // the rows so far count for less than those that follow
//
// The program makes its data and prints four tables.
//
// The first compares the posterior with the exact Gaussian process of the same kernel, noise and prior, by Cholesky's
// factor of its kernel matrix. In the data they agree to some hundredths of the prior's standard deviation. In a gap
// and outside the points say little, and the features show how many they are: 64 put the mean up to half a standard
// deviation off, 1024 up to a sixth. The width of the band is nearer: that of 1024 is right to a twentieth, and to a
// hundredth four bandwidths away.
//
// The second learns from few points: each next one is where the standard deviation is largest, or it is drawn at
// random.
//
// The third trains on small pictures of eight of the ten digits and shows the model all ten. How often has a picture of
// an unseen digit a larger entropy of its predicted classes than one of a digit that was learned? A softmax head is
// beside Laplace's approximation of the posterior of its weights (linear.FitLaplace), each with and without the
// temperature of held-out rows. The temperature alone is the control, since what it does is no merit of the posterior:
// here Laplace alone is no better than it, and both together gain some thousandths.
//
// In the fourth a target stays, turns into another, and stays again. Sums that forget follow it, and pay for it while
// it stays.
//
// The picture has the posterior of the first table, and the curves of the second and the fourth.
//
// It exits with 1 unless the features come closer to the exact process as their number grows, the chosen points have
// the lesser error, temperature makes probabilities better, and the sums that forget have the lesser error from the
// drift on and the larger one before it.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"log"
	"strings"

	"github.com/bochner-go/bochner/examples/internal/must"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/cmd/program"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

var ctx = context.Background()

func main() {
	plot := flag.String("plot", "09_uncertainty.png", "where the picture goes; empty draws none")
	flag.Parse()
	blas.Use()

	bandPicture := band()
	choicePicture := choose()
	unseen()
	driftPicture := drift()
	must.Do(program.SavePicture(*plot, 1, bandPicture, must.Get(report.Grid(2, choicePicture, driftPicture))))
}

// gaussian is a map to random Fourier features of the Gaussian kernel.
func gaussian(sigma float64, dims, features int, seed uint64) *layers.FourierLayer {
	return must.Get(layers.NewFourierLayer(spectral.Gaussian{Sigma: sigma}, dims, features, layers.WithSeed(seed)))
}

// rows is x as a matrix of so many columns.
func rows(x []float64, dims int) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(x)/dims, dims), tensor.WithBacking(x))
}

// column is y as a matrix of one column.
func column(y []float64) *mat.Dense { return mat.NewDense(len(y), 1, y) }

// at are the values of a head at features, of the first target.
func at(f *linear.Fit, z *tensor.Dense) []float64 {
	n, d := z.Shape()[0], z.Shape()[1]
	var y mat.Dense
	y.Mul(mat.NewDense(n, d, z.Float64s()), f.W)
	out := make([]float64, n)
	for i := range out {
		out[i] = y.At(i, 0) + f.B[0]
	}
	return out
}

// title begins a table in Markdown.
func title(text string, columns ...string) {
	fmt.Printf("%s\n\n%s", text, "| "+strings.Join(columns, " | ")+" |\n"+strings.Repeat("|---", len(columns))+"|\n")
}

// line is a line of a table.
func line(name, format string, values ...float64) {
	fmt.Print("| ", name, " |")
	for _, v := range values {
		fmt.Print(" ", short(format, v), " |")
	}
	fmt.Println()
}

// short is a number without the zero before its point.
func short(format string, v float64) string { return strings.TrimPrefix(fmt.Sprintf(format, v), "0") }

// claim ends the program where a claim does not hold.
func claim(holds bool, format string, values ...any) {
	if !holds {
		log.Fatalf(format, values...)
	}
}

// picture draws lines in a panel.
func picture(title, x, y string, lines []report.Line) image.Image {
	return must.Get(report.Lines(x, y, lines, report.WithTitle(title), report.WithSize(900, 700)))
}
