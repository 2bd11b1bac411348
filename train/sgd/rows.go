package sgd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// open checks the rows and divides them into those to train on and those held out. Where the features of a frozen map
// of rows in memory can be kept, they take the place of the rows, and the identity the place of the map.
func (f *fitter) open(ctx context.Context, examples data.Examples, most int) error {
	if err := f.suits(f.head); err != nil {
		return err
	}
	if r, ok := examples.(data.Streamed); ok && r.Classes == nil {
		switch {
		case f.head.Classifies():
			return fmt.Errorf("train: Fit: a SoftmaxHead learns classes, and the rows have none; use a LinearHead: %w",
				domain.ErrParam)
		case f.ClassWeights != nil:
			return fmt.Errorf("train: Fit: there are ClassWeights, and the rows have no classes: %w", domain.ErrParam)
		}
	}
	src, err := rows.New(ctx, "Fit", f.m, examples)
	if err == nil {
		err = src.Check(func(p data.Pairs, before int) error { return f.check(p, before, src.Memory == nil) })
	}
	if err != nil {
		return err
	}
	if f.train = src; src.Memory == nil {
		if f.HeldOut > 0 {
			f.train, f.held = src.Split(f.HeldOut, f.Seed)
		}
		return nil
	}
	var aside []int
	if f.order, aside = data.Split(min(src.N, most), f.HeldOut, f.Seed); most < src.N {
		part := data.Shuffle(src.N, f.Seed)
		for _, list := range [][]int{f.order, aside} {
			for k, i := range list {
				list[k] = part[i]
			}
		}
	}
	if len(f.order) == 0 {
		return fmt.Errorf("train: Fit: of %d rows, %v are held out and none is left to train on: %w", src.N, f.HeldOut,
			domain.ErrShape)
	}
	p := *src.Memory
	if f.m, p.X, err = onFeatures(f.m, p.X, f.CacheBytes); err != nil {
		return given.Located(p, err)
	}
	if f.train, err = rows.New(ctx, "Fit", f.m, p); err == nil && len(aside) > 0 {
		f.held = f.train.Take(aside)
	}
	return err
}

// check wants rows and targets that fit the map and the head.
func (f *fitter) check(p data.Pairs, before int, stream bool) error {
	m, head := f.m, f.head
	n, k := p.Y.Dims()
	_, bags := p.X.(*ops.Bags)
	switch {
	case bags && stream:
		return fmt.Errorf("train: Fit: sets of samples are read in blocks; give them in memory: %w", domain.ErrParam)
	case m.Features() != head.Dims():
		return fmt.Errorf("train: Fit: the map makes %d columns and the head takes %d: %w", m.Features(), head.Dims(),
			domain.ErrShape)
	case k != head.Features():
		return fmt.Errorf("train: Fit: targets have shape (%d, %d), want (%d, %d): %w", n, k, n, head.Features(),
			domain.ErrShape)
	case p.X.Dtype() != m.Dtype() || head.Dtype() != m.Dtype():
		return fmt.Errorf("train: Fit: x is %v, the map %v, the head %v; all must be the same: %w", p.X.Dtype(),
			m.Dtype(), head.Dtype(), domain.ErrDtype)
	}
	for i := range n {
		if f.weight(p.Y.RawRowView(i)) < 0 {
			return given.NoClass("Fit", before+i)
		}
	}
	return nil
}

// tunes says whether a fit changes the map.
func tunes(m layers.Layer) bool {
	return slices.ContainsFunc(m.Params(), func(p layers.Param) bool { return p.Tuned })
}

// onFeatures returns the layer and the rows that a fit goes over repeatedly: the identity and the features of a frozen
// map if they fit the budget, and otherwise the map of rows and its rows. Features are sparse where they can be.
func onFeatures(m layers.Layer, x ops.Matrix, budget int) (layers.Layer, ops.Matrix, error) {
	size := fits.Problem{Rows: x.Shape()[0], Features: m.Features(), Stored: layers.StoredFeatures(m, x),
		Single: x.Dtype() == tensor.Float32}
	_, sparse := x.(*ops.CSR)
	if tunes(m) || size.Bytes() > float64(budget) || sparse && layers.IsIdentity(m) {
		return given.OnRows("Fit", m, x)
	}
	z, err := layers.Apply(m, nil, x)
	if err != nil {
		return nil, nil, err
	}
	id, err := layers.NewIdentity(m.Features(), layers.WithDtype(x.Dtype()))
	return id, z, err
}

// targetsOf returns targets in the unit, in the form that the head learns: a head that classifies has probabilities
// (y + 1)/2, multiplied by the class weights. Other heads weigh their errors instead. It fills dst unless that is nil,
// with labels smoothed for a step.
func (f *fitter) targetsOf(dst *tensor.Dense, y *mat.Dense) *tensor.Dense {
	n, k := y.Dims()
	smooth := f.LabelSmoothing
	if dst == nil {
		smooth = 0
		dst = tensor.New(tensor.WithShape(n, k), tensor.Of(f.head.Dtype()))
	}
	y, classifies := f.unit.Targets(y), f.head.Classifies()
	row := make([]float64, k)
	for i := range n {
		copy(row, y.RawRowView(i))
		for j := 0; classifies && j < k; j++ {
			if row[j] = (row[j] + 1) / 2; f.ClassWeights != nil {
				row[j] *= f.ClassWeights[j]
			}
		}
		if smooth > 0 {
			mean := floats.Sum(row) / float64(k)
			for j, v := range row {
				row[j] = (1-smooth)*v + smooth*mean
			}
		}
		given.SetCells(dst, i*k, row)
	}
	return dst
}

