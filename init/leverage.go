package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gorgonia.org/tensor"
)

// Leverage chooses frequencies by the rows of data, but not by their labels: it draws four times as many frequencies as
// it keeps, and keeps those with a high score with a higher probability and a lower amplitude. Let Z be the features of
// the M drawn frequencies on n rows. The score of frequency j is its ridge leverage,
//
//	l_j = Σ [Zᵀ(ZZᵀ + nλs I)⁻¹Z]_ii   over the columns i of j,   λ = 1e-3,   s = tr ZZᵀ/n.
//
// It is kept with the probability π_j = min(1, c(.9 l_j/Σl + .1/M)), where c makes Σπ = m, and its features are
// multiplied by the amplitude √(m/(Mπ_j)), at most √10. The choice is systematic sampling in random order, without
// repeats. Given the drawn frequencies, the mean of the estimate is the estimate from all of them (Horvitz and Thompson
// 1952), so it is unbiased. Orthogonal draws the frequencies of a RadialLaw, IID of other laws.
//
// The score is the one of algorithm 1 of Li, Ton, Oglic and Sejdinovic (2021), Towards a Unified Analysis of Random
// Fourier Features, who draw with replacement; the leverage follows Avron et al. (2017), Random Fourier Features for
// Kernel Ridge Regression. Scoring takes n²M operations for at most n = 1024 rows, about a second for 512 features.
//
// It gains little, and on all of these data Orthogonal, which does not depend on the rows, is closer to the kernel.
// Gaussian, 512 features, medians of the seeds 1 to 9: the relative Frobenius error, and accuracy (softmax) or RMSE
// (ridge) on the test rows.
//
//	             letter          kin40k          usps            pol
//	iid          .152   .9395    .184   .428     .176   .8994    .0940  16.73
//	orthogonal   .125   .9405    .147   .420     .144   .9028    .0709  16.65
//	leverage     .146   .9425    .207   .437     .167   .9004    .0893  16.46
//
//	go run ./examples/train -map gaussian -features 512 -sampler leverage -scale standard -seed 1
//
//guide:frequencies chosen by their leverage on the rows, with amplitudes
//guide:for every law, in a map that is fitted on rows
//guide:errors of the whole kernel matrix: .92 on `letter`, 1.27 on `kin40k`, .90 on `usps` and on `pol`, where `orthogonal` has .67, .64, .67 and .57
//guide:worse `kin40k`
type Leverage struct {
	Rows *tensor.Dense // [n, d], from the domain of the kernel; float32 or float64
}

var _ Sampler = Leverage{}

const (
	leveragePool    = 4    // frequencies drawn for each one that is kept
	leverageRows    = 1024 // the most rows for scoring
	leverageLambda  = 1e-3
	leverageUniform = .1 // the share of the probability that does not depend on the scores
)

func (Leverage) String() string { return "leverage" }

func (Leverage) papers() map[string]string {
	return map[string]string{
		"Avron et al. 2017": `@inproceedings{avron2017random,
  author    = {Avron, Haim and Kapralov, Michael and Musco, Cameron and Musco, Christopher and Velingker, Ameya and Zandieh, Amir},
  title     = {Random {Fourier} Features for Kernel Ridge Regression: Approximation Bounds and Statistical Guarantees},
  booktitle = {Proceedings of the 34th International Conference on Machine Learning},
  series    = {Proceedings of Machine Learning Research},
  volume    = {70},
  pages     = {253--262},
  year      = {2017}
}
`,
		"Li et al. 2021": `@article{li2021towards,
  author  = {Li, Zhu and Ton, Jean-Francois and Oglic, Dino and Sejdinovic, Dino},
  title   = {Towards a Unified Analysis of Random {Fourier} Features},
  journal = {Journal of Machine Learning Research},
  volume  = {22},
  number  = {108},
  pages   = {1--51},
  year    = {2021}
}
`,
	}
}

// Sample returns a *SamplerError: the frequencies have amplitudes, which only Frequencies returns.
func (s Leverage) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	return s.misfit(k)
}

func (s Leverage) misfit(k Random) error {
	return &SamplerError{s, k, "it chooses frequencies by rows, and gives them amplitudes, for which a map must be " +
		"fitted by layers.Spec.Fit or have Leverage.Rows; use spectral.IID{}"}
}

