package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Waves are the frequencies ω_j > 0 and the amplitudes a_j of LogWaves, as many of each.
type Waves struct{ Omega, Amplitude []float64 }

func (w Waves) check(who string) error {
	ok := len(w.Omega) > 0 && len(w.Omega) == len(w.Amplitude)
	for j := 0; ok && j < len(w.Omega); j++ {
		ok = w.Omega[j] > 0 && !math.IsInf(w.Omega[j], 1) && w.Amplitude[j]-w.Amplitude[j] == 0
	}
	if !ok {
		return fmt.Errorf("%s: frequencies %v and amplitudes %v, want as many finite numbers of each, at least one, and frequencies above 0: %w",
			who, w.Omega, w.Amplitude, ErrParam)
	}
	return nil
}

// Width is the number of output columns for each column of x.
func (w Waves) Width() int { return 2 * len(w.Omega) }

// LogWaves makes of each coordinate v >= 0 of x the numbers
//
//	a_j (cos(ω_j u) - 1),   a_j sin(ω_j u),   u = ln(1 + 2v),   j = 1 to len(Omega),
//
// side by side, and so zeros of 0. The squared distance of two coordinates is Σ_j 2a_j² (1 - cos(ω_j (u - u'))). x is [n, d], the result
// [n, d·Width].
//
// Backward, from x and the output z alone: dx = 2/(1 + 2x) Σ_j ω_j (g_sin (z_cos + a_j) - g_cos z_sin).
//
// Of sparse rows the result is sparse. Errors while building: shapes and w. Errors while running (ErrDomain): a cell that is negative or
// not finite; an x for which 2x is not finite.
func LogWaves(x *G.Node, w Waves, a Attr) (*G.Node, error) {
	if err := w.check(a.who("LogWaves")); err != nil {
		return nil, err
	}
	return apply(newLogWavesOp("LogWaves", "22", w, a), x)
}

// LogWavesInto writes LogWaves(x) to dst [n, d·Width], allocated if nil, without a graph. See LogWavesCSR for sparse rows.
func LogWavesInto(dst, x *tensor.Dense, w Waves, a Attr) (*tensor.Dense, error) {
	who := a.who("LogWaves")
	if err := w.check(who); err != nil {
		return nil, err
	}
	x, err := contiguous(x)
	if err != nil {
		return nil, fmt.Errorf("%s: x: %w", who, err)
	}
	if x.Dims() != 2 {
		return nil, fmt.Errorf("%s: x has shape %v, want [n, d]: %w", who, x.Shape(), ErrShape)
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()[0], x.Shape()[1]*w.Width()); err != nil {
		return nil, err
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return nil, err
	}
	if x.Dtype() == tensor.Float32 {
		return dst, logWaves(data[float32](dst), data[float32](x), w, who, x.Shape()[1])
	}
	return dst, logWaves(data[float64](dst), data[float64](x), w, who, x.Shape()[1])
}

// logWaves maps coordinates; the first that is too large is an error.
func logWaves[T domain.Float](dst, x []T, w Waves, who string, d int) error {
	if m := (simd.LogWaves[T]{Omega: w.Omega, Amplitude: w.Amplitude}); !m.Forward(dst, x) {
		return nil
	}
	for i, v := range x {
		if math.IsInf(float64(2*v), 1) {
			return notFiniteScaled(who, i/d, i%d, v)
		}
	}
	return nil
}

// LogWavesCSR is LogWaves of sparse rows, as sparse rows. Errors as for LogWavesInto.
func LogWavesCSR(x *CSR, w Waves, a Attr) (*CSR, error) {
	who := a.who("LogWaves")
	if err := w.check(who); err != nil {
		return nil, err
	}
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	switch {
	case !x.zeroBased():
		return nil, fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w", who, ErrParam)
	case x.Cols() > maxColumns/w.Width():
		return nil, fmt.Errorf("%s: %d columns make more than %d; lower the order: %w", who, x.Cols(), maxColumns, ErrShape)
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return nil, err
	}
	if x.f32 != nil {
		return wrapped(logWavesSparse(x.f32, w, who))
	}
	return wrapped(logWavesSparse(x.f64, w, who))
}

