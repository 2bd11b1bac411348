package layers

import (
	"fmt"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// BinningLayer is the map of random binning features of the Laplacian kernel, k(x, z) = exp(-‖x-z‖₁/σ). Each of R =
// features/b grids has random intervals in every column, so that two rows fall into the same cell with the probability
// k(x, z). A hash gives a cell one of b columns and a sign, and a row has ±1/√R there and 0 in the other columns of the
// grid. z(x)·z(z) is unbiased for k(x, z), and its variance is
//
//	(k - k²)/R + (1 - k)/features.
//
// A FourierLayer of as many features has about the second term alone. But the features of a row cost R d operations
// here, and R numbers: from b = 16 on they are sparse, for dense rows too (StaysSparse), and linear models read them
// so. That pays where most rows are far apart, k < 1/b.
//
// Input [n, d]; output [n, features]. The features are constant within a cell: nothing is tuned, and the derivative for
// x is 0, so that no layer below learns. Parameters: rates [R, d], offsets [R, d] and hash [R, d+1], see
// spectral.DrawGrids. Rahimi and Recht (2007), algorithm 2; Wu, Yen, Chen and Yan (2016), Revisiting random binning
// features, who number the cells that occur instead of hashing all.
type BinningLayer struct {
	csrMapper
	kernel spectral.Laplacian
	bins   int
}

// binningForm is the form of a BinningLayer.
type binningForm struct {
	Kernel spectral.Laplacian `param:",inline"`
	Bins   int                `param:"bins" words:"auto=0" range:"[1,2048]" default:"auto" doc:"columns for each grid, a power of 2"`
}

// sparseBins is the number of bins from which features are sparse.
const sparseBins = 16

// binsOr returns the number of bins, chosen if it is 0.
func binsOr(bins, features int) int {
	if bins == 0 {
		return min(sparseBins, features&-features) // which is the largest power of 2 that divides it
	}
	return bins
}

// NewBinningLayer draws the map of k for d dimensions and the given number of output columns, so many bins of each
// grid; 0 bins are 16, or the largest power of 2 that divides the features. Errors (ErrParam): parameters out of range,
// bins that are no power of 2 up to 2048, features < 1 or not a multiple of bins, a σ so small that float32 cannot hold
// the width of a cell.
func NewBinningLayer(k spectral.Laplacian, d, features, bins int, opts ...Option) (*BinningLayer, error) {
	b, o, err := begin("BinningLayer", d, features, opts, drawnOptions, k)
	bins = binsOr(bins, features)
	switch {
	case err != nil:
		return nil, err
	case bins < 1 || bins > 2048 || bins&(bins-1) != 0:
		return nil, fmt.Errorf("%s: %d bins, want a power of 2 from 1 to 2048: %w", b.who(), bins, ErrParam)
	case features%bins != 0:
		return nil, fmt.Errorf("%s: %d features is no multiple of the %d bins of a grid; ask for %d: %w", b.who(),
			features, bins, (features+bins-1)/bins*bins, ErrParam)
	}
	b.of = binningForm{k, bins}
	l := &BinningLayer{kernel: k, bins: bins}
	l.mapper = newSingle(b, k.Domain(), true, func(a ops.Attr) ops.Op { return ops.Binning(bins, a) })
	l.drawn("rates", o, func(o options) (Layer, error) { return NewBinningLayer(k, d, features, bins, withAll(o)) })
	rates, offsets, hash, err := spectral.DrawGrids(k, d, l.Grids(), o.sourceSeed())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.who(), err)
	}
	l.add("rates", false, rates.Float64s(), rates.Shape()...)
	l.add("offsets", false, offsets.Float64s(), offsets.Shape()...)
	l.add("hash", false, hash.Float64s(), hash.Shape()...)
	return l, nil
}

// Kernel returns the kernel of the features.
func (l *BinningLayer) Kernel() spectral.Kernel { return l.kernel }

// Grids returns R, the number of grids, which is the number of features of a row that are not 0.
func (l *BinningLayer) Grids() int { return l.features / l.bins }

// StaysSparse says whether features are sparse: from 16 bins on.
func (l *BinningLayer) StaysSparse() bool { return l.bins >= sparseBins }

func (l *BinningLayer) String() string {
	return l.text(fmt.Sprintf("%s, %d bins, seed %d, %v", kernelText(l.kernel), l.bins, l.seed, l.dt))
}

func (f binningForm) plan(s Spec) (plan, error) {
	t, bins := signTraits, binsOr(f.Bins, s.Features)
	grids := s.Features / max(1, bins)
	if bins >= sparseBins {
		t.Stored = grids
	}
	return plan{kernel: f.Kernel, traits: t, size: float64(grids) * (3*float64(s.Dims) + 1), build: func(o options) (Layer, error) {
		return NewBinningLayer(f.Kernel, s.Dims, s.Features, f.Bins, withAll(o))
	}}, nil
}
