package ops_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gorgonia.org/tensor"
)

// unitRows are 200 rows of a data set, each column scaled to [0, 1].
func unitRows(t *testing.T, name string) *tensor.Dense {
	t.Helper()
	set, err := data.Read(fmt.Sprintf("../../shared/data/%s/%s.train.libsvm.gz", name, name), data.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("data absent: ", err)
	}
	must(set, err)
	scaler := must(data.ParseScalers("minmax"))
	must(set, scaler.Fit(set.X))
	must(scaler.ApplyInPlace(set.X))
	_, few := data.Split(set.Rows(), 200/float64(set.Rows()), 1)
	return data.Rows(set.X, few).(*tensor.Dense)
}

// The relative Frobenius errors of a prototype in another language, means of 5 draws, for s = d/2, d, 2d and 8d
// frequencies a sign.
var prototypeErrors = map[string]map[spectral.Coupling][4]float64{
	"letter 10": {spectral.Independent: {.393, .274, .178, .109}, spectral.Joint: {.308, .205, .158, .078}},
	"letter 2":  {spectral.Independent: {.609, .416, .264, .156}, spectral.Joint: {.588, .438, .288, .132}},
	"ijcnn1 2":  {spectral.Independent: {.505, .356, .265, .124}, spectral.Joint: {.504, .328, .244, .115}},
}

// TestCouplingsOfData: on real rows the errors of each coupling, means of 25 draws, for 8d of 7, are the prototype's
// within four standard errors of both; with σ = 1 and 2 the default is below Joint by two fifths for half as many
// frequencies as dimensions, and by half for more; and no coupling is ever better than the default by more than two
// standard errors. examples/papers/indefinite prints such a table.
func TestCouplingsOfData(t *testing.T) {
	draws, seeds := [4]int{25, 25, 25, 7}, make([]uint64, 25)
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	for _, name := range []string{"letter", "ijcnn1"} {
		x := unitRows(t, name)
		d := x.Shape()[1]
		sizes := [4]int{d / 2, d, 2 * d, 8 * d}
		for _, second := range []float64{10, 2} {
			k := spectral.DeltaGaussian{Sigmas: []float64{1, second}, Weights: []float64{1, -1}}
			mean, stdErr := map[spectral.Coupling][4]float64{}, map[spectral.Coupling][4]float64{}
			for _, c := range spectral.Couplings() {
				var m, se [4]float64
				for i, s := range sizes {
					draw := func(seed uint64) (report.Map, error) {
						return layers.NewGORFLayer(k, d, 4*s, layers.WithSeed(seed), layers.WithCoupling(c))
					}
					e := must(report.KernelError(k, draw, x, seeds[:draws[i]]))
					m[i], se[i] = e.Mean.RelativeFrobenius, e.StdErr.RelativeFrobenius
				}
				mean[c], stdErr[c] = m, se
				for i, want := range prototypeErrors[fmt.Sprint(name, " ", second)][c] {
					if want == 0 {
						continue // the prototype does not have this one
					}
					if band := 4 * se[i] * math.Sqrt(1+float64(draws[i])/5); !(math.Abs(m[i]-want) <= band) {
						t.Errorf("%s, σ = 1 and %v, %v, s = %d: error %.3f, prototype %.3f, band %.3f", name, second,
							c, sizes[i], m[i], want, band)
					}
				}
			}
			for i, s := range sizes {
				for _, c := range spectral.Couplings() {
					if limit := mean[c][i] + 2*math.Hypot(stdErr[c][i], stdErr[0][i]); mean[0][i] > limit {
						t.Errorf("%s, σ = 1 and %v, s = %d: %v is better than the default, %.3f and %.3f", name,
							second, s, c, mean[c][i], mean[0][i])
					}
				}
				most := .5
				if i == 0 {
					most = .6
				}
				if ratio := mean[0][i] / mean[spectral.Joint][i]; second == 2 && ratio > most {
					t.Errorf("%s, s = %d: the default has %.2f of the error of joint, want at most %v", name, s, ratio,
						most)
				}
			}
		}
	}
}