// Frequencies returns m frequencies [d, m] of k and their amplitudes [m], the factors of their features, in float64.
// Errors are as for the function Frequencies, and also: no Rows (a *SamplerError), Rows that are not [n, d] with n >= 1
// (ErrShape), a cell outside the domain of k or a projection that is not finite (ErrDomain).
func (s Leverage) Frequencies(k Random, d, m int, seed uint64) (w, amplitudes *tensor.Dense, err error) {
	if err := validate(k); err != nil {
		return nil, nil, err
	}
	if err := checkCounts(d, m); err != nil {
		return nil, nil, err
	}
	if s.Rows == nil {
		return nil, nil, s.misfit(k)
	}
	x, err := checkedRows("spectral: Leverage.Rows", s.Rows, k.Domain())
	if err != nil {
		return nil, nil, err
	}
	if x.n == 0 || x.cols != d {
		return nil, nil, fmt.Errorf("spectral: Leverage.Rows has shape %v, want [n, %d], n at least 1: %w",
			s.Rows.Shape(), d, ErrShape)
	}
	if m > math.MaxInt/leveragePool {
		return nil, nil, domain.CheckSize("spectral: sampler leverage", 8, leveragePool, d, m)
	}
	pool, by := leveragePool*m, Sampler(IID{})
	if _, radial := k.(RadialLaw); radial {
		by = Orthogonal{}
	}
	drawn, err := Frequencies(k, by, d, pool, seed)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(Stream(seed, "leverage"))
	scores, err := leverages(k, x, drawn.Float64s(), pool, rng)
	if err != nil {
		return nil, nil, err
	}
	p := inclusion(scores, m)
	to, a := make([]float64, d*m), make([]float64, m)
	for j, from := range systematic(p, m, rng) {
		a[j] = math.Sqrt(float64(m) / (float64(pool) * p[from]))
		for i := range d {
			to[i*m+j] = drawn.Float64s()[i*pool+from]
		}
	}
	return tensor.New(tensor.WithShape(d, m), tensor.WithBacking(to)),
		tensor.New(tensor.WithShape(m), tensor.WithBacking(a)), nil
}

// leverages returns the scores of the frequencies w [d, m] on at most leverageRows random rows.
func leverages(k Random, x rows, w []float64, m int, rng *rand.Rand) ([]float64, error) {
	n, blocks := min(x.n, leverageRows), 2 // cosines and sines
	if k.Transform() == Laplace {
		blocks = 1
	}
	const who = "spectral: sampler leverage: the features of its frequencies"
	if err := domain.CheckSize(who, 8, n, blocks*m); err != nil {
		return nil, err
	}
	some := make([]float64, 0, n*x.cols)
	for _, i := range rng.Perm(x.n)[:n] {
		some = append(some, x.row(i)...)
	}
	if k.Transform() == LogFourier {
		for i, v := range some {
			some[i] = math.Log(v + k.(Shifter).Shift())
		}
	}
	z := blas64.General{Rows: n, Cols: blocks * m, Stride: blocks * m, Data: make([]float64, n*blocks*m)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: n, Cols: x.cols, Stride: x.cols, Data: some},
		blas64.General{Rows: x.cols, Cols: m, Stride: m, Data: w}, 0,
		blas64.General{Rows: n, Cols: m, Stride: z.Stride, Data: z.Data})
	if floats.HasNaN(z.Data) || math.IsInf(floats.Norm(z.Data, math.Inf(1)), 0) {
		return nil, fmt.Errorf("spectral: sampler leverage: the projection of a row on the frequencies is not finite; "+
			"scale the data: %w", ErrDomain)
	}
	eachRow(n, func(i int) {
		row := z.Data[i*z.Stride:][:z.Stride]
		for j, v := range row[:m] {
			if blocks == 1 {
				row[j] = math.Exp(-v)
			} else {
				row[m+j], row[j] = math.Sincos(v)
			}
		}
	})
	gram := blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: make([]float64, n*n)}
	blas64.Syrk(blas.NoTrans, 1, z, 0, gram)
	trace := 0.
	for i := range n {
		trace += gram.Data[i*n+i]
	}
	for i := range n {
		gram.Data[i*n+i] += leverageLambda * trace
	}
	scores := make([]float64, m)
	l, ok := lapack64.Potrf(gram)
	if !ok { // Laplace features that are all 0
		return scores, nil
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, l, z)
	for i, v := range z.Data {
		scores[i%m] += v * v
	}
	return scores, nil
}

// inclusion returns the probabilities of keeping each frequency, which sum to m.
func inclusion(scores []float64, m int) []float64 {
	p, share := make([]float64, len(scores)), floats.Sum(scores)
	uniform := 1 / float64(len(scores))
	weights := slices.Repeat([]float64{uniform}, len(scores))
	if share > 0 {
		for i, s := range scores {
			weights[i] = (1-leverageUniform)*s/share + leverageUniform*uniform
		}
	}
	for left := m; ; { // those that are sure leave the others their share of the rest
		rest, more := 0., false
		for i, w := range weights {
			if p[i] < 1 {
				rest += w
			}
		}
		c := float64(left) / rest
		for i, w := range weights {
			if p[i] < 1 {
				if p[i] = min(1, c*w); p[i] == 1 {
					left, more = left-1, true
				}
			}
		}
		if !more {
			return p
		}
	}
}

// systematic draws m of the indices of p with these probabilities, in random order.
func systematic(p []float64, m int, rng *rand.Rand) []int {
	order, total := rng.Perm(len(p)), 0.
	for _, i := range order {
		total += p[i]
	}
	chosen, step, at := make([]int, 0, m), total/float64(m), 0.
	first := rng.Float64()
	for _, i := range order {
		if at += p[i]; len(chosen) < m && at >= (first+float64(len(chosen)))*step {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
