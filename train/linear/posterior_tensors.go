package linear

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// The names of the tensors of a posterior.
const (
	tensorW, tensorB, tensorNoise = "W", "b", "noise"
	tensorMean, tensorFactor      = "z_mean", "inverse_factor"
	tensorLambda, tensorPenalty   = "lambda", "penalty"
	tensorMass, tensorEvidence    = "mass", "log_evidence"
)

// Tensors returns the posterior for a file (package modelfile), all in float64: W [D, k], b [k], noise [k], z_mean [D],
// the numbers lambda, penalty, mass and log_evidence, [1] each, and inverse_factor [D(D+1)/2], the lower triangle of
// L⁻¹ row by row, with L Lᵀ = G + ρI. It returns nil for a Posterior that neither RidgeStats nor RestorePosterior made.
func (p *Posterior) Tensors() map[string]*tensor.Dense {
	if p.check("Tensors") != nil {
		return nil
	}
	d, k := p.Fit.W.Dims()
	packed := make([]float64, 0, d*(d+1)/2)
	for i := range d {
		packed = append(packed, p.inverse[i*d:i*d+i+1]...)
	}
	of := func(v []float64, shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	return map[string]*tensor.Dense{
		tensorW: of(mat.DenseCopyOf(p.Fit.W).RawMatrix().Data, d, k), tensorB: of(slices.Clone(p.Fit.B), k),
		tensorNoise: of(slices.Clone(p.Noise), k), tensorMean: of(slices.Clone(p.mean), d), tensorFactor: of(packed, len(packed)),
		tensorLambda: of([]float64{p.Lambda}, 1), tensorPenalty: of([]float64{p.Penalty}, 1),
		tensorMass: of([]float64{p.mass}, 1), tensorEvidence: of([]float64{p.LogEvidence}, 1),
	}
}

// RestorePosterior is the inverse of Tensors, to the last bit. Errors: domain.ErrParam for a tensor that is missing,
// nil or unknown; domain.ErrShape for another shape, a view or a transpose; domain.ErrDtype for tensors that are not
// float64; domain.ErrDomain for numbers that are not finite, and for a variance, penalty, mass or diagonal of the
// factor out of range.
func RestorePosterior(tensors map[string]*tensor.Dense) (*Posterior, error) {
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if !slices.Contains(posteriorTensors, name) {
			return nil, fmt.Errorf("train: RestorePosterior: the tensor %.60q is none of a posterior: %w", name, domain.ErrParam)
		}
	}
	r := &posteriorReader{tensors: tensors}
	mean := r.take(tensorMean, -1)
	noise := r.take(tensorNoise, -1)
	d, k := len(mean), len(noise)
	if r.err == nil && (d > maxStats || k > maxStats) {
		r.err = fmt.Errorf("train: RestorePosterior: %d features and %d targets, at most %d are read: %w", d, k, maxStats, domain.ErrShape)
	}
	w, b := r.take(tensorW, d, k), r.take(tensorB, k)
	packed := r.take(tensorFactor, d*(d+1)/2)
	numbers := map[string]float64{}
	for _, name := range []string{tensorLambda, tensorPenalty, tensorMass, tensorEvidence} {
		if v := r.take(name, 1); r.err == nil {
			numbers[name] = v[0]
		}
	}
	for _, name := range []string{tensorLambda, tensorPenalty, tensorMass} {
		if v := numbers[name]; r.err == nil && !(v > 0) {
			r.err = fmt.Errorf("train: RestorePosterior: %s is %v, not above 0: %w", name, v, domain.ErrDomain)
		}
	}
	for t, v := range noise {
		if r.err == nil && v < 0 {
			r.err = fmt.Errorf("train: RestorePosterior: noise[%d] = %v is negative: %w", t, v, domain.ErrDomain)
		}
	}
	for i := 0; r.err == nil && i < d; i++ {
		if v := packed[i*(i+1)/2+i]; !(v > 0) {
			r.err = fmt.Errorf("train: RestorePosterior: the diagonal of the factor is %v in row %d, not above 0: %w", v, i, domain.ErrDomain)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	p := &Posterior{Fit: &RidgeFit{W: mat.NewDense(d, k, w), B: b, Lambda: numbers[tensorLambda]}, Noise: noise, Lambda: numbers[tensorLambda],
		Penalty: numbers[tensorPenalty], LogEvidence: numbers[tensorEvidence], mass: numbers[tensorMass], mean: mean, inverse: make([]float64, d*d)}
	for i := range d {
		copy(p.inverse[i*d:], packed[i*(i+1)/2:(i+1)*(i+2)/2])
	}
	p.countEffective()
	return p, nil
}

var posteriorTensors = []string{tensorW, tensorB, tensorNoise, tensorMean, tensorFactor, tensorLambda, tensorPenalty, tensorMass, tensorEvidence}

// posteriorReader keeps its first error.
type posteriorReader struct {
	tensors map[string]*tensor.Dense
	err     error
}

// take copies the numbers of a tensor of the given shape; -1 is any length above 0.
func (r *posteriorReader) take(name string, shape ...int) []float64 {
	if r.err != nil {
		return nil
	}
	t := r.tensors[name]
	if t == nil {
		r.err = fmt.Errorf("train: RestorePosterior: the tensor %q is missing: %w", name, domain.ErrParam)
		return nil
	}
	got := t.Shape()
	if t.Dtype() != tensor.Float64 {
		r.err = fmt.Errorf("train: RestorePosterior: %q is %v, not float64: %w", name, t.Dtype(), domain.ErrDtype)
		return nil
	}
	fits, size := len(got) == len(shape) && !t.RequiresIterator() && t.DataOrder().IsRowMajor(), 1
	for i := 0; fits && i < len(shape); i++ {
		fits = got[i] == shape[i] || shape[i] < 0 && got[i] > 0
		size *= got[i]
	}
	if !fits || len(t.Float64s()) != size {
		r.err = fmt.Errorf("train: RestorePosterior: %q has the shape %v, want %v of whole rows (-1: any length): %w", name, got, shape, domain.ErrShape)
		return nil
	}
	v := slices.Clone(t.Float64s())
	if i, j, bad := given.NotFinite(v, 1, size, size); i >= 0 {
		r.err = fmt.Errorf("train: RestorePosterior: %q has the number %v at %d: %w", name, bad, j, domain.ErrDomain)
		return nil
	}
	return v
}
