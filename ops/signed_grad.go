package ops

import (
	"fmt"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// signedGradients is the backward of SignedFourier in one op: the vector of what is wanted of [dx | dU | dr | dρ]. The inputs are those of
// SignedFourier, its output z and the gradient g of that.
type signedGradients struct {
	base
	wanted Inputs
}

var _ G.Op = signedGradients{}

// sizes are the lengths of the four in the vector: 0 for what is not wanted.
func (o signedGradients) sizes(ss []tensor.Shape) (sizes [4]int, all int) {
	for i := range sizes {
		if o.wanted&(1<<i) != 0 {
			sizes[i] = ss[i].TotalSize()
			all += sizes[i]
		}
	}
	return sizes, all
}

func (o signedGradients) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	_, all := o.sizes(ss)
	return tensor.Shape{all}, nil
}

func (o signedGradients) Do(in ...G.Value) (G.Value, error) {
	rows, ts, err := o.mixed(in, o.wanted&First != 0)
	if err != nil {
		return nil, err
	}
	ss := []tensor.Shape{rows.Shape()}
	for _, t := range ts[1:] {
		ss = append(ss, t.Shape())
	}
	shared, err := checkSigned("ops: "+o.kind, ss[1], ss[2], ss[3])
	if err != nil {
		return nil, err
	}
	if want := (tensor.Shape{ss[0][0], 2 * ss[2][0]}); ss[0][1] != ss[1][0] || !ss[4].Eq(want) || !ss[5].Eq(want) {
		return nil, fmt.Errorf("ops: %s of shapes %v: %w", o.kind, ss, ErrShape)
	}
	sizes, all := o.sizes(ss)
	out := tensor.New(tensor.WithShape(all), tensor.Of(rows.Dtype()))
	if out.Dtype() == tensor.Float32 {
		fillSigned(o, data[float32](out), sizes, rows, ts, shared)
	} else {
		fillSigned(o, data[float64](out), sizes, rows, ts, shared)
	}
	return out, nil
}

func fillSigned[T domain.Float](o signedGradients, out []T, sizes [4]int, rows Matrix, in []*tensor.Dense, shared bool) {
	var dx, du, dr, drho []T
	for i, part := range []*[]T{&dx, &du, &dr, &drho} {
		if sizes[i] > 0 {
			*part, out = out[:sizes[i]:sizes[i]], out[sizes[i]:]
		}
	}
	s := signedBackward[T]{n: rows.Shape()[0], d: in[1].Shape()[0], q: in[1].Shape()[1], blocks: in[3].Shape()[0], rows: rows,
		u: data[T](in[1]), norms: data[T](in[2]), z: data[T](in[4]), g: data[T](in[5])}
	s.m = len(s.norms) / s.blocks
	if drho != nil {
		s.ofRoots(drho, data[T](in[3]))
	}
	if dr == nil {
		s.products(simd.Gradients[T]{DX: dx, DW: du}, s.norms, s.q)
		return
	}
	if dx != nil {
		s.products(simd.Gradients[T]{DX: dx}, s.norms, s.q)
	}
	each := make([]T, s.d*s.m*s.blocks)
	s.products(simd.Gradients[T]{DW: each}, nil, s.m*s.blocks)
	s.ofNorms(du, dr, each)
}

// signedBackward is what the gradients are made from.
type signedBackward[T domain.Float] struct {
	n, d, q, m, blocks int
	rows               Matrix
	u, norms, z, g     []T
}

// products computes dx and dU by the products with dP [n, cols], for which simd.BlocksGrad is asked with those norms.
func (s signedBackward[T]) products(to simd.Gradients[T], norms []T, cols int) {
	if to.DX == nil && to.DW == nil {
		return
	}
	if x, ok := s.rows.(*CSR); ok {
		dp := make([]T, s.n*cols)
		simd.BlocksGrad(dp, s.z, s.g, norms, s.n, s.m, s.blocks, cols)
		sparse := sparseOf[T](x)
		simd.GradWCSR(to.DW, sparse.CSR, sparse.columnBase(), dp, cols)
		return
	}
	w := simd.Wide[T](s.d, cols)
	if norms != nil {
		w = simd.Borrow(s.u, s.d, cols)
	}
	w.BlocksBackward(to, data[T](s.rows.(*tensor.Dense)), s.z, s.g, norms, s.n, s.m, s.blocks)
}

// ofNorms writes dU, unless it is nil, and dr from the products xᵀ·dP_b side by side.
func (s signedBackward[T]) ofNorms(du, dr, each []T) {
	cols := s.m * s.blocks
	sums := make([]float64, cols)
	for i := range s.d {
		for k, v := range each[i*cols : (i+1)*cols] {
			j := i*s.q + k%s.q
			sums[k] += float64(s.u[j]) * float64(v)
			if du != nil {
				du[j] += v * s.norms[k]
			}
		}
	}
	for k, v := range sums {
		dr[k] = T(v)
	}
}

// ofRoots writes dρ_b = <g, z>/ρ_b.
func (s signedBackward[T]) ofRoots(drho, roots []T) {
	sums := make([]float64, s.blocks)
	for k, v := range s.z {
		sums[k/(2*s.m)%s.blocks] += float64(v) * float64(s.g[k])
	}
	for b, v := range sums {
		drho[b] = T(v / float64(roots[b]))
	}
}
