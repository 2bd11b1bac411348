package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// ridgeBlockRows is how many rows of D features make a block: 16 MB of them where that is 512 to 2048 rows, for a block is
// slow when it is short.
func ridgeBlockRows(features int) int {
	depth := min(max((1<<21)/max(features, 1)/ridgeDepth, 1), 4) * ridgeDepth
	if features > 8192 {
		depth = ridgeDepth / 2
	}
	return depth
}

// rowSource hands out the rows of a fit in blocks, as features.
type rowSource struct {
	who               string // whose errors they are
	ctx               context.Context
	m                 Map // nil is the identity
	x                 ops.Matrix
	y                 *mat.Dense
	n, dims, features int
	signature         []float64 // of the features, nil for all +1

	block       int
	done, total int
	progress    func(done, total int)
	dst, gather *tensor.Dense // kept from block to block
}

// ridgeRows is a rowSource for ridge.
type ridgeRows struct{ *rowSource }

func (s ridgeRows) each(f addRows) error {
	s.total = max(s.total, s.done+s.n)
	return s.rowSource.each(nil, f)
}

func (s ridgeRows) parts(o RidgeOptions, train, held addRows) error {
	kept, out := ridgeSplit(s.n, o)
	if err := s.rowSource.each(kept, train); err != nil {
		return err
	}
	return s.rowSource.each(out, held)
}

func (s ridgeRows) signs() []float64 { return s.signature }

