package linear

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
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// source hands out the rows of a fit, or a part of them, as features in blocks: the same blocks in every pass.
type source struct {
	who       string // whose errors they are
	ctx       context.Context
	m         layers.Map // nil is the identity
	signature []float64  // of the features, nil for all +1
	rows      data.Examples
	memory    *data.Pairs // the rows where they are in memory, and
	index     []int       // which of them are meant; nil: all
	block     int         // rows that go through the map at once; 0 chooses

	n              int // the number of rows, 0 if they have not been counted
	dims, features int
	dtype          tensor.Dtype
	y              *mat.Dense // the targets of all rows, once they have been read
	*passed
	dst, gather *tensor.Dense // kept from block to block
}

// passed counts the rows that have been handed out by a source and its parts together.
type passed struct {
	done, total int // 0: not known
	progress    func(done, total int)
	unit        *given.Unit // of the targets that are handed out
	first       bool        // whether the first block that is read decides the unit
}

// newSource checks rows that are in memory; a stream is checked block by block.
func newSource(ctx context.Context, who string, m layers.Map, rows data.Examples) (*source, error) {
	if err := given.Missing(who, given.Arg("the context", ctx)); err != nil {
		return nil, err
	}
	s := &source{who: who, ctx: ctx, m: m, rows: rows, passed: new(passed)}
	if m != nil { // which would be the identity
		if err := given.Missing(who, given.Arg("the map", m)); err != nil {
			return nil, err
		}
		s.signature, s.dims, s.features = layers.SignatureOf(m), m.Dims(), m.Features()
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
	s.memory, s.n, s.y = &p, p.X.Shape()[0], p.Y
	s.total = s.n
	return s, nil
}

// inUnit hands out the targets in a unit of all rows in memory, or of the first block of a stream.
func (s *source) inUnit() (err error) {
	if s.first = s.memory == nil; s.first {
		return nil
	}
	if s.unit, err = given.UnitOf(s.who, s.memory.Y, true); err != nil {
		return err
	}
	p := *s.memory
	p.Y = s.unit.Targets(p.Y)
	s.memory, s.y = &p, p.Y
	return nil
}

// outOfUnit takes a fit out of the unit of the targets.
func (s *source) outOfUnit(f *RidgeFit) error {
	f.unit = s.unit
	scoresOutOf(s.unit, f.Scores)
	return s.unit.Weights(s.who, f.W.RawMatrix().Data, f.B)
}

// scoresOutOf takes scores out of a unit. +Inf stays for lambdas that cannot be used: a square that overflows becomes
// the largest number.
func scoresOutOf(u *given.Unit, scores []fits.LambdaScore) {
	square := min(u.Largest()*u.Largest(), math.MaxFloat64)
	for i := range scores {
		if v := &scores[i].MSE; !math.IsInf(*v, 1) {
			*v = min(*v*square, math.MaxFloat64)
		}
	}
}

// checked returns pairs that the map takes, in row-major memory.
func (s *source) checked(p data.Pairs) (data.Pairs, error) {
	p, err := p.Check("train: " + s.who)
	if err != nil {
		return p, err
	}
	n, d := p.X.Shape()[0], p.X.Shape()[1]
	if s.m == nil && s.features == 0 {
		s.dims, s.features = d, d
	}
	s.dtype = p.X.Dtype()
	switch {
	case d != s.dims:
		return p, fmt.Errorf("train: %s: x has %d columns, the map takes %d; give the data that the map was made for: %w", s.who, d, s.dims, domain.ErrShape)
	case n == 0 || d == 0 || s.features < 1:
		return p, fmt.Errorf("train: %s: x is %v and has %d features; there must be at least one row and one feature: %w", s.who, p.X.Shape(), s.features, domain.ErrShape)
	}
	return p, nil
}

// take is a part of the rows in memory.
func (s *source) take(index []int) *source {
	t := *s
	t.index, t.n, t.y, t.dst, t.gather = index, len(index), nil, nil, nil
	return &t
}

// where is a part of the rows of a stream.
func (s *source) where(keep func(file, row int) bool) *source {
	t := *s
	t.rows, t.n, t.y, t.dst = data.Part(s.rows, keep), 0, nil, nil
	return &t
}

// split holds out about a fraction of the rows, drawn by the seed.
func (s *source) split(fraction float64, seed uint64) (rest, held *source) {
	if s.memory != nil {
		kept, out := ridgeSplit(s.n, fraction, seed)
		return s.take(kept), s.take(out)
	}
	in := data.Held(fraction, seed)
	return s.where(func(file, row int) bool { return !in(file, row) }), s.where(in)
}

// targets are the targets of all rows, which it counts; a stream takes a pass without the map.
func (s *source) targets() (*mat.Dense, error) {
	switch {
	case s.y != nil:
		return s.y, nil
	case s.memory != nil:
		s.y = rowsOfTargets(s.memory.Y, s.index)
		return s.y, nil
	}
	y, err := given.Targets(s.who, s.eachBlock)
	if err != nil {
		return nil, err
	}
	s.n, s.y = y.RawMatrix().Rows, y
	s.total = max(s.total, s.n)
	return s.y, nil
}

// eachBlock calls f with the blocks of a stream.
func (s *source) eachBlock(f func(b data.Pairs) error) error {
	return given.EachBlock(s.ctx, s.who, s.rows, s.checked, s.cancelled, f)
}

// each calls f with block after block. z is valid until the next call.
func (s *source) each(f addRows) error {
	return s.pass(false, func(rows rowNames, z ops.Matrix, y *mat.Dense) error { return f(rows, z.(*tensor.Dense), y) })
}

// eachMatrix is each, except that sparse rows stay sparse if the map keeps zeros; such a block belongs to f.
func (s *source) eachMatrix(f addMatrix) error { return s.pass(true, f) }

// pass goes over the rows.
func (s *source) pass(sparse bool, f addMatrix) error {
	if s.n > 0 {
		s.total = max(s.total, s.done+s.n)
	}
	if s.memory != nil {
		return given.Located(*s.memory, s.cut(*s.memory, s.index, 0, sparse, f))
	}
	first := 0
	return s.eachBlock(func(b data.Pairs) (err error) {
		if s.first {
			if s.unit, err = given.UnitOf(s.who, b.Y, true); err != nil {
				return err
			}
			s.first = false
		}
		b.Y = s.unit.Targets(b.Y)
		at := first
		first += b.X.Shape()[0]
		return s.cut(b, nil, at, sparse, f)
	})
}

// cut calls f with blocks of the rows index (nil: all) of pairs. first is the number of the first row.
func (s *source) cut(p data.Pairs, index []int, first int, sparse bool, f addMatrix) error {
	if b, ok := p.X.(*ops.Bags); ok && s.m == nil {
		return fmt.Errorf("train: %s: x are %v and there is no map; sets of samples want one, such as %s: %w", s.who, b, strings.Join(layers.BagMaps(), ", "), domain.ErrParam)
	}
	n := len(index)
	if index == nil {
		n = p.X.Shape()[0]
	}
	step := s.block
	if _, csr := p.X.(*ops.CSR); csr && sparse && step == 0 && (s.m == nil || layers.KeepsZeros(s.m)) {
		step = sparseBlockRows
	}
	if step == 0 {
		step = s.blockRows(p.X)
	}
	for i := 0; i < n; i += step {
		if err := s.cancelled(); err != nil {
			return err
		}
		b := min(step, n-i)
		rows := rowNames{first: i}
		if index != nil {
			rows.index = index[i : i+b]
		}
		z, err := s.features2d(s.part(p.X, rows, b), rows, b, sparse)
		if err != nil {
			return err
		}
		y := p.Y
		if index != nil {
			y = rowsOfTargets(y, rows.index)
		} else {
			y = y.Slice(i, i+b, 0, y.RawMatrix().Cols).(*mat.Dense)
		}
		rows.first += first
		if err := f(rows, z, y); err != nil {
			return err
		}
		s.done += b
		if s.progress != nil {
			s.progress(s.done, s.total)
		}
	}
	return s.cancelled()
}

// sparseBlockRows is the number of rows in a block of sparse features.
const sparseBlockRows = 4096

// blockRows is the length of blocks that suits ridge.
func (s *source) blockRows(x ops.Matrix) int {
	if _, dense := x.(*tensor.Dense); dense {
		return ridgeBlockRows(max(s.features, s.dims))
	}
	return ridgeBlockRows(s.features)
}

func (s *source) cancelled() error {
	if err := given.Stopped(s.ctx); err != nil {
		if s.total == 0 { // not known
			return fmt.Errorf("train: %s: stopped after %d rows: %w", s.who, s.done, err)
		}
		return fmt.Errorf("train: %s: stopped after %d of %d rows: %w", s.who, s.done, s.total, err)
	}
	return nil
}

// part is b rows of x: a part of its memory, or a copy when they do not lie side by side.
func (s *source) part(x ops.Matrix, rows rowNames, b int) ops.Matrix {
	t, dense := x.(*tensor.Dense)
	switch {
	case dense && rows.index == nil:
		return ops.Rows(t, rows.first, rows.first+b)
	case rows.index == nil:
		return data.RowRange(x, rows.first, rows.first+b)
	case !dense:
		return data.RowsOf(x, rows.index)
	}
	if s.gather == nil || s.gather.Shape()[0] != b {
		s.gather = tensor.New(tensor.WithShape(b, s.dims), tensor.Of(x.Dtype()))
	}
	data.RowsInto(s.gather, t, rows.index)
	return s.gather
}

// features2d maps a block and checks the result. With sparse set, sparse rows stay sparse if the map keeps zeros.
func (s *source) features2d(x ops.Matrix, rows rowNames, b int, sparse bool) (ops.Matrix, error) {
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
		if rows.index == nil {
			err = domain.InBlock(rows.first, err) // a cell or a row that it names is one of x
		}
		return nil, fmt.Errorf("train: %s: %d rows from row %d: %w", s.who, b, rows.at(0), err)
	}
	if z, err = data.RowMajor("train: "+s.who, "the map's features", z); err != nil {
		return nil, err
	}
	if z.Shape()[0] != b || z.Shape()[1] != s.features {
		return nil, fmt.Errorf("train: %s: the map made %v of %d rows, not (%d, %d); its Features and Transform disagree: %w", s.who, z.Shape(), b, b, s.features, domain.ErrShape)
	}
	s.dst, _ = z.(*tensor.Dense)
	return z, nil
}

