package report

import (
	"encoding/json"
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// Bias is the mean over seeds of the mean signed error over the pairs i < j of fixed rows. The diagonal is left out, as
// many maps have it exactly.
type Bias struct {
	Mean   float64 `json:"mean"`
	StdErr float64 `json:"std_err"` // sample standard deviation of the seeds' values / sqrt(number of seeds)
	// Z is Mean/StdErr. For an unbiased map it approximately follows Student's t distribution with seeds-1 degrees of
	// freedom. It is NaN, null in JSON, if all seeds agree to the last bit: the map is then not random.
	Z float64 `json:"z"`
}

// SeedError is the error of one draw.
type SeedError struct {
	Seed uint64 `json:"seed"`
	GramError
	PairMeanSigned float64 `json:"pair_mean_signed"` // mean over i < j of approximation - kernel
	// ExpectedPairMeanSigned is the mean over i < j of the approximation less the stated expectation.
	ExpectedPairMeanSigned float64 `json:"expected_pair_mean_signed"`
}

// KernelErrorReport is the result of KernelError.
type KernelErrorReport struct {
	Rows     int         `json:"rows"`
	Pairs    int         `json:"pairs"` // rows (rows - 1) / 2
	Features int         `json:"features"`
	Seeds    []SeedError `json:"seeds"`
	Mean     GramError   `json:"mean"`    // mean of each number over the seeds
	StdErr   GramError   `json:"std_err"` // standard error of Mean
	// Bias is against the exact kernel, ExpectedBias against the expectation that the map states. If HasExpectation is
	// false, the map states none, and both are equal.
	Bias           Bias `json:"bias"`
	ExpectedBias   Bias `json:"expected_bias"`
	HasExpectation bool `json:"has_expectation"`
	// ByDistance is the error over the pairs i < j in quarters by ‖x-z‖₂, close pairs first. If there are more than
	// 65536 pairs, every 2nd, 3rd and so on is used. Equal distances can leave fewer than four groups.
	ByDistance []DistanceError `json:"by_distance"`
}

// KernelError draws a map of k for every seed and measures its kernel matrix on the rows of x, [n, d], dense, sparse or
// ops.Bags, against the exact one. The rows stay the same, so only the draw differs between seeds, and the mean signed
// error over seeds tells bias from noise: an unbiased map has |Bias.Z| of the order of 1, whatever its error. It cannot
// detect biases that cancel between pairs, and rounding counts as bias: 6e-8 of each value for float32 features.
//
// Errors: as for draw, Transform and spectral.Gram, with the seed; ErrParam for a nil k, draw or x, fewer than two
// seeds (use Compare for one draw) and a repeated seed; ErrShape for fewer than two rows, more than 16384, and maps with
// different numbers of features; ErrDomain as for Compare.
func KernelError(k spectral.Kernel, draw func(seed uint64) (Map, error), x ops.Matrix, seeds []uint64) (*KernelErrorReport, error) {
	return KernelErrorAgainst(nil, k, draw, x, seeds)
}

// KernelErrorAgainst is KernelError for a map with a stated expectation other than k: the report then has its bias
// against both. expectation is called with pairs of rows of x, dense or sparse; nil stands for k itself. Errors: see
// KernelError; ErrDomain for an expectation that is not finite.
func KernelErrorAgainst(expectation func(x, z []float64) float64, k spectral.Kernel, draw func(seed uint64) (Map, error), x ops.Matrix, seeds []uint64) (*KernelErrorReport, error) {
	const who = "KernelError"
	if domain.IsNil(k) || draw == nil {
		return nil, fmt.Errorf("report: %s: the kernel or the function that draws a map is nil: %w", who, ErrParam)
	}
	if err := checkSeeds(who, seeds); err != nil {
		return nil, err
	}
	x, err := rowsOf(who, "x", x)
	if err != nil {
		return nil, err
	}
	rows := x.Shape()[0]
	if rows < 2 {
		return nil, fmt.Errorf("report: %s: x has one row, pairs need at least two: %w", who, ErrShape)
	}
	if err := checkGramRows(who, rows); err != nil {
		return nil, err
	}
	exact, err := ExactGram(k, x)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", who, err)
	}
	expected := exact
	if expectation != nil {
		if expected, err = expectationGram(who, expectation, x); err != nil {
			return nil, err
		}
	}

	r := &KernelErrorReport{Rows: rows, Pairs: rows * (rows - 1) / 2, HasExpectation: expectation != nil}
	groups, err := groupRows(who, x, exact)
	if err != nil {
		return nil, err
	}
	for i, seed := range seeds {
		e := SeedError{Seed: seed}
		m, err := draw(seed)
		if err == nil {
			err = e.measure(m, x, exact, expected, groups)
		}
		if err != nil {
			return nil, fmt.Errorf("report: %s: seed %d: %w", who, seed, err)
		}
		if i > 0 && m.Features() != r.Features {
			return nil, fmt.Errorf("report: %s: seed %d: the map has %d features, that of seed %d has %d: %w", who, seed, m.Features(), seeds[0], r.Features, ErrShape)
		}
		r.Features, r.Seeds = m.Features(), append(r.Seeds, e)
	}
	r.summarise()
	r.ByDistance = distanceErrors(groups)
	return r, nil
}

