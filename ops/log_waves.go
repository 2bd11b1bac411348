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

// Waves holds the frequencies ω_j > 0 and the amplitudes a_j of LogWaves, the same number of each.
type Waves struct{ Omega, Amplitude []float64 }

func (w Waves) check(who string) error {
	ok := len(w.Omega) > 0 && len(w.Omega) == len(w.Amplitude)
	for j := 0; ok && j < len(w.Omega); j++ {
		ok = w.Omega[j] > 0 && !math.IsInf(w.Omega[j], 1) && w.Amplitude[j]-w.Amplitude[j] == 0
	}
	if !ok {
		return fmt.Errorf("%s: frequencies %v and amplitudes %v, want as many finite numbers of each, at least one, "+
			"and frequencies above 0: %w",
			who, w.Omega, w.Amplitude, ErrParam)
	}
	return nil
}

// Width returns the number of output columns for each column of x.
func (w Waves) Width() int { return 2 * len(w.Omega) }

// LogWaves makes of each coordinate v >= 0 of x the numbers
//
//	a_j (cos(ω_j u) - 1),   a_j sin(ω_j u),   u = ln(1 + 2v),   j = 1 to len(Omega),
//
// side by side, which are zeros for v = 0. The squared distance of two coordinates is Σ_j 2a_j² (1 - cos(ω_j (u -
// u'))). x is [n, d], the result [n, d·Width].
//
// Backward, from x and the output z alone: dx = 2/(1 + 2x) Σ_j ω_j (g_sin (z_cos + a_j) - g_cos z_sin).
//
// For sparse rows the result is sparse. Attr.Domain is not used. Errors while building: shapes and w. Errors while
// running (ErrDomain): a cell that is negative, or for which 2x is not finite.
func LogWaves(x *G.Node, w Waves, a Attr) (*G.Node, error) {
	if err := w.check(a.who("LogWaves")); err != nil {
		return nil, err
	}
	w = Waves{slices.Clone(w.Omega), slices.Clone(w.Amplitude)}
	return apply(&op{kind: "LogWaves", params: w, in: []Inputs{X}, ranks: "22", attr: a, sparse: true,
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			return tensor.Shape{in[0][0], in[0][1] * w.Width()}, nil
		},
		forward: func(x Matrix, in []*tensor.Dense) (Matrix, error) {
			if s, ok := x.(*CSR); ok && s.of.zeroBased() {
				return LogWavesCSR(s, w, a)
			}
			dense, err := spread(x)
			if err != nil {
				return nil, err
			}
			return LogWavesInto(nil, dense, w, a)
		},
		backward: func(t *tracer) { t.gradient(X, logWavesGrad(w), t.in[0], t.out, t.grad) },
	}, x)
}

// LogWavesInto writes LogWaves(x) to dst [n, d·Width], allocated if nil, without a graph. See LogWavesCSR for sparse
// rows.
func LogWavesInto(dst, x *tensor.Dense, w Waves, a Attr) (*tensor.Dense, error) {
	who := a.who("LogWaves")
	if err := w.check(who); err != nil {
		return nil, err
	}
	x, err := matrixOf(who, "x", "[n, d]", x)
	if err != nil {
		return nil, err
	}
	if dst, err = output(who, dst, x.Dtype(), x.Shape()[0], x.Shape()[1]*w.Width()); err != nil {
		return nil, err
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return nil, err
	}
	return dst, typed(x.Dtype(), logWaves[float32], logWaves[float64])(dst, x, w, who)
}

// logWaves maps coordinates. The first one that is too large is an error.
func logWaves[T domain.Float](dst, rows *tensor.Dense, w Waves, who string) error {
	x, d := data[T](rows), rows.Shape()[1]
	if m := (simd.LogWaves[T]{Omega: w.Omega, Amplitude: w.Amplitude}); !m.Forward(data[T](dst), x) {
		return nil
	}
	for i, v := range x {
		if math.IsInf(float64(2*v), 1) {
			return notFiniteScaled(who, i/d, i%d, v)
		}
	}
	return nil
}

// LogWavesCSR is LogWaves of sparse rows, as sparse rows. Errors are as for LogWavesInto, and ErrParam for an x that
// LogShiftCSR returned.
func LogWavesCSR(x *CSR, w Waves, a Attr) (*CSR, error) {
	who := a.who("LogWaves")
	if err := w.check(who); err != nil {
		return nil, err
	}
	if err := given(who, "x", x); err != nil {
		return nil, err
	}
	switch {
	case !x.of.zeroBased():
		return nil, fmt.Errorf("%s: of these sparse rows the map is not sparse; make them dense: %w", who, ErrParam)
	case x.Cols() > maxColumns/w.Width():
		return nil, fmt.Errorf("%s: %d columns make more than %d; lower the order: %w",
			who, x.Cols(), maxColumns, ErrShape)
	}
	if err := CheckRows(domain.NonNegative(), who, x); err != nil {
		return nil, err
	}
	return typed(x.Dtype(), logWavesSparse[float32], logWavesSparse[float64])(x, w, who)
}

func logWavesSparse[T domain.Float](rows *CSR, w Waves, who string) (*CSR, error) {
	x := sparseOf[T](rows)
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
	out := &sparse[T]{CSR: simd.CSR[T]{Rows: x.Rows, Cols: x.Cols * width, Ptr: x.fromZero(),
		Col: make([]int32, len(val)), Val: val}}
	for i := range out.Ptr {
		out.Ptr[i] *= width
	}
	for t, j := range x.Col[first:end] {
		for k := range width {
			out.Col[t*width+k] = j*int32(width) + int32(k)
		}
	}
	return &CSR{out}, nil
}

// logWavesGrad is dx from x, the output z and the gradient g.
func logWavesGrad(w Waves) *op {
	return &op{kind: "logWavesGrad", params: w, ranks: "2222",
		shape: func(in []tensor.Shape) (tensor.Shape, error) {
			if x, z, g := in[0], in[1], in[2]; !z.Eq(g) || !z.Eq(tensor.Shape{x[0], x[1] * w.Width()}) {
				return nil, misfit("logWavesGrad", in)
			}
			return in[0].Clone(), nil
		},
		fill: func(dx *tensor.Dense, _ Matrix, in []*tensor.Dense) error {
			typed(dx.Dtype(), logWavesGradient[float32], logWavesGradient[float64])(dx, in, w)
			return nil
		}}
}

func logWavesGradient[T domain.Float](dx *tensor.Dense, in []*tensor.Dense, w Waves) {
	m := simd.LogWaves[T]{Omega: w.Omega, Amplitude: w.Amplitude}
	m.GradX(data[T](dx), data[T](in[0]), data[T](in[1]), data[T](in[2]))
}
