package layers

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Head is the last layer of a model: an affine map of the features to one score an output, with the likelihood that
// fits it. What learns and what saves asks the head, and never what type it is.
type Head interface {
	Layer
	// Kind names the head for NewHead and in a model file.
	Kind() string
	// Classifies says whether targets are one-hot and Transform gives class probabilities. Otherwise targets are any
	// numbers, -1 and +1 for classes, and the head may start from their mean.
	Classifies() bool
	// Loss adds the mean loss of the head's scores on features z against targets [n, Features].
	Loss(z, targets *G.Node) (*G.Node, error)
	// WeightedLoss is Loss with a weight for each row and output, weights [n, Features], over the same number of rows.
	WeightedLoss(z, targets, weights *G.Node) (*G.Node, error)
	// RowLoss is the loss of one row whose Transform gave the scores. It panics unless both have Features numbers.
	RowLoss(scores, targets []float64) float64
	// SetWeights copies W [Dims, Features] and b [Features] into the head: how a closed-form fit fills it.
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

// HeadKinds are the kinds of heads.
func HeadKinds() (kinds []string) {
	for _, h := range heads {
		kinds = append(kinds, h.kind)
	}
	return kinds
}

// NewHead makes the head of a kind, one of HeadKinds, of k outputs on d features. Errors: ErrParam for another kind,
// and what the constructor of the head refuses.
func NewHead(kind string, d, k int, opts ...Option) (Head, error) {
	for _, h := range heads {
		if h.kind == kind {
			return h.make(d, k, opts...)
		}
	}
	return nil, fmt.Errorf("layers: NewHead: head %q is none of %s: %w", kind, strings.Join(HeadKinds(), ", "),
		ErrParam)
}

// LinearHead is zA + b, the head of regression, of ridge regression, and of one-versus-rest classification on targets
// of -1 and +1. Input [n, d]; output [n, k]. Its loss is the squared error, summed over the k outputs and averaged over
// rows. It starts from zero.
type LinearHead struct{ *affine }

// SoftmaxHead is softmax(zA + b), the class probabilities of multinomial logistic regression. Input [n, d]; output [n,
// k], rows that sum to one. Its loss is the cross-entropy in nats, from the logits, averaged over rows; targets are
// one-hot. It starts from zero, that is from equal probabilities.
type SoftmaxHead struct{ *affine }

var (
	_ Head = (*LinearHead)(nil)
	_ Head = (*SoftmaxHead)(nil)
)

// NewLinearHead makes a head of k outputs on d features.
func NewLinearHead(d, k int, opts ...Option) (*LinearHead, error) {
	a, err := newAffine("LinearHead", "linear", d, k, opts)
	if err != nil {
		return nil, err
	}
	return &LinearHead{a}, nil
}

// NewSoftmaxHead makes a head of k classes on d features.
func NewSoftmaxHead(d, k int, opts ...Option) (*SoftmaxHead, error) {
	a, err := newAffine("SoftmaxHead", "softmax", d, k, opts)
	if err != nil {
		return nil, err
	}
	return &SoftmaxHead{a}, nil
}

// affine is zA + b with learnable A and b.
type affine struct {
	*base
	packed atomic.Pointer[ops.Weights] // A while nobody else can change it, by PackHead
}

func newAffine(kind, auto string, d, k int, opts []Option) (*affine, error) {
	o, err := newOptions("New"+kind, opts)
	if err != nil {
		return nil, err
	}
	b, err := newBase(kind, auto, d, k, o)
	if err != nil {
		return nil, err
	}
	if err := b.checkSize(d, k); err != nil {
		return nil, err
	}
	b.params = []Param{
		{"W", newTensor(o.dt, make([]float64, d*k), d, k), true},
		{"b", newTensor(o.dt, make([]float64, k), k), true},
	}
	l := &affine{base: b}
	b.changed = l.unpack
	return l, nil
}

// PackHead makes h keep a copy of A in the form that products read, for a head that predicts and learns no more: the
// few rows of a request need not wait until A has been copied for them. It takes the memory of A again, with its columns
// rounded up to some vectors. Whatever changes A or hands it out drops the copy, and Transform reads A itself again:
// SetParams, SetWeights, Params, and Fwd and the losses, whose graph has A. Scores are the same bits with the copy and
// without. Heads of other packages are left as they are. Errors: ErrParam for nil.
func PackHead(h Head) error {
	if domain.IsNil(h) {
		return fmt.Errorf("layers: PackHead: the head is nil; make it by NewHead: %w", ErrParam)
	}
	if l, ok := h.(interface{ pack() error }); ok {
		return l.pack()
	}
	return nil
}

func (l *affine) pack() error {
	w, err := ops.Pack(l.param("W"))
	if err == nil {
		l.packed.Store(w)
	}
	return err
}

func (l *affine) unpack() { l.packed.Store(nil) }

// Params are A as W, and b. The tensors are the head's own, so that it keeps no copy of them.
func (l *affine) Params() []Param {
	l.unpack()
	return l.base.Params()
}

func (l *affine) String() string {
	return fmt.Sprintf("%s %q: %d -> %d, %v", l.kind, l.name, l.dims, l.features, l.dt)
}

func (l *affine) attr() ops.Attr { return ops.Attr{Layer: l.who()} }

// checkRow wants a score and a target for each output.
func (l *affine) checkRow(scores, targets []float64) {
	if len(scores) != l.features || len(targets) != l.features {
		panic(fmt.Sprintf("%s: RowLoss of %d scores and %d targets, want %d of each", l.who(), len(scores),
			len(targets), l.features))
	}
}

// logits is zA + b with A and b to learn.
func (l *affine) logits(z G.Input) (*G.Node, error) { return l.sums(z, l.attr()) }

// sums is zA + b.
func (l *affine) sums(z G.Input, a ops.Attr) (*G.Node, error) {
	n, err := l.input(z)
	if err != nil {
		return nil, err
	}
	l.unpack()
	n, p, a, err := l.begin(n, a)
	if err != nil {
		return nil, err
	}
	return ops.Affine(n, p["W"], p["b"], a)
}

// scores is zA + b without a graph. A solver may change A from one call to the next, so that nothing of it is kept
// unless PackHead said so.
func (l *affine) scores(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error) {
	w := l.packed.Load()
	if w == nil {
		var err error
		if w, err = ops.Borrow(l.param("W")); err != nil {
			return nil, err
		}
	}
	return ops.AffineInto(dst, z, w, l.param("b"), l.attr())
}

// SetWeights copies w, row-major [d, k], and b [k] into the head, rounded to its element type. What else the head has
// stays as it is.
func (l *affine) SetWeights(w, b []float64) error {
	if len(w) != l.dims*l.features || len(b) != l.features {
		return fmt.Errorf("%s: %d weights and %d intercepts, want %d and %d: %w", l.who(), len(w), len(b),
			l.dims*l.features, l.features, ErrShape)
	}
	values := map[string]*tensor.Dense{}
	for _, p := range l.params {
		values[p.Name] = p.Value
	}
	values["W"] = newTensor(l.dt, append([]float64(nil), w...), l.dims, l.features)
	values["b"] = newTensor(l.dt, append([]float64(nil), b...), l.features)
	return l.SetParams(values)
}

// Kind is "linear".
func (l *LinearHead) Kind() string { return "linear" }

// Kind is "softmax".
func (l *SoftmaxHead) Kind() string { return "softmax" }

// Classifies is false.
func (l *LinearHead) Classifies() bool { return false }

// Classifies is true.
func (l *SoftmaxHead) Classifies() bool { return true }

// RowLoss is ‖scores - targets‖². It panics unless both have Features numbers.
func (l *LinearHead) RowLoss(scores, targets []float64) float64 {
	l.checkRow(scores, targets)
	sum := 0.
	for j, t := range targets {
		sum += (scores[j] - t) * (scores[j] - t)
	}
	return sum
}

// RowLoss is -Σ t ln p over probabilities p. One that is 0 by rounding counts as the smallest number above it. It
// panics unless both have Features numbers.
func (l *SoftmaxHead) RowLoss(p, targets []float64) float64 {
	l.checkRow(p, targets)
	sum := 0.
	for j, t := range targets {
		if t != 0 {
			sum -= t * math.Log(max(p[j], math.SmallestNonzeroFloat64))
		}
	}
	return sum
}

// Fwd returns zA + b.
func (l *affine) Fwd(z G.Input) G.Result { return G.LiftResult(l.logits(z)) }

// Transform writes zA + b to dst.
func (l *affine) Transform(dst, z *tensor.Dense) (*tensor.Dense, error) { return l.scores(dst, z) }

// TransformCSR is Transform for sparse rows.
func (l *affine) TransformCSR(dst *tensor.Dense, z *ops.CSR) (*tensor.Dense, error) {
	return l.scores(dst, z)
}

// Loss is the mean over rows of ‖zA + b - t‖².
func (l *LinearHead) Loss(z, targets *G.Node) (*G.Node, error) {
	sq, err := l.squares(z, targets)
	if err != nil {
		return nil, err
	}
	return rowMean(sq)
}

// WeightedLoss is the mean over rows, by their number, of Σⱼ wᵢⱼ (zA + b - t)ᵢⱼ², with weights [n, Features].
func (l *LinearHead) WeightedLoss(z, targets, weights *G.Node) (*G.Node, error) {
	sq, err := l.squares(z, targets)
	if err != nil {
		return nil, err
	}
	if sq, err = l.weighted(sq, weights); err != nil {
		return nil, err
	}
	return rowMean(sq)
}

// weighted is losses or targets times weights.
func (l *affine) weighted(of, weights *G.Node) (*G.Node, error) {
	if err := l.checkTargets(weights); err != nil {
		return nil, err
	}
	weighted, err := G.HadamardProd(of, weights)
	if err != nil {
		return nil, fmt.Errorf("%s: weights of shape %v for targets of shape %v: %w", l.who(), weights.Shape(),
			of.Shape(), err)
	}
	return weighted, nil
}

// checkTargets is the error of targets or weights that are nil.
func (l *affine) checkTargets(n *G.Node) error {
	if n == nil {
		return fmt.Errorf("%s: the node of targets or weights is nil, want [n, %d]: %w", l.who(), l.features, ErrShape)
	}
	return nil
}

// residuals are zA + b - t of each output of each row.
func (l *affine) residuals(z, targets *G.Node) (*G.Node, error) {
	y, err := l.logits(z)
	if err != nil {
		return nil, err
	}
	if err := l.checkTargets(targets); err != nil {
		return nil, err
	}
	r, err := G.Sub(y, targets)
	if err != nil {
		return nil, fmt.Errorf("%s: targets of shape %v for scores of shape %v: %w",
			l.who(), targets.Shape(), y.Shape(), err)
	}
	return r, nil
}

// squares are the squared errors of each output of each row.
func (l *LinearHead) squares(z, targets *G.Node) (*G.Node, error) {
	r, err := l.residuals(z, targets)
	if err != nil {
		return nil, err
	}
	return G.Square(r)
}

// Fwd returns softmax(zA + b).
func (l *SoftmaxHead) Fwd(z G.Input) G.Result {
	y, err := l.logits(z)
	if err != nil {
		return G.Err(err)
	}
	return G.LiftResult(ops.Softmax(y, l.attr()))
}

// Transform writes softmax(zA + b) to dst.
func (l *SoftmaxHead) Transform(dst, z *tensor.Dense) (*tensor.Dense, error) {
	return l.probabilities(dst, z)
}

// TransformCSR is Transform for sparse rows.
func (l *SoftmaxHead) TransformCSR(dst *tensor.Dense, z *ops.CSR) (*tensor.Dense, error) {
	return l.probabilities(dst, z)
}

func (l *SoftmaxHead) probabilities(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error) {
	dst, err := l.scores(dst, z)
	if err != nil {
		return nil, err
	}
	return ops.SoftmaxInto(dst, dst, l.attr())
}

// Loss is the mean over rows of -Σ t·ln softmax(zA + b). A graph may hold both the loss and the Fwd of a head.
func (l *SoftmaxHead) Loss(z, targets *G.Node) (*G.Node, error) {
	if err := l.checkTargets(targets); err != nil {
		return nil, err
	}
	y, err := l.logits(z)
	if err != nil {
		return nil, err
	}
	losses, err := ops.CrossEntropy(y, targets, l.attr())
	if err != nil {
		return nil, fmt.Errorf("%s: targets of shape %v for scores of shape %v: %w",
			l.who(), targets.Shape(), y.Shape(), err)
	}
	return rowMean(losses)
}

// WeightedLoss is the mean over rows, by their number, of -Σⱼ wᵢⱼ tᵢⱼ ln softmax(zA + b)ᵢⱼ, with weights [n, Features].
func (l *SoftmaxHead) WeightedLoss(z, targets, weights *G.Node) (*G.Node, error) {
	if err := l.checkTargets(targets); err != nil {
		return nil, err
	}
	targets, err := l.weighted(targets, weights)
	if err != nil {
		return nil, err
	}
	return l.Loss(z, targets)
}

// rowMean is the sum of all entries / the number of rows.
func rowMean(x *G.Node) (*G.Node, error) {
	sum, err := G.Sum(x)
	if err != nil {
		return nil, err
	}
	return G.Mul(sum, ops.Constant(1/float64(x.Shape()[0]), x.Dtype()))
}
