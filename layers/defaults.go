package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// Defaults that come from the data. The bandwidths of the Gaussian, Matérn and Laplacian kernels follow the usual
// heuristics. For the scales of the histogram kernels the papers give none and cross-validate. Here β makes the mean of
// -ln k(x, x) one, c makes the mean of -ln k(x, z) over pairs of rows one, and λ is half the mean row sum: at larger
// scales the reciprocal kernel is all but constant, at smaller ones all but zero. σ of the softmax kernel makes the mean
// of ln k(x, x) one, beyond which the error of its features grows fast.

// rule returns the rule that a parameter is a statistic of the rows.
func rule(name string, of func(x ops.Matrix) (float64, error)) func(v Values, x ops.Matrix) error {
	return func(v Values, x ops.Matrix) error {
		return fill(v, name, func() (float64, error) { return of(x) })
	}
}

// scaled returns the rule that a bandwidth is factor times a statistic of the rows.
func scaled(name string, factor float64, of func(x ops.Matrix) (float64, error)) func(v Values, x ops.Matrix) error {
	return rule(name, func(x ops.Matrix) (float64, error) {
		s, err := of(x)
		return factor * s, err
	})
}

var (
	softmaxDefaults = rule("sigma", func(x ops.Matrix) (float64, error) {
		s, err := meanRowSum(x, domain.Reals(), func(c float64) float64 { return c * c })
		return math.Sqrt(s), err
	})
	expSemigroupDefaults = rule("beta", func(x ops.Matrix) (float64, error) {
		s, err := meanRowSum(x, domain.NonNegative(), func(c float64) float64 { return math.Sqrt(2 * c) })
		return 1 / s, err
	})
	reciprocalDefaults = rule("lambda", func(x ops.Matrix) (float64, error) {
		return meanRowSum(x, domain.NonNegative(), func(c float64) float64 { return c / 2 })
	})
)

// mixtureDefaults is the rule of the Gaussian for the sigmas of a spectral mixture.
func mixtureDefaults(v Values, x ops.Matrix) error {
	if _, given := v["sigmas"]; given {
		return nil
	}
	if err := scaled("sigmas", 1, SqrtDVar)(v, x); err != nil {
		return err
	}
	v["sigmas"] = listText([]float64{v.Number("sigmas")})
	return nil
}

// metricSigma returns half the root of the mean squared metric D² of two rows, for the kernel exp(-D²/2σ²). It
// corresponds to √(d Var/2) for the Euclidean distance, whose mean square is 2 d Var if all columns have the same mean.
// It looks at all pairs of at most 64 rows.
func metricSigma(k spectral.Homogeneous, x ops.Matrix) (float64, error) {
	rows, err := sample(x, 64, k.Domain())
	if err != nil {
		return 0, err
	}
	return halfDistance("rows", len(rows), func(i, j int) float64 { return spectral.SquaredMetric(k, rows[i], rows[j]) })
}

// halfDistance returns half the root of the mean squared distance over the pairs of n rows, or of what else they are: a
// first scale of a kernel exp(-d²/2σ²).
func halfDistance(what string, n int, squared func(i, j int) float64) (float64, error) {
	if n < 2 {
		return 0, fmt.Errorf("want at least two %s to derive it from: %w", what, ErrShape)
	}
	sum := 0.0
	for i := range n {
		for j := range i {
			sum += squared(i, j)
		}
	}
	return math.Sqrt(sum/float64(n*(n-1)/2)) / 2, nil
}

// fill computes a parameter if it is not given.
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

// spread returns the numbers of at most limit of n rows, evenly spread.
func spread(n, limit int) []int {
	numbers := make([]int, min(n, limit))
	for k := range numbers {
		numbers[k] = k * n / len(numbers)
	}
	return numbers
}

// some returns at most limit rows, evenly spread. A cell outside the domain is an error, which names its place in x.
func some(x ops.Matrix, limit int, on domain.Domain) (ops.Matrix, error) {
	if err := checkData(x, on); err != nil {
		return nil, err
	}
	numbers := spread(x.Shape()[0], limit)
	if s, ok := x.(*ops.CSR); ok {
		return s.Take(numbers), nil
	}
	return takeRows(x.(*tensor.Dense), numbers)
}

// checkData returns an error unless x has rows, of a domain.
func checkData(x ops.Matrix, on domain.Domain) error {
	if _, bags := x.(*ops.Bags); bags || domain.IsNil(x) || x.Dims() != 2 || x.Shape()[0] == 0 {
		return fmt.Errorf("want rows [n, d] to derive it from: %w", ErrShape)
	}
	return ops.CheckRows(on, "the data", x)
}

// cellsOf returns the cells of rows in float64, of sparse rows those that they store.
func cellsOf(x ops.Matrix) []float64 {
	s, ok := x.(*ops.CSR)
	if !ok {
		return ops.Float64s(x.(*tensor.Dense))
	}
	wide, _ := s.As(tensor.Float64, "") // which loses nothing
	p := wide.Pointers()
	return wide.Float64s()[p[0]:p[len(p)-1]]
}

// sample is some of dense or sparse rows, in float64.
func sample(x ops.Matrix, limit int, on domain.Domain) ([][]float64, error) {
	part, err := some(x, limit, on)
	if s, ok := part.(*ops.CSR); ok && err == nil {
		part, err = s.Dense(nil)
	}
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(cellsOf(part), max(1, part.Shape()[1]))), nil
}

