package linear

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// readStandard are the rows of a file, columns and targets standardised.
func readStandard(t *testing.T, path string) (*tensor.Dense, *mat.Dense) {
	t.Helper()
	set, err := data.Read(path, data.Options{Task: data.Regression})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the data are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := set.Dense()
	if err != nil {
		t.Fatal(err)
	}
	y := mat.NewDense(len(set.Y), 1, set.Y)
	for _, m := range []*mat.Dense{trial.MatOf(x), y} {
		n, d := m.Dims()
		for j := range d {
			column := mat.Col(nil, j, m)
			mean, std := stat.MeanStdDev(column, nil)
			for i := range n {
				m.Set(i, j, (column[i]-mean)/std)
			}
		}
	}
	return x, y
}

// TestPosteriorOnData: on 500 rows of kin8nm, at 500 others, 4096 orthogonal features have the standard deviation of
// the exact Gaussian process, and the mean to the root mean square, within 5 % of the prior's standard deviation, which
// is 1. Measured with 4 seeds: .0035 to .0077 at most, and .0175 to .0228; the mean is off by .065 to .098 at most.
func TestPosteriorOnData(t *testing.T) {
	if trial.RaceEnabled || testing.Short() {
		t.Skip("not with -short or under the race detector: a matrix of 4096²")
	}
	const n, rho, sigma = 500, .1, 6
	all, targets := readStandard(t, "../../../shared/data/kin8nm/kin8nm.all.csv.gz")
	x, y := trial.RowsOf(all, targets, 0, n)
	at, _ := trial.RowsOf(all, targets, n, 2*n)
	kernel := spectral.Gaussian{Sigma: sigma}
	gram, err := spectral.Gram(kernel, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	cross, err := spectral.Gram(kernel, x, at)
	if err != nil {
		t.Fatal(err)
	}
	m, err := layers.NewFourierLayer(kernel, 8, 4096, layers.WithSeed(1), layers.WithSampler(spectral.Orthogonal{}))
	if err != nil {
		t.Fatal(err)
	}
	var s RidgeStats
	if err := s.AddRows(context.Background(), m, data.Pairs{X: x, Y: y}); err != nil {
		t.Fatal(err)
	}
	scale, err := s.scale()
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.PosteriorWithNoise(rho/scale, []float64{rho})
	if err != nil {
		t.Fatal(err)
	}
	z, err := m.Transform(nil, at)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Variance(nil, z)
	if err != nil {
		t.Fatal(err)
	}
	var mean mat.Dense
	mean.Mul(trial.MatOf(z), p.Fit.W)
	gp, target := newProcess(gram, rho), mat.VecDenseCopyOf(y.ColView(0))
	square, meanOff, stdOff, least, most := 0., 0., 0., math.Inf(1), 0.
	for i := range n {
		exact, variance := gp.at(target, mat.VecDenseCopyOf(cross.ColView(i)), 1)
		std := math.Sqrt(rho * variance)
		off := mean.At(i, 0) + p.Fit.B[0] - exact
		square += off * off / n
		meanOff = max(meanOff, math.Abs(off))
		stdOff = max(stdOff, math.Abs(math.Sqrt(p.Noise[0]*v[i])-std))
		least, most = min(least, std), max(most, std)
	}
	log, _ := gp.logDensity(target, rho)
	t.Logf("the mean is off by %.4f, at most %.4f, the standard deviation by %.4f, which is %.3f to %.3f; the evidence is %.2f, exactly %.2f; effective %.1f",
		math.Sqrt(square), meanOff, stdOff, least, most, p.LogEvidence, log, p.Effective)
	if square > .03*.03 || meanOff > .13 || stdOff > .015 {
		t.Error("that is more than was measured")
	}
}
