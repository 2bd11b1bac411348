package sgd

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// sampleRows is the number of training rows for the score of an epoch.
const sampleRows = 2000

// source hands out the rows of a fit in batches: rows in memory, or those that each pass reads.
type source struct {
	FitOptions
	m    layers.Layer // of the rows that are handed out
	head layers.Head
	unit *given.Unit // in which targets are handed out; nil: as given

	memory         *batch // all rows in memory; nil: they are read
	train, aside   []int  // of memory
	reads, asideIn data.Examples
	sample         []batch // of the training rows for the score
}

// batch is some rows of x with the same rows of targets.
type batch struct {
	data.Pairs
	targets *tensor.Dense // as the head learns them
	rows    []int
}

// newSource checks rows in memory, and computes the features of a frozen map of them if they can be kept.
func newSource(m layers.Layer, head layers.Head, rows data.Examples, o FitOptions) (*source, error) {
	s := &source{FitOptions: o, m: m, head: head}
	if err := o.classWeights(head); err != nil {
		return nil, err
	}
	p, memory := given.Memory(rows)
	if !memory {
		return s, s.read(rows)
	}
	p, err := s.check(p)
	if err != nil {
		return nil, err
	}
	n := p.X.Shape()[0]
	s.train, s.aside = data.Split(n, o.HeldOut, o.Seed)
	if len(s.train) == 0 {
		return nil, fmt.Errorf("train: Fit: of %d rows, %v are held out and none is left to train on: %w", n, o.HeldOut,
			domain.ErrShape)
	}
	if s.m, p.X, err = onFeatures(m, p.X, o.CacheBytes); err != nil {
		return nil, given.Located(p, err)
	}
	s.memory = &batch{Pairs: p}
	return s, nil
}

// read takes rows that are not in memory.
func (s *source) read(rows data.Examples) error {
	if r, ok := rows.(data.Streamed); ok && r.Classes == nil {
		switch {
		case s.head.Classifies():
			return fmt.Errorf("train: Fit: a SoftmaxHead learns classes, and the rows have none; use a LinearHead: %w",
				domain.ErrParam)
		case s.ClassWeights != nil:
			return fmt.Errorf("train: Fit: there are ClassWeights, and the rows have no classes: %w", domain.ErrParam)
		}
	}
	if s.reads = rows; s.HeldOut > 0 {
		in := data.Held(s.HeldOut, s.Seed)
		s.reads, s.asideIn = data.Part(rows, func(file, row int) bool { return !in(file, row) }), data.Part(rows, in)
	}
	return nil
}

// check wants rows and targets that fit the map and the head.
func (s *source) check(p data.Pairs) (data.Pairs, error) {
	whole, err := p.Check("train: Fit")
	if err == nil {
		p = whole
		err = s.shapes(p)
	}
	for i := 0; err == nil && i < p.Y.RawMatrix().Rows && s.ClassWeights != nil && !s.head.Classifies(); i++ {
		if s.weight(p.Y.RawRowView(i)) < 0 {
			err = given.NoClass("Fit", i)
		}
	}
	return p, given.Located(p, err)
}

func (s *source) shapes(p data.Pairs) error {
	m, head, x := s.m, s.head, p.X
	switch x.(type) {
	case *tensor.Dense, *ops.CSR, *ops.Bags:
	default:
		return fmt.Errorf("train: Fit: x is %T, want a *tensor.Dense, a *ops.CSR or a *ops.Bags: %w", x,
			domain.ErrDtype)
	}
	n, k := p.Y.Dims()
	_, bags := x.(*ops.Bags)
	switch {
	case bags && s.reads != nil:
		return fmt.Errorf("train: Fit: sets of samples are read in blocks; give them in memory: %w", domain.ErrParam)
	case x.Dims() != 2 || x.Shape()[1] != m.Dims():
		return fmt.Errorf("train: Fit: x has shape %v and the map takes %d columns: %w", x.Shape(), m.Dims(),
			domain.ErrShape)
	case m.Features() != head.Dims():
		return fmt.Errorf("train: Fit: the map makes %d columns and the head takes %d: %w", m.Features(), head.Dims(),
			domain.ErrShape)
	case k != head.Features():
		return fmt.Errorf("train: Fit: targets have shape (%d, %d), want (%d, %d): %w", n, k, n, head.Features(),
			domain.ErrShape)
	case x.Dtype() != m.Dtype() || head.Dtype() != m.Dtype():
		return fmt.Errorf("train: Fit: x is %v, the map %v, the head %v; all must be the same: %w", x.Dtype(),
			m.Dtype(), head.Dtype(), domain.ErrDtype)
	}
	return nil
}

// tunes says whether a fit changes the map.
func tunes(m layers.Layer) bool {
	return slices.ContainsFunc(m.Params(), func(p layers.Param) bool { return p.Tuned })
}

