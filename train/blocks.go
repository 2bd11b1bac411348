package train

import (
	"context"
	"fmt"
	"iter"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Block is some rows on their way into a fit.
type Block struct {
	X      ops.Matrix            // [b, d], as the map takes them
	Y      *mat.Dense            // [b, k]
	Locate func(err error) error // names the place that the rows came from in an error about them; nil: their numbers do
}

// Blocks yields rows block by block, the same ones in the same order each time it is ranged over; an error is the last it yields.
type Blocks = iter.Seq2[Block, error]

// Rows are the rows of a stream as a model sees them: scaled, in its element type, with targets.
type Rows struct {
	Stream  *data.Stream
	Scaler  *data.Chain  // fitted; nil changes nothing
	Classes data.Classes // nil: the rows have targets
	Dtype   tensor.Dtype // Float64 or Float32
}

// missing tells what there is nothing to read without.
func (r Rows) missing(ctx context.Context) error {
	return missing("Rows", argument{"the context", ctx}, argument{"the stream of rows", r.Stream})
}

// Blocks yields the rows, of classes as OneVersusRest. Errors: those of the stream, of the scaler and of Set.As, with the file and the row;
// data.ErrLabel for a class that is none of Classes.
func (r Rows) Blocks(ctx context.Context) Blocks { return r.Epoch(ctx, 0) }

// Epoch yields the rows in the order of an epoch of the stream, which is another one under its Shuffle.
func (r Rows) Epoch(ctx context.Context, epoch int) Blocks {
	return func(yield func(Block, error) bool) {
		if err := r.missing(ctx); err != nil {
			yield(Block{}, err)
			return
		}
		for b, err := range r.Stream.Blocks(ctx, epoch) {
			var out Block
			if err == nil {
				out, err = r.block(b)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func (r Rows) block(b *data.Block) (Block, error) {
	if r.Scaler != nil {
		if err := r.Scaler.ApplyInPlace(b.X); err != nil {
			return Block{}, b.Locate(err)
		}
	}
	x, err := b.As(r.Dtype)
	if err != nil {
		return Block{}, b.Locate(err)
	}
	out := Block{X: x, Locate: b.Locate}
	switch {
	case r.Classes == nil && b.Y != nil:
		out.Y = mat.NewDense(b.Rows(), 1, b.Y)
	case r.Classes != nil && b.Labels != nil:
		idx, err := r.Classes.Index(b.Labels)
		if err != nil {
			return Block{}, b.Locate(err)
		}
		if out.Y, err = OneVersusRest(idx, len(r.Classes)); err != nil {
			return Block{}, b.Locate(err)
		}
	default:
		return Block{}, b.Locate(fmt.Errorf("train: Rows: Classes go with the labels of classification, and none with the targets of regression: %w", domain.ErrParam))
	}
	return out, nil
}

// Matrices are the rows alone, as the stream reads them, in the form that data.Chain.FitBlocks takes.
func (r Rows) Matrices(ctx context.Context) iter.Seq2[ops.Matrix, error] {
	return func(yield func(ops.Matrix, error) bool) {
		if err := r.missing(ctx); err != nil {
			yield(nil, err)
			return
		}
		for b, err := range r.Stream.Blocks(ctx, 0) {
			var x ops.Matrix
			if err == nil {
				x = b.X
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// BlockRows is how many rows of d columns a stream should put into a block for a map to D features: some blocks of ridge, and not less
// than it takes to keep the reader ahead.
func BlockRows(d, features int) int { return 4 * ridgeBlockRows(max(d, features)) }

// blockSource hands out rows that are read as they are needed, as features.
type blockSource struct {
	ctx       context.Context
	who       string
	m         Map
	blocks    Blocks
	block     int // rows that go through the map at once; 0 chooses
	signature []float64
	done      int
	progress  func(done, total int)
	dst       *tensor.Dense
}

func newBlockSource(ctx context.Context, who string, m Map, blocks Blocks, o RidgeOptions) *blockSource {
	s := &blockSource{ctx: ctx, who: who, m: m, blocks: blocks, block: o.BlockRows, progress: o.Progress}
	if !domain.IsNil(m) {
		s.signature = layers.SignatureOf(m)
	}
	return s
}

func (s *blockSource) signs() []float64 { return s.signature }

func (s *blockSource) each(f addRows) error {
	first := 0
	for b, err := range s.blocks {
		if err != nil {
			return err
		}
		n, err := s.one(b, first, f)
		if err != nil {
			if b.Locate != nil {
				err = b.Locate(err)
			}
			return err
		}
		first += n
	}
	if first == 0 {
		return fmt.Errorf("train: %s: there are no rows to fit; add some: %w", s.who, domain.ErrShape)
	}
	return nil
}

// one maps a block whose first row has the number first.
func (s *blockSource) one(b Block, first int, f addRows) (int, error) {
	src, err := newRowSource(s.ctx, s.who, s.m, b.X, b.Y)
	if err != nil {
		return 0, err
	}
	src.dst, src.done, src.total = s.dst, s.done, 0
	if src.block = s.block; src.block == 0 {
		src.block = src.blockRows()
	}
	src.progress = s.progress
	err = src.each(nil, func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
		rows.first += first
		return f(rows, z, y)
	})
	s.dst, s.done = src.dst, src.done
	return src.n, err
}

// parts holds each row out with the probability o.HeldOut, by its number.
func (s *blockSource) parts(o RidgeOptions, train, held addRows) error {
	out, at := data.Held(o.HeldOut, o.Seed), 0
	kept := 0
	err := s.each(func(rows rowNames, z *tensor.Dense, y *mat.Dense) error {
		var index [2][]int
		for i := range z.Shape()[0] {
			part := 0
			if out(0, at+i) {
				part = 1
			}
			index[part] = append(index[part], i)
		}
		at += z.Shape()[0]
		kept += len(index[0])
		for part, f := range []addRows{train, held} {
			if len(index[part]) == 0 {
				continue
			}
			names := rowNames{index: make([]int, len(index[part]))}
			ys := mat.NewDense(len(index[part]), y.RawMatrix().Cols, nil)
			for i, r := range index[part] {
				names.index[i] = rows.at(r)
				ys.SetRow(i, y.RawRowView(r))
			}
			if err := f(names, data.Rows(z, index[part]), ys); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && (kept == 0 || kept == at) {
		err = fmt.Errorf("train: %s: of %d rows %d are held out, and both parts need some; change HeldOut or Seed: %w", s.who, at, at-kept, domain.ErrShape)
	}
	return err
}

// FitRidgeBlocks is FitRidge for rows that are read block by block, once, and by SelectLOO twice or, while its grid grows, more often: the D x D
// system, whatever the number of rows, in memory of D² + O(D) numbers and a block (with SelectHeldOut 2 D²), and to choose lambda up to 4096 D.
// What it computes depends on the blocks by rounding alone.
// SelectHeldOut holds each row out with the probability HeldOut, by the seed and its number; the progress has no total, which is 0.
// Errors are those of FitRidge, and of blocks; with Block.Locate they name the place.
func FitRidgeBlocks(ctx context.Context, m Map, blocks Blocks, o RidgeOptions) (*RidgeFit, error) {
	if err := missing("FitRidgeBlocks", argument{"the context", ctx}, argument{"the sequence of blocks", blocks}); err != nil {
		return nil, err
	}
	o, err := o.complete(maxStats) // the number of rows is not known
	if err != nil {
		return nil, err
	}
	return fitRidgePrimal(ctx, newBlockSource(ctx, "Ridge", m, blocks, o), o)
}

// AddBlocks is AddRows for rows that are read block by block.
func (s *RidgeStats) AddBlocks(ctx context.Context, m Map, blocks Blocks) error {
	if err := missing("RidgeStats.AddBlocks", argument{"the context", ctx}, argument{"the sequence of blocks", blocks}); err != nil {
		return err
	}
	src := newBlockSource(ctx, "Ridge", m, blocks, RidgeOptions{})
	if err := s.ofMap(src.signature); err != nil {
		return err
	}
	return src.each(s.addNamed)
}
