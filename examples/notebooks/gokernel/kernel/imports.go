//go:build gokernel

package main

// Notebooks can import these packages, besides the packages of the standard library that gomacro has. The installer
// reads the list.
import (
	_ "math/rand/v2"

	_ "github.com/bochner-go/bochner/init"
	_ "github.com/bochner-go/bochner/layers"
	_ "github.com/bochner-go/bochner/ops"
	_ "github.com/bochner-go/bochner/ops/blas"
	_ "github.com/bochner-go/bochner/ops/dense"
	_ "github.com/bochner-go/bochner/ops/domain"
	_ "github.com/bochner-go/bochner/train"
	_ "github.com/bochner-go/bochner/train/calibrate"
	_ "github.com/bochner-go/bochner/train/data"
	_ "github.com/bochner-go/bochner/train/evidence"
	_ "github.com/bochner-go/bochner/train/fits"
	_ "github.com/bochner-go/bochner/train/linear"
	_ "github.com/bochner-go/bochner/train/modelfile"
	_ "github.com/bochner-go/bochner/train/onnx"
	_ "github.com/bochner-go/bochner/train/report"
	_ "github.com/bochner-go/bochner/train/sgd"
	_ "github.com/bochner-go/bochner/train/wholefile"

	_ "gonum.org/v1/gonum/floats"
	_ "gonum.org/v1/gonum/mat"
	_ "gonum.org/v1/gonum/stat"
	_ "gonum.org/v1/gonum/stat/distuv"
	_ "gonum.org/v1/plot"
	_ "gonum.org/v1/plot/palette"
	_ "gonum.org/v1/plot/palette/moreland"
	_ "gonum.org/v1/plot/plotter"
	_ "gonum.org/v1/plot/plotutil"
	_ "gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg"

	_ "gorgonia.org/gorgonia"
	_ "gorgonia.org/tensor"
)
