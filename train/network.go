package train

import (
	"cmp"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/sgd"
	"gorgonia.org/tensor"
)

// layerWidth is the most outputs of a dense layer.
const layerWidth = 256

// smooth and steep are standard deviations of the first frequencies of periodic columns.
const smooth, steep = .3, 1

// networkLayers are the layers of a network: periodic columns of a width, unless that is 0, and two dense layers with so
// many outputs.
func networkLayers(width int, sigma float64, hidden int) []layers.Spec {
	relu := withTune(layers.Spec{Map: "dense", Features: hidden, Params: layers.Values{"activation": "relu"}})
	if width == 0 {
		return []layers.Spec{relu, relu}
	}
	periodic := layers.Spec{Map: "periodic", Params: layers.Values{"width": width, "sigma": sigma}}
	return []layers.Spec{withTune(periodic), relu, relu}
}

// periodicWidth is the width of periodic columns for rows, 0 for more than 256 columns or coarse ones.
func periodicWidth(x ops.Matrix) int {
	if width := min(12, 512/x.Shape()[1]); width > 1 && !coarse(x) {
		return width
	}
	return 0
}

// coarse says whether no column of the rows has more than a few values, or the rows are sparse.
func coarse(m ops.Matrix) bool {
	x, ok := m.(*tensor.Dense)
	if !ok {
		return true
	}
	const few, rows = 8, 1000
	n, d := min(rows, x.Shape()[0]), x.Shape()[1]
	for j := range d {
		seen := map[float64]bool{}
		for i := range n {
			if seen[given.Cell(x, i*d+j)] = true; len(seen) > few {
				return false
			}
		}
	}
	return true
}

// netRates are options for networks. What is below the head shrinks a little.
var netRates = sgd.FitOptions{LearnRate: .002, MapRate: .08, MapDecay: .03, LabelSmoothing: -1}

// batchOf is the size of a batch for so many rows.
func batchOf(rows int) int {
	batch := 32
	for batch < 256 && 32*batch <= rows {
		batch *= 2
	}
	return batch
}

// networks are the networks that may take the place of the map of a recipe that names none: with periodic columns, for
// at least 500 scaled rows of at most 128 columns, of which more take too long.
func (p *prepared) networks(x ops.Matrix) (all []layers.Spec, err error) {
	const leastRows, columns = 500, 128
	if x.Shape()[0] < leastRows || x.Shape()[1] > columns {
		return nil, nil
	}
	width := periodicWidth(x)
	if width == 0 {
		return nil, nil
	}
	for _, sigma := range []float64{smooth, steep} {
		s, err := p.inPlace(layers.Spec{Map: "sequential", Parts: networkLayers(width, sigma, layerWidth)}, x)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// forNetwork are the options of b for a network on so many rows, of which it may hold some out.
func forNetwork(b sgd.MiniBatch, rows int) sgd.MiniBatch {
	learned := rows - int(math.Round(b.HeldOut*float64(rows)))
	b.LearnRate, b.MapRate, b.Directions, b.Batch = netRates.LearnRate, netRates.MapRate, false, cmp.Or(b.Batch, batchOf(learned))
	if b.MapDecays != nil {
		b.MapDecays = []float64{.03, .1, .3}
	}
	return b
}
