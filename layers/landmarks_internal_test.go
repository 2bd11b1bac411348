package layers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// residual is k(x, x) - k(x, L) k(L, L)⁻¹ k(L, x) of row i, from the kernel matrix of all rows.
func residual(t *testing.T, gram *mat.Dense, landmarks []int, i int) float64 {
	t.Helper()
	m := len(landmarks)
	if m == 0 {
		return gram.At(i, i)
	}
	k, of := mat.NewDense(m, m, nil), mat.NewVecDense(m, nil)
	for a, p := range landmarks {
		of.SetVec(a, gram.At(i, p))
		for b, q := range landmarks {
			k.Set(a, b, gram.At(p, q))
		}
	}
	var solved mat.VecDense
	if err := solved.SolveVec(k, of); err != nil {
		t.Fatal(err)
	}
	return gram.At(i, i) - mat.Dot(of, &solved)
}

// scattered are rows [n, d] of the given scale.
func scattered(n, d int, scale float64) *tensor.Dense {
	rng, v := rand.New(rand.NewPCG(1, 2)), make([]float64, n*d)
	for i := range v {
		v[i] = scale * rng.Float64()
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v))
}

// TestCholeskyWeights: the weights of rpcholesky are what the landmarks leave of the diagonal, by the formula, for rows
// of any scale, and 0 where that is rounding.
func TestCholeskyWeights(t *testing.T) {
	for _, scale := range []float64{1e-100, 1, 1e100} {
		for _, k := range []spectral.Kernel{spectral.Gaussian{Sigma: .4 * scale}, spectral.Linear{}, spectral.Chi2{}} {
			gram := must(spectral.Gram(k, scattered(23, 3, scale), nil))
			self := make([]float64, 23)
			for i := range self {
				self[i] = gram.At(i, i)
			}
			weights, update, rows := slices.Clone(self), cholesky(self), []int{}
			for _, next := range []int{17, 3, 11} {
				rows = append(rows, next)
				update(weights, mat.Col(nil, next, gram), next)
				if _, linear := k.(spectral.Linear); linear && len(rows) == 3 { // all of its rank
					if slices.Max(weights) != 0 {
						t.Errorf("scale %v: three landmarks leave %v of the linear kernel", scale, weights)
					}
					break
				}
				for i, w := range weights {
					if want := residual(t, gram, rows, i); math.Abs(w-want) > 1e-10*self[i] {
						t.Errorf("%T, scale %v: %v leave %v of row %d, want %v", k, scale, rows, w, i, want)
					}
				}
			}
		}
	}
}

// TestCholeskyLaw: two landmarks of five rows are drawn with the probabilities of algorithm 2.1.
func TestCholeskyLaw(t *testing.T) {
	x, k, seeds := scattered(5, 3, 1), spectral.Linear{}, 5000
	gram := must(spectral.Gram(k, x, nil))
	share := func(landmarks []int, i int) float64 {
		sum := 0.
		for j := range 5 {
			sum += max(0, residual(t, gram, landmarks, j))
		}
		return max(0, residual(t, gram, landmarks, i)) / sum
	}
	seen := map[[2]int]int{}
	for seed := range seeds {
		seen[[2]int(must(CholeskyLandmarks.landmarks(k, x, 2, uint64(seed))))]++
	}
	for i := range 5 {
		for j := range i {
			p := share(nil, i)*share([]int{i}, j) + share(nil, j)*share([]int{j}, i)
			got := float64(seen[[2]int{j, i}]) / float64(seeds)
			if se := math.Sqrt(p * (1 - p) / float64(seeds)); math.Abs(got-p) > 4*se {
				t.Errorf("rows %d and %d: a share of %v, want %v ± %v", j, i, got, p, se)
			}
		}
	}
}

// TestLandmarksAreFixed: the same seed chooses the same rows, dense or view, float32 or float64.
func TestLandmarksAreFixed(t *testing.T) {
	wide := scattered(31, 3, 1)
	single := newTensor(tensor.Float32, slices.Clone(wide.Float64s()), 31, 3)
	double := newTensor(tensor.Float64, ops.Float64s(single), 31, 3) // the same numbers
	for _, choice := range []LandmarkChoice{UniformLandmarks, CholeskyLandmarks} {
		a := must(choice.landmarks(spectral.Gaussian{Sigma: .3}, single, 7, 5))
		if b := must(choice.landmarks(spectral.Gaussian{Sigma: .3}, double, 7, 5)); !slices.Equal(a, b) {
			t.Errorf("%v: %v in float32, %v in float64", choice, a, b)
		}
	}
}