func logWavesSparse[T domain.Float](x *sparse[T], w Waves, who string) (*sparse[T], error) {
	first, end, width := x.Ptr[0], x.Ptr[x.Rows], w.Width()
	val := make([]T, (end-first)*width)
	for i := range x.Rows { // row by row where one is wrong: an error names it
		lo, hi := x.Ptr[i], x.Ptr[i+1]
		for t, v := range x.Val[lo:hi] {
			if math.IsInf(float64(2*v), 1) {
				return nil, notFiniteScaled(who, i, int(x.Col[lo+t]), v)
			}
		}
	}
	m := simd.LogWaves[T]{Omega: w.Omega, Amplitude: w.Amplitude}
	m.Forward(val, x.Val[first:end])
	out := &sparse[T]{CSR: simd.CSR[T]{Rows: x.Rows, Cols: x.Cols * width, Ptr: x.fromZero(), Col: make([]int32, len(val)), Val: val}}
	for i := range out.Ptr {
		out.Ptr[i] *= width
	}
	for t, j := range x.Col[first:end] {
		for k := range width {
			out.Col[t*width+k] = j*int32(width) + int32(k)
		}
	}
	return out, nil
}

// logWavesOp is the map.
type logWavesOp struct {
	base
	w Waves
}

var _ backwarder = logWavesOp{}

func newLogWavesOp(kind, ranks string, w Waves, a Attr) logWavesOp {
	w = Waves{slices.Clone(w.Omega), slices.Clone(w.Amplitude)}
	return logWavesOp{base{kind: fmt.Sprint(kind, w), ranks: ranks, attr: a}, w}
}

func (o logWavesOp) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return tensor.Shape{ss[0][0], ss[0][1] * o.w.Width()}, nil
}

func (o logWavesOp) Do(in ...G.Value) (G.Value, error) {
	x, ts, err := o.mixed(in, o.wants(0))
	if err != nil {
		return nil, err
	}
	if s, ok := x.(*CSR); ok && s.zeroBased() {
		return sparseResult(LogWavesCSR(s, o.w, o.attr))
	}
	if ts[0], err = spread(x); err != nil {
		return nil, err
	}
	return result(LogWavesInto(nil, ts[0], o.w, o.attr))
}

func (o logWavesOp) backward(t *tracer, in []any, out, grad any) []any {
	if !o.wants(0) {
		return []any{nil}
	}
	return []any{t.apply(logWavesGrad{newLogWavesOp("logWavesGrad", "2222", o.w, Attr{}).base, o.w}, in[0], out, grad)}
}

// logWavesGrad is dx from x, the output z and the gradient g.
type logWavesGrad struct {
	base
	w Waves
}

var _ G.Op = logWavesGrad{}

func (o logWavesGrad) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	ss, err := o.shapes(ds)
	if err != nil {
		return nil, err
	}
	return ss[0].Clone(), nil
}

func (o logWavesGrad) Do(in ...G.Value) (G.Value, error) {
	ts, err := o.values(in)
	if err != nil {
		return nil, err
	}
	x, z, g := ts[0], ts[1], ts[2]
	if !z.Shape().Eq(g.Shape()) || !z.Shape().Eq(tensor.Shape{x.Shape()[0], x.Shape()[1] * o.w.Width()}) {
		return nil, fmt.Errorf("ops: logWavesGrad of shapes %v, %v and %v: %w", x.Shape(), z.Shape(), g.Shape(), ErrShape)
	}
	dx := tensor.New(tensor.WithShape(x.Shape().Clone()...), tensor.Of(x.Dtype()))
	if x.Dtype() == tensor.Float32 {
		m := simd.LogWaves[float32]{Omega: o.w.Omega, Amplitude: o.w.Amplitude}
		m.GradX(data[float32](dx), data[float32](x), data[float32](z), data[float32](g))
	} else {
		m := simd.LogWaves[float64]{Omega: o.w.Omega, Amplitude: o.w.Amplitude}
		m.GradX(data[float64](dx), data[float64](x), data[float64](z), data[float64](g))
	}
	return dx, nil
}
