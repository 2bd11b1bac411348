package layers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// The ways to find the bandwidth of the density estimate.
const (
	scottBandwidth = "scott"
	crossValidated = "cv"
)

// The parameters of the maps of densities.
var (
	kdeDef = ParamDef{Name: "bandwidth", Doc: "bandwidth of the density estimate, one number or one a coordinate; or " +
		"found on the data, by Scott's rule or by cross-validation",
		Words: []string{scottBandwidth, crossValidated}, List: true, Default: scottBandwidth}
	densityDefs = []ParamDef{
		{Name: "basis", Doc: "orthonormal basis of an axis", Words: []string{CosineBasis.String(),
			FourierBasis.String()}, Default: CosineBasis.String(), OfMap: true},
		{Name: "functions", Doc: "basis functions of an axis", Whole: true, Max: 1 << 12, Default: 10., OfMap: true},
		{Name: "points", Doc: "points of the grid on each axis; auto is 128, 48 and 20 for 1 to 3 coordinates, 128 " +
			"for each direction of more", Words: []string{"auto"}, OrNumber: true, Whole: true, Max: 1 << 12, Default: "auto"},
	}
	lambdaDefs = []ParamDef{
		{Name: "lambdas", Doc: "number of frequencies λ", Whole: true, Max: spectral.MaxLambdas, Default: 5.,
			OfMap: true},
		{Name: "rule", Doc: "where they are", Words: []string{"quantile", "gauss", "drawn"}, Default: "gauss",
			OfMap: true},
	}
)

// autoLambdasDef is for a distance that also has frequencies on the values of densities, without an embedding, and
// embeddingParams are the other parameters of the embedding.
var (
	autoLambdasDef = ParamDef{Name: "lambdas", Doc: "number of frequencies λ of an embedding; auto: frequencies on the " +
		"values of densities, without bias", Words: []string{"auto"}, OrNumber: true, Whole: true,
		Max: spectral.MaxLambdas, Default: "auto", OfMap: true}
	embeddingParams = []string{"rule", "basis", "functions"}
)

const bagInputs = "sets of samples in [0, 1]^l"

// densityForm is the form of a kernel of the densities behind sets of samples. The zero distance is ∫(p - q)².
type densityForm struct {
	name     string
	distance spectral.DensityDistance
}

func (densityForm) traits() Traits { return Traits{Draws: DrawsFrequencies, Tunable: true, Bags: true} }

// direct says whether the map has frequencies on the values of densities, without an embedding.
func (f densityForm) direct(v Values) bool {
	lambdas, stated := v["lambdas"]
	return f.offersDirect() && (!stated || lambdas == "auto")
}

// offersDirect says whether the map can have such frequencies.
func (f densityForm) offersDirect() bool {
	_, ok := f.distance.Kernel(1, 1).Laplacian()
	return ok
}

// lambdas says whether the distance is an integral over λ, which the features replace by a sum.
func (f densityForm) lambdas() bool {
	return f.distance != (spectral.DensityDistance{}) && f.distance != spectral.SquaredHellinger() // whose only λ is 0
}

func (f densityForm) params() []ParamDef {
	var more []ParamDef
	if f.lambdas() {
		more = lambdaDefs
	}
	if f.offersDirect() {
		more = []ParamDef{autoLambdasDef, lambdaDefs[1]}
	}
	return slices.Concat([]ParamDef{sigmaDef, kdeDef}, more, densityDefs, []ParamDef{phaseDef})
}

func (densityForm) more(Values) []ParamDef { return nil }

func (f densityForm) together(v Values) error {
	if f.direct(v) {
		for _, p := range f.params() {
			if value, stated := v[p.Name]; stated && value != p.Default && slices.Contains(embeddingParams, p.Name) {
				return fmt.Errorf("layers: map %s: %s = %v is of an embedding, and without lambdas the map has "+
					"frequencies on the values of densities; give lambdas, or leave %s out: %w", f.name, p.Name, value,
					p.Name, ErrParam)
			}
		}
	}
	return positiveBandwidths(f.name, v)
}

func (f densityForm) fill(v Values, x ops.Matrix) error { return densityDefaults(v, x, f.distance) }

func (f densityForm) plan(s Spec) (plan, error) {
	h, rule := parseList(s.Params.Word("bandwidth")) // none where it is still a rule
	o := hddOptionsOf(s.Params)
	k := &densityKernel{distance: f.distance, sigma: s.Params.Number("sigma"), points: int(s.Params.Number("points")),
		h: h}
	lifted := max(1, 2*int(s.Params.Number("lambdas"))) * basisColumns(s)
	if f.direct(s.Params) {
		g, err := o.grid(max(1, s.Dims))
		if err != nil {
			return plan{}, fmt.Errorf("layers: map %s: %w", f.name, err)
		}
		lifted = g.Len() * densityCount(max(1, s.Dims), g)
	}
	return plan{kernel: k, lifted: lifted, build: func(opts []Option) (Layer, error) {
		if rule != nil {
			return nil, fmt.Errorf("layers: map %s: bandwidth = %s is found on data: fill it in by FillDefaults, or "+
				"give numbers: %w", s.Map, s.Params.Word("bandwidth"), ErrParam)
		}
		opts = append(opts, func(all *options) {
			all.hdd = o
			all.hdd.bandwidth = h
		})
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
	}}, nil
}

// hddOptionsOf returns the options for a spec's parameters, without the bandwidth.
func hddOptionsOf(v Values) hddOptions {
	o := hddDefaults
	o.basis, _ = ParseBasis(v.Word("basis"))
	o.functions = int(v.Number("functions"))
	if points := int(v.Number("points")); points > 0 {
		o.points = []int{points}
	}
	if m := int(v.Number("lambdas")); m > 0 {
		o.lambdas, o.embeds = m, true
		o.rule, _ = spectral.ParseLambdaRule(v.Word("rule"))
	}
	return o
}

// basisColumns returns the number of coefficients of a density, or of the densities of all directions together.
func basisColumns(s Spec) int {
	if s.Dims > len(hddPoints) {
		return densityCount(s.Dims, ops.Grid{}) * int(s.Params.Number("functions"))
	}
	return hddOptionsOf(s.Params).count(max(1, s.Dims))
}

// positiveBandwidths returns an error for a bandwidth that is not above 0.
func positiveBandwidths(name string, v Values) error {
	h, err := parseList(v.Word("bandwidth"))
	if err != nil { // a rule
		return nil
	}
	for _, w := range h {
		if !(w > 0) {
			return fmt.Errorf("layers: map %s: bandwidth = %v, want finite numbers above 0: %w", name, w, ErrParam)
		}
	}
	return nil
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
		text := make([]string, len(k.h))
		for j, h := range k.h {
			text[j] = strconv.FormatFloat(h, 'g', -1, 64)
		}
		v["bandwidth"] = strings.Join(text, ":")
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
