package linear

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/factor"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// maxStats is the largest number of features, and of targets: G would be 8 TB.
const maxStats = 1 << 20

// doubles makes a float64 tensor of copies of the numbers.
func doubles(v []float64, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Clone(v)))
}

// packed appends the lower triangle of a, [n, n], row by row.
func packed(to, a []float64, n int) []float64 {
	for i := range n {
		to = append(to, a[i*n:i*n+i+1]...)
	}
	return to
}

// unpacked is the inverse of packed.
func unpacked(v []float64, n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		copy(a[i*n:], v[i*(i+1)/2:(i+1)*(i+2)/2])
	}
	return a
}

// tensorReader reads tensors by their names and keeps its first error.
type tensorReader struct {
	who     string
	tensors map[string]*tensor.Dense
	err     error
}

// fail keeps an error unless there is one.
func (r *tensorReader) fail(target error, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("train: %s: %s: %w", r.who, fmt.Sprintf(format, args...), target)
	}
}

// known refuses tensors of other names.
func (r *tensorReader) known(names ...string) {
	for _, name := range slices.Sorted(maps.Keys(r.tensors)) {
		if !slices.Contains(names, name) {
			r.fail(domain.ErrParam, "the tensor %.60q is none of %v", name, names)
		}
	}
}

// take copies the numbers of a tensor of the given shape; -1 is any length above 0.
func (r *tensorReader) take(name string, shape ...int) []float64 {
	t := r.tensors[name]
	switch {
	case r.err != nil:
		return nil
	case t == nil:
		r.fail(domain.ErrParam, "the tensor %q is missing", name)
		return nil
	case t.Dtype() != tensor.Float64:
		r.fail(domain.ErrDtype, "%q is %v, not float64", name, t.Dtype())
		return nil
	}
	got := t.Shape()
	fits, size := len(got) == len(shape) && !t.RequiresIterator() && t.DataOrder().IsRowMajor(), 1
	for i := 0; fits && i < len(shape); i++ {
		fits = got[i] == shape[i] || shape[i] < 0 && got[i] > 0 && got[i] <= maxStats
		size *= got[i]
	}
	if !fits || len(t.Float64s()) != size {
		r.fail(domain.ErrShape, "%q has the shape %v, want %v of whole rows (-1: any length up to %d)", name, got, shape, maxStats)
		return nil
	}
	v := slices.Clone(t.Float64s())
	if i, j, bad := given.NotFinite(v, 1, size, size); i >= 0 {
		r.fail(domain.ErrDomain, "%q has the number %v at %d", name, bad, j)
		return nil
	}
	return v
}

// positive takes numbers above 0.
func (r *tensorReader) positive(name string, shape ...int) []float64 {
	v := r.take(name, shape...)
	for i, x := range v {
		if !(x > 0) {
			r.fail(domain.ErrDomain, "%s[%d] is %v, not above 0", name, i, x)
		}
	}
	return v
}

// factors takes the inverses of count Cholesky factors of n rows.
func (r *tensorReader) factors(name string, count, n int, shape ...int) (all []*factor.Cholesky) {
	v, size := r.take(name, shape...), n*(n+1)/2
	for c := 0; c < count && r.err == nil; c++ {
		root := unpacked(v[c*size:(c+1)*size], n)
		for i := range n {
			if x := root[i*n+i]; !(x > 0) {
				r.fail(domain.ErrDomain, "%s has %v on its diagonal, in row %d, not a number above 0", name, x, i)
			}
		}
		all = append(all, factor.OfInverse(root, n))
	}
	return all
}

// Tensors returns the posterior for a file (package modelfile), all in float64: W [D, k], b [k], noise [k], z_mean [D],
// the numbers lambda, penalty, mass and log_evidence, [1] each, and inverse_factor [D(D+1)/2], the lower triangle of
// L⁻¹ row by row, with L Lᵀ = G + ρI. It returns nil for a Posterior that neither RidgeStats nor Restore made.
func (p *Posterior) Tensors() map[string]*tensor.Dense {
	if p.check("Tensors") != nil {
		return nil
	}
	d, k := p.Fit.W.Dims()
	one := func(v float64) *tensor.Dense { return doubles([]float64{v}, 1) }
	return map[string]*tensor.Dense{
		"W": doubles(mat.DenseCopyOf(p.Fit.W).RawMatrix().Data, d, k), "b": doubles(p.Fit.B, k), "noise": doubles(p.Noise, k),
		"z_mean": doubles(p.mean, d), "inverse_factor": doubles(packed(nil, p.factor.Inverse(), d), d*(d+1)/2),
		"lambda": one(p.Lambda), "penalty": one(p.Penalty), "mass": one(p.mass), "log_evidence": one(p.LogEvidence),
	}
}

