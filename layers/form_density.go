package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// The ways to find the bandwidth of the density estimate.
const (
	scottBandwidth = "scott"
	crossValidated = "cv"
)

const bagInputs = "sets of samples in [0, 1]^l"

// densityForm is the form of a kernel of the densities behind sets of samples. The zero distance is ∫(p - q)².
type densityForm struct {
	Sigma     float64             `param:"sigma" doc:"bandwidth σ"`
	Bandwidth []float64           `param:"bandwidth" words:"scott,cv" default:"scott"`
	Lambdas   int                 `param:"lambdas" words:"auto=0" range:"(0,65536]" default:"auto"`
	Rule      spectral.LambdaRule `param:"rule" words:"quantile,gauss,drawn" default:"gauss" doc:"where they are"`
	Basis     Basis               `param:"basis" words:"cosine,fourier" default:"cosine" doc:"orthonormal basis"`
	Functions int                 `param:"functions" range:"(0,4096]" default:"10" doc:"basis functions of an axis"`
	Points    int                 `param:"points" words:"auto=0" range:"(0,4096]" default:"auto"`
	Phase     bool                `param:"phase"`

	name     string
	distance spectral.DensityDistance
}

func (densityForm) traits() Traits { return Traits{Draws: DrawsFrequencies, Tunable: true, Bags: true} }

// direct says whether the map has frequencies on the values of densities, without an embedding.
func (f densityForm) direct() bool {
	_, ok := f.distance.Kernel(1, 1).Laplacian()
	return ok && f.Lambdas == 0
}

// hides hides the frequencies λ unless the distance is an integral over λ, which the features replace by a sum. The
// only λ of the squared Hellinger distance is 0.
func (f densityForm) hides(name string) bool {
	sum := f.distance != (spectral.DensityDistance{}) && f.distance != spectral.SquaredHellinger()
	return !sum && (name == "lambdas" || name == "rule")
}

// check returns an error for a parameter of an embedding that the map does not have, and for a bandwidth that is not
// above 0.
func (f densityForm) check(given Values) error {
	for name, absent := range map[string]any{"rule": "gauss", "basis": "cosine", "functions": 10.} {
		if value, stated := given.plain()[name]; f.direct() && stated && value != absent {
			return fmt.Errorf("layers: map %s: %s = %v is of an embedding, and without lambdas the map has "+
				"frequencies on the values of densities; give lambdas, or leave %s out: %w", f.name, name, value, name,
				ErrParam)
		}
	}
	for _, w := range f.Bandwidth {
		if !(w > 0) {
			return fmt.Errorf("layers: map %s: bandwidth = %v, want finite numbers above 0: %w", f.name, w, ErrParam)
		}
	}
	return nil
}

func (f densityForm) fill(v Values, x ops.Matrix) error {
	if !f.hides("lambdas") && f.Lambdas == 0 && !f.direct() {
		v["lambdas"] = float64(hddDefaults.lambdas)
	}
	return densityDefaults(v, x, f.distance)
}

func (f densityForm) plan(s Spec) (plan, error) {
	o := f.options()
	k := &densityKernel{distance: f.distance, sigma: f.Sigma, points: f.Points, h: f.Bandwidth}
	dims := max(1, s.Dims)
	lifted := o.basisColumns(dims)
	if f.direct() {
		g, err := o.grid(dims)
		if err != nil {
			return plan{}, fmt.Errorf("layers: map %s: %w", f.name, err)
		}
		lifted = g.Len() * densityCount(dims, g)
	} else if !f.hides("lambdas") {
		lifted *= 2 * o.lambdas
	}
	return plan{kernel: k, lifted: lifted, build: drawing(func(opts []Option) (Layer, error) {
		if f.Bandwidth == nil {
			return nil, fmt.Errorf("layers: map %s: bandwidth = %s is found on data: fill it in by FillDefaults, or "+
				"give numbers: %w", s.Map, s.Params.Word("bandwidth"), ErrParam)
		}
		opts = append(opts, func(all *options) { all.hdd = o })
		var of DensityLayer
		var err error
		if f.distance == (spectral.DensityDistance{}) {
			of, err = NewL2DensityLayer(k.sigma, s.Dims, s.Features, opts...)
		} else {
			of, err = NewHDDLayer(f.distance, k.sigma, s.Dims, s.Features, opts...)
		}
		if err != nil {
			return nil, err
		}
		l, err := NewBagLayer(of)
		if err != nil {
			return nil, err
		}
		l.kernel = k
		return l, nil
	})}, nil
}

// options returns the options that the parameters stand for.
func (f densityForm) options() hddOptions {
	o := hddDefaults
	o.basis, o.functions, o.bandwidth = f.Basis, f.Functions, f.Bandwidth
	if f.Points > 0 {
		o.points = []int{f.Points}
	}
	if f.Lambdas > 0 {
		o.lambdas, o.rule, o.embeds = f.Lambdas, f.Rule, true
	}
	return o
}

