// Package rows is the pass over the rows of a fit: parts of them, mapped in blocks, kept in memory where there is
// room, and checked for finite numbers.
package rows

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
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
	Unit     *given.Unit // of the targets that are handed out
	first    bool        // whether the first block that is read decides the unit
}

// New checks rows that are in memory; a stream is checked block by block.
func New(ctx context.Context, who string, m layers.Map, rows data.Examples) (*Source, error) {
	if err := given.Missing(who, given.Arg("the context", ctx)); err != nil {
		return nil, err
	}
	s := &Source{Who: who, Ctx: ctx, m: m, rows: rows, passed: new(passed)}
	if m != nil { // which would be the identity
		if err := given.Missing(who, given.Arg("the map", m)); err != nil {
			return nil, err
		}
		s.Signature, s.Dims, s.Features = layers.SignatureOf(m), m.Dims(), m.Features()
	}
	if err := given.Missing(who, given.Arg("the source of rows", rows)); err != nil {
		return nil, err
	}
	p, memory := given.Memory(rows)
	if !memory {
		return s, nil
	}
	whole, err := s.checked(p)
	if err != nil {
		return nil, given.Located(p, err)
	}
	p = whole
	s.Memory, s.N, s.Y = &p, p.X.Shape()[0], p.Y
	s.Total = s.N
	return s, nil
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

// checked returns pairs that the map takes, in row-major memory.
func (s *Source) checked(p data.Pairs) (data.Pairs, error) {
	p, err := p.Check("train: " + s.Who)
	if err != nil {
		return p, err
	}
	n, d := p.X.Shape()[0], p.X.Shape()[1]
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
	}
	return p, nil
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

// Split holds out about a fraction of the rows, drawn by the seed.
func (s *Source) Split(fraction float64, seed uint64) (rest, held *Source) {
	if s.Memory != nil {
		kept, out := HoldOut(s.N, fraction, seed)
		return s.Take(kept), s.Take(out)
	}
	in := data.Held(fraction, seed)
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
	y, err := given.Targets(s.Who, s.eachBlock)
	if err != nil {
		return nil, err
	}
	s.N, s.Y = y.RawMatrix().Rows, y
	s.Total = max(s.Total, s.N)
	return s.Y, nil
}

// eachBlock calls f with the blocks of a stream.
func (s *Source) eachBlock(f func(b data.Pairs) error) error {
	return given.EachBlock(s.Ctx, s.Who, s.rows, s.checked, s.Cancelled, f)
}

// Each calls f with block after block. z is valid until the next call.
func (s *Source) Each(f Rows) error {
	return s.pass(false, func(rows Names, z ops.Matrix, y *mat.Dense) error { return f(rows, z.(*tensor.Dense), y) })
}

// EachMatrix is Each, except that sparse rows stay sparse if the map keeps zeros; such a block belongs to f.
func (s *Source) EachMatrix(f Matrix) error { return s.pass(true, f) }

// pass goes over the rows.
func (s *Source) pass(sparse bool, f Matrix) error {
	if s.N > 0 {
		s.Total = max(s.Total, s.done+s.N)
	}
	if s.Memory != nil {
		return given.Located(*s.Memory, s.cut(*s.Memory, s.index, 0, sparse, f))
	}
	first := 0
	return s.eachBlock(func(b data.Pairs) (err error) {
		if s.first {
			if s.Unit, err = given.UnitOf(s.Who, b.Y, true); err != nil {
				return err
			}
			s.first = false
		}
		b.Y = s.Unit.Targets(b.Y)
		at := first
		first += b.X.Shape()[0]
		return s.cut(b, nil, at, sparse, f)
	})
}

// cut calls f with blocks of the rows index (nil: all) of pairs. first is the number of the first row.
func (s *Source) cut(p data.Pairs, index []int, first int, sparse bool, f Matrix) error {
	if b, ok := p.X.(*ops.Bags); ok && s.m == nil {
		return fmt.Errorf("train: %s: x are %v and there is no map; sets of samples want one, such as %s: %w",
			s.Who, b, strings.Join(layers.BagMaps(), ", "), domain.ErrParam)
	}
	n := len(index)
	if index == nil {
		n = p.X.Shape()[0]
	}
	step := s.Block
	if _, csr := p.X.(*ops.CSR); csr && sparse && step == 0 && (s.m == nil || layers.KeepsZeros(s.m)) {
		step = sparseBlockRows
	}
	if step == 0 {
		step = s.blockRows(p.X)
	}
	for i := 0; i < n; i += step {
		if err := s.Cancelled(); err != nil {
			return err
		}
		b := min(step, n-i)
		rows := Names{First: i}
		if index != nil {
			rows.Index = index[i : i+b]
		}
		z, err := s.features2d(s.part(p.X, rows, b), rows, b, sparse)
		if err != nil {
			return err
		}
		y := p.Y
		if index != nil {
			y = given.TargetRows(y, rows.Index)
		} else {
			y = y.Slice(i, i+b, 0, y.RawMatrix().Cols).(*mat.Dense)
		}
		rows.First += first
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

// depth is the number of rows in a block of products.
const depth = 512

// sparseBlockRows is the number of rows in a block of sparse features.
const sparseBlockRows = 4096

// blockRows is the length of blocks that suits ridge.
func (s *Source) blockRows(x ops.Matrix) int {
	if _, dense := x.(*tensor.Dense); dense {
		return BlockRows(max(s.Features, s.Dims))
	}
	return BlockRows(s.Features)
}

// Cancelled returns an error if the context has ended.
func (s *Source) Cancelled() error {
	if err := given.Stopped(s.Ctx); err != nil {
		if s.Total == 0 { // not known
			return fmt.Errorf("train: %s: stopped after %d rows: %w", s.Who, s.done, err)
		}
		return fmt.Errorf("train: %s: stopped after %d of %d rows: %w", s.Who, s.done, s.Total, err)
	}
	return nil
}

// part is b rows of x: a part of its memory, or a copy when they do not lie side by side.
func (s *Source) part(x ops.Matrix, rows Names, b int) ops.Matrix {
	t, dense := x.(*tensor.Dense)
	switch {
	case dense && rows.Index == nil:
		return ops.Rows(t, rows.First, rows.First+b)
	case rows.Index == nil:
		return data.RowRange(x, rows.First, rows.First+b)
	case !dense:
		return data.RowsOf(x, rows.Index)
	}
	if s.gather == nil || s.gather.Shape()[0] != b {
		s.gather = tensor.New(tensor.WithShape(b, s.Dims), tensor.Of(x.Dtype()))
	}
	data.RowsInto(s.gather, t, rows.Index)
	return s.gather
}

// features2d maps a block and checks the result. With sparse set, sparse rows stay sparse if the map keeps zeros.
func (s *Source) features2d(x ops.Matrix, rows Names, b int, sparse bool) (ops.Matrix, error) {
	dst := s.dst
	if dst != nil && dst.Shape()[0] != b {
		dst = nil
	}
	if s.m == nil {
		c, ok := x.(*ops.CSR)
		if !ok || sparse {
			return x, nil
		}
		z, err := c.Dense(dst)
		s.dst = z
		return z, err
	}
	var z ops.Matrix
	var err error
	if sparse {
		z, err = layers.Apply(s.m, dst, x)
	} else {
		z, err = layers.Transform(s.m, dst, x)
	}
	if err != nil {
		if rows.Index == nil {
			err = domain.InBlock(rows.First, err) // a cell or a row that it names is one of x
		}
		return nil, fmt.Errorf("train: %s: %d rows from row %d: %w", s.Who, b, rows.At(0), err)
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

// Stored is about the number of stored features of sparse rows in memory if they stay sparse; 0: they are dense.
func (s *Source) Stored() int {
	if s.Memory == nil || s.m != nil && !layers.KeepsZeros(s.m) {
		return 0
	}
	x, ok := s.Memory.X.(*ops.CSR)
	if !ok {
		return 0
	}
	width := (s.Features + s.Dims - 1) / s.Dims // of a cell
	return max(1, x.Stored()*width*s.N/x.Rows())
}

// Names names the rows of a block by their index in x.
type Names struct {
	Index []int // nil: First, First+1, ...
	First int
}

// At is the number of row i.
func (r Names) At(i int) int {
	if r.Index == nil {
		return r.First + i
	}
	return r.Index[i]
}

// Rows takes rows, their features and their targets.
type Rows func(rows Names, z *tensor.Dense, y *mat.Dense) error

// Matrix takes rows, their features, a *tensor.Dense or a *ops.CSR, and their targets.
type Matrix func(rows Names, z ops.Matrix, y *mat.Dense) error

// BlockRows is the number of rows of D features in a block: 16 MB, within 512 to 2048 rows, since short blocks are
// slow.
func BlockRows(features int) int {
	rows := min(max((1<<21)/max(features, 1)/depth, 1), 4) * depth
	if features > 8192 {
		rows = depth / 2
	}
	return rows
}

// HoldOut holds out a fraction of the rows, at least one, drawn by the seed. Both parts are sorted.
func HoldOut(n int, fraction float64, seed uint64) (train, held []int) {
	perm := rand.New(spectral.Stream(seed, "held-out")).Perm(n)
	c := min(max(int(math.Round(fraction*float64(n))), 1), n-1)
	train, held = perm[c:], perm[:c]
	slices.Sort(train)
	slices.Sort(held)
	return train, held
}

// Weights are the weights of the rows by their classes; nil class weights: all are 1.
func (s *Source) Weights(ofClasses []float64) ([]float64, error) {
	y, err := s.Targets()
	if err != nil || ofClasses == nil {
		return slices.Repeat([]float64{1}, s.N), err
	}
	return given.RowWeights(s.Who, ofClasses, y, Names{Index: s.index}.At)
}