// meanRowSum returns the mean over rows in a domain of the sum of f over the cells. f(0) must be 0.
func meanRowSum(x ops.Matrix, on domain.Domain, f func(float64) float64) (float64, error) {
	part, err := some(x, 1000, on)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, c := range cellsOf(part) {
		sum += f(c)
	}
	return sum / float64(part.Shape()[0]), nil
}

// skewedDefaults finds the c for which the mean of -ln k(x, z) over pairs of rows is one or, if its supremum is below
// two, half the supremum. The mean falls as c grows.
func skewedDefaults(kernel func(c float64) spectral.Kernel) func(v Values, x ops.Matrix) error {
	return rule("c", func(x ops.Matrix) (float64, error) {
		rows, err := sample(x, 256, domain.Reals())
		if err != nil {
			return 0, err
		}
		lowest, scale := extent(x)
		exponent := func(c float64) float64 {
			sum := 0.0
			for i, row := range rows {
				sum -= math.Log(math.Max(kernel(c).At(row, rows[(i+len(rows)/2)%len(rows)]), math.SmallestNonzeroFloat64))
			}
			return sum / float64(len(rows))
		}
		low, high := 1e-12*scale-lowest, 1e12*scale-lowest
		largest := exponent(low)
		if !(largest > 1e-9) {
			return 0, fmt.Errorf("the rows hardly differ at any c, so none makes a typical -ln k(x, z) one; set c "+
				"by hand: %w", ErrParam)
		}
		target := math.Min(1, largest/2)
		for range 200 { // bisection of ln c
			if mid := math.Sqrt(low) * math.Sqrt(high); exponent(mid) > target {
				low = mid
			} else {
				high = mid
			}
		}
		return math.Sqrt(low) * math.Sqrt(high), nil
	})
}

// extent returns the least cell of x, or 0 if that is less, and the largest absolute value. For a view it looks at all
// the memory behind it, which can only lower the first and raise the second.
func extent(x ops.Matrix) (lowest, scale float64) {
	see := func(c float64) { lowest, scale = math.Min(lowest, c), math.Max(scale, math.Abs(c)) }
	var values []float64
	switch v := x.(type) {
	case *ops.CSR:
		values = cellsOf(v)
	case *tensor.Dense:
		if v.Dtype() == tensor.Float32 {
			for _, c := range v.Float32s() {
				see(float64(c))
			}
			return lowest, scale
		}
		values = v.Float64s()
	}
	for _, c := range values {
		see(c)
	}
	return lowest, scale
}

// SqrtDVar returns √(d Var(x)/2) for dense or sparse rows x [n, d], where Var is the population variance of all cells. As
// the Sigma of spectral.Gaussian it is the same bandwidth as scikit-learn's gamma = "scale" = 1/(d Var).
//
// Errors: an x that is nil or has no rows (ErrShape), another element type (ErrDtype), a cell that is not finite, rows
// without spread, a result that overflows (ErrDomain).
func SqrtDVar(x ops.Matrix) (float64, error) {
	return deviation(x, func(e float64) float64 { return e * e },
		func(scale, d, variance float64) float64 { return scale * math.Sqrt(d/2*variance) })
}

// DMeanAbsDev returns d·mean|x_ij - x̄| for dense or sparse rows x [n, d], where x̄ is the mean of all cells. It is a
// first Sigma for spectral.Laplacian, whose exponent ‖x-z‖₁ is a sum of d absolute differences. Errors are as for
// SqrtDVar.
func DMeanAbsDev(x ops.Matrix) (float64, error) {
	return deviation(x, math.Abs, func(scale, d, deviation float64) float64 { return scale * d * deviation })
}

// sqrtVar is SqrtDVar for one column.
func sqrtVar(x ops.Matrix) (float64, error) {
	sigma, err := SqrtDVar(x)
	if err != nil {
		return 0, err
	}
	return sigma / math.Sqrt(float64(x.Shape()[1])), nil
}

// deviation returns the bandwidth for scale, the largest |x|, the number of columns d, and the mean over all cells,
// stored or not, of f(x/scale - mean of x/scale). The division keeps squares from overflowing.
func deviation(x ops.Matrix, f func(float64) float64, bandwidth func(scale, d, mean float64) float64) (float64, error) {
	if err := checkData(x, domain.Reals()); err != nil {
		return 0, err
	}
	values, d := cellsOf(x), float64(x.Shape()[1])
	cells := float64(x.Shape()[0]) * d
	zeros := cells - float64(len(values)) // that are not stored
	scale := floats.Norm(values, math.Inf(1))
	if scale == 0 || zeros == 0 && slices.Min(values) == slices.Max(values) {
		return 0, fmt.Errorf("all cells are the same, so that the data have no spread; give the bandwidth: %w", ErrDomain)
	}
	centre, sum := 0.0, 0.0
	for _, v := range values {
		centre += v / scale
	}
	centre /= cells
	for _, v := range values {
		sum += f(v/scale - centre)
	}
	v := bandwidth(scale, d, (sum+zeros*f(-centre))/cells)
	if math.IsInf(v, 1) {
		return 0, fmt.Errorf("the bandwidth for the data overflows; scale them: %w", ErrDomain)
	}
	return v, nil
}
