package layers

import (
	"fmt"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BagMap is a Map of sets of samples: the function Transform passes it an ops.Bags, one set for each row of features.
// Dims is the number of coordinates of a sample. A row of a matrix is a set of one sample.
type BagMap interface {
	Map
	// TransformBags writes the features of bags of samples to dst [n, Features], allocated if nil.
	TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error)
}

// BagLayer is a feature map of sets of samples. It has two steps: the first makes a row of each set and has nothing to
// tune, the second is a map of these rows (OfRows), which has the policy. NewBagLayer makes it of a map of densities,
// NewMeanMapLayer of a map of samples.
//
// Input: sets of samples with l coordinates, by TransformBags, by FwdBags, or by whatever takes rows (linear.FitRidge,
// sgd.Fit, train.Model). Output [n, features]. Fwd and Transform take matrices [n, l], in which each row is a set of
// one sample.
type BagLayer struct {
	*mapper
	members // inner, if there is one, and over
	// step makes the rows of bags of samples x, in a graph or without one.
	step   func(f *flow, dst *tensor.Dense, x value, offsets []int) value
	width  int   // the columns that step makes of a sample
	over   Layer // the map of rows
	kernel BagKernel
	inner  Layer // of a mean map
}

// newBagLayer makes a layer without its first step. inner is nil but for a mean map.
func newBagLayer(dims int, inner, over Layer, k BagKernel, o options) *BagLayer {
	name := over.Name()
	b := &base{kind: "BagLayer", prefix: fmt.Sprintf("layers: BagLayer %q", name), name: name, dims: dims,
		features: over.Features(), options: o}
	l := &BagLayer{mapper: newMapper(b, k.Domain()), inner: inner, over: over, kernel: k}
	if l.members = (members{[]Layer{over}, []string{""}}); inner != nil {
		l.members = members{[]Layer{inner, over}, []string{innerPrefix, ""}}
	}
	return l
}

// NewBagLayer makes a map of sets of samples of a map of densities. It first estimates the densities, by ops.KDE with
// the Bandwidth of the Density; in a graph the gradient for the samples goes through the estimate, so a network may
// compute them. The layer takes over the name of the given one: use only one of the two in a graph. Errors (ErrParam):
// a layer that is nil, or made without a Bandwidth.
func NewBagLayer(of *HDDLayer) (*BagLayer, error) {
	if of == nil {
		return nil, fmt.Errorf("layers: BagLayer: the map of densities is nil: %w", ErrParam)
	}
	h := ops.Float64s(of.sets.bandwidth)
	if slices.Contains(h, 0) {
		return nil, fmt.Errorf("%s: bags want a bandwidth: find one by ops.ScottBandwidth or "+
			"ops.CrossValidatedBandwidth and give it as the Bandwidth of the Density: %w", of.who(), ErrParam)
	}
	k := &densityKernel{of.of}
	k.Bandwidth = h[:of.sets.axes] // the axes are the first directions
	l := newBagLayer(of.sets.axes, nil, of, k, of.outer.options)
	l.width = len(of.sets.h)
	l.step = func(f *flow, dst *tensor.Dense, x value, offsets []int) value {
		return of.sets.run(f, of.base, dst, x, offsets)
	}
	return l, nil
}

func (l *BagLayer) made() (form, options) {
	if isMeanMap(l) {
		return meanMapFormOf(l.inner, l.kernel.(*meanKernel), l.phase), l.options
	}
	if d := l.over.(*HDDLayer).of; d.At == nil && !d.Box && len(d.Points) <= 1 {
		return densityForm{d, l.phase}, l.options
	}
	return nil, l.options
}

// isMeanMap says whether a layer is a mean map.
func isMeanMap(l Layer) bool {
	b, ok := l.(*BagLayer)
	return ok && b.inner != nil
}

// Policy returns the tuning policy of the second step.
func (l *BagLayer) Policy() Policy { return l.policy }

// OfRows returns the second step, the map of the rows that Rows makes.
func (l *BagLayer) OfRows() Layer { return l.over }

// Kernel returns the exact kernel of sets, a BagKernel.
func (l *BagLayer) Kernel() spectral.Kernel { return l.kernel }