// weight is the weight of a row of targets for a head that does not classify; -1 for targets of no class.
func (f *fitter) weight(y []float64) float64 {
	if f.ClassWeights == nil || f.head.Classifies() {
		return 1
	}
	if c := given.ClassOf(y); c >= 0 {
		return f.ClassWeights[c]
	}
	return -1
}

// inOrder are the training rows in memory in the order of epoch n, from 1.
func (f *fitter) inOrder(n int) []int {
	order := slices.Clone(f.order)
	rng := rand.New(spectral.Stream(f.Seed, fmt.Sprintf("epoch %d", n)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// epoch calls do with every training row once, in the order of epoch n, from 1, in batches.
func (f *fitter) epoch(n int, do rows.Matrix) error {
	s := *f.train
	if s.Memory != nil {
		s = *s.Take(f.inOrder(n))
	}
	s.Epoch, s.Block = n-1, f.Batch
	return s.EachRaw(do)
}

// errEnough ends a pass.
var errEnough = errors.New("enough rows")

// sampled calls do with the training rows for the score: the first ones of the first epoch. Those of a stream are kept.
func (f *fitter) sampled(do rows.Matrix) error {
	if f.train.Memory != nil {
		order := f.inOrder(1)
		return scored(f.train.Take(order[:min(len(order), f.ScoreRows)]), do)
	}
	if left := f.ScoreRows; f.sample == nil {
		err := f.epoch(1, func(_ rows.Names, x ops.Matrix, y *mat.Dense) error {
			n, k := y.Dims()
			n = min(n, left)
			f.sample = append(f.sample, data.Pairs{X: data.RowRange(x, 0, n), Y: y.Slice(0, n, 0, k).(*mat.Dense)})
			if left -= n; left == 0 {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	for _, b := range f.sample {
		if err := do(rows.Names{}, b.X, b.Y); err != nil {
			return err
		}
	}
	return nil
}

// scored calls do with rows in blocks that suit evaluate.
func scored(s *rows.Source, do rows.Matrix) error {
	own := *s
	own.Block = 512
	return own.EachRaw(do)
}

// spread computes the weighted means and standard deviations of the targets of the training rows.
func (f *fitter) spread() (*given.Spread, error) {
	out := new(given.Spread)
	add := func(y []float64) { out.Add(f.weight(y), y) }
	for _, i := range f.order {
		add(f.train.Memory.Y.RawRowView(i))
	}
	if f.order != nil {
		return out, nil
	}
	return out, f.epoch(1, func(_ rows.Names, _ ops.Matrix, y *mat.Dense) error {
		for i := range y.RawMatrix().Rows {
			add(y.RawRowView(i))
		}
		return nil
	})
}

// identify writes what identifies rows: for a stream the names, sizes and times of the files, and the options to read
// them.
func identify(w io.Writer, rows data.Examples) {
	r, ok := rows.(data.Streamed)
	if !ok {
		for b, err := range rows.Blocks(context.Background(), 0) {
			if err == nil { // what is wrong with them the fit says
				b, err = b.Check("")
			}
			if err == nil {
				fmt.Fprintln(w, b.X.Shape(), b.Y.RawMatrix().Cols)
				writeMatrix(w, b.X)
				writeAll(w, mat.DenseCopyOf(b.Y).RawMatrix().Data)
			}
		}
		return
	}
	fmt.Fprintf(w, "%+v %v %q\n", r.Stream.Options(), r.Dtype, r.Classes)
	if r.Scaler != nil {
		state := r.Scaler.State()
		for _, name := range slices.Sorted(maps.Keys(state)) {
			fmt.Fprintln(w, name)
			writeBits(w, state[name])
		}
	}
	for _, f := range r.Stream.Files() {
		if info, err := os.Stat(f); err == nil {
			fmt.Fprintln(w, f, info.Size(), info.ModTime().UnixNano())
		}
	}
}

func writeMatrix(w io.Writer, x ops.Matrix) {
	switch x := x.(type) {
	case *ops.CSR:
		fmt.Fprintln(w, x.Pointers())
		writeAll(w, x.Columns())
		writeBits(w, x)
	case *ops.Bags:
		fmt.Fprintln(w, x.Offsets())
		writeBits(w, x.Samples())
	case *tensor.Dense:
		writeBits(w, x)
	}
}

// writeBits writes the numbers of a tensor or of sparse rows, bit by bit.
func writeBits(w io.Writer, x given.Numbers) {
	if x.Dtype() == tensor.Float32 {
		writeAll(w, x.Float32s())
	} else {
		writeAll(w, x.Float64s())
	}
}

func writeAll[T int32 | float32 | float64](w io.Writer, x []T) {
	for part := range slices.Chunk(x, 4096) {
		binary.Write(w, binary.LittleEndian, part) // to a hash, which does not fail
	}
}
