package layers

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// SparseMap is a Map that takes sparse rows as they are, and as a layer a node that holds them. The random, the
// homogeneous and the exponentiated maps, the heads and the compositions do; other maps get them in blocks of dense
// rows, by the function Transform.
type SparseMap interface {
	Map
	// TransformCSR is Transform for sparse rows x [n, Dims].
	TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error)
}

var (
	_ SparseMap = (*FourierLayer)(nil)
	_ SparseMap = (*RandomLaplaceLayer)(nil)
	_ SparseMap = (*LevyLayer)(nil)
	_ SparseMap = (*SkewedLayer)(nil)
	_ SparseMap = (*Identity)(nil)
	_ SparseMap = (*HomogeneousLayer)(nil)
	_ SparseMap = (*ExponentiatedLayer)(nil)
	_ SparseMap = (*GORFLayer)(nil)
	_ SparseMap = (*Sequential)(nil)
	_ SparseMap = (*Concat)(nil)
	_ SparseMap = (*LinearHead)(nil)
	_ SparseMap = (*SoftmaxHead)(nil)
)

// spreadCells is about how many cells of sparse rows are dense at a time for a map that is no SparseMap.
const spreadCells = 1 << 21

// Transform writes the features of dense or sparse rows x [n, m.Dims()], or of n bags, to dst [n, m.Features()],
// allocated if nil.
func Transform(m Map, dst *tensor.Dense, x ops.Matrix) (*tensor.Dense, error) {
	if err := present(m, x); err != nil {
		return nil, err
	}
	switch v := x.(type) {
	case *tensor.Dense:
		return m.Transform(dst, v)
	case *ops.CSR:
		if s, ok := m.(SparseMap); ok {
			return s.TransformCSR(dst, v)
		}
		return transformBlocks(m, dst, v)
	case *ops.Bags:
		if s, ok := m.(BagMap); ok {
			return s.TransformBags(dst, v)
		}
		return nil, fmt.Errorf("%s: it is a map of rows, and x are %v; want a BagLayer, as of the maps %s: %w",
			whoOf(m), v, strings.Join(BagMaps(), ", "), ErrDtype)
	}
	return nil, fmt.Errorf("layers: Transform: x is %T, want a *tensor.Dense, a *ops.CSR or a *ops.Bags: %w", x,
		ErrDtype)
}

// present is the error of a map or of rows that are nil.
func present(m Map, x ops.Matrix) error {
	switch {
	case domain.IsNil(m):
		return fmt.Errorf("layers: Transform: the map is nil: %w", ErrParam)
	case domain.IsNil(x):
		return fmt.Errorf("%s: x is nil, want [n, %d]: %w", whoOf(m), m.Dims(), ErrDtype)
	}
	return nil
}

// transformBlocks maps sparse rows that are made dense block by block.
func transformBlocks(m Map, dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	if err := checkColumns(whoOf(m), x, m.Dims()); err != nil {
		return nil, err
	}
	n, d, features := x.Rows(), m.Dims(), m.Features()
	if dst == nil {
		dst = tensor.New(tensor.WithShape(n, features), tensor.Of(x.Dtype()))
	}
	if !dst.Shape().Eq(tensor.Shape{n, features}) || dst.Dtype() != x.Dtype() || !ops.IsContiguous(dst) {
		return nil, fmt.Errorf("%s: dst is %v %v, want a contiguous %v (%d, %d): %w", whoOf(m), dst.Dtype(),
			dst.Shape(), x.Dtype(), n, features, ErrShape)
	}
	size := max(1, spreadCells/max(1, d))
	for at := 0; at < n; at += size {
		rows := min(size, n-at)
		block, err := x.Slice(at, at+rows).Dense(nil)
		if err != nil {
			return nil, err
		}
		if _, err := m.Transform(ops.Rows(dst, at, at+rows), block); err != nil {
			return nil, domain.InBlock(at, err)
		}
	}
	return dst, nil
}

// whoOf is the start of a message about any map.
func whoOf(m Map) string {
	if l, ok := m.(Layer); ok {
		return fmt.Sprintf("layers: Transform of %q", l.Name())
	}
	return "layers: Transform"
}

// zeroKeeper is a map of sparse rows to sparse rows.
type zeroKeeper interface {
	MapCSR(x *ops.CSR) (*ops.CSR, error)
	keepsZeros() bool
}

var (
	_ zeroKeeper = (*HomogeneousLayer)(nil)
	_ zeroKeeper = (*AddKPCALayer)(nil)
)

// Apply is Transform, except that sparse rows through an Identity, a homogeneous map or one by tables stay sparse: what
// the next layer, or a head, is to read.
func Apply(m Map, dst *tensor.Dense, x ops.Matrix) (ops.Matrix, error) {
	if err := present(m, x); err != nil {
		return nil, err
	}
	s, sparse := x.(*ops.CSR)
	if k, ok := m.(zeroKeeper); ok && sparse && k.keepsZeros() {
		return k.MapCSR(s)
	}
	id := identity(m)
	if !sparse || id == nil {
		return Transform(m, dst, x)
	}
	if err := id.fits(s); err != nil {
		return nil, err
	}
	return s, ops.CheckRows(ops.Domain{}, id.who(), s)
}

// IsIdentity says whether m hands its input on: an Identity, or a layer around one, whose method Unwrap returns what it
// is around.
func IsIdentity(m Map) bool { return identity(m) != nil }

func identity(m Map) *Identity {
	for {
		switch v := m.(type) {
		case *Identity:
			return v
		case interface{ Unwrap() Layer }:
			m = v.Unwrap()
		default:
			return nil
		}
	}
}
