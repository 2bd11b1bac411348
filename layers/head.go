package layers

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/floats"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Head is the last layer of a model: an affine map of the features to one score for each output, with the loss that
// fits it. Code that trains or saves a model calls these methods and does not switch on the type of the head.
type Head interface {
	Layer
	// Kind returns the name of the head for NewHead and model files.
	Kind() string
	// Classifies says whether targets are one-hot and Transform returns class probabilities. If not, targets are any
	// numbers, -1 and +1 for classes, and the head may start from their mean.
	Classifies() bool
	// Loss adds the mean loss over the rows for features z [n, Dims] and targets [n, Features].
	Loss(z, targets *G.Node) (*G.Node, error)
	// WeightedLoss is Loss with a weight for each row and output, weights [n, Features]. It divides by the number of
	// rows, not by the sum of the weights.
	WeightedLoss(z, targets, weights *G.Node) (*G.Node, error)
	// Logits writes zA + b, of dense or sparse rows, to dst, allocated if nil. For a head whose output is not a
	// probability it is Transform.
	Logits(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error)
	// RowLoss returns the loss of one row, from what Logits returns for it: probabilities in float32 have no logarithm
	// left where they are small. It panics unless both slices have Features numbers.
	RowLoss(logits, targets []float64) float64
	// SetWeights copies W [Dims, Features], row-major, and b [Features] into the head, as closed-form fits do.
	SetWeights(w, b []float64) error
}

// heads are all kinds of heads.
var heads = []struct {
	kind string
	make func(d, k int, opts ...Option) (Head, error)
}{
	{"linear", func(d, k int, opts ...Option) (Head, error) { return NewLinearHead(d, k, opts...) }},
	{"softmax", func(d, k int, opts ...Option) (Head, error) { return NewSoftmaxHead(d, k, opts...) }},
	{"huber", func(d, k int, opts ...Option) (Head, error) { return NewHuberHead(d, k, opts...) }},
}

// HeadKinds returns the kinds of heads.
func HeadKinds() (kinds []string) {
	for _, h := range heads {
		kinds = append(kinds, h.kind)
	}
	return kinds
}

// NewHead makes a head of a kind, one of HeadKinds, with k outputs on d features. It passes the options on to the
// constructor of that kind, NewLinearHead, NewSoftmaxHead or NewHuberHead. Errors: another kind (ErrParam), and the
// errors of that constructor.
func NewHead(kind string, d, k int, opts ...Option) (Head, error) {
	for _, h := range heads {
		if h.kind == kind {
			return h.make(d, k, opts...)
		}
	}
	return nil, fmt.Errorf("layers: NewHead: head %q is none of %s: %w", kind, strings.Join(HeadKinds(), ", "),
		ErrParam)
}

// LinearHead is zA + b, the head of regression, of ridge regression, and of one-versus-rest classification with targets
// -1 and +1. Input [n, d]; output [n, k]. Its loss is the squared error, summed over the k outputs and averaged over
// rows. A and b start at 0.
type LinearHead struct{ *head }

// SoftmaxHead is softmax(zA + b), the class probabilities of multinomial logistic regression. Input [n, d]; output [n,
// k], rows that sum to one. Its loss is the cross-entropy in nats, computed from the logits and averaged over rows;
// targets are one-hot. A and b start at 0, which gives equal probabilities.
type SoftmaxHead struct{ *head }

// HuberHead is zA + b, the head of regression with outliers. Input [n, d]; output [n, k]. Its loss is Huber's, summed
// over the k outputs and averaged over rows: r²/2 for a residual |r| <= δ, and δ(|r| - δ/2) beyond, where the gradient
// is at most δ. A and b start at 0. Huber (1964).
type HuberHead struct{ *head }

// likelihood is what tells heads apart.
type likelihood struct {
	kind       string // of NewHead
	classifies bool
	output     func(a ops.Attr) ops.Op // what becomes of zA + b; nil: nothing
	rowLoss    func(logits, targets []float64) float64
	// losses adds the losses of scores y: one for each row or, if weights of outputs are to multiply them, each output.
	losses func(a ops.Attr, y, targets *G.Node) (*G.Node, error)
}

// head is the common part of heads.
type head struct {
	*affine
	likelihood
}

// newHead makes a head whose A and b are 0.
func newHead[L ~struct{ *head }](d, k int, opts []Option, by likelihood, more ...string) (*L, error) {
	b, _, err := begin(reflect.TypeFor[L]().Name(), d, k, opts, with(basicOptions, more...))
	if err != nil {
		return nil, err
	}
	if err := b.checkSize(d, k); err != nil {
		return nil, err
	}
	return &L{&head{newAffine(b, make([]float64, d*k), true, by.output), by}}, nil
}

// NewLinearHead makes a head of k outputs on d features. Errors: d or k < 1 (ErrParam), an element type other than
// float32 and float64 (ErrDtype).
func NewLinearHead(d, k int, opts ...Option) (*LinearHead, error) {
	return newHead[LinearHead](d, k, opts, ofResiduals("linear", func(r float64) float64 { return r * r },
		func(_ ops.Attr, r *G.Node) (*G.Node, error) { return G.Square(r) }))
}

// NewSoftmaxHead makes a head of k classes on d features. Errors: d or k < 1 (ErrParam), an element type other than
// float32 and float64 (ErrDtype).
func NewSoftmaxHead(d, k int, opts ...Option) (*SoftmaxHead, error) {
	return newHead[SoftmaxHead](d, k, opts, likelihood{kind: "softmax", classifies: true, output: ops.Softmax,
		rowLoss: func(logits, targets []float64) float64 {
			all, sum := floats.LogSumExp(logits), 0.
			for j, t := range targets {
				if t != 0 {
					sum += t * (all - logits[j])
				}
			}
			return sum
		},
		losses: func(a ops.Attr, y, targets *G.Node) (*G.Node, error) { return ops.CrossEntropy(a).Node(y, targets) },
	})
}

