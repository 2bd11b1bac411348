package report_test

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// pair is the map [cos(xW) | sin(xW)]/sqrt(m) of Rahimi and Recht (2007), for one input column.
type pair struct{ w []float64 }

func (p pair) Dims() int     { return 1 }
func (p pair) Features() int { return 2 * len(p.w) }
func (p pair) Transform(_, x *tensor.Dense) (*tensor.Dense, error) {
	m, scale := len(p.w), 1/math.Sqrt(float64(len(p.w)))
	var z []float64
	for _, v := range x.Float64s() {
		row := make([]float64, 2*m)
		for j, w := range p.w {
			row[j], row[m+j] = scale*math.Cos(w*v), scale*math.Sin(w*v)
		}
		z = append(z, row...)
	}
	return tensor.New(tensor.WithShape(x.Shape()[0], 2*m), tensor.WithBacking(z)), nil
}

func ExampleCompare() {
	exact := mat.NewDense(2, 2, []float64{1, 0.5, 0.5, 1})
	approx := mat.NewDense(2, 2, []float64{1, 0.6, 0.6, 1})
	e, err := report.Compare(exact, approx)
	if err != nil {
		panic(err)
	}
	fmt.Printf("relative Frobenius %.4f, max %.4f, rms %.4f, mean signed %+.4f\n", e.RelativeFrobenius, e.Max, e.RMS, e.MeanSigned)
	// Output: relative Frobenius 0.0894, max 0.1000, rms 0.0707, mean signed +0.0500
}

func ExampleKernelError() {
	k := spectral.Gaussian{Sigma: 1}
	x := tensor.New(tensor.WithShape(5, 1), tensor.WithBacking([]float64{-2, -0.5, 0, 1, 3}))
	draw := func(seed uint64) (report.Map, error) {
		w, err := spectral.Frequencies(k, spectral.IID{}, 1, 512, seed)
		if err != nil {
			return nil, err
		}
		return pair{w.Float64s()}, nil
	}
	r, err := report.KernelError(k, draw, x, []uint64{1, 2, 3, 4, 5, 6, 7, 8})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d pairs, %d features, relative error below 0.1: %v, |z| below 4: %v\n",
		r.Pairs, r.Features, r.Mean.RelativeFrobenius < 0.1, math.Abs(r.Bias.Z) < 4)
	// Output: 10 pairs, 1024 features, relative error below 0.1: true, |z| below 4: true
}

func ExampleKernelErrorReport_String() {
	k := spectral.Gaussian{Sigma: 1}
	x := tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]float64{0, 1, 2}))
	// One frequency for every seed, so not a draw: cos(x - z) in place of exp(-(x - z)²/2).
	draw := func(seed uint64) (report.Map, error) { return pair{[]float64{1}}, nil }
	r, err := report.KernelError(k, draw, x, []uint64{1, 2})
	if err != nil {
		panic(err)
	}
	fmt.Print(r)
	// Output:
	// kernel error: 3 rows (3 pairs), 2 features, 2 seeds
	//               rel. Frobenius     max     rms  mean signed
	//       seed 1          0.3726  0.5515  0.2637       -0.152
	//       seed 2          0.3726  0.5515  0.2637       -0.152
	//         mean          0.3726  0.5515  0.2637       -0.152
	//   std. error               0       0       0            0
	// bias over pairs, against the kernel: -0.228 ± 0 (z undefined: all seeds agree)
}

func ExampleConfusion() {
	counts, names := [][]int{{48, 2}, {5, 45}}, []string{"cat", "dog"}
	img := report.Must(report.Confusion(counts, names, report.WithTitle("Cats and dogs")))
	fmt.Println(img.Bounds().Dx() > 600)
	// Output: true
}

func ExampleGrid() {
	confusion := report.Must(report.Confusion([][]int{{48, 2}, {5, 45}}, nil, report.WithSize(800, 640)))
	curves := report.Must(report.Curves(report.History{Loss: []float64{0.7, 0.4, 0.3}}, report.WithSize(800, 640)))
	both := report.Must(report.Grid(2, confusion, curves))
	fmt.Println(both.Bounds().Size())
	// Output: (1624,640)
}

// A map that states another expectation than the kernel, here cos(x - z) in place of the Gaussian, has no bias against
// it.
func ExampleKernelErrorAgainst() {
	k := spectral.Gaussian{Sigma: 1}
	x := tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]float64{0, 1, 2}))
	draw := func(seed uint64) (report.Map, error) { return pair{[]float64{1}}, nil } // cos(x - z), whatever the seed
	r, err := report.KernelErrorAgainst(func(x, z []float64) float64 { return math.Cos(x[0] - z[0]) }, k, draw, x, []uint64{1, 2})
	if err != nil {
		panic(err)
	}
	fmt.Printf("bias against the kernel %.2f, against the expectation below 1e-12: %v\n", r.Bias.Mean, math.Abs(r.ExpectedBias.Mean) < 1e-12)
	// Output: bias against the kernel -0.23, against the expectation below 1e-12: true
}

func ExampleBars() {
	bars := []report.Bar{{Name: "tuned", Value: .027, Kind: "the best"}, {Name: "frozen", Value: .048}}
	img := report.Must(report.Bars("error rate", bars))
	fmt.Println(img.Bounds().Size())
	// Output: (1100,288)
}

// A line through points; the image.Image is what a notebook shows.
func ExampleLines() {
	bell := report.Line{Name: "Gaussian", X: []float64{0, 1, 2}, Y: []float64{1, .61, .14}}
	img := report.Must(report.Lines("x", "k(0, x)", []report.Line{bell}))
	fmt.Println(img.Bounds().Size())
	// Output: (1100,780)
}

func ExampleConfusionMatrix() {
	m, err := report.ConfusionMatrix([]int{0, 1, 1, 2}, []int{0, 0, 1, 2}, 3)
	fmt.Println(m, err)
	// Output: [[1 1 0] [0 1 0] [0 0 1]] <nil>
}

func ExampleRanking() {
	scores := []float64{.9, .8, .7, .6, .3, .2}
	r, err := report.NewRanking(scores, []bool{true, true, false, true, false, false})
	if err != nil {
		panic(err)
	}
	fmt.Printf("area %.3f, average precision %.3f, equal error rate %.3f\n", r.AUC(), r.AveragePrecision(), r.EqualErrorRate())
	perfect, _ := report.NewRanking(scores, []bool{true, true, true, false, false, false})
	fmt.Println(perfect.AUC(), perfect.AveragePrecision(), perfect.EqualErrorRate())
	// Output:
	// area 0.889, average precision 0.917, equal error rate 0.333
	// 1 1 0
}
