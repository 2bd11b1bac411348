// Package rows is the pass over the rows of a fit: parts of them, mapped in blocks, kept in memory where there is
// room, and checked for finite numbers.
package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Source hands out the rows of a fit, or a part of them, as features in blocks: the same blocks in every pass.
type Source struct {
	Who       string // whose errors they are
	Ctx       context.Context
	Signature []float64   // of the features, nil for all +1
	Memory    *data.Pairs // the rows where they are in memory, and
	index     []int       // which of them are meant; nil: all
	Block     int         // rows that go through the map at once; 0 chooses
	Epoch     int         // of a stream, from 0

	N              int        // the number of rows, 0 if they have not been counted
	Dims, Features int        // columns of x and of the features
	Y              *mat.Dense // the targets of all rows, once they have been read
	*passed

	m           layers.Map // nil is the identity
	rows        data.Examples
	dtype       tensor.Dtype
	dst, gather *tensor.Dense // kept from block to block
}

// passed counts the rows that have been handed out by a source and its parts together.
type passed struct {
	done     int
	Total    int // 0: not known
	Progress func(done, total int)
	Stop     func(cause error) error // the error of a pass that the context ends; nil: how many rows are done
	Unit     *given.Unit             // of the targets that are handed out
	first    bool                    // whether the first block that is read decides the unit
	check    func(p data.Pairs, before int) error
	outputs  int // targets of a row; 0: no block has been checked
}

// New checks rows that are in memory; a stream is checked block by block.
func New(ctx context.Context, who string, m layers.Map, rows data.Examples) (*Source, error) {
	err := given.Missing(who, "the context", ctx, "the source of rows", rows)
	if err == nil && m != nil { // which would be the identity
		err = given.Missing(who, "the map", m)
	}
	if err != nil {
		return nil, err
	}
	s := &Source{Who: who, Ctx: ctx, m: m, rows: rows, passed: new(passed)}
	if m != nil {
		s.Signature, s.Dims, s.Features = layers.SignatureOf(m), m.Dims(), m.Features()
	}
	if p, ok := rows.(*data.Pairs); ok {
		rows = *p
	}
	p, memory := rows.(data.Pairs)
	if !memory {
		return s, nil
	}
	whole, err := s.checked(p, 0)
	if err != nil {
		return nil, given.Located(p, err)
	}
	s.Memory, s.N, s.Y = &whole, whole.X.Shape()[0], whole.Y
	s.Total = s.N
	return s, nil
}

// Check adds a check, of all rows in memory or of each block of a stream, after so many rows.
func (s *Source) Check(f func(p data.Pairs, before int) error) error {
	if s.check = f; s.Memory == nil {
		return nil
	}
	return given.Located(*s.Memory, f(*s.Memory, 0))
}

// InUnit hands out the targets in a unit of all rows in memory, or of the first block of a stream.
func (s *Source) InUnit() (err error) {
	if s.first = s.Memory == nil; s.first {
		return nil
	}
	if s.Unit, err = given.UnitOf(s.Who, s.Memory.Y, true); err != nil {
		return err
	}
	p := *s.Memory
	p.Y = s.Unit.Targets(p.Y)
	s.Memory, s.Y = &p, p.Y
	return nil
}

