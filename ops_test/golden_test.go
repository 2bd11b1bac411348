package ops_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

var writeGolden = flag.Bool("write-golden", false, "TestGolden writes its numbers to testdata/golden")

const goldenCommand = "go test ./ops_test -run TestGolden -write-golden"

// golden are the numbers of one map, by the case and the quantity with a tab between them. The file has a line for each
// case and under it one for each quantity. It names maps, parameters and quantities by words alone, nothing of the API.
type golden struct {
	path string
	want map[string][]float64
	seen map[string]bool
}

// TestGolden: a fixed seed gives the numbers of testdata/golden: features, what was drawn or fitted, defaults from the
// data, and gradients for the input and for every learnable parameter. A draw that changes, even to another of the same
// law, makes old model descriptions mean other maps. The features of every policy, element type and storage are
// compared with the same numbers.
func TestGolden(t *testing.T) {
	known, cases := map[string]bool{}, map[string][]goldenCase{}
	for _, v := range variants(t) {
		cases[v.entry.Name] = append(cases[v.entry.Name], v.golden(v.name))
	}
	for _, v := range bagVariants(t) {
		cases[v.spec.Map] = append(cases[v.spec.Map], v.golden(v.name))
	}
	for _, e := range layers.Entries() {
		g := &golden{filepath.Join("testdata", "golden", e.Name+".txt"), map[string][]float64{}, map[string]bool{}}
		known[g.path] = true
		t.Run(e.Name, func(t *testing.T) {
			g.read(t)
			for _, c := range append(goldenDefaults(t, g, e), cases[e.Name]...) {
				g.checkCase(t, c)
			}
			if *writeGolden {
				g.write()
			} else {
				g.stale(t)
			}
		})
	}
	files := must(filepath.Glob(filepath.Join("testdata", "golden", "*")))
	for _, f := range files {
		if !known[f] {
			t.Errorf("%s is of no map in the table: remove it", f)
		}
	}
}

// goldenCase is a map of rows or sets with all that shapes it but the policy and the element type.
type goldenCase struct {
	name     string
	policies []layers.Policy
	build    func(t testing.TB, edits ...func(*layers.Spec)) layers.Layer
	x        func(t testing.TB, dt tensor.Dtype) ops.Matrix
	leaf     bool // there is no gradient for x
}

func (v variant) golden(name string) goldenCase {
	d := v.dims(3)
	_, exponentiated := v.kernel.(spectral.Exponentiated)
	return goldenCase{name, v.policies(), func(t testing.TB, edits ...func(*layers.Spec)) layers.Layer {
		return v.build(t, d, 2, 7, edits...)
	}, func(_ testing.TB, dt tensor.Dtype) ops.Matrix {
		on := v.kernel.Domain()
		x := maptest.Inside(on, matrix(tensor.Float64, 2, d, goldenCells(2*d, on.Contains(-1))...))
		return matrix(dt, 2, d, ops.Float64s(x)...)
	}, exponentiated && v.entry.Fitted}
}

func (v bagVariant) golden(name string) goldenCase {
	v.spec.Features, v.spec.Seed = 4, 7
	if v.spec.Params.Number("landmarks") > 0 { // of many the eigenvectors turn with the rounding
		v.spec.Params = maps.Clone(v.spec.Params)
		v.spec.Params["landmarks"] = 3.
	}
	return goldenCase{name, []layers.Policy{layers.Frozen, layers.Bandwidth, layers.BandwidthEach, layers.All},
		func(t testing.TB, edits ...func(*layers.Spec)) layers.Layer { return v.build(t, edits...) },
		func(t testing.TB, dt tensor.Dtype) ops.Matrix { return v.bags(t, 3, dt) }, false}
}

// goldenCells are numbers in [0, 1], or in [-1, 1], one in five of them 0.
func goldenCells(n int, signed bool) []float64 {
	cells := make([]float64, n)
	for i := range cells {
		if cells[i] = math.Mod(float64(i+1)*math.Phi, 1); i%5 == 4 {
			cells[i] = 0
		}
		if signed && i%3 == 1 {
			cells[i] = -cells[i]
		}
	}
	return cells
}

