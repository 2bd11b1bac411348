package train

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// FitRows is Fit for rows that are read block by block, once an epoch: memory is that of the blocks, whatever the number of rows. The order of
// an epoch is that of the stream, so its Shuffle should be some times the rows of a batch; blocks are cut into batches, so BlockRows should be
// a multiple of Batch. HeldOut splits the stream. The features of a frozen map are computed in every epoch: CacheBytes does nothing. Under a
// SoftmaxHead rows are those of classes. The score of an epoch on training rows is that of the first 2000 of the first epoch.
//
// Errors are those of Fit and of the stream, with the file and the row; domain.ErrParam for a head that does not suit the rows.
func FitRows(ctx context.Context, m layers.Layer, head layers.Head, rows Rows, o FitOptions) (*FitReport, error) {
	if err := missing("FitRows", argument{"the context", ctx}, argument{"the map", m}, argument{"the head", head}, argument{"the stream of rows", rows.Stream}); err != nil {
		return nil, err
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	src := &fitStream{rows: rows, batch: o.Batch}
	src.weighted = func(targets *tensor.Dense) *tensor.Dense { return o.weighted(head, targets) }
	src.softmax = head.Classifies()
	outputs := max(1, len(rows.Classes))
	switch {
	case rows.Stream.Dims() > 0 && rows.Stream.Dims() != m.Dims():
		return nil, fmt.Errorf("train: Fit: the rows have %d columns and the map takes %d: %w", rows.Stream.Dims(), m.Dims(), domain.ErrShape)
	case m.Features() != head.Dims():
		return nil, fmt.Errorf("train: Fit: the map makes %d columns and the head takes %d: %w", m.Features(), head.Dims(), domain.ErrShape)
	case head.Features() != outputs:
		return nil, fmt.Errorf("train: Fit: the rows have %d targets and the head has %d outputs: %w", outputs, head.Features(), domain.ErrShape)
	case rows.Dtype != m.Dtype() || head.Dtype() != m.Dtype():
		return nil, fmt.Errorf("train: Fit: the rows are %v, the map %v, the head %v; all must be the same: %w", rows.Dtype, m.Dtype(), head.Dtype(), domain.ErrDtype)
	case src.softmax && rows.Classes == nil:
		return nil, fmt.Errorf("train: Fit: a SoftmaxHead learns classes, and the rows have none; use a LinearHead: %w", domain.ErrParam)
	}
	if err := o.classWeights(head); err != nil {
		return nil, err
	}
	src.weigh = rowWeigher(head, o.ClassWeights)
	if src.weigh != nil && rows.Classes == nil {
		return nil, fmt.Errorf("train: Fit: there are ClassWeights, and the rows have no classes: %w", domain.ErrParam)
	}
	if o.HeldOut > 0 {
		rest, held := rows.Stream.Split(o.HeldOut, o.Seed)
		src.rows.Stream, src.aside = rest, &rows
		src.aside.Stream = held
	}
	if err := startIntercept(head, func() ([]float64, error) { return src.meanTarget(ctx) }); err != nil {
		return nil, err
	}
	f := newFitter(m, head, src, o)
	f.keeper.identify(o, src.identity, m, head)
	return f.run(ctx)
}

// fitStream is rows that are read.
type fitStream struct {
	rows    Rows
	aside   *Rows // those held out
	batch   int
	softmax bool    // whether targets are 0 and 1
	first   []batch // the sample, once it is wanted
	weigh   rowWeight

	weighted func(targets *tensor.Dense) *tensor.Dense
}

// batches cuts blocks; the rows of each are in order.
func (s *fitStream) batches(blocks Blocks, size int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		for b, err := range blocks {
			if err != nil {
				yield(batch{}, err)
				return
			}
			n, f := b.X.Shape()[0], func(v float64) float64 { return v }
			if s.softmax {
				f = probability
			}
			targets := s.weighted(Targets(b.Y, s.rows.Dtype, f))
			for lo := 0; lo < n; lo += size {
				rows := make([]int, min(size, n-lo))
				for i := range rows {
					rows[i] = lo + i
				}
				if !yield(batch{x: b.X, targets: targets, rows: rows, locate: b.Locate}, nil) {
					return
				}
			}
		}
	}
}

func (s *fitStream) epoch(ctx context.Context, n int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		seen := 0
		for b, err := range s.batches(s.rows.Epoch(ctx, n-1), s.batch) {
			seen += len(b.rows)
			if !yield(b, err) {
				return
			}
		}
		if seen == 0 && ctx.Err() == nil {
			yield(batch{}, fmt.Errorf("there are no rows to fit: %w", domain.ErrShape))
		}
	}
}

func (s *fitStream) sample(ctx context.Context) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		if s.first == nil {
			left := sampleRows
			for b, err := range s.epoch(ctx, 1) {
				if err != nil {
					yield(b, err)
					return
				}
				left -= s.keep(b, left)
				if left == 0 {
					break
				}
			}
		}
		for _, b := range s.first {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// keep copies at most n rows to the sample.
func (s *fitStream) keep(b batch, n int) int {
	rows := b.rows[:min(n, len(b.rows))]
	b.x, b.targets = data.RowsOf(b.x, rows), data.Rows(b.targets, rows)
	b.rows = make([]int, len(rows))
	for i := range rows {
		b.rows[i] = i
	}
	b.locate = nil
	s.first = append(s.first, b)
	return len(rows)
}

// identity writes what tells the rows from others: names, sizes and times of the files, and how they are read.
func (s *fitStream) identity(w io.Writer) {
	fmt.Fprintf(w, "%+v %v %q\n", s.rows.Stream.Options(), s.rows.Dtype, s.rows.Classes)
	if c := s.rows.Scaler; c != nil {
		state := c.State()
		for _, name := range slices.Sorted(maps.Keys(state)) {
			fmt.Fprintln(w, name)
			writeBits(w, state[name])
		}
	}
	for _, f := range s.rows.Stream.Files() {
		if info, err := os.Stat(f); err == nil {
			fmt.Fprintln(w, f, info.Size(), info.ModTime().UnixNano())
		}
	}
}

func (s *fitStream) held(ctx context.Context) iter.Seq2[batch, error] {
	if s.aside == nil {
		return nil
	}
	return s.batches(s.aside.Blocks(ctx), s.batch)
}

func (s *fitStream) classes() bool { return s.rows.Classes != nil }

// meanTarget is the weighted mean of each target.
func (s *fitStream) meanTarget(ctx context.Context) ([]float64, error) {
	mean, mass := make([]float64, max(1, len(s.rows.Classes))), 0.
	for b, err := range s.rows.Blocks(ctx) {
		if err != nil {
			return nil, err
		}
		var targets *tensor.Dense
		if s.weigh != nil {
			targets = Targets(b.Y, s.rows.Dtype, nil)
		}
		for i := range b.X.Shape()[0] {
			w := s.weigh.of(targets, i)
			mass += w
			for j, v := range b.Y.RawRowView(i) {
				mean[j] += (v - mean[j]) * w / mass
			}
		}
	}
	return mean, nil
}

var (
	_ fitSource = (*fitMemory)(nil)
	_ fitSource = (*fitStream)(nil)
)