// Rows returns one row for each set of b, its density or the mean of its features: the input of OfRows. Errors: samples
// with another number of coordinates, nil bags (ErrShape), another element type (ErrDtype), samples outside the domain
// (ErrDomain).
func (l *BagLayer) Rows(b *ops.Bags) (*tensor.Dense, error) {
	if b == nil {
		return nil, noBags(l.who())
	}
	if b.Axes() != l.dims {
		return nil, fmt.Errorf("%s: the samples have %d coordinates, want %d: %w", l.who(), b.Axes(), l.dims, ErrShape)
	}
	if b.Dtype() != l.dt {
		return nil, fmt.Errorf("%s: the bags are %v, the layer is %v: %w", l.who(), b.Dtype(), l.dt, ErrDtype)
	}
	if err := ops.CheckRows(l.on, l.who(), b); err != nil {
		return nil, err
	}
	out, f := tensor.New(tensor.WithShape(b.Len(), l.over.Dims()), tensor.Of(l.dt)), &flow{keeps: true}
	most, offsets := max(1, psiCells/l.width), b.Offsets()
	for lo, hi := 0, 0; lo < b.Len(); lo = hi { // some samples at a time
		for hi = lo + 1; hi < b.Len() && offsets[hi+1]-offsets[lo] <= most; {
			hi++
		}
		some := b.Slice(lo, hi)
		f.next = 0
		if l.step(f, ops.Rows(out, lo, hi), value{rows: some.Samples()}, some.Offsets()); f.err != nil {
			return nil, domain.InBlock(lo, some.InBag(f.err))
		}
	}
	return out, nil
}

// TransformBags writes the features of bags to dst [n, features], allocated if nil. It makes some rows at a time.
func (l *BagLayer) TransformBags(dst *tensor.Dense, b *ops.Bags) (*tensor.Dense, error) {
	if b == nil {
		return nil, noBags(l.who())
	}
	size := max(1, psiCells/l.over.Dims())
	return ops.InBlocks(l.who(), dst, b, size, l.features, func(dst *tensor.Dense, x ops.Matrix) error {
		rows, err := l.Rows(x.(*ops.Bags))
		if err == nil {
			_, err = l.over.Transform(dst, rows)
		}
		return err
	})
}

// Transform writes the features of the rows of x [n, l], each a set of one sample, to dst.
func (l *BagLayer) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	if err := checkColumns(l.who(), x, l.dims); err != nil {
		return nil, err
	}
	x, err := ops.Copy(nil, x, l.attr())
	if err != nil {
		return nil, err
	}
	b, err := ops.BagsOfRows(x)
	if err != nil {
		return nil, err
	}
	return l.TransformBags(dst, b)
}

// FwdBags adds the map of bags to the graph of their samples x [N, l], bag after bag: bag i has the rows offsets[i] to
// offsets[i+1], exclusive. Errors: those of Fwd, and offsets that do not fit x (ErrShape).
func (l *BagLayer) FwdBags(x G.Input, offsets []int) G.Result {
	return l.lift(x, func(x *G.Node) (*G.Node, error) { return l.fwd(x, offsets) })
}

func (l *BagLayer) fwd(x *G.Node, offsets []int) (*G.Node, error) {
	f := &flow{graph: x.Graph()}
	z := f.layer(l.over, nil, l.step(f, nil, value{node: x}, offsets))
	return z.node, f.err
}

// Fwd adds the map of the rows of x [n, l], each a set of one sample, to its graph.
func (l *BagLayer) Fwd(x G.Input) G.Result {
	return l.lift(x, func(x *G.Node) (*G.Node, error) {
		offsets := make([]int, x.Shape()[0]+1)
		for i := range offsets {
			offsets[i] = i
		}
		return l.fwd(x, offsets)
	})
}

// innerPrefix stands before the names of the parameters of the map of samples.
const innerPrefix = "inner."

func (l *BagLayer) String() string {
	if l.inner != nil {
		return fmt.Sprintf("mean map of %v, then %v", l.inner, l.over)
	}
	return fmt.Sprintf("sets of samples in %d dimensions, then %v", l.dims, l.over)
}
