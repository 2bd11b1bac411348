package sgd

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
	"github.com/bochner-go/bochner/train/internal/given"
	"gorgonia.org/tensor"
)

// fitRead is a fit on rows that are not in memory.
func fitRead(ctx context.Context, m layers.Layer, head layers.Head, rows data.Examples, o FitOptions) (*fitter, error) {
	if err := o.classWeights(head); err != nil {
		return nil, err
	}
	src := &fitStream{m: m, head: head, rows: rows, o: o, weigh: rowWeigher(head, o.ClassWeights)}
	if s, ok := rows.(data.Streamed); ok && s.Classes == nil {
		switch {
		case head.Classifies():
			return nil, fmt.Errorf("train: Fit: a SoftmaxHead learns classes, and the rows have none; use a LinearHead: %w", domain.ErrParam)
		case src.weigh != nil:
			return nil, fmt.Errorf("train: Fit: there are ClassWeights, and the rows have no classes: %w", domain.ErrParam)
		}
	}
	if o.HeldOut > 0 {
		in := data.Held(o.HeldOut, o.Seed)
		src.rows, src.aside = data.Part(rows, func(file, row int) bool { return !in(file, row) }), data.Part(rows, in)
	}
	return newFitter(ctx, m, head, src, o)
}

// fitStream are rows that are not in memory.
type fitStream struct {
	m           layers.Layer
	head        layers.Head
	rows, aside data.Examples // aside are the held-out rows
	o           FitOptions
	first       []batch // the sample, after its first use
	weigh       rowWeight
	unit        *given.Unit // of the targets that are handed out
}

// targetBlock is a block with its targets in the form that the head learns, without weights.
type targetBlock struct {
	data.Pairs
	targets *tensor.Dense
}

// blocks are the rows of an epoch, from 0, checked against the map and the head.
func (s *fitStream) blocks(ctx context.Context, rows data.Examples, epoch int) iter.Seq2[targetBlock, error] {
	return func(yield func(targetBlock, error) bool) {
		for b, err := range rows.Blocks(ctx, epoch) {
			out := targetBlock{Pairs: b}
			if err == nil {
				err = given.Located(b, s.suit(&out))
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// suit checks a block and makes its targets.
func (s *fitStream) suit(b *targetBlock) (err error) {
	if b.Pairs, err = b.Check("train: Fit"); err != nil {
		return err
	}
	if b.Y.RawMatrix().Cols == s.head.Features() {
		b.Y = s.unit.Targets(b.Y)
	}
	b.targets = targetsOf(s.head, b.Y)
	if err = fitShapes(s.m, s.head, b.X, b.targets); err == nil && s.weigh != nil {
		err = checkTensorClasses("Fit", b.targets)
	}
	return err
}

// batches cuts blocks into batches; their rows are in order.
func (s *fitStream) batches(ctx context.Context, rows data.Examples, epoch int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		for b, err := range s.blocks(ctx, rows, epoch) {
			if err != nil {
				yield(batch{}, err)
				return
			}
			n, targets := b.X.Shape()[0], s.o.weighted(s.head, b.targets)
			for lo := 0; lo < n; lo += s.o.Batch {
				rows := make([]int, min(s.o.Batch, n-lo))
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
		for b, err := range s.batches(ctx, s.rows, n-1) {
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

// identity writes what identifies the rows: for a stream the names, sizes and times of the files, and the options to
// read them.
func (s *fitStream) identity(w io.Writer) {
	r, ok := s.rows.(data.Streamed)
	if !ok {
		for b, err := range s.rows.Blocks(context.Background(), 0) {
			if err == nil && b.Y != nil { // what is wrong with them the fit says
				(&fitMemory{x: b.X, targets: Targets(b.Y, tensor.Float64, nil)}).identity(w)
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

func (s *fitStream) held(ctx context.Context) iter.Seq2[batch, error] {
	if s.aside == nil {
		return nil
	}
	return s.batches(ctx, s.aside, 0)
}

// classes reads the rows if their type does not tell.
func (s *fitStream) classes(ctx context.Context) (bool, error) {
	if r, ok := s.rows.(data.Streamed); ok {
		return r.Classes != nil, nil
	}
	for b, err := range s.blocks(ctx, s.rows, 0) {
		if err != nil || !signs(b.targets) {
			return false, err
		}
	}
	return true, nil
}

// spread computes the weighted means and standard deviations of the targets.
func (s *fitStream) spread(ctx context.Context) (*given.Spread, error) {
	out := new(given.Spread)
	for b, err := range s.blocks(ctx, s.rows, 0) {
		if err != nil {
			return out, fmt.Errorf("train: Fit: %w", err)
		}
		for i := range b.X.Shape()[0] {
			out.Add(s.weigh.of(b.targets, i), b.Y.RawRowView(i))
		}
	}
	return out, nil
}

func (s *fitStream) inUnit(u *given.Unit) { s.unit = u }

var (
	_ fitSource = (*fitMemory)(nil)
	_ fitSource = (*fitStream)(nil)
)
