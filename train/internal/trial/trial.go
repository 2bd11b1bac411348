// Package trial has the rows and maps of the tests of train and of the packages below.
package trial

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Blocks are rows as they come.
type Blocks iter.Seq2[data.Pairs, error]

func (b Blocks) Blocks(context.Context, int) iter.Seq2[data.Pairs, error] {
	return iter.Seq2[data.Pairs, error](b)
}

// InBlocks are the rows of a problem in blocks of some sizes, the last size again and again; sparse ones every other.
func InBlocks(t *testing.T, x *tensor.Dense, y *mat.Dense, sizes ...int) Blocks {
	return func(yield func(data.Pairs, error) bool) {
		n := x.Shape()[0]
		for lo, k := 0, 0; lo < n; k++ {
			hi := min(n, lo+sizes[min(k, len(sizes)-1)])
			xs, ys := RowsOf(x, y, lo, hi)
			b := data.Pairs{X: xs, Y: ys}
			if k%2 == 1 {
				s, err := ops.CSROf(xs)
				if err != nil {
					t.Fatal(err)
				}
				b.X = s
			}
			if !yield(b, nil) {
				return
			}
			lo = hi
		}
	}
}

func Fourier(t *testing.T, d, features int, sigma float64) *layers.RandomLayer {
	t.Helper()
	m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: sigma}, d, features, layers.WithSeed(3))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ClassTimes are the weights of the classes, and repeated each row as often as that of its class says.
var ClassTimes = []float64{2, 1, 3}

func Repeated(x *tensor.Dense, y *mat.Dense) (*tensor.Dense, *mat.Dense) {
	var rows []int
	for i := range y.RawMatrix().Rows {
		c := given.ArgMax(y.RawRowView(i))
		for range int(ClassTimes[c]) {
			rows = append(rows, i)
		}
	}
	return data.Rows(x, rows).(*tensor.Dense), given.TargetRows(y, rows)
}

// Overlapping are n rows of d columns in k classes that overlap, and targets.
func Overlapping(t *testing.T, n, d, k int) (*tensor.Dense, *mat.Dense, *mat.Dense) {
	t.Helper()
	x, target := Problem(n, d, 1, 61)
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i % k
		x.Float64s()[i*d+i%k] += 2.5
	}
	return x, Classes(x, labels, k).Y, target
}

// Classes are rows with the targets of their classes.
func Classes(x ops.Matrix, labels []int, k int) data.Pairs {
	y, err := data.OneVersusRest(labels, k)
	if err != nil {
		panic(err)
	}
	return data.Pairs{X: x, Y: y}
}

// Read are rows that are read: pairs as any other type hands them out.
type Read struct{ data.Pairs }

func HeadOf(t *testing.T, softmax bool, d, k int) layers.Head {
	t.Helper()
	kind := "linear"
	if softmax {
		kind = "softmax"
	}
	h, err := layers.NewHead(kind, d, k)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// RowsOf is rows lo..hi-1 of a problem.
func RowsOf(x *tensor.Dense, y *mat.Dense, lo, hi int) (*tensor.Dense, *mat.Dense) {
	return ops.Rows(x, lo, hi), y.Slice(lo, hi, 0, y.RawMatrix().Cols).(*mat.Dense)
}

// Problem draws n rows of d correlated features about a mean that is not 0, with k noisy targets.
func Problem(n, d, k int, seed uint64) (*tensor.Dense, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := make([]float64, n*d), mat.NewDense(n, k, nil)
	for i := range n {
		common := rng.NormFloat64()
		for j := range d {
			x[i*d+j] = 3 + common + float64(j%3+1)*rng.NormFloat64()
		}
		for t := range k {
			y.Set(i, t, 7+x[i*d+t%d]*float64(t+1)-common+0.5*rng.NormFloat64())
		}
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x)), y
}

func MatOf(x *tensor.Dense) *mat.Dense { return mat.NewDense(x.Shape()[0], x.Shape()[1], x.Float64s()) }

// TwoCircles are n points about the origin, "in" at a distance of 1 and "out" of 2: no line tells them apart.
func TwoCircles(n int, seed uint64) (x *tensor.Dense, labels []string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := make([]float64, 0, 2*n)
	for i := range n {
		r, a := 1+float64(i%2)+.2*rng.NormFloat64(), 2*math.Pi*rng.Float64()
		v = append(v, r*math.Cos(a), r*math.Sin(a))
		labels = append(labels, []string{"in", "out"}[i%2])
	}
	return tensor.New(tensor.WithShape(n, 2), tensor.WithBacking(v)), labels
}
