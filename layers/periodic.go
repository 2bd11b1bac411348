package layers

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// PeriodicLayer is the first layer of a network on a table: it adds to each column functions of that column that are
// learned,
//
//	z(x) = [x | f(A₁ᵀu₁ + b₁) | f(A₂ᵀu₂ + b₂) | ...],   u_j = [cos(x_j W_j) | sin(x_j W_j)],
//
// with k frequencies W_j, a matrix A_j and an activation f, which is ops.ReLU but in a Spec that says otherwise. A
// dense layer, or a map, on top sees the columns themselves and what is steep or periodic in each. Input [n, d], scaled
// to about unit variance; output [n, d + d·width]. Gorishniy, Rubachev and Babenko (2022), On embeddings for numerical
// features in tabular deep learning, section 3.3 (PLR). They do without x itself, which Holzmüller et al. (2024) keep.
//
// W = 2πc starts at normal c of standard deviation σ, .3 but in a Spec; .1 to 1 suits most tables. A starts normal with
// variance 1/2k, and b at 0. The policies are Frozen and All. Parameters: W [d, k], A [2dk, width] and b [d, width].
type PeriodicLayer struct {
	sparseMapper
	of periodicForm
}

// NewPeriodicLayer draws the layer for d dimensions, with so many frequencies and output columns of each. Errors
// (ErrParam): sizes below 1, a policy other than Frozen and All.
func NewPeriodicLayer(d, frequencies, width int, opts ...Option) (*PeriodicLayer, error) {
	of := decoded(periodicForm{}, nil)
	of.Frequencies, of.Width = frequencies, width
	return newPeriodicLayer(of, d, opts)
}

func newPeriodicLayer(of periodicForm, d int, opts []Option) (*PeriodicLayer, error) {
	b, o, err := begin("PeriodicLayer", d, max(1, d), opts, with(drawnOptions, "Tune"))
	if err != nil {
		return nil, err
	}
	k, e := of.Frequencies, of.Width
	if k < 1 || e < 1 {
		return nil, fmt.Errorf("%s: %d frequencies and a width of %d, want at least 1: %w", b.who(), k, e, ErrParam)
	}
	if err := cmp.Or(b.checkNoBandwidth("a periodic layer"), b.checkSize(d, 2, k, e)); err != nil {
		return nil, err
	}
	b.features = d + d*e
	w, a := make([]float64, d*k), make([]float64, 2*d*k*e)
	if !o.undrawn {
		for _, draw := range []struct {
			v      []float64
			stream string
			std    float64
		}{{w, "W", 2 * math.Pi * of.Sigma}, {a, "periodic", 1 / math.Sqrt(2*float64(k))}} {
			rng := rand.New(spectral.Stream(o.sourceSeed(), draw.stream))
			for i := range draw.v {
				draw.v[i] = draw.std * rng.NormFloat64()
			}
		}
	}
	tuned := o.policy == All
	b.add("W", tuned, w, d, k)
	b.add("A", tuned, a, 2*d*k, e)
	b.add("b", tuned, make([]float64, d*e), d, e)
	b.drawn("W", o, func(o options) (Layer, error) { return newPeriodicLayer(of, d, []Option{withAll(o)}) })
	b.of = of
	l := &PeriodicLayer{newSparseMapper(b, ops.Domain{}), of}
	l.forward, l.rows = l.through, blockRows(2*d*k)
	return l, nil
}

// Frequencies returns k, the number of frequencies of a column.
func (l *PeriodicLayer) Frequencies() int { return l.of.Frequencies }

// Activation returns f.
func (l *PeriodicLayer) Activation() ops.Activation { return l.of.Activation }

// Policy returns Frozen or All.
func (l *PeriodicLayer) Policy() Policy { return l.policy }

func (l *PeriodicLayer) String() string {
	return l.text(fmt.Sprintf("%d frequencies a column, %v, %v, %v", l.of.Frequencies, l.of.Activation, l.dt,
		l.policy.word()))
}

func (l *PeriodicLayer) through(f *flow, dst *tensor.Dense, x value) value {
	x, a := f.begin(l.base, x, l.attr())
	rest := l.attr()
	if l.policy == Frozen {
		a.Frozen |= ops.W
		rest.Frozen = ops.W | ops.B
	}
	u := f.do(ops.ColumnFourier(false, a), denseFor(nil, x.rows), x, f.param(l.base, "W"))
	h := f.do(ops.BlockAffine(rest), nil, u, f.param(l.base, "A"), f.param(l.base, "b"))
	h = f.do(ops.Activate(l.of.Activation, rest), h.dense(), h)
	return f.do(ops.Concat([]float64{1, 1}, l.attr()), dst, x, h)
}

// periodicForm is the form of PeriodicLayer.
type periodicForm struct {
	Frequencies int            `param:"frequencies" default:"24" doc:"frequencies of each input column"`
	Width       int            `param:"width" default:"12" doc:"learned functions of each input column"`
	Sigma       float64        `param:"sigma" default:".3" doc:"standard deviation σ of the first frequencies over 2π"`
	Activation  ops.Activation `param:"activation" words:"linear,relu,tanh,sigmoid,softplus" default:"relu"`
}

func (f periodicForm) plan(s Spec) (plan, error) {
	return plan{columns: s.Dims * (1 + f.Width), size: float64(s.Dims) * float64(f.Frequencies) * (1 + 2*float64(f.Width)),
		build: func(o options) (Layer, error) { return newPeriodicLayer(f, s.Dims, []Option{withAll(o)}) }}, nil
}
