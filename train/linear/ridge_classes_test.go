package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestSumClasses: the sums of ±1 targets, which are taken class by class, are half the sums of ±2 targets, which are
// taken by a product, to rounding, also of features that hardly vary about a large mean.
func TestSumClasses(t *testing.T) {
	const n, d, k = 700, 37, 5
	for _, mean := range []float64{0, 1e8} {
		for _, weights := range [][]float64{nil, {1, 2, .5, 3, .1}} {
			t.Run(fmt.Sprint(mean, weights), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				x, labels := make([]float64, n*d), make([]int, n)
				for i := range x {
					x[i] = mean + rng.NormFloat64()
				}
				for i := range labels {
					labels[i] = rng.IntN(k - 1) // the last class has no rows
				}
				y, err := data.OneVersusRest(labels, k)
				if err != nil {
					t.Fatal(err)
				}
				byClass, byProduct := new(RidgeStats), new(RidgeStats)
				w := make([]float64, n)
				for i, l := range labels {
					if w[i] = 1; weights != nil {
						w[i] = weights[l]
					}
				}
				twice := mat.NewDense(n, k, nil)
				twice.Scale(2, y)
				for _, r := range [][2]int{{0, 300}, {300, 301}, {301, n}} {
					lo, rows := r[0], r[1]-r[0]
					for s, targets := range map[*RidgeStats]*mat.Dense{byClass: y, byProduct: twice} {
						classes := classesOf(nil, targets)
						if (classes == nil) != (s == byProduct) {
							t.Fatal("the wrong way is taken")
						}
						if !s.addBlock(x[lo*d:r[1]*d], false, d, targets, classes, w, lo, rows) {
							t.Fatal("the features are not finite")
						}
					}
				}
				near := func(what string, got, want []float64, scale, bound float64) {
					t.Helper()
					for i, v := range want {
						if !(math.Abs(got[i]-scale*v) <= bound) {
							t.Fatalf("%s: number %d is %v, want %v within %v", what, i, got[i], scale*v, bound)
						}
					}
				}
				u := n * 0x1p-53
				near("mean of the targets", byClass.meanY, byProduct.meanY, .5, 4*u)
				near("squares of the targets", byClass.yy, byProduct.yy, .25, 4*n*3*u)
				near("mean of the features", byClass.meanZ, byProduct.meanZ, 1, 4*u*(mean+4))
				near("products", byClass.r, byProduct.r, .5, 8*n*3*u*(mean+4))
			})
		}
	}
}

// TestSumClassesFallsBack: features whose sum overflows and whose mean does not, and rows of no class, are summed all
// the same.
func TestSumClassesFallsBack(t *testing.T) {
	y, err := data.OneVersusRest([]int{0, 0, 0, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	huge := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float64{1e308, 1e308, 1e308, 1e308}))
	var s RidgeStats
	if err := s.Add(huge, y); err != nil || s.meanZ[0] != 1e308 {
		t.Errorf("the mean is %v: %v", s.meanZ, err)
	}
	for _, row := range [][]float64{{1, 1, -1}, {-1, -1, -1}, {1, 0, -1}, {1, math.NaN(), -1}, {math.Inf(1), -1}, {-1, 1, 1}, {1}} {
		if c := classesOf(nil, mat.NewDense(1, len(row), row)); c != nil {
			t.Errorf("%v is of the class %v", row, c)
		}
	}
}