// blockRows is the length of blocks that suits ridge.
func (s *rowSource) blockRows() int {
	if _, dense := s.x.(*tensor.Dense); dense {
		return ridgeBlockRows(max(s.features, s.dims))
	}
	return ridgeBlockRows(s.features)
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

func newRowSource(ctx context.Context, who string, m Map, x ops.Matrix, y *mat.Dense) (*rowSource, error) {
	if err := missing(who, argument{"the context", ctx}); err != nil {
		return nil, err
	}
	if m != nil { // which would be the identity
		if err := missing(who, argument{"the map", m}); err != nil {
			return nil, err
		}
	}
	x, err := wholeRows(who, x)
	if err != nil {
		return nil, err
	}
	if b, ok := x.(*ops.Bags); ok && m == nil {
		return nil, fmt.Errorf("train: %s: x are %v and there is no map; sets of samples want one, such as %s: %w", who, b, strings.Join(layers.BagMaps(), ", "), domain.ErrParam)
	}
	s := &rowSource{who: who, ctx: ctx, m: m, x: x, y: y, n: x.Shape()[0], dims: x.Shape()[1], features: x.Shape()[1]}
	if m != nil {
		s.signature = layers.SignatureOf(m)
		if s.features = m.Features(); m.Dims() != s.dims {
			return nil, fmt.Errorf("train: %s: x has %d columns, the map takes %d; give the data that the map was made for: %w", who, s.dims, m.Dims(), domain.ErrShape)
		}
	}
	switch {
	case s.n == 0 || s.dims == 0 || s.features < 1:
		return nil, fmt.Errorf("train: %s: x is %v and has %d features; there must be at least one row and one feature: %w", who, x.Shape(), s.features, domain.ErrShape)
	case y == nil || y.RawMatrix().Rows != s.n:
		return nil, fmt.Errorf("train: %s: x has %d rows, y is %v; give one row of targets for each row of x: %w", who, s.n, dimsOf(y), domain.ErrShape)
	}
	s.total = s.n
	return s, nil
}

// wholeRows is x [n, d] where it is sparse or bags, and else a row-major matrix of floats with the same rows.
func wholeRows(who string, x ops.Matrix) (ops.Matrix, error) {
	if err := missing(who, argument{"x", x}); err != nil {
		return nil, err
	}
	switch x.(type) {
	case *ops.CSR, *ops.Bags:
		return x, nil
	}
	t, _ := x.(*tensor.Dense)
	return floatMatrix(who, "x", t)
}

// each calls f with block after block of the rows index (nil: all). z is valid until the next call.
func (s *rowSource) each(index []int, f func(rows rowNames, z *tensor.Dense, y *mat.Dense) error) error {
	n := len(index)
	if index == nil {
		n = s.n
	}
	for i := 0; i < n; i += s.block {
		if err := s.cancelled(); err != nil {
			return err
		}
		b := min(s.block, n-i)
		rows := rowNames{first: i}
		if index != nil {
			rows.index = index[i : i+b]
		}
		z, err := s.features2d(s.rows(rows, b), rows, b)
		if err != nil {
			return err
		}
		if err := f(rows, z, s.targets(rows, b)); err != nil {
			return err
		}
		s.done += b
		if s.progress != nil {
			s.progress(s.done, s.total)
		}
	}
	return s.cancelled()
}

func (s *rowSource) cancelled() error {
	if err := stopped(s.ctx); err != nil {
		if s.total == 0 { // nobody knows
			return fmt.Errorf("train: %s: stopped after %d rows: %w", s.who, s.done, err)
		}
		return fmt.Errorf("train: %s: stopped after %d of %d rows: %w", s.who, s.done, s.total, err)
	}
	return nil
}

// rows is b rows of x: a part of its memory, or a copy when they do not lie side by side.
func (s *rowSource) rows(rows rowNames, b int) ops.Matrix {
	switch x := s.x.(type) {
	case *ops.CSR:
		if rows.index != nil {
			return x.Take(rows.index)
		}
		return x.Slice(rows.first, rows.first+b)
	case *ops.Bags:
		if rows.index != nil {
			return x.Take(rows.index)
		}
		return x.Slice(rows.first, rows.first+b)
	case *tensor.Dense:
		if rows.index == nil {
			return denseRows(x, rows.first, b)
		}
		if s.gather == nil || s.gather.Shape()[0] != b {
			s.gather = tensor.New(tensor.WithShape(b, s.dims), tensor.Of(x.Dtype()))
		}
		data.RowsInto(s.gather, x, rows.index)
	}
	return s.gather
}

// denseRows is b rows of x, over the same memory.
func denseRows(x *tensor.Dense, first, b int) *tensor.Dense {
	d := x.Shape()[1]
	var backing any
	if x.Dtype() == tensor.Float32 {
		backing = x.Float32s()[first*d : (first+b)*d]
	} else {
		backing = x.Float64s()[first*d : (first+b)*d]
	}
	return tensor.New(tensor.WithShape(b, d), tensor.WithBacking(backing))
}

// features2d maps a block and checks what comes back.
func (s *rowSource) features2d(x ops.Matrix, rows rowNames, b int) (*tensor.Dense, error) {
	dst := s.dst
	if dst != nil && dst.Shape()[0] != b {
		dst = nil
	}
	if s.m == nil {
		if t, ok := x.(*tensor.Dense); ok {
			return t, nil
		}
		z, err := x.(*ops.CSR).Dense(dst)
		s.dst = z
		return z, err
	}
	z, err := layers.Transform(s.m, dst, x)
	if err != nil {
		if rows.index == nil {
			err = domain.InBlock(rows.first, err) // a cell or a row that it names is one of x
		}
		return nil, fmt.Errorf("train: %s: %d rows from row %d: %w", s.who, b, rows.at(0), err)
	}
	if z, err = floatMatrix(s.who, "the map's features", z); err != nil {
		return nil, err
	}
	if z.Shape()[0] != b || z.Shape()[1] != s.features {
		return nil, fmt.Errorf("train: %s: the map made %v of %d rows, not (%d, %d); its Features and Transform disagree: %w", s.who, z.Shape(), b, b, s.features, domain.ErrShape)
	}
	s.dst = z
	return z, nil
}

// targets is the rows of y that go with a block.
func (s *rowSource) targets(rows rowNames, b int) *mat.Dense {
	k := s.y.RawMatrix().Cols
	if rows.index == nil {
		return s.y.Slice(rows.first, rows.first+b, 0, k).(*mat.Dense)
	}
	y := mat.NewDense(b, k, nil)
	for i, r := range rows.index {
		y.SetRow(i, s.y.RawRowView(r))
	}
	return y
}

// floatMatrix returns t, or a copy of it, as a row-major matrix of floats.
func floatMatrix(who, what string, t *tensor.Dense) (*tensor.Dense, error) {
	if t == nil || t.Dims() != 2 {
		var shape tensor.Shape
		if t != nil {
			shape = t.Shape()
		}
		return nil, fmt.Errorf("train: %s: %s must be a matrix, one instance a row, not %v: %w", who, what, shape, domain.ErrShape)
	}
	if dt := t.Dtype(); dt != tensor.Float64 && dt != tensor.Float32 {
		return nil, fmt.Errorf("train: %s: %s are %v, not float64 or float32; convert them: %w", who, what, dt, domain.ErrDtype)
	}
	rowMajor := func(t *tensor.Dense) bool {
		sh, st := t.Shape(), t.Strides()
		return slices.Contains(sh, 0) || len(st) == 2 && (sh[1] == 1 || st[1] == 1) && (sh[0] == 1 || st[0] == sh[1])
	}
	if rowMajor(t) {
		return t, nil
	}
	if c, ok := t.Materialize().(*tensor.Dense); ok && rowMajor(c) {
		return c, nil
	}
	return nil, fmt.Errorf("train: %s: %s of shape %v have strides %v, not those of a row-major matrix; copy them into one: %w", who, what, t.Shape(), t.Strides(), domain.ErrShape)
}

// checkFinite names the first feature or target that is NaN or infinite.
func checkFinite(who string, z *tensor.Dense, y *mat.Dense, row func(i int) int) error {
	var i, j int
	var v float64
	if z.Dtype() == tensor.Float32 {
		i, j, v = notFinite(z.Float32s(), z.Shape()[0], z.Shape()[1], z.Shape()[1])
	} else {
		i, j, v = notFinite(z.Float64s(), z.Shape()[0], z.Shape()[1], z.Shape()[1])
	}
	if i >= 0 {
		return fmt.Errorf("train: %s: row %d has the feature z[%d,%d] = %v, which is not a finite number; drop the row, or scale the data so that the map does not overflow: %w", who, row(i), row(i), j, v, domain.ErrDomain)
	}
	return checkTargets(who, y, row)
}

// checkTargets names the first target that is NaN or infinite.
func checkTargets(who string, y *mat.Dense, row func(i int) int) error {
	raw := y.RawMatrix()
	if i, j, v := notFinite(raw.Data, raw.Rows, raw.Cols, raw.Stride); i >= 0 {
		return fmt.Errorf("train: %s: row %d has the target y[%d,%d] = %v, which is not a finite number; drop the row or fill the value in: %w", who, row(i), row(i), j, v, domain.ErrDomain)
	}
	return nil
}

// notFinite is the first cell that holds no finite number, or row -1.
func notFinite[T domain.Float](x []T, rows, cols, stride int) (int, int, float64) {
	const piece = 128 // rows
	doubtful := make([]bool, (rows+piece-1)/piece)
	inParallel(len(doubtful), func(task int) {
		for i := task * piece; i < min(rows, (task+1)*piece); i++ {
			s := sum(x[i*stride : i*stride+cols])
			doubtful[task] = doubtful[task] || s-s != 0
		}
	})
	for task, d := range doubtful {
		for i := task * piece; d && i < min(rows, (task+1)*piece); i++ {
			for j, v := range x[i*stride : i*stride+cols] {
				if v-v != 0 {
					return i, j, float64(v)
				}
			}
		}
	}
	return -1, 0, math.NaN()
}

// sum adds x up. Where an element is not finite neither is the sum, which can also overflow by itself.
func sum[T domain.Float](x []T) T {
	var a, b, c, d T // four, for each waits for the last one
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	for _, v := range x {
		a += v
	}
	return a + b + c + d
}

// dimsOf is the shape of y for messages; a nil y has none.
func dimsOf(y *mat.Dense) []int {
	if y == nil {
		return nil
	}
	r, c := y.Dims()
	return []int{r, c}
}