// densityFormOf returns the form of a layer with a kernel and options, or nil if a Spec does not have the options.
func densityFormOf(k *densityKernel, o hddOptions) *densityForm {
	if o.at != nil || o.box || len(o.points) > 1 {
		return nil
	}
	f := &densityForm{Sigma: k.sigma, Bandwidth: o.bandwidth, Rule: o.rule, Basis: o.basis, Functions: o.functions,
		distance: k.distance}
	if !o.direct {
		f.Lambdas = o.lambdas
	}
	if o.points != nil {
		f.Points = o.points[0]
	}
	for _, e := range table {
		if of, ok := e.of.(densityForm); ok && of.distance == k.distance {
			f.name = e.Name
			return f
		}
	}
	return nil
}

// basisColumns returns the number of coefficients of a density, or of the densities of all directions together.
func (o hddOptions) basisColumns(dims int) int {
	if dims > len(hddPoints) {
		return densityCount(dims, ops.Grid{}) * o.functions
	}
	return o.count(dims)
}

// bagsOf returns x as sets of samples. The rows of a matrix are sets of one sample.
func bagsOf(x ops.Matrix) (*ops.Bags, error) {
	if b, ok := x.(*ops.Bags); ok && b.Len() > 0 {
		return b, nil
	}
	if t, ok := x.(*tensor.Dense); x == nil || ok && t == nil || x.Dims() != 2 || x.Shape()[0] == 0 {
		return nil, fmt.Errorf("want bags, or rows [n, l], to derive it from: %w", ErrShape)
	}
	t, err := ops.Copy(nil, x, ops.Attr{Layer: "the data"})
	if err != nil {
		return nil, err
	}
	return ops.BagsOfRows(t)
}

// spreadBags returns at most limit of the bags, evenly spread.
func spreadBags(b *ops.Bags, limit int) *ops.Bags {
	if b.Len() <= limit {
		return b
	}
	idx := make([]int, limit)
	for k := range idx {
		idx[k] = k * b.Len() / limit
	}
	return b.Take(idx)
}

// defaultBags is the number of bags whose pairs give the default bandwidth of a kernel.
const defaultBags = 64

// densityDefaults finds the bandwidth of the estimate, and σ: half the root of the mean ρ² over pairs of sets.
func densityDefaults(v Values, x ops.Matrix, d spectral.DensityDistance) error {
	k := &densityKernel{distance: d, sigma: 1, points: int(v.Number("points"))}
	var err error
	if k.h, err = parseList(v.Word("bandwidth")); err != nil {
		b, err := bagsOf(x)
		if err != nil {
			return err
		}
		if k.h, err = k.bandwidth(v.Word("bandwidth"), b); err != nil {
			return err
		}
		v["bandwidth"] = listText(k.h)
	}
	return fill(v, "sigma", func() (float64, error) {
		b, err := bagsOf(x)
		if err != nil {
			return 0, err
		}
		return sigmaOf(k, spreadBags(b, defaultBags))
	})
}

// bandwidth finds a bandwidth by a rule, for a joint density or, in more than three dimensions, for the density of each
// coordinate. It is at least half the distance of two points of the grid, so that the bump of a sample does not fall
// between them.
func (k *densityKernel) bandwidth(rule string, b *ops.Bags) ([]float64, error) {
	h := make([]float64, b.Axes())
	k.h = h
	e, err := k.of(b.Axes(), tensor.Float64)
	if err != nil {
		return nil, err
	}
	parts := []*ops.Bags{b}
	if e.slicing != nil {
		parts = nil
		for j := range h {
			parts = append(parts, b.Axis(j))
		}
	}
	h = h[:0]
	for _, part := range parts {
		of, err := bandwidthBy(rule, part)
		if err != nil {
			return nil, err
		}
		h = append(h, of...)
	}
	for j := range h {
		h[j] = math.Max(h[j], .5/float64(e.grid.Points()[j%e.grid.Axes()]))
	}
	k.h = h
	return h, nil
}

func bandwidthBy(rule string, b *ops.Bags) ([]float64, error) {
	if rule == crossValidated {
		return ops.CrossValidatedBandwidth(crossValidationBags(b), nil)
	}
	return ops.ScottBandwidth(b)
}

// crossValidationBags returns bags, evenly spread, that have some millions of pairs of samples together, which take
// about a second.
func crossValidationBags(b *ops.Bags) *ops.Bags {
	const most = 1 << 22
	pairs, offsets := 0.0, b.Offsets()
	for i, lo := range offsets[:b.Len()] {
		pairs += math.Pow(float64(offsets[i+1]-lo), 2)
	}
	return spreadBags(b, max(1, int(math.Min(float64(b.Len()), most/pairs*float64(b.Len())))))
}

// sigmaOf returns half the root of the mean squared distance of two sets, for the kernel exp(-d²/2).
func sigmaOf(k BagKernel, b *ops.Bags) (float64, error) {
	if b.Len() < 2 {
		return 0, fmt.Errorf("want at least two sets to derive it from: %w", ErrShape)
	}
	g, err := k.GramBags(b)
	if err != nil {
		return 0, err
	}
	sum, pairs := 0.0, 0.0
	for i := range b.Len() {
		for j := range i {
			sum -= 2 * math.Log(g.At(i, j))
			pairs++
		}
	}
	return math.Sqrt(sum/pairs) / 2, nil
}
