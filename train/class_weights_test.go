package train

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func TestBalancedWeights(t *testing.T) {
	got, err := BalancedWeights([]int{1, 2, 5})
	if err != nil || math.Abs(got[0]-8./3) > 1e-15 || math.Abs(got[1]-8./6) > 1e-15 || math.Abs(got[2]-8./15) > 1e-15 {
		t.Error(got, err)
	}
	if _, err := BalancedWeights([]int{1, 0}); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "class 1 has 0 rows") {
		t.Error(err)
	}
	if _, err := BalancedWeights(nil); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
}

// classTimes are the weights of the classes, and repeated each row as often as that of its class says.
var classTimes = []float64{2, 1, 3}

func repeated(x *tensor.Dense, y *mat.Dense) (*tensor.Dense, *mat.Dense) {
	var rows []int
	for i, c := range ArgMax(y) {
		for range int(classTimes[c]) {
			rows = append(rows, i)
		}
	}
	return data.Rows(x, rows), takeRows(y, rows)
}

// TestSVMClassWeights: with weights 2, 1 and 3 the fit is that of each row as often, in columns of their own and, of two classes, in one.
func TestSVMClassWeights(t *testing.T) {
	x, y, _ := overlapping(t, 61, 4, 3)
	x2, y2 := repeated(x, y)
	column := func(y *mat.Dense) *mat.Dense { return mat.DenseCopyOf(y.Slice(0, y.RawMatrix().Rows, 2, 3)) } // of the third class, which weighs 3
	for _, o := range []SVMOptions{{}, {CacheBytes: -1, BlockRows: 7}} {
		o.Lambdas, o.Tol = []float64{.1}, 1e-6
		weighted := o
		weighted.ClassWeights = classTimes
		want, err := FitSVM(context.Background(), nil, data.Pairs{X: x2, Y: y2}, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, weighted)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got.W, want.W, 1e-5*mat.Norm(want.W, 2)) || math.Abs(got.C/want.C-1) > 1e-12 {
			t.Errorf("%v and C = %v, want\n%v and %v", mat.Formatted(got.W), got.C, mat.Formatted(want.W), want.C)
		}
		for j, f := range want.Objective {
			if math.Abs(got.Objective[j]/f-1) > 1e-10 || math.Abs(got.B[j]-want.B[j]) > 1e-5*math.Abs(want.B[j]) {
				t.Errorf("column %d: objective %v and intercept %v, want %v and %v", j, got.Objective[j], got.B[j], f, want.B[j])
			}
		}
		// In one column the classes 0 and 1 are one, which weighs half of the other.
		half := o
		half.ClassWeights = []float64{1, 2}
		var rows []int
		for i, c := range ArgMax(y) {
			rows = append(rows, i)
			if c == 2 {
				rows = append(rows, i)
			}
		}
		want, err = FitSVM(context.Background(), nil, data.Pairs{X: data.Rows(x, rows), Y: column(takeRows(y, rows))}, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err = FitSVM(context.Background(), nil, data.Pairs{X: x, Y: column(y)}, half)
		if err != nil || math.Abs(got.Objective[0]/want.Objective[0]-1) > 1e-10 {
			t.Error(got, want, err)
		}
	}
}

// TestFitClassWeights: full batches of weighted rows take the steps of each row as often, at a rate and a penalty that make up for the other number of
// rows; unweighted ones do not.
func TestFitClassWeights(t *testing.T) {
	x, y, _ := overlapping(t, 61, 4, 3)
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		m, err := layers.NewIdentity(4, layers.WithDtype(dt))
		if err != nil {
			t.Fatal(err)
		}
		for _, softmax := range []bool{false, true} {
			fit := func(x *tensor.Dense, y *mat.Dense, weights []float64, per float64) []float64 {
				targets := Targets(y, dt, nil)
				var head layers.Head
				if head, err = layers.NewLinearHead(4, 3, layers.WithDtype(dt)); softmax {
					targets = Targets(y, dt, probability)
					head, err = layers.NewSoftmaxHead(4, 3, layers.WithDtype(dt))
				}
				if err != nil {
					t.Fatal(err)
				}
				o := FitOptions{Epochs: 20, Batch: 1000, Solver: SGD, LearnRate: .002 * per, Lambda: .1 / per, ClassWeights: weights}
				if _, err := Fit(context.Background(), m, head, PairsFor(head, Targets(matOf(x), dt, nil), targets), o); err != nil {
					t.Fatal(err)
				}
				var w []float64
				for _, p := range head.Params() {
					for i := range p.Value.Shape().TotalSize() {
						w = append(w, cell(p.Value, i))
					}
				}
				return w
			}
			x2, y2 := repeated(x, y)
			per := float64(x2.Shape()[0]) / 61
			want, got, plain := fit(x2, y2, nil, per), fit(x, y, classTimes, 1), fit(x, y, nil, 1)
			tol, off := map[tensor.Dtype]float64{tensor.Float64: 1e-10, tensor.Float32: 1e-4}[dt], 0.
			for i, w := range want {
				if math.Abs(got[i]-w) > tol {
					t.Errorf("%v, softmax %v: weight %d is %v, want %v", dt, softmax, i, got[i], w)
				}
				off = max(off, math.Abs(plain[i]-w))
			}
			if off < 1e-2 {
				t.Errorf("%v, softmax %v: without weights it is the same", dt, softmax)
			}
		}
	}
}

func TestClassWeightErrors(t *testing.T) {
	x, y, target := overlapping(t, 20, 3, 2)
	half := mat.DenseCopyOf(y)
	half.Set(3, 0, .5)
	both := mat.DenseCopyOf(y)
	both.SetRow(4, []float64{1, 1})
	for _, c := range []struct {
		y       *mat.Dense
		weights []float64
		is      error
		text    string
	}{
		{y, []float64{1}, domain.ErrParam, "1 ClassWeights for 2 classes"},
		{y, []float64{1, 0}, domain.ErrParam, "ClassWeights[1] = 0"},
		{y, []float64{math.NaN(), 1}, domain.ErrParam, "ClassWeights[0] = NaN"},
		{y, []float64{1, math.Inf(1)}, domain.ErrParam, "ClassWeights[1] = +Inf"},
		{both, []float64{1, 1}, domain.ErrDomain, "the targets of row 4 are of no class"},
		{half, []float64{1, 1}, domain.ErrDomain, "row 3"},
		{target, []float64{1, 1}, nil, ""},
	} {
		_, k := c.y.Dims()
		_, svm := FitSVM(context.Background(), nil, data.Pairs{X: x, Y: c.y}, SVMOptions{ClassWeights: c.weights})
		m, err := layers.NewIdentity(3)
		if err != nil {
			t.Fatal(err)
		}
		_, fit := Fit(context.Background(), m, headOf(t, false, 3, k), PairsFor(headOf(t, false, 3, k), x, Targets(c.y, tensor.Float64, nil)), FitOptions{ClassWeights: c.weights})
		for _, err := range []error{svm, fit} {
			if err == nil || c.is != nil && (!errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("%v: %v, want %q", c.weights, err, c.text)
			}
		}
	}
	_, err := FitSVM(context.Background(), nil, data.Pairs{X: x, Y: target}, SVMOptions{Loss: SquaredInsensitive, ClassWeights: []float64{1, 1}})
	if !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "ClassWeights are of SquaredHinge") {
		t.Error(err)
	}
}
