package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// dot is the linear kernel x·z.
type dot struct{}

func (dot) Domain() spectral.Domain { return spectral.Domain{} }
func (dot) At(x, z []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * z[i]
	}
	return s
}

// signs is the map x S sqrt(scale/m) of random signs S, [d, m]: its inner product is scale·(x·z) in expectation. The
// features have the element type of x.
type signs struct {
	s     []float64
	d, m  int
	scale float64
}

func newSigns(d, m int, scale float64, seed uint64) signs {
	rng := rand.New(rand.NewPCG(seed, 7))
	s := make([]float64, d*m)
	for i := range s {
		s[i] = float64(2*rng.IntN(2) - 1)
	}
	return signs{s, d, m, scale}
}

func (m signs) Dims() int     { return m.d }
func (m signs) Features() int { return m.m }
func (m signs) Transform(_, x *tensor.Dense) (*tensor.Dense, error) {
	n := x.Shape()[0]
	var z mat.Dense
	z.Mul(mat.NewDense(n, m.d, ops.Float64s(x)), mat.NewDense(m.d, m.m, m.s))
	z.Scale(math.Sqrt(m.scale/float64(m.m)), &z)
	if x.Dtype() == tensor.Float32 {
		return dense(n, m.m, toFloat32(z.RawMatrix().Data)), nil
	}
	return dense(n, m.m, z.RawMatrix().Data), nil
}

func drawSigns(d, m int, scale float64) func(uint64) (Map, error) {
	return func(seed uint64) (Map, error) { return newSigns(d, m, scale, seed), nil }
}

// bothTypes are rows in float64 and in float32.
func bothTypes(x *mat.Dense) []*tensor.Dense {
	n, d := x.Dims()
	return []*tensor.Dense{dense(n, d, x.RawMatrix().Data), dense(n, d, toFloat32(x.RawMatrix().Data))}
}

func seedsUpTo(n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(i + 1)
	}
	return out
}

// pairForm is A in Σ_{i<j} x_iᵀ S Sᵀ x_j / pairs = Σ_columns sᵀ A s: the pair mean of random signs has the variance
// 2 Σ_{k≠l} A_kl² / m.
func pairForm(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	a := mat.NewDense(d, d, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := range d {
				for l := range d {
					a.Set(k, l, a.At(k, l)+(x.At(i, k)*x.At(j, l)+x.At(i, l)*x.At(j, k))/float64(n*(n-1)))
				}
			}
		}
	}
	return a
}

func TestKernelErrorTellsBiasFromNoise(t *testing.T) {
	const n, d, m, seeds = 17, 5, 61, 200
	x := randomDense(n, d, 11)
	x.Apply(func(_, _ int, v float64) float64 { return v + 1 }, x) // so that the mean kernel value is not 0
	a := pairForm(x)
	variance := 0.0
	for k := range d {
		for l := range d {
			if k != l {
				variance += 2 * a.At(k, l) * a.At(k, l) / m
			}
		}
	}
	meanKernel := mat.Trace(a)
	stdErr := math.Sqrt(variance / seeds)

	for _, rows := range bothTypes(x) {
		unbiased := must(KernelError(dot{}, drawSigns(d, m, 1), rows, seedsUpTo(seeds)))
		near(t, "bias of an unbiased map", unbiased.Bias.Mean, 0, 4*stdErr)
		near(t, "standard error / its true value", unbiased.Bias.StdErr/stdErr, 1, 4/math.Sqrt(2*(seeds-1)))
		near(t, "z of an unbiased map", unbiased.Bias.Z, 0, 4)
		if unbiased.HasExpectation || unbiased.Bias != unbiased.ExpectedBias {
			t.Error("without a stated expectation the two biases must be equal")
		}

		const scale = 1.5
		expectation := func(x, z []float64) float64 { return scale * dot{}.At(x, z) }
		biased := must(KernelErrorAgainst(expectation, dot{}, drawSigns(d, m, scale), rows, seedsUpTo(seeds)))
		near(t, "bias of a biased map", biased.Bias.Mean, (scale-1)*meanKernel, 4*scale*stdErr)
		near(t, "its bias against its expectation", biased.ExpectedBias.Mean, 0, 4*scale*stdErr)
		near(t, "its z against its expectation", biased.ExpectedBias.Z, 0, 4)
		if biased.Bias.Z < 8 || !biased.HasExpectation {
			t.Errorf("a bias of %v of the kernel went unseen: %v", scale-1, biased.Bias)
		}
	}
}

