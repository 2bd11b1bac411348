package linear

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Tensors returns the posterior without W and B, in float64, for a model file: "mean" [D], "prior" [2] with Lambda and
// Scale, and, under the name of the covariance, the inverses of the lower Cholesky factors of the precisions, row by
// row without their zeros. That is "exact" [1, N(N+1)/2] with N = (D + 1) k, "classes" [k, N(N+1)/2] or "shared" [1,
// N(N+1)/2] with N = D + 1. The tensors are copies; nil if there is no posterior.
func (l *Laplace) Tensors() map[string]*tensor.Dense {
	if l.root == nil {
		return nil
	}
	var packed []float64
	_, n := l.Covariance.matrices(l.d, l.k)
	for _, root := range l.root {
		for i := range n {
			packed = append(packed, root[i*n:i*n+i+1]...)
		}
	}
	return map[string]*tensor.Dense{
		"mean":               floatsOf(tensor.Float64, l.mean, l.d),
		"prior":              floatsOf(tensor.Float64, []float64{l.Lambda, l.Scale}, 2),
		string(l.Covariance): floatsOf(tensor.Float64, packed, len(l.root), n*(n+1)/2),
	}
}

// RestoreLaplace is the inverse of Tensors, for the head W [D, k] and B [k] of the fit. Its predictions are the same to
// the last bit.
//
// Errors: domain.ErrShape for a head or tensors whose shapes do not fit together; domain.ErrDtype for tensors that are
// not float64; domain.ErrParam for a missing or an additional tensor, for values that no posterior has, and for a head
// without W; domain.ErrDomain for numbers that are not finite.
func RestoreLaplace(tensors map[string]*tensor.Dense, w *mat.Dense, b []float64) (*Laplace, error) {
	if err := checkHead(w, b); err != nil {
		return nil, err
	}
	var kind LaplaceCovariance
	for _, c := range []LaplaceCovariance{ExactCovariance, ClassesCovariance, SharedCovariance} {
		if tensors[string(c)] != nil {
			kind = c
		}
	}
	if len(tensors) != 3 || kind == "" {
		return nil, fmt.Errorf("train: RestoreLaplace: %d tensors, want mean, prior, and one of exact, classes and shared, as Laplace.Tensors makes them: %w", len(tensors), domain.ErrParam)
	}
	d, k := w.Dims()
	count, n := kind.matrices(d, k)
	if err := domain.CheckSize("train: RestoreLaplace: the posterior", 8, count, n, n); err != nil {
		return nil, err
	}
	read := func(name string, shape ...int) ([]float64, error) { return laplaceTensor(tensors[name], name, shape) }
	mean, err := read("mean", d)
	if err != nil {
		return nil, err
	}
	prior, err := read("prior", 2)
	if err != nil {
		return nil, err
	}
	packed, err := read(string(kind), count, n*(n+1)/2)
	if err != nil {
		return nil, err
	}
	l := newLaplace(w, b, slices.Clone(mean))
	l.Covariance, l.Lambda, l.Scale = kind, prior[0], prior[1]
	if !(l.Lambda > 0 && l.Scale > 0) {
		return nil, fmt.Errorf("train: RestoreLaplace: prior is %v, want Lambda and Scale above 0: %w", prior, domain.ErrParam)
	}
	if i, _, v := given.NotFinite(l.head, d+1, k, k); i >= 0 {
		return nil, fmt.Errorf("train: RestoreLaplace: a coefficient about the mean of the features is %v; W, B and mean do not belong together: %w", v, domain.ErrDomain)
	}
	for range count {
		root := make([]float64, n*n)
		for i := range n {
			copy(root[i*n:i*n+i+1], packed)
			if packed = packed[i+1:]; !(root[i*n+i] > 0) {
				return nil, fmt.Errorf("train: RestoreLaplace: %s has %v on its diagonal, want numbers above 0: %w", kind, root[i*n+i], domain.ErrParam)
			}
		}
		l.root = append(l.root, root)
	}
	return l, nil
}

// laplaceTensor is a tensor of a posterior, checked.
func laplaceTensor(t *tensor.Dense, name string, shape tensor.Shape) ([]float64, error) {
	switch {
	case t == nil:
		return nil, fmt.Errorf("train: RestoreLaplace: there is no tensor %q: %w", name, domain.ErrParam)
	case t.Dtype() != tensor.Float64:
		return nil, fmt.Errorf("train: RestoreLaplace: %s is %v, want float64: %w", name, t.Dtype(), domain.ErrDtype)
	case !t.Shape().Eq(shape):
		return nil, fmt.Errorf("train: RestoreLaplace: %s has shape %v, want %v: %w", name, t.Shape(), shape, domain.ErrShape)
	}
	v := ops.Float64s(t)
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("train: RestoreLaplace: %s[%d] is %v: %w", name, i, x, domain.ErrDomain)
		}
	}
	return v, nil
}