// stored is about the number of stored features of sparse rows in memory if they stay sparse; 0: they are dense.
func (s *source) stored() int {
	if s.memory == nil || s.m != nil && !layers.KeepsZeros(s.m) {
		return 0
	}
	x, ok := s.memory.X.(*ops.CSR)
	if !ok {
		return 0
	}
	width := (s.features + s.dims - 1) / s.dims // of a cell
	return max(1, x.Stored()*width*s.n/x.Rows())
}

// rowsOfTargets is some rows of y.
func rowsOfTargets(y *mat.Dense, index []int) *mat.Dense {
	out := mat.NewDense(len(index), y.RawMatrix().Cols, nil)
	for i, r := range index {
		out.SetRow(i, y.RawRowView(r))
	}
	return out
}

// rowNames names the rows of a block by their index in x.
type rowNames struct {
	index []int // nil: first, first+1, ...
	first int
}

func (r rowNames) at(i int) int {
	if r.index == nil {
		return r.first + i
	}
	return r.index[i]
}

// addRows takes rows, their features and their targets.
type addRows func(rows rowNames, z *tensor.Dense, y *mat.Dense) error

// addMatrix takes rows, their features, a *tensor.Dense or a *ops.CSR, and their targets.
type addMatrix func(rows rowNames, z ops.Matrix, y *mat.Dense) error