// TestKernelErrorDirect recomputes every number of a small report, of rows of either element type.
func TestKernelErrorDirect(t *testing.T) {
	const n, d, m = 7, 3, 5
	x, seeds := randomDense(n, d, 13), []uint64{3, 5, 11}
	for _, rows := range bothTypes(x) {
		r := must(KernelError(dot{}, drawSigns(d, m, 1), rows, seeds))
		if r.Rows != n || r.Pairs != n*(n-1)/2 || r.Features != m || len(r.Seeds) != len(seeds) {
			t.Fatalf("sizes: %+v", r)
		}
		exact, groups := must(spectral.Gram(dot{}, rows, nil)), groupsOf(ops.Float64s(rows), n, d)
		var relative, pairs []float64
		squares := mat.NewDense(len(groups), len(seeds), nil) // the mean of each group, by seed
		for i, seed := range seeds {
			approx := must(ApproxGram(newSigns(d, m, 1, seed), rows))
			e, sum := must(Compare(exact, approx)), 0.0
			for g, of := range groups {
				for _, p := range of.pairs {
					e := approx.At(p[0], p[1]) - exact.At(p[0], p[1])
					sum += e
					squares.Set(g, i, squares.At(g, i)+e*e/float64(len(of.pairs)))
				}
			}
			near(t, "relative", r.Seeds[i].RelativeFrobenius, e.RelativeFrobenius, 1e-12)
			near(t, "pairs", r.Seeds[i].PairMeanSigned, sum/float64(r.Pairs), 1e-12)
			if r.Seeds[i].Seed != seed {
				t.Errorf("seed %d of the report is %d", i, r.Seeds[i].Seed)
			}
			relative, pairs = append(relative, e.RelativeFrobenius), append(pairs, sum/float64(r.Pairs))
		}
		mean, sd := stat.MeanStdDev(relative, nil)
		near(t, "mean", r.Mean.RelativeFrobenius, mean, 1e-12)
		near(t, "standard error", r.StdErr.RelativeFrobenius, sd/math.Sqrt(3), 1e-12)
		mean, sd = stat.MeanStdDev(pairs, nil)
		near(t, "bias", r.Bias.Mean, mean, 1e-12)
		near(t, "standard error of the bias", r.Bias.StdErr, sd/math.Sqrt(3), 1e-12)
		near(t, "z", r.Bias.Z, mean/sd*math.Sqrt(3), 1e-9)
		for g, of := range groups {
			mean, sd := stat.MeanStdDev(squares.RawRowView(g), nil)
			near(t, "rms", r.ByDistance[g].RMS, math.Sqrt(mean), 1e-12)
			near(t, "standard error", r.ByDistance[g].StdErr, sd/math.Sqrt(3)/2/math.Sqrt(mean), 1e-12)
			near(t, "distance", r.ByDistance[g].Distance, of.distance, 0)
		}
	}
}

func TestKernelErrorErrors(t *testing.T) {
	x := dense(5, 3, randomDense(5, 3, 1).RawMatrix().Data)
	draw := drawSigns(3, 7, 1)
	own, two := errors.New("own error"), seedsUpTo(2)
	of := func(k spectral.Kernel, draw func(uint64) (Map, error), x *tensor.Dense, seeds []uint64) error {
		return failed(KernelError(k, draw, x, seeds))
	}
	nan := func(x, z []float64) float64 { return math.NaN() }
	bags := must(ops.NewBags(dense(4, 1, []float64{1, 2, 3, 4}), []int{0, 2, 4}))
	wantFailures(t, map[string]failure{
		"nil kernel":    {of(nil, draw, x, two), ErrParam, []string{"KernelError", "nil"}},
		"nil draw":      {of(dot{}, nil, x, two), ErrParam, []string{"nil"}},
		"no seed":       {of(dot{}, draw, x, nil), ErrParam, []string{"0 seeds", "at least two", "Compare"}},
		"one seed":      {of(dot{}, draw, x, []uint64{1}), ErrParam, []string{"1 seeds", "at least two", "Compare"}},
		"same seed":     {of(dot{}, draw, x, []uint64{9, 4, 9}), ErrParam, []string{"seed 9", "twice"}},
		"nil x":         {of(dot{}, draw, nil, two), ErrParam, []string{"x is nil"}},
		"no rows":       {of(dot{}, draw, tensor.New(tensor.WithShape(0, 3), tensor.Of(tensor.Float64)), two), ErrShape, []string{"shape (0, 3)"}},
		"one row":       {of(dot{}, draw, dense(1, 3, make([]float64, 3)), two), ErrShape, []string{"one row", "at least two"}},
		"too many rows": {of(dot{}, draw, dense(16385, 1, make([]float64, 16385)), two), ErrShape, []string{"at most 16384"}},
		"NaN row":       {of(dot{}, draw, dense(2, 3, []float64{1, 1, 1, 1, math.NaN(), 1}), two), ErrDomain, []string{"[1,1]", "NaN"}},
		"zero kernel":   {of(dot{}, draw, dense(2, 3, make([]float64, 6)), two), ErrDomain, []string{"seed 1", "zero everywhere"}},
		"bad kernel":    {of(spectral.Gaussian{}, draw, x, two), ErrParam, []string{"KernelError", "Sigma"}},
		"draw fails":    {of(dot{}, func(uint64) (Map, error) { return nil, own }, x, two), own, []string{"seed 1"}},
		"draws nil":     {of(dot{}, func(uint64) (Map, error) { return nil, nil }, x, two), ErrParam, []string{"seed 1", "map is nil"}},
		"sizes change": {of(dot{}, func(s uint64) (Map, error) { return newSigns(3, int(s), 1, s), nil }, x, two), ErrShape,
			[]string{"seed 2", "2 features", "seed 1 has 1"}},
		"wrong map":   {of(dot{}, drawSigns(2, 7, 1), x, two), ErrShape, []string{"seed 1", "3 columns", "wants 2"}},
		"expectation": {failed(KernelErrorAgainst(nan, dot{}, draw, x, two)), ErrDomain, []string{"stated expectation", "rows 0 and 1"}},
		"of bags":     {failed(expectationGram("test", dot{}.At, bags)), ErrDtype, []string{"dense or sparse matrix"}},
	})
}

