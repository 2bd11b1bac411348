package ops_test

import (
	"maps"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/stat"
)

// TestRate: from 64 to 1024 features the RMS error of the kernel matrix falls by √16 = 4. The mean squared errors are
// means over seeds, whose spread gives the band of their ratio; it has to be narrow enough to tell 4 from 16^(1/4) = 2.
// The errors of low-discrepancy samplers fall faster.
func TestRate(t *testing.T) {
	const seeds = 32
	forEach(t, func(t *testing.T, v variant) {
		if !v.entry.Sampled || v.sampler != "iid" && lifted(v.kernel, v.values) {
			return // a homogeneous map makes more columns than there are frequencies, which are then no whole blocks
		}
		d := v.dims(8) // 32 and 512 frequencies are whole orthogonal blocks of 8, and whole structured blocks of 32
		x := v.rows(11, d, 3)
		k := v.kernel
		if law := v.random(d); law != nil {
			k = law
		}
		exact := must(spectral.Gram(k, v.lift(v.build(t, d, 2, 1), x), nil))
		for i := range x.Shape()[0] {
			for j := range x.Shape()[0] {
				if v.way() != "levy" {
					break
				}
				exact.Set(i, j, exact.At(i, j)*v.length(row(x.Float64s(), 11, i))*v.length(row(x.Float64s(), 11, j)))
			}
		}
		var logMSE, logErr [2]float64
		for i, features := range []int{64, 1024} {
			m := features
			switch v.form {
			case pair, tangent:
				m /= 2
			case signed: // whose estimate is of the combination of Gaussians that it states
				m /= 4
				p := v.build(t, d, m, 1, fixedEps).(*layers.GORFLayer).Split()
				exact = must(spectral.Gram(spectral.Custom{Exact: p.At, Of: spectral.Gaussian{Sigma: 1}.Law()}, x, nil))
			}
			squares := make([]float64, seeds)
			for s := range squares {
				approx := must(report.ApproxGram(v.build(t, d, m, uint64(100*i+s), fixedEps), x))
				e := must(report.Compare(exact, approx))
				squares[s] = e.RMS * e.RMS
			}
			mean, spread := stat.MeanStdDev(squares, nil)
			logMSE[i], logErr[i] = math.Log(mean), spread/mean/math.Sqrt(seeds)
		}
		ratio := (logMSE[0] - logMSE[1]) / 2
		band := 4 * math.Hypot(logErr[0], logErr[1]) / 2
		faster := ratio > math.Log(4) && depends(t, v.sampler)
		if math.Abs(ratio-math.Log(4)) > band && !faster {
			t.Errorf("the error falls by %v, want 4 within a factor of %v", math.Exp(ratio), math.Exp(band))
		}
		if band > math.Log(2) {
			t.Errorf("the band is a factor of %v and proves nothing", math.Exp(band))
		}
	})
}

// fixedEps keeps a combination of Gaussians from depending on the number of features.
func fixedEps(s *layers.Spec) {
	e, err := layers.Lookup(s.Map)
	if err != nil || !e.Signed {
		return
	}
	s.Params = maps.Clone(s.Params)
	for _, p := range e.Params() {
		if _, given := s.Params[p.Name]; p.Name == "eps" && !given {
			s.Params["eps"] = .03
		}
	}
}

// depends says whether the frequencies of a sampler are as even as their number allows, so that the error may fall
// faster: it is none whose variance is known for every number.
func depends(t *testing.T, sampler string) bool {
	t.Helper()
	by, err := spectral.SamplerByName(sampler)
	if err != nil {
		return false // a map that draws nothing by a sampler
	}
	_, predicts := by.(spectral.Predictor)
	return !predicts && by != spectral.Structured{}
}
