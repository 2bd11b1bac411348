package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

var (
	trainRows = flag.String("train", "", "LIBSVM file of classes to fit to (default 16000 synthetic rows of 26 classes)")
	features  = flag.String("features", "1024", "features to fit heads to, numbers separated by commas")
)

// BenchmarkFit fits heads to random Fourier features of standardised rows: ridge regression of the classes with lambda
// given or chosen by leave-one-out errors, softmax to a share of 1e-6 of its objective, support vector machines, one
// against the rest, and mini-batches of 256 rows through a map that is tuned or frozen, two epochs of Adam.
func BenchmarkFit(b *testing.B) {
	blas.Use()
	x, labels, y := problem(b)
	forSizes(b, func(b *testing.B, size int, dt tensor.Dtype) {
		m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2.83}, x.Shape()[1], size, layers.WithSeed(1), layers.WithDtype(dt))
		clitest.OK(b, err)
		z, err := m.Transform(nil, as(b, dt, x))
		clitest.OK(b, err)
		save(b, fmt.Sprintf("%d.%v", size, dt), ops.Float64s(z))
		rows, ctx, lambda := data.Pairs{X: z, Y: y}, context.Background(), 1e-6*float64(len(labels))
		for _, c := range []struct {
			name string
			fit  func() (*linear.Fit, error)
		}{
			{"head=ridge/lambda=given", func() (*linear.Fit, error) {
				return linear.FitRidge(ctx, nil, rows, linear.RidgeOptions{Lambdas: []float64{lambda}})
			}},
			{"head=ridge/lambda=chosen", func() (*linear.Fit, error) {
				return linear.FitRidge(ctx, nil, rows, linear.RidgeOptions{})
			}},
			{"head=softmax/lambda=given", func() (*linear.Fit, error) {
				return linear.FitLogistic(ctx, nil, rows, linear.LogisticOptions{Lambdas: []float64{lambda}, Tol: 2e-6})
			}},
			{"head=svm/lambda=given", func() (*linear.Fit, error) {
				return linear.FitSVM(ctx, nil, rows, linear.SVMOptions{Lambdas: []float64{lambda}})
			}},
		} {
			b.Run(c.name, func(b *testing.B) {
				var f *linear.Fit
				for b.Loop() {
					if f, err = c.fit(); err != nil {
						b.Fatal(err)
					}
				}
				if sum := floats.Sum(f.Objective); sum > 0 {
					b.ReportMetric(sum, "objective")
				}
			})
		}
	})
}

// BenchmarkSteps is two epochs of Adam on batches of 256 rows, through a map that is tuned or frozen.
func BenchmarkSteps(b *testing.B) {
	x, labels, y := problem(b)
	forSizes(b, func(b *testing.B, size int, dt tensor.Dtype) {
		for _, policy := range []layers.Policy{layers.Frozen, layers.Bandwidth, layers.All} {
			b.Run(fmt.Sprint("tune=", policy), func(b *testing.B) {
				opts := []layers.Option{layers.WithSeed(1), layers.WithDtype(dt), layers.Tune(policy)}
				m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2.83}, x.Shape()[1], size, opts...)
				clitest.OK(b, err)
				head, err := layers.NewSoftmaxHead(size, y.RawMatrix().Cols, opts[1])
				clitest.OK(b, err)
				rows := data.Pairs{X: as(b, dt, x), Y: y}
				for b.Loop() {
					_, err := sgd.Fit(context.Background(), m, head, rows, sgd.FitOptions{Epochs: 2})
					clitest.OK(b, err)
				}
				steps := 2 * ((len(labels) + 255) / 256)
				b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*steps), "µs/step")
			})
		}
	})
}

// BenchmarkPredict scores rows by a fitted model, as a server does.
func BenchmarkPredict(b *testing.B) {
	x, labels, _ := problem(b)
	set := &data.Set{X: x}
	for _, c := range labels {
		set.Labels = append(set.Labels, fmt.Sprint(c))
	}
	forSizes(b, func(b *testing.B, size int, dt tensor.Dtype) {
		spec := layers.Spec{Map: "gaussian", Features: size, Seed: 1, Dtype: dt.String(), Tune: "none"}
		m, _, err := train.Recipe{Spec: spec, Fitter: linear.RidgeOptions{Lambdas: []float64{1}}}.Fit(context.Background(), set)
		clitest.OK(b, err)
		for _, n := range []int{1, 64} {
			b.Run(fmt.Sprint("rows=", n), func(b *testing.B) {
				part := data.RowRange(x, 0, n)
				for b.Loop() {
					_, err := m.Scores(part)
					clitest.OK(b, err)
				}
			})
		}
	})
}

// forSizes runs a benchmark for each number of features and element type.
func forSizes(b *testing.B, run func(b *testing.B, size int, dt tensor.Dtype)) {
	for _, word := range strings.Split(*features, ",") {
		size, err := strconv.Atoi(word)
		if err != nil {
			b.Fatalf("-features %q: %v", *features, err)
		}
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			b.Run(fmt.Sprintf("features=%d/type=%v", size, dt), func(b *testing.B) { run(b, size, dt) })
		}
	}
}

// synthetic returns rows around the centres of 26 classes.
func synthetic() (x *tensor.Dense, labels []int) {
	const n, d, classes = 16000, 16, 26
	rng := rand.New(rand.NewPCG(1, 5))
	centres := make([]float64, classes*d)
	for i := range centres {
		centres[i] = 1.2 * rng.NormFloat64()
	}
	v := make([]float64, n*d)
	for i := range n {
		labels = append(labels, rng.IntN(classes))
		for j := range d {
			v[i*d+j] = centres[labels[i]*d+j] + rng.NormFloat64()
		}
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v)), labels
}

// problem returns standardised rows of classes, and saves them for the peers.
func problem(b *testing.B) (x *tensor.Dense, labels []int, y *mat.Dense) {
	if *trainRows == "" {
		x, labels = synthetic()
	} else {
		set, err := data.Read(*trainRows, data.Options{})
		if err == nil {
			x, err = set.Dense()
		}
		if err == nil {
			labels, err = data.NewClasses(set.Labels).Index(set.Labels)
		}
		clitest.OK(b, err)
	}
	scaler, err := data.ParseScalers("standard")
	if err == nil {
		err = scaler.Fit(x)
	}
	if err == nil {
		_, err = scaler.ApplyInPlace(x)
	}
	clitest.OK(b, err)
	if y, err = data.OneVersusRest(labels, slices.Max(labels)+1); err != nil {
		b.Fatal(err)
	}
	save(b, "x", x.Float64s())
	save(b, "labels", labels64(labels))
	return x, labels, y
}

func labels64(labels []int) []int64 {
	out := make([]int64, len(labels))
	for i, c := range labels {
		out[i] = int64(c)
	}
	return out
}

// save writes numbers to a file for the peers, if there is a folder for it.
func save(b *testing.B, name string, numbers any) {
	if *files == "" {
		return
	}
	f, err := os.Create(filepath.Join(*files, name))
	if err == nil {
		w := bufio.NewWriterSize(f, 1<<20)
		err = errors.Join(binary.Write(w, binary.LittleEndian, numbers), w.Flush(), f.Close())
	}
	clitest.OK(b, err)
}

// as converts rows to an element type.
func as(b *testing.B, dt tensor.Dtype, x *tensor.Dense) *tensor.Dense {
	rows, err := (&data.Set{X: x}).As(dt)
	clitest.OK(b, err)
	return rows.(*tensor.Dense)
}
