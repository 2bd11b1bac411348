package layers

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// kernelParam is the parameter by which a map names another map, whose kernel and parameters it takes over.
const kernelParam = "kernel"

// lender returns the map of a kernel, or nil.
func lender(k spectral.Kernel) *Entry {
	for _, e := range lending(reflect.TypeFor[spectral.Kernel]()) {
		if sameKind(e.Kernel, k) {
			return e
		}
	}
	return nil
}

// sameKind says whether two kernels are of one type, and for spectral.Exponentiated the kernels behind them.
func sameKind(a, b spectral.Kernel) bool {
	if x, ok := a.(spectral.Exponentiated); ok {
		if y, ok := b.(spectral.Exponentiated); ok {
			return sameKind(x.Of, y.Of)
		}
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b)
}

// fillKernel fills in the parameters of a kernel that depend on the data.
func fillKernel(k spectral.Kernel, v Values, x ops.Matrix) error {
	e := lender(k)
	if e == nil {
		return nil
	}
	all := maps.Clone(v)
	err := e.fill(all, x)
	eachParam(k, func(d ParamDef, _ reflect.Value) {
		if value, there := all[d.Name]; there {
			v[d.Name] = value
		}
	})
	return err
}

// SampleRows is the largest number of rows that Spec.Fit fits a map on. A map with more landmarks than that or, if it
// does not give landmarks, more features, is fitted on up to as many rows.
const SampleRows = 10000

// Fit builds the map for rows x [n, Dims], dense or sparse. A map that is fitted on data (Entry.Fitted) is fitted on
// all rows or, if they are more than SampleRows, on a sample of them that Seed draws. The Params of the layer hold what
// was fitted; Restore makes the layer of them again. For any other map Fit is Build, and x may be nil. Errors: as for
// Build, or x is nil or has another number of columns (ErrShape).
func (s Spec) Fit(x ops.Matrix) (Layer, error) {
	e, p, err := s.plan()
	if err != nil || !p.traits.Fitted {
		return s.build(false, nil)
	}
	if b, ok := x.(*ops.Bags); ok && e.Bags {
		x = b.Samples()
	}
	if domain.IsNil(x) || x.Dims() != 2 || s.Dims > 0 && x.Shape()[1] != s.Dims {
		got := "none"
		if !domain.IsNil(x) {
			got = fmt.Sprint(x.Shape())
		}
		return nil, fmt.Errorf("layers: map %s is fitted on rows [n, %d], got %s: %w", s.Map, s.Dims, got, ErrShape)
	}
	some, err := someRows(x, max(SampleRows, p.rows), s.Seed)
	if err != nil {
		return nil, fmt.Errorf("layers: map %s: %w", s.Map, err)
	}
	sample, err := ops.Copy(nil, some, ops.Attr{})
	if err != nil {
		return nil, fmt.Errorf("layers: map %s: %w", s.Map, err)
	}
	return s.build(false, sample)
}

// someRows returns at most limit rows, sparse if x is: all, or some that the seed draws, in their order.
func someRows(x ops.Matrix, limit int, seed uint64) (ops.Matrix, error) {
	n := x.Shape()[0]
	if n <= limit {
		return x, nil
	}
	rows := rand.New(spectral.Stream(seed, "sample")).Perm(n)[:limit]
	slices.Sort(rows)
	switch x := x.(type) {
	case *ops.CSR:
		return x.Take(rows), nil
	case *tensor.Dense:
		return takeRows(x, rows)
	}
	return x, nil
}

// takeRows returns a copy of the rows of these numbers.
func takeRows(x *tensor.Dense, rows []int) (*tensor.Dense, error) {
	b, err := ops.BagsOfRows(x)
	if err != nil {
		return nil, err
	}
	return b.Take(rows).Samples(), nil
}
