package layers_test

import (
	"fmt"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
)

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
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(32, 8), G.WithName("x"))
	if err := rff.Fwd(x).Err(); err != nil {
		fmt.Println(err)
		return
	}
	text, err := layers.Dot(g)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, nodes, _ := strings.Cut(text, "\n\t}\n\t// Node definitions.\n")
	fmt.Print(nodes)
	// Output:
	// n0 [
	// 		shape=Mrecord
	// 		label="{{x|0x0}|{Shape|(32, 8)}}"
	// 	];
	// 	n1 [
	// 		shape=Mrecord
	// 		label="{{rff_W|0x1}|{Shape|(8, 128)}}"
	// 	];
	// 	n2 [
	// 		shape=Mrecord
	// 		label="{{Data(%0)|0x2}|{Op|Data}|{Shape|(32, 8)}}"
	// 	];
	// 	n3 [
	// 		shape=Mrecord
	// 		label="{{Fourier(%2, %1)|0x3}|{Op|Fourier}|{Shape|(32, 256)}}"
	// 	];
	//
	// 	// Edge definitions.
	// 	n2 -> n0;
	// 	n3 -> n1;
	// 	n3 -> n2;
	// }
}