func checkSeeds(who string, seeds []uint64) error {
	if len(seeds) < 2 {
		return fmt.Errorf("report: %s: %d seeds have no standard error; give at least two, or use Compare for one draw: %w", who, len(seeds), ErrParam)
	}
	seen := make(map[uint64]bool, len(seeds))
	for _, s := range seeds {
		if seen[s] {
			return fmt.Errorf("report: %s: seed %d is given twice, which would understate the standard error: %w", who, s, ErrParam)
		}
		seen[s] = true
	}
	return nil
}

// measure measures the map of a seed, and appends its error over each group of pairs.
func (e *SeedError) measure(m Map, x ops.Matrix, exact, expected *mat.Dense, groups []group) error {
	approx, err := ApproxGram(m, x)
	if err != nil {
		return err
	}
	if e.GramError, err = Compare(exact, approx); err != nil {
		return err
	}
	// The largest magnitude of the three bounds the scale; all are finite by now.
	f := downscale(max(mat.Max(exact), -mat.Min(exact), mat.Max(approx), -mat.Min(approx), mat.Max(expected), -mat.Min(expected)))
	for i, g := range groups {
		groups[i].errors = append(g.errors, g.rms(exact, approx, f))
	}
	e.PairMeanSigned, e.ExpectedPairMeanSigned = pairMean(exact, approx, f), pairMean(expected, approx, f)
	return nil
}

// expectationGram computes the stated expectation for every pair i < j; the rest of the matrix is not used.
func expectationGram(who string, expectation func(x, z []float64) float64, x ops.Matrix) (*mat.Dense, error) {
	n := x.Shape()[0]
	out := mat.NewDense(n, n, nil)
	block := func(i0, j0 int, a, b *tensor.Dense) error {
		xs, zs, d := ops.Float64s(a), ops.Float64s(b), a.Shape()[1]
		for i := range a.Shape()[0] {
			for j := max(0, i0+i+1-j0); j < b.Shape()[0]; j++ {
				v := expectation(xs[i*d:(i+1)*d], zs[j*d:(j+1)*d])
				if !finite(v) {
					return fmt.Errorf("report: %s: the stated expectation for rows %d and %d is %v: %w", who, i0+i, j0+j, v, ErrDomain)
				}
				out.Set(i0+i, j0+j, v)
			}
		}
		return nil
	}
	if s, sparse := x.(*ops.CSR); sparse {
		return out, blockPairs(s, block)
	}
	dense, ok := x.(*tensor.Dense)
	if !ok {
		return nil, fmt.Errorf("report: %s: x is %T, and the stated expectation is of two rows; give a dense or sparse matrix: %w", who, x, ErrDtype)
	}
	return out, block(0, 0, dense, dense)
}

// summarise fills in the averages over seeds.
func (r *KernelErrorReport) summarise() {
	over := func(value func(SeedError) float64) (mean, stdErr float64) {
		values := make([]float64, len(r.Seeds))
		for i, s := range r.Seeds {
			values[i] = value(s)
		}
		return meanStdErr(values)
	}
	r.Mean.Rows, r.StdErr.Rows = r.Rows, r.Rows
	r.Mean.RelativeFrobenius, r.StdErr.RelativeFrobenius = over(func(e SeedError) float64 { return e.RelativeFrobenius })
	r.Mean.Max, r.StdErr.Max = over(func(e SeedError) float64 { return e.Max })
	r.Mean.CentredFrobenius, r.StdErr.CentredFrobenius = over(func(e SeedError) float64 { return e.CentredFrobenius })
	r.Mean.RMS, r.StdErr.RMS = over(func(e SeedError) float64 { return e.RMS })
	r.Mean.MeanSigned, r.StdErr.MeanSigned = over(func(e SeedError) float64 { return e.MeanSigned })
	r.Bias = newBias(over(func(e SeedError) float64 { return e.PairMeanSigned }))
	r.ExpectedBias = newBias(over(func(e SeedError) float64 { return e.ExpectedPairMeanSigned }))
}

// meanStdErr is the mean of values, one a seed, and its standard error. It subtracts the first value, so that equal
// values have a standard error of exactly 0, and computes in units of the largest deviation. It overwrites the values.
func meanStdErr(values []float64) (mean, stdErr float64) {
	first := values[0]
	floats.AddConst(-first, values)
	f := downscale(floats.Norm(values, math.Inf(1)))
	floats.Scale(f, values)
	mean, sd := stat.MeanStdDev(values, nil)
	return first + mean/f, stat.StdErr(sd, float64(len(values))) / f
}

func newBias(mean, stdErr float64) Bias {
	b := Bias{Mean: mean, StdErr: stdErr, Z: math.NaN()}
	if stdErr > 0 {
		b.Z = mean / stdErr
	}
	return b
}

// biasJSON is Bias with a z that may be null, since JSON has no NaN.
type biasJSON struct {
	*plainBias
	Z *float64 `json:"z"`
}

type plainBias Bias

// MarshalJSON writes a z that is not finite as null.
func (b Bias) MarshalJSON() ([]byte, error) {
	out := biasJSON{plainBias: (*plainBias)(&b)}
	if finite(b.Z) {
		out.Z = &b.Z
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads a z of null as NaN.
func (b *Bias) UnmarshalJSON(data []byte) error {
	*b = Bias{Z: math.NaN()}
	in := biasJSON{plainBias: (*plainBias)(b)}
	err := json.Unmarshal(data, &in)
	if in.Z != nil {
		b.Z = *in.Z
	}
	return err
}