// WithDelta sets the δ of a HuberHead, in the unit of the targets. The default is 1. With 1.345 standard deviations of
// the residuals the head keeps 95 % of the efficiency of least squares if the residuals are Gaussian.
func WithDelta(delta float64) Option {
	return option("WithDelta", func(o *options) { o.delta = delta })
}

// NewHuberHead makes a head of k outputs on d features. Errors: d or k < 1, a δ that is not finite and above 0
// (ErrParam); an element type other than float32 and float64 (ErrDtype).
func NewHuberHead(d, k int, opts ...Option) (*HuberHead, error) {
	l, err := newHead[HuberHead](d, k, opts, likelihood{kind: "huber"}, "WithDelta")
	if err != nil {
		return nil, err
	}
	if !(l.delta > 0) || math.IsInf(l.delta, 1) {
		return nil, fmt.Errorf("%s: δ = %v, want a finite number above 0: %w", l.who(), l.delta, ErrParam)
	}
	l.add("delta", false, []float64{l.delta})
	l.likelihood = ofResiduals("huber", func(r float64) float64 { return ops.HuberLoss(r, l.Delta()) },
		func(a ops.Attr, r *G.Node) (*G.Node, error) { return ops.Huber(l.Delta(), a).Node(r) })
	return l, nil
}

// Delta returns δ.
func (l *HuberHead) Delta() float64 { return ops.Float64s(l.param("delta"))[0] }

// ofResiduals returns the likelihood of a head of a kind whose losses are functions of the residuals, as a number and
// as a node.
func ofResiduals(kind string, loss func(r float64) float64,
	node func(a ops.Attr, r *G.Node) (*G.Node, error)) likelihood {
	return likelihood{kind: kind,
		rowLoss: func(logits, targets []float64) (sum float64) {
			for j, t := range targets {
				sum += loss(logits[j] - t)
			}
			return sum
		},
		losses: func(a ops.Attr, y, targets *G.Node) (*G.Node, error) {
			r, err := G.Sub(y, targets)
			if err != nil {
				return nil, err
			}
			return node(a, r)
		}}
}

// Kind returns the name of the head for NewHead and model files.
func (l *head) Kind() string { return l.kind }

// Classifies says whether targets are one-hot and Transform returns class probabilities.
func (l *head) Classifies() bool { return l.classifies }

// RowLoss returns the loss of one row. It panics unless both slices have Features numbers.
func (l *head) RowLoss(logits, targets []float64) float64 {
	if len(logits) != l.features || len(targets) != l.features {
		panic(fmt.Sprintf("%s: RowLoss of %d scores and %d targets, want %d of each", l.who(), len(logits),
			len(targets), l.features))
	}
	return l.rowLoss(logits, targets)
}

// Logits writes zA + b to dst.
func (l *head) Logits(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error) {
	var f flow
	y := l.scores(&f, denseFor(dst, z), value{rows: z})
	return y.dense(), f.err
}

// Loss adds the mean loss over the rows. A graph may hold both Fwd and Loss of a head.
func (l *head) Loss(z, targets *G.Node) (*G.Node, error) { return l.weightedLoss(z, targets, nil) }

// WeightedLoss is Loss with a weight for each row and output. It divides by the number of rows.
func (l *head) WeightedLoss(z, targets, weights *G.Node) (*G.Node, error) {
	if weights == nil {
		return nil, l.noTargets()
	}
	return l.weightedLoss(z, targets, weights)
}

// weightedLoss adds the mean loss with weights, which may be nil. Those of classes multiply the targets.
func (l *head) weightedLoss(z, targets, weights *G.Node) (*G.Node, error) {
	if targets == nil {
		return nil, l.noTargets()
	}
	n, err := l.input(z)
	if err != nil {
		return nil, err
	}
	f := flow{graph: n.Graph()}
	y := l.scores(&f, nil, value{node: n}).node
	if f.err != nil {
		return nil, f.err
	}
	if err := cmp.Or(l.pairs("targets", targets, y), l.pairs("weights", weights, y)); err != nil {
		return nil, err
	}
	if weights != nil && l.classifies {
		if targets, err = G.HadamardProd(targets, weights); err != nil {
			return nil, err
		}
	}
	losses, err := l.losses(l.attr(), y, targets)
	if err == nil && weights != nil && !l.classifies {
		losses, err = G.HadamardProd(losses, weights)
	}
	if err != nil {
		return nil, err
	}
	sum, err := G.Sum(losses)
	if err != nil {
		return nil, err
	}
	return G.Mul(sum, ops.Constant(1/float64(n.Shape()[0]), l.dt))
}

// pairs returns an error unless a node of targets or weights, if there is one, has the shape and type of the scores.
func (l *head) pairs(what string, n, scores *G.Node) error {
	switch {
	case n == nil:
	case !n.Shape().Eq(scores.Shape()):
		return fmt.Errorf("%s: %s of shape %v for scores of shape %v: %w", l.who(), what, n.Shape(), scores.Shape(),
			ErrShape)
	case n.Dtype() != scores.Dtype():
		return fmt.Errorf("%s: the %s are %v, the layer is %v: %w", l.who(), what, n.Dtype(), l.dt, ErrDtype)
	}
	return nil
}

// noTargets returns the error for a nil node of targets or weights.
func (l *head) noTargets() error {
	return fmt.Errorf("%s: the node of targets or weights is nil, want [n, %d]: %w", l.who(), l.features, ErrShape)
}
