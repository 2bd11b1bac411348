package sgd_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/sgd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A feature layer and a head take steps of a solver of Gorgonia's.
func ExampleBackprop() {
	rows := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{0, 0, 0, 1, 1, 0, 1, 1}))
	oneHot := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float64{1, 0, 0, 1, 0, 1, 1, 0}))
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, layers.Tune(layers.Bandwidth)))
	head := layers.MustHead(layers.NewSoftmaxHead(64, 2))

	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"), G.WithValue(rows))
	y := G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("y"), G.WithValue(oneHot))
	loss := G.Must(head.Loss(rff.Fwd(x).Node(), y))
	model := layers.Collect(rff, head)
	vm, err := sgd.Backprop(loss, model)
	if err != nil {
		log.Fatal(err)
	}
	defer vm.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(.1))
	for range 30 {
		if err := vm.RunAll(); err != nil {
			log.Fatal(err)
		}
		if err := solver.Step(G.NodesToValueGrads(model)); err != nil {
			log.Fatal(err)
		}
		vm.Reset()
	}
	p := layers.MustDense(head.Transform(nil, layers.MustDense(rff.Transform(nil, rows))))
	for i := range 4 {
		fmt.Printf("%.1f ", p.Float64s()[2*i])
	}
	// Output: 1.0 0.0 0.0 1.0
}

// The decay of the map is chosen on held-out rows.
func ExampleForTuning() {
	x, y := trial.Problem(200, 2, 1, 3)
	m := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 64, layers.Tune(layers.All)))
	head := layers.MustHead(layers.NewLinearHead(64, 1))
	report, err := sgd.ForTuning("linear").Fit(context.Background(), m, head, data.Pairs{X: x, Y: y})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(report.Epochs.Epochs), "epochs, one of two decays:", report.Epochs.MapDecay > 0)
	// Output: 40 epochs, one of two decays: true
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
	head := layers.MustHead(layers.NewSoftmaxHead(1, 2))
	rows := data.Streamed{Stream: stream, Classes: survey.Classes, Dtype: tensor.Float64}
	report, err := sgd.Fit(ctx, m, head, rows, sgd.FitOptions{Epochs: 50, Batch: 6, LearnRate: .5})
	if err != nil {
		panic(err)
	}
	fmt.Println("accuracy", report.Epochs[49].Score)
	// Output:
	// accuracy 1
}

// Fine-tuning from end to end: the bandwidth of the map and the softmax head learn together, by mini-batches.
func ExampleFit() {
	x, names := trial.TwoCircles(400, 1)
	classes := data.NewClasses(names)
	labels, err := classes.Index(names)
	if err != nil {
		log.Fatal(err)
	}
	y, err := data.OneVersusRest(labels, len(classes))
	if err != nil {
		log.Fatal(err)
	}
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 64, layers.WithSeed(1),
		layers.Tune(layers.Bandwidth)))
	head := layers.MustHead(layers.NewSoftmaxHead(64, len(classes)))
	report, err := sgd.Fit(context.Background(), rff, head, data.Pairs{X: x, Y: y}, sgd.FitOptions{
		Epochs: 20, Batch: 32, LearnRate: .05,
		Progress: func(e fits.Epoch) {
			if e.Number == e.Of {
				fmt.Printf("epoch %d of %d: loss below 0.2: %v, accuracy above 0.95: %v\n", e.Number, e.Of, e.Loss < .2, e.Score > .95)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	first, last := report.Epochs[0], report.Epochs[len(report.Epochs)-1]
	fmt.Println("the loss has fallen:", last.Loss < first.Loss)
	// Output:
	// epoch 20 of 20: loss below 0.2: true, accuracy above 0.95: true
	// the loss has fallen: true
}
