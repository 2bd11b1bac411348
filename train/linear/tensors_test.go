package linear

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestTensors: what comes back from a file is the same to the last bit, and no other tensors are taken for it.
func TestTensors(t *testing.T) {
	x, y := trial.Problem(31, 6, 2, 5)
	var s RidgeStats
	ok(t, s.Add(x, y), s.Forget(.5))
	type restored struct {
		tensors map[string]*tensor.Dense
		restore func(tensors map[string]*tensor.Dense) (text string, err error)
	}
	posterior := func(p *Posterior) string {
		f := must(p.Draw(3))
		return fmt.Sprint(must(p.Variance(nil, x)), *f.W, f.B, f.Lambda, *p.Fit.W, p.Fit.B, p.Fit.Lambda, p.Noise, p.Lambda,
			p.Penalty, p.Effective, p.LogEvidence)
	}
	p := must(s.Posterior(.1))
	all, texts := map[string]restored{"posterior": {p.Tensors(), func(tensors map[string]*tensor.Dense) (string, error) {
		var p Posterior
		if err := p.Restore(tensors); err != nil {
			return "", err
		}
		return posterior(&p), nil
	}}}, map[string]string{"posterior": posterior(p)}
	rows, f := laplaceProblem(t, 40, 4, 3, nil)
	for kind := range curvatures {
		laplace := func(l *Laplace) string {
			return fmt.Sprint(*must(l.Probabilities(rows.X.(*tensor.Dense))), l.Lambda, l.Scale, l.Covariance)
		}
		l := must(FitLaplace(t.Context(), nil, rows, f, LaplaceOptions{Covariance: kind}))
		all[kind] = restored{l.Tensors(), func(tensors map[string]*tensor.Dense) (string, error) {
			var l Laplace
			if err := l.Restore(tensors, f.W, f.B); err != nil {
				return "", err
			}
			return laplace(&l), nil
		}}
		texts[kind] = laplace(l)
		if err := new(Laplace).Restore(l.Tensors(), mat.NewDense(5, 3, nil), f.B); !errors.Is(err, domain.ErrShape) {
			t.Errorf("%s: another head: %v", kind, err)
		}
	}
	for name, r := range all {
		path := filepath.Join(t.TempDir(), "m")
		ok(t, modelfile.Write(path, nil, r.tensors))
		_, tensors, err := modelfile.Read(path)
		ok(t, err)
		if got := must(r.restore(tensors)); got != texts[name] {
			t.Errorf("%s: came back as %s, want %s", name, got, texts[name])
		}
		damaged := func(what, of string, bad *tensor.Dense, is ...error) {
			t.Helper()
			changed := maps.Clone(r.tensors)
			changed[of] = bad
			if _, err := r.restore(changed); !slices.ContainsFunc(is, func(e error) bool { return errors.Is(err, e) }) {
				t.Errorf("%s, %s %s: %v", name, what, of, err)
			}
		}
		numbers := func(shape []int, v ...float64) *tensor.Dense { return floatsOf(tensor.Float64, v, shape...) }
		for of, whole := range r.tensors {
			shape, size := []int(whole.Shape().Clone()), whole.DataSize()
			v := make([]float64, size)
			damaged("nil", of, nil, domain.ErrParam)
			damaged("long", of, numbers([]int{size + 1}, append(v, 0)...), domain.ErrShape)
			damaged("deep", of, numbers(append(shape, 1), v...), domain.ErrShape)
			damaged("scalar", of, tensor.New(tensor.FromScalar(1.)), domain.ErrShape)
			damaged("float32", of, floatsOf(tensor.Float32, v, shape...), domain.ErrDtype)
			for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
				damaged("not finite", of, numbers(shape, append(slices.Clone(whole.Float64s()[1:]), bad)...), domain.ErrDomain)
			}
			switch of {
			case "mass", "penalty", "lambda", "prior", "inverse_factor", "exact", "classes", "shared":
				damaged("zeros", of, numbers(shape, v...), domain.ErrDomain)
			case "noise":
				damaged("negative", of, numbers(shape, 1, -1), domain.ErrDomain)
				damaged("fewer", of, numbers([]int{1}, 1), domain.ErrShape)
			case "W":
				turned := numbers([]int{shape[1], shape[0]}, v...)
				ok(t, turned.T())
				damaged("view", of, turned, domain.ErrShape)
				damaged("turned", of, numbers([]int{shape[1], shape[0]}, v...), domain.ErrShape)
			case "z_mean":
				damaged("empty", of, tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(0)), domain.ErrShape)
			}
		}
		damaged("unknown", "more", numbers([]int{1}, 1), domain.ErrParam)
		if _, err := r.restore(nil); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%s: no tensors: %v", name, err)
		}
	}
	if (&Posterior{}).Tensors() != nil || (&Laplace{}).Tensors() != nil {
		t.Error("an empty posterior has tensors")
	}
}