// ridgeBlockRows is the number of rows of D features in a block: 16 MB, within 512 to 2048 rows, since short blocks are
// slow.
func ridgeBlockRows(features int) int {
	depth := min(max((1<<21)/max(features, 1)/ridgeDepth, 1), 4) * ridgeDepth
	if features > 8192 {
		depth = ridgeDepth / 2
	}
	return depth
}

// BlockRows returns the number of rows of d columns that a stream should put into a block for a map to D features:
// several blocks of FitRidge, enough to keep the reader ahead.
func BlockRows(d, features int) int { return 4 * ridgeBlockRows(max(d, features)) }

// ridgeSplit holds out a fraction of the rows, at least one, drawn by the seed. Both parts are sorted.
func ridgeSplit(n int, fraction float64, seed uint64) (train, held []int) {
	perm := rand.New(spectral.Stream(seed, "held-out")).Perm(n)
	c := min(max(int(math.Round(fraction*float64(n))), 1), n-1)
	train, held = perm[c:], perm[:c]
	slices.Sort(train)
	slices.Sort(held)
	return train, held
}

// checkFinite names the first feature or target that is NaN or infinite.
func checkFinite(who string, z ops.Matrix, y *mat.Dense, row func(i int) int) error {
	if i, j, v := notFinite(z); i >= 0 {
		return fmt.Errorf("train: %s: row %d has the feature z[%d,%d] = %v, which is not a finite number; drop the row, or scale the data so that the map does not overflow: %w", who, row(i), row(i), j, v, domain.ErrDomain)
	}
	return given.CheckTargets(who, y, row)
}

// rowWeights returns the weight of each row of y by its class. With several columns the class is the column that is 1
// where the others are -1; with one column -1 is the first class and 1 the second.
func rowWeights(who string, weights []float64, y *mat.Dense, row func(i int) int) ([]float64, error) {
	n, k := y.Dims()
	if err := given.CheckWeights(who, weights, max(2, k)); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i := range out {
		c := given.ClassOf(k, func(j int) float64 { return y.At(i, j) })
		if c < 0 {
			return nil, given.NoClass(who, row(i))
		}
		out[i] = weights[c]
	}
	return out, nil
}

// weights are the weights of the rows by their classes; nil class weights: all are 1.
func (s *source) weights(ofClasses []float64) ([]float64, error) {
	y, err := s.targets()
	if err != nil || ofClasses == nil {
		return slices.Repeat([]float64{1}, s.n), err
	}
	return rowWeights(s.who, ofClasses, y, rowNames{index: s.index}.at)
}