// Restore sets the posterior to what tensors has, which Tensors made, to the last bit. Errors: domain.ErrParam for a
// tensor that is missing, nil or unknown; domain.ErrShape for another shape, a view or a transpose; domain.ErrDtype for
// tensors that are not float64; domain.ErrDomain for numbers that are not finite, and for a variance, penalty, mass or
// diagonal of the factor out of range.
func (p *Posterior) Restore(tensors map[string]*tensor.Dense) error {
	r := &tensorReader{who: "Posterior.Restore", tensors: tensors}
	r.known("W", "b", "noise", "z_mean", "inverse_factor", "lambda", "penalty", "mass", "log_evidence")
	mean, noise := r.take("z_mean", -1), r.take("noise", -1)
	d, k := len(mean), len(noise)
	w, b := r.take("W", d, k), r.take("b", k)
	lambda, penalty, mass := r.positive("lambda", 1), r.positive("penalty", 1), r.positive("mass", 1)
	evidence, inverse := r.take("log_evidence", 1), r.factors("inverse_factor", 1, d, d*(d+1)/2)
	for t, v := range noise {
		if v < 0 {
			r.fail(domain.ErrDomain, "noise[%d] = %v is negative", t, v)
		}
	}
	if r.err != nil {
		return r.err
	}
	*p = Posterior{Fit: &Fit{W: mat.NewDense(d, k, w), B: b, Lambda: lambda[0]}, Noise: noise, Lambda: lambda[0],
		Penalty: penalty[0], LogEvidence: evidence[0], mass: mass[0], mean: mean, factor: inverse[0]}
	p.countEffective()
	return nil
}

// Tensors returns the posterior without W and B, in float64, for a model file: "mean" [D], about which the features are
// centred, "prior" [2] with Lambda and Scale, and, under the name of the covariance, the inverses of the lower Cholesky
// factors of the precisions, row by row without their zeros. That is "exact" [1, N(N+1)/2] with N = (D + 1) k,
// "classes" [k, N(N+1)/2] or "shared" [1, N(N+1)/2] with N = D + 1. The tensors are copies; nil if there is no
// posterior.
func (l *Laplace) Tensors() map[string]*tensor.Dense {
	if l.root == nil {
		return nil
	}
	var all []float64
	_, n := precisions(l.Covariance, l.d, l.k)
	for _, root := range l.root {
		all = packed(all, root.Inverse(), n)
	}
	return map[string]*tensor.Dense{
		"mean":       doubles(l.at, l.d),
		"prior":      doubles([]float64{l.Lambda, l.Scale}, 2),
		l.Covariance: doubles(all, len(l.root), n*(n+1)/2),
	}
}

// Restore sets the approximation to what tensors has, which Tensors made, for the head W [D, k] and B [k] of the fit.
// Its predictions are the same to the last bit.
//
// Errors: domain.ErrShape for a head or tensors whose shapes do not fit together; domain.ErrDtype for tensors that are
// not float64; domain.ErrParam for a missing or an additional tensor, and for a head without W; domain.ErrDomain for
// numbers that are not finite or that no posterior has.
func (l *Laplace) Restore(tensors map[string]*tensor.Dense, w *mat.Dense, b []float64) error {
	if err := checkHead(w, b); err != nil {
		return err
	}
	var kind string
	for _, c := range covariances {
		if tensors[c] != nil {
			kind = c
		}
	}
	if len(tensors) != 3 || kind == "" {
		return fmt.Errorf("train: Laplace.Restore: %d tensors, want mean, prior, and one of exact, classes and "+
			"shared, as Laplace.Tensors makes them: %w", len(tensors), domain.ErrParam)
	}
	d, k := w.Dims()
	count, n := precisions(kind, d, k)
	if err := domain.CheckSize("train: Laplace.Restore: the posterior", 8, count, n, n); err != nil {
		return err
	}
	r := &tensorReader{who: "Laplace.Restore", tensors: tensors}
	mean, prior := r.take("mean", d), r.positive("prior", 2)
	root := r.factors(kind, count, n, count, n*(n+1)/2)
	if r.err != nil {
		return r.err
	}
	restored := newLaplace(w, b, mean)
	restored.Covariance, restored.Lambda, restored.Scale, restored.root = kind, prior[0], prior[1], root
	if i, _, v := given.NotFinite(restored.head, d+1, k, k); i >= 0 {
		return fmt.Errorf("train: Laplace.Restore: a coefficient about the mean of the features is %v; W, B "+
			"and mean do not belong together: %w", v, domain.ErrDomain)
	}
	*l = *restored
	return nil
}

