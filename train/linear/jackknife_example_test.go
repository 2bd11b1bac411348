package linear_test

import (
	"context"
	"fmt"

	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// Intervals without a held-out row: of the jackknife+, and by leave-one-out residuals alone.
func ExampleNewJackknife() {
	x, y := sine(60)
	j, err := linear.NewJackknife(context.Background(), nil, data.Pairs{X: x, Y: y}, .01)
	if err != nil {
		fmt.Println(err)
		return
	}
	test := tensor.New(tensor.WithShape(1, x.Shape()[1]), tensor.WithBacking([]float64{1}))
	mean, lower, upper, err := j.Intervals(context.Background(), test, .9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f in [%.2f, %.2f]\n", mean.At(0, 0), lower.At(0, 0), upper.At(0, 0))
	v, err := calibrate.IntervalsOfResiduals(j.Residuals(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	radius, err := v.Radius(.9)
	fmt.Printf("± %.2f %v\n", radius[0], err)
	// Output:
	// 0.67 in [0.01, 1.31]
	// ± 0.65 <nil>
}
