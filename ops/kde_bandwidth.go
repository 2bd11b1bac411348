package ops

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// ScottBandwidth returns Scott's rule for KDE, one bandwidth for each axis,
//
//	h_j = s_j N^{-1/(l+4)}.
//
// s_j is the standard deviation of coordinate j about the means of the bags, and N the mean size of a bag. Where no bag
// varies in a coordinate, s_j is the deviation of all samples together. Where these do not vary either, it is 1/√12,
// the deviation of the uniform distribution. The rule is for densities with one bump; for several,
// CrossValidatedBandwidth is narrower. Scott (1992), Multivariate Density Estimation. Errors: no bags (ErrShape),
// samples outside the unit cube (ErrDomain).
func ScottBandwidth(b *Bags) ([]float64, error) {
	if err := given("ops: ScottBandwidth", "the batch of bags", b); err != nil {
		return nil, err
	}
	if b.Len() == 0 {
		return nil, fmt.Errorf("ops: ScottBandwidth: no bags: %w", ErrShape)
	}
	if err := CheckRows(domain.UnitCube(), "ops: ScottBandwidth", b); err != nil {
		return nil, err
	}
	x, l, n := Float64s(b.x), b.Axes(), b.x.Shape()[0]
	h := make([]float64, l)
	for j := range h {
		within := 0.0
		for i := range b.Len() {
			within += squares(x, l, j, b.offsets[i], b.offsets[i+1])
		}
		s := 1 / math.Sqrt(12)
		if within > 0 {
			s = math.Sqrt(within / float64(n-b.Len()))
		} else if all := squares(x, l, j, 0, n); all > 0 {
			s = math.Sqrt(all / float64(n-1))
		}
		h[j] = s * math.Pow(float64(n)/float64(b.Len()), -1/float64(l+4))
	}
	return h, nil
}

// squares is Σ (x - mean)² of coordinate j over the rows lo to hi.
func squares(x []float64, l, j, lo, hi int) float64 {
	mean, sum := 0.0, 0.0
	for s := lo; s < hi; s++ {
		mean += x[s*l+j] / float64(hi-lo)
	}
	for s := lo; s < hi; s++ {
		sum += (x[s*l+j] - mean) * (x[s*l+j] - mean)
	}
	if sum <= 1e-24*float64(hi-lo) { // the rounding of the mean
		return 0
	}
	return sum
}

// bandwidthFactors are the default factors of CrossValidatedBandwidth.
var bandwidthFactors = []float64{.125, .1768, .25, .3536, .5, .7071, 1, 1.414, 2}

// CrossValidatedBandwidth returns the multiple of ScottBandwidth, among the factors, with the largest leave-one-out
// likelihood Σ ln p₋ₛ(x_s), where p₋ₛ is the estimate from the other samples of the bag. The bandwidths are at most 4.
// For nil factors it tries nine from 1/8 to 2. Bags of one sample are ignored. The time grows as the sum of the squared
// sizes of the bags times the number of factors, so pass only some of many bags. Errors: as for ScottBandwidth; bags
// of one sample each, factors that are not positive, or a likelihood of 0 for every factor, as for a sample far from
// all others (ErrParam).
func CrossValidatedBandwidth(b *Bags, factors []float64) ([]float64, error) {
	scott, err := ScottBandwidth(b)
	if err != nil {
		return nil, err
	}
	if factors == nil {
		factors = bandwidthFactors
	}
	if b.x.Shape()[0] == b.Len() {
		return nil, fmt.Errorf("ops: CrossValidatedBandwidth: every bag has one sample, and leaving it out leaves "+
			"none; use ScottBandwidth or a number: %w", ErrParam)
	}
	x, best := Float64s(b.x), math.Inf(-1)
	var h []float64
	for _, f := range factors {
		if !(f > 0) || math.IsInf(f, 1) {
			return nil, fmt.Errorf("ops: CrossValidatedBandwidth: factor %v, want finite numbers above 0: %w",
				f, ErrParam)
		}
		scaled := make([]float64, len(scott))
		for j, v := range scott {
			scaled[j] = math.Min(f*v, maxBandwidth)
		}
		likelihood := 0.0
		for i := range b.Len() {
			likelihood += leaveOneOut(x[b.offsets[i]*b.Axes():b.offsets[i+1]*b.Axes()], scaled)
		}
		if likelihood > best {
			best, h = likelihood, scaled
		}
	}
	if h == nil {
		return nil, fmt.Errorf("ops: CrossValidatedBandwidth: no factor of %v gives every sample a likelihood above "+
			"0; add larger ones, or drop samples far from all others: %w", factors, ErrParam)
	}
	return h, nil
}

// leaveOneOut is Σ ln p₋ₛ(x_s) over the samples of a bag, and 0 for a single sample.
func leaveOneOut(x, h []float64) (sum float64) {
	l := len(h)
	n := len(x) / l
	if n == 1 {
		return 0
	}
	p := make([]float64, n)
	for s := range n {
		for r := range s { // the kernel is symmetric
			k := 1.0
			for j, hj := range h {
				k *= mirrored(x[s*l+j], x[r*l+j], hj)
			}
			p[s] += k
			p[r] += k
		}
	}
	for _, v := range p {
		sum += math.Log(v / float64(n-1))
	}
	return sum
}

// mirrored is K(t, x) of KDE for one axis.
func mirrored(t, x, h float64) (sum float64) {
	reach := 39 * h
	for m := math.Floor(-reach / 2); 2*m-1 <= 1+reach; m++ {
		for _, image := range [2]float64{x + 2*m, -x + 2*m} {
			u := (t - image) / h
			sum += math.Exp(-u * u / 2)
		}
	}
	return sum / (h * math.Sqrt(2*math.Pi))
}