// The metadata of sums in a model file.
const statsRows, statsOfKey = "ridge_rows", "ridge_of"

// MarshalBinary returns the sums as the bytes of a model file (package modelfile), with a checksum: z_mean [D], y_mean
// [k], G, the lower triangle row by row [D(D+1)/2], R transposed [k, D], S [k], mass [1], and signature [D] and
// class_weights if there are any. Equal sums give equal bytes. Errors: domain.ErrShape or domain.ErrParam for a
// Signature that does not fit; domain.ErrDomain for sums that overflow; modelfile.ErrFormat for an Of of more than 64
// MiB.
func (s *RidgeStats) MarshalBinary() ([]byte, error) {
	meta, tensors := map[string]string{statsRows: strconv.Itoa(s.n), statsOfKey: s.Of}, map[string]*tensor.Dense{}
	if s.n > 0 {
		if err := s.checkSignature(); err != nil {
			return nil, err
		}
		d, k := s.Features(), s.Targets()
		tensors = map[string]*tensor.Dense{"z_mean": doubles(s.meanZ, d), "y_mean": doubles(s.meanY, k),
			"S": doubles(s.yy, k), "mass": doubles([]float64{s.mass}, 1), "R": doubles(s.r, k, d),
			"G": doubles(packed(nil, s.g, d), d*(d+1)/2)}
		for name, v := range map[string][]float64{"signature": s.Signature, "class_weights": s.ClassWeights} {
			if v != nil {
				tensors[name] = doubles(v, len(v))
			}
		}
		for name, t := range tensors {
			if at, _, v := given.NotFinite(t.Float64s(), t.DataSize(), 1, 1); at >= 0 {
				return nil, fmt.Errorf("train: RidgeStats: the sum %s has the number %v; scale the features or the "+
					"targets: %w", name, v, domain.ErrDomain)
			}
		}
	}
	out, err := modelfile.Encode(meta, tensors)
	if err != nil {
		return nil, fmt.Errorf("train: RidgeStats: %w", err)
	}
	return out, nil
}

// UnmarshalBinary reads the bytes of MarshalBinary. Errors, which leave s as it was: modelfile.ErrCorrupt for bytes
// that were cut or changed, modelfile.ErrFormat for a model file of something else.
func (s *RidgeStats) UnmarshalBinary(b []byte) error {
	meta, tensors, err := modelfile.Decode(b)
	if err != nil {
		return fmt.Errorf("train: RidgeStats: %w", err)
	}
	t := &RidgeStats{Of: meta[statsOfKey], Float32Products: s.Float32Products}
	if t.n, err = strconv.Atoi(meta[statsRows]); err != nil || t.n < 0 {
		return fmt.Errorf("train: RidgeStats: the file has %.20q rows and is none of sums of ridge regression: %w",
			meta[statsRows], modelfile.ErrFormat)
	}
	if t.n > 0 {
		r := &tensorReader{who: "RidgeStats", tensors: tensors}
		r.known("z_mean", "y_mean", "S", "mass", "R", "G", "signature", "class_weights")
		t.meanZ, t.meanY = r.take("z_mean", -1), r.take("y_mean", -1)
		d, k := len(t.meanZ), len(t.meanY)
		t.yy, t.r = r.take("S", k), r.take("R", k, d)
		mass, g := r.positive("mass", 1), r.take("G", d*(d+1)/2)
		if tensors["signature"] != nil {
			t.Signature = r.take("signature", d)
		}
		if tensors["class_weights"] != nil {
			t.ClassWeights = r.positive("class_weights", max(2, k))
		}
		if r.err == nil {
			t.mass, t.g = mass[0], unpacked(g, d)
			r.err = t.checkSignature()
		}
		if r.err != nil {
			return fmt.Errorf("%w: %w", r.err, modelfile.ErrFormat)
		}
	}
	*s = *t
	return nil
}
