package layers

import (
	"fmt"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// SparseMap is a Map that takes sparse rows without making them dense. As a layer it also takes a node that holds them.
// Random, homogeneous and exponentiated maps, maps by tables, heads and compositions are SparseMaps. The function
// Transform passes sparse rows to any other Map in blocks of dense rows.
type SparseMap interface {
	Map
	// TransformCSR is Transform for sparse rows x [n, Dims].
	TransformCSR(dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error)
}

// spreadCells is about the number of cells of sparse rows that are dense at a time, for a map that is no SparseMap.
const spreadCells = 1 << 21

// Transform writes the features of x to dst [n, m.Features()], allocated if nil. x holds n rows, a *tensor.Dense or an
// *ops.CSR [n, m.Dims()], or n sets of samples, an *ops.Bags, which only a BagMap takes. Errors: a nil map (ErrParam),
// a nil x or another type of x (ErrDtype), and the errors of the map.
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
		return nil, fmt.Errorf("%s: the map takes rows, and x is %v; want a BagLayer, as of the maps %s: %w",
			whoOf(m), v, strings.Join(BagMaps(), ", "), ErrDtype)
	}
	return nil, fmt.Errorf("layers: Transform: x is %T, want a *tensor.Dense, a *ops.CSR or a *ops.Bags: %w", x,
		ErrDtype)
}

// present returns an error for a nil map or nil rows.
func present(m Map, x ops.Matrix) error {
	switch {
	case domain.IsNil(m):
		return fmt.Errorf("layers: Transform: the map is nil: %w", ErrParam)
	case domain.IsNil(x):
		return fmt.Errorf("%s: x is nil, want [n, %d]: %w", whoOf(m), m.Dims(), ErrDtype)
	}
	return nil
}

// transformBlocks makes sparse rows dense, a block at a time, and maps them.
func transformBlocks(m Map, dst *tensor.Dense, x *ops.CSR) (*tensor.Dense, error) {
	if err := checkColumns(whoOf(m), x, m.Dims()); err != nil {
		return nil, err
	}
	rows := max(1, spreadCells/max(1, m.Dims()))
	return ops.InBlocks(whoOf(m), dst, x, rows, m.Features(), func(dst *tensor.Dense, x ops.Matrix) error {
		_, err := m.Transform(dst, x.(*tensor.Dense))
		return err
	})
}

// whoOf returns the start of a message about any map.
func whoOf(m Map) string {
	if l, ok := m.(Layer); ok {
		return fmt.Sprintf("layers: Transform of %q", l.Name())
	}
	return "layers: Transform"
}

// CSRMap is a Map that may have sparse features. Homogeneous maps, maps by tables, Identity and compositions have them
// where they map zeros to zeros, and a BinningLayer of 16 bins and more has them of any rows.
type CSRMap interface {
	Map
	// StaysSparse says whether sparse rows have sparse features.
	StaysSparse() bool
	// MapCSR is Transform from sparse rows x [n, Dims] to sparse rows [n, Features]. It is an error (ErrParam) if
	// StaysSparse is false.
	MapCSR(x *ops.CSR) (*ops.CSR, error)
}

// StaysSparse says whether Apply returns sparse features for the rows x: for sparse rows and a CSRMap whose StaysSparse
// is true, for dense rows too if it is a BinningLayer, also behind layers whose method Unwrap returns them. It is false
// for a nil map.
func StaysSparse(m Map, x ops.Matrix) bool {
	switch x.(type) {
	case *ops.CSR:
		return sparseMapOf(m) != nil
	case *tensor.Dense:
		_, ok := behind[*BinningLayer](m)
		return ok && sparseMapOf(m) != nil
	}
	return false
}

// sparseMapOf returns m, or the map behind it, if sparse rows have sparse features; else nil.
func sparseMapOf(m Map) CSRMap {
	if z, ok := behind[CSRMap](m); ok && z.StaysSparse() {
		return z
	}
	return nil
}

// StoredFeatures is about the number of features of rows x that Apply stores if they are sparse; 0: they are dense.
func StoredFeatures(m Map, x ops.Matrix) int {
	if !StaysSparse(m, x) {
		return 0
	}
	if b, ok := behind[*BinningLayer](m); ok {
		return max(1, x.Shape()[0]*b.Grids())
	}
	return max(1, x.(*ops.CSR).Stored()*((m.Features()+m.Dims()-1)/m.Dims()))
}

// Unwrap returns the layer that a program's own layer wraps: what its method Unwrap returns, unwrapped in turn. Another
// layer is returned as it is.
func Unwrap(l Layer) Layer {
	w, wraps := l.(interface{ Unwrap() Layer })
	if !wraps {
		return l
	}
	return Unwrap(w.Unwrap())
}

// behind returns m, or the layer that its method Unwrap returns and so on, whichever is of a type first.
func behind[T any](m Map) (of T, ok bool) {
	for !domain.IsNil(m) {
		if of, ok = m.(T); ok {
			break
		}
		w, wraps := m.(interface{ Unwrap() Layer })
		if !wraps {
			break
		}
		m = w.Unwrap()
	}
	return of, ok
}

// Apply is Transform, except that features stay sparse if they can (StaysSparse): it then ignores dst and returns an
// *ops.CSR, for the next layer or a head.
func Apply(m Map, dst *tensor.Dense, x ops.Matrix) (ops.Matrix, error) {
	if err := present(m, x); err != nil {
		return nil, err
	}
	if !StaysSparse(m, x) {
		return Transform(m, dst, x)
	}
	s, sparse := x.(*ops.CSR)
	if !sparse {
		var err error
		if s, err = ops.CSROf(x.(*tensor.Dense)); err != nil {
			return nil, err
		}
	}
	return sparseMapOf(m).MapCSR(s)
}

// IsIdentity says whether m returns its input: an Identity, or a layer whose method Unwrap returns one.
func IsIdentity(m Map) bool {
	_, ok := behind[*Identity](m)
	return ok
}
