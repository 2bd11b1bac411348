package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"gorgonia.org/tensor"
)

// Defaults that come from the data. The bandwidths of the Gaussian, Matérn and Laplacian kernels are the usual heuristics; the
// scales of the histogram kernels have none in the papers, which cross-validate, so they are set to a typical exponent of one:
// -ln k(x, x) for the semigroup kernels, -ln k(x, z) of two different rows for the skewed ones.

func gaussianDefaults(v Values, x *tensor.Dense) error {
	return fill(v, "sigma", func() (float64, error) { return spectral.SqrtDVar(x) })
}

func maternDefaults(v Values, x *tensor.Dense) error {
	return fill(v, "ell", func() (float64, error) { return spectral.SqrtDVar(x) })
}

func laplacianDefaults(v Values, x *tensor.Dense) error {
	return fill(v, "sigma", func() (float64, error) { return spectral.DMeanAbsDev(x) })
}

func expSemigroupDefaults(v Values, x *tensor.Dense) error {
	return fill(v, "beta", func() (float64, error) {
		s, err := meanRowSum(x, func(c float64) float64 { return math.Sqrt(2 * c) })
		return 1 / s, err
	})
}

func reciprocalDefaults(v Values, x *tensor.Dense) error {
	return fill(v, "lambda", func() (float64, error) { return meanRowSum(x, func(c float64) float64 { return 2 * c }) })
}

// skewedDefaults finds c such that the mean of -ln k(x, z) over pairs of rows is one. It falls as c grows.
func skewedDefaults(kernel func(c float64) spectral.Kernel) func(v Values, x *tensor.Dense) error {
	return func(v Values, x *tensor.Dense) error {
		return fill(v, "c", func() (float64, error) { return unitExponent(kernel, x) })
	}
}

// fill computes a parameter that is not given.
func fill(v Values, name string, f func() (float64, error)) error {
	if _, given := v[name]; given {
		return nil
	}
	x, err := f()
	if err != nil {
		return err
	}
	if !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("the rule for %s gives %v on these rows; set it by hand: %w", name, x, ErrParam)
	}
	v[name] = x
	return nil
}

// sample is at most limit rows in float64, evenly spread.
func sample(x *tensor.Dense, limit int) ([][]float64, error) {
	if x == nil || x.Dims() != 2 || x.Shape()[0] == 0 {
		return nil, fmt.Errorf("want rows [n, d] to derive it from: %w", ErrShape)
	}
	n, d := x.Shape()[0], x.Shape()[1]
	rows := make([][]float64, min(n, limit))
	for i := range rows {
		rows[i] = make([]float64, d)
		for j := range rows[i] {
			cell := (i*n/len(rows))*d + j
			if x.Dtype() == tensor.Float32 {
				rows[i][j] = float64(x.Float32s()[cell])
			} else {
				rows[i][j] = x.Float64s()[cell]
			}
		}
	}
	return rows, nil
}

func meanRowSum(x *tensor.Dense, f func(float64) float64) (float64, error) {
	rows, err := sample(x, 1000)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, row := range rows {
		for j, c := range row {
			if !(c >= 0) {
				return 0, spectral.ExpSemigroup{}.Domain().Violation("layers: the data", i, j, c)
			}
			sum += f(c)
		}
	}
	return sum / float64(len(rows)), nil
}

func unitExponent(kernel func(c float64) spectral.Kernel, x *tensor.Dense) (float64, error) {
	rows, err := sample(x, 256)
	if err != nil {
		return 0, err
	}
	lowest := 0.0
	for _, row := range rows {
		for _, c := range row {
			lowest = math.Min(lowest, c)
		}
	}
	exponent := func(c float64) float64 {
		sum := 0.0
		for i, row := range rows {
			sum -= math.Log(math.Max(kernel(c).At(row, rows[(i+len(rows)/2)%len(rows)]), math.SmallestNonzeroFloat64))
		}
		return sum / float64(len(rows))
	}
	low, high := 1e-12-lowest, 1e12-lowest
	if exponent(low) < 1 {
		return 0, fmt.Errorf("the rows hardly differ, so no c makes a typical -ln k(x, z) one; set c by hand: %w", ErrParam)
	}
	for range 200 { // bisection of ln c
		if mid := math.Sqrt(low * high); exponent(mid) > 1 {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Sqrt(low * high), nil
}
