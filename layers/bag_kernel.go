package layers

import (
	"fmt"
	"math"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// BagKernel is a kernel of sets of samples. Its At and Domain treat a row as a set of one sample.
type BagKernel interface {
	spectral.Kernel
	// GramBags returns the exact kernel matrix [n, n] of n sets. Errors: samples outside the domain (ErrDomain),
	// parameters that do not fit the number of coordinates of a sample (ErrParam).
	GramBags(b *ops.Bags) (*mat.Dense, error)
}

// The kernels of sets check their parameters.
var _ = []spectral.Validator{(*densityKernel)(nil), (*meanKernel)(nil)}

// densityKernel is the kernel exp(-ρ²/2σ²) of density estimates.
type densityKernel struct{ Density }

// Domain is the unit cube.
func (k *densityKernel) Domain() spectral.Domain { return domain.UnitCube() }

// Validate checks the distance and that σ is finite and above 0.
func (k *densityKernel) Validate() error {
	if !k.l2() {
		if err := k.Distance.Validate(); err != nil {
			return err
		}
	}
	if !(k.Sigma > 0 && k.Sigma <= math.MaxFloat64) {
		return fmt.Errorf("layers: kernel of densities: σ = %v is not a finite number above 0: %w", k.Sigma, ErrParam)
	}
	return nil
}

// onRows returns the kernel of rows of the values of densities at so many points. For ∫ (p - q)² that is the mean of
// their squared differences.
func (d Density) onRows(points int) spectral.Kernel {
	if d.l2() {
		return spectral.Gaussian{Sigma: d.Sigma * math.Sqrt(float64(points))}
	}
	return d.Distance.Kernel(d.Sigma, points)
}

// GramBags estimates the densities and returns their kernel matrix.
func (k *densityKernel) GramBags(b *ops.Bags) (*mat.Dense, error) {
	who := &base{prefix: "layers: kernel of densities"}
	if err := ops.CheckRows(k.Domain(), who.prefix, b); err != nil {
		return nil, err
	}
	e, err := k.estimate(b.Axes(), b.Dtype())
	if err != nil {
		return nil, err
	}
	f := new(flow)
	p := e.run(f, who, nil, value{rows: b.Samples()}, b.Offsets())
	if f.err != nil {
		return nil, f.err
	}
	return spectral.Gram(k.onRows(e.grid.Len()), p.dense(), nil)
}

// At returns the kernel of two sets of one sample each. It panics if the parameters do not fit the samples, because it
// has no error to return.
func (k *densityKernel) At(x, z []float64) float64 {
	if len(x) != len(z) {
		panic(fmt.Sprintf("layers: x has %d coordinates and z has %d", len(x), len(z)))
	}
	both := tensor.New(tensor.WithShape(2, len(x)), tensor.WithBacking(slices.Concat(x, z)))
	b, err := ops.BagsOfRows(both)
	if err != nil {
		panic(err)
	}
	g, err := k.GramBags(b)
	if err != nil {
		panic(err)
	}
	return g.At(0, 1)
}

// meanKernel is exp(-MMD²/2τ²) of a kernel of samples.
type meanKernel struct {
	of  spectral.Kernel
	tau float64
}

// Domain returns the domain of the kernel of samples.
func (k *meanKernel) Domain() spectral.Domain { return k.of.Domain() }

// Validate checks the kernel of samples and that τ is finite and above 0.
func (k *meanKernel) Validate() error {
	if !(k.tau > 0 && k.tau <= math.MaxFloat64) {
		return fmt.Errorf("layers: mean map: τ = %v is not a finite number above 0: %w", k.tau, ErrParam)
	}
	if v, ok := k.of.(spectral.Validator); ok {
		return v.Validate()
	}
	return nil
}

// At returns the kernel of two sets of one sample.
func (k *meanKernel) At(x, z []float64) float64 {
	return k.ofSquared(spectral.SquaredMetric(k.of, x, z))
}

// ofSquared returns exp(-d²/2τ²), also for a τ whose square overflows or underflows float64.
func (k *meanKernel) ofSquared(d2 float64) float64 { return math.Exp(-d2 / k.tau / k.tau / 2) }

// GramBags computes the kernel of samples for every pair of samples.
func (k *meanKernel) GramBags(b *ops.Bags) (*mat.Dense, error) {
	n := b.Len()
	if n == 0 {
		return &mat.Dense{}, nil
	}
	if err := ops.CheckRows(k.Domain(), "layers: mean map", b); err != nil {
		return nil, err
	}
	means := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			g, err := spectral.Gram(k.of, b.Bag(i), b.Bag(j))
			if err != nil {
				return nil, err
			}
			rows, cols := g.Dims()
			means.Set(i, j, mat.Sum(g)/float64(rows*cols))
		}
	}
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			d2 := math.Max(0, means.At(i, i)+means.At(j, j)-2*means.At(i, j))
			v := k.ofSquared(d2)
			out.Set(i, j, v)
			out.Set(j, i, v)
		}
	}
	return out, nil
}