// same draws one map whatever the seed.
func same(uint64) (Map, error) { return newSigns(3, 7, 1, 1), nil }

func TestKernelErrorJSON(t *testing.T) {
	x := dense(5, 3, randomDense(5, 3, 1).RawMatrix().Data)
	for name, draw := range map[string]func(uint64) (Map, error){"random": drawSigns(3, 7, 1), "not random": same} {
		r := must(KernelError(dot{}, draw, x, seedsUpTo(3)))
		if defined := name == "random"; math.IsNaN(r.Bias.Z) == defined || (r.Bias.StdErr > 0) != defined {
			t.Errorf("%s: bias %+v", name, r.Bias)
		}
		data := must(json.Marshal(r))
		var back KernelErrorReport
		mustDo(json.Unmarshal(data, &back))
		if got, want := fmt.Sprintf("%+v", back), fmt.Sprintf("%+v", *r); got != want {
			t.Errorf("%s: came back as\n%s\nnot\n%s", name, got, want)
		}
		for _, key := range []string{"rows", "pairs", "features", "seeds", "mean", "std_err", "bias", "expected_bias", "has_expectation",
			"relative_frobenius", "max", "rms", "mean_signed", "seed", "pair_mean_signed", "expected_pair_mean_signed", "z"} {
			if !strings.Contains(string(data), `"`+key+`":`) {
				t.Errorf("%s: no key %q in %s", name, key, data)
			}
		}
		if null := strings.Contains(string(data), `"z":null`); null != (name == "not random") {
			t.Errorf("%s: z is null: %v", name, null)
		}
	}
	if err := new(Bias).UnmarshalJSON([]byte(`{"mean":"x"}`)); err == nil {
		t.Error("a mean that is text was read")
	}
}

func TestKernelErrorTables(t *testing.T) {
	x := dense(5, 3, randomDense(5, 3, 1).RawMatrix().Data)
	half := func(x, z []float64) float64 { return dot{}.At(x, z) / 2 }
	r := must(KernelErrorAgainst(half, dot{}, drawSigns(3, 7, 1), x, seedsUpTo(13)))
	for name, s := range map[string]string{"String": r.String(), "HTML": r.HTML()} {
		for _, part := range []string{"5 rows (10 pairs), 7 features, 13 seeds", "seed 10", "3 more seeds", "mean", "std. error", "rel. Frobenius",
			"against the kernel: " + r.Bias.String(), "stated expectation: "} {
			if !strings.Contains(strings.ReplaceAll(s, "&#39;", "'"), part) {
				t.Errorf("%s does not hold %q:\n%s", name, part, s)
			}
		}
		if strings.Contains(s, "seed 11") {
			t.Errorf("%s shows more than 10 seeds", name)
		}
	}
	lines := strings.Split(r.String(), "\n")[1:14]
	if slices.ContainsFunc(lines, func(l string) bool { return len(l) != len(lines[0]) }) {
		t.Errorf("the lines are not aligned:\n%s", r)
	}
	fixed := must(KernelError(dot{}, same, x, seedsUpTo(2)))
	if !strings.Contains(fixed.String(), "z undefined: all seeds agree") {
		t.Errorf("no word about a map that is not random:\n%s", fixed)
	}
}
