package onnx

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// small is a model of 3 columns and 8 features that a test may damage.
func small() *train.Model {
	spec := layers.Spec{Map: "gaussian", Dims: 3, Features: 8, Params: layers.Values{"sigma": 1}}
	m := withHead(must(spec.Build()), "standard", rowsOfText([][]float64{{1, 2, 3}, {3, 5, 9}}))
	m.Spec, m.Head, m.Classes = spec, must(layers.NewSoftmaxHead(8, 2)), data.Classes{"a", "b"}
	return m
}

// changed is a small model that f changes.
func changed(f func(m *train.Model)) *train.Model {
	m := small()
	f(m)
	return m
}

// of is a small model with another map.
func of(l layers.Layer) *train.Model {
	return changed(func(m *train.Model) {
		m.Map, m.Head, m.Classes = l, must(layers.NewLinearHead(l.Features(), 1)), nil
	})
}

// foreign is a layer of another package.
type foreign struct{ *layers.Identity }

// own is a kernel without a formula here.
type own struct{ spectral.Gaussian }

// tooHigh is a map of products of which one has more factors than W has.
func tooHigh() layers.Layer {
	l := must(layers.NewRandomMaclaurinLayer(spectral.SpherePolynomial{A: 2, P: 2}, 3, 8))
	for _, p := range l.Params() {
		if p.Name == "degrees" {
			ops.Float64s(p.Value)[0] = 99
		}
	}
	return l
}

// TestErrors: one clear error, and nothing is written.
func TestErrors(t *testing.T) {
	sample, _, _ := drawn(20, 3, 5)
	for name, c := range map[string]struct {
		m    *train.Model
		o    Options
		want error
		says string
	}{
		"nil model":   {nil, Options{}, domain.ErrParam, "the model is nil"},
		"empty model": {&train.Model{}, Options{}, domain.ErrParam, "lacks"},
		"no head":     {changed(func(m *train.Model) { m.Head = nil }), Options{}, domain.ErrParam, "lacks"},
		"unfitted scaler": {changed(func(m *train.Model) { m.Scaler = must(data.ParseScalers("cube")) }),
			Options{}, domain.ErrParam, "not fitted"},
		"another head": {changed(func(m *train.Model) { m.Head = must(layers.NewSoftmaxHead(6, 2)) }),
			Options{}, domain.ErrShape, "8 features and the head takes 6"},
		"another scaler": {of(must(layers.NewIdentity(4))),
			Options{}, domain.ErrShape, "3 columns and the map takes 4"},
		"classes": {changed(func(m *train.Model) { m.Classes = data.Classes{"a"} }),
			Options{}, domain.ErrParam, "2 outputs"},
		"class of text": {changed(func(m *train.Model) { m.Classes[1] = "\xff" }), Options{}, domain.ErrParam, "UTF-8"},
		"note of card": {changed(func(m *train.Model) { m.Notes = map[string]string{CardKey: "x"} }),
			Options{}, domain.ErrParam, "key"},
		"note of text": {changed(func(m *train.Model) { m.Notes = map[string]string{"x": "\xff"} }),
			Options{}, domain.ErrParam, "UTF-8"},
		"element type":      {small(), Options{Dtype: tensor.Int}, domain.ErrDtype, "int"},
		"labels of targets": {of(must(layers.NewIdentity(3))), Options{Labels: true}, domain.ErrParam, "regression"},
		"probabilities":     {small(), Options{Probabilities: true}, domain.ErrParam, "calibration"},
		"std":               {small(), Options{Std: true}, domain.ErrParam, "posterior"},
		"empty uncertainty": {changed(func(m *train.Model) { m.Uncertainty = &train.Uncertainty{} }),
			Options{Std: true}, domain.ErrParam, "posterior"},
		"foreign layer": {of(foreign{must(layers.NewIdentity(3))}),
			Options{}, domain.ErrParam, "no form in standard operators"},
		"sets": {of(must(layers.NewMeanMapLayer(must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 3, 8)), 1, 8))),
			Options{}, domain.ErrParam, "sets of samples"},
		"kernel of one's own": {of(must(layers.NewNystromLayer(layers.Nystrom{Kernel: own{spectral.Gaussian{Sigma: 2e3}}}, sample, 4))),
			Options{}, domain.ErrParam, "onnx.own"},
		"Bessel function": {of(must(layers.NewNystromLayer(layers.Nystrom{Kernel: spectral.Matern{Nu: 2, Ell: 2e3}}, sample, 4))),
			Options{}, domain.ErrParam, "ν = 2"},
		"long sketch": {of(must(layers.NewTensorSketchLayer(spectral.SpherePolynomial{A: 2, P: 2}, 3, 5000))),
			Options{}, domain.ErrParam, "4096"},
		"degrees without factors": {of(tooHigh()), Options{}, domain.ErrShape, "do not belong together"},
		"weights that are no numbers": {changed(func(m *train.Model) { ops.Float64s(m.Head.Params()[0].Value)[3] = math.NaN() }),
			Options{}, domain.ErrDomain, "head.W: number 3 is NaN"},
		"weights beyond float32": {changed(func(m *train.Model) { ops.Float64s(m.Head.Params()[0].Value)[3] = 1e39 }),
			Options{}, domain.ErrDomain, "use float64"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			path := filepath.Join(t.TempDir(), "model.onnx")
			mustDo(os.WriteFile(path, []byte("before"), 0o666))
			for _, err := range []error{Export(&b, c.m, c.o), Save(path, c.m, c.o)} {
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %v, want %q of %v", err, c.says, c.want)
				}
			}
			left := must(os.ReadDir(filepath.Dir(path)))
			if text := must(os.ReadFile(path)); b.Len() > 0 || string(text) != "before" || len(left) != 1 {
				t.Errorf("%d bytes are written, the file is %q among %d", b.Len(), text, len(left))
			}
		})
	}
}

// full is a disk without room.
type full struct{ err error }

func (w full) Write([]byte) (int, error) { return 0, w.err }

// TestUnwritable: the error of the disk comes through.
func TestUnwritable(t *testing.T) {
	disk := errors.New("no room")
	if err := Export(full{disk}, small(), Options{}); !errors.Is(err, disk) {
		t.Error(err)
	}
	if err := Export(nil, small(), Options{}); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "missing", "model.onnx")
	if err := Save(path, small(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestFloat64Weights: what float32 cannot hold is exported in float64.
func TestFloat64Weights(t *testing.T) {
	m := small()
	ops.Float64s(m.Head.Params()[0].Value)[3] = 1e39
	mustDo(Export(&bytes.Buffer{}, m, Options{Dtype: tensor.Float64}))
}