// checked returns pairs that the map takes, with finite targets, in row-major memory. before is the number of rows in
// earlier blocks.
func (s *Source) checked(p data.Pairs, before int) (data.Pairs, error) {
	p, err := p.Check("train: " + s.Who)
	if err != nil {
		return p, err
	}
	n, d, k := p.X.Shape()[0], p.X.Shape()[1], p.Y.RawMatrix().Cols
	if s.m == nil && s.Features == 0 {
		s.Dims, s.Features = d, d
	}
	s.dtype = p.X.Dtype()
	switch {
	case d != s.Dims:
		return p, fmt.Errorf("train: %s: x has %d columns, the map takes %d; give the data that the map was made "+
			"for: %w", s.Who, d, s.Dims, domain.ErrShape)
	case n == 0 || d == 0 || s.Features < 1:
		return p, fmt.Errorf("train: %s: x is %v and has %d features; there must be at least one row and one "+
			"feature: %w", s.Who, p.X.Shape(), s.Features, domain.ErrShape)
	case s.outputs > 0 && k != s.outputs:
		return p, fmt.Errorf("train: %s: a block has %d targets a row, those before it have %d: %w", s.Who, k,
			s.outputs, domain.ErrShape)
	case s.check != nil:
		err = s.check(p, before)
	}
	if err == nil {
		err = given.CheckTargets(s.Who, p.Y, Names{before: before}.At)
	}
	s.outputs = k
	return p, err
}

// Take is a part of the rows in memory.
func (s *Source) Take(index []int) *Source {
	t := *s
	t.index, t.N, t.Y, t.dst, t.gather = index, len(index), nil, nil, nil
	return &t
}

// Where is a part of the rows of a stream.
func (s *Source) Where(keep func(file, row int) bool) *Source {
	t := *s
	t.rows, t.N, t.Y, t.dst = data.Part(s.rows, keep), 0, nil, nil
	return &t
}

// Split holds out about a fraction of the rows, drawn by the seed; of rows in memory at least one, and not all.
func (s *Source) Split(fraction float64, seed uint64) (rest, held *Source) {
	if s.Memory != nil {
		one := 1 / float64(s.N)
		kept, out := data.Split(s.N, min(max(fraction, one), 1-one), seed)
		return s.Take(kept), s.Take(out)
	}
	in := data.Held(fraction, seed, s.Who)
	return s.Where(func(file, row int) bool { return !in(file, row) }), s.Where(in)
}

