package layers_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/golgi"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestFwdBesideLoss: a graph that holds the probabilities of a SoftmaxHead and its loss, in either order, has the
// values and the gradients of one that holds one of them, alone, in a Sequential and in a composition of golgi's.
func TestFwdBesideLoss(t *testing.T) {
	const n, d, k = 4, 3, 5
	x := rows(tensor.Float64, n, d, 1)
	oneHot := make([]float64, n*k)
	for i := range n {
		oneHot[i*k+i] = 1
	}
	targets := tensor.New(tensor.WithShape(n, k), tensor.WithBacking(oneHot))
	start := make([]float64, 6*k)
	for i := range start {
		start[i] = 3 * math.Sin(float64(i))
	}
	compositions := map[string]func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result{
		"alone": func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result { return head.Fwd(rff.Fwd(x)) },
		"Sequential": func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result {
			return must(layers.NewSequential(rff, head)).Fwd(x)
		},
		"golgi": func(x *G.Node, rff layers.Layer, head *layers.SoftmaxHead) G.Result {
			return must(golgi.ComposeSeq(x, rff, head)).Fwd(x)
		},
	}
	type outcome struct {
		loss, p, grad []float64
	}
	var want outcome
	measure := func(name string, order string) (o outcome) {
		rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, d, 6, layers.Tune(layers.Bandwidth)))
		head := must(layers.NewSoftmaxHead(6, k))
		if err := head.SetWeights(start, make([]float64, k)); err != nil {
			t.Fatal(err)
		}
		g := G.NewGraph()
		in := input(g, x)
		y := G.NewMatrix(g, G.Float64, G.WithShape(n, k), G.WithName("y"), G.WithValue(targets))
		var loss *G.Node
		var lossValue, p G.Value
		for _, part := range order {
			if part == 'L' {
				loss = must(head.Loss(rff.Fwd(in).Node(), y))
				G.Read(loss, &lossValue)
				continue
			}
			r := compositions[name](in, rff, head)
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			G.Read(r.Node(), &p)
		}
		var params G.Nodes
		if loss != nil {
			params = layers.Collect(rff, head)
			must(G.Grad(loss, params...))
		}
		m := G.NewTapeMachine(g, G.BindDualValues(params...))
		defer m.Close()
		if err := m.RunAll(); err != nil {
			t.Fatal(err)
		}
		if p != nil {
			o.p = floats(p)
		}
		if loss != nil {
			o.loss = floats(lossValue)
			for _, node := range params {
				o.grad = append(o.grad, floats(must(node.Grad()))...)
			}
		}
		return o
	}
	for name := range compositions {
		for _, order := range []string{"L", "F", "LF", "FL"} {
			t.Run(fmt.Sprint(name, " ", order), func(t *testing.T) {
				o := measure(name, order)
				if want.p == nil {
					want = outcome{p: measure("alone", "F").p, loss: measure("alone", "L").loss,
						grad: measure("alone", "L").grad}
				}
				if o.p != nil && maxDiff(o.p, want.p) > 1e-14 {
					t.Errorf("probabilities %v, alone %v", o.p, want.p)
				}
				if o.loss != nil && (maxDiff(o.loss, want.loss) > 1e-14 || maxDiff(o.grad, want.grad) > 1e-14) {
					t.Errorf("loss %v, alone %v; gradients %v, alone %v", o.loss, want.loss, o.grad, want.grad)
				}
			})
		}
	}
	sum := 0.0
	for i := range n {
		sum -= math.Log(want.p[i*k+i]) / n
	}
	if math.Abs(want.loss[0]-sum) > 1e-14 {
		t.Errorf("the loss is %v, the mean of -ln p of the classes %v", want.loss[0], sum)
	}
}

// TestHeadsAgree: of every kind of head the loss of a graph is the mean RowLoss of what Transform gives, weights of 1
// change nothing, and others multiply its terms.
func TestHeadsAgree(t *testing.T) {
	const n, d, k = 6, 3, 4
	x := rows(tensor.Float64, n, d, 1)
	for _, kind := range layers.HeadKinds() {
		head := must(layers.NewHead(kind, d, k))
		if head.Kind() != kind {
			t.Errorf("%s is of the kind %s", kind, head.Kind())
		}
		start := make([]float64, d*k)
		for i := range start {
			start[i] = 2 * math.Sin(float64(i))
		}
		if err := head.SetWeights(start, []float64{.1, -.2, .3, 0}); err != nil {
			t.Fatal(err)
		}
		targets, weights := make([]float64, n*k), make([]float64, n*k)
		for i := range n {
			targets[i*k+i%k] = 1
			for j := range k {
				weights[i*k+j] = 1 + float64(i+j)/5
			}
		}
		scores := floats(must(head.Logits(nil, x)))
		mean, weighted := 0., 0.
		for i := range n {
			mean += head.RowLoss(scores[i*k:(i+1)*k], targets[i*k:(i+1)*k]) / n
			for j := range k { // a term at a time
				loss := must(layers.NewHead(kind, d, 1)).RowLoss(scores[i*k+j:i*k+j+1], targets[i*k+j:i*k+j+1])
				if head.Classifies() { // whose terms depend on the logits of all classes
					one := make([]float64, k)
					one[j] = targets[i*k+j]
					loss = head.RowLoss(scores[i*k:(i+1)*k], one)
				}
				weighted += weights[i*k+j] * loss / n
			}
		}
		g := G.NewGraph()
		in := input(g, x)
		matrix := func(name string, v []float64) *G.Node {
			return G.NewMatrix(g, G.Float64, G.WithShape(n, k), G.WithName(name),
				G.WithValue(tensor.New(tensor.WithShape(n, k), tensor.WithBacking(v))))
		}
		y := matrix("y", targets)
		var plain, ones, some G.Value
		G.Read(must(head.Loss(in, y)), &plain)
		G.Read(must(head.WeightedLoss(in, y, matrix("ones", slices.Repeat([]float64{1}, n*k)))), &ones)
		G.Read(must(head.WeightedLoss(in, y, matrix("weights", weights))), &some)
		m := G.NewTapeMachine(g)
		if err := m.RunAll(); err != nil {
			t.Fatal(err)
		}
		m.Close()
		for name, c := range map[string][2]float64{"Loss": {floats(plain)[0], mean}, "weights of 1": {floats(ones)[0],
			mean}, "weights": {floats(some)[0], weighted}} {
			if math.Abs(c[0]-c[1]) > 1e-12*math.Abs(c[1]) {
				t.Errorf("%s: %s = %v, want %v", kind, name, c[0], c[1])
			}
		}
	}
	if _, err := layers.NewHead("hinge", d, k); !errors.Is(err, layers.ErrParam) {
		t.Errorf("a head that is none: %v", err)
	}
}

// TestRowLossOfRareClass: the loss of a class that is far behind is the gap, in float32 too.
func TestRowLossOfRareClass(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		head := must(layers.NewSoftmaxHead(1, 2, layers.WithDtype(dt)))
		if err := head.SetWeights([]float64{104, 0}, []float64{0, 0}); err != nil {
			t.Fatal(err)
		}
		z := tensor.Ones(dt, 1, 1)
		got := head.RowLoss(ops.Float64s(must(head.Logits(nil, z))), []float64{0, 1})
		if !(math.Abs(got-104) < 1e-3) {
			t.Errorf("%v: the loss of a gap of 104 is %v", dt, got)
		}
	}
}
