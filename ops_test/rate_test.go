package ops_test

import (
	"maps"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestRate: from 64 to 1024 features the variance of the kernel matrix falls by 16, or by more with low-discrepancy
// samplers. The spread of the squared deviations over seeds gives the band of their ratio; it has to be narrow enough
// to tell 16 from 4. Package maptest tests that the mean is the kernel.
func TestRate(t *testing.T) {
	const seeds, rows = 32, 11
	forEach(t, func(t *testing.T, v variant) {
		if !v.entry.Sampled || v.sampler != "iid" && v.lifted() {
			return // a homogeneous map makes more columns than there are frequencies, which are then no whole blocks
		}
		d := v.dims(8) // 32 and 512 frequencies are whole orthogonal blocks of 8, and whole structured blocks of 32
		x := v.rows(rows, d, 3)
		var logs, off [2]float64
		for i, features := range []int{64, 1024} {
			grams, mean := make([]*mat.Dense, seeds), mat.NewDense(rows, rows, nil)
			for s := range grams {
				l := v.build(t, d, features/v.columns(d), uint64(100*i+s), fixedEps)
				grams[s] = must(report.ApproxGram(l, x))
				mean.Add(mean, grams[s])
			}
			mean.Scale(1./seeds, mean)
			squares := make([]float64, seeds)
			for s, g := range grams {
				squares[s] = math.Pow(must(report.Compare(mean, g)).RMS, 2)
			}
			variance, spread := stat.MeanStdDev(squares, nil)
			logs[i], off[i] = math.Log(variance), spread/variance/math.Sqrt(seeds)
		}
		fall, band := logs[0]-logs[1], 4*math.Hypot(off[0], off[1])
		faster := fall > math.Log(16) && depends(v.sampler)
		if math.Abs(fall-math.Log(16)) > band && !faster {
			t.Errorf("the variance falls by %v, want 16 within a factor of %v", math.Exp(fall), math.Exp(band))
		}
		if band > math.Log(4) {
			t.Errorf("the band is a factor of %v and proves nothing", math.Exp(band))
		}
	})
}

// fixedEps keeps a combination of Gaussians from depending on the number of features.
func fixedEps(s *layers.Spec) {
	if e := must(layers.Lookup(s.Map)); e.Signed && e.Has("eps") && s.Params["eps"] == nil {
		s.Params = maps.Clone(s.Params)
		s.Params["eps"] = .03
	}
}

// depends says whether the frequencies of a sampler are as even as their number allows, so that the error may fall
// faster: it is none whose variance is known for every number.
func depends(sampler string) bool {
	by, err := spectral.SamplerByName(sampler)
	_, predicts := by.(spectral.Predictor)
	return err == nil && !predicts && by != spectral.Structured{}
}
