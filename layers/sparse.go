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

// ZeroMap is a Map that may have zeros for zeros, and then sparse features of sparse rows. The homogeneous maps, the maps
// by tables and Identity are, and so are the compositions of them.
type ZeroMap interface {
	Map
	// KeepsZeros says whether every feature of a row of zeros is 0.
	KeepsZeros() bool
	// MapCSR is Transform of sparse rows x [n, Dims] to sparse rows [n, Features]. It is an error where KeepsZeros is
	// false.
	MapCSR(x *ops.CSR) (*ops.CSR, error)
}

var (
	_ ZeroMap = (*HomogeneousLayer)(nil)
	_ ZeroMap = (*AddKPCALayer)(nil)
	_ ZeroMap = (*Identity)(nil)
	_ ZeroMap = (*Sequential)(nil)
	_ ZeroMap = (*Concat)(nil)
)

// KeepsZeros says whether Apply makes sparse rows of sparse rows: of a ZeroMap that does, or of a layer around one, whose
// method Unwrap returns what it is around. It is false for a nil map.
func KeepsZeros(m Map) bool { return zeroMap(m) != nil }

// zeroMap is the map in m that keeps zeros, or nil.
func zeroMap(m Map) ZeroMap {
	for !domain.IsNil(m) {
		if z, ok := m.(ZeroMap); ok {
			if z.KeepsZeros() {
				return z
			}
			return nil
		}
		w, ok := m.(interface{ Unwrap() Layer })
		if !ok {
			return nil
		}
		m = w.Unwrap()
	}
	return nil
}

// Apply is Transform, except that sparse rows through a map that keeps zeros (KeepsZeros) stay sparse: what the next
// layer, or a head, is to read.
func Apply(m Map, dst *tensor.Dense, x ops.Matrix) (ops.Matrix, error) {
	if err := present(m, x); err != nil {
		return nil, err
	}
	if s, sparse := x.(*ops.CSR); sparse {
		if z := zeroMap(m); z != nil {
			return z.MapCSR(s)
		}
	}
	return Transform(m, dst, x)
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
