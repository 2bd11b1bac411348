package train_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// treeOf is a network below and above a map, trained jointly.
func treeOf(kernel string) layers.Spec {
	return layers.Spec{Map: "sequential", Seed: 5, Parts: []layers.Spec{
		{Map: "dense", Features: 6, Params: layers.Values{"activation": "tanh"}, Tune: "all"},
		{Map: "concat", Parts: []layers.Spec{
			{Map: kernel, Features: 16, Tune: "all"},
			{Map: "linear"},
		}},
	}}
}

// twice is the Gaussian kernel of twice the distance, a kernel of a user's own.
type twice struct {
	Sigma float64 `param:"sigma" default:"2" doc:"σ"`
}

func (k twice) gaussian() spectral.Gaussian { return spectral.Gaussian{Sigma: k.Sigma / 2} }
func (k twice) At(x, z []float64) float64   { return k.gaussian().At(x, z) }
func (k twice) Domain() spectral.Domain     { return k.gaussian().Domain() }
func (k twice) Law() spectral.Law           { return k.gaussian().Law() }
func registerTwice() error                  { return layers.Register(layers.Entry{Name: "twice", Kernel: twice{}}) }

const treeEnv = "BOCHNER_TREE_FILE"

// treeRows are the rows that a model of a tree is asked about.
func treeRows() *tensor.Dense {
	x := make([]float64, 60)
	for i := range x {
		x[i] = math.Sin(float64(7 * i))
	}
	return tensor.New(tensor.WithShape(20, 3), tensor.WithBacking(x))
}

// bitsOf are the predictions of a model, to the last bit.
func bitsOf(m *train.Model) (string, error) {
	z, err := m.Scores(treeRows())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	r, c := z.Dims()
	for i := range r {
		for j := range c {
			b.WriteString(strconv.FormatFloat(z.At(i, j), 'x', -1, 64) + "\n")
		}
	}
	return b.String(), nil
}

// TestTreeChild is a process of TestTreeModel: one that fits and saves, or one that loads. Each writes what it predicts.
func TestTreeChild(t *testing.T) {
	path := os.Getenv(treeEnv)
	if path == "" {
		return // TestTreeModel runs it
	}
	if err := registerTwice(); err != nil {
		t.Fatal(err)
	}
	if kernel := os.Getenv(treeEnv + "_FIT"); kernel != "" {
		fitTree(t, kernel, path)
		return
	}
	if err := os.WriteFile(path+".loaded", []byte(must(bitsOf(must(train.Load(path))))), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fitTree fits and saves a model, and writes what it predicts.
func fitTree(t *testing.T, kernel, path string) {
	x := treeRows()
	y := make([]float64, 20)
	for i := range y {
		y[i] = x.Float64s()[3*i]*x.Float64s()[3*i+1] + float64(i%2)
	}
	m, rep, err := train.Recipe{Scale: "standard", Spec: treeOf(kernel)}.Fit(context.Background(), &data.Set{X: x, Y: y})
	if err != nil {
		t.Fatal(err)
	}
	if e := rep.Epochs; e == nil || !(e.Epochs[len(e.Epochs)-1].Loss < e.Epochs[0].Loss) {
		t.Errorf("%s: the report is %+v", kernel, rep)
	}
	if err := m.SaveSpec(path + ".spec"); err == nil || !strings.Contains(err.Error(), "was tuned") {
		t.Errorf("SaveSpec of a tuned tree: %v", err)
	}
	err = m.Save(path)
	if err == nil {
		err = os.WriteFile(path+".fitted", []byte(must(bitsOf(m))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTreeModel: a network with a map, of the library or registered, is trained jointly, saved, and loaded in another
// process with the same bits. A process without the registration says what is missing.
func TestTreeModel(t *testing.T) {
	for _, kernel := range []string{"gaussian", "twice"} {
		path := filepath.Join(t.TempDir(), "tree.model")
		for _, fit := range []string{kernel, ""} {
			cmd := itself("-test.run=^TestTreeChild$")
			cmd.Env = append(os.Environ(), treeEnv+"="+path, treeEnv+"_FIT="+fit)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		want, got := string(must(os.ReadFile(path+".fitted"))), string(must(os.ReadFile(path+".loaded")))
		if got != want || want == "" {
			t.Errorf("%s: another process predicts\n%s and not\n%s", kernel, got, want)
		}
		if _, err := train.Load(path); (err == nil) != (kernel == "gaussian") || err != nil && !strings.Contains(err.Error(), "Register") {
			t.Errorf("%s: without the registration: %v", kernel, err)
		}
	}
}

// TestFrozenTreeBySpec: a tree that is not tuned is saved by its spec alone, and drawn again.
func TestFrozenTreeBySpec(t *testing.T) {
	s := treeOf("gaussian")
	s.Parts[0].Tune, s.Parts[1].Parts[0].Tune = "", ""
	set := &data.Set{X: treeRows()}
	set.Y = make([]float64, 20)
	for i := range set.Y {
		set.Y[i] = float64(i)
	}
	m, _, err := train.Recipe{Spec: s}.Fit(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tree.model")
	if err := m.SaveSpec(path); err != nil {
		t.Fatal(err)
	}
	if a, b := must(bitsOf(m)), must(bitsOf(must(train.Load(path)))); a != b {
		t.Errorf("the tree that is drawn again predicts\n%s and not\n%s", b, a)
	}
}
