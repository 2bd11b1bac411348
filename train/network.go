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

// smooth, steep and sharp are standard deviations of the first frequencies of periodic columns. The last one, for classes,
// tells values of a column from their neighbours, such as amounts that few rows have, and goes with sharpRates.
const smooth, steep, sharp = .3, 1, 10

// networkLayers are the layers of a network: waves, if there are any, and two dense layers of hidden outputs each.
func networkLayers(waves *layers.Spec, hidden int) []layers.Spec {
	relu := withTune(layers.Spec{Map: "dense", Features: hidden, Params: layers.Values{"activation": "relu"}})
	if waves == nil {
		return []layers.Spec{relu, relu}
	}
	return []layers.Spec{*waves, relu, relu}
}

// wavesOf is the first layer of a network: periodic columns in place of each run of columns that have more than a few
// values, beside the others as they are. It is nil without such a column, or with more than 256.
func wavesOf(fine []bool, sigma float64) *layers.Spec {
	const most = 12 // runs
	number := count(fine)
	var from, to []float64
	var parts []layers.Spec
	for j := range fine {
		if j > 0 && fine[j] == fine[j-1] {
			to[len(to)-1]++
			continue
		}
		from, to = append(from, float64(j)), append(to, float64(j+1))
		part := layers.Spec{Map: "linear"}
		if fine[j] {
			part = layers.Spec{Map: "periodic"}
		}
		parts = append(parts, part)
	}
	if len(parts) > most { // all columns
		number, parts = len(fine), []layers.Spec{{Map: "periodic"}}
	}
	width := min(12, 512/max(1, number))
	if number == 0 || width < 2 {
		return nil
	}
	for i, p := range parts {
		if p.Map == "periodic" {
			parts[i] = withTune(p)
			parts[i].Params = layers.Values{"width": width, "sigma": sigma}
		}
	}
	if len(parts) == 1 {
		return &parts[0]
	}
	return &layers.Spec{Map: "concat", Parts: parts, Params: layers.Values{"from": from, "to": to}}
}

// count is the number of columns with more than a few values.
func count(fine []bool) (n int) {
	for _, f := range fine {
		if f {
			n++
		}
	}
	return n
}

// fineColumns says which columns have more than a few values in 1000 of the rows; none of sparse rows.
func fineColumns(m ops.Matrix) []bool {
	const few, rows = 8, 1000
	x, dense := m.(*tensor.Dense)
	if !dense {
		return nil
	}
	all, d := x.Shape()[0], x.Shape()[1]
	n, fine := min(rows, all), make([]bool, d)
	for j := range fine {
		seen := map[float64]bool{}
		for i := 0; i < n && !fine[j]; i++ {
			seen[given.Cell(x, i*all/n*d+j)] = true
			fine[j] = len(seen) > few
		}
	}
	return fine
}

// netRates are options for networks. What is below the head shrinks a little. A network of sharp columns learns the rows by
// heart at such rates, and does not at sharpRates.
var (
	netRates   = sgd.FitOptions{LearnRate: .002, MapRate: .08, MapDecay: .03, LabelSmoothing: -1}
	sharpRates = sgd.FitOptions{LearnRate: .001, MapRate: .005, MapDecay: .03, LabelSmoothing: -1}
)

// batchOf is the size of a batch for so many rows.
func batchOf(rows int) int {
	batch := 32
	for batch < 256 && 32*batch <= rows {
		batch *= 2
	}
	return batch
}

// networks are the networks that may take the place of the map of a recipe that names none: with periodic columns, for
// at least 500 scaled rows of at most 512 columns, of which at most 128 have more than a few values.
func (p *prepared) networks(x ops.Matrix) (all []start, err error) {
	const leastRows, columns, most = 500, 512, 128
	fine := fineColumns(x)
	if x.Shape()[0] < leastRows || len(fine) > columns || count(fine) > most {
		return nil, nil
	}
	for _, of := range []struct {
		sigma float64
		rates *sgd.FitOptions
	}{{smooth, &netRates}, {steep, &netRates}, {sharp, &sharpRates}} {
		if of.sigma == sharp && (p.model.Classes == nil || x.Shape()[0] <= shortRows) { // few of which share a value
			break
		}
		waves := wavesOf(fine, of.sigma)
		if waves == nil || waves.Map == "periodic" && len(fine) > most {
			return nil, nil
		}
		s, err := p.inPlace(layers.Spec{Map: "sequential", Parts: networkLayers(waves, layerWidth)}, x)
		if err != nil {
			return nil, err
		}
		all = append(all, start{spec: s, rates: of.rates})
	}
	return all, nil
}

// forNetwork are the options of b for a network with these rates on so many rows, of which it may hold some out.
func forNetwork(b sgd.MiniBatch, rates *sgd.FitOptions, rows int) sgd.MiniBatch {
	learned := rows - int(math.Round(b.HeldOut*float64(rows)))
	b.LearnRate, b.MapRate, b.Directions, b.Batch = rates.LearnRate, rates.MapRate, false, cmp.Or(b.Batch, batchOf(learned))
	if b.MapDecays != nil {
		b.MapDecays = []float64{.03, .1, .3}
	}
	return b
}