// onFeatures returns the layer and the rows that a fit goes over repeatedly: the identity and the features of a frozen
// map if they fit the budget, and otherwise the map of rows and its rows. Sparse rows stay sparse if the map keeps
// zeros.
func onFeatures(m layers.Layer, x ops.Matrix, budget int) (layers.Layer, ops.Matrix, error) {
	cells, size := x.Shape()[0]*m.Features(), int(x.Dtype().Size())
	sparse, ok := x.(*ops.CSR)
	if ok && layers.KeepsZeros(m) {
		cells, size = sparse.Stored()*((m.Features()+m.Dims()-1)/m.Dims()), size+4 // with their columns
	}
	if tunes(m) || cells*size > budget || ok && layers.IsIdentity(m) {
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
// (y + 1)/2, multiplied by the class weights. Other heads weigh their errors instead.
func (s *source) targetsOf(y *mat.Dense) *tensor.Dense {
	y = s.unit.Targets(y)
	n, k := y.Dims()
	t := tensor.New(tensor.WithShape(n, k), tensor.Of(s.head.Dtype()))
	for i := range n {
		for j, v := range y.RawRowView(i) {
			if s.head.Classifies() {
				if v = (v + 1) / 2; s.ClassWeights != nil {
					v *= s.ClassWeights[j]
				}
			}
			given.SetCell(t, i*k+j, v)
		}
	}
	return t
}

// weight is the weight of a row of targets for a head that does not classify; -1 for targets of no class.
func (s *source) weight(y []float64) float64 {
	if s.ClassWeights == nil || s.head.Classifies() {
		return 1
	}
	if c := given.ClassOf(len(y), func(j int) float64 { return y[j] }); c >= 0 {
		return s.ClassWeights[c]
	}
	return -1
}

// blocks yields the training rows, or those held out, in the order of an epoch from 1. Without targets it does not make
// those that the head learns.
func (s *source) blocks(ctx context.Context, held, targets bool, epoch int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		if s.memory != nil {
			if targets && s.memory.targets == nil {
				s.memory.targets = s.targetsOf(s.memory.Y)
			}
			b := *s.memory
			if b.rows = s.aside; !held {
				b.rows = slices.Clone(s.train)
				rng := rand.New(spectral.Stream(s.Seed, fmt.Sprintf("epoch %d", epoch)))
				rng.Shuffle(len(b.rows), func(i, j int) { b.rows[i], b.rows[j] = b.rows[j], b.rows[i] })
			}
			yield(b, nil)
			return
		}
		rows := s.reads
		if held {
			rows, epoch = s.asideIn, 1
		}
		for p, err := range rows.Blocks(ctx, epoch-1) {
			b := batch{Pairs: p}
			if err == nil {
				b.Pairs, err = s.check(p)
			}
			if err == nil {
				if targets {
					b.targets = s.targetsOf(b.Y)
				}
				b.rows = upTo(b.X.Shape()[0])
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// batches cuts blocks into batches.
func (s *source) batches(blocks iter.Seq2[batch, error]) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		for b, err := range blocks {
			for rows := range slices.Chunk(b.rows, s.Batch) {
				if !yield(batch{b.Pairs, b.targets, rows}, nil) {
					return
				}
			}
			if err != nil {
				yield(b, err)
				return
			}
		}
	}
}

// epoch yields every training row once, in the order of epoch n, from 1, in batches.
func (s *source) epoch(ctx context.Context, n int) iter.Seq2[batch, error] {
	return s.batches(s.blocks(ctx, false, true, n))
}

// scored yields the training rows for the score: the first ones of the first epoch, which are copied.
func (s *source) scored(ctx context.Context) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		if s.sample == nil {
			left := sampleRows
			for b, err := range s.epoch(ctx, 1) {
				if err != nil {
					yield(b, err)
					return
				}
				rows := b.rows[:min(left, len(b.rows))]
				own := batch{data.Pairs{X: data.RowsOf(b.X, rows)}, data.Rows(b.targets, rows), upTo(len(rows))}
				if s.sample, left = append(s.sample, own), left-len(rows); left == 0 {
					break
				}
			}
		}
		for _, b := range s.sample {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// upTo are the numbers 0..n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// held yields the rows that are held out, or is nil.
func (s *source) held(ctx context.Context) iter.Seq2[batch, error] {
	if len(s.aside) == 0 && s.asideIn == nil {
		return nil
	}
	return s.blocks(ctx, true, true, 1)
}

// spread computes the weighted means and standard deviations of the targets of the training rows.
func (s *source) spread(ctx context.Context) (*given.Spread, error) {
	out := new(given.Spread)
	for b, err := range s.blocks(ctx, false, false, 1) {
		if err != nil {
			return out, fmt.Errorf("train: Fit: %w", err)
		}
		for _, i := range b.rows {
			out.Add(s.weight(b.Y.RawRowView(i)), b.Y.RawRowView(i))
		}
	}
	if out.Empty() {
		return out, fmt.Errorf("train: Fit: there are no rows to fit; add some: %w", domain.ErrShape)
	}
	return out, nil
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
				writeAll(w, mat.DenseCopyOf(b.Y).RawMatrix().Data, math.Float64bits)
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
		writeAll(w, x.Pointers(), func(v int) uint64 { return uint64(v) })
		writeAll(w, x.Columns(), func(v int32) uint64 { return uint64(v) })
		writeBits(w, x)
	case *ops.Bags:
		writeAll(w, x.Offsets(), func(v int) uint64 { return uint64(v) })
		writeBits(w, x.Samples())
	case *tensor.Dense:
		writeBits(w, x)
	}
}

// writeBits writes the numbers of a tensor or of sparse rows, bit by bit.
func writeBits(w io.Writer, x interface {
	Dtype() tensor.Dtype
	Float32s() []float32
	Float64s() []float64
}) {
	if x.Dtype() == tensor.Float32 {
		writeAll(w, x.Float32s(), func(v float32) uint64 { return uint64(math.Float32bits(v)) })
	} else {
		writeAll(w, x.Float64s(), math.Float64bits)
	}
}

func writeAll[T any](w io.Writer, x []T, bits func(T) uint64) {
	var b []byte
	for part := range slices.Chunk(x, 4096) {
		b = b[:0]
		for _, v := range part {
			b = binary.LittleEndian.AppendUint64(b, bits(v))
		}
		w.Write(b) // a hash, which does not fail
	}
}
