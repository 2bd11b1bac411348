package linear

import (
	"context"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestLaplaceTensors: what comes back from a file predicts the same to the last bit, and tensors that are damaged do not
// come back.
func TestLaplaceTensors(t *testing.T) {
	p, f := laplaceProblem(t, 40, 4, 3, nil)
	x := p.X.(*tensor.Dense)
	for kind := range curvatures {
		l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Covariance: kind})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m")
		if err := modelfile.Write(path, nil, l.Tensors()); err != nil {
			t.Fatal(err)
		}
		_, tensors, err := modelfile.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		back, err := RestoreLaplace(tensors, f.W, f.B)
		if err != nil {
			t.Fatal(err)
		}
		want, err := l.Probabilities(x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := back.Probabilities(x)
		if err != nil || !mat.Equal(got, want) || back.Lambda != l.Lambda || back.Scale != l.Scale || back.Covariance != kind {
			t.Errorf("%s: another posterior came back (%v)", kind, err)
		}
		for name, of := range tensors {
			for _, bad := range []*tensor.Dense{nil, floatsOf(tensor.Float64, make([]float64, 7), 7),
				floatsOf(tensor.Float32, make([]float64, of.Shape().TotalSize()), of.Shape()...),
				floatsOf(tensor.Float64, slices.Repeat([]float64{math.NaN()}, of.Shape().TotalSize()), of.Shape()...)} {
				damaged := maps.Clone(tensors)
				damaged[name] = bad
				_, err := RestoreLaplace(damaged, f.W, f.B)
				if !errors.Is(err, domain.ErrShape) && !errors.Is(err, domain.ErrDtype) && !errors.Is(err, domain.ErrParam) && !errors.Is(err, domain.ErrDomain) {
					t.Errorf("%s: %s = %v: %v", kind, name, bad, err)
				}
			}
		}
		zeros := maps.Clone(tensors)
		zeros[string(kind)] = tensor.New(tensor.WithShape(tensors[string(kind)].Shape()...), tensor.Of(tensor.Float64))
		if _, err := RestoreLaplace(zeros, f.W, f.B); !errors.Is(err, domain.ErrDomain) {
			t.Errorf("%s: factors of zeros: %v", kind, err)
		}
		if _, err := RestoreLaplace(tensors, mat.NewDense(5, 3, nil), f.B); !errors.Is(err, domain.ErrShape) {
			t.Errorf("%s: another head: %v", kind, err)
		}
	}
}

// TestLaplaceChoice: the covariance that is chosen, by D and k.
func TestLaplaceChoice(t *testing.T) {
	for _, c := range []struct {
		d, k int
		want LaplaceCovariance
	}{{1023, 2, ExactCovariance}, {203, 10, ExactCovariance}, {204, 10, ClassesCovariance}, {1024, 10, ClassesCovariance}, {1830, 10, ClassesCovariance}, {1831, 10, SharedCovariance}} {
		if got, err := LaplaceCovariance("").chosen(c.d, c.k); err != nil || got != c.want {
			t.Errorf("%d features and %d classes: %q (%v), want %q", c.d, c.k, got, err, c.want)
		}
	}
}

// TestLaplaceErrors: heads, rows and options that do not fit each other.
func TestLaplaceErrors(t *testing.T) {
	p, f := laplaceProblem(t, 30, 3, 3, nil)
	x, ctx := p.X.(*tensor.Dense), context.Background()
	holed := x.Clone().(*tensor.Dense)
	holed.Float64s()[4] = math.NaN()
	same := tensor.New(tensor.WithShape(30, 3), tensor.Of(tensor.Float64))
	for name, c := range map[string]struct {
		rows data.Examples
		f    *LogisticFit
		o    LaplaceOptions
		want error
	}{
		"no head":            {p, nil, LaplaceOptions{}, domain.ErrParam},
		"no weights":         {p, &LogisticFit{}, LaplaceOptions{}, domain.ErrParam},
		"one class":          {p, &LogisticFit{W: mat.NewDense(3, 1, nil), B: []float64{1}}, LaplaceOptions{}, domain.ErrShape},
		"intercepts":         {p, &LogisticFit{W: f.W, B: f.B[:2]}, LaplaceOptions{}, domain.ErrShape},
		"other features":     {p, &LogisticFit{W: mat.NewDense(4, 3, nil), B: f.B}, LaplaceOptions{}, domain.ErrShape},
		"other classes":      {p, &LogisticFit{W: mat.NewDense(3, 2, nil), B: f.B[:2]}, LaplaceOptions{}, domain.ErrShape},
		"head not finite":    {p, &LogisticFit{W: f.W, B: []float64{0, math.Inf(1), 0}}, LaplaceOptions{}, domain.ErrDomain},
		"negative lambda":    {p, f, LaplaceOptions{Lambda: -1}, domain.ErrParam},
		"lambda NaN":         {p, f, LaplaceOptions{Lambda: math.NaN()}, domain.ErrParam},
		"lambda too small":   {p, f, LaplaceOptions{Lambda: 1e-300, Covariance: ExactCovariance}, domain.ErrParam},
		"lambda overflows":   {p, f, LaplaceOptions{Lambda: 1e308}, domain.ErrParam},
		"covariance":         {p, f, LaplaceOptions{Covariance: "full"}, domain.ErrParam},
		"blocks":             {p, f, LaplaceOptions{BlockRows: -1}, domain.ErrParam},
		"class weights":      {p, f, LaplaceOptions{ClassWeights: []float64{1}}, domain.ErrParam},
		"rows not finite":    {data.Pairs{X: holed, Y: p.Y}, f, LaplaceOptions{}, domain.ErrDomain},
		"rows of zeros":      {data.Pairs{X: same, Y: p.Y}, f, LaplaceOptions{}, domain.ErrDomain},
		"no rows to go over": {nil, f, LaplaceOptions{}, domain.ErrParam},
	} {
		if _, err := FitLaplace(ctx, nil, c.rows, c.f, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := FitLaplace(stopped, nil, p, f, LaplaceOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l, err := FitLaplace(ctx, nil, p, f, LaplaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	huge := x.Clone().(*tensor.Dense)
	huge.Float64s()[7] = 1e200
	for name, c := range map[string]struct {
		z    *tensor.Dense
		want error
	}{"none": {nil, domain.ErrParam}, "columns": {floatsOf(tensor.Float64, make([]float64, 4), 2, 2), domain.ErrShape}, "not finite": {holed, domain.ErrDomain},
		"huge": {huge, domain.ErrDomain}, "whole numbers": {tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Int)), domain.ErrDtype}} {
		if _, err := l.Probabilities(c.z); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := new(Laplace).Variance(x); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
}

// TestLaplaceCores: posterior and probabilities are the same to the last bit whatever GOMAXPROCS is.
func TestLaplaceCores(t *testing.T) {
	p, f := laplaceProblem(t, 700, 40, 3, nil)
	for kind := range curvatures {
		run := func(cores int) *mat.Dense {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Covariance: kind})
			if err != nil {
				t.Fatal(err)
			}
			q, err := l.Probabilities(p.X.(*tensor.Dense))
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		if !mat.Equal(run(1), run(3)) {
			t.Errorf("%s: the result depends on GOMAXPROCS", kind)
		}
	}
}