// goldenDefaults are the map with the default parameters, and with each other word and flag; it checks the defaults.
func goldenDefaults(t *testing.T, g *golden, e *layers.Entry) (all []goldenCase) {
	given := []layers.Values{{}}
	series := map[string]layers.Values{"exp-intersection": {"order": 1.}, "hdd-tv": {"lambdas": 5.}}[e.Name]
	if series != nil { // without it the map has frequencies on x itself, and no words
		given = append(given, series)
	}
	for _, p := range e.Params() {
		if p.Flag {
			given = append(given, layers.Values{p.Name: p.Default != true})
		}
		for _, w := range p.Words {
			switch {
			case w == p.Default:
			case e.Name == "add-kpca" && w == "hellinger": // of rank 1: more columns are the rounding of zeros
				given = append(given, layers.Values{p.Name: w, "components": 1.})
			default:
				values := layers.Values{p.Name: w}
				maps.Copy(values, series)
				given = append(given, values)
			}
		}
	}
	for _, values := range given {
		name := fmt.Sprintf("%s(%v) and defaults from the data", e.Name, values)
		spec := layers.Spec{Map: e.Name, Params: values, Dims: 3, Features: 2}
		if e.Bags {
			spec.Dims = 1 // whose densities are quick
		}
		bags := bagVariant{spec: spec}
		var x ops.Matrix = matrix(tensor.Float64, 31, 3, goldenCells(93, false)...)
		if e.Bags {
			x = bags.bags(t, 20, tensor.Float64)
		}
		if err := spec.FillDefaults(x); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for p, value := range spec.Params {
			if number, err := strconv.ParseFloat(fmt.Sprint(value), 64); err == nil { // a bandwidth of sets is text
				g.check(t, name, "default of "+p, "", []float64{number}, goldenTolerance(name, tensor.Float64))
			} else {
				g.check(t, name, fmt.Sprintf("default of %s is %v", p, value), "", nil, 0)
			}
		}
		if bags.spec = spec; e.Bags {
			all = append(all, bags.golden(name))
		} else {
			all = append(all, formsOf(t, e, setups[e.Name], spec.Params)[0].golden(name))
		}
	}
	return all
}

// goldenTolerance is 1e-12, or 1e-11 where the compiler may fuse a product and a sum, or package math has no assembly:
// on arm64 the largest difference is 1.5e-12. In float32 it is 1e-5, and more for parameters above 4: a phase of that
// size has several roundings of 2⁻²⁴ of it. The search for the density of srf of degree 1 ends in a flat valley, at a
// place that rounding decides.
func goldenTolerance(name string, dt tensor.Dtype, params ...layers.Param) float64 {
	tol, largest := 1e-12, 4.
	switch exact := runtime.GOARCH == "amd64"; {
	case !exact && strings.HasPrefix(name, "srf(a=3,p=1"):
		tol = 1e-2
	case !exact:
		tol = 1e-11
	}
	if dt == tensor.Float64 {
		return tol
	}
	for _, p := range params {
		for _, u := range ops.Float64s(p.Value) {
			largest = math.Max(largest, math.Abs(u))
		}
	}
	return math.Max(tol, 1e-5/4*largest)
}

func (g *golden) checkCase(t *testing.T, c goldenCase) {
	t.Helper()
	for _, p := range c.policies {
		for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
			l, x := c.build(t, named("golden"), tuned(p), dtype(dt)), c.x(t, dt)
			tol := goldenTolerance(c.name, dt, l.Params()...)
			stores := []ops.Matrix{x}
			if rows, dense := x.(*tensor.Dense); dense {
				stores = append(stores, must(ops.CSROf(rows)))
			}
			for _, x := range stores {
				where := fmt.Sprintf("%v %v, %T", p, dt, x)
				z, err := layers.Transform(l, nil, x)
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, where, err)
				}
				g.check(t, c.name, "features", where, ops.Float64s(z), tol)
				for quantity, got := range goldenGradients(t, l, x, c.leaf) {
					if quantity != "d input" {
						quantity += ", " + p.String()
					}
					g.check(t, c.name, quantity, where, got, tol)
				}
			}
			for _, param := range l.Params() {
				quantity := fmt.Sprint(param.Name, param.Value.Shape())
				g.check(t, c.name, quantity, fmt.Sprintf("%v %v", p, dt), ops.Float64s(param.Value), tol)
			}
		}
	}
}

