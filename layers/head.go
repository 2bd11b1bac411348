package layers

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
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
type LinearHead struct{ *affine }

// SoftmaxHead is softmax(zA + b), the class probabilities of multinomial logistic regression. Input [n, d]; output [n,
// k], rows that sum to one. Its loss is the cross-entropy in nats, computed from the logits and averaged over rows;
// targets are one-hot. A and b start at 0, which gives equal probabilities.
type SoftmaxHead struct{ *affine }

var (
	_ Head = (*LinearHead)(nil)
	_ Head = (*SoftmaxHead)(nil)
)

// NewLinearHead makes a head of k outputs on d features. Errors: d or k < 1 (ErrParam), an element type other than
// float32 and float64 (ErrDtype).
func NewLinearHead(d, k int, opts ...Option) (*LinearHead, error) {
	a, err := newAffine("LinearHead", "linear", d, k, opts)
	if err != nil {
		return nil, err
	}
	return &LinearHead{a}, nil
}

// NewSoftmaxHead makes a head of k classes on d features. Errors: d or k < 1 (ErrParam), an element type other than
// float32 and float64 (ErrDtype).
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

func newAffine(kind, auto string, d, k int, opts []Option, more ...string) (*affine, error) {
	o, err := newOptions("New"+kind, opts, with(basicOptions, more...))
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

// PackHead makes h keep a second copy of A in the layout that products read, for a head that serves predictions: a
// request of few rows need not wait until A is copied. The copy takes the memory of A, with its columns padded to whole
// vectors. Calls that may change A drop the copy: SetParams, SetWeights, Params, Fwd and the losses. Scores are bit for
// bit the same with and without it. PackHead leaves heads of other packages as they are. Errors: h is nil (ErrParam).
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
	w, err := ops.Affine(l.attr()).Pack(l.dims, l.param("W"))
	if err == nil {
		l.packed.Store(w)
	}
	return err
}

func (l *affine) unpack() { l.packed.Store(nil) }

// Params returns W, which is the A of zA + b, and b; a HuberHead also has delta. The tensors are the layer's own.
func (l *affine) Params() []Param {
	l.unpack()
	return l.base.Params()
}

func (l *affine) String() string {
	return fmt.Sprintf("%s %q: %d -> %d, %v", l.kind, l.name, l.dims, l.features, l.dt)
}

func (l *affine) attr() ops.Attr { return ops.Attr{Layer: l.who()} }

// checkRow panics unless there are a score and a target for each output.
func (l *affine) checkRow(scores, targets []float64) {
	if len(scores) != l.features || len(targets) != l.features {
		panic(fmt.Sprintf("%s: RowLoss of %d scores and %d targets, want %d of each", l.who(), len(scores),
			len(targets), l.features))
	}
}

// logits adds zA + b with learnable A and b.
func (l *affine) logits(z G.Input) (*G.Node, error) { return l.sums(z, l.attr()) }

// sums adds zA + b to the graph of z.
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
	return ops.Affine(a).Node(n, p["W"], p["b"])
}

// scores computes zA + b without a graph. Unless PackHead was called it keeps no copy of A, which a solver may change
// between two calls.
func (l *affine) scores(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error) {
	if w := l.packed.Load(); w != nil {
		return ops.Affine(l.attr()).Into(dst, z, w, l.param("b"))
	}
	return ops.Affine(l.attr()).Into(dst, z, l.param("W"), l.param("b"))
}

// SetWeights copies w, row-major [Dims, Features], and b, one number for each output, into the parameters W and b,
// rounded to their element type. Other parameters stay. Errors: another number of weights or intercepts (ErrShape).
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

// RowLoss returns ‖logits - targets‖². It panics unless both slices have Features numbers.
func (l *LinearHead) RowLoss(logits, targets []float64) float64 {
	l.checkRow(logits, targets)
	sum := 0.
	for j, t := range targets {
		sum += (logits[j] - t) * (logits[j] - t)
	}
	return sum
}

// RowLoss returns -Σ t ln softmax(logits). It panics unless both slices have Features numbers.
func (l *SoftmaxHead) RowLoss(logits, targets []float64) float64 {
	l.checkRow(logits, targets)
	all, sum := floats.LogSumExp(logits), 0.
	for j, t := range targets {
		if t != 0 {
			sum += t * (all - logits[j])
		}
	}
	return sum
}

// Logits writes zA + b to dst, as Transform does.
func (l *LinearHead) Logits(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error) {
	return l.scores(dst, z)
}

// Logits writes zA + b to dst, of which Transform writes the softmax.
func (l *SoftmaxHead) Logits(dst *tensor.Dense, z ops.Matrix) (*tensor.Dense, error) {
	return l.scores(dst, z)
}

// Fwd returns zA + b.
func (l *affine) Fwd(z G.Input) G.Result { return G.LiftResult(l.logits(z)) }

// Transform writes zA + b to dst.
func (l *affine) Transform(dst, z *tensor.Dense) (*tensor.Dense, error) { return l.scores(dst, z) }

// TransformCSR is Transform for sparse rows.
func (l *affine) TransformCSR(dst *tensor.Dense, z *ops.CSR) (*tensor.Dense, error) {
	return l.scores(dst, z)
}

// Loss adds the mean over rows of ‖zA + b - t‖².
func (l *LinearHead) Loss(z, targets *G.Node) (*G.Node, error) {
	sq, err := l.squares(z, targets)
	if err != nil {
		return nil, err
	}
	return rowMean(sq)
}

// WeightedLoss adds Σᵢⱼ wᵢⱼ (zA + b - t)ᵢⱼ² / n, with weights [n, Features] for n rows.
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

// weighted multiplies losses or targets by weights.
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

// checkTargets returns an error for a nil node of targets or weights.
func (l *affine) checkTargets(n *G.Node) error {
	if n == nil {
		return fmt.Errorf("%s: the node of targets or weights is nil, want [n, %d]: %w", l.who(), l.features, ErrShape)
	}
	return nil
}

// residuals adds zA + b - t.
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

// squares adds the squared errors of each output of each row.
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
	return G.LiftResult(ops.Softmax(l.attr()).Node(y))
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
	return ops.Softmax(l.attr()).Into(dst, dst)
}

// Loss adds the mean over rows of -Σ t·ln softmax(zA + b). A graph may hold both Fwd and Loss of a head.
func (l *SoftmaxHead) Loss(z, targets *G.Node) (*G.Node, error) {
	if err := l.checkTargets(targets); err != nil {
		return nil, err
	}
	y, err := l.logits(z)
	if err != nil {
		return nil, err
	}
	losses, err := ops.CrossEntropy(l.attr()).Node(y, targets)
	if err != nil {
		return nil, fmt.Errorf("%s: targets of shape %v for scores of shape %v: %w",
			l.who(), targets.Shape(), y.Shape(), err)
	}
	return rowMean(losses)
}

// WeightedLoss adds -Σᵢⱼ wᵢⱼ tᵢⱼ ln softmax(zA + b)ᵢⱼ / n, with weights [n, Features] for n rows.
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

// rowMean divides the sum of all entries by the number of rows.
func rowMean(x *G.Node) (*G.Node, error) {
	sum, err := G.Sum(x)
	if err != nil {
		return nil, err
	}
	return G.Mul(sum, ops.Constant(1/float64(x.Shape()[0]), x.Dtype()))
}
