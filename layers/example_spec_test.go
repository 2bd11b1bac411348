package layers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
)

// A spec describes a map by name, as a flag or a file does, and the same spec draws the same map everywhere.
func ExampleSpec() {
	params := must(layers.ParseValues("matern", "nu=2.5, ell=2"))
	spec := layers.Spec{Map: "matern", Params: params, Dims: 3, Features: 4096, Seed: 7, Name: "map"}
	text, _ := json.Marshal(spec)
	fmt.Println(string(text))
	compare(must(spec.Kernel()), layers.Must(spec.Build()), []float64{1, 0, 2}, []float64{0, 1, 1})
	// Output:
	// {"map":"matern","params":{"ell":2,"nu":2.5},"dims":3,"features":4096,"sampler":"","seed":7,"dtype":"","tune":"","name":"map"}
	// k(x, y) = 0.60, z(x)·z(y) = 0.59
}

// What is not given comes from the data: here the bandwidth of scikit-learn's gamma = "scale", sqrt(d Var/2).
func ExampleSpec_FillDefaults() {
	spec := layers.Spec{Map: "gaussian", Dims: 2, Features: 64}
	err := spec.FillDefaults(matrix([]float64{0, 4}, []float64{4, 0}))
	fmt.Println(spec.Params, err)
	// Output: phase=false,sigma=2 <nil>
}

// A network of dense layers and a map is a Spec as a single map is: it is fitted, saved, loaded and served alike.
func ExampleSpec_Build() {
	s := layers.Spec{Map: "sequential", Dims: 4, Name: "net", Parts: []layers.Spec{
		{Map: "dense", Features: 8, Tune: "all"},
		{Map: "normalise"},
		{Map: "arc-cosine", Features: 64},
	}}
	for _, p := range must(s.Build()).Params() {
		fmt.Println(p.Name, p.Value.Shape())
	}
	// Output:
	// net_0_dense.W (4, 8)
	// net_0_dense.b (8)
	// net_2_arc-cosine.W (8, 64)
}

// The table that the programs print, line by line; here the first three lines.
func ExampleEntries() {
	for _, e := range layers.Entries()[:3] {
		fmt.Printf("%s: %s, for x %s; %s\n", e.Name, e.Formula, e.Inputs, e.Paper)
	}
	// Output:
	// linear: x·z, for x any; the baseline
	// gaussian: exp(-‖x-z‖²/2σ²), for x any; Rahimi and Recht 2007
	// laplacian: exp(-‖x-z‖₁/σ), for x any; Rahimi and Recht 2007
}

// A map of the table by its name. Another name is an error.
func ExampleLookup() {
	for _, p := range must(layers.Lookup("gaussian")).Params() {
		fmt.Println(p.Name)
	}
	_, err := layers.Lookup("rbf")
	fmt.Println(errors.Is(err, layers.ErrParam))
	// Output:
	// sigma
	// phase
	// true
}

// cosine is the kernel Π cos((x-z)/σ), whose frequencies are 1/σ or -1/σ in each coordinate.
type cosine struct {
	Sigma float64 `param:"sigma" default:"1" doc:"bandwidth σ"`
}

func (k cosine) At(x, z []float64) float64 {
	product := 1.
	for j := range x {
		product *= math.Cos((x[j] - z[j]) / k.Sigma)
	}
	return product
}

func (cosine) Domain() spectral.Domain { return spectral.Domain{} }

func (k cosine) Law() spectral.Law {
	return spectral.Law{Transform: spectral.Fourier, Draw: func(w []float64, rng *rand.Rand) {
		for j := range w {
			w[j] = float64(2*rng.IntN(2)-1) / k.Sigma
		}
	}}
}

// A kernel of your own is a map as any other once it is registered. Package maptest holds it to its promises.
func ExampleRegister() {
	must(0, layers.Register(layers.Entry{Name: "cosine", Formula: "Π cos((x-z)/σ)", Inputs: "any", Kernel: cosine{}}))
	s := layers.Spec{Map: "cosine", Params: layers.Values{"sigma": 2}, Dims: 2, Features: 4096, Seed: 1}
	compare(must(s.Kernel()), layers.Must(s.Build()), []float64{0, 0}, []float64{1, .5})
	// Output: k(x, y) = 0.85, z(x)·z(y) = 0.85
}

// What was built by hand has a Spec, which a model file holds.
func ExampleSpecOf() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, 3, 4096, layers.WithName("rff"),
		layers.WithSampler(spectral.Sobol{})))
	net := layers.Must(layers.NewSequential(layers.Must(layers.NewNormalise(3, ops.L2, layers.WithName("unit"))), rff))
	s := must(layers.SpecOf(net))
	x, same := matrix([]float64{1, 2, 3}), layers.Must(s.Build())
	a, b := layers.MustDense(net.Transform(nil, x)), layers.MustDense(same.Transform(nil, x))
	fmt.Println(s.Parts[0], slices.Equal(a.Float64s(), b.Float64s()))
	// Output: normalise norm=l2, 3 -> 3, float64, name "unit" true
}

// A table of a model: its bandwidth and its head are tuned, its frequencies are not.
func ExampleSummary() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 8, 256, layers.Tune(layers.Bandwidth),
		layers.WithName("rff")))
	head := layers.MustHead(layers.NewSoftmaxHead(256, 3, layers.WithName("head")))
	fmt.Print(layers.Summary(rff, head))
	// Output:
	// layer  type          columns  parameter      shape     numbers  policy
	// rff    FourierLayer  8 → 256  W              (8, 128)  1024     frozen
	//                               log_bandwidth  (1)       1        tuned
	// head   SoftmaxHead   256 → 3  W              (256, 3)  768      tuned
	//                               b              (3)       3        tuned
	// 1796 numbers: 772 tuned, 1024 frozen
}

// The papers behind a map of a Matérn kernel whose frequencies are orthogonal.
func ExampleCite() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Matern{Nu: 1.5, Ell: 1}, 8, 256,
		layers.WithSampler(spectral.Orthogonal{})))
	for _, line := range strings.Split(layers.Cite(rff), "\n") {
		if strings.HasPrefix(line, "@") || strings.HasPrefix(line, "  title") {
			fmt.Println(line)
		}
	}
	// Output:
	// @inproceedings{rahimi2007random,
	//   title     = {Random Features for Large-Scale Kernel Machines},
	// @book{rasmussen2006gaussian,
	//   title     = {Gaussian Processes for Machine Learning},
	// @inproceedings{yu2016orthogonal,
	//   title     = {Orthogonal Random Features},
}

// A graph in the language of Graphviz. Each node has its name, its operation and its shape.
func ExampleDot() {
	rff := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 8, 256, layers.WithName("rff")))
	x := G.NewMatrix(G.NewGraph(), G.Float64, G.WithShape(32, 8), G.WithName("x"))
	z := rff.Fwd(x)
	_, text, _ := strings.Cut(must(layers.Dot(must(z.Node(), z.Err()).Graph())), "\n\t}\n\t// Node definitions.\n")
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "label=") || strings.Contains(line, "->") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// label="{{x|0x0}|{Shape|(32, 8)}}"
	// label="{{Data(%0)|0x1}|{Op|Data}|{Shape|(32, 8)}}"
	// label="{{rff_W|0x2}|{Shape|(8, 128)}}"
	// label="{{Fourier(%1, %2)|0x3}|{Op|Fourier}|{Shape|(32, 256)}}"
	// n1 -> n0;
	// n3 -> n1;
	// n3 -> n2;
}
