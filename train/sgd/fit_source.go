package sgd

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// sampleRows is the number of training rows for the score of an epoch.
const sampleRows = 2000

// batch is some rows of x with the same rows of targets.
type batch struct {
	x       ops.Matrix
	targets *tensor.Dense
	rows    []int
	locate  func(err error) error // adds the origin of a row of x to an error; nil: errors name its number
}

// fitSource hands out the rows of a Fit.
type fitSource interface {
	// epoch yields every training row once, in the order of epoch n, from 1, in batches.
	epoch(ctx context.Context, n int) iter.Seq2[batch, error]
	// sample yields the training rows for the score.
	sample(ctx context.Context) iter.Seq2[batch, error]
	// held yields the rows that are held out, or is nil.
	held(ctx context.Context) iter.Seq2[batch, error]
	// classes says whether all targets are -1 and +1.
	classes(ctx context.Context) (bool, error)
	// spread reads the targets of the training rows.
	spread(ctx context.Context) (*given.Spread, error)
	// inUnit hands the targets out in a unit from now on.
	inUnit(u *given.Unit)
}

// fitMemory is rows in memory.
type fitMemory struct {
	x           ops.Matrix
	y           *mat.Dense // the targets as given
	targets     *tensor.Dense
	rows, aside []int
	seed        uint64
	batch       int
	weigh       rowWeight
}

func (s *fitMemory) one(rows []int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) { yield(batch{x: s.x, targets: s.targets, rows: rows}, nil) }
}

func (s *fitMemory) epoch(_ context.Context, n int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		rng := rand.New(spectral.Stream(s.seed, fmt.Sprintf("epoch %d", n)))
		order := slices.Clone(s.rows)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for rows := range slices.Chunk(order, s.batch) {
			if !yield(batch{x: s.x, targets: s.targets, rows: rows}, nil) {
				return
			}
		}
	}
}

func (s *fitMemory) sample(context.Context) iter.Seq2[batch, error] {
	var rows []int
	for _, i := range data.Shuffle(len(s.rows), s.seed)[:min(len(s.rows), sampleRows)] {
		rows = append(rows, s.rows[i])
	}
	return s.one(rows)
}

func (s *fitMemory) held(context.Context) iter.Seq2[batch, error] {
	if len(s.aside) == 0 {
		return nil
	}
	return s.one(s.aside)
}

// identity writes what identifies the rows.
func (s *fitMemory) identity(w io.Writer) {
	for _, x := range []ops.Matrix{s.x, s.targets} {
		fmt.Fprintln(w, x.Shape(), x.Dtype())
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

func (s *fitMemory) classes(context.Context) (bool, error) { return signs(s.targets), nil }

// signs says whether all targets are -1 and +1.
func signs(targets *tensor.Dense) bool {
	for i := range targets.Shape().TotalSize() {
		if math.Abs(given.Cell(targets, i)) != 1 {
			return false
		}
	}
	return true
}

// spread computes the weighted means and standard deviations of the targets over the training rows.
func (s *fitMemory) spread(context.Context) (*given.Spread, error) {
	out := new(given.Spread)
	for _, i := range s.rows {
		out.Add(s.weigh.of(s.targets, i), s.y.RawRowView(i))
	}
	return out, nil
}

func (s *fitMemory) inUnit(u *given.Unit) {
	if u != nil {
		s.targets = Targets(u.Targets(s.y), s.targets.Dtype(), nil)
	}
}