// goldenGradients are the gradients of a weighted sum of the features, for dense rows or samples, and for what is
// tuned.
func goldenGradients(t *testing.T, l layers.Layer, x ops.Matrix, leaf bool) map[string][]float64 {
	t.Helper()
	graph, nodes := G.NewGraph(), map[string]*G.Node{}
	through := func(v *tensor.Dense) *G.Node {
		x := node(graph, "x", v)
		if leaf {
			return x
		}
		nodes["d input"] = x
		return must(ops.Columns(0, l.Dims(), 1, ops.Attr{}).Node(x))
	}
	var z G.Result
	switch x := x.(type) {
	case *tensor.Dense:
		z = l.Fwd(through(x))
	case *ops.CSR:
		if _, ok := l.(layers.SparseMap); !ok {
			return nil
		}
		z = l.Fwd(node(graph, "x", x))
	case *ops.Bags:
		z = l.(*layers.BagLayer).FwdBags(through(x.Samples()), x.Offsets())
	}
	must(z.Node(), z.Err())
	for _, n := range l.ModelIn(graph) {
		nodes["d "+strings.TrimPrefix(n.Name(), l.Name()+"_")] = n
	}
	by := slices.Collect(maps.Values(nodes))
	if len(by) == 0 {
		return nil
	}
	shape := z.Node().Shape()
	weights := node(graph, "c", matrix(l.Dtype(), shape[0], shape[1], .7, -.3, 1.1, -1.9, .2))
	must(G.Grad(G.Must(G.Sum(G.Must(G.HadamardProd(z.Node(), weights)))), by...))
	m := G.NewTapeMachine(graph, G.BindDualValues(by...))
	defer m.Close()
	must(m, m.RunAll())
	out := map[string][]float64{}
	for name, n := range nodes {
		out[name] = ops.Float64s(must(n.Grad()).(*tensor.Dense))
	}
	return out
}

// goldenMost is how many numbers of a quantity stand in a file; a longer one ends with a weighted sum of all.
const goldenMost = 12

// check compares a quantity with its numbers, within tol of the largest one, or of 1 if that is larger.
func (g *golden) check(t *testing.T, name, quantity, where string, got []float64, tol float64) {
	t.Helper()
	if len(got) > goldenMost {
		sum := 0.
		for i, u := range got {
			sum += u * math.Cos(float64(i))
		}
		got = append(slices.Clone(got[:goldenMost]), sum/math.Sqrt(float64(len(got))))
	}
	key := name + "\t" + quantity
	if *writeGolden && !g.seen[key] {
		g.want[key] = got
	}
	g.seen[key] = true
	want, ok := g.want[key]
	what := strings.TrimSuffix(fmt.Sprintf("%s: %s (%s)", name, quantity, where), " ()")
	const remedy = "if that is meant, say why in a commit of its own with what this writes: " + goldenCommand
	if !ok || len(want) != len(got) {
		t.Errorf("%s is %v, and %s has the %d numbers %v; %s", what, got, g.path, len(want), want, remedy)
		return
	}
	scale := 1.
	for _, u := range want {
		scale = math.Max(scale, math.Abs(u))
	}
	for i, u := range want {
		if !(math.Abs(got[i]-u) <= tol*scale) {
			t.Errorf("%s: number %d is %.15g, and in %s %.15g, more than %.2g apart; %s", what, i, got[i], g.path, u,
				tol*scale, remedy)
			return
		}
	}
}

func (g *golden) read(t *testing.T) {
	text, err := os.ReadFile(g.path)
	if err != nil && !*writeGolden {
		t.Fatalf("%v; write it by %s", err, goldenCommand)
	}
	name := ""
	for line := range strings.Lines(string(text)) {
		words, numbers, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " =")
		if !strings.HasPrefix(line, "\t") {
			name = words
			continue
		}
		var list []float64
		for _, word := range strings.Fields(numbers) {
			list = append(list, must(strconv.ParseFloat(word, 64)))
		}
		g.want[name+words] = list
	}
}

// stale reports what stands in the file and no case makes.
func (g *golden) stale(t *testing.T) {
	for key := range g.want {
		if !g.seen[key] {
			t.Errorf("%s has numbers for %s, which nothing makes; if that is meant, run %s", g.path, key, goldenCommand)
		}
	}
}

func (g *golden) write() {
	var text strings.Builder
	last := ""
	for _, key := range slices.Sorted(maps.Keys(g.seen)) {
		name, quantity, _ := strings.Cut(key, "\t")
		if name != last {
			fmt.Fprintln(&text, name)
		}
		last = name
		fmt.Fprintf(&text, "\t%s =", quantity)
		for _, u := range g.want[key] {
			fmt.Fprintf(&text, " %.15g", u)
		}
		fmt.Fprintln(&text)
	}
	must(g, os.MkdirAll(filepath.Dir(g.path), 0o755))
	must(g, os.WriteFile(g.path, []byte(text.String()), 0o644))
}
