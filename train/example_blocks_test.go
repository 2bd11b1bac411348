package train_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// line is y = 2x + 1 in two blocks: rows of a type of one's own.
type line struct{}

func (line) Blocks(context.Context, int) iter.Seq2[data.Pairs, error] {
	return func(yield func(data.Pairs, error) bool) {
		for _, x := range [][]float64{{0, 1, 2}, {5, 7}} {
			y := mat.NewDense(len(x), 1, nil)
			for i, v := range x {
				y.Set(i, 0, 2*v+1)
			}
			if !yield(data.Pairs{X: tensor.New(tensor.WithShape(len(x), 1), tensor.WithBacking(x)), Y: y}, nil) {
				return
			}
		}
	}
}

func ExampleFitRidge_blocks() {
	head, err := train.FitRidge(context.Background(), nil, line{}, train.RidgeOptions{Lambdas: []float64{1e-9}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("y = %.3f x + %.3f\n", head.W.At(0, 0), head.B[0])
	// Output:
	// y = 2.000 x + 1.000
}

func ExampleFitRidgeCG() {
	head, err := train.FitRidgeCG(context.Background(), nil, line{}, train.CGOptions{Lambda: 1e-9})
	if err != nil {
		panic(err)
	}
	fmt.Printf("y = %.3f x + %.3f\n", head.W.At(0, 0), head.B[0])
	// Output:
	// y = 2.000 x + 1.000
}

func ExampleFit_stream() {
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for i, rows := range []string{"0,a\n1,a\n2,a\n", "5,b\n6,b\n7,b\n"} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.csv", i)), []byte(rows), 0o644); err != nil {
			panic(err)
		}
	}
	ctx := context.Background()
	stream, err := data.OpenStream(data.StreamOptions{Shuffle: 6}, dir)
	if err != nil {
		panic(err)
	}
	survey, err := stream.Survey(ctx, 0)
	if err != nil {
		panic(err)
	}
	m := layers.Must(layers.NewIdentity(1))
	head, err := layers.NewSoftmaxHead(1, 2)
	if err != nil {
		panic(err)
	}
	rows := data.Streamed{Stream: stream, Classes: survey.Classes, Dtype: tensor.Float64}
	report, err := train.Fit(ctx, m, head, rows, train.FitOptions{Epochs: 50, Batch: 6, LearnRate: .5})
	if err != nil {
		panic(err)
	}
	fmt.Println("accuracy", report.Epochs[49].Score)
	// Output:
	// accuracy 1
}