// Targets are the targets of all rows, which it counts; a stream takes a pass without the map.
func (s *Source) Targets() (*mat.Dense, error) {
	switch {
	case s.Y != nil:
		return s.Y, nil
	case s.Memory != nil:
		s.Y = given.TargetRows(s.Memory.Y, s.index)
		return s.Y, nil
	}
	var all []float64
	n := 0
	err := s.eachBlock(func(b data.Pairs, before int) error {
		n = before + b.Y.RawMatrix().Rows
		err := domain.CheckSize("train: "+s.Who+": the targets and scores of rows that are read", 4*8, n, s.outputs)
		all = append(all, mat.DenseCopyOf(b.Y).RawMatrix().Data...)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.N, s.Y, s.Total = n, mat.NewDense(n, s.outputs, all), max(s.Total, n)
	return s.Y, nil
}

// eachBlock calls f with the blocks of a stream, once they are checked, and the number of rows before each.
func (s *Source) eachBlock(f func(b data.Pairs, before int) error) error {
	before := 0
	for b, err := range s.rows.Blocks(s.Ctx, s.Epoch) {
		if err != nil {
			return err
		}
		if err := s.Cancelled(); err != nil {
			return err
		}
		whole, err := s.checked(b, before)
		if err == nil {
			err = f(whole, before)
		}
		if err != nil {
			return given.Located(b, err)
		}
		before += whole.X.Shape()[0]
	}
	if before == 0 {
		return fmt.Errorf("train: %s: there are no rows to fit; add some: %w", s.Who, domain.ErrShape)
	}
	return s.Cancelled()
}

// Each calls f with block after block. z is valid until the next call.
func (s *Source) Each(f Rows) error {
	return s.pass(dense, func(rows Names, z ops.Matrix, y *mat.Dense) error { return f(rows, z.(*tensor.Dense), y) })
}

// EachMatrix is Each, except that features are sparse where they can be; such a block belongs to f.
func (s *Source) EachMatrix(f Matrix) error { return s.pass(sparse, f) }

// EachRaw calls f with the rows themselves instead of their features. They are valid until the next call.
func (s *Source) EachRaw(f Matrix) error { return s.pass(raw, f) }

// form is what a pass hands out.
type form int

const (
	dense  form = iota // features
	sparse             // features, sparse where they can be
	raw                // rows
)

// pass goes over the rows.
func (s *Source) pass(as form, f Matrix) error {
	if s.N > 0 {
		s.Total = max(s.Total, s.done+s.N)
	}
	if s.Memory != nil {
		return given.Located(*s.Memory, s.cut(*s.Memory, s.index, 0, as, f))
	}
	return s.eachBlock(func(b data.Pairs, before int) (err error) {
		if s.first {
			if s.Unit, err = given.UnitOf(s.Who, b.Y, true); err != nil {
				return err
			}
			s.first = false
		}
		b.Y = s.Unit.Targets(b.Y)
		return s.cut(b, nil, before, as, f)
	})
}

// cut calls f with blocks of the rows index (nil: all) of pairs. before is the number of rows in earlier blocks.
func (s *Source) cut(p data.Pairs, index []int, before int, as form, f Matrix) error {
	if b, ok := p.X.(*ops.Bags); ok && s.m == nil {
		return fmt.Errorf("train: %s: x are %v and there is no map; sets of samples want one, such as %s: %w",
			s.Who, b, strings.Join(layers.BagMaps(), ", "), domain.ErrParam)
	}
	n := len(index)
	if index == nil {
		n = p.X.Shape()[0]
	}
	step := cmp.Or(s.Block, s.blockRows(p.X, as))
	for i := 0; i < n; i += step {
		if err := s.Cancelled(); err != nil {
			return err
		}
		b := min(step, n-i)
		rows := Names{First: i, before: before}
		if index != nil {
			rows.Index = index[i : i+b]
		}
		z, err := s.features2d(s.part(p.X, rows, b), rows, b, as)
		if err != nil {
			return err
		}
		y := p.Y
		if index != nil {
			y = given.TargetRows(y, rows.Index)
		} else {
			y = y.Slice(i, i+b, 0, y.RawMatrix().Cols).(*mat.Dense)
		}
		if err := f(rows, z, y); err != nil {
			return err
		}
		s.done += b
		if s.Progress != nil {
			s.Progress(s.done, s.Total)
		}
	}
	return s.Cancelled()
}

// blockRows is the length of blocks that suits ridge.
func (s *Source) blockRows(x ops.Matrix, as form) int {
	_, wide := x.(*tensor.Dense)
	switch {
	case as != dense && s.staysSparse(x):
		return 4096
	case wide:
		return BlockRows(max(s.Features, s.Dims))
	}
	return BlockRows(s.Features)
}

// Cancelled returns an error if the context has ended.
func (s *Source) Cancelled() error {
	switch err := given.Stopped(s.Ctx); {
	case err == nil:
		return nil
	case s.Stop != nil:
		return s.Stop(err)
	case s.Total == 0: // not known
		return fmt.Errorf("train: %s: stopped after %d rows: %w", s.Who, s.done, err)
	case s.done >= s.Total:
		return fmt.Errorf("train: %s: stopped after all %d rows were read: %w", s.Who, s.Total, err)
	default:
		return fmt.Errorf("train: %s: stopped after %d of %d rows: %w", s.Who, s.done, s.Total, err)
	}
}

// part is b rows of x: a part of its memory, or a copy when they do not lie side by side.
func (s *Source) part(x ops.Matrix, rows Names, b int) ops.Matrix {
	t, ok := x.(*tensor.Dense)
	switch {
	case rows.Index == nil:
		return data.RowRange(x, rows.First, rows.First+b)
	case !ok:
		return data.Rows(x, rows.Index)
	}
	if s.gather == nil || s.gather.Shape()[0] != b {
		s.gather = tensor.New(tensor.WithShape(b, s.Dims), tensor.Of(x.Dtype()))
	}
	data.RowsInto(s.gather, t, rows.Index)
	return s.gather
}

// features2d maps a block and checks the result.
func (s *Source) features2d(x ops.Matrix, rows Names, b int, as form) (ops.Matrix, error) {
	dst := s.dst
	if dst != nil && dst.Shape()[0] != b {
		dst = nil
	}
	if s.m == nil || as == raw {
		c, ok := x.(*ops.CSR)
		if !ok || as != dense {
			return x, nil
		}
		z, err := c.Dense(dst)
		s.dst = z
		return z, err
	}
	var z ops.Matrix
	var err error
	if as == sparse {
		z, err = layers.Apply(s.m, dst, x)
	} else {
		z, err = layers.Transform(s.m, dst, x)
	}
	if err != nil {
		return nil, fmt.Errorf("train: %s: %d rows from row %d: %w", s.Who, b, rows.At(0), rows.Blame(s.m, x, err))
	}
	if z, err = data.RowMajor("train: "+s.Who, "the map's features", z); err != nil {
		return nil, err
	}
	if z.Shape()[0] != b || z.Shape()[1] != s.Features {
		return nil, fmt.Errorf("train: %s: the map made %v of %d rows, not (%d, %d); its Features and Transform "+
			"disagree: %w", s.Who, z.Shape(), b, b, s.Features, domain.ErrShape)
	}
	s.dst, _ = z.(*tensor.Dense)
	return z, nil
}

// staysSparse says whether rows have sparse features.
func (s *Source) staysSparse(x ops.Matrix) bool {
	if s.m == nil {
		_, csr := x.(*ops.CSR)
		return csr
	}
	return layers.StaysSparse(s.m, x)
}

// Stored is about the number of stored features of rows in memory if they are sparse; 0: they are dense.
func (s *Source) Stored() int {
	if s.Memory == nil || !s.staysSparse(s.Memory.X) {
		return 0
	}
	x := s.Memory.X
	if s.m == nil {
		return max(1, x.(*ops.CSR).Stored()*s.N/x.Shape()[0])
	}
	return max(1, layers.StoredFeatures(s.m, x)*s.N/x.Shape()[0])
}

// Names names the rows of a block by their index in x.
type Names struct {
	Index  []int // nil: First, First+1, ...
	First  int   // in the block of a stream that was read
	before int   // rows in earlier ones
}

// At is the number of row i.
func (r Names) At(i int) int {
	if r.Index == nil {
		return r.before + r.First + i
	}
	return r.Index[i]
}

// Blame turns an error about rows x into one about the row of all that a map refuses, if there is one.
func (r Names) Blame(m layers.Map, x ops.Matrix, err error) error {
	r.before = 0 // Locate counts within a block
	for i := range x.Shape()[0] {
		if _, e := layers.Apply(m, nil, data.RowRange(x, i, i+1)); e != nil {
			return domain.InBlock(r.At(i), e)
		}
	}
	return err
}

// Rows takes rows, their features and their targets.
type Rows func(rows Names, z *tensor.Dense, y *mat.Dense) error

// Matrix takes rows, their features, a *tensor.Dense or a *ops.CSR, and their targets.
type Matrix func(rows Names, z ops.Matrix, y *mat.Dense) error

// BlockRows is the number of rows of D features in a block: 16 MB, within 512 to 2048 rows, since short blocks are
// slow, and 256 where even 512 are too many.
func BlockRows(features int) int { return data.BlockRows(1, features) / 4 }

// Weights are the weights of the rows by their classes; nil class weights: all are 1.
func (s *Source) Weights(ofClasses []float64) ([]float64, error) {
	y, err := s.Targets()
	if err != nil || ofClasses == nil {
		return slices.Repeat([]float64{1}, s.N), err
	}
	return given.RowWeights(s.Who, ofClasses, y, Names{Index: s.index}.At)
}
